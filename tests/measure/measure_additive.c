/* The additive method on ranks that share a meter: energies that add up are found to, interference is found and its
 * size told. The meter is memory that all ranks see; whoever works adds to it. */
#include <math.h>
#include <string.h>

#include "measure/job.h"
#include "measure/joules.h"
#include "parallel/node.h"

/* What the machine has used, rank by rank. */
typedef struct {
    double *joules; /* shape [ranks], shared */
    int ranks;
} machine;

typedef struct {
    job job;
    machine *machine;
    int rank;
    double joules;       /* of an execution */
    double interference; /* share of it that comes on top when others work, too */
    int64_t joint;       /* executions of the joint measurement, which comes first */
} consumer;

static scalay_status consume(void *data)
{
    consumer *c = data;
    const scalay_status status = do_work(&c->job);
    const double share = c->job.executions <= c->joint ? 1.0 + c->interference : 1.0;
    c->machine->joules[c->rank] += c->joules * share;
    return status;
}

static scalay_status read_machine(scalay_meter *meter, double *joules)
{
    const machine *m = meter->state;
    *joules = 0.0;
    for (int k = 0; k < m->ranks; k++) *joules += m->joules[k];
    return SCALAY_SUCCESS;
}

static const scalay_meter_kind machine_kind = {.name = "machine", .read = read_machine};

static scalay_status run_additive_by(scalay_comm *comm, consumer *c, scalay_meter *meter, int has_work, int by_host,
                                     scalay_sample **sample, scalay_additive *additive)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    options.max_seconds = 1e6;
    const scalay_clocks clocks = {.now = hand_now, .witness = hand_witness, .data = &c->job.clock};
    const scalay_repeat_task task = {.comm = comm,
                                     .work = has_work ? consume : NULL,
                                     .data = c,
                                     .meter = meter,
                                     .options = &options,
                                     .clocks = &clocks};
    return scalay_additive_run(&task, by_host, sample, additive);
}

static scalay_status run_additive(scalay_comm *comm, consumer *c, scalay_meter *meter, int has_work,
                                  scalay_sample **sample, scalay_additive *additive)
{
    return run_additive_by(comm, c, meter, has_work, 0, sample, additive);
}

static consumer consumer_of(scalay_comm *comm, machine *m, double interference)
{
    const int rank = scalay_comm_rank(comm);
    return (consumer){.job = job_of(comm, 0.5 + rank, 0.0),
                      .machine = m,
                      .rank = rank,
                      .joules = 8.0 * (rank + 1),
                      .interference = interference,
                      .joint = 6}; /* one to warm up, five that count: nothing is uncertain */
}

/* Ranks 0 to workers - 1 have work. */
static void check_sums(scalay_comm *comm, machine *m, int workers, double interference)
{
    consumer c = consumer_of(comm, m, interference);
    scalay_meter meter = {.kind = &machine_kind, .clocks = &scalay_clocks_system, .state = m};
    scalay_sample *sample = NULL;
    scalay_additive additive;
    const int works = c.rank < workers;
    CHECK_STATUS(run_additive(comm, &c, &meter, works, &sample, &additive), SCALAY_SUCCESS);
    const double sum = 8.0 * workers * (workers + 1) / 2.0;
    CHECK(fabs(additive.sum - sum) < 1e-9 * sum);
    CHECK(fabs(additive.joint - sum * (1.0 + interference)) < 1e-9 * sum);
    CHECK(fabs(additive.difference - interference) < 1e-9);
    CHECK(additive.uncertainty < 1e-9);
    CHECK(additive.experiments == workers + 1);
    const scalay_sample_summary measured = summary_of(sample);
    const scalay_statistics time = measured.time, energy = measured.energy;
    if (works) {
        CHECK(time.count == 5 && time.mean == 0.5 + c.rank);
        CHECK(energy.count == 5 && fabs(energy.mean - c.joules) < 1e-9);
        CHECK(c.job.executions == 12); /* the joint measurement, and its own: not those of others */
    } else {
        CHECK(time.count == 0 && energy.count == 0 && c.job.executions == 0);
    }
    scalay_sample_destroy(&sample);
}

