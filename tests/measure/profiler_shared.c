/* Profiles of ranks that share one meter. The meter is memory that all ranks see, to which whoever works adds; clocks
 * go on by work only, so that times and joules are known to the last digit, and nothing is timed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/joules.h"
#include "measure/meter.h"
#include "measure/profiler.h"
#include "parallel/node.h"
#include "support/check.h"

/* One execution of a measurement warms up, five count; then each rank has a turn of its own. */
enum { FIRST = 16, LAST = 64, STEP = 16, SIZES = 4, EXECUTIONS = 6 };

/* What the machine has used, rank by rank. */
typedef struct {
    double *joules; /* shape [ranks], shared */
    int ranks;
    int gone; /* on this rank it cannot be read any more */
} machine;

typedef struct {
    machine *machine;
    int rank;
    double clock;
    double interference;   /* share of its joules that comes on top at size 64, when others work, too; less at less */
    int together;          /* an execution ends when all ranks are through */
    int64_t interrupts_at; /* the size at which somebody presses ctrl-C; 0: none */
    int64_t fails_at;      /* the size at which the last rank fails in its own turn */
    int64_t goes_at;       /* the size at which the last rank's meter disappears in its own turn */
    int64_t executions;
    int64_t here; /* of the size at hand */
} toy;

static double seconds_of(int rank, int64_t size)
{
    return (double)size * (rank + 1) / 1024.0;
}

static double joules_of(int rank, int64_t size)
{
    return (double)size * (rank + 1) / 4.0;
}

static double interference_of(const toy *t, int64_t size)
{
    return t->interference * (double)size / LAST;
}

static double joules_of_all(int ranks, int64_t size)
{
    double sum = 0.0;
    for (int r = 0; r < ranks; r++) sum += joules_of(r, size);
    return sum;
}

static scalay_status prepare_toy(void *data, int64_t size)
{
    toy *t = data;
    (void)size;
    t->here = 0;
    return SCALAY_SUCCESS;
}

static scalay_status run_toy(void *data, int64_t size)
{
    toy *t = data;
    const int joint = t->here++ % (2 * EXECUTIONS) < EXECUTIONS;
    const int last = t->rank == t->machine->ranks - 1;
    t->executions++;
    t->clock += seconds_of(t->rank, size);
    t->machine->joules[t->rank] += joules_of(t->rank, size) * (joint ? 1.0 + interference_of(t, size) : 1.0);
    if (t->together) MPI_Barrier(MPI_COMM_WORLD);
    if (t->interrupts_at == size && t->rank == 0) scalay_measure_interrupt();
    if (t->goes_at == size && last && !joint) t->machine->gone = 1;
    if (t->fails_at == size && last && !joint) return scalay_error_set(SCALAY_ERROR_UNSUPPORTED, "the toy is broken");
    return SCALAY_SUCCESS;
}

static double read_clock(void *data)
{
    return ((toy *)data)->clock;
}

static scalay_status read_machine(scalay_meter *meter, double *joules)
{
    const machine *m = meter->state;
    *joules = 0.0;
    if (m->gone) return scalay_error_set(SCALAY_ERROR_UNSUPPORTED, "the meter has gone");
    for (int k = 0; k < m->ranks; k++) *joules += m->joules[k];
    return SCALAY_SUCCESS;
}

static const scalay_meter_kind machine_kind = {.name = "machine", .read = read_machine};

static toy new_toy(machine *m, int rank)
{
    return (toy){.machine = m, .rank = rank, .interference = 0.25};
}

static scalay_status run(scalay_comm *comm, toy *t, const char *path, int shared_meter, scalay_profile_record **record)
{
    const scalay_profile_kernel kernel = {.name = "toy", .prepare = prepare_toy, .run = run_toy, .data = t};
    const scalay_clocks clocks = {.now = read_clock, .witness = read_clock, .data = t};
    scalay_meter meter = {.kind = &machine_kind, .clocks = &scalay_clocks_system, .state = t->machine};
    scalay_profiler_options options = scalay_profiler_options_default();
    scalay_repeat_options repeat = scalay_repeat_options_default();
    options.first = FIRST;
    options.last = LAST;
    options.step = STEP;
    options.repeat = &repeat;
    repeat.max_seconds = 1e6;
    options.path = path;
    options.no_groups = 1;
    options.meter = &meter;
    options.static_power = 0.0;
    options.shared_meter = shared_meter;
    const scalay_status status = scalay_profiler_run_by(comm, &kernel, &options, &clocks, NULL, record);
    CHECK(status == SCALAY_SUCCESS || record == NULL || *record == NULL);
    return status;
}

static void remove_file(scalay_comm *comm, const char *path)
{
    MPI_Barrier(scalay_comm_handle(comm));
    if (scalay_comm_rank(comm) == 0) (void)remove(path);
    MPI_Barrier(scalay_comm_handle(comm));
}

static int is_near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12;
}

