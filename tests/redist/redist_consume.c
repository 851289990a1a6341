/* Plans that consume their source: every element arrives once, in any pair of layouts and with any number of panels;
   memory around the arrays and between their elements keeps its content; pages are released only where that is safe;
   resident memory stays near one local matrix, also in place; bad arguments are refused.

   Usage: redist_consume [first] [count]: seeds of the random cases. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "redist/definition.h"
#include "redist/plan.h"
#include "scalay/redist.h"
#include "support/check.h"

enum { GUARD = 64, PAGE = 4096 };

/* The address sanitizer keeps blocks of an earlier plan resident. */
#if defined(__SANITIZE_ADDRESS__)
enum { keeps_released_blocks = 1 };
#else
enum { keeps_released_blocks = 0 };
#endif

static const double guard_value = -77.0, gap_value = -55.0;

/* ------------------------------------------------------------------------------------------------- arrays */

/* A local array between guard zones. */
typedef struct {
    double *all;
    double *array;
    int64_t elements;
} guarded;

static guarded make_guarded(int64_t elements, double value)
{
    guarded g = {.elements = elements};
    g.all = mmap(NULL, (size_t)(elements + 2 * GUARD) * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(g.all != MAP_FAILED);
    g.array = g.all + GUARD;
    for (int64_t k = 0; k < elements + 2 * GUARD; k++) g.all[k] = guard_value;
    for (int64_t k = 0; k < elements; k++) g.array[k] = value;
    return g;
}

static void free_guarded(guarded *g)
{
    int64_t changed = 0;
    for (int64_t k = 0; k < GUARD; k++) changed += g->all[k] != guard_value || g->array[g->elements + k] != guard_value;
    CHECK(changed == 0);
    munmap(g->all, (size_t)(g->elements + 2 * GUARD) * 8);
}

static double value_at(int64_t i, int64_t j)
{
    return (double)(1 + i + 1000 * j);
}

/* Sets the elements of this rank; or compares them, and the elements that do not belong to the layout with gap_value.
   Returns the number of wrong elements. */
static int64_t visit(const definition *d, int rank, double *array, int64_t elements, int fills, int compares_own)
{
    int64_t wrong = 0;
    char *own = calloc((size_t)elements + 1, 1);
    for (int64_t j = 0; j < d->n; j++)
        for (int64_t i = 0; i < d->m; i++) {
            int64_t offset = 0;
            if (d->process[part_of(d, i, j, &offset)] != rank) continue;
            own[offset] = 1;
            if (fills) array[offset] = value_at(i, j);
            wrong += compares_own && array[offset] != value_at(i, j);
        }
    for (int64_t k = 0; k < elements; k++) wrong += !own[k] && array[k] != gap_value;
    free(own);
    return wrong;
}

/* Returns the bytes that the last execution released; -1: the description does not say so. */
static long long released_by(const scalay_plan *plan, char text[800])
{
    (void)scalay_plan_describe(plan, text, 800);
    const char *found = strstr(text, "released ");
    return found != NULL ? strtoll(found + strlen("released "), NULL, 10) : -1;
}

/* ------------------------------------------------------------------------------------------- random cases */

static void move_twice(scalay_comm *comm, scalay_plan *plan, const definition *source, const definition *target)
{
    const int rank = comm->rank;
    guarded a = make_guarded(part_size(source, part_on(source, rank)), gap_value);
    guarded b = make_guarded(part_size(target, part_on(target, rank)), gap_value);
    CHECK(visit(source, rank, a.array, a.elements, 1, 1) == 0);
    CHECK_STATUS(scalay_plan_execute(plan, a.array, b.array), SCALAY_SUCCESS);
    CHECK(visit(source, rank, a.array, a.elements, 0, 1) == 0); /* an ordinary execution does not consume */
    CHECK(visit(target, rank, b.array, b.elements, 0, 1) == 0);
    for (int64_t k = 0; k < b.elements; k++) b.array[k] = gap_value;
    CHECK_STATUS(scalay_plan_execute_consume(plan, a.array, b.array), SCALAY_SUCCESS);
    CHECK(visit(target, rank, b.array, b.elements, 0, 1) == 0);
    CHECK(visit(source, rank, a.array, a.elements, 0, 0) == 0); /* what is not an element is kept */
    CHECK_STATUS(scalay_plan_execute_back(plan, b.array, a.array), SCALAY_SUCCESS);
    CHECK(visit(source, rank, a.array, a.elements, 0, 1) == 0);
    free_guarded(&a);
    free_guarded(&b);
}

static void random_case(scalay_comm *comm, uint64_t seed)
{
    static const char *const transports[] = {"auto", "mpi", "shared"};
    scalay_random random = scalay_random_seed(seed);
    const int64_t m = random_between(&random, 1, 150), n = random_between(&random, 1, 150);
    definition source, target;
    CHECK_STATUS(random_definition(&random, comm, m, n, &source), SCALAY_SUCCESS);
    CHECK_STATUS(random_definition(&random, comm, m, n, &target), SCALAY_SUCCESS);
    scalay_plan_options options = scalay_plan_options_default();
    options.consume = 1;
    options.transport = transports[random_between(&random, 0, 2)];
    options.memory_bytes = random_between(&random, 0, 1) ? 0 : random_between(&random, 4096, 40000);
    const scalay_plan_matrix matrix = {.source = source.layout, .target = target.layout, .type = SCALAY_DOUBLE};
    scalay_plan_special special = {.message_bytes = 1 << 20, .panels = random_between(&random, 1, 12)};
    special.assembly_bytes = random_between(&random, 0, 2) > 0 ? random_between(&random, 64, 8192) : 0;
    scalay_plan *plan = NULL;
    const int failures = check_failures;
    CHECK_STATUS(scalay_plan_create_special(comm, 1, &matrix, &options, special, &plan), SCALAY_SUCCESS);
    if (plan != NULL) move_twice(comm, plan, &source, &target);
    if (check_failures > failures)
        fprintf(stderr, "rank %d: seed %llu, %s -> %s, %s, %d panels, assembly %lld\n", comm->rank,
                (unsigned long long)seed, source.name, target.name, options.transport, special.panels,
                (long long)special.assembly_bytes);
    scalay_plan_destroy(&plan);
    definition_free(&source);
    definition_free(&target);
}

/* ----------------------------------------------------------------------------------------- kinds of memory */

enum { N = 480 };

/* A plan between two grids, and its arrays. */
typedef struct {
    scalay_comm *comm;
    definition source, target;
    scalay_plan *plan;
} fixture;

static definition grid_of(const scalay_comm *comm, int64_t n, int nb, int p, int q)
{
    definition d = {.is_grid = 1, .m = n, .n = n, .whole_m = n, .whole_n = n, .mb = nb, .nb = nb, .p = p, .q = q};
    d.parts = p * q;
    d.own_part = -1;
    d.process = scalay_allocate(comm->size, sizeof *d.process);
    for (int k = 0; k < d.parts; k++) d.process[k] = k;
    CHECK_STATUS(make_block_cyclic(&d, &d.layout), SCALAY_SUCCESS);
    return d;
}

static fixture make_fixture(scalay_comm *comm, int64_t n)
{
    fixture f = {
        .comm = comm, .source = grid_of(comm, n, 16, 1, comm->size), .target = grid_of(comm, n, 48, comm->size, 1)};
    scalay_plan_options options = scalay_plan_options_default();
    options.consume = 1;
    CHECK_STATUS(scalay_plan_create(comm, f.source.layout, f.target.layout, NULL, SCALAY_DOUBLE, &options, &f.plan),
                 SCALAY_SUCCESS);
    return f;
}

static void free_fixture(fixture *f)
{
    scalay_plan_destroy(&f->plan);
    definition_free(&f->source);
    definition_free(&f->target);
}

/* Moves an array in the given memory, and returns the released bytes. `protects`: the source is read-only. */
static long long consume_in(const fixture *f, double *a, int protects, char text[800])
{
    const int rank = f->comm->rank;
    const int64_t elements = part_size(&f->source, rank);
    guarded b = make_guarded(part_size(&f->target, rank), gap_value);
    for (int64_t k = 0; k < elements; k++) a[k] = gap_value;
    CHECK(visit(&f->source, rank, a, elements, 1, 1) == 0);
    if (protects) CHECK(mprotect(a, (size_t)elements * 8, PROT_READ) == 0);
    CHECK_STATUS(scalay_plan_execute_consume(f->plan, a, b.array), SCALAY_SUCCESS);
    CHECK(visit(&f->target, rank, b.array, b.elements, 0, 1) == 0);
    free_guarded(&b);
    return released_by(f->plan, text);
}

static double *map_memory(int64_t elements, int flags, int file)
{
    void *memory = mmap(NULL, (size_t)elements * 8, PROT_READ | PROT_WRITE, flags, file, 0);
    return CHECK(memory != MAP_FAILED) ? memory : NULL;
}

/* Memory whose pages must stay: the description gives the reason. */
static void keeps_pages(const fixture *f, double *a, int protects, const char *reason)
{
    char text[800];
    const int64_t elements = part_size(&f->source, f->comm->rank);
    CHECK(consume_in(f, a, protects, text) == 0);
    if (!CHECK(strstr(text, reason) != NULL)) fprintf(stderr, "%s\n", text);
    CHECK(visit(&f->source, f->comm->rank, a, elements, 0, 1) == 0);
    (void)munmap(a, (size_t)elements * 8);
}

static void keeps_files(const fixture *f)
{
    char name[] = "/tmp/redist_consume_XXXXXX";
    const int64_t elements = part_size(&f->source, f->comm->rank);
    const int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0 && ftruncate(file, elements * 8) == 0);
    keeps_pages(f, map_memory(elements, MAP_PRIVATE, file), 0, "a file");
    close(file);
}

