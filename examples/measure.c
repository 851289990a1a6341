/* Measures time and energy of a product on all processes at the same time. A declared model computes the energy. */
#include <mpi.h>
#include <stdio.h>

#include "scalay/scalay.h"

enum { N = 128 };

/* Computes C := C + A B, and reports its operations and bytes to the energy model. */
typedef struct {
    double a[N * N], b[N * N], c[N * N];
    scalay_meter *meter;
} product;

static scalay_status multiply(void *data)
{
    product *p = data;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) p->c[i * N + j] += p->a[i * N + k] * p->b[k * N + j];
    return scalay_meter_work(p->meter, 2.0 * N * N * N, 8.0 * 4 * N * N);
}

/* A declared energy model. Meters of wall plugs and processors are read in the same way. */
static int open_meter(scalay_comm *comm, scalay_meter **meter, double *idle)
{
    char text[256];
    double joules = 0.0;
    if (scalay_meter_create("model:base=20,flop=1e-10,byte=1e-9", meter) != SCALAY_SUCCESS) return 0;
    (void)scalay_meter_describe(*meter, text, sizeof text);
    if (scalay_comm_rank(comm) == 0) printf("meter %s, modelled: %d\n", text, scalay_meter_is_modelled(*meter));
    return scalay_meter_read(*meter, &joules) == SCALAY_SUCCESS &&
           scalay_measure_static_power(comm, *meter, 0.01, idle) == SCALAY_SUCCESS;
}

/* Ctrl-C ends the measurement, not the program. The samples until then are kept. */
static int measure(scalay_comm *comm, product *p, double idle, scalay_sample **sample)
{
    scalay_interrupt_scope *scope = NULL;
    scalay_repeat_options options = scalay_repeat_options_default();
    options.max_seconds = 0.5;
    options.static_power = idle;
    options.independent = 1; /* the processes do not communicate in multiply() */
    if (scalay_interrupt_begin(&scope) != SCALAY_SUCCESS) return 0;
    const scalay_status status = scalay_measure(comm, multiply, p, p->meter, &options, sample);
    scalay_interrupt_end(&scope); /* scalay_measure_interrupt() ends a measurement from another thread */
    return status == SCALAY_SUCCESS;
}

static int report(scalay_comm *comm, const scalay_sample *sample)
{
    char text[512];
    scalay_sample_summary summary;
    if (scalay_sample_get_summary(sample, &summary) != SCALAY_SUCCESS) return 0;
    const scalay_statistics time = summary.time, energy = summary.energy;
    (void)scalay_sample_describe(sample, text, sizeof text);
    if (scalay_comm_rank(comm) == 0) {
        puts(text);
        printf("%.3g Gflop/s, %.3g nJ per operation, median %.3g s; the first took %.3g s and %.3g J\n",
               2e-9 * N * N * N / time.mean, 1e9 * energy.mean / (2.0 * N * N * N), time.median, summary.time_value[0],
               summary.energy_value[0]);
    }
    return summary.repetitions == time.count && summary.time_value[0] >= time.minimum;
}

/* For processes that share one meter: measures all together, then one by one, and compares the energies. */
static int measure_additive(scalay_comm *comm, product *p, double idle)
{
    scalay_sample *sample = NULL;
    scalay_additive additive;
    scalay_repeat_options options = scalay_repeat_options_default();
    options.max_repetitions = 5;
    options.static_power = idle;
    const scalay_status status = scalay_measure_additive(comm, multiply, p, p->meter, &options, &sample, &additive);
    if (status == SCALAY_SUCCESS && scalay_comm_rank(comm) == 0)
        printf("%d measurements: %.3g J one by one, %.3g J together, %.2g%% more\n", additive.experiments, additive.sum,
               additive.joint, 100.0 * additive.difference);
    scalay_sample_destroy(&sample);
    return status == SCALAY_SUCCESS;
}

int main(int argc, char **argv)
{
    static product p;
    MPI_Init(&argc, &argv);
    const double start = MPI_Wtime();
    scalay_comm *comm = NULL;
    scalay_sample *sample = NULL;
    double idle = 0.0;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    for (int k = 0; k < N * N; k++) p.a[k] = p.b[k] = 1.0 / (1.0 + k % 7);
    int fine = open_meter(comm, &p.meter, &idle) && measure(comm, &p, idle, &sample) && report(comm, sample) &&
               measure_additive(comm, &p, idle);
    if (!fine) puts(scalay_error_message());
    if (scalay_comm_rank(comm) == 0) printf("all of it in %.2g s\n", MPI_Wtime() - start);
    scalay_sample_destroy(&sample);
    scalay_meter_destroy(&p.meter);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
