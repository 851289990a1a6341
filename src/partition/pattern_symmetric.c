/*
 * Symmetric patterns for Cholesky: a process owns pairs {a, b} of r points, which are the tiles (a, b) and (b, a).
 *
 * z, the cost, is the number of processes per point. Starts:
 * - process grids and SBC (Beaumont et al. 2022): P = r (r - 1) / 2, one pair for each process, or P = r^2 / 2 with
 *   processes for pairs of diagonal tiles;
 * - projective planes: P = q^2 + q + 1, a process is a line and owns the pairs of its points, z = q + 1; affine planes:
 *   a plane without the points of one line, P = q^2 + q;
 * - the nearest planes with lines removed, or with processes added on points of which no three are on a line;
 * - greedy covers (GCR&M, Beaumont et al. 2023): the process with the least load gets the point that adds most pairs.
 * Local search (simulated annealing) moves pairs between processes. Its energy is the number of (process, point)
 * incidences plus a penalty for loads above the shares.
 *
 * Diagonal tiles may be given to any process of their point without a cost. They are dealt, for 8 x 8 copies, to the
 * process with the least work in all trailing triangles, the tiles with most work first. The order of the points does
 * not change z, either. Both are improved by local search on the trailing balance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "partition/pattern.h"

enum { COPIES = 8, MAX_POINTS = 512 };

/* A symmetric pattern in work. */
typedef struct {
    int points, parts;
    int *owner;       /* shape [points][points], symmetric; -1 on the diagonal */
    int *count;       /* shape [parts][points]: pairs of the process at the point */
    int *load;        /* shape [parts]: pairs */
    double *capacity; /* shape [parts]: pairs */
    int64_t incidences;
    const char *method;
} design;

static void design_free(design *d)
{
    scalay_release(d->owner);
    scalay_release(d->count);
    scalay_release(d->load);
    scalay_release(d->capacity);
    *d = (design){0};
}

static scalay_status design_create(const scalay_pattern_request *request, int points, const char *method, design *d)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = request->parts;
    double all = 0;
    *d = (design){.points = points, .parts = parts, .method = method};
    SCALAY_TRY(SCALAY_NEW(d->owner, (int64_t)points * points));
    SCALAY_TRY(SCALAY_NEW(d->count, (int64_t)parts * points));
    SCALAY_TRY(SCALAY_NEW(d->load, parts));
    SCALAY_TRY(SCALAY_NEW(d->capacity, parts));
    for (int64_t k = 0; k < (int64_t)points * points; k++) d->owner[k] = -1;
    for (int part = 0; part < parts; part++) all += request->speed[part];
    const double pairs = points * (points - 1) / 2.0;
    for (int part = 0; part < parts; part++) {
        const double share = request->speed[part] / all;
        d->capacity[part] = fmax(floor(share * points * points / 2 + 1e-9), ceil(share * pairs - 1e-9));
    }
cleanup:
    return status;
}

/* Gives pair {a, b} to a process; part -1 takes it away. */
static void give(design *d, int a, int b, int part)
{
    const int old = d->owner[a * d->points + b];
    if (old >= 0) {
        d->load[old]--;
        d->incidences -= --d->count[(int64_t)old * d->points + a] == 0;
        d->incidences -= --d->count[(int64_t)old * d->points + b] == 0;
    }
    if (part >= 0) {
        d->load[part]++;
        d->incidences += d->count[(int64_t)part * d->points + a]++ == 0;
        d->incidences += d->count[(int64_t)part * d->points + b]++ == 0;
    }
    d->owner[a * d->points + b] = d->owner[b * d->points + a] = part;
}

static int is_at(const design *d, int part, int point)
{
    return d->count[(int64_t)part * d->points + point] > 0;
}

/* ------------------------------------------------------------------------------------------------------ local search
 */

/* Weight of pairs above the capacity. */
static const double OVERLOAD = 0.7;

static double overload(const design *d, int part, int change)
{
    const double over = d->load[part] + change - d->capacity[part];
    return over > 0 ? OVERLOAD * over : 0;
}

/* Change of the energy if pair {a, b} moves to another process. */
static double move_cost(const design *d, int a, int b, int to)
{
    const int from = d->owner[a * d->points + b];
    const int *out = d->count + (int64_t)from * d->points, *in = d->count + (int64_t)to * d->points;
    return (in[a] == 0) + (in[b] == 0) - (out[a] == 1) - (out[b] == 1) + overload(d, to, 1) - overload(d, to, 0) +
           overload(d, from, -1) - overload(d, from, 0);
}

