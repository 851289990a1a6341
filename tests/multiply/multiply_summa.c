/*
 * SUMMA of matrices that are anywhere: the product is the one of the definition, what travels is what the owners of the
 * lines make necessary, element by element, and nothing beside C is written.
 */
#include "multiply/products.h"

static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
static const char *const transports[] = {NULL, "messages", "auto", "shared", "broadcast"};
enum { TRANSPORTS = (int)(sizeof transports / sizeof transports[0]) };

/* The statistics of all ranks say that as many elements arrived as had to travel. */
static void check_statistics(const product *p, scalay_summa *summa, int travels)
{
    scalay_summa_statistics s;
    int64_t mine[3], all[3];
    CHECK_STATUS(scalay_summa_get_statistics(summa, &s), SCALAY_SUCCESS);
    mine[0] = s.elements_received;
    mine[1] = s.elements_sent;
    mine[2] = s.workspace_bytes;
    MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const int64_t expected = product_volume(p);
    CHECK(s.volume == expected);
    CHECK(all[0] == (travels ? expected : 0));
    CHECK(all[1] == 0 || all[1] == all[0]);
    CHECK(p->options.panel == 0 || s.panel <= p->options.panel);
    CHECK(p->options.memory_bytes == 0 || s.workspace_bytes <= p->options.memory_bytes);
    CHECK(s.seconds >= s.compute_seconds && s.compute_seconds >= 0.0 && s.communicate_seconds >= 0.0);
    CHECK(s.cpu_seconds >= 0.0 && (s.gemm_calls == 0 || s.cpu_seconds > 0.0));
}

/* Not everything can be broadcast. */
static scalay_status create(scalay_comm *comm, product *p, scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < 2 && *summa == NULL; k++) {
        status = scalay_summa_create(comm, p->type, p->op[0], p->op[1], p->matrix[0].layout, p->matrix[1].layout,
                                     p->matrix[2].layout, &p->options, summa);
        if (status == SCALAY_ERROR_UNSUPPORTED) p->options.transport = "messages";
    }
    return status;
}

/* Twice with one plan: the arrays, alpha and beta differ. */
static void check_product(scalay_comm *comm, product *p, scalay_random *random)
{
    scalay_summa *summa = NULL;
    CHECK_STATUS(create(comm, p, &summa), SCALAY_SUCCESS);
    for (int k = 0; k < 2 && summa != NULL; k++) {
        product_draw_values(random, p);
        CHECK_STATUS(
            scalay_summa_execute(summa, p->alpha_element, p->local[0], p->local[1], p->beta_element, p->local[2]),
            SCALAY_SUCCESS);
        product_check_result(p);
        check_statistics(p, summa, p->alpha != 0.0);
        product_free_values(p);
    }
    scalay_summa_destroy(&summa);
}

static void draw_options(scalay_random *random, product *p)
{
    static const int64_t panels[] = {0, 0, 1, 3, 7, 16};
    p->options = scalay_summa_options_default();
    p->options.panel = panels[scalay_random_below(random, 6)];
    p->options.transport = transports[scalay_random_below(random, TRANSPORTS)];
    p->options.no_overlap = scalay_random_below(random, 4) == 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int processes = scalay_comm_size(comm);
    const int cases = argc > 2 ? atoi(argv[2]) : processes < 3 ? 96 : processes < 8 ? 24 : 64 / processes;
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)first);
    for (int number = 0; number < cases; number++) {
        scalay_random random = scalay_random_seed(first * 1000 + (uint64_t)number);
        const int before = check_failures;
        product p = {.type = types[number % 4], .seed = first * 1000 + (uint64_t)number};
        product_create(comm, &random, number, &p);
        draw_options(&random, &p);
        check_product(comm, &p, &random);
        if (check_failures > before) product_print(number, &p);
        product_destroy(comm, &p);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
