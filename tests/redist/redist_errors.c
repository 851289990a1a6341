/* Wrong arguments, ranks that disagree, and operands that a plan does not take: where it is agreed upon every rank
   returns the same status with a message, nothing hangs and nothing is left. */

#include <math.h>
#include <string.h>

#include "parallel/blacs.h"
#include "parallel/node.h"
#include "redist/definition.h"
#include "scalay/redist.h"
#include "support/check.h"

static const char *const transports[] = {"mpi", "shared", "auto"};

enum { TRANSPORTS = sizeof transports / sizeof *transports };

static scalay_comm *comm;
static scalay_layout *source, *target, *tiles, *pieces, *small, *square;

static void make_layouts(void)
{
    const int owner[6] = {0, 0, 0, 0, 0, 0};
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 2, 3, 1, comm->size, 0, 0, SCALAY_ROW_MAJOR, &source),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 1, 2, comm->size, 1, 0, 0, SCALAY_ROW_MAJOR, &target),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_tiles(12, 9, 4, 5, 1, owner, &tiles), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(target, 0, 0, 11, 9, &small), SCALAY_SUCCESS);
    scalay_owner_map *map = NULL;
    CHECK_STATUS(scalay_layout_owner_map(source, &map), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_owner_map(map, &pieces), SCALAY_SUCCESS);
    scalay_owner_map_destroy(&map);
    CHECK_STATUS(scalay_layout_block_cyclic(9, 9, 1, 2, comm->size, 1, 0, 0, SCALAY_ROW_MAJOR, &square),
                 SCALAY_SUCCESS);
}

static void free_layouts(void)
{
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&tiles);
    scalay_layout_destroy(&pieces);
    scalay_layout_destroy(&small);
    scalay_layout_destroy(&square);
}

/* All ranks have the same status, which is the expected one, a message, and no plan. */
static void check_refused(scalay_status status, scalay_status expected, const scalay_plan *plan)
{
    int extremes[2] = {status, -status};
    MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(extremes[0] == -extremes[1]);
    CHECK_STATUS(status, expected);
    CHECK(plan == NULL);
    CHECK(strstr(scalay_error_message(), "scalay_") != NULL);
}

static void refuse_plan(const scalay_layout *a, const scalay_layout *b, const scalay_mapping *mapping, scalay_type type,
                        const char *transport, scalay_status expected)
{
    scalay_plan *plan = (scalay_plan *)&plan;
    const scalay_plan_options options = {.size = sizeof options, .transport = transport};
    const int64_t live = scalay_memory_live();
    const scalay_status status = scalay_plan_create(comm, a, b, mapping, type, &options, &plan);
    check_refused(status, expected, plan);
    CHECK(scalay_memory_live() == live);
}

static void refuse_matrices(int count, const scalay_plan_matrix *matrices, scalay_plan_options options,
                            scalay_status expected)
{
    scalay_plan *plan = (scalay_plan *)&plan;
    const int64_t live = scalay_memory_live();
    const scalay_status status = scalay_plan_create_many(comm, count, matrices, &options, &plan);
    check_refused(status, expected, plan);
    CHECK(scalay_memory_live() == live);
}

/* ------------------------------------------------------------------------------------------- wrong arguments */