static double energy_of(const design *d)
{
    double energy = (double)d->incidences;
    for (int part = 0; part < d->parts; part++) energy += overload(d, part, 0);
    return energy;
}

/* Proposes a process for pair {a, b}: mostly one that is at a or b already. */
static int propose(const design *d, int a, int b, scalay_random *random)
{
    const int64_t choice = scalay_random_below(random, 16);
    if (choice == 0) return (int)scalay_random_below(random, d->parts);
    const int point = choice % 2 ? a : b;
    int other = (int)scalay_random_below(random, d->points - 1);
    other += other >= point;
    return d->owner[point * d->points + other];
}

static scalay_status anneal(design *d, double hot, int64_t steps, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    const double cold = 0.05;
    const int64_t cells = (int64_t)d->points * d->points;
    int *best = NULL;
    double energy = energy_of(d), best_energy = energy, heat = hot;
    if (d->points < 2) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(best, cells));
    memcpy(best, d->owner, (size_t)cells * sizeof *best);
    for (int64_t step = 0; step < steps; step++) {
        if (step % 1024 == 0) heat = hot * pow(cold / hot, (double)step / (double)steps);
        const int a = (int)scalay_random_below(random, d->points);
        int b = (int)scalay_random_below(random, d->points - 1);
        b += b >= a;
        const int to = propose(d, a, b, random);
        const int from = d->owner[a * d->points + b];
        if (to == from || d->load[from] == 1) continue; /* each process keeps a pair */
        const double change = move_cost(d, a, b, to);
        if (change > 0 && scalay_random_unit(random) >= exp(-change / heat)) continue;
        give(d, a, b, to);
        energy += change;
        if (energy >= best_energy - 1e-9) continue;
        best_energy = energy;
        memcpy(best, d->owner, (size_t)cells * sizeof *best);
    }
    for (int a = 0; a < d->points; a++)
        for (int b = 0; b < a; b++) give(d, a, b, best[a * d->points + b]);
cleanup:
    scalay_release(best);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- starts */

/* Returns the process at a or b with the most room; of all processes, if none has room. */
static int roomiest(const design *d, int a, int b, int last)
{
    int best = -1;
    double most = -INFINITY;
    for (int part = 0; part < last; part++) {
        const int places = is_at(d, part, a) + is_at(d, part, b);
        const double room = d->capacity[part] - d->load[part];
        const double value = (room > 0 ? 1000.0 * places : 0) + room;
        if (value <= most) continue;
        most = value;
        best = part;
    }
    return best;
}

/* Gives each pair without an owner to a process with room. */
static void complete(design *d, int last)
{
    for (int a = 0; a < d->points; a++)
        for (int b = 0; b < a; b++)
            if (d->owner[a * d->points + b] < 0) give(d, a, b, roomiest(d, a, b, last));
}

/* A plane, or without the points of line 0 an affine plane. Lines beyond the number of processes are left out. */
static void draw_plane(const scalay_plane *plane, int affine, design *d)
{
    const int v = plane->points;
    for (int a = 0, x = 0; a < v; a++) {
        int a_on = 0;
        for (int k = 0; affine && k < v; k++) a_on |= plane->line[(int64_t)a * v + k] == 0;
        if (a_on) continue;
        for (int b = 0, y = 0; b < a; b++) {
            int b_on = 0;
            for (int k = 0; affine && k < v; k++) b_on |= plane->line[(int64_t)b * v + k] == 0;
            if (b_on) continue;
            const int line = plane->line[(int64_t)a * v + b] - affine;
            if (line < d->parts) give(d, x, y, line);
            y++;
        }
        x++;
    }
}

