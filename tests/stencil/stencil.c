/*
 * A stencil gives what a serial loop gives, bit for bit, wherever the items are; nothing beside them is touched; and
 * what it sends is what the model counts.
 */
#include <string.h>

#include "multiply/sources.h"
#include "scalay/redist.h"
#include "scalay/stencil.h"

static const int extents[] = {0, 1, 2, 3, 5, 16, 61, 200};
static const int64_t iteration_counts[] = {0, 1, 2, 7};
static const double coefficients[] = {0.3, 0.45, 0.2125};
enum { EXTENTS = (int)(sizeof extents / sizeof extents[0]), COUNTS = 4, KINDS = SOURCES + 4, MOST = 200 };

static int want_all;

/* An item of no type that the library knows. */
typedef struct {
    int64_t value[3];
} triple;

/* Items of one type: how they begin, and one step by definition, with the old values around. */
typedef struct {
    scalay_type type;
    size_t size;
    void (*begin)(void *item, int64_t index);
    void (*step)(const void *left, const void *own, const void *right, void *new);
} item_kind;

static void begin_double(void *item, int64_t index)
{
    scalay_random random = scalay_random_seed((uint64_t)index + 17);
    *(double *)item = 2.0 * scalay_random_unit(&random) - 1.0;
}

static void step_double(const void *left, const void *own, const void *right, void *new)
{
    const double l = *(const double *)left, o = *(const double *)own, r = *(const double *)right;
    *(double *)new = (coefficients[0] * l + coefficients[1] * o) + coefficients[2] * r;
}

static void begin_float(void *item, int64_t index)
{
    double value = 0.0;
    begin_double(&value, index);
    *(float *)item = (float)value;
}

static void step_float(const void *left, const void *own, const void *right, void *new)
{
    const float l = *(const float *)left, o = *(const float *)own, r = *(const float *)right;
    *(float *)new = ((float)coefficients[0] * l + (float)coefficients[1] * o) + (float)coefficients[2] * r;
}

static void begin_triple(void *item, int64_t index)
{
    *(triple *)item = (triple){{index, 7 * index + 1, 1}};
}

/* Not symmetric: left and right must not be mixed up. */
static void step_triple(const void *left, const void *own, const void *right, void *new)
{
    const triple *l = left, *o = own, *r = right;
    for (int k = 0; k < 3; k++)
        ((triple *)new)->value[k] =
            (3 * l->value[k] + 5 * o->value[(k + 1) % 3] + 11 * r->value[(k + 2) % 3]) % 1000003;
}

static void update_triples(int64_t count, const void *x, void *y, void *context)
{
    const triple *in = x;
    *(int64_t *)context += count;
    for (int64_t k = 0; k < count; k++) step_triple(&in[k - 1], &in[k], &in[k + 1], &((triple *)y)[k]);
}

static const item_kind kinds[] = {{SCALAY_DOUBLE, sizeof(double), begin_double, step_double},
                                  {SCALAY_FLOAT, sizeof(float), begin_float, step_float},
                                  {SCALAY_RAW(sizeof(triple)), sizeof(triple), begin_triple, step_triple}};

/* All items after so many iterations. */
static void compute_serially(const item_kind *kind, int64_t n, int64_t iterations, char *all)
{
    char *next = calloc((size_t)n + 1, kind->size);
    for (int64_t i = 0; i < n; i++) kind->begin(all + (size_t)i * kind->size, i);
    for (int64_t k = 0; k < iterations; k++) {
        for (int64_t i = 0; i < n; i++)
            kind->step(all + (size_t)((i + n - 1) % n) * kind->size, all + (size_t)i * kind->size,
                       all + (size_t)((i + 1) % n) * kind->size, next + (size_t)i * kind->size);
        memcpy(all, next, (size_t)n * kind->size);
    }
    free(next);
}

/* For each element of the local array, the item that is there; -1 where there is none. */
static int64_t *items_by_place(const scalay_layout *layout, int64_t size, int rank)
{
    int64_t *item = malloc(((size_t)size + 1) * sizeof *item);
    for (int64_t k = 0; k < size; k++) item[k] = -1;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r = {0};
        CHECK_STATUS(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) item[r.offset + i + j * r.ld] = r.row + i + r.col + j;
    }
    return item;
}

static scalay_status run(scalay_stencil *stencil, const item_kind *kind, int64_t iterations, void *x, int64_t *updated)
{
    *updated = -1;
    if (kind->type == SCALAY_DOUBLE || kind->type == SCALAY_FLOAT)
        return scalay_stencil_execute(stencil, coefficients, iterations, x);
    *updated = 0;
    return scalay_stencil_execute_with(stencil, update_triples, updated, iterations, x);
}