static void wrong_matrices(void)
{
    enum { TOO_MANY = 65 };
    scalay_plan_matrix matrices[TOO_MANY];
    const scalay_plan_options options = scalay_plan_options_default();
    for (int k = 0; k < TOO_MANY; k++)
        matrices[k] = (scalay_plan_matrix){.source = square, .target = square, .type = SCALAY_FLOAT};
    refuse_matrices(0, matrices, options, SCALAY_ERROR_ARGUMENT);
    refuse_matrices(-1, matrices, options, SCALAY_ERROR_ARGUMENT);
    refuse_matrices(TOO_MANY, matrices, options, SCALAY_ERROR_ARGUMENT);
    refuse_matrices(1, NULL, options, SCALAY_ERROR_ARGUMENT);
    matrices[1].op = (scalay_op)3;
    refuse_matrices(2, matrices, options, SCALAY_ERROR_ARGUMENT);
    matrices[1].op = (scalay_op)-1;
    refuse_matrices(2, matrices, options, SCALAY_ERROR_ARGUMENT);
    matrices[1] = matrices[0];
    matrices[1].uplo = (scalay_uplo)3;
    refuse_matrices(2, matrices, options, SCALAY_ERROR_ARGUMENT);
    matrices[1] = matrices[0];
    matrices[1].diag = (scalay_diag)2;
    refuse_matrices(2, matrices, options, SCALAY_ERROR_ARGUMENT);
    matrices[1] = (scalay_plan_matrix){.source = source, .target = target, .type = SCALAY_INT, .op = SCALAY_TRANSPOSE};
    refuse_matrices(2, matrices, options, SCALAY_ERROR_MISMATCH);
    CHECK(strstr(scalay_error_message(), "12 x 9") != NULL);
}

static void wrong_options(void)
{
    const scalay_plan_matrix doubles = {.source = source, .target = target, .type = SCALAY_DOUBLE};
    const scalay_plan_matrix large = {.source = source, .target = target, .type = SCALAY_RAW(5000)};
    const int64_t memory[] = {-1, INT64_MIN, 1, 4095};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        refuse_matrices(1, &doubles,
                        (scalay_plan_options){.size = sizeof(scalay_plan_options), .memory_bytes = memory[k]},
                        SCALAY_ERROR_ARGUMENT);
    refuse_matrices(1, &large, (scalay_plan_options){.size = sizeof(scalay_plan_options), .memory_bytes = 9999},
                    SCALAY_ERROR_ARGUMENT);
    refuse_matrices(1, &doubles, (scalay_plan_options){.size = sizeof(scalay_plan_options), .threads = -1},
                    SCALAY_ERROR_ARGUMENT);
    const double nonsense[][2] = {{1e-6, -1.0}, {-1e-6, 1e-9}, {NAN, 1e-9}, {1e-6, NAN}, {INFINITY, 1.0}};
    for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; k++) {
        const scalay_machine machine = {.seconds_per_message = nonsense[k][0], .seconds_per_byte = nonsense[k][1]};
        refuse_matrices(1, &doubles, (scalay_plan_options){.size = sizeof(scalay_plan_options), .machine = &machine},
                        SCALAY_ERROR_ARGUMENT);
    }
}

/* The last rank means something else by one word. */
static void ranks_that_disagree_on_matrices(void)
{
    const int odd = comm->rank == comm->size - 1;
    const scalay_plan_options plain = scalay_plan_options_default();
    const scalay_plan_matrix same = {.source = square, .target = square, .type = SCALAY_DOUBLE};
    scalay_plan_matrix two[2] = {same, same};
    if (comm->size == 1) return;
    two[1].op = odd ? SCALAY_TRANSPOSE : SCALAY_NO_TRANSPOSE;
    refuse_matrices(2, two, plain, SCALAY_ERROR_MISMATCH);
    two[1].op = odd ? SCALAY_TRANSPOSE : SCALAY_CONJUGATE_TRANSPOSE;
    two[1].type = SCALAY_COMPLEX_DOUBLE;
    refuse_matrices(2, two, plain, SCALAY_ERROR_MISMATCH);
    two[1] = same;
    two[1].uplo = odd ? SCALAY_UPPER : SCALAY_LOWER;
    refuse_matrices(2, two, plain, SCALAY_ERROR_MISMATCH);
    two[1].uplo = SCALAY_LOWER;
    two[1].diag = odd ? SCALAY_UNIT : SCALAY_NON_UNIT;
    refuse_matrices(2, two, plain, SCALAY_ERROR_MISMATCH);
    two[1] = same;
    refuse_matrices(odd ? 1 : 2, two, plain, SCALAY_ERROR_MISMATCH);
    refuse_matrices(2, two,
                    (scalay_plan_options){.size = sizeof(scalay_plan_options), .memory_bytes = odd ? 4096 : 8192},
                    SCALAY_ERROR_MISMATCH);
    refuse_matrices(2, two, (scalay_plan_options){.size = sizeof(scalay_plan_options), .in_place = odd},
                    SCALAY_ERROR_MISMATCH);
}

