/* Advice: the cheapest of what can be done, by sums of its own over everything that can be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/engine.h"
#include "model/product.h"
#include "scalay/advice.h"
#include "scalay/mapping.h"
#include "scalay/model.h"
#include "scalay/pattern.h"
#include "scalay/stencil.h"

static scalay_layout *parse(const char *text)
{
    scalay_layout *layout = NULL;
    assert_int_equal(scalay_layout_parse(text, &layout), SCALAY_SUCCESS);
    return layout;
}

static scalay_advice *advise(const scalay_layout *source, const scalay_advice_options *options)
{
    scalay_advice *advice = NULL;
    if (scalay_advice_create(source, options, &advice) != SCALAY_SUCCESS) fail_msg("%s", scalay_error_message());
    assert_non_null(advice);
    return advice;
}

static scalay_advice_candidate get(const scalay_advice *advice, int k)
{
    scalay_advice_candidate candidate = {0};
    assert_int_equal(scalay_advice_get_candidate(advice, k, &candidate), SCALAY_SUCCESS);
    return candidate;
}

/* A product takes what the faster of p?gemm and SUMMA takes. */
static double gemm_seconds(const scalay_advice_options *options, int64_t n, int p, int q, int nb)
{
    const scalay_machine machine = options->machine != NULL ? *options->machine : scalay_machine_typical();
    scalay_gemm_cost gemm = {0};
    scalay_layout *layout = NULL;
    double summa = 0.0;
    assert_int_equal(scalay_model_gemm(&machine, options->type, n, n, n, p, q, nb, NULL, &gemm), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_block_cyclic(n, n, nb, nb, p, q, 0, 0, SCALAY_ROW_MAJOR, &layout), SCALAY_SUCCESS);
    assert_int_equal(scalay_summa_on_layout(&machine, options->type, layout, NULL, NULL, &summa), SCALAY_SUCCESS);
    scalay_layout_destroy(&layout);
    return fmin(gemm.seconds, summa);
}

static double kernel_seconds(const scalay_advice_options *options, int64_t n, int p, int q, int nb)
{
    scalay_qr_cost qr = {0};
    if (options->kernel != SCALAY_KERNEL_QR) return gemm_seconds(options, n, p, q, nb);
    assert_int_equal(scalay_model_qr(options->machine, options->type, n, n, p, q, nb, &qr), SCALAY_SUCCESS);
    return qr.seconds;
}

/* A factorisation by the engine on the owners of a layout, with part j on process j: the best extent and panels. */
static double engine_seconds(const scalay_advice_options *options, scalay_factor_kind kind, const scalay_layout *layout)
{
    double speed[32], best = INFINITY;
    const scalay_machine machine = options->machine != NULL ? *options->machine : scalay_machine_typical();
    scalay_owner_map *map = NULL;
    for (int p = 0; p < options->processes; p++) speed[p] = 1;
    assert_int_equal(scalay_layout_owner_map(layout, &map), SCALAY_SUCCESS);
    for (int k = 0; scalay_engine_extent(k) > 0; k++)
        for (int together = 0; together < 2; together++) {
            const scalay_engine_problem problem = {kind, options->type, options->processes, speed, &machine,
                                                   0.0,  together};
            double seconds = 0;
            const int nb = scalay_engine_map_extent(map, scalay_engine_extent(k));
            assert_int_equal(scalay_engine_predict(&problem, map, nb, &seconds), SCALAY_SUCCESS);
            best = fmin(best, seconds);
        }
    scalay_owner_map_destroy(&map);
    return best;
}

static int is_by_engine(const scalay_advice_candidate *c)
{
    return strcmp(c->routine, "engine") == 0;
}

/* The least total to a grid, over all placements of its parts on the processes; the matrix moves `moves` times. */
typedef struct {
    const scalay_traffic *traffic;
    const scalay_advice_options *options;
    int parts, processes, moves;
    int64_t segments;
    int process[8];
    int used[8];
    double best;
} placements;

static void place_all(placements *s, int part)
{
    if (part == s->parts) {
        scalay_move move;
        assert_int_equal(scalay_move_from_traffic(s->traffic, s->process, &move), SCALAY_SUCCESS);
        move.segments = s->segments;
        /* From grid to grid nothing moved means nothing to do. */
        const double once = move.volume > 0 ? scalay_model_move(s->options->machine, s->options->type, &move) : 0.0;
        s->best = fmin(s->best, s->moves * once);
        return;
    }
    for (int p = 0; p < s->processes; p++) {
        if (s->used[p]) continue;
        s->used[p] = 1;
        s->process[part] = p;
        place_all(s, part + 1);
        s->used[p] = 0;
    }
}

static double least_move(const scalay_layout *source, const scalay_advice_options *options, int p, int q, int nb)
{
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    const int64_t m = scalay_layout_rows(source), n = scalay_layout_cols(source);
    placements s = {.options = options,
                    .parts = p * q,
                    .processes = options->processes,
                    .moves = (options->kernel == SCALAY_KERNEL_GEMM ? 3 : 1) + (options->bring_back != 0),
                    .best = INFINITY};
    assert_int_equal(scalay_layout_block_cyclic(m, n, nb, nb, p, q, 0, 0, SCALAY_ROW_MAJOR, &target), SCALAY_SUCCESS);
    assert_int_equal(scalay_traffic_create(source, target, &traffic), SCALAY_SUCCESS);
    s.traffic = traffic;
    s.segments = scalay_layout_segments(source, target);
    place_all(&s, 0);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&target);
    return s.best;
}