static void check_items(scalay_comm *comm, scalay_stencil *stencil, const item_kind *kind, const source *s, int64_t n,
                        int64_t iterations)
{
    const int rank = scalay_comm_rank(comm);
    char *all = calloc((size_t)n + 1, kind->size), *x = calloc((size_t)s->size + 1, kind->size);
    int64_t *item = items_by_place(s->layout, s->size, rank), wrong = 0, updated = 0;
    char beside[sizeof(triple)];
    memset(beside, 0x5a, sizeof beside);
    for (int64_t k = 0; k < s->size; k++)
        if (item[k] >= 0)
            kind->begin(x + (size_t)k * kind->size, item[k]);
        else
            memcpy(x + (size_t)k * kind->size, beside, kind->size);
    CHECK_STATUS(run(stencil, kind, iterations, s->size > 0 ? x : NULL, &updated), SCALAY_SUCCESS);
    compute_serially(kind, n, iterations, all);
    for (int64_t k = 0; k < s->size; k++)
        wrong += memcmp(x + (size_t)k * kind->size, item[k] >= 0 ? all + (size_t)item[k] * kind->size : beside,
                        kind->size) != 0;
    CHECK(wrong == 0);
    CHECK(updated == -1 || updated == iterations * scalay_layout_elements(s->layout, rank));
    if (wrong > 0) fprintf(stderr, "%s, n = %lld, %lld iterations\n", s->name, (long long)n, (long long)iterations);
    free(item);
    free(x);
    free(all);
}

/* What is sent, by definition: an item once to each other process that owns one of its neighbours. */
static void check_statistics(scalay_comm *comm, const scalay_stencil *stencil, const scalay_layout *layout)
{
    const int rank = scalay_comm_rank(comm), across = scalay_layout_rows(layout) == 1;
    const int64_t n = scalay_layout_rows(layout) * scalay_layout_cols(layout);
    int64_t sent = 0, received = 0, most[2] = {0}, all = 0;
    int owner[MOST];
    for (int64_t i = 0; i < n; i++) owner[i] = scalay_layout_owner(layout, across ? 0 : i, across ? i : 0);
    for (int64_t i = 0; i < n; i++) {
        const int left = owner[(i + n - 1) % n], right = owner[(i + 1) % n];
        const int to_left = left != owner[i], to_right = right != owner[i] && right != left;
        if (owner[i] == rank) sent += to_left + to_right;
        if (owner[i] != rank) received += left == rank || right == rank;
    }
    scalay_stencil_statistics told = {0};
    CHECK_STATUS(scalay_stencil_get_statistics(stencil, &told), SCALAY_SUCCESS);
    CHECK(told.items_sent == sent && told.items_received == received);
    CHECK(told.items == scalay_layout_elements(layout, rank) && told.runs <= told.items);
    CHECK(told.messages_sent == told.messages_received && told.messages_sent <= sent);
    CHECK(told.messages_sent < scalay_comm_size(comm) && (told.messages_sent > 0) == (sent > 0));

    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 1.0, 1.0, 1);
    scalay_stencil_cost cost = {0};
    CHECK_STATUS(scalay_model_stencil(&problem, layout, layout, &cost), SCALAY_SUCCESS);
    const int64_t mine[2] = {sent > received ? sent : received, told.items};
    MPI_Allreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, scalay_comm_handle(comm));
    MPI_Allreduce(&sent, &all, 1, MPI_INT64_T, MPI_SUM, scalay_comm_handle(comm));
    CHECK(cost.exchanged == all && cost.exchange_steps == most[0] && cost.load == most[1]);
    CHECK(cost.volume == 0 && cost.steps == 0);
}

/* The kinds of sources.h, and those that only a line of items has. */
static scalay_status build(scalay_comm *comm, int kind, int m, int n, source *s)
{
    scalay_layout *whole = NULL;
    const int processes = scalay_comm_size(comm);
    int owner[MOST];
    scalay_random random = scalay_random_seed(41);
    if (kind < SOURCES) return source_create(comm, kind, m, n, 3, s);
    *s = (source){.name = "any owner", .ctxt = -1};
    for (int k = 0; k < m * n; k++) owner[k] = (int)scalay_random_below(&random, processes);
    scalay_status status = SCALAY_SUCCESS;
    if (kind == SOURCES) {
        status = scalay_layout_tiles(m, n, 1, 1, processes, owner, &s->layout);
    } else if (kind == SOURCES + 1) {
        s->name = "one block for each";
        const int64_t length = m * n > 0 ? (m * n + processes - 1) / processes : 1;
        status = scalay_layout_block_cyclic(m, n, length, length, m > n ? processes : 1, m > n ? 1 : processes, 0, 0,
                                            SCALAY_ROW_MAJOR, &s->layout);
    } else if (kind == SOURCES + 2) {
        s->name = "one after the other";
        status = scalay_layout_block_cyclic(m, n, 1, 1, m > n ? processes : 1, m > n ? 1 : processes, 0, 0,
                                            SCALAY_ROW_MAJOR, &s->layout);
    } else {
        s->name = "a line of a matrix";
        status = scalay_layout_block_cyclic(m + 3, n + 3, 2, 2, source_rows(processes),
                                            processes / source_rows(processes), 0, 0, SCALAY_ROW_MAJOR, &whole);
        if (status == SCALAY_SUCCESS) status = scalay_layout_submatrix(whole, 2, 2, m, n, &s->layout);
        scalay_layout_destroy(&whole);
    }
    s->size = scalay_layout_local_size(s->layout, scalay_comm_rank(comm));
    return status;
}