/* Takes pairs for a new process from a set of points that lies on many lines with much load. */
static void add_process(design *d, int part, scalay_random *random)
{
    int best[64], set[64];
    double most = -INFINITY;
    int size = 2;
    while (size < 60 && size < d->points && size * (size - 1) / 2 < d->capacity[part]) size++;
    for (int attempt = 0; attempt < 300; attempt++) {
        double value = 0;
        for (int k = 0; k < size; k++) {
            set[k] = (int)scalay_random_below(random, d->points);
            for (int l = 0; l < k; l++)
                if (set[l] == set[k]) k--, l = k + 1;
        }
        for (int k = 0; k < size; k++)
            for (int l = 0; l < k; l++) {
                const int owner = d->owner[set[k] * d->points + set[l]];
                int twice = 0;
                for (int m = 0; m < k; m++)
                    for (int n = 0; n < m; n++) twice += d->owner[set[m] * d->points + set[n]] == owner;
                value += d->load[owner] - d->capacity[owner] - 2.0 * twice;
            }
        if (value <= most) continue;
        most = value;
        memcpy(best, set, sizeof best);
    }
    for (int k = 0; k < size; k++)
        for (int l = 0; l < k; l++)
            if (d->load[part] < d->capacity[part]) give(d, best[k], best[l], part);
}

/* Returns the process with the least load per capacity. */
static int least_loaded(const design *d)
{
    int best = 0;
    for (int part = 1; part < d->parts; part++)
        if (d->load[part] / d->capacity[part] < d->load[best] / d->capacity[best]) best = part;
    return best;
}

/* GCR&M: points are added to the process with the least load, until all pairs are covered. */
static scalay_status draw_cover(design *d, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t left = (int64_t)d->points * (d->points - 1) / 2;
    int *member = NULL, *uses = NULL;
    SCALAY_TRY(SCALAY_NEW(member, (int64_t)d->parts * d->points));
    SCALAY_TRY(SCALAY_NEW(uses, d->points));
    while (left > 0) {
        const int part = least_loaded(d);
        int *in = member + (int64_t)part * d->points;
        int best = -1;
        double most = -INFINITY;
        for (int a = 0; a < d->points; a++) {
            if (in[a]) continue;
            int fresh = 0, members = 0;
            for (int b = 0; b < d->points; b++) {
                members += in[b];
                fresh += in[b] && d->owner[a * d->points + b] < 0;
            }
            const double value = (members == 0 ? 0 : fresh) - 0.01 * uses[a] + 1e-3 * scalay_random_unit(random);
            if (value > most) {
                most = value;
                best = a;
            }
        }
        if (best < 0) { /* the process has all points */
            complete(d, d->parts);
            break;
        }
        in[best] = 1;
        uses[best]++;
        for (int b = 0; b < d->points; b++)
            if (b != best && in[b] && d->owner[best * d->points + b] < 0) {
                give(d, best, b, part);
                left--;
            }
        if (d->load[part] == 0) d->capacity[part] *= 1 - 1e-9; /* a process with one point: others go on */
    }
cleanup:
    scalay_release(member);
    scalay_release(uses);
    return status;
}

/* -------------------------------------------------------------------------------------------------- diagonal, result
 */

/* A diagonal tile of the 8 x 8 copies: pattern row a of the copies with t = (I + J) mod 8. */
typedef struct {
    double work;
    int a, t;
} diagonal_tile;

static int compare_tiles(const void *left, const void *right)
{
    const diagonal_tile *x = left, *y = right;
    if (x->work != y->work) return scalay_compare_double(y->work, x->work);
    return scalay_compare_int64((int64_t)x->a * COPIES + x->t, (int64_t)y->a * COPIES + y->t);
}

/* Sums the updates of the tiles of each process in the lower triangle of 8 x 8 copies. Tile (i, j) is updated j + 1
 * times. */
static void add_work(const design *d, double *work)
{
    const int r = d->points;
    for (int a = 0; a < r; a++)
        for (int b = 0; b < r; b++) {
            if (a == b) continue;
            double sum = 0;
            for (int row = 0; row < COPIES; row++)
                for (int col = 0; col <= row; col++)
                    if (row > col || a > b) sum += col * r + b + 1;
            work[d->owner[a * r + b]] += sum;
        }
}

static double diagonal_work(int r, int a, int t)
{
    double sum = 0;
    for (int row = 0; row < COPIES; row++)
        for (int col = 0; col <= row; col++)
            if ((row + col) % COPIES == t) sum += col * r + a + 1;
    return sum;
}