/* Up to five processes and one block size everything can be tried. The mappings of least volume and of fewest steps
 * need not be those of least time, hence the margin. */
static void nothing_that_can_be_done_is_much_better(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(17);
    for (int t = 0; t < 60; t++) {
        const int p = 1 + (int)scalay_random_below(&random, 2), q = 1 + (int)scalay_random_below(&random, 2);
        const int64_t n = 40 + scalay_random_below(&random, 300);
        const int64_t mb = 1 + scalay_random_below(&random, 60);
        scalay_machine machine = scalay_machine_typical();
        scalay_layout *source = NULL;
        scalay_advice_options options = scalay_advice_options_default();
        machine.seconds_per_byte *= 1.0 + 50.0 * scalay_random_unit(&random);
        options.kernel = t % 2 ? SCALAY_KERNEL_QR : SCALAY_KERNEL_GEMM;
        options.times = scalay_random_below(&random, 4);
        options.bring_back = (int)scalay_random_below(&random, 2);
        options.processes = p * q + (int)scalay_random_below(&random, 2);
        options.nb = 8 * (1 + (int)scalay_random_below(&random, 4));
        options.machine = &machine;
        assert_int_equal(scalay_layout_block_cyclic(n, n, mb, mb, p, q, 0, 0, SCALAY_ROW_MAJOR, &source),
                         SCALAY_SUCCESS);
        scalay_advice *advice = advise(source, &options);
        double best = (double)options.times * kernel_seconds(&options, n, p, q, (int)mb), found = INFINITY;
        for (int k = 0; k < scalay_advice_count(advice); k++) {
            const scalay_advice_candidate c = get(advice, k);
            if (!is_by_engine(&c))
                found = fmin(found, c.seconds);
            else if (strcmp(c.name, "owner") == 0)
                best = INFINITY; /* p?geqrf does not stay */
        }
        for (int r = 1; r <= options.processes; r++)
            for (int c = 1; r * c <= options.processes; c++)
                best = fmin(best, (double)options.times * kernel_seconds(&options, n, r, c, options.nb) +
                                      least_move(source, &options, r, c, options.nb));
        assert_true(found >= best * (1.0 - 1e-12));
        if (found > best * 1.02) fail_msg("%d: %s takes %.17g, %.17g is possible", t, get(advice, 0).name, found, best);
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
}

static void candidates_are_sorted_and_cost_what_they_say(void **state)
{
    (void)state;
    static const char *const sources[] = {"cyclic:m=400,n=400,mb=100,nb=100,p=1,q=4",
                                          "skewed:m=300,n=300,mb=32,nb=32,p=2,q=3",
                                          "cyclic:m=300,n=300,mb=7,nb=9,p=2,q=2", "chunks:m=512,n=512,mb=32,nb=32,p=7"};
    for (int s = 0; s < 4; s++) {
        scalay_layout *source = parse(sources[s]);
        scalay_advice_options options = scalay_advice_options_default();
        options.times = 3;
        options.processes = 7;
        scalay_advice *advice = advise(source, &options);
        for (int k = 0; k < scalay_advice_count(advice); k++) {
            const scalay_advice_candidate c = get(advice, k);
            scalay_layout *target = NULL;
            scalay_traffic *traffic = NULL;
            int64_t volume = -1, steps = -1;
            int same[7] = {0, 1, 2, 3, 4, 5, 6};
            assert_true(k == 0 || c.seconds >= get(advice, k - 1).seconds);
            assert_true(fabs(c.seconds - c.move_seconds - c.kernel_seconds) <= 1e-12 * c.seconds);
            if (c.mb == c.nb && !is_by_engine(&c))
                assert_true(fabs(c.kernel_seconds - 3.0 * kernel_seconds(&options, scalay_layout_rows(source), c.nprow,
                                                                         c.npcol, c.nb)) <= 1e-12 * c.seconds);
            assert_int_equal(scalay_advice_layout(advice, k, &target), SCALAY_SUCCESS);
            assert_true(scalay_layout_processes(target) <= 7);
            if (strcmp(c.name, "owner") == 0) assert_true(scalay_layout_same_owners(source, target));
            assert_int_equal(scalay_traffic_create(source, target, &traffic), SCALAY_SUCCESS);
            /* Parts stand where the candidate's layout has them. */
            for (int p = 0; p < scalay_layout_parts(target); p++) same[p] = scalay_layout_process_of_part(target, p);
            assert_int_equal(scalay_traffic_cost(traffic, same, &volume, &steps), SCALAY_SUCCESS);
            assert_true(volume == c.volume && steps == c.steps);
            scalay_traffic_destroy(&traffic);
            scalay_layout_destroy(&target);
        }
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
}

static void who_runs_nothing_stays_and_who_runs_often_moves(void **state)
{
    (void)state;
    scalay_layout *bad = parse("cyclic:m=2000,n=2000,mb=1000,nb=1000,p=1,q=2");
    scalay_layout *tiles = parse("skewed:m=2000,n=2000,mb=100,nb=100,p=1,q=2");
    scalay_advice_options options = scalay_advice_options_default();
    char text[1024];
    options.times = 0;
    scalay_advice *advice = advise(bad, &options);
    assert_false(scalay_advice_should_move(advice));
    assert_string_equal(get(advice, 0).name, "owner");
    assert_true(get(advice, 0).seconds == 0.0);
    assert_true(scalay_advice_describe(advice, text, sizeof text) > 0);
    assert_non_null(strstr(text, "leave it where it is"));
    scalay_advice_destroy(&advice);
    options.times = 50;
    advice = advise(bad, &options);
    assert_true(scalay_advice_should_move(advice));
    assert_true(scalay_advice_describe(advice, text, sizeof text) > 0);
    assert_non_null(strstr(text, "Staying would take"));
    scalay_advice_destroy(&advice);
    advice = advise(tiles, &options);
    for (int k = 0; k < scalay_advice_count(advice); k++)
        if (strcmp(get(advice, k).name, "owner") == 0) assert_string_equal(get(advice, k).routine, "engine");
    scalay_advice_destroy(&advice);
    options.processes = 1025; /* the engine is not predicted */
    advice = advise(tiles, &options);
    assert_true(scalay_advice_should_move(advice));
    const int length = scalay_advice_describe(advice, text, sizeof text);
    assert_int_equal(length, (int)strlen(text));
    assert_non_null(strstr(text, "It cannot stay"));
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&tiles);
    scalay_layout_destroy(&bad);
}

/* Elements of process p, and of others' that it needs for its part of a product, by going through all of them. */
static void count_needs(const scalay_layout *layout, int p, double *elements, double *needed)
{
    const int64_t n = scalay_layout_rows(layout);
    int64_t own = 0, rows = 0, cols = 0;
    for (int64_t i = 0; i < n; i++) {
        int in_row = 0, in_col = 0;
        for (int64_t j = 0; j < n; j++) {
            own += scalay_layout_owner(layout, i, j) == p;
            in_row |= scalay_layout_owner(layout, i, j) == p;
            in_col |= scalay_layout_owner(layout, j, i) == p;
        }
        rows += in_row;
        cols += in_col;
    }
    *elements = (double)own;
    *needed = (double)(n * (rows + cols) - 2 * own);
}

/* Where p?gemm cannot multiply SUMMA can. */
static void products_can_stay_anywhere(void **state)
{
    (void)state;
    static const char *const sources[] = {"skewed:m=90,n=90,mb=8,nb=8,p=2,q=3", "chunks:m=70,n=70,mb=16,nb=16,p=5",
                                          "cyclic:m=60,n=60,mb=4,nb=6,p=2,q=2"};
    const scalay_machine machine = {.seconds_per_flop = 1.0, .seconds_per_byte_copied = 1e3};
    scalay_advice_options options = scalay_advice_options_default();
    char text[1024];
    options.kernel = SCALAY_KERNEL_GEMM;
    options.machine = &machine;
    for (int k = 0; k < 3; k++) {
        scalay_layout *source = parse(sources[k]);
        scalay_advice *advice = advise(source, &options);
        double elements = 0.0, needed = 0.0, expected = 0.0;
        /* Columns of tiles of 8 and 16 rows, but the last: so many segments a column. The first two are tile maps. */
        const double n = (double)scalay_layout_rows(source), stretch = n / (k == 0 ? 12.0 : k == 1 ? 5.0 : 15.0);
        for (int p = 0; p < scalay_layout_processes(source); p++) {
            count_needs(source, p, &elements, &needed);
            expected =
                fmax(expected, (k < 2 ? 1.5 : 1.0) * 2.0 * n * elements + 1e3 * (8.0 + 512.0 / stretch) * needed);
        }
        int found = 0;
        for (int c = 0; c < scalay_advice_count(advice); c++) {
            if (strcmp(get(advice, c).name, "owner") != 0) continue;
            /* On the grid, p?gemm may be faster. */
            assert_true(get(advice, c).seconds <= expected * (1.0 + 1e-12));
            assert_true(k == 2 || get(advice, c).seconds >= expected * (1.0 - 1e-12));
            assert_true(k == 2 || strcmp(get(advice, c).routine, "SUMMA") == 0);
            assert_true((get(advice, c).nprow == 0) == (k < 2) && get(advice, c).volume == 0);
            found++;
        }
        assert_int_equal(found, 1);
        assert_true(scalay_advice_describe(advice, text, sizeof text) > 0);
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
}

/* Beyond 1024 processes grids are mapped without their traffic. */
static void many_processes_take_no_time(void **state)
{
    (void)state;
    scalay_layout *source = parse("cyclic:m=3000,n=3000,mb=64,nb=64,p=33,q=33"), *target = NULL;
    scalay_advice_options options = scalay_advice_options_default();
    options.kernel = SCALAY_KERNEL_GEMM;
    scalay_advice *advice = advise(source, &options);
    int volumes = 0;
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        const scalay_advice_candidate c = get(advice, k);
        scalay_traffic *traffic = NULL;
        int64_t volume = 0, steps = 0;
        int same[1089];
        assert_int_equal(scalay_advice_layout(advice, k, &target), SCALAY_SUCCESS);
        for (int p = 0; p < scalay_layout_parts(target); p++) same[p] = scalay_layout_process_of_part(target, p);
        assert_int_equal(scalay_traffic_create(source, target, &traffic), SCALAY_SUCCESS);
        assert_int_equal(scalay_traffic_cost(traffic, same, &volume, &steps), SCALAY_SUCCESS);
        assert_true(volume == c.volume && steps == c.steps);
        volumes += strncmp(c.name, "volume", 6) == 0;
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&target);
    }
    assert_true(volumes > 0);
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
}

