/*
 * Orders of the points of a symmetric pattern, and processes of its diagonal tiles, that balance trailing triangles.
 *
 * Neither changes z. The triangles are those of 8 x 8 copies of the pattern. Let a triangle contain F whole copies of
 * each point and one more copy of the points in a suffix of the order. A process with e pairs of points, of which f are
 * in the suffix, and with d incidences in the suffix has F^2 e + F d + f tiles off the diagonal. A step adds one point,
 * so only the processes at this point can become the slowest one.
 *
 * If 8 copies of one order are not balanced, the table gets each point twice, in two orders (4 copies). Off the
 * diagonal, a point and its twin share a tile, which may be given to any process of the point, too.
 *
 * Start: the next point from the end is the one with the least potential, the sum of exp(d / mean d) over its
 * processes. Then local search exchanges points and moves diagonal tiles. Evaluation: O(r^2 + 8 r z) for r points.
 */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/pattern.h"

/* A pattern whose points and diagonal tiles are rearranged. */
typedef struct {
    int points, parts, copies;
    const int *owner;    /* shape [points][points]; -1 on the diagonal */
    const double *speed; /* shape [parts] */
    int *diagonal;       /* shape [points][copies] */
    int *order;          /* shape [points]: point at each position */
    /* incidences: the processes of point x are member[first[x] .. first[x + 1]) */
    int *first, *member, *degree;
    int *suffix_degree, *suffix_pairs; /* shape [incidences]: d and f after the point was added */
    int *d, *f, *pairs, *tiles;        /* shape [parts]: d, f, e, and diagonal tiles in the triangle */
    double *load, *work;               /* shape [parts]: tiles of the triangle; sum over the triangles */
    double all_speeds, all_work;
} arrangement;

static scalay_status list_members(arrangement *in)
{
    scalay_status status = SCALAY_SUCCESS;
    const int r = in->points;
    const int64_t most = (int64_t)r * (r - 1);
    SCALAY_TRY(SCALAY_NEW(in->first, r + 1));
    SCALAY_TRY(SCALAY_NEW(in->member, most));
    SCALAY_TRY(SCALAY_NEW(in->degree, most));
    SCALAY_TRY(SCALAY_NEW(in->suffix_degree, most));
    SCALAY_TRY(SCALAY_NEW(in->suffix_pairs, most));
    for (int a = 0, count = 0; a < r; a++) {
        in->first[a] = count;
        for (int b = 0; b < r; b++) {
            if (a == b) continue;
            int k = in->first[a];
            while (k < count && in->member[k] != in->owner[a * r + b]) k++;
            if (k == count) in->member[count++] = in->owner[a * r + b];
            in->degree[k]++;
            if (b < a) in->pairs[in->owner[a * r + b]]++;
        }
        in->first[a + 1] = count;
    }
cleanup:
    return status;
}

static scalay_status arrangement_create(arrangement *in)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(in->order, in->points));
    SCALAY_TRY(SCALAY_NEW(in->d, in->parts));
    SCALAY_TRY(SCALAY_NEW(in->f, in->parts));
    SCALAY_TRY(SCALAY_NEW(in->pairs, in->parts));
    SCALAY_TRY(SCALAY_NEW(in->tiles, in->parts));
    SCALAY_TRY(SCALAY_NEW(in->load, in->parts));
    SCALAY_TRY(SCALAY_NEW(in->work, in->parts));
    SCALAY_TRY(list_members(in));
    const double tiles = (double)in->copies * in->points;
    in->all_work = tiles * (tiles + 1) * (tiles + 2) / 6;
    for (int part = 0; part < in->parts; part++) in->all_speeds += in->speed[part];
cleanup:
    return status;
}

static void arrangement_free(arrangement *in)
{
    scalay_release(in->diagonal);
    scalay_release(in->order);
    scalay_release(in->first);
    scalay_release(in->member);
    scalay_release(in->degree);
    scalay_release(in->suffix_degree);
    scalay_release(in->suffix_pairs);
    scalay_release(in->d);
    scalay_release(in->f);
    scalay_release(in->pairs);
    scalay_release(in->tiles);
    scalay_release(in->load);
    scalay_release(in->work);
}

/* ------------------------------------------------------------------------------------------------------- evaluation */

/* Finds d and f of each process at each point, from the last point of the order on. */
static void count_suffixes(arrangement *in)
{
    const int r = in->points;
    memset(in->d, 0, (size_t)in->parts * sizeof *in->d);
    memset(in->f, 0, (size_t)in->parts * sizeof *in->f);
    for (int position = r - 1; position >= 0; position--) {
        const int x = in->order[position];
        const int *own = in->owner + (int64_t)x * r;
        for (int later = position + 1; later < r; later++) in->f[own[in->order[later]]]++;
        for (int k = in->first[x]; k < in->first[x + 1]; k++) {
            in->suffix_degree[k] = in->d[in->member[k]] += in->degree[k];
            in->suffix_pairs[k] = in->f[in->member[k]];
        }
    }
}

