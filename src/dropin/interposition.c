/* The door of the library: whether it is in use, its environment variables, and blacs_exit. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/answer.h"
#include "dropin/call.h"
#include "dropin/plan_cache.h"
#include "scalay/context.h"
#include "scalay/scalapack.h"

/* Asks for the order of libraries of the program: RTLD_DEFAULT would begin with this library, because of -Bsymbolic. */
int scalay_scalapack_active(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program == NULL) return 0;
    const int is_first = dlsym(program, "pdgemr2d_") == (void *)pdgemr2d_;
    (void)dlclose(program);
    return is_first;
}

int scalay_scalapack_active_(void)
{
    return scalay_scalapack_active();
}

/* -------------------------------------------------------------------------------------------- settings */

static const char *const routines[] = {"psgemr2d", "pdgemr2d", "pcgemr2d", "pzgemr2d", "pigemr2d", "pstrmr2d",
                                       "pdtrmr2d", "pctrmr2d", "pztrmr2d", "pitrmr2d", "pstran",   "pdtran",
                                       "pctranu",  "pztranu",  "pctranc",  "pztranc"};

enum { ROUTINES = sizeof routines / sizeof *routines };

static uint32_t answered; /* bit k: routines[k] */
static scalay_call_settings_values settings;

static _Noreturn void refuse_variable(const char *name, const char *value, const char *choices)
{
    char text[300];
    scalay_call call = {.routine = "scalay_scalapack", .ctxt = 0};
    (void)snprintf(text, sizeof text, "scalay_scalapack: %s is \"%.60s\"; it must be %s", name, value, choices);
    (void)scalay_error_set(SCALAY_ERROR_ARGUMENT, text);
    scalay_call_abort(&call);
    abort();
}

/* Returns the bit of a routine; 0 if the library does not have it. */
static uint32_t find_routine(const char *name, size_t length)
{
    for (int k = 0; k < ROUTINES; k++)
        if (strlen(routines[k]) == length && strncmp(routines[k], name, length) == 0) return (uint32_t)1 << k;
    return 0;
}

/* Reads a list of names with commas between them. */
static uint32_t read_routines(const char *list)
{
    uint32_t bits = 0;
    for (const char *name = list; *name != '\0';) {
        const size_t length = strcspn(name, ",");
        const uint32_t bit = find_routine(name, length);
        if (bit == 0)
            refuse_variable("SCALAY_SCALAPACK", list,
                            "off, redist, move, all, force, or names of routines such as pdgemr2d,pdtran");
        bits |= bit;
        name += length + (name[length] == ',');
    }
    return bits;
}

static void read_answered(void)
{
    const char *text = getenv("SCALAY_SCALAPACK");
    answered = UINT32_MAX;
    if (text == NULL || *text == '\0' || strcmp(text, "all") == 0 || strcmp(text, "move") == 0 ||
        strcmp(text, "redist") == 0)
        return;
    settings.forced = strcmp(text, "force") == 0;
    if (settings.forced) return;
    answered = strcmp(text, "off") == 0 ? 0 : read_routines(text);
}

static void read_transport(void)
{
    const char *text = getenv("SCALAY_SCALAPACK_TRANSPORT");
    char choices[200] = "auto";
    if (text == NULL || *text == '\0') return;
    settings.transport = text;
    int found = strcmp(text, "auto") == 0;
    for (int k = 0; scalay_transport_name(k) != NULL; k++) {
        const size_t length = strlen(choices);
        found |= strcmp(text, scalay_transport_name(k)) == 0;
        (void)snprintf(choices + length, sizeof choices - length, " or %s", scalay_transport_name(k));
    }
    if (!found) refuse_variable("SCALAY_SCALAPACK_TRANSPORT", text, choices);
}

static void read_plans(void)
{
    const char *text = getenv("SCALAY_SCALAPACK_PLANS");
    char *end = NULL;
    settings.plans = SCALAY_MAX_PLANS;
    if (text == NULL || *text == '\0') return;
    const long wanted = strtol(text, &end, 10);
    if (*end != '\0' || wanted < 0) refuse_variable("SCALAY_SCALAPACK_PLANS", text, "a number of plans, at least 0");
    if (wanted < SCALAY_MAX_PLANS) settings.plans = (int)wanted;
}

const scalay_call_settings_values *scalay_call_settings(void)
{
    static int known;
    if (!known) {
        known = 1;
        read_plans();
        read_transport();
        read_answered();
    }
    return &settings;
}

int scalay_is_answered(const char *routine)
{
    (void)scalay_call_settings();
    return answered == UINT32_MAX || (answered != 0 && (answered & find_routine(routine, strlen(routine))) != 0);
}

static int is_verbose(void)
{
    const char *text = getenv("SCALAY_VERBOSE");
    return text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

void scalay_announce(const scalay_call *call, MPI_Comm mpi, const scalay_plan *plan)
{
    static int announced;
    int rank = 0;
    if (announced++ || !is_verbose()) return;
    MPI_Comm_rank(mpi, &rank);
    if (rank != 0) return;
    char about[400] = "small first calls are left to ScaLAPACK, so no transport was chosen yet";
    Dl_info file = {0};
    (void)dladdr((void *)scalay_announce, &file);
    if (plan != NULL) (void)scalay_plan_describe(plan, about, sizeof about);
    (void)fprintf(stderr, "ScaLAY " SCALAY_VERSION ": %s is answered by %s; %s\n", call->routine,
                  file.dli_fname != NULL ? file.dli_fname : "scalay_scalapack", about);
}

/* The caches are freed before the BLACS end, while all processes take part. */

/* Returns the routine that ends the BLACS. */
static scalay_routine *blacs_routine(const char *symbol)
{
    scalay_routine *next = scalay_next_routine(symbol);
    scalay_call call = {.routine = "blacs_exit", .ctxt = -1};
    if (next == NULL) {
        (void)scalay_call_refuse(&call, 0, 0, "%s of BLACS was not found; link ScaLAPACK's shared library", symbol);
        scalay_call_abort(&call);
    }
    return next;
}

void blacs_exit_(const int *go_on)
{
    scalay_plan_caches_release();
    ((void (*)(const int *))blacs_routine("blacs_exit_"))(go_on);
}

void Cblacs_exit(int go_on)
{
    scalay_plan_caches_release();
    ((void (*)(int))blacs_routine("Cblacs_exit"))(go_on);
}