/* Prime numbers of processes make flat grids only; one that leaves some idle may be better. */
static void primes_may_leave_processes_idle(void **state)
{
    (void)state;
    scalay_layout *source = parse("skewed:m=4000,n=4000,mb=64,nb=64,p=1,q=31");
    scalay_advice_options options = scalay_advice_options_default();
    scalay_machine machine = scalay_machine_typical();
    machine.seconds_per_byte *= 10.0;
    options.machine = &machine;
    scalay_advice *advice = advise(source, &options);
    const scalay_advice_candidate first = get(advice, 0);
    assert_true(first.nprow > 1 && first.npcol > 1 && first.nprow * first.npcol < 31);
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
}

/* A kernel that runs on grids of two rows alone, and counts. */
static double two_rows(const scalay_layout *layout, void *context)
{
    char text[256];
    ++*(int *)context;
    (void)scalay_layout_describe(layout, text, sizeof text);
    return strstr(text, "grid 2 x ") != NULL ? 1.0 : NAN;
}

static void kernels_of_the_caller_are_asked(void **state)
{
    (void)state;
    int calls = 0;
    scalay_layout *source = parse("cyclic:m=100,n=300,mb=20,nb=10,p=1,q=4");
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice *advice = NULL;
    options.kernel = SCALAY_KERNEL_OTHER;
    options.type = SCALAY_RAW(24);
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    options.cost = two_rows;
    options.cost_context = &calls;
    advice = advise(source, &options);
    assert_true(calls > 1);
    for (int k = 0; k < scalay_advice_count(advice); k++) assert_int_equal(get(advice, k).nprow, 2);
    scalay_advice_destroy(&advice);
    options.nprow = 3;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_INFEASIBLE);
    assert_null(advice);
    scalay_layout_destroy(&source);
}