/* Hosts of two ranks, each with a meter: rank k is alone when no other rank of its host is at work. */
static void check_hosts(machine *m)
{
    scalay_comm *comm = NULL;
    scalay_sample *sample = NULL;
    scalay_additive additive;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const int rank = scalay_comm_rank(comm), ranks = scalay_comm_size(comm), first = rank / 2 * 2;
    machine host = {.joules = m->joules + first, .ranks = first + 1 < ranks ? 2 : 1};
    consumer c = consumer_of(comm, m, 0.5);
    scalay_meter meter = {.kind = &machine_kind, .clocks = &scalay_clocks_system, .state = &host};
    scalay_node_limit((scalay_node_limits){.ranks = 2});
    CHECK_STATUS(run_additive_by(comm, &c, &meter, 1, 1, &sample, &additive), SCALAY_SUCCESS);
    scalay_node_limit((scalay_node_limits){0});
    const double sum = 8.0 * ranks * (ranks + 1) / 2.0;
    CHECK(fabs(additive.sum - sum) < 1e-9 * sum && fabs(additive.difference - 0.5) < 1e-9);
    CHECK(additive.experiments == (ranks > 1 ? 3 : 2) && c.job.executions == 12);
    const scalay_statistics energy = summary_of(sample).energy;
    CHECK(energy.count == 5 && fabs(energy.mean - c.joules) < 1e-9);
    scalay_sample_destroy(&sample);
    scalay_comm_destroy(&comm);
}

/* A kernel that fails when it works alone: all come back, the times of the joint measurement are there. */
static void check_failure(scalay_comm *comm, machine *m)
{
    consumer c = consumer_of(comm, m, 0.0);
    scalay_meter meter = {.kind = &machine_kind, .clocks = &scalay_clocks_system, .state = m};
    scalay_sample *sample = NULL;
    scalay_additive additive;
    scalay_sample_summary summary = {0};
    if (c.rank == scalay_comm_size(comm) - 1) c.job.fails_at = 9;
    CHECK_STATUS(run_additive(comm, &c, &meter, 1, &sample, &additive), SCALAY_ERROR_RANGE);
    CHECK_STATUS(scalay_sample_get_summary(sample, &summary), SCALAY_SUCCESS);
    CHECK(summary.end == SCALAY_END_FAILED && summary.repetitions == 5);
    CHECK(isnan(additive.sum) && isnan(additive.difference));
    scalay_sample_destroy(&sample);
    c = consumer_of(comm, m, 0.0);
    if (c.rank == 0) scalay_memory_fail_at(1);
    CHECK_STATUS(run_additive(comm, &c, &meter, 1, &sample, &additive), SCALAY_ERROR_MEMORY);
    scalay_memory_fail_at(0);
    CHECK(sample == NULL);
}

/* Without any meter there are times; models are each rank's own. */
static void check_other_meters(scalay_comm *comm, machine *m)
{
    consumer c = consumer_of(comm, m, 0.0);
    const scalay_clocks clocks = {.now = hand_now, .witness = hand_witness, .data = &c.job.clock};
    scalay_sample *sample = NULL;
    scalay_additive additive;
    const int ranks = scalay_comm_size(comm);
    CHECK_STATUS(run_additive(comm, &c, NULL, 1, &sample, &additive), SCALAY_SUCCESS);
    CHECK(isnan(additive.sum) && isnan(additive.difference) && additive.experiments == ranks + 1);
    scalay_sample_destroy(&sample);

    c = consumer_of(comm, m, 0.0);
    CHECK_STATUS(scalay_meter_open(&scalay_meter_model, "flop=0.5", &clocks, &c.job.meter), SCALAY_SUCCESS);
    CHECK_STATUS(run_additive(comm, &c, c.job.meter, 1, &sample, &additive), SCALAY_SUCCESS);
    CHECK(fabs(additive.sum - 500.0 * ranks) < 1e-9 && fabs(additive.joint - additive.sum) < 1e-9);
    CHECK(fabs(additive.difference) < 1e-12);
    scalay_sample_destroy(&sample);
    scalay_meter_destroy(&c.job.meter);
    CHECK_STATUS(scalay_measure_additive(NULL, consume, &c, NULL, NULL, &sample, &additive), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_measure_additive(comm, consume, &c, NULL, NULL, &sample, NULL), SCALAY_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    MPI_Win window;
    machine m = {.joules = shared_joules(comm, &window), .ranks = scalay_comm_size(comm)};
    check_sums(comm, &m, m.ranks, 0.0);
    check_sums(comm, &m, m.ranks, 0.125);
    check_sums(comm, &m, (m.ranks + 1) / 2, 0.25);
    check_hosts(&m);
    check_failure(comm, &m);
    check_other_meters(comm, &m);
    MPI_Win_free(&window);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
