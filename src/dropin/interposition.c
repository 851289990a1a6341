/* The door of the library: whether it is in use, its environment variables, and blacs_exit. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/answer.h"
#include "dropin/compute.h"
#include "dropin/moved_routines.h"
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

/* The routines that the library answers: "p", a letter of the type, and a suffix. */
#define BOTH(NAME, ...) {#NAME, "sdcz", SCALAY_MOVED_ROUTINE},
#define REAL(NAME, ...) {#NAME, "sd", SCALAY_MOVED_ROUTINE},
#define COMPLEX(NAME, ...) {#NAME, "cz", SCALAY_MOVED_ROUTINE},
static const struct {
    const char *suffix, *letters;
    scalay_routine_group group;
} routines[] = {{"gemr2d", "sdczi", SCALAY_REDIST_ROUTINE}, {"trmr2d", "sdczi", SCALAY_REDIST_ROUTINE},
                {"tran", "sd", SCALAY_REDIST_ROUTINE},      {"tranu", "cz", SCALAY_REDIST_ROUTINE},
                {"tranc", "cz", SCALAY_REDIST_ROUTINE},     {"gemm", "sdcz", SCALAY_OWN_ROUTINE},
                {"geqrf", "sdcz", SCALAY_OWN_ROUTINE},      {"getrf", "sdcz", SCALAY_OWN_ROUTINE},
                {"potrf", "sdcz", SCALAY_OWN_ROUTINE},      SCALAY_MOVED_ROUTINES(BOTH, REAL, COMPLEX)};

enum { ROUTINES = sizeof routines / sizeof *routines };

static scalay_routine_group answered_groups; /* all groups up to this one; 0: none */
static const char *answered_names;           /* of SCALAY_SCALAPACK; NULL: it is not a list */
static scalay_call_settings_values settings;

static void refuse_variable(const char *name, const char *value, const char *choices)
{
    char text[300];
    scalay_call call = {.routine = "scalay_scalapack", .ctxt = 0};
    (void)snprintf(text, sizeof text, "scalay_scalapack: %s is \"%.60s\"; it must be %s", name, value, choices);
    (void)scalay_error_set(SCALAY_ERROR_ARGUMENT, text);
    scalay_call_abort(&call);
}

/* Returns the group of a routine; 0 if the library does not have it. */
static int find_group(const char *name, size_t length)
{
    if (length < 3 || name[0] != 'p') return 0;
    for (int k = 0; k < ROUTINES; k++)
        if (strlen(routines[k].suffix) == length - 2 && strncmp(routines[k].suffix, name + 2, length - 2) == 0 &&
            strchr(routines[k].letters, name[1]) != NULL)
            return (int)routines[k].group;
    return 0;
}

/* Checks a list of names with commas between them. */
static void check_names(const char *list)
{
    for (const char *name = list; *name != '\0';) {
        const size_t length = strcspn(name, ",");
        if (find_group(name, length) == 0)
            refuse_variable("SCALAY_SCALAPACK", list,
                            "off, redist, move, all, force, or names of routines such as pdgemr2d,pdtran");
        name += length + (name[length] == ',');
    }
}

static int is_listed(const char *routine)
{
    for (const char *name = answered_names; *name != '\0';) {
        const size_t length = strcspn(name, ",");
        if (strlen(routine) == length && strncmp(name, routine, length) == 0) return 1;
        name += length + (name[length] == ',');
    }
    return 0;
}

static void read_answered(void)
{
    static const char *const names[] = {"off", "redist", "move", "all", "force"};
    const char *text = getenv("SCALAY_SCALAPACK");
    answered_groups = SCALAY_OWN_ROUTINE;
    if (text == NULL || *text == '\0') return;
    settings.forced = strcmp(text, "force") == 0;
    for (int k = 0; k < 5; k++)
        if (strcmp(text, names[k]) == 0) {
            answered_groups = k < SCALAY_OWN_ROUTINE ? (scalay_routine_group)k : SCALAY_OWN_ROUTINE;
            return;
        }
    check_names(text);
    answered_names = text;
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

/* Returns the value of a variable that counts `things`, at most `most`; `default_value` if it is not set. */
static int read_count(const char *name, const char *things, int most, int default_value)
{
    const char *text = getenv(name);
    char *end = NULL, choices[60];
    if (text == NULL || *text == '\0') return default_value;
    const long wanted = strtol(text, &end, 10);
    (void)snprintf(choices, sizeof choices, "a number of %s, at least 0", things);
    if (*end != '\0' || wanted < 0) refuse_variable(name, text, choices);
    return wanted < most ? (int)wanted : most;
}

/* Returns the value of a variable that is a number up to `most`; 0 if it is not set. */
static int read_number(const char *name, int most)
{
    const char *text = getenv(name);
    char choices[40];
    if (text == NULL || *text == '\0') return 0;
    const int value = text[0] - '0';
    (void)snprintf(choices, sizeof choices, "a number from 0 to %d", most);
    if (text[1] != '\0' || value < 0 || value > most) refuse_variable(name, text, choices);
    return value;
}

/* Returns the value of a variable that is a number of bytes, with K, M, G or T; -1 if it is not set. */
static int64_t read_bytes(const char *name)
{
    static const char units[] = "KMGT";
    const char *text = getenv(name);
    char *end = NULL;
    if (text == NULL || *text == '\0') return -1;
    double bytes = strtod(text, &end);
    const char *unit = *end != '\0' ? strchr(units, *end & ~0x20) : NULL;
    for (const char *u = units; unit != NULL && u <= unit; u++) bytes *= 1024.0;
    if (end == text || (unit == NULL ? *end : end[1]) != '\0' || !(bytes >= 0.0 && bytes < 9e18))
        refuse_variable(name, text, "a number of bytes such as 500000 or 512M");
    return (int64_t)bytes;
}

const scalay_call_settings_values *scalay_call_settings(void)
{
    static int known;
    if (!known) {
        known = 1;
        settings.plans = read_count("SCALAY_SCALAPACK_PLANS", "plans", SCALAY_MAX_PLANS, SCALAY_MAX_PLANS);
        settings.keep = read_count("SCALAY_SCALAPACK_KEEP", "MiB", INT_MAX, 0);
        read_transport();
        read_answered();
        settings.verbosity = read_number("SCALAY_VERBOSE", 2);
        settings.is_reproducible = read_number("SCALAY_REPRODUCIBLE", 1);
        settings.diagnoses = read_number("SCALAY_DIAGNOSE", 1);
        settings.checks = read_number("SCALAY_SCALAPACK_CHECK", 1);
        settings.memory = read_bytes("SCALAY_MEMORY");
        settings.report = getenv("SCALAY_REPORT");
    }
    return &settings;
}

int scalay_is_answered(const char *routine)
{
    if (scalay_call_settings()->diagnoses) return 0;
    if (answered_names != NULL) return is_listed(routine);
    return answered_groups == SCALAY_OWN_ROUTINE || find_group(routine, strlen(routine)) <= (int)answered_groups;
}

void scalay_announce(const scalay_call *call, MPI_Comm mpi, const scalay_plan *plan)
{
    static int announced;
    int rank = 0;
    if (announced++ || scalay_call_settings()->verbosity == 0) return;
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