static void nonsense_is_an_error(void **state)
{
    (void)state;
    scalay_layout *source = parse("cyclic:m=100,n=90,mb=20,nb=10,p=2,q=2");
    scalay_advice *advice = NULL;
    scalay_advice_candidate candidate;
    scalay_layout *layout = NULL;
    scalay_advice_options options = scalay_advice_options_default();
    assert_int_equal(scalay_advice_create(source, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_advice_create(NULL, NULL, &advice), SCALAY_ERROR_ARGUMENT);
    options.processes = 3;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "at least 4, the processes of the matrix"));
    options = scalay_advice_options_default();
    options.times = -1;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    options = scalay_advice_options_default();
    options.kernel = SCALAY_KERNEL_GEMM;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    assert_non_null(strstr(scalay_error_message(), "square"));
    options.kernel = (scalay_kernel)9;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    options = scalay_advice_options_default();
    options.type = SCALAY_INT;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    options = scalay_advice_options_default();
    options.nprow = 5;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_INFEASIBLE);
    assert_int_equal(scalay_advice_count(NULL), 0);
    assert_int_equal(scalay_advice_should_move(NULL), 0);
    assert_int_equal(scalay_advice_get_candidate(NULL, 0, &candidate), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_advice_layout(NULL, 0, &layout), SCALAY_ERROR_ARGUMENT);
    advice = advise(source, NULL);
    assert_int_equal(scalay_advice_get_candidate(advice, scalay_advice_count(advice), &candidate),
                     SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_advice_get_candidate(advice, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_advice_layout(advice, -1, &layout), SCALAY_ERROR_ARGUMENT);
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
}

/* The most processes of a grid on one core, by counting who holds something. */
static int most_on_a_core(const scalay_layout *layout, const int *core, int processes)
{
    int used[8] = {0}, most = 0;
    for (int p = 0; p < processes; p++) used[core[p]] += scalay_layout_elements(layout, p) > 0;
    for (int c = 0; c < processes; c++) most = used[c] > most ? used[c] : most;
    return most;
}

/* The least of that over all choices of `size` processes. */
static int least_on_a_core(const int *core, int processes, int size)
{
    int least = processes;
    for (int set = 0; set < 1 << processes; set++) {
        int used[8] = {0}, members = 0, most = 0;
        for (int p = 0; p < processes; p++) {
            if (!(set >> p & 1)) continue;
            members++;
            used[core[p]]++;
            most = used[core[p]] > most ? used[core[p]] : most;
        }
        if (members == size && most < least) least = most;
    }
    return least;
}

static void no_core_has_more_processes_than_it_must(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(18);
    for (int t = 0; t < 200; t++) {
        const int processes = 2 + (int)scalay_random_below(&random, 6), holders = 1 + t % processes;
        scalay_layout *source = NULL;
        scalay_advice_options options = scalay_advice_options_default();
        int core[8];
        for (int p = 0; p < processes; p++) core[p] = (int)scalay_random_below(&random, processes);
        options.processes = processes;
        options.core = core;
        options.nb = 8;
        assert_int_equal(scalay_layout_block_cyclic(96, 96, 8, 32, 1, holders, 0, 0, SCALAY_ROW_MAJOR, &source),
                         SCALAY_SUCCESS);
        scalay_advice *advice = advise(source, &options);
        for (int k = 0; k < scalay_advice_count(advice); k++) {
            const scalay_advice_candidate c = get(advice, k);
            scalay_layout *layout = NULL;
            if (strcmp(c.name, "owner") == 0 || is_by_engine(&c)) continue;
            assert_int_equal(scalay_advice_layout(advice, k, &layout), SCALAY_SUCCESS);
            const int least = least_on_a_core(core, processes, c.nprow * c.npcol);
            assert_true(most_on_a_core(layout, core, processes) <= least);
            scalay_layout_destroy(&layout);
        }
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
}

/* p?geqrf takes blocks that are not square, and submatrices: they can stay. */
static void qr_stays_on_any_grid(void **state)
{
    (void)state;
    scalay_layout *whole = parse("cyclic:m=300,n=200,mb=20,nb=12,p=2,q=2"), *source = NULL;
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice_candidate c = {0};
    options.times = 0;
    assert_int_equal(scalay_layout_submatrix(whole, 23, 5, 200, 150, &source), SCALAY_SUCCESS);
    const scalay_layout *const sources[] = {whole, source};
    for (int k = 0; k < 2; k++) {
        scalay_advice *advice = advise(sources[k], &options);
        assert_int_equal(scalay_advice_get_candidate(advice, 0, &c), SCALAY_SUCCESS);
        assert_string_equal(c.name, "owner");
        assert_true(strcmp(c.routine, "p?geqrf") == 0 || is_by_engine(&c));
        assert_true(c.nprow == 2 && c.npcol == 2 && c.mb == 20 && c.nb == 12);
        scalay_advice_destroy(&advice);
    }
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&whole);
}