static void wrong_everywhere(void)
{
    scalay_plan *plan = NULL;
    refuse_plan(NULL, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, NULL, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, 0, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, SCALAY_RAW(0), NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, SCALAY_RAW(SCALAY_RAW_MAX + 1), NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, SCALAY_DOUBLE, "pigeon", SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "is \"pigeon\"; it must be one of \"auto\"") != NULL);
    for (int k = 0; k < TRANSPORTS; k++) CHECK(strstr(scalay_error_message(), transports[k]) != NULL);
    refuse_plan(source, small, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    CHECK_STATUS(scalay_plan_create(NULL, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_get_statistics(NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_begin(NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_end(NULL), SCALAY_ERROR_ARGUMENT);
    scalay_plan_destroy(&plan);
    scalay_plan_destroy(NULL);
}

/* Only the last rank is wrong: all return its status, the others with its number in the message. */
static void wrong_on_one_rank(void)
{
    const int wrong = comm->rank == comm->size - 1;
    refuse_plan(wrong ? NULL : source, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, target, NULL, wrong ? 77 : SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, wrong ? small : target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    CHECK(wrong || strstr(scalay_error_message(), "rank ") != NULL);
}

static void ranks_that_disagree(void)
{
    const int odd = comm->rank == comm->size - 1;
    scalay_mapping *mapping = NULL;
    int *process = scalay_allocate(comm->size, sizeof *process);
    if (comm->size > 1) {
        refuse_plan(source, odd ? source : target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
        refuse_plan(odd ? tiles : source, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
        refuse_plan(source, target, NULL, odd ? SCALAY_FLOAT : SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
        refuse_plan(source, target, NULL, SCALAY_DOUBLE, odd ? "shared" : "mpi", SCALAY_ERROR_MISMATCH);
        for (int k = 0; k < comm->size; k++) process[k] = odd ? comm->size - 1 - k : k;
        CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size, comm->size, process, &mapping), SCALAY_SUCCESS);
        refuse_plan(source, target, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    }
    scalay_mapping_destroy(&mapping);
    scalay_release(process);
}

static void layouts_that_need_more_ranks(void)
{
    scalay_layout *large = NULL;
    scalay_mapping *mapping = NULL;
    int *process = scalay_allocate(comm->size + 1, sizeof *process);
    for (int k = 0; k <= comm->size; k++) process[k] = comm->size - k;
    CHECK_STATUS(scalay_layout_block_cyclic(12, 9, 2, 3, comm->size + 1, 1, 0, 0, SCALAY_ROW_MAJOR, &large),
                 SCALAY_SUCCESS);
    refuse_plan(large, target, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    refuse_plan(source, large, NULL, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    /* a mapping of other parts, and one that leads out of the communicator */
    CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size + 1, comm->size + 1, process, &mapping),
                 SCALAY_SUCCESS);
    refuse_plan(source, target, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_MISMATCH);
    refuse_plan(source, large, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    scalay_mapping_destroy(&mapping);
    CHECK_STATUS(scalay_mapping_from_processes(NULL, comm->size + 1, comm->size, process, &mapping), SCALAY_SUCCESS);
    refuse_plan(source, target, mapping, SCALAY_DOUBLE, NULL, SCALAY_ERROR_ARGUMENT);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&large);
    scalay_release(process);
}

/* --------------------------------------------------------------------------------------------------- moving */

static void wrong_arrays(void)
{
    scalay_plan *plan = NULL;
    double memory[400] = {0};
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_SUCCESS);
    const int has = scalay_layout_elements(source, comm->rank) > 0,
              gets = scalay_layout_elements(target, comm->rank) > 0;
    CHECK_STATUS(scalay_plan_end(plan), SCALAY_ERROR_ARGUMENT);
    if (has) CHECK_STATUS(scalay_plan_begin(plan, NULL, memory), SCALAY_ERROR_ARGUMENT);
    if (gets) CHECK_STATUS(scalay_plan_begin(plan, memory, NULL), SCALAY_ERROR_ARGUMENT);
    if (has && gets) CHECK_STATUS(scalay_plan_begin(plan, memory, memory), SCALAY_ERROR_ARGUMENT);
    if (has && gets) CHECK_STATUS(scalay_plan_begin_back(plan, memory + 1, memory), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_get_statistics(plan, NULL), SCALAY_ERROR_ARGUMENT);
    /* NULL is fine where there is nothing */
    CHECK_STATUS(scalay_plan_execute(plan, has ? memory : NULL, gets ? memory + 200 : NULL), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
}

/* Operands that a plan does not take leave it as it was. */
static void wrong_operands(const char *transport)
{
    static _Alignas(16) double memory[2000];
    const scalay_plan_options options = {.size = sizeof options, .transport = transport};
    const double two = 2.0, none = 0.0;
    const scalay_plan_matrix matrices[2] = {
        {.source = source, .target = target, .type = SCALAY_DOUBLE},
        {.source = target, .target = source, .type = SCALAY_INT, .uplo = SCALAY_UPPER}};
    scalay_plan *plan = NULL;
    scalay_operands right[2] = {{.a = memory, .b = memory + 500}, {.a = memory + 1000, .b = memory + 1500}}, wrong[2];
    CHECK_STATUS(scalay_plan_create_many(comm, 2, matrices, &options, &plan), SCALAY_SUCCESS);
    memcpy(wrong, right, sizeof wrong);
    wrong[1].alpha = &two;
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, wrong), SCALAY_ERROR_ARGUMENT);
    wrong[1].alpha = NULL;
    wrong[1].beta = &two;
    CHECK_STATUS(scalay_plan_begin_with(plan, SCALAY_BACKWARD, wrong), SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "scalay_plan_begin_with") != NULL);
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_with(plan, (scalay_direction)2, right), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_with(NULL, SCALAY_FORWARD, right), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute(plan, memory, memory + 500), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_begin_back(plan, memory, memory + 500), SCALAY_ERROR_ARGUMENT);
    right[0].alpha = &two;
    right[0].beta = &none;
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, right), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
}

static void wrong_order_of_calls(const char *transport)
{
    double memory[400] = {0};
    const scalay_plan_options options = {.size = sizeof options, .transport = transport};
    int done = 77;
    scalay_plan *plan = NULL;
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, &options, &plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_test(NULL, &done), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_test(plan, &done), SCALAY_ERROR_ARGUMENT);
    CHECK(done == 0);
    CHECK_STATUS(scalay_plan_end(plan), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_begin(plan, memory, memory + 200), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_begin(plan, memory, memory + 200), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_back(plan, memory + 200, memory), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_test(plan, NULL), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_end(plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_end(plan), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_test(plan, &done), SCALAY_ERROR_ARGUMENT);
    scalay_plan_destroy(&plan);
}

/* In place the arrays may overlap, but then nothing is added to what moves; plans that stay out of place say so. */
static void wrong_places(void)
{
    static double memory[400];
    const double one = 1.0;
    const scalay_plan_matrix matrix = {
        .source = square, .target = square, .type = SCALAY_DOUBLE, .op = SCALAY_TRANSPOSE};
    const scalay_plan_options options = {.size = sizeof options, .in_place = 1};
    const int has = scalay_layout_elements(square, comm->rank) > 0;
    scalay_operands operands = {.a = memory, .beta = &one, .b = memory};
    scalay_plan *plan = NULL;
    CHECK_STATUS(scalay_plan_create_many(comm, 1, &matrix, &options, &plan), SCALAY_SUCCESS);
    if (has) CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands), SCALAY_ERROR_ARGUMENT);
    operands.beta = NULL;
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
    CHECK_STATUS(scalay_plan_create_many(comm, 1, &matrix, NULL, &plan), SCALAY_SUCCESS);
    if (has) CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands), SCALAY_ERROR_ARGUMENT);
    scalay_plan_destroy(&plan);
}

