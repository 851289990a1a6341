/*
 * The summary at the end of the program: the calls and seconds of each compute routine that the program has called, the
 * predicted gain, and how to measure the machine if that was not done. Process 0 prints it with SCALAY_VERBOSE=1 and
 * writes it as JSON to the file SCALAY_REPORT.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dropin/compute.h"
#include "dropin/prediction.h"

static void print_summary(const scalay_compute_routine *r)
{
    scalay_machine machine;
    (void)fprintf(stderr, "ScaLAY: routine    calls  answered    seconds  saved (predicted)\n");
    for (; r != NULL; r = r->older)
        if (r->calls > 0)
            (void)fprintf(stderr, "ScaLAY: %-8s %7lld %9lld %10.3g %10.3g\n", r->name, (long long)r->calls,
                          (long long)r->answered, r->seconds, r->saved_seconds);
    if (!scalay_prediction_machine(&machine))
        (void)fprintf(stderr,
                      "ScaLAY: this machine was not measured, so that only layouts that are bad anywhere are left; "
                      "`scalay calibrate` or `scalay-run --calibrate` measures it\n");
}

static void write_report(const char *path, const scalay_compute_routine *r)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        (void)fprintf(stderr, "ScaLAY: the report %s cannot be written\n", path);
        return;
    }
    (void)fprintf(file, "{\"version\": 1, \"routines\": [");
    const char *comma = "";
    for (; r != NULL; r = r->older) {
        if (r->calls == 0) continue;
        (void)fprintf(file,
                      "%s\n  {\"name\": \"%s\", \"calls\": %lld, \"answered\": %lld, \"seconds\": %.6g, "
                      "\"predicted_saved_seconds\": %.6g}",
                      comma, r->name, (long long)r->calls, (long long)r->answered, r->seconds, r->saved_seconds);
        comma = ",";
    }
    (void)fprintf(file, "\n]}\n");
    if (fclose(file) != 0) (void)fprintf(stderr, "ScaLAY: the report %s is not complete\n", path);
}

__attribute__((destructor)) static void report(void)
{
    if (scalay_compute_rank() != 0) return;
    if (scalay_call_settings()->diagnoses) scalay_diagnosis_print();
    if (scalay_call_settings()->verbosity > 0) print_summary(scalay_compute_routines());
    if (scalay_call_settings()->report != NULL) write_report(scalay_call_settings()->report, scalay_compute_routines());
}
