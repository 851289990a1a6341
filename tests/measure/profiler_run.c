/* The profiler by a clock that only the kernel moves: what comes out is known to the last digit, and nothing is timed.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "measure/profiler.h"
#include "support/check.h"

enum { FIRST = 10, LAST = 200, STEP = 10, SIZES = 20, EXECUTIONS = 6 };
static const double second_per_unit = 0.0009765625; /* 2^-10: sums are exact */

/* What the kernel does on this rank. */
typedef struct {
    int rank;
    double clock;
    int64_t jump;          /* from this size on it takes half as long again; 0: never */
    int64_t fails_at;      /* 0: nowhere; -1: everywhere */
    int fails_to_prepare;  /* there, and not on the way */
    int fails_on;          /* the rank that this is about; -1: all */
    int noisy;             /* on rank 0 the time of an execution is once, then twice the function's */
    int64_t interrupts_at; /* the size at which somebody presses ctrl-C; 0: none */
    int64_t executions;
    int64_t open; /* prepared and not released */
} toy;

static double seconds_of(const toy *t, int rank, int64_t size)
{
    return second_per_unit * (double)size * (rank % 2 == 0 ? 1.0 : 2.0) * (t->jump > 0 && size >= t->jump ? 1.5 : 1.0);
}

static scalay_status fail_at(const toy *t, int64_t size, int on_the_way)
{
    int here = t->fails_on == t->rank || t->fails_on == -1;
    if (!here || (t->fails_at != -1 && t->fails_at != size) || t->fails_to_prepare == on_the_way) return SCALAY_SUCCESS;
    return scalay_error_set(SCALAY_ERROR_UNSUPPORTED, "the toy is broken");
}

static scalay_status prepare_toy(void *data, int64_t size)
{
    toy *t = data;
    t->open++;
    return fail_at(t, size, 0);
}

static scalay_status run_toy(void *data, int64_t size)
{
    toy *t = data;
    double seconds = seconds_of(t, t->rank, size);
    t->executions++;
    if (t->noisy && t->rank == 0 && t->executions % 2 == 0) seconds *= 2.0;
    t->clock += seconds;
    if (t->interrupts_at == size && t->rank == 0) scalay_measure_interrupt();
    return t->executions % 3 == 0 ? fail_at(t, size, 1) : SCALAY_SUCCESS;
}

static void release_toy(void *data)
{
    ((toy *)data)->open--;
}

static double flops_of_toy(void *data, int64_t size)
{
    (void)data;
    return 1000.0 * (double)size;
}

static double read_clock(void *data)
{
    return ((toy *)data)->clock;
}

static scalay_profile_kernel kernel_of(toy *t)
{
    return (scalay_profile_kernel){.name = "toy",
                                   .prepare = prepare_toy,
                                   .run = run_toy,
                                   .release = release_toy,
                                   .flops = flops_of_toy,
                                   .data = t};
}

static scalay_profiler_options options_of(const char *path)
{
    scalay_profiler_options options = scalay_profiler_options_default();
    options.first = FIRST;
    options.last = LAST;
    options.step = STEP;
    options.path = path;
    return options;
}

static toy new_toy(const scalay_comm *comm)
{
    return (toy){.rank = scalay_comm_rank(comm), .fails_on = scalay_comm_size(comm) - 1};
}

static scalay_status run(scalay_comm *comm, toy *t, const scalay_profiler_options *options, scalay_profile **profile,
                         scalay_profile_record **record)
{
    const scalay_profile_kernel kernel = kernel_of(t);
    const scalay_clocks clocks = {.now = read_clock, .witness = read_clock, .data = t};
    scalay_status status = scalay_profiler_run_by(comm, &kernel, options, &clocks, profile, record);
    CHECK(t->open == 0);
    CHECK(status == SCALAY_SUCCESS || ((profile == NULL || *profile == NULL) && (record == NULL || *record == NULL)));
    return status;
}