static void wrong_moves(void)
{
    wrong_arrays();
    wrong_places();
    for (int k = 0; k < TRANSPORTS; k++) {
        wrong_operands(transports[k]);
        wrong_order_of_calls(transports[k]);
    }
}

static void describing(void)
{
    scalay_plan *plan = NULL;
    char text[600] = "", start[20] = "";
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_SUCCESS);
    const int length = scalay_plan_describe(plan, text, sizeof text);
    CHECK(length == (int)strlen(text));
    CHECK(strstr(text, comm->node->is_used ? "\"shared\"" : "\"mpi\"") != NULL);
    CHECK(scalay_plan_describe(plan, start, sizeof start) == length);
    CHECK(strlen(start) == sizeof start - 1 && strncmp(start, text, sizeof start - 1) == 0);
    CHECK(scalay_plan_describe(plan, NULL, 0) == length);
    CHECK(scalay_plan_describe(NULL, text, sizeof text) > 0);
    scalay_plan_destroy(&plan);
}

/* --------------------------------------------------------------------------------------------------- grids */

static void refuse_grid(const scalay_layout *layout, scalay_status expected)
{
    int ctxt = 99, desc[9] = {42, 42, 42, 42, 42, 42, 42, 42, 42};
    const int64_t live = scalay_memory_live();
    const scalay_status status = scalay_grid_create(comm, layout, NULL, &ctxt, desc);
    check_refused(status, expected, NULL);
    CHECK(ctxt == -1);
    CHECK(desc[0] == 42 && desc[8] == 42);
    CHECK(scalay_memory_live() == live);
}