/* The same placement with another block: rows of blocks do not matter on one grid row. */
static void equal_placements_get_equal_advice(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"cyclic:m=600,n=600,mb=150,nb=150,p=1,q=4", "cyclic:m=600,n=600,mb=600,nb=150,p=1,q=4"},
        {"cyclic:m=600,n=600,mb=8,nb=32,p=1,q=3", "cyclic:m=600,n=600,mb=32,nb=32,p=1,q=3"},
        {"cyclic:m=600,n=600,mb=150,nb=600,p=4,q=1", "cyclic:m=600,n=600,mb=150,nb=150,p=4,q=1"},
    };
    for (int kernel = SCALAY_KERNEL_QR; kernel <= SCALAY_KERNEL_GEMM; kernel++)
        for (int k = 0; k < 3; k++) {
            scalay_advice_options options = scalay_advice_options_default();
            options.kernel = (scalay_kernel)kernel;
            scalay_layout *first = parse(same[k][0]), *second = parse(same[k][1]);
            scalay_advice *a = advise(first, &options), *b = advise(second, &options);
            assert_int_equal(scalay_advice_should_move(a), scalay_advice_should_move(b));
            assert_true(fabs(get(a, 0).seconds - get(b, 0).seconds) <= 1e-12 * get(a, 0).seconds);
            scalay_advice_destroy(&a);
            scalay_advice_destroy(&b);
            scalay_layout_destroy(&first);
            scalay_layout_destroy(&second);
        }
}