static void remove_file(scalay_comm *comm, const char *path)
{
    MPI_Barrier(scalay_comm_handle(comm));
    if (scalay_comm_rank(comm) == 0) (void)remove(path);
    MPI_Barrier(scalay_comm_handle(comm));
}

/* Where rank r's function went. */
static int group_of(const scalay_profile_record *record, const scalay_profile *profile, int r)
{
    scalay_profile_processor facts;
    CHECK_STATUS(scalay_profile_record_processor(record, r, &facts), SCALAY_SUCCESS);
    for (int g = 0; g < scalay_profile_groups(profile); g++)
        if (strcmp(scalay_profile_name(profile, g), facts.group) == 0) return g;
    return -1;
}

/* ------------------------------------------------------------------------------------------------- functions */

static void known_functions_come_out(scalay_comm *comm, int groups)
{
    toy t = new_toy(comm);
    scalay_profile *profile = NULL;
    scalay_profile_record *record = NULL;
    scalay_profiler_options options = options_of(NULL);
    options.no_groups = !groups;
    CHECK_STATUS(run(comm, &t, &options, &profile, &record), SCALAY_SUCCESS);
    const int size = scalay_comm_size(comm);
    const int expected = groups ? (size < 2 ? size : 2) : size;
    CHECK(scalay_profile_groups(profile) == expected && scalay_profile_processors(profile) == size);
    CHECK(t.executions == (int64_t)EXECUTIONS * SIZES);
    for (int r = 0; r < size; r++)
        for (int64_t n = FIRST; n <= LAST; n += STEP) {
            double seconds = 0.0;
            CHECK_STATUS(scalay_profile_get_point(profile, group_of(record, profile, r), n, &seconds, NULL),
                         SCALAY_SUCCESS);
            CHECK(seconds == seconds_of(&t, r, n));
        }
    scalay_profile_facts facts;
    CHECK_STATUS(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
    CHECK(facts.state == SCALAY_PROFILE_COMPLETE && facts.sizes == SIZES && facts.processors == size);
    CHECK(strcmp(facts.kernel, "toy") == 0 && strcmp(facts.meter, "none") == 0);
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&record);
}