/* Returns the sum over the triangles of the load / speed of their slowest process, and sums the work of each process.
 * `with_diagonal`: diagonal tiles count. */
static double evaluate(arrangement *in, int with_diagonal)
{
    const int r = in->points, copies = in->copies;
    double sum = 0, slowest = 0;
    memset(in->tiles, 0, (size_t)in->parts * sizeof *in->tiles);
    memset(in->load, 0, (size_t)in->parts * sizeof *in->load);
    memset(in->work, 0, (size_t)in->parts * sizeof *in->work);
    for (int step = copies * r - 1; step >= 0; step--) {
        const int copy = step / r, x = in->order[step % r], whole = copies - 1 - copy;
        for (int row = copy; with_diagonal && row < copies; row++)
            in->tiles[in->diagonal[x * copies + (row + copy) % copies]]++;
        for (int k = in->first[x]; k < in->first[x + 1]; k++) {
            const int part = in->member[k];
            const double load = (double)whole * whole * in->pairs[part] + (double)whole * in->suffix_degree[k] +
                                in->suffix_pairs[k] + in->tiles[part];
            in->work[part] += (load - in->load[part]) * (step + 1);
            in->load[part] = load;
            slowest = fmax(slowest, load / in->speed[part]);
        }
        sum += slowest;
    }
    return sum;
}

/* Relative time of the triangles, plus a penalty for the process with most work if it has over 1.02 times its share. */
static double value_of(arrangement *in)
{
    const double time = evaluate(in, 1) * in->all_speeds / in->all_work;
    double max = 0;
    for (int part = 0; part < in->parts; part++) max = fmax(max, in->work[part] / in->speed[part]);
    return time + 4 * fmax(0, max * in->all_speeds / in->all_work - 1.02);
}

/* ----------------------------------------------------------------------------------------------------------- search */

/* Orders the points from the end: next is the point whose processes are least represented. */
static scalay_status order_greedily(arrangement *in, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    const int r = in->points;
    int *is_taken = NULL;
    SCALAY_TRY(SCALAY_NEW(is_taken, r));
    memset(in->d, 0, (size_t)in->parts * sizeof *in->d);
    for (int position = r - 1; position >= 0; position--) {
        double least = INFINITY;
        for (int x = 0; x < r; x++) {
            double potential = 1e-6 * scalay_random_unit(random);
            for (int k = in->first[x]; k < in->first[x + 1]; k++)
                potential += exp(8 * (double)in->d[in->member[k]] / in->pairs[in->member[k]]);
            if (is_taken[x] || potential >= least) continue;
            least = potential;
            in->order[position] = x;
        }
        const int x = in->order[position];
        is_taken[x] = 1;
        for (int k = in->first[x]; k < in->first[x + 1]; k++) in->d[in->member[k]] += in->degree[k];
    }
cleanup:
    scalay_release(is_taken);
    return status;
}

/* Gives the diagonal tiles, first those with most work, to the process of their point with the least work. */
static void deal_diagonal(arrangement *in)
{
    const int copies = in->copies;
    count_suffixes(in);
    (void)evaluate(in, 0);
    for (int position = in->points - 1; position >= 0; position--)
        for (int k = 0; k < copies; k++) {
            const int t = (copies - k) % copies, x = in->order[position];
            double work = 0;
            for (int row = 0; row < copies; row++)
                for (int col = 0; col <= row; col++)
                    if ((row + col) % copies == t) work += col * in->points + position + 1;
            int best = in->member[in->first[x]];
            for (int m = in->first[x]; m < in->first[x + 1]; m++) {
                const int part = in->member[m];
                if ((in->work[part] + work) / in->speed[part] < (in->work[best] + work) / in->speed[best]) best = part;
            }
            in->diagonal[x * copies + t] = best;
            in->work[best] += work;
        }
}