/* Random grids of one row or column: the extent of a block along it does not change owners, nor the advice. */
static void the_extent_of_a_block_along_one_process_does_not_matter(void **state)
{
    (void)state;
    static const scalay_kernel kernels[] = {SCALAY_KERNEL_QR, SCALAY_KERNEL_GEMM, SCALAY_KERNEL_LU,
                                            SCALAY_KERNEL_CHOLESKY};
    const uint64_t seed = 11;
    scalay_random random = scalay_random_seed(seed);
    for (int t = 0; t < 24; t++) {
        const int p = 1 + (int)scalay_random_below(&random, 4), is_row = (int)scalay_random_below(&random, 2);
        const int64_t n = 200 + scalay_random_below(&random, 600), nb = 1 + scalay_random_below(&random, 200);
        scalay_advice_options options = scalay_advice_options_default();
        scalay_advice *advice[2];
        scalay_layout *source[2], *target[2];
        options.kernel = kernels[t % 4];
        options.times = 1 + t % 5;
        for (int k = 0; k < 2; k++) {
            const int64_t any = k == 0 ? nb : 1 + scalay_random_below(&random, n);
            assert_int_equal(scalay_layout_block_cyclic(n, n, is_row ? any : nb, is_row ? nb : any, is_row ? 1 : p,
                                                        is_row ? p : 1, 0, 0, SCALAY_ROW_MAJOR, &source[k]),
                             SCALAY_SUCCESS);
            advice[k] = advise(source[k], &options);
            assert_int_equal(scalay_advice_layout(advice[k], 0, &target[k]), SCALAY_SUCCESS);
        }
        assert_true(scalay_layout_same_owners(source[0], source[1]));
        const scalay_advice_candidate a = get(advice[0], 0), b = get(advice[1], 0);
        if (fabs(a.seconds - b.seconds) > 1e-12 * a.seconds || strcmp(a.name, b.name) != 0 ||
            strcmp(a.routine, b.routine) != 0 || !scalay_layout_same_owners(target[0], target[1]))
            fail_msg("seed %llu, case %d: %s takes %g, %s takes %g", (unsigned long long)seed, t, a.name, a.seconds,
                     b.name, b.seconds);
        assert_int_equal(scalay_advice_should_move(advice[0]), scalay_advice_should_move(advice[1]));
        for (int k = 0; k < 2; k++) {
            scalay_layout_destroy(&target[k]);
            scalay_advice_destroy(&advice[k]);
            scalay_layout_destroy(&source[k]);
        }
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* On one process, a product stays: other blocks change nothing. */
static void a_product_on_one_process_stays(void **state)
{
    (void)state;
    static const char *const sources[] = {"cyclic:m=600,n=600,mb=600,nb=600,p=1,q=1",
                                          "cyclic:m=600,n=600,mb=64,nb=100,p=1,q=1",
                                          "cyclic:m=600,n=600,mb=700,nb=7,p=1,q=1"};
    scalay_advice_options options = scalay_advice_options_default();
    options.kernel = SCALAY_KERNEL_GEMM;
    for (int k = 0; k < 3; k++) {
        scalay_layout *source = parse(sources[k]);
        scalay_advice *advice = advise(source, &options);
        assert_false(scalay_advice_should_move(advice));
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
}

/* A slow process makes each grid that has it slower, and the prediction is that of the mapping. */
static void speeds_of_processes_count(void **state)
{
    (void)state;
    scalay_layout *source = parse("cyclic:m=600,n=600,mb=32,nb=32,p=1,q=2");
    scalay_advice_options options = scalay_advice_options_default();
    const double equal[2] = {1.0, 1.0}, half[2] = {1.0, 0.5}, bad[2] = {1.0, 0.0};
    scalay_advice *advice = NULL;
    for (int kernel = SCALAY_KERNEL_QR; kernel <= SCALAY_KERNEL_GEMM; kernel++) {
        options.kernel = (scalay_kernel)kernel;
        options.speed = NULL;
        scalay_advice *without = advise(source, &options);
        options.speed = equal;
        scalay_advice *with = advise(source, &options);
        assert_true(fabs(get(with, 0).seconds - get(without, 0).seconds) <= 1e-12 * get(with, 0).seconds);
        options.speed = half;
        scalay_advice *slow = advise(source, &options);
        assert_true(get(slow, 0).seconds > 1.2 * get(with, 0).seconds);
        scalay_advice_destroy(&slow);
        scalay_advice_destroy(&with);
        scalay_advice_destroy(&without);
    }
    options.speed = bad;
    assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
    scalay_layout_destroy(&source);
}

/* The elements of a submatrix are not where a matrix of its extents would have them: a grid needs a copy. */
static void a_submatrix_is_copied_at_least(void **state)
{
    (void)state;
    scalay_layout *whole = parse("cyclic:m=100,n=100,mb=20,nb=20,p=1,q=1"), *source = NULL;
    assert_int_equal(scalay_layout_submatrix(whole, 20, 20, 60, 60, &source), SCALAY_SUCCESS);
    scalay_advice *advice = advise(source, NULL);
    for (int k = 0; k < scalay_advice_count(advice); k++)
        assert_true((get(advice, k).move_seconds > 0.0) == (strcmp(get(advice, k).name, "owner") != 0));
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&whole);
}

/* Blocks that hold the matrix are all the same layout: one of them is listed for a grid. */
static void a_layout_is_listed_once(void **state)
{
    (void)state;
    scalay_advice_options options = scalay_advice_options_default();
    options.kernel = SCALAY_KERNEL_CHOLESKY;
    options.processes = 3;
    scalay_layout *source = parse("cyclic:m=8,n=8,mb=2,nb=2,p=1,q=3");
    scalay_advice *advice = advise(source, &options);
    int whole = 0;
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        const scalay_advice_candidate c = get(advice, k);
        whole += c.nprow == 1 && c.npcol == 1 && c.nb >= 8 && strncmp(c.name, "canonical", 9) == 0;
    }
    assert_int_equal(whole, 1);
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
}

/* The way back of a stencil's items costs what the way there did, messages included. */
static void stencils_come_back_at_the_same_price(void **state)
{
    (void)state;
    scalay_layout *source = parse("chunks:m=1,n=1000,mb=1,nb=1,p=8");
    scalay_advice_options options = scalay_advice_options_default();
    options.kernel = SCALAY_KERNEL_STENCIL;
    options.times = 50;
    options.bring_back = 1;
    const scalay_machine typical = scalay_machine_typical();
    const scalay_stencil_problem problem = scalay_stencil_problem_on(&typical, SCALAY_DOUBLE, options.times);
    scalay_advice *advice = advise(source, &options);
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        scalay_layout *layout = NULL;
        scalay_stencil_cost cost;
        assert_int_equal(scalay_advice_layout(advice, k, &layout), SCALAY_SUCCESS);
        assert_int_equal(scalay_model_stencil(&problem, source, layout, &cost), SCALAY_SUCCESS);
        assert_true(fabs(get(advice, k).move_seconds - 2.0 * cost.move_seconds) <= 1e-12 * cost.move_seconds);
        scalay_layout_destroy(&layout);
    }
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
}

static void cores_are_numbered(void **state)
{
    (void)state;
    scalay_layout *source = parse("cyclic:m=100,n=100,mb=20,nb=20,p=2,q=2");
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice *advice = NULL;
    const int wrong[2][4] = {{0, 1, 2, 4}, {0, -1, 0, 0}};
    for (int k = 0; k < 2; k++) {
        options.core = wrong[k];
        assert_int_equal(scalay_advice_create(source, &options, &advice), SCALAY_ERROR_ARGUMENT);
        assert_non_null(strstr(scalay_error_message(), k == 0 ? "core[3] is 4" : "core[1] is -1"));
    }
    scalay_layout_destroy(&source);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    scalay_layout *source = parse("cyclic:m=100,n=100,mb=20,nb=20,p=2,q=2");
    scalay_advice_options options = scalay_advice_options_default();
    scalay_advice *advice = NULL;
    scalay_status status = SCALAY_ERROR_MEMORY;
    const int core[4] = {0, 1, 0, 1};
    const double speed[4] = {1.0, 1.0, 0.5, 0.5};
    options.nb = 16;
    options.core = core;
    options.kernel = SCALAY_KERNEL_GEMM;
    options.speed = speed;
    for (int n = 1; status == SCALAY_ERROR_MEMORY; n++) {
        scalay_memory_fail_at(n);
        status = scalay_advice_create(source, &options, &advice);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || (status == SCALAY_ERROR_MEMORY && advice == NULL));
    }
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
    assert_int_equal(scalay_memory_live(), 0);
}