static void a_jump_is_closed_in_on(scalay_comm *comm)
{
    toy t = new_toy(comm);
    t.jump = 127;
    scalay_profile_record *record = NULL;
    scalay_profiler_options options = options_of(NULL);
    options.refine = 0.05;
    options.refine_step = 1;
    CHECK_STATUS(run(comm, &t, &options, NULL, &record), SCALAY_SUCCESS);
    scalay_profile_facts facts;
    scalay_profile_point before = {0}, after = {0};
    int found = 0;
    CHECK_STATUS(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
    for (int64_t k = 0; k + 1 < facts.sizes; k++) {
        (void)scalay_profile_record_point(record, 0, k, &before);
        (void)scalay_profile_record_point(record, 0, k + 1, &after);
        found += before.size == 126 && after.size == 127;
    }
    CHECK(found == 1 && facts.sizes < 2 * SIZES);
    scalay_profile_record_destroy(&record);
}

static void what_is_not_precise_is_said(scalay_comm *comm)
{
    toy t = new_toy(comm);
    t.noisy = 1;
    scalay_profile_record *record = NULL;
    scalay_profile_point point;
    scalay_profiler_options options = options_of(NULL);
    scalay_repeat_options repeat = scalay_repeat_options_default();
    options.last = FIRST;
    options.repeat = &repeat;
    repeat.max_repetitions = 12;
    CHECK_STATUS(run(comm, &t, &options, NULL, &record), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_profile_record_point(record, 0, 0, &point), SCALAY_SUCCESS);
    CHECK(point.precise == 0 && point.repetitions == 12 && fabs(point.time - 1.5 * seconds_of(&t, 0, FIRST)) < 1e-12);
    /* What is not precise is not the same as anything. */
    scalay_profile_processor facts;
    CHECK_STATUS(scalay_profile_record_processor(record, scalay_comm_size(comm) - 1, &facts), SCALAY_SUCCESS);
    CHECK(scalay_comm_size(comm) == 1 || strcmp(facts.group, "p0") != 0);
    scalay_profile_record_destroy(&record);
}

static void joules_of_a_model_are_exact(scalay_comm *comm)
{
    toy t = new_toy(comm);
    scalay_meter *meter = NULL;
    scalay_profile *profile = NULL;
    scalay_profile_record *record = NULL;
    scalay_profile_facts facts;
    double seconds = 0.0, joules = 0.0;
    scalay_profiler_options options = options_of(NULL);
    CHECK_STATUS(scalay_meter_create("model:base=0,flop=0.001,byte=0", &meter), SCALAY_SUCCESS);
    options.meter = meter;
    options.static_power = 0.0;
    CHECK_STATUS(run(comm, &t, &options, &profile, &record), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
    CHECK(facts.modelled && strstr(facts.meter, "model") != NULL && scalay_profile_has_energy(profile));
    CHECK(scalay_profile_is_modelled(profile));
    for (int64_t n = FIRST; n <= LAST; n += STEP) {
        CHECK_STATUS(scalay_profile_get_point(profile, 0, n, &seconds, &joules), SCALAY_SUCCESS);
        CHECK(fabs(joules - (double)n) < 1e-6);
    }
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&record);
    scalay_meter_destroy(&meter);
}

/* Less than the static power was drawn: that is no energy of the work, and not none at all either. */
static void less_than_nothing_is_no_energy(scalay_comm *comm)
{
    toy t = new_toy(comm);
    scalay_meter *meter = NULL;
    scalay_profile *profile = NULL;
    scalay_profile_record *record = NULL;
    scalay_profile_point point = {0};
    scalay_profiler_options options = options_of(NULL);
    CHECK_STATUS(scalay_meter_create("model:base=0,flop=0.001,byte=0", &meter), SCALAY_SUCCESS);
    options.meter = meter;
    options.static_power = scalay_comm_rank(comm) == 0 ? 1e6 : 0.0;
    CHECK_STATUS(run(comm, &t, &options, &profile, &record), SCALAY_SUCCESS);
    CHECK(!scalay_profile_has_energy(profile));
    CHECK_STATUS(scalay_profile_record_point(record, 0, 0, &point), SCALAY_SUCCESS);
    CHECK(point.energy < 0.0 && point.time == seconds_of(&t, 0, FIRST));
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&record);
    scalay_meter_destroy(&meter);
}

/* -------------------------------------------------------------------------------------------------- failures */

static void a_size_that_fails_is_a_hole(scalay_comm *comm, int to_prepare)
{
    toy t = new_toy(comm);
    t.fails_at = 50;
    t.fails_to_prepare = to_prepare;
    scalay_profile_record *record = NULL;
    scalay_profile *profile = NULL;
    scalay_profile_point point;
    scalay_profiler_options options = options_of(NULL);
    CHECK_STATUS(run(comm, &t, &options, &profile, &record), SCALAY_SUCCESS);
    for (int r = 0; r < scalay_comm_size(comm); r++)
        for (int64_t k = 0; k < SIZES; k++) {
            int hole = r == t.fails_on && FIRST + k * STEP == 50;
            CHECK_STATUS(scalay_profile_record_point(record, r, k, &point), SCALAY_SUCCESS);
            CHECK((point.hole != NULL) == hole);
            CHECK(!hole || strstr(point.hole, "the toy is broken") != NULL);
            CHECK(hole || point.time == seconds_of(&t, r, point.size));
        }
    double seconds = 0.0;
    CHECK_STATUS(scalay_profile_get_point(profile, group_of(record, profile, t.fails_on), 50, &seconds, NULL),
                 SCALAY_SUCCESS);
    CHECK(isinf(seconds));
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&record);
}