static scalay_status deal_diagonal(const design *d, const double *speed, int *diagonal)
{
    scalay_status status = SCALAY_SUCCESS;
    double *work = NULL;
    diagonal_tile *tile = NULL;
    const int64_t tiles = (int64_t)d->points * COPIES;
    SCALAY_TRY(SCALAY_NEW(work, d->parts));
    SCALAY_TRY(SCALAY_NEW(tile, tiles));
    add_work(d, work);
    for (int64_t k = 0; k < tiles; k++) {
        const int a = (int)(k / COPIES), t = (int)(k % COPIES);
        tile[k] = (diagonal_tile){diagonal_work(d->points, a, t), a, t};
    }
    qsort(tile, (size_t)tiles, sizeof *tile, compare_tiles);
    for (int64_t k = 0; k < tiles; k++) {
        int best = -1;
        for (int part = 0; part < d->parts; part++)
            if ((d->points == 1 || is_at(d, part, tile[k].a)) &&
                (best < 0 || (work[part] + tile[k].work) / speed[part] < (work[best] + tile[k].work) / speed[best]))
                best = part;
        diagonal[tile[k].a * COPIES + tile[k].t] = best;
        work[best] += tile[k].work;
    }
cleanup:
    scalay_release(work);
    scalay_release(tile);
    return status;
}

/* The best pattern so far. */
typedef struct {
    const scalay_pattern_request *request;
    scalay_pattern *pattern;
    double cost, balance;
    scalay_random random;
} selection;

/* A balance below 0.92 must be paid for by a lower cost: the value rises by 1.5 times the difference. Rearranging will
 * improve the balance by some percent. */
static double value_of(double cost, double balance)
{
    return cost / fmax(0.1, 1 - 1.5 * fmax(0, 0.92 - balance));
}

static scalay_status offer_table(selection *best, const scalay_pattern_table *table, const char *method)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_pattern *pattern = NULL;
    scalay_pattern_summary summary;
    status = scalay_pattern_new("scalay_pattern_find", table, method, &pattern);
    if (status == SCALAY_ERROR_ARGUMENT) return SCALAY_SUCCESS; /* a process owns no tile */
    if (status != SCALAY_SUCCESS) return status;
    SCALAY_TRY(scalay_pattern_evaluate(pattern, SCALAY_PATTERN_CHOLESKY, best->request->speed, &summary));
    const double value = value_of(summary.z, summary.balance), old = value_of(best->cost, best->balance);
    if (best->pattern != NULL &&
        (value > old + 1e-9 || (value > old - 1e-9 && summary.balance <= best->balance + 1e-9)))
        goto cleanup;
    scalay_pattern_destroy(&best->pattern);
    best->pattern = pattern;
    best->cost = summary.z;
    best->balance = summary.balance;
    pattern = NULL;
cleanup:
    scalay_pattern_destroy(&pattern);
    return status;
}