static void kinds_of_memory(scalay_comm *comm)
{
    fixture f = make_fixture(comm, N);
    char text[800];
    const int64_t elements = part_size(&f.source, comm->rank), bytes = elements * 8;
    double *a = map_memory(elements, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    CHECK(consume_in(&f, a, 0, text) == bytes / PAGE * PAGE);
    CHECK(a[0] == 0 && a[bytes / PAGE * PAGE / 8 - 1] == 0);
    CHECK(consume_in(&f, a, 0, text) == bytes / PAGE * PAGE); /* the pages come back */
    (void)munmap(a, (size_t)bytes);
    a = malloc((size_t)bytes);
    CHECK(consume_in(&f, a, 0, text) >= bytes - 2 * PAGE);
    free(a);
    void *shared = NULL;
    CHECK_STATUS(scalay_alloc(comm, bytes, &shared), SCALAY_SUCCESS);
    CHECK(consume_in(&f, shared, 0, text) >= bytes - 2 * PAGE);
    scalay_free(&shared);
    keeps_pages(&f, map_memory(elements, MAP_SHARED | MAP_ANONYMOUS, -1), 0, "shared memory");
    keeps_pages(&f, map_memory(elements, MAP_PRIVATE | MAP_ANONYMOUS, -1), 1, "read-only");
    keeps_files(&f);
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer makes mlock() do nothing */
    a = map_memory(elements, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (mlock(a, (size_t)bytes) == 0)
        keeps_pages(&f, a, 0, "locked");
    else
        (void)munmap(a, (size_t)bytes);
#endif
    free_fixture(&f);
}

/* ------------------------------------------------------------------------------------------------- memory */

static double status_line(const char *name)
{
    char line[256];
    double value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) value = strtod(line + strlen(name) + 1, NULL) * 1024;
    if (file != NULL) (void)fclose(file);
    return value;
}

/* The largest resident memory of an execution, in local matrices: source, target and buffers. */
static double resident_peak(fixture *f, int consumes)
{
    const int64_t elements = part_size(&f->source, f->comm->rank), others = part_size(&f->target, f->comm->rank);
    const double before = status_line("VmRSS");
    double *a = map_memory(elements, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    double *b = map_memory(others, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    CHECK(visit(&f->source, f->comm->rank, a, elements, 1, 0) >= 0);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const int is_reset = file != NULL && fputs("5", file) >= 0;
    if (file != NULL) (void)fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (consumes)
        CHECK_STATUS(scalay_plan_execute_consume(f->plan, a, b), SCALAY_SUCCESS);
    else
        CHECK_STATUS(scalay_plan_execute(f->plan, a, b), SCALAY_SUCCESS);
    const double peak = (status_line("VmHWM") - before) / (double)(8 * (elements > others ? elements : others));
    CHECK(visit(&f->target, f->comm->rank, b, others, 0, 1) == 0);
    (void)munmap(a, (size_t)elements * 8);
    (void)munmap(b, (size_t)others * 8);
    return is_reset ? peak : -1;
}

enum { TRIES = 3 }; /* some systems reclaim pages that have not been used for seconds */

static void needs_one_matrix(scalay_comm *comm)
{
    fixture f = make_fixture(comm, 1400);
    double ordinary = 0.0, consuming = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        ordinary = fmax(ordinary, resident_peak(&f, 0));
        consuming = fmin(consuming, resident_peak(&f, 1));
    }
    printf("rank %d: resident peak: %.2f local matrices, consuming %.2f\n", comm->rank, ordinary, consuming);
    if (comm->size > 1 && ordinary > 0) CHECK(ordinary > 1.8 && consuming < 1.5);
    free_fixture(&f);
}

/* ----------------------------------------------------------------------------------------------- in place */

/* Moves in place there and back. Elements of the source outside the target stay. Returns the released bytes. */
static long long move_in_place(fixture *f, double *array, char text[800])
{
    const int rank = f->comm->rank;
    const int64_t elements = part_size(&f->source, rank), others = part_size(&f->target, rank);
    int64_t changed = 0;
    for (int64_t k = elements; k < others; k++) array[k] = gap_value;
    CHECK(visit(&f->source, rank, array, elements, 1, 1) == 0);
    double *copy = calloc((size_t)elements + 1, 8);
    memcpy(copy, array, (size_t)elements * 8);
    CHECK_STATUS(scalay_plan_execute(f->plan, array, array), SCALAY_SUCCESS);
    CHECK(visit(&f->target, rank, array, others, 0, 1) == 0);
    for (int64_t k = others; k < elements; k++) changed += array[k] != copy[k];
    CHECK(changed == 0);
    const long long released = released_by(f->plan, text);
    CHECK_STATUS(scalay_plan_execute_back(f->plan, array, array), SCALAY_SUCCESS);
    CHECK(visit(&f->source, rank, array, elements, 0, 1) == 0);
    CHECK(released_by(f->plan, text) == released);
    free(copy);
    return released;
}

/* The largest resident memory of an execution in place, in local matrices: array and buffers. */
static double resident_peak_in_place(const fixture *f)
{
    const int64_t elements = part_size(&f->source, f->comm->rank), others = part_size(&f->target, f->comm->rank);
    const int64_t larger = elements > others ? elements : others;
    const double before = status_line("VmRSS");
    double *array = map_memory(larger, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (int64_t k = 0; k < larger; k++) array[k] = gap_value;
    CHECK(visit(&f->source, f->comm->rank, array, elements, 1, 0) >= 0);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const int is_reset = file != NULL && fputs("5", file) >= 0;
    if (file != NULL) (void)fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(scalay_plan_execute(f->plan, array, array), SCALAY_SUCCESS);
    const double peak = (status_line("VmHWM") - before) / (double)(8 * larger);
    CHECK(visit(&f->target, f->comm->rank, array, others, 0, 1) == 0);
    (void)munmap(array, (size_t)larger * 8);
    return is_reset ? peak : -1;
}

static void make_plan_in_place(fixture *f, int panels)
{
    scalay_plan_options options = scalay_plan_options_default();
    options.in_place = 1;
    const scalay_plan_matrix matrix = {.source = f->source.layout, .target = f->target.layout, .type = SCALAY_DOUBLE};
    const scalay_plan_special special = {.message_bytes = 1 << 17, .panels = panels};
    scalay_plan_destroy(&f->plan);
    CHECK_STATUS(scalay_plan_create_special(f->comm, 1, &matrix, &options, special, &f->plan), SCALAY_SUCCESS);
}

static void in_place(scalay_comm *comm)
{
    char text[800];
    fixture f = make_fixture(comm, N + 10);
    const int64_t elements = part_size(&f.source, comm->rank), others = part_size(&f.target, comm->rank);
    const int64_t larger = elements > others ? elements : others, smaller = elements + others - larger;
    guarded g = make_guarded(larger, gap_value);
    make_plan_in_place(&f, 7);
    CHECK(move_in_place(&f, g.array, text) >= smaller * 8 - 2 * PAGE);
    free_guarded(&g);
    double *shared = map_memory(larger, MAP_SHARED | MAP_ANONYMOUS, -1);
    CHECK(move_in_place(&f, shared, text) == 0 && strstr(text, "shared memory") != NULL);
    (void)munmap(shared, (size_t)larger * 8);
    free_fixture(&f);
    f = make_fixture(comm, 1400);
    double whole = 0.0, panels = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        make_plan_in_place(&f, 0);
        whole = fmax(whole, resident_peak_in_place(&f));
        make_plan_in_place(&f, 12);
        panels = fmin(panels, resident_peak_in_place(&f));
    }
    if (comm->rank == 0) printf("in place: %.2f local matrices, in panels %.2f\n", whole, panels);
    if (whole > 0 && !keeps_released_blocks) CHECK(whole > panels + 0.2 && panels < 1.4);
    free_fixture(&f);
}

/* ---------------------------------------------------------------------------------------------- bad input */

static void refuses(scalay_comm *comm, const scalay_plan_matrix *matrix, int count, scalay_plan_options options,
                    const char *reason)
{
    scalay_plan *plan = NULL;
    options.consume = 1;
    CHECK_STATUS(scalay_plan_create_many(comm, count, matrix, &options, &plan), SCALAY_ERROR_UNSUPPORTED);
    if (!CHECK(strstr(scalay_error_message(), reason) != NULL)) fprintf(stderr, "%s\n", scalay_error_message());
    CHECK(plan == NULL);
}

static void bad_plans(scalay_comm *comm, const fixture *f)
{
    const scalay_plan_matrix good = {.source = f->source.layout, .target = f->target.layout, .type = SCALAY_DOUBLE};
    const scalay_plan_matrix two[] = {good, good};
    scalay_plan_matrix bad = good;
    scalay_plan_options options = scalay_plan_options_default();
    refuses(comm, two, 2, options, "several matrices");
    bad.op = SCALAY_TRANSPOSE;
    refuses(comm, &bad, 1, options, "SCALAY_NO_TRANSPOSE");
    bad = good;
    bad.uplo = SCALAY_LOWER;
    refuses(comm, &bad, 1, options, "SCALAY_WHOLE");
    options.in_place = 1;
    refuses(comm, &good, 1, options, "in_place");
}

static void bad_arguments(scalay_comm *comm)
{
    fixture f = make_fixture(comm, 48 * comm->size);
    const int64_t elements = part_size(&f.source, comm->rank), others = part_size(&f.target, comm->rank);
    double *a = calloc((size_t)(elements + others) + 1, 8), *b = a + elements;
    scalay_plan *ordinary = NULL;
    bad_plans(comm, &f);
    CHECK_STATUS(scalay_plan_execute_consume(NULL, a, b), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_consume(f.plan, NULL, b), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_consume(f.plan, a, NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_consume(f.plan, a, a), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_execute_consume(f.plan, a, a + elements - 1), SCALAY_ERROR_ARGUMENT);
    CHECK(strstr(scalay_error_message(), "overlap") != NULL);
    CHECK_STATUS(scalay_plan_begin(f.plan, a, b), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute_consume(f.plan, a, b), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_plan_end(f.plan), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_create(comm, f.source.layout, f.target.layout, NULL, SCALAY_DOUBLE, NULL, &ordinary),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_execute_consume(ordinary, a, b), SCALAY_ERROR_UNSUPPORTED);
    CHECK(strstr(scalay_error_message(), "options.consume") != NULL);
    scalay_plan_destroy(&ordinary);
    free(a);
    free_fixture(&f);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 24;
    for (uint64_t seed = first; seed < first + count; seed++) random_case(comm, seed);
    kinds_of_memory(comm);
    in_place(comm);
    needs_one_matrix(comm);
    bad_arguments(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