static void exchange(int *list, int a, int b)
{
    const int kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

/* Exchanges points, and gives diagonal tiles to another process of their point, as long as the value decreases. */
static void improve(arrangement *in, int64_t trials, int with_diagonal, scalay_random *random)
{
    const int r = in->points, copies = in->copies;
    count_suffixes(in);
    double best = value_of(in);
    for (int64_t trial = 0; trial < trials; trial++) {
        const int x = (int)scalay_random_below(random, r), y = (int)scalay_random_below(random, r);
        const int t = (int)scalay_random_below(random, copies), is_exchange = !with_diagonal || trial % 2 == 0;
        const int old = in->diagonal[x * copies + t];
        if (x == y) continue;
        if (is_exchange) {
            exchange(in->order, x, y);
            count_suffixes(in);
        } else {
            in->diagonal[x * copies + t] = in->owner[(int64_t)x * r + y];
        }
        const double value = value_of(in);
        if (value <= best) {
            best = value;
            continue;
        }
        if (is_exchange) {
            exchange(in->order, x, y);
            count_suffixes(in);
        } else {
            in->diagonal[x * copies + t] = old;
        }
    }
}

static scalay_status arrange(arrangement *in, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t r = in->points, cost = r * r + 2 * in->copies * (r + in->first[r]);
    const int64_t trials = scalay_min_int64(20000, 120000000 / cost);
    SCALAY_TRY(order_greedily(in, random));
    deal_diagonal(in);
    improve(in, trials / 2, 0, random);
    deal_diagonal(in);
    improve(in, trials / 2, 1, random);
cleanup:
    return status;
}

/* Creates the pattern with the points in the new order. */
static scalay_status create_arranged(const arrangement *in, const char *method, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    const int r = in->points, copies = in->copies;
    int *owner = NULL, *diagonal = NULL;
    SCALAY_TRY(SCALAY_NEW(owner, (int64_t)r * r));
    SCALAY_TRY(SCALAY_NEW(diagonal, (int64_t)r * copies));
    for (int a = 0; a < r; a++) {
        for (int b = 0; b < r; b++) owner[a * r + b] = in->owner[in->order[a] * r + in->order[b]];
        for (int t = 0; t < copies; t++) diagonal[a * copies + t] = in->diagonal[in->order[a] * copies + t];
    }
    const scalay_pattern_table table = {
        .parts = in->parts, .rows = r, .cols = r, .owner = owner, .copies = copies, .diagonal = diagonal};
    SCALAY_TRY(scalay_pattern_new("scalay_pattern_find", &table, method, pattern));
cleanup:
    scalay_release(owner);
    scalay_release(diagonal);
    return status;
}

/* Returns the balance of the triangle that is arranged. */
static double find_balance(arrangement *in)
{
    double max = 0;
    count_suffixes(in);
    (void)evaluate(in, 1);
    for (int part = 0; part < in->parts; part++) max = fmax(max, in->work[part] / in->speed[part]);
    return in->all_work / (max * in->all_speeds);
}

/* Arranges a table, and replaces the pattern if it has no balance yet or the new one is more balanced. */
static scalay_status try_table(const scalay_pattern_request *request, int points, int copies, const int *owner,
                               scalay_random *random, scalay_pattern **pattern, double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_pattern *better = NULL;
    scalay_pattern_summary summary;
    arrangement in = {
        .points = points, .parts = request->parts, .copies = copies, .speed = request->speed, .owner = owner};
    SCALAY_TRY(SCALAY_NEW(in.diagonal, (int64_t)points * copies));
    SCALAY_TRY(arrangement_create(&in));
    SCALAY_TRY(arrange(&in, random));
    SCALAY_TRY(create_arranged(&in, (*pattern)->method, &better));
    SCALAY_TRY(scalay_pattern_evaluate(better, SCALAY_PATTERN_CHOLESKY, request->speed, &summary));
    const double found = fmin(find_balance(&in), summary.balance);
    if (*balance > 0 && found <= *balance) goto cleanup;
    scalay_pattern_destroy(pattern);
    *pattern = better;
    better = NULL;
    *balance = found;
cleanup:
    scalay_pattern_destroy(&better);
    arrangement_free(&in);
    return status;
}

/* Fills a table of each point twice, first ascending, then descending. Its tiles of a point and its twin are given to
 * the process of the point with the least load / speed. load: shape [parts], zeroed. */
static void fill_doubled(const scalay_pattern *from, const double *speed, int *owner, double *load)
{
    const int r = from->rows, n = 2 * r;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int a = i < r ? i : n - 1 - i, b = j < r ? j : n - 1 - j;
            owner[i * n + j] = from->owner[a * r + b];
            if (a != b) load[owner[i * n + j]] += 0.5;
        }
    for (int i = 0; i < r; i++) {
        const int *own = from->owner + (int64_t)i * r;
        int best = own[i == 0];
        for (int b = 0; b < r; b++)
            if (b != i && (load[own[b]] + 1) / speed[own[b]] < (load[best] + 1) / speed[best]) best = own[b];
        owner[i * n + n - 1 - i] = owner[(n - 1 - i) * n + i] = best;
        load[best]++;
    }
}

enum { COPIES = SCALAY_PATTERN_COPIES, MAX_DOUBLED = 256 };

scalay_status scalay_pattern_arrange(const scalay_pattern_request *request, scalay_pattern **pattern,
                                     scalay_random *random, double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_pattern *from = *pattern;
    const int r = from->rows;
    int *doubled = NULL;
    double *load = NULL;
    *balance = 0;
    if (from->diagonal == NULL || from->copies != COPIES || r < 3) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(doubled, 4 * (int64_t)r * r));
    SCALAY_TRY(SCALAY_NEW(load, from->parts));
    fill_doubled(from, request->speed, doubled, load);
    SCALAY_TRY(try_table(request, r, COPIES, from->owner, random, pattern, balance));
    if (*balance < SCALAY_PATTERN_BALANCE && r <= MAX_DOUBLED)
        SCALAY_TRY(try_table(request, 2 * r, COPIES / 2, doubled, random, pattern, balance));
cleanup:
    scalay_release(doubled);
    scalay_release(load);
    return status;
}