/* On 7 processes a pattern is offered for products; its volume and time are those of its layout. A grid of 6 is good.
 */
static void patterns_are_offered_where_no_grid_is_good(void **state)
{
    (void)state;
    scalay_layout *source = parse("cyclic:m=600,n=600,mb=20,nb=20,p=1,q=7");
    scalay_advice_options options = scalay_advice_options_default();
    options.kernel = SCALAY_KERNEL_GEMM;
    options.times = 3;
    scalay_advice *advice = advise(source, &options);
    const scalay_machine machine = scalay_machine_typical();
    int patterns = 0, idle = 0;
    scalay_pattern *pattern = NULL;
    assert_int_equal(scalay_pattern_find(SCALAY_PATTERN_GEMM, 7, NULL, 0, &pattern), SCALAY_SUCCESS);
    for (int k = 0; k < scalay_advice_count(advice); k++) {
        const scalay_advice_candidate c = get(advice, k);
        scalay_layout *layout = NULL;
        double summa = 0;
        int64_t volume = 0;
        idle += c.nprow > 0 && c.nprow * c.npcol < 7;
        if (strstr(c.name, ":pattern:") == NULL) continue;
        patterns++;
        assert_int_equal(scalay_advice_layout(advice, k, &layout), SCALAY_SUCCESS);
        assert_int_equal(scalay_layout_processes(layout), 7);
        const int tile = atoi(strrchr(c.name, ':') + 1);
        scalay_layout *again = NULL;
        assert_int_equal(scalay_layout_from_pattern(pattern, 600, 600, tile, tile, &again), SCALAY_SUCCESS);
        assert_int_equal(scalay_summa_on_layout(&machine, options.type, again, NULL, NULL, &summa), SCALAY_SUCCESS);
        scalay_layout_destroy(&again);
        for (int64_t i = 0; i < 600; i++)
            for (int64_t j = 0; j < 600; j++) volume += scalay_layout_owner(layout, i, j) != j / 20 % 7;
        if (fabs(c.kernel_seconds - 3 * summa) > 1e-9 * summa)
            fail_msg("%g instead of %g", c.kernel_seconds, 3 * summa);
        assert_int_equal(c.volume, volume);
        assert_true(c.move_seconds > 0 && c.nprow == 0 && c.npcol == 0);
        scalay_layout_destroy(&layout);
    }
    assert_true(patterns == 2 && idle > 0);
    scalay_pattern_destroy(&pattern);
    char text[2048];
    assert_true(scalay_advice_describe(advice, text, sizeof text) < (int)sizeof text);
    assert_non_null(strstr(text, "A pattern on all 7 processes"));
    assert_non_null(strstr(text, "the best grid with idle processes"));
    scalay_advice_destroy(&advice);
    options.processes = 9; /* 3 x 3 */
    advice = advise(source, &options);
    for (int k = 0; k < scalay_advice_count(advice); k++) assert_null(strstr(get(advice, k).name, ":pattern:"));
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Prime numbers of processes: a 1D-1D map, a pattern and a grid with idle processes are priced by the engine's model.
 */
static void factorisations_by_the_engine_are_offered(void **state)
{
    (void)state;
    static const scalay_kernel kernels[] = {SCALAY_KERNEL_QR, SCALAY_KERNEL_LU, SCALAY_KERNEL_CHOLESKY};
    static const char *const routines[] = {"p?geqrf", "p?getrf", "p?potrf"};
    for (int k = 0; k < 6; k++) {
        const int processes = k % 2 ? 23 : 7;
        scalay_layout *source = parse(processes == 7 ? "cyclic:m=960,n=960,mb=32,nb=32,p=1,q=7"
                                                     : "cyclic:m=960,n=960,mb=32,nb=32,p=23,q=1");
        scalay_advice_options options = scalay_advice_options_default();
        char text[4096];
        int maps = 0, patterns = 0, idle = 0, theirs = 0;
        options.kernel = kernels[k / 2];
        options.times = 2;
        options.bring_back = 1;
        options.processes = processes;
        scalay_advice *advice = advise(source, &options);
        for (int c = 0; c < scalay_advice_count(advice); c++) {
            const scalay_advice_candidate found = get(advice, c);
            scalay_layout *layout = NULL;
            maps += strstr(found.name, ":1d1d:") != NULL;
            patterns += strstr(found.name, ":pattern:") != NULL;
            idle += found.nprow > 0 && found.nprow * found.npcol < processes && is_by_engine(&found);
            theirs += strcmp(found.routine, routines[k / 2]) == 0;
            assert_true(is_by_engine(&found) || strcmp(found.routine, routines[k / 2]) == 0);
            if (!is_by_engine(&found)) continue;
            assert_int_equal(scalay_advice_layout(advice, c, &layout), SCALAY_SUCCESS);
            const double seconds = 2 * engine_seconds(&options, (scalay_factor_kind)(k / 2), layout);
            const int is_idle = scalay_layout_parts(layout) < processes; /* their speeds count in the balance */
            if (is_idle ? found.kernel_seconds < seconds : fabs(found.kernel_seconds - seconds) > 1e-9 * seconds)
                fail_msg("%d: %s takes %g instead of %g", k, found.name, found.kernel_seconds, seconds);
            scalay_layout_destroy(&layout);
        }
        if (maps == 0 || patterns == 0 || idle == 0 || theirs == 0)
            fail_msg("%d: %d 1D-1D maps, %d patterns, %d idle grids, %d of ScaLAPACK", k, maps, patterns, idle, theirs);
        assert_true(scalay_advice_describe(advice, text, sizeof text) < (int)sizeof text);
        assert_non_null(strstr(text, "the best grid with idle processes"));
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* For unchanged programs: the same times of ScaLAPACK's routines, and no others. */
static void scalapack_alone_can_be_advised(void **state)
{
    (void)state;
    static const scalay_kernel kernels[] = {SCALAY_KERNEL_QR, SCALAY_KERNEL_LU, SCALAY_KERNEL_CHOLESKY,
                                            SCALAY_KERNEL_GEMM};
    scalay_layout *source = parse("cyclic:m=960,n=960,mb=8,nb=8,p=1,q=7");
    for (int k = 0; k < 4; k++) {
        scalay_advice_options options = scalay_advice_options_default();
        options.kernel = kernels[k];
        options.scalapack_only = 1;
        scalay_advice *advice = advise(source, &options);
        int stays = 0;
        for (int c = 0; c < scalay_advice_count(advice); c++) {
            assert_memory_equal(get(advice, c).routine, "p?", 2);
            stays += strcmp(get(advice, c).name, "owner") == 0;
        }
        assert_int_equal(stays, 1);
        scalay_advice_destroy(&advice);
    }
    scalay_layout_destroy(&source);
    assert_int_equal(scalay_memory_live(), 0);
}

/* More ranks on faster processes are named if their best grid takes at most 1.05 times as long. */
static void more_ranks_are_named_when_as_good(void **state)
{
    (void)state;
    const double speed[3] = {1.0, 0.5, 0.5}, equal[4] = {0.5, 0.5, 0.5, 0.5};
    int named = 0, cases = 0;
    for (int k = 0; k < 8; k++) {
        const int64_t n = 200 << (k / 2);
        scalay_layout *source = NULL;
        scalay_advice_options options = scalay_advice_options_default();
        scalay_machine machine = scalay_machine_typical();
        char text[4096];
        double best = INFINITY;
        /* expensive messages: whole columns on three processes; cheap ones: any grid */
        machine.seconds_per_message *= k % 2 ? 100 : 0.01;
        options.machine = &machine;
        options.speed = speed;
        options.times = 10;
        options.nb = 32;
        assert_int_equal(scalay_layout_block_cyclic(n, n, 32, 32, 1, 3, 0, 0, SCALAY_ROW_MAJOR, &source),
                         SCALAY_SUCCESS);
        scalay_advice *advice = advise(source, &options);
        for (int p = 1; p <= 4; p++)
            for (int q = 1; p * q <= 4; q++) {
                scalay_qr_cost cost;
                assert_int_equal(scalay_model_qr_speeds(&machine, SCALAY_DOUBLE, n, n, p, q, 32, equal, &cost),
                                 SCALAY_SUCCESS);
                best = fmin(best, 10 * cost.seconds);
            }
        assert_true(scalay_advice_describe(advice, text, sizeof text) < (int)sizeof text);
        const double half[4] = {0.5, 0.5, 0.5, 0.5};
        scalay_machine slower = machine;
        slower.seconds_per_flop *= 2;
        const scalay_engine_problem problem = {SCALAY_FACTOR_QR, SCALAY_DOUBLE, 4, half, &slower, 0.0, -1};
        scalay_engine_choice choice = {0};
        assert_int_equal(scalay_engine_choose_map(&problem, n, n, 32, &choice), SCALAY_SUCCESS);
        scalay_owner_map_destroy(&choice.map);
        best = fmin(best, 10 * choice.seconds);
        const int is_named = strstr(text, "More ranks on the faster processors are as good: 4 ranks") != NULL;
        assert_int_equal(is_named, best <= 1.05 * get(advice, 0).kernel_seconds);
        named += is_named;
        cases++;
        scalay_advice_destroy(&advice);
        scalay_layout_destroy(&source);
    }
    print_message("named in %d of %d cases\n", named, cases);
    assert_true(named > 0 && named < cases);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_offered_where_no_grid_is_good),
        cmocka_unit_test(factorisations_by_the_engine_are_offered),
        cmocka_unit_test(scalapack_alone_can_be_advised),
        cmocka_unit_test(more_ranks_are_named_when_as_good),
        cmocka_unit_test(the_extent_of_a_block_along_one_process_does_not_matter),
        cmocka_unit_test(nothing_that_can_be_done_is_much_better),
        cmocka_unit_test(candidates_are_sorted_and_cost_what_they_say),
        cmocka_unit_test(who_runs_nothing_stays_and_who_runs_often_moves),
        cmocka_unit_test(products_can_stay_anywhere),
        cmocka_unit_test(many_processes_take_no_time),
        cmocka_unit_test(primes_may_leave_processes_idle),
        cmocka_unit_test(kernels_of_the_caller_are_asked),
        cmocka_unit_test(nonsense_is_an_error),
        cmocka_unit_test(no_core_has_more_processes_than_it_must),
        cmocka_unit_test(qr_stays_on_any_grid),
        cmocka_unit_test(equal_placements_get_equal_advice),
        cmocka_unit_test(a_product_on_one_process_stays),
        cmocka_unit_test(speeds_of_processes_count),
        cmocka_unit_test(a_submatrix_is_copied_at_least),
        cmocka_unit_test(a_layout_is_listed_once),
        cmocka_unit_test(stencils_come_back_at_the_same_price),
        cmocka_unit_test(cores_are_numbered),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