/* The difference at a size index, NaN: not known. */
static int differs_by(const scalay_profile_record *record, int64_t index, double expected)
{
    double difference = 0.0, uncertainty = 0.0;
    CHECK_STATUS(scalay_profile_record_additive(record, index, &difference, &uncertainty), SCALAY_SUCCESS);
    if (isnan(expected)) return isnan(difference) && isnan(uncertainty);
    return is_near(difference, expected) && uncertainty >= 0.0 && uncertainty < 1e-9;
}

/* ------------------------------------------------------------------------------------------------------- joules */

/* Where all read the meter at once, everybody has the joules of all. */
static void plain_energies_contain_the_others(scalay_comm *comm, machine *m)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    scalay_profile_record *record = NULL;
    scalay_profile_facts facts;
    scalay_profile_point point;
    t.together = 1;
    t.interference = 0.0;
    CHECK_STATUS(run(comm, &t, NULL, 0, &record), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
    CHECK(!facts.shared_meter && facts.sizes == SIZES);
    for (int64_t k = 0; k < SIZES; k++)
        for (int r = 0; r < m->ranks; r++) {
            CHECK_STATUS(scalay_profile_record_point(record, r, k, &point), SCALAY_SUCCESS);
            CHECK(is_near(point.energy, joules_of_all(m->ranks, point.size)));
            CHECK(differs_by(record, k, NAN));
        }
    scalay_profile_record_destroy(&record);
}

/* One after the other, everybody has his own, the times are those of all at once, and what comes on top is told. */
static void shared_energies_are_each_ones_own(scalay_comm *comm, machine *m, double interference)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    scalay_profile_record *record = NULL;
    scalay_profile_facts facts;
    scalay_profile_point point;
    t.interference = interference;
    CHECK_STATUS(run(comm, &t, NULL, 1, &record), SCALAY_SUCCESS);
    CHECK(t.executions == (int64_t)2 * EXECUTIONS * SIZES); /* the joint measurement and its own turn, no others' */
    CHECK_STATUS(scalay_profile_record_get(record, &facts), SCALAY_SUCCESS);
    CHECK(facts.shared_meter && facts.sizes == SIZES && !facts.modelled);
    for (int64_t k = 0; k < SIZES; k++)
        for (int r = 0; r < m->ranks; r++) {
            CHECK_STATUS(scalay_profile_record_point(record, r, k, &point), SCALAY_SUCCESS);
            CHECK(point.hole == NULL && point.precise && point.repetitions == EXECUTIONS - 1);
            CHECK(is_near(point.time, seconds_of(r, point.size)) && is_near(point.energy, joules_of(r, point.size)));
            CHECK(differs_by(record, k, interference_of(&t, point.size)));
        }
    scalay_profile_record_destroy(&record);
}

/* --------------------------------------------------------------------------------------------------------- files */

/* What was measured before keeps its difference; what comes after has another one. */
static void a_run_that_goes_on_keeps_the_differences(scalay_comm *comm, machine *m, const char *path)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    scalay_profile_record *record = NULL;
    scalay_profile_record *read = NULL;
    t.interrupts_at = FIRST + 2 * STEP;
    remove_file(comm, path);
    CHECK_STATUS(run(comm, &t, path, 1, NULL), SCALAY_SUCCESS);
    toy later = new_toy(m, t.rank);
    later.interference = 0.75;
    CHECK_STATUS(run(comm, &later, path, 1, &record), SCALAY_SUCCESS);
    CHECK(later.executions == (int64_t)2 * EXECUTIONS * (SIZES - 2));
    CHECK_STATUS(scalay_profile_record_read(path, &read), SCALAY_SUCCESS);
    for (int64_t k = 0; k < SIZES; k++) {
        const double expected = interference_of(k < 2 ? &t : &later, FIRST + k * STEP);
        CHECK(differs_by(record, k, expected) && differs_by(read, k, expected));
    }
    scalay_profile_record_destroy(&read);
    scalay_profile_record_destroy(&record);
}

static void expect_refusal(scalay_comm *comm, machine *m, const char *path, int shared_meter, const char *word)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    CHECK_STATUS(run(comm, &t, path, shared_meter, NULL), SCALAY_ERROR_MISMATCH);
    CHECK(strstr(scalay_error_message(), word) != NULL && t.executions == 0);
}

/* Joules of the one kind are not gone on with by the other. The file is of a shared meter. */
static void another_setting_is_refused(scalay_comm *comm, machine *m, const char *path)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    expect_refusal(comm, m, path, 0, "a meter that was 'shared");
    remove_file(comm, path);
    t.together = 1;
    CHECK_STATUS(run(comm, &t, path, 0, NULL), SCALAY_SUCCESS);
    expect_refusal(comm, m, path, 1, "a meter that was 'read by all");
    remove_file(comm, path);
    if (m->ranks > 1) expect_refusal(comm, m, NULL, t.rank == 0, "whether a meter is shared");
}