static void wrong_grids(void)
{
    int ctxt = -1, desc[9];
    scalay_layout *huge = NULL;
    CHECK_STATUS(scalay_layout_block_cyclic((int64_t)1 << 31, 9, 2, 3, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &huge),
                 SCALAY_SUCCESS);
    refuse_grid(NULL, SCALAY_ERROR_ARGUMENT);
    refuse_grid(tiles, SCALAY_ERROR_UNSUPPORTED);
    refuse_grid(pieces, SCALAY_ERROR_UNSUPPORTED);
    refuse_grid(small, SCALAY_ERROR_ARGUMENT);
    refuse_grid(huge, SCALAY_ERROR_RANGE);
    if (comm->size > 1) refuse_grid(comm->rank == 0 ? source : target, SCALAY_ERROR_MISMATCH);
    check_refused(scalay_grid_create(comm, source, NULL, NULL, desc), SCALAY_ERROR_ARGUMENT, NULL);
    check_refused(scalay_grid_create(comm, source, NULL, &ctxt, NULL), SCALAY_ERROR_ARGUMENT, NULL);
    CHECK_STATUS(scalay_grid_create(NULL, source, NULL, &ctxt, desc), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&huge);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_node_probe(comm), SCALAY_SUCCESS); /* what a plan would leave behind */
    make_layouts();
    wrong_everywhere();
    wrong_matrices();
    wrong_options();
    wrong_on_one_rank();
    ranks_that_disagree();
    ranks_that_disagree_on_matrices();
    layouts_that_need_more_ranks();
    wrong_moves();
    describing();
    wrong_grids();
    free_layouts();
    scalay_comm_destroy(&comm);
    return check_verdict();
}