static scalay_status offer_design(selection *best, const design *d)
{
    scalay_status status = SCALAY_SUCCESS;
    int *diagonal = NULL;
    SCALAY_TRY(SCALAY_NEW(diagonal, (int64_t)d->points * COPIES));
    SCALAY_TRY(deal_diagonal(d, best->request->speed, diagonal));
    const scalay_pattern_table table = {.parts = d->parts,
                                        .rows = d->points,
                                        .cols = d->points,
                                        .owner = d->owner,
                                        .copies = COPIES,
                                        .diagonal = diagonal};
    SCALAY_TRY(offer_table(best, &table, d->method));
cleanup:
    scalay_release(diagonal);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- order of points
 */

/* A pattern whose points and diagonal tiles are rearranged. */
typedef struct {
    int points, parts;
    int *owner;    /* shape [points][points]; -1 on the diagonal */
    int *diagonal; /* shape [points][COPIES] */
    int *order;    /* shape [points]: point at each position */
    const double *speed;
    double *load; /* shape [parts] */
} arrangement;

/* Returns the sum over the trailing triangles of 8 x 8 copies of the load / speed of their slowest process. */
static double trailing_time(arrangement *in)
{
    const int r = in->points, tiles = COPIES * r;
    double sum = 0, slowest = 0;
    memset(in->load, 0, (size_t)in->parts * sizeof *in->load);
    for (int k = tiles - 1; k >= 0; k--) {
        const int b = in->order[k % r];
        const int *own = in->owner + (int64_t)b * r;
        for (int i = k; i < tiles; i++) {
            const int a = in->order[i % r];
            const int part = a == b ? in->diagonal[b * COPIES + (i / r + k / r) % COPIES] : own[a];
            in->load[part] += 1 / in->speed[part];
            slowest = fmax(slowest, in->load[part]);
        }
        sum += slowest;
    }
    return sum;
}

static void exchange(int *list, int a, int b)
{
    const int kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

/* Exchanges points, and gives diagonal tiles to another process of their point, as long as trailing_time() decreases.
 */
static void rearrange(arrangement *in, int64_t trials, scalay_random *random)
{
    const int r = in->points;
    double best = trailing_time(in);
    for (int64_t trial = 0; trial < trials; trial++) {
        const int x = (int)scalay_random_below(random, r), y = (int)scalay_random_below(random, r);
        const int t = (int)scalay_random_below(random, COPIES), is_exchange = trial % 2 == 0;
        const int old = in->diagonal[x * COPIES + t];
        if (x == y) continue;
        if (is_exchange)
            exchange(in->order, x, y);
        else
            in->diagonal[x * COPIES + t] = in->owner[(int64_t)x * r + y];
        const double time = trailing_time(in);
        if (time <= best) {
            best = time;
            continue;
        }
        if (is_exchange)
            exchange(in->order, x, y);
        else
            in->diagonal[x * COPIES + t] = old;
    }
}

/* Replaces a symmetric pattern with a diagonal by its rearrangement. */
static scalay_status balance_trailing(const scalay_pattern_request *request, scalay_pattern **pattern,
                                      scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_pattern *from = *pattern;
    scalay_pattern *better = NULL;
    arrangement in = {.points = from->rows, .parts = from->parts, .speed = request->speed, .diagonal = from->diagonal};
    const int r = from->rows;
    int *owner = NULL, *diagonal = NULL;
    if (from->diagonal == NULL || from->copies != COPIES || r < 3) return SCALAY_SUCCESS;
    in.owner = from->owner;
    SCALAY_TRY(SCALAY_NEW(in.order, r));
    SCALAY_TRY(SCALAY_NEW(in.load, from->parts));
    SCALAY_TRY(SCALAY_NEW(owner, (int64_t)r * r));
    SCALAY_TRY(SCALAY_NEW(diagonal, (int64_t)r * COPIES));
    for (int a = 0; a < r; a++) in.order[a] = a;
    rearrange(&in, scalay_min_int64(3000, 40000000 / ((int64_t)COPIES * COPIES * r * r / 2)), random);
    for (int a = 0; a < r; a++) {
        for (int b = 0; b < r; b++) owner[a * r + b] = from->owner[in.order[a] * r + in.order[b]];
        for (int t = 0; t < COPIES; t++) diagonal[a * COPIES + t] = from->diagonal[in.order[a] * COPIES + t];
    }
    const scalay_pattern_table table = {
        .parts = from->parts, .rows = r, .cols = r, .owner = owner, .copies = COPIES, .diagonal = diagonal};
    SCALAY_TRY(scalay_pattern_new("scalay_pattern_find", &table, from->method, &better));
    scalay_pattern_destroy(pattern);
    *pattern = better;
cleanup:
    scalay_release(in.order);
    scalay_release(in.load);
    scalay_release(owner);
    scalay_release(diagonal);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- families */

/* Process grids: not symmetric, but any number of processes has one. */
static scalay_status offer_grids(selection *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = best->request->parts;
    int *owner = NULL;
    if (!best->request->is_uniform) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(owner, parts));
    for (int part = 0; part < parts; part++) owner[part] = part;
    for (int p = 1; p * p <= parts; p++) {
        const scalay_pattern_table table = {.parts = parts, .rows = p, .cols = parts / p, .owner = owner};
        if (parts % p == 0) SCALAY_TRY(offer_table(best, &table, "grid"));
    }
cleanup:
    scalay_release(owner);
    return status;
}

/* SBC. Extended: process r (r - 1) / 2 + k owns the diagonal tiles 2 k and 2 k + 1. */
static scalay_status offer_sbc(selection *best, int points, int extended)
{
    scalay_status status = SCALAY_SUCCESS;
    design d = {0};
    const int parts = best->request->parts;
    SCALAY_TRY(design_create(best->request, points, extended ? "SBC extended" : "SBC", &d));
    int k = 0;
    for (int a = 0; a < points; a++)
        for (int b = 0; b < a; b++) give(&d, a, b, k++);
    if (!extended) {
        SCALAY_TRY(offer_design(best, &d));
    } else {
        for (int a = 0; a < points; a++) d.owner[a * points + a] = k + a / 2;
        const scalay_pattern_table table = {.parts = parts, .rows = points, .cols = points, .owner = d.owner};
        SCALAY_TRY(offer_table(best, &table, d.method));
    }
cleanup:
    design_free(&d);
    return status;
}

static int64_t step_count(const selection *best, int points)
{
    if (best->request->budget > 0) return (int64_t)(best->request->budget * 2e6);
    return scalay_min_int64(400000, 400 * (int64_t)points * points);
}

/* The plane of order q, with lines removed or processes added until there is one line per process. */
static scalay_status offer_plane(selection *best, int q, int affine)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = best->request->parts;
    scalay_plane plane = {0};
    design d = {0};
    SCALAY_TRY(scalay_plane_create(q, &plane));
    const int lines = plane.points - affine, points = plane.points - affine * (q + 1);
    const int is_exact = lines == parts;
    SCALAY_TRY(design_create(best->request, points,
                             is_exact ? (affine ? "affine plane" : "projective plane")
                                      : (affine ? "affine plane, annealed" : "projective plane, annealed"),
                             &d));
    draw_plane(&plane, affine, &d);
    complete(&d, (int)scalay_min_int64(parts, lines));
    for (int part = lines; part < parts; part++) add_process(&d, part, &best->random);
    if (is_exact) SCALAY_TRY(offer_design(best, &d));
    if (is_exact && best->request->is_uniform) goto cleanup;
    SCALAY_TRY(anneal(&d, 0.35, step_count(best, points), &best->random));
    SCALAY_TRY(offer_design(best, &d));
cleanup:
    scalay_release(plane.line);
    design_free(&d);
    return status;
}

static scalay_status offer_cover(selection *best, int points)
{
    scalay_status status = SCALAY_SUCCESS;
    design d = {0};
    SCALAY_TRY(design_create(best->request, points, "greedy cover, annealed", &d));
    SCALAY_TRY(draw_cover(&d, &best->random));
    SCALAY_TRY(anneal(&d, 0.5, step_count(best, points), &best->random));
    SCALAY_TRY(offer_design(best, &d));
cleanup:
    design_free(&d);
    return status;
}

/* Extents from sqrt(2 P), where each process has one pair, to 3 sqrt(P). */
static scalay_status offer_covers(selection *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const double root = sqrt(best->request->parts);
    const int first = (int)ceil(1.42 * root) + 1, last = best->request->parts <= 128 ? (int)(3 * root) + 3 : first + 2;
    const int stride = (int)scalay_max_int64(1, (last - first) / 8);
    for (int points = first; points <= last && points <= MAX_POINTS; points += stride)
        SCALAY_TRY(offer_cover(best, points));
cleanup:
    return status;
}

static scalay_status offer_planes(selection *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = best->request->parts;
    for (int q = 2; q <= 64; q++) {
        const int lines = q * q + q + 1;
        if (!scalay_is_prime_power(q)) continue;
        const int is_exact = lines == parts || lines - 1 == parts;
        const int is_near = parts <= 512 && lines - parts <= q && parts - lines <= 2 * q;
        if (!is_exact && !is_near) continue;
        if (lines != parts + 1 || !best->request->is_uniform) SCALAY_TRY(offer_plane(best, q, 0));
        if (lines != parts || !best->request->is_uniform) SCALAY_TRY(offer_plane(best, q, 1));
    }
cleanup:
    return status;
}

scalay_status scalay_pattern_find_symmetric(const scalay_pattern_request *request, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    selection best = {.request = request, .random = scalay_random_seed(1)};
    const int parts = request->parts;
    SCALAY_TRY(offer_grids(&best));
    SCALAY_TRY(offer_planes(&best));
    for (int r = 2; r * (r - 1) / 2 <= parts && request->is_uniform; r++) {
        if (r * (r - 1) / 2 == parts) SCALAY_TRY(offer_sbc(&best, r, 0));
        if (r % 2 == 0 && r * r / 2 == parts) SCALAY_TRY(offer_sbc(&best, r, 1));
    }
    double bound = 1;
    while (bound * (bound - 1) < parts - 1) bound++;
    if (parts > 1 && !(best.pattern != NULL && best.cost <= bound && best.balance > 0.95))
        SCALAY_TRY(offer_covers(&best));
    if (best.pattern == NULL) return scalay_pattern_find_unsymmetric(request, pattern); /* too few pairs for all */
    SCALAY_TRY(balance_trailing(request, &best.pattern, &best.random));
    *pattern = best.pattern;
    best.pattern = NULL;
cleanup:
    scalay_pattern_destroy(&best.pattern);
    return status;
}