/* One rank without any point has no group; when no rank has one, there is no profile and no file. */
static void failing_everywhere_is_told(scalay_comm *comm, const char *path)
{
    toy t = new_toy(comm);
    t.fails_at = t.fails_on = -1;
    scalay_profile_record *record = NULL;
    scalay_profile *profile = NULL;
    scalay_profiler_options options = options_of(path);
    CHECK_STATUS(run(comm, &t, &options, &profile, &record), SCALAY_ERROR_INFEASIBLE);
    CHECK(strstr(scalay_error_message(), "the toy is broken") != NULL && access(path, F_OK) != 0);
    t.fails_on = scalay_comm_size(comm) - 1;
    scalay_status expected = scalay_comm_size(comm) == 1 ? SCALAY_ERROR_INFEASIBLE : SCALAY_SUCCESS;
    CHECK_STATUS(run(comm, &t, &options, &profile, &record), expected);
    if (expected == SCALAY_SUCCESS) {
        CHECK(group_of(record, profile, t.fails_on) == -1);
        CHECK(scalay_profile_processors(profile) == scalay_comm_size(comm) - 1);
    }
    scalay_profile_destroy(&profile);
    scalay_profile_record_destroy(&record);
    remove_file(comm, path);
}

/* ---------------------------------------------------------------------------------------------------- resuming */

/* The rows of a file, and nothing of what was found out on the way. */
static uint64_t fingerprint_of(const char *path)
{
    uint64_t fingerprint = 14695981039346656037u;
    char line[4096];
    FILE *file = fopen(path, "r");
    while (CHECK(file != NULL) && fgets(line, sizeof line, file) != NULL)
        for (const char *at = line; *at != '\0'; at++)
            fingerprint = (fingerprint ^ (unsigned char)*at) * 1099511628211u;
    if (file != NULL) (void)fclose(file);
    return fingerprint;
}

/* Interrupted at the first size, or at a later one, and started again, the file comes out the same, and nothing is
 * measured twice. */
