/* SUMMA, predicted and measured: C := A B, n x n, all three matrices in one layout. The machine is measured first. For
   each layout: the median of the slowest rank, the prediction of the plan, and that of the layout alone, as advice has
   it. Usage: mpirun -n P bench_summa_predicted [N ...], such as 256 512 1024 2048 */

#include "timing.h"

#include <mpi.h>

#include "model/product.h"
#include "parallel/node.h"
#include "scalay/scalay.h"

enum { MAX_RUNS = 31 };

static scalay_comm *comm;
static scalay_machine machine;
static int rank, ranks;

/* Predictions within 30% of the measurement. */
static int cases, precise_plans, precise_layouts;

static int is_precise(double predicted, double measured)
{
    return predicted <= 1.3 * measured && measured <= 1.3 * predicted;
}

static double *new_array(int64_t elements)
{
    double *array = malloc((size_t)(elements + 1) * sizeof *array);
    for (int64_t k = 0; k < elements; k++) array[k] = (double)(k % 7) - 3.0;
    return array;
}

static double measure(scalay_gemm *gemm, const scalay_layout *layout, int runs)
{
    const int64_t elements = scalay_layout_local_size(layout, rank);
    double *a = new_array(elements), *b = new_array(elements), *c = new_array(elements);
    double seconds[MAX_RUNS];
    for (int run = -1; run < runs; run++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double took = MPI_Wtime();
        timing_must(scalay_gemm_execute(gemm, NULL, a, b, NULL, c));
        took = MPI_Wtime() - took;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (run >= 0) seconds[run] = took;
    }
    free(c);
    free(b);
    free(a);
    return timing_median(seconds, runs);
}

static void compare(const char *text, int n)
{
    scalay_layout *layout = NULL;
    scalay_gemm *gemm = NULL;
    scalay_gemm_options options = scalay_gemm_options_default();
    scalay_gemm_statistics planned;
    const int *node = NULL;
    double on_layout = 0.0;
    options.machine = &machine;
    timing_must(scalay_layout_parse(text, &layout));
    timing_must(scalay_gemm_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, layout,
                                   layout, &options, &gemm));
    timing_must(scalay_gemm_get_statistics(gemm, &planned));
    timing_must(scalay_node_of_ranks(comm, &node));
    const scalay_nodes nodes = {.processes = ranks, .node = node};
    timing_must(scalay_summa_on_layout(&machine, SCALAY_DOUBLE, layout, NULL, &nodes, &on_layout));
    const double measured = measure(gemm, layout, n <= 512 ? MAX_RUNS : 7);
    cases++;
    precise_plans += is_precise(planned.predicted_multiply_seconds, measured);
    precise_layouts += is_precise(on_layout, measured);
    if (rank == 0)
        printf("%-48s %9.3f ms, predicted / measured: plan %5.2f, layout %5.2f\n", text, 1e3 * measured,
               planned.predicted_multiply_seconds / measured, on_layout / measured);
    fflush(stdout);
    scalay_gemm_destroy(&gemm);
    scalay_layout_destroy(&layout);
}

static void compare_layouts(int n)
{
    const int p = ranks % 4 == 0 ? 2 : 1, q = ranks / p, blocks[] = {1, 64};
    char text[128];
    for (int k = 0; k < 2; k++)
        for (int turn = 0; turn < 2; turn++) {
            snprintf(text, sizeof text, "cyclic:m=%d,n=%d,mb=%d,nb=%d,p=%d,q=%d", n, n, blocks[k], blocks[k],
                     turn ? q : p, turn ? p : q);
            compare(text, n);
        }
    snprintf(text, sizeof text, "cyclic:m=%d,n=%d,mb=%d,nb=%d,p=1,q=%d", n, n, n, (n + ranks - 1) / ranks, ranks);
    compare(text, n);
    snprintf(text, sizeof text, "skewed:m=%d,n=%d,mb=64,nb=64,p=%d,q=%d", n, n, p, q);
    compare(text, n);
    snprintf(text, sizeof text, "chunks:m=%d,n=%d,mb=64,nb=64,p=%d", n, n, ranks);
    compare(text, n);
}

int main(int argc, char **argv)
{
    const int usual[] = {256, 512, 1024, 2048};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &comm));
    timing_must(scalay_machine_measure(comm, &machine));
    for (int k = 1; k < argc; k++) compare_layouts(atoi(argv[k]));
    for (int k = 0; argc == 1 && k < 4; k++) compare_layouts(usual[k]);
    if (rank == 0)
        printf("%d layouts: predictions within 30%%: %d of plans, %d of layouts\n", cases, precise_plans,
               precise_layouts);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
