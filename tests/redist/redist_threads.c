/* Threads that pack, copy and unpack leave the bits that one thread leaves: matrices that are large enough to be shared
   among them, every transport, every operation. */

#include "redist/cases.h"
#include "redist/matrix.h"
#include "scalay/redist.h"
#include "support/check.h"

enum { M = 500, N = 600, SEED = 4 };

/* What is moved: type, operation, part, and scalars of their own. */
typedef struct {
    scalay_type type;
    scalay_op op;
    scalay_uplo uplo;
    int scaled;
} kind;

static const kind kinds[] = {{SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_WHOLE, 0},
                             {SCALAY_FLOAT, SCALAY_TRANSPOSE, SCALAY_WHOLE, 0},
                             {SCALAY_COMPLEX_DOUBLE, SCALAY_CONJUGATE_TRANSPOSE, SCALAY_WHOLE, 1},
                             {SCALAY_COMPLEX_FLOAT, SCALAY_NO_TRANSPOSE, SCALAY_LOWER, 1},
                             {SCALAY_RAW(3), SCALAY_TRANSPOSE, SCALAY_UPPER, 0},
                             {SCALAY_DOUBLE, SCALAY_TRANSPOSE, SCALAY_WHOLE, 1}};

/* Fractions everywhere. */
static unsigned char *new_array(const kind *what, int64_t elements, uint64_t salt)
{
    const value_kind values = what->scaled ? VALUES_ROUNDED : VALUES_BITS;
    const int64_t size = (int64_t)scalay_type_size(what->type);
    unsigned char *array = scalay_allocate(elements, (size_t)size);
    for (int64_t e = 0; e < elements; e++) value_make(values, what->type, salt, e, 0, array + e * size);
    return array;
}

/* What a number of threads leaves, forth and back. */
typedef struct {
    unsigned char *a, *b;
} result;

static result move(scalay_comm *comm, const kind *what, const definition *source, const definition *target,
                   const char *transport, int threads)
{
    scalay_random random = scalay_random_seed(SEED);
    const scalay_plan_options options = {.size = sizeof options, .transport = transport, .threads = threads};
    const scalay_plan_matrix matrix = {
        .source = source->layout, .target = target->layout, .type = what->type, .op = what->op, .uplo = what->uplo};
    value_scalar alpha = {.number = {1.0}}, beta = {0};
    result left = {new_array(what, part_size(source, part_on(source, comm->rank)), 1),
                   new_array(what, part_size(target, part_on(target, comm->rank)), 2)};
    scalay_plan *plan = NULL;
    while (what->scaled && !alpha.given) alpha = scalar_random(&random, VALUES_ROUNDED, what->type, 1.0);
    while (what->scaled && !beta.given) beta = scalar_random(&random, VALUES_ROUNDED, what->type, 0.0);
    const scalay_operands operands = {
        .alpha = scalar_pointer(&alpha), .a = left.a, .beta = scalar_pointer(&beta), .b = left.b};
    CHECK_STATUS(scalay_plan_create_many(comm, 1, &matrix, &options, &plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute_with(plan, SCALAY_BACKWARD, &operands), SCALAY_SUCCESS);
    scalay_plan_destroy(&plan);
    return left;
}

static void free_result(result *going)
{
    scalay_release(going->a);
    scalay_release(going->b);
}

static void compare(scalay_comm *comm, const kind *what, const definition *source, const definition *target)
{
    static const char *const transports[] = {"shared", "mpi"};
    const size_t size = scalay_type_size(what->type);
    const size_t a = (size_t)part_size(source, part_on(source, comm->rank)) * size;
    const size_t b = (size_t)part_size(target, part_on(target, comm->rank)) * size;
    result one = move(comm, what, source, target, "mpi", 1);
    for (size_t t = 0; t < sizeof transports / sizeof *transports; t++) {
        result four = move(comm, what, source, target, transports[t], 4);
        CHECK(memcmp(one.a, four.a, a) == 0);
        CHECK(memcmp(one.b, four.b, b) == 0);
        free_result(&four);
    }
    free_result(&one);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_random random = scalay_random_seed(SEED);
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    if (check_rank() == 0) printf("seed %d\n", SEED);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const int turned = kinds[k].op != SCALAY_NO_TRANSPOSE;
        definition source, target;
        CHECK_STATUS(make_definition(&random, comm, KIND_BLOCK_CYCLIC, turned ? N : M, turned ? M : N, &source),
                     SCALAY_SUCCESS);
        CHECK_STATUS(make_definition(&random, comm, k % 2 ? KIND_TILES : KIND_BLOCK_CYCLIC, M, N, &target),
                     SCALAY_SUCCESS);
        compare(comm, &kinds[k], &source, &target);
        definition_free(&source);
        definition_free(&target);
    }
    scalay_comm_destroy(&comm);
    return check_verdict();
}