static void an_interrupted_run_goes_on(scalay_comm *comm, const char *path)
{
    scalay_profiler_options options = options_of(path);
    options.refine = 0.05;
    options.refine_step = 2;
    toy whole = new_toy(comm);
    whole.jump = 127;
    CHECK_STATUS(run(comm, &whole, &options, NULL, NULL), SCALAY_SUCCESS);
    const uint64_t expected = scalay_comm_rank(comm) == 0 ? fingerprint_of(path) : 0;
    for (int64_t stop = FIRST; stop <= LAST; stop += 6 * STEP) {
        toy t = new_toy(comm);
        scalay_profile_record *record = NULL;
        scalay_profile_facts facts;
        remove_file(comm, path);
        t.jump = 127;
        t.interrupts_at = stop;
        CHECK_STATUS(run(comm, &t, &options, NULL, &record), stop == FIRST ? SCALAY_ERROR_INFEASIBLE : SCALAY_SUCCESS);
        if (stop > FIRST) {
            CHECK_STATUS(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
            CHECK(facts.state == SCALAY_PROFILE_INTERRUPTED && facts.sizes == (stop - FIRST) / STEP);
        }
        scalay_profile_record_destroy(&record);
        t.interrupts_at = 0;
        t.executions = 0;
        CHECK_STATUS(run(comm, &t, &options, NULL, NULL), SCALAY_SUCCESS);
        CHECK(t.executions == whole.executions - EXECUTIONS * ((stop - FIRST) / STEP));
        if (scalay_comm_rank(comm) == 0) CHECK(fingerprint_of(path) == expected);
    }
    toy idle = new_toy(comm);
    CHECK_STATUS(run(comm, &idle, &options, NULL, NULL), SCALAY_SUCCESS);
    CHECK(idle.executions == 0);
    options.restart = 1;
    CHECK_STATUS(run(comm, &idle, &options, NULL, NULL), SCALAY_SUCCESS);
    CHECK(idle.executions == (int64_t)EXECUTIONS * SIZES);
    remove_file(comm, path);
}

/* Replaces a text in the file, if it is there. */
static void edit(scalay_comm *comm, const char *path, const char *old, const char *replacement)
{
    static char text[1 << 20];
    MPI_Barrier(scalay_comm_handle(comm));
    if (scalay_comm_rank(comm) == 0) {
        FILE *file = fopen(path, "r+");
        size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
        text[length] = '\0';
        char *at = strstr(text, old);
        if (CHECK(file != NULL && at != NULL)) {
            (void)fseek(file, (long)(at - text), SEEK_SET);
            (void)fputs(replacement, file);
            (void)fputs(at + strlen(old), file);
        }
        if (file != NULL) (void)fclose(file);
    }
    MPI_Barrier(scalay_comm_handle(comm));
}

static void expect_refusal(scalay_comm *comm, const scalay_profiler_options *options, scalay_status expected,
                           const char *word)
{
    toy t = new_toy(comm);
    CHECK_STATUS(run(comm, &t, options, NULL, NULL), expected);
    CHECK(strstr(scalay_error_message(), word) != NULL);
    CHECK(t.executions == 0);
}

static void other_conditions_are_refused(scalay_comm *comm, const char *path)
{
    toy t = new_toy(comm);
    scalay_profiler_options options = options_of(path);
    char threads[80];
    CHECK_STATUS(run(comm, &t, &options, NULL, NULL), SCALAY_SUCCESS);
    edit(comm, path, "# kernel toy\n", "# kernel ship\n");
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "the kernel");
    edit(comm, path, "# kernel ship\n", "# kernel toy\n");
    (void)snprintf(threads, sizeof threads, "threads=");
    edit(comm, path, threads, "threads=9");
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "threads");
    edit(comm, path, "threads=9", threads);
    edit(comm, path, "binding=", "binding=77,");
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "binding");
    edit(comm, path, "binding=77,", "binding=");
    edit(comm, path, " confidence=0.9", " confidence=0.8");
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "confidence");
    edit(comm, path, " confidence=0.8", " confidence=0.9");
    edit(comm, path, " host=", " host=not.");
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "the host");
    edit(comm, path, " host=not.", " host=");
    edit(comm, path, "# meter none", "# meter sun");
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "the meter");
    edit(comm, path, "# meter sun", "# meter none");
    edit(comm, path, "# point p0 size=20 ", "# point p0 size=2x ");
    expect_refusal(comm, &options, SCALAY_ERROR_FORMAT, path);
    edit(comm, path, "# point p0 size=2x ", "# point p0 size=20 ");
    t.executions = 0;
    CHECK_STATUS(run(comm, &t, &options, NULL, NULL), SCALAY_SUCCESS);
    CHECK(t.executions == 0);
    edit(comm, path, "# scalay profile 1", "# something else 1");
    expect_refusal(comm, &options, SCALAY_ERROR_FORMAT, "not a measured profile");
    remove_file(comm, path);
}

static void another_static_power_is_refused(scalay_comm *comm, const char *path)
{
    toy t = new_toy(comm);
    scalay_meter *meter = NULL;
    scalay_profiler_options options = options_of(path);
    const int last = scalay_comm_rank(comm) == scalay_comm_size(comm) - 1;
    CHECK_STATUS(scalay_meter_create("model:base=0,flop=0.001,byte=0", &meter), SCALAY_SUCCESS);
    options.meter = meter;
    options.static_power = 0.0;
    CHECK_STATUS(run(comm, &t, &options, NULL, NULL), SCALAY_SUCCESS);
    options.static_power = last ? 1.0 : 0.0;
    expect_refusal(comm, &options, SCALAY_ERROR_MISMATCH, "static power");
    t.executions = 0;
    for (options.static_power = 0.0; options.static_power > -2.0; options.static_power--)
        CHECK_STATUS(run(comm, &t, &options, NULL, NULL), SCALAY_SUCCESS);
    CHECK(t.executions == 0);
    remove_file(comm, path);
    scalay_meter_destroy(&meter);
}