/* ------------------------------------------------------------------------------------------------------ failures */

/* The last rank fails when it is its turn: a hole, and the others are measured again without it. */
static void a_failing_rank_is_left_out(scalay_comm *comm, machine *m)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    scalay_profile_record *record = NULL;
    scalay_profile_point point;
    t.fails_at = FIRST;
    CHECK_STATUS(run(comm, &t, NULL, 1, &record), SCALAY_SUCCESS);
    for (int r = 0; r < m->ranks; r++) {
        CHECK_STATUS(scalay_profile_record_point(record, r, 0, &point), SCALAY_SUCCESS);
        CHECK((point.hole != NULL) == (r == m->ranks - 1));
        CHECK(point.hole != NULL || is_near(point.energy, joules_of(r, FIRST)));
    }
    CHECK(differs_by(record, 0, m->ranks > 1 ? interference_of(&t, FIRST) : NAN));
    CHECK(differs_by(record, 1, interference_of(&t, FIRST + STEP)));
    scalay_profile_record_destroy(&record);
}

/* Times go on; what is not known is measured again by the next run. */
static void a_meter_that_disappears_leaves_times(scalay_comm *comm, machine *m, const char *path)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    scalay_profile_record *record = NULL;
    scalay_profile_point point;
    t.goes_at = FIRST + STEP;
    CHECK_STATUS(run(comm, &t, path, 1, &record), SCALAY_SUCCESS);
    for (int64_t k = 0; k < SIZES; k++) {
        CHECK_STATUS(scalay_profile_record_point(record, m->ranks - 1, k, &point), SCALAY_SUCCESS);
        CHECK(is_near(point.time, seconds_of(m->ranks - 1, point.size)) && isnan(point.energy) == (k >= 1));
        CHECK(differs_by(record, k, k >= 1 ? NAN : interference_of(&t, FIRST)));
    }
    scalay_profile_record_destroy(&record);
    m->gone = 0;
    t = new_toy(m, t.rank);
    CHECK_STATUS(run(comm, &t, path, 1, &record), SCALAY_SUCCESS);
    CHECK(t.executions == (int64_t)2 * EXECUTIONS * (SIZES - 1));
    for (int64_t k = 0; k < SIZES; k++) CHECK(differs_by(record, k, interference_of(&t, FIRST + k * STEP)));
    scalay_profile_record_destroy(&record);
    remove_file(comm, path);
}

static void bad_arguments_are_refused(scalay_comm *comm, machine *m)
{
    toy t = new_toy(m, scalay_comm_rank(comm));
    scalay_profile_record *record = NULL;
    double difference = 0.0, uncertainty = 0.0;
    CHECK_STATUS(run(comm, &t, NULL, 1, &record), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_profile_record_additive(NULL, 0, &difference, &uncertainty), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_profile_record_additive(record, 0, NULL, &uncertainty), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_profile_record_additive(record, 0, &difference, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_profile_record_additive(record, -1, &difference, &uncertainty), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_profile_record_additive(record, SIZES, &difference, &uncertainty), SCALAY_ERROR_ARGUMENT);
    scalay_profile_record_destroy(&record);
}

static void every_failed_allocation_is_told(scalay_comm *comm, machine *m)
{
    const int64_t live = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int n = m->ranks; status != SCALAY_SUCCESS && n<400; n += m->ranks> 1 ? 5 : 1) {
        toy t = new_toy(m, scalay_comm_rank(comm));
        scalay_profile_record *record = NULL;
        scalay_memory_fail_at(t.rank == m->ranks - 1 ? n : 0);
        status = run(comm, &t, NULL, 1, &record);
        scalay_memory_fail_at(0);
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_profile_record_destroy(&record);
        CHECK(scalay_memory_live() == live);
    }
    CHECK(status == SCALAY_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    char path[64];
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    MPI_Win window;
    machine m = {.joules = shared_joules(comm, &window), .ranks = scalay_comm_size(comm)};
    (void)snprintf(path, sizeof path, "profiler_shared_%d.csv", m.ranks);
    CHECK_STATUS(scalay_node_probe(comm), SCALAY_SUCCESS); /* kept with the communicator */
    const int64_t live = scalay_memory_live();
    plain_energies_contain_the_others(comm, &m);
    shared_energies_are_each_ones_own(comm, &m, 0.0);
    shared_energies_are_each_ones_own(comm, &m, 0.5);
    shared_energies_are_each_ones_own(comm, &m, -0.125);
    a_run_that_goes_on_keeps_the_differences(comm, &m, path);
    another_setting_is_refused(comm, &m, path);
    a_failing_rank_is_left_out(comm, &m);
    a_meter_that_disappears_leaves_times(comm, &m, path);
    bad_arguments_are_refused(comm, &m);
    every_failed_allocation_is_told(comm, &m);
    CHECK(scalay_memory_live() == live);
    MPI_Win_free(&window);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