static void check_source(scalay_comm *comm, int kind, int m, int n, const item_kind *type)
{
    source s;
    scalay_stencil_options options = scalay_stencil_options_default();
    scalay_stencil *stencil = NULL;
    options.no_overlap = type->type == SCALAY_FLOAT;
    CHECK_STATUS(build(comm, kind, m, n, &s), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_stencil_create(comm, s.layout, type->type, &options, &stencil), SCALAY_SUCCESS);
    for (int k = 0; k < COUNTS; k++) check_items(comm, stencil, type, &s, m * n, iteration_counts[k]);
    check_statistics(comm, stencil, s.layout);
    scalay_stencil_destroy(&stencil);
    CHECK(stencil == NULL);
    source_destroy(comm, &s);
}

/* Rows of doubles and of triples, columns of floats and of doubles, of as many items as extents[extents_from] ..
 * extents[extents_to - 1]; unless all are wanted, each kind and extent is a row or a column on many processes. */
static void every_distribution_gives_what_a_serial_loop_gives(scalay_comm *comm, int extents_from, int extents_to)
{
    const int both = want_all || scalay_comm_size(comm) < 5;
    for (int kind = 0; kind < KINDS; kind++)
        for (int e = extents_from; e < extents_to; e++) {
            if (!want_all && scalay_comm_size(comm) > 5 && (kind + e) % 3 != 0) continue;
            const int row = (kind + e / 2) % 2 == 0;
            if (both || row) check_source(comm, kind, 1, extents[e], &kinds[e % 2 == 0 ? 0 : 2]);
            if (both || !row) check_source(comm, kind, extents[e], 1, &kinds[e % 2 == 0 ? 1 : 0]);
            if (both && extents[e] > 50) check_source(comm, kind, 1, extents[e], &kinds[2]);
        }
}

/* Many iterations after each other: ranks may be ahead of others. */
static void many_iterations_do_not_mix(scalay_comm *comm)
{
    source s;
    scalay_stencil *stencil = NULL;
    CHECK_STATUS(build(comm, SOURCES, 1, MOST, &s), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_stencil_create(comm, s.layout, SCALAY_DOUBLE, NULL, &stencil), SCALAY_SUCCESS);
    check_items(comm, stencil, &kinds[0], &s, MOST, 300);
    scalay_stencil_destroy(&stencil);
    source_destroy(comm, &s);
}

/* The whole way: choose, move, iterate. */
static void a_chosen_distribution_can_be_moved_to_and_iterated_on(scalay_comm *comm)
{
    source s, t = {.name = "chosen", .ctxt = -1};
    scalay_stencil_choice *choice = NULL;
    CHECK_STATUS(build(comm, SOURCES, 1, MOST, &s), SCALAY_SUCCESS);
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 10.0, 1.0, 5);
    CHECK_STATUS(scalay_model_stencil_choose(&problem, s.layout, &choice), SCALAY_SUCCESS);
    for (int k = 0; k < scalay_stencil_choice_count(choice); k++) {
        scalay_plan *plan = NULL;
        scalay_stencil *stencil = NULL;
        scalay_plan_statistics moved;
        scalay_stencil_candidate candidate;
        CHECK_STATUS(scalay_stencil_choice_get_candidate(choice, k, &candidate), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_stencil_choice_layout(choice, k, &t.layout), SCALAY_SUCCESS);
        t.size = scalay_layout_local_size(t.layout, scalay_comm_rank(comm));
        CHECK_STATUS(scalay_plan_create(comm, s.layout, t.layout, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_plan_get_statistics(plan, &moved), SCALAY_SUCCESS);
        CHECK(moved.volume == candidate.cost.volume && moved.steps == candidate.cost.steps);
        CHECK_STATUS(scalay_stencil_create(comm, t.layout, SCALAY_DOUBLE, NULL, &stencil), SCALAY_SUCCESS);
        check_items(comm, stencil, &kinds[0], &t, MOST, 5);
        check_statistics(comm, stencil, t.layout);
        scalay_stencil_destroy(&stencil);
        scalay_plan_destroy(&plan);
        scalay_layout_destroy(&t.layout);
    }
    scalay_stencil_choice_destroy(&choice);
    source_destroy(comm, &s);
}

/* Twice: on the ranks as they are, and on all but one of them, the last first. */
static void check_all(MPI_Comm mpi, int extents_from, int extents_to)
{
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(mpi, &comm), SCALAY_SUCCESS);
    every_distribution_gives_what_a_serial_loop_gives(comm, extents_from, extents_to);
    many_iterations_do_not_mix(comm);
    if (extents_from == 0) a_chosen_distribution_can_be_moved_to_and_iterated_on(comm);
    scalay_comm_destroy(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, size = 1;
    want_all = argc > 1;
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_all(MPI_COMM_WORLD, 0, EXTENTS);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 && size > 1 ? MPI_UNDEFINED : 0, -rank, &some);
    if (some != MPI_COMM_NULL) {
        check_all(some, 2, 5);
        MPI_Comm_free(&some);
    }
    return check_verdict();
}