/* A run of the first size only, on top of what the file holds; 1 when the point is precise. */
static int go_on(scalay_comm *comm, const char *path, double precision, int64_t *executions)
{
    toy t = new_toy(comm);
    scalay_profile_record *record = NULL;
    scalay_profile_point point = {0};
    scalay_profiler_options options = options_of(path);
    scalay_repeat_options repeat = scalay_repeat_options_default();
    t.noisy = 1;
    options.last = FIRST;
    options.repeat = &repeat;
    repeat.max_repetitions = 12;
    repeat.precision = precision;
    CHECK_STATUS(run(comm, &t, &options, NULL, &record), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_profile_record_point(record, 0, 0, &point), SCALAY_SUCCESS);
    scalay_profile_record_destroy(&record);
    *executions = t.executions;
    return point.precise;
}

/* What met the precision of its time and does not meet today's is measured again, and never said to. */
static void precision_is_todays(scalay_comm *comm, const char *path)
{
    int64_t executions = 0;
    CHECK(go_on(comm, path, 0.9, &executions) == 1 && executions == EXECUTIONS);
    CHECK(go_on(comm, path, 0.9, &executions) == 1 && executions == 0);
    CHECK(go_on(comm, path, 0.01, &executions) == 0 && executions == 13);
    CHECK(go_on(comm, path, 0.01, &executions) == 0 && executions == 0);
    CHECK(go_on(comm, path, 0.9, &executions) == 1 && executions == 0);
    remove_file(comm, path);
}

/* A smaller communicator, in another order, has other processors. */
static void another_number_of_processors_is_refused(scalay_comm *comm, const char *path)
{
    MPI_Comm mpi = MPI_COMM_NULL;
    scalay_comm *part = NULL;
    toy t = new_toy(comm);
    scalay_profiler_options options = options_of(path);
    if (scalay_comm_size(comm) == 1) return;
    CHECK_STATUS(run(comm, &t, &options, NULL, NULL), SCALAY_SUCCESS);
    MPI_Comm_split(scalay_comm_handle(comm), scalay_comm_rank(comm) == 0, -scalay_comm_rank(comm), &mpi);
    CHECK_STATUS(scalay_comm_create(mpi, &part), SCALAY_SUCCESS);
    MPI_Barrier(scalay_comm_handle(comm));
    if (scalay_comm_rank(comm) == 0) expect_refusal(part, &options, SCALAY_ERROR_MISMATCH, "number of processors");
    options.path = NULL;
    if (scalay_comm_rank(comm) != 0) {
        t = new_toy(part);
        CHECK_STATUS(run(part, &t, &options, NULL, NULL), SCALAY_SUCCESS);
    }
    scalay_comm_destroy(&part);
    MPI_Comm_free(&mpi);
    remove_file(comm, path);
}

/* ---------------------------------------------------------------------------------------------------- arguments */

static void expect_bad(scalay_comm *comm, const scalay_profile_kernel *kernel, const scalay_profiler_options *options,
                       scalay_status expected)
{
    CHECK_STATUS(scalay_profiler_run(comm, kernel, options, NULL, NULL), expected);
}

/* Wrong on the last rank only: all hear of it. */
static void bad_arguments_are_agreed_upon(scalay_comm *comm)
{
    toy t = new_toy(comm);
    const int last = scalay_comm_rank(comm) == scalay_comm_size(comm) - 1;
    const scalay_profile_kernel good = kernel_of(&t);
    const scalay_profiler_options fine = options_of(NULL);
    scalay_profile_kernel kernel = good;
    scalay_profiler_options options = fine;
    scalay_repeat_options repeat = scalay_repeat_options_default();
    CHECK_STATUS(scalay_profiler_run(NULL, &good, &fine, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    expect_bad(comm, last ? NULL : &good, &fine, SCALAY_ERROR_ARGUMENT);
    expect_bad(comm, &good, last ? NULL : &fine, SCALAY_ERROR_ARGUMENT);
    if (last) kernel.run = NULL;
    expect_bad(comm, &kernel, &fine, SCALAY_ERROR_ARGUMENT);
    kernel = good;
    if (last) kernel.name = "two\nlines";
    expect_bad(comm, &kernel, &fine, SCALAY_ERROR_ARGUMENT);
    kernel.name = last ? "another" : "toy";
    expect_bad(comm, &kernel, &fine, scalay_comm_size(comm) > 1 ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS);
    options.threads = last ? -1 : 0;
    expect_bad(comm, &good, &options, SCALAY_ERROR_ARGUMENT);
    options = fine;
    options.static_power = last ? NAN : 0.0;
    expect_bad(comm, &good, &options, SCALAY_ERROR_ARGUMENT);
    options = fine;
    options.repeat = &repeat;
    repeat.precision = 0.0;
    expect_bad(comm, &good, &options, SCALAY_ERROR_ARGUMENT);
    options = fine;
    options.step = 0;
    expect_bad(comm, &good, &options, SCALAY_ERROR_ARGUMENT);
    options = fine;
    options.path = "/nowhere/at/all.csv";
    t.executions = 0;
    expect_bad(comm, &good, &options, SCALAY_ERROR_FILE);
    CHECK(t.executions == 0);
}

static void a_meter_belongs_to_all_or_none(scalay_comm *comm)
{
    toy t = new_toy(comm);
    const scalay_profile_kernel kernel = kernel_of(&t);
    scalay_profiler_options options = options_of(NULL);
    scalay_meter *meter = NULL;
    if (scalay_comm_size(comm) == 1) return;
    CHECK_STATUS(scalay_meter_create("model:base=1,flop=0,byte=0", &meter), SCALAY_SUCCESS);
    options.meter = scalay_comm_rank(comm) == 0 ? meter : NULL;
    expect_bad(comm, &kernel, &options, SCALAY_ERROR_MISMATCH);
    scalay_meter_destroy(&meter);
}

static void every_failed_allocation_is_told(scalay_comm *comm, const char *path)
{
    const int64_t live = scalay_memory_live();
    scalay_profiler_options options = options_of(path);
    const int culprit = scalay_comm_size(comm) - 1, step = culprit > 0 ? 5 : 1;
    options.last = FIRST + STEP;
    for (int who = 0; who <= culprit; who += culprit > 0 ? culprit : 1) {
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int n = 1 + who % 5; status != SCALAY_SUCCESS && n < 400; n += step) {
            toy t = new_toy(comm);
            remove_file(comm, path);
            scalay_memory_fail_at(scalay_comm_rank(comm) == who ? n : 0);
            scalay_profile *profile = NULL;
            scalay_profile_record *record = NULL;
            status = run(comm, &t, &options, &profile, &record);
            scalay_memory_fail_at(0);
            CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            scalay_profile_destroy(&profile);
            scalay_profile_record_destroy(&record);
            CHECK(scalay_memory_live() == live);
        }
        CHECK(status == SCALAY_SUCCESS);
    }
    remove_file(comm, path);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    char path[64];
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    (void)snprintf(path, sizeof path, "profiler_run_%d.csv", scalay_comm_size(comm));
    remove_file(comm, path);
    known_functions_come_out(comm, 1);
    known_functions_come_out(comm, 0);
    a_jump_is_closed_in_on(comm);
    what_is_not_precise_is_said(comm);
    joules_of_a_model_are_exact(comm);
    less_than_nothing_is_no_energy(comm);
    a_size_that_fails_is_a_hole(comm, 0);
    a_size_that_fails_is_a_hole(comm, 1);
    failing_everywhere_is_told(comm, path);
    an_interrupted_run_goes_on(comm, path);
    other_conditions_are_refused(comm, path);
    another_number_of_processors_is_refused(comm, path);
    another_static_power_is_refused(comm, path);
    precision_is_todays(comm, path);
    bad_arguments_are_agreed_upon(comm);
    a_meter_belongs_to_all_or_none(comm);
    every_failed_allocation_is_told(comm, path);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
