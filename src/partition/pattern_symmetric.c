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
 * incidences plus penalties for loads above the shares, and in some runs for loads too far below them.
 *
 * Diagonal tiles may be given to any process of their point without a cost. They are dealt, for 8 x 8 copies, to the
 * process with the least work in all trailing triangles, the tiles with most work first.
 *
 * Patterns form a Pareto front of z and of the balance that their diagonal tiles can reach. pattern_order.c arranges
 * them by ascending z, until one is balanced.
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

enum { COPIES = SCALAY_PATTERN_COPIES, MAX_POINTS = 512 };

/* Diagonal tiles of a point over the tiles of a pair, in the lower triangle of 8 x 8 copies. */
static const double DIAGONAL = 0.5625;

/* A symmetric pattern in work. */
typedef struct {
    int points, parts;
    int *owner;       /* shape [points][points], symmetric; -1 on the diagonal */
    int *count;       /* shape [parts][points]: pairs of the process at the point */
    int *load;        /* shape [parts]: pairs */
    double *capacity; /* shape [parts]: pairs */
    double *least;    /* shape [parts]: pairs that a balanced pattern needs besides diagonal tiles */
    double missing;   /* weight of missing pairs */
    int64_t incidences;
    const char *method;
} design;

static void design_free(design *d)
{
    scalay_release(d->owner);
    scalay_release(d->count);
    scalay_release(d->load);
    scalay_release(d->capacity);
    scalay_release(d->least);
    *d = (design){0};
}

static void set_capacities(const scalay_pattern_request *request, design *d)
{
    const double points = d->points, pairs = points * (points - 1) / 2;
    double all = 0;
    for (int part = 0; part < d->parts; part++) all += request->speed[part];
    for (int part = 0; part < d->parts; part++) {
        const double share = request->speed[part] / all;
        d->capacity[part] = fmax(floor(share * points * points / 2 + 1e-9), ceil(share * pairs - 1e-9));
        d->least[part] = floor(share * (pairs - DIAGONAL * points));
    }
}

static scalay_status design_create(const scalay_pattern_request *request, int points, const char *method, design *d)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = request->parts;
    *d = (design){.points = points, .parts = parts, .method = method};
    SCALAY_TRY(SCALAY_NEW(d->owner, (int64_t)points * points));
    SCALAY_TRY(SCALAY_NEW(d->count, (int64_t)parts * points));
    SCALAY_TRY(SCALAY_NEW(d->load, parts));
    SCALAY_TRY(SCALAY_NEW(d->capacity, parts));
    SCALAY_TRY(SCALAY_NEW(d->least, parts));
    for (int64_t k = 0; k < (int64_t)points * points; k++) d->owner[k] = -1;
    set_capacities(request, d);
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

/* Weights of pairs above the capacity, and of missing pairs. */
static const double OVERLOAD = 1.2, UNDERLOAD = 0.8;

static double overload(const design *d, int part, int change)
{
    const double load = d->load[part] + change;
    return OVERLOAD * fmax(0, load - d->capacity[part]) + d->missing * fmax(0, d->least[part] - load);
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

static scalay_status anneal(design *d, double hot, int is_even, int64_t steps, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    d->missing = is_even ? UNDERLOAD : 0;
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

/* Returns a process with the least load per capacity. */
static int least_loaded(const design *d, scalay_random *random)
{
    int best = 0, equal = 1;
    for (int part = 1; part < d->parts; part++) {
        const double load = d->load[part] / d->capacity[part], least = d->load[best] / d->capacity[best];
        if (load > least) continue;
        equal = load < least ? 1 : equal + 1;
        if (scalay_random_below(random, equal) == 0) best = part;
    }
    return best;
}

/* The points of each process of a greedy cover. */
typedef struct {
    int *member; /* shape [parts][points] */
    int *size;   /* shape [parts] */
    int *uses;   /* shape [points]: processes at the point */
} cover;

/* Returns the point that adds most pairs without an owner to a process; among equals, one that few processes have. */
static int best_point(const design *d, const cover *c, int part, scalay_random *random)
{
    const int *list = c->member + (int64_t)part * d->points;
    int best = -1;
    double most = -INFINITY;
    for (int a = 0; a < d->points; a++) {
        int fresh = 0, is_member = 0;
        for (int k = 0; k < c->size[part]; k++) {
            is_member |= list[k] == a;
            fresh += d->owner[a * d->points + list[k]] < 0;
        }
        const double value = fresh - 0.01 * c->uses[a] + 1e-3 * scalay_random_unit(random);
        if (is_member || value <= most) continue;
        most = value;
        best = a;
    }
    return best;
}

/* GCR&M: points are added to the process with the least load, until all pairs are covered. */
static void fill_cover(design *d, cover *c, scalay_random *random)
{
    int64_t left = (int64_t)d->points * (d->points - 1) / 2;
    while (left > 0) {
        const int part = least_loaded(d, random);
        int *list = c->member + (int64_t)part * d->points;
        const int a = best_point(d, c, part, random);
        if (a < 0) { /* the process has all points */
            complete(d, d->parts);
            return;
        }
        for (int k = 0; k < c->size[part]; k++)
            if (d->owner[a * d->points + list[k]] < 0) {
                give(d, a, list[k], part);
                left--;
            }
        list[c->size[part]++] = a;
        c->uses[a]++;
        if (d->load[part] == 0) d->capacity[part] *= 1 - 1e-9; /* a process with one point: others go on */
    }
}

static scalay_status draw_cover(design *d, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    cover c = {0};
    SCALAY_TRY(SCALAY_NEW(c.member, (int64_t)d->parts * d->points));
    SCALAY_TRY(SCALAY_NEW(c.size, d->parts));
    SCALAY_TRY(SCALAY_NEW(c.uses, d->points));
    fill_cover(d, &c, random);
cleanup:
    scalay_release(c.member);
    scalay_release(c.size);
    scalay_release(c.uses);
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

/* A pattern, its z, and the balance that it can reach. */
typedef struct {
    scalay_pattern *pattern;
    double cost, balance;
} candidate;

/* The order of the points changes the balance by some percent: higher balances than ENOUGH count as equal. */
static const double ENOUGH = 0.985;

enum { MAX_CANDIDATES = 8 };

/* The Pareto front of the patterns so far, by ascending cost and ascending balance. */
typedef struct {
    const scalay_pattern_request *request;
    int count;
    candidate front[MAX_CANDIDATES];
    scalay_random random;
} selection;

/* Returns 1 if no pattern of the front is as cheap and as balanced. */
static int is_wanted(const selection *in, double cost, double balance)
{
    for (int k = 0; k < in->count; k++)
        if (in->front[k].cost <= cost + 1e-9 && in->front[k].balance >= fmin(balance, ENOUGH) - 1e-9) return 0;
    return in->count < MAX_CANDIDATES || balance > in->front[0].balance;
}

static void drop(selection *in, int k)
{
    scalay_pattern_destroy(&in->front[k].pattern);
    in->count--;
    for (; k < in->count; k++) in->front[k] = in->front[k + 1];
}

/* Inserts a pattern, and drops those that it dominates. A full front drops its least balanced pattern. */
static void insert(selection *in, const candidate *offered)
{
    int at = 0;
    for (int k = in->count - 1; k >= 0; k--)
        if (in->front[k].cost >= offered->cost - 1e-9 && in->front[k].balance <= offered->balance + 1e-9) drop(in, k);
    if (in->count == MAX_CANDIDATES) drop(in, 0);
    while (at < in->count && in->front[at].cost < offered->cost) at++;
    for (int k = in->count; k > at; k--) in->front[k] = in->front[k - 1];
    in->front[at] = *offered;
    in->count++;
}

/* Keeps a pattern if it belongs to the front. */
static scalay_status offer_table(selection *in, const scalay_pattern_table *table, const char *method, double cost,
                                 double balance)
{
    scalay_status status = SCALAY_SUCCESS;
    candidate offered = {NULL, cost, fmin(balance, ENOUGH)};
    if (!is_wanted(in, cost, balance)) return SCALAY_SUCCESS;
    status = scalay_pattern_new("scalay_pattern_find", table, method, &offered.pattern);
    if (status == SCALAY_ERROR_ARGUMENT) return SCALAY_SUCCESS; /* a process owns no tile */
    if (status == SCALAY_SUCCESS) insert(in, &offered);
    return status;
}

/* Offers a table without diagonal tiles by rule. */
static scalay_status offer_whole_table(selection *in, const scalay_pattern_table *table, const char *method)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_pattern *pattern = NULL;
    scalay_pattern_summary summary;
    SCALAY_TRY(scalay_pattern_new("scalay_pattern_find", table, method, &pattern));
    SCALAY_TRY(scalay_pattern_evaluate(pattern, SCALAY_PATTERN_CHOLESKY, in->request->speed, &summary));
    SCALAY_TRY(offer_table(in, table, method, summary.z, summary.balance));
cleanup:
    scalay_pattern_destroy(&pattern);
    return status;
}

/* Processes at the points of a design, and their shares of the diagonal tiles of these points. */
typedef struct {
    const design *d;
    const double *speed;
    int *first, *member; /* the processes at point a: member[first[a] .. first[a + 1]) */
    double *share;       /* shape of member: diagonal tiles, in tiles of a pair */
    double *load;        /* shape [parts]: with diagonal tiles */
} diagonal_shares;

/* Spreads the diagonal tiles of a point: those of its processes that get some have the same load / speed. */
static void spread_point(diagonal_shares *s, int a)
{
    const int first = s->first[a], last = s->first[a + 1];
    double level = INFINITY, previous = 0;
    for (int k = first; k < last; k++) s->load[s->member[k]] -= s->share[k];
    do {
        double tiles = DIAGONAL, speeds = 0;
        previous = level;
        for (int k = first; k < last; k++) {
            const int part = s->member[k];
            if (s->load[part] >= previous * s->speed[part]) continue;
            tiles += s->load[part];
            speeds += s->speed[part];
        }
        level = tiles / speeds;
    } while (level < previous);
    for (int k = first; k < last; k++) {
        const int part = s->member[k];
        s->share[k] = fmax(0, level * s->speed[part] - s->load[part]);
        s->load[part] += s->share[k];
    }
}

/* Finds the balance that diagonal tiles can reach if the order of the points does not matter: the points spread their
 * tiles in turn (coordinate descent on the sum of load^2 / speed, whose minimum has the least maximum, too). */
static scalay_status find_reachable(const selection *in, const design *d, double *balance)
{
    enum { ROUNDS = 16 };
    scalay_status status = SCALAY_SUCCESS;
    diagonal_shares s = {.d = d, .speed = in->request->speed};
    double all = 0, most = 0;
    SCALAY_TRY(SCALAY_NEW(s.first, d->points + 1));
    SCALAY_TRY(SCALAY_NEW(s.member, d->incidences));
    SCALAY_TRY(SCALAY_NEW(s.share, d->incidences));
    SCALAY_TRY(SCALAY_NEW(s.load, d->parts));
    for (int a = 0; a < d->points; a++) {
        s.first[a + 1] = s.first[a];
        for (int part = 0; part < d->parts; part++)
            if (is_at(d, part, a)) s.member[s.first[a + 1]++] = part;
    }
    for (int part = 0; part < d->parts; part++) s.load[part] = d->load[part];
    for (int round = 0; round < ROUNDS; round++)
        for (int a = 0; a < d->points && d->points > 1; a++) spread_point(&s, a);
    for (int part = 0; part < d->parts; part++) {
        all += s.speed[part];
        most = fmax(most, s.load[part] / s.speed[part]);
    }
    *balance = (0.5 * d->points * (d->points - 1) + DIAGONAL * d->points) / all / most;
cleanup:
    scalay_release(s.first);
    scalay_release(s.member);
    scalay_release(s.share);
    scalay_release(s.load);
    return status;
}

static scalay_status offer_design(selection *in, const design *d)
{
    scalay_status status = SCALAY_SUCCESS;
    const double cost = (double)d->incidences / d->points;
    double balance = 1;
    int *diagonal = NULL;
    if (!is_wanted(in, cost, balance)) return SCALAY_SUCCESS;
    SCALAY_TRY(find_reachable(in, d, &balance));
    if (!is_wanted(in, cost, balance)) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(diagonal, (int64_t)d->points * COPIES));
    SCALAY_TRY(deal_diagonal(d, in->request->speed, diagonal));
    const scalay_pattern_table table = {.parts = d->parts,
                                        .rows = d->points,
                                        .cols = d->points,
                                        .owner = d->owner,
                                        .copies = COPIES,
                                        .diagonal = diagonal};
    SCALAY_TRY(offer_table(in, &table, d->method, cost, balance));
cleanup:
    scalay_release(diagonal);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- families */

/* Process grids: not symmetric, but any number of processes has one. */
static scalay_status offer_grids(selection *in)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = in->request->parts;
    int *owner = NULL;
    if (!in->request->is_uniform) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(owner, parts));
    for (int part = 0; part < parts; part++) owner[part] = part;
    for (int p = 1; p * p <= parts; p++) {
        const scalay_pattern_table table = {.parts = parts, .rows = p, .cols = parts / p, .owner = owner};
        if (parts % p == 0) SCALAY_TRY(offer_whole_table(in, &table, "grid"));
    }
cleanup:
    scalay_release(owner);
    return status;
}

/* SBC. Extended: process r (r - 1) / 2 + k owns the diagonal tiles 2 k and 2 k + 1. */
static scalay_status offer_sbc(selection *in, int points, int extended)
{
    scalay_status status = SCALAY_SUCCESS;
    design d = {0};
    const int parts = in->request->parts;
    SCALAY_TRY(design_create(in->request, points, extended ? "SBC extended" : "SBC", &d));
    int k = 0;
    for (int a = 0; a < points; a++)
        for (int b = 0; b < a; b++) give(&d, a, b, k++);
    if (!extended) {
        SCALAY_TRY(offer_design(in, &d));
    } else {
        for (int a = 0; a < points; a++) d.owner[a * points + a] = k + a / 2;
        const scalay_pattern_table table = {.parts = parts, .rows = points, .cols = points, .owner = d.owner};
        SCALAY_TRY(offer_whole_table(in, &table, d.method));
    }
cleanup:
    design_free(&d);
    return status;
}

/* Steps of one annealing. With a budget, the annealings share it; a step takes about 0.1 microseconds. */
static int64_t step_count(const selection *in, int points)
{
    if (in->request->budget > 0) return (int64_t)(in->request->budget * 1e6);
    return scalay_min_int64(800000, 800 * (int64_t)points * points);
}

/* The plane of order q, with lines removed or processes added until there is one line per process. */
static scalay_status offer_plane(selection *in, int q, int affine)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = in->request->parts;
    scalay_plane plane = {0};
    design d = {0};
    SCALAY_TRY(scalay_plane_create(q, &plane));
    const int lines = plane.points - affine, points = plane.points - affine * (q + 1);
    const int is_exact = lines == parts;
    SCALAY_TRY(design_create(in->request, points,
                             is_exact ? (affine ? "affine plane" : "projective plane")
                                      : (affine ? "affine plane, annealed" : "projective plane, annealed"),
                             &d));
    draw_plane(&plane, affine, &d);
    complete(&d, (int)scalay_min_int64(parts, lines));
    for (int part = lines; part < parts; part++) add_process(&d, part, &in->random);
    if (is_exact) SCALAY_TRY(offer_design(in, &d));
    if (is_exact && in->request->is_uniform) goto cleanup;
    for (int run = 0; run < (parts <= 16 ? 32 : parts <= 32 ? 8 : 2); run++) { /* from the result of the run before */
        SCALAY_TRY(anneal(&d, run % 2 == 0 ? 0.35 : 0.12, run % 4 != 0, step_count(in, points) / 2, &in->random));
        SCALAY_TRY(offer_design(in, &d));
    }
cleanup:
    scalay_release(plane.line);
    design_free(&d);
    return status;
}

/* A greedy cover: its cost, and the state of the random numbers that create it again. */
typedef struct {
    double cost;
    int points;
    scalay_random random;
} cover_start;

enum { COVERS = 8 }; /* that are annealed */

static scalay_status create_cover(const selection *in, cover_start *start, design *d)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = start->random;
    SCALAY_TRY(design_create(in->request, start->points, "greedy cover, annealed", d));
    SCALAY_TRY(draw_cover(d, &random));
    set_capacities(in->request, d);
    start->cost = (double)d->incidences / start->points;
cleanup:
    return status;
}

/* Draws covers of one number of points, and keeps the best one if it is among the first. */
static scalay_status try_covers(selection *in, int points, int runs, cover_start *first)
{
    scalay_status status = SCALAY_SUCCESS;
    design d = {0};
    cover_start least = {.cost = INFINITY};
    for (int run = 0; run < runs; run++) {
        cover_start start = {.points = points, .random = scalay_random_seed(scalay_random_bits(&in->random))};
        SCALAY_TRY(create_cover(in, &start, &d));
        if (start.cost < least.cost) least = start;
        design_free(&d);
    }
    for (int k = COVERS - 1; k >= 0 && least.cost < first[k].cost; k--) {
        if (k + 1 < COVERS) first[k + 1] = first[k];
        first[k] = least;
    }
cleanup:
    design_free(&d);
    return status;
}

/* Returns 0 if equal processes cannot be balanced: pairs and diagonal tiles of one process exceed 1.03 shares. */
static int is_balanced_extent(const scalay_pattern_request *request, int points)
{
    const double parts = request->parts, pairs = points * (points - 1) / 2.0;
    return !request->is_uniform || ceil(pairs / parts) <= 1.03 * points * points / 2 / parts;
}

/* Covers of points from sqrt(2 P), where each process has one pair, to 6 sqrt(P). The best ones are annealed. */
static scalay_status offer_covers(selection *in)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = in->request->parts, runs = parts <= 128 ? 8 + 1024 / parts : 1;
    const double root = sqrt(parts);
    const int first = (int)ceil(1.42 * root), last = (int)scalay_min_int64(MAX_POINTS, (int64_t)(6 * root) + 1);
    const int stride = parts <= 128 ? 1 : (int)scalay_max_int64(1, (last - first) / (parts <= 1024 ? 16 : 3));
    cover_start start[COVERS];
    design d = {0};
    for (int k = 0; k < COVERS; k++) start[k] = (cover_start){.cost = INFINITY};
    for (int points = first; points <= last; points += stride)
        if (is_balanced_extent(in->request, points)) SCALAY_TRY(try_covers(in, points, runs, start));
    for (int k = 0; k < COVERS && start[k].points > 0; k++) {
        SCALAY_TRY(create_cover(in, &start[k], &d));
        for (int run = 0; run < (parts <= 16 ? 6 : 2); run++) {
            SCALAY_TRY(anneal(&d, run % 2 == 0 ? 0.12 : 0.25, run % 2, step_count(in, d.points), &in->random));
            SCALAY_TRY(offer_design(in, &d));
        }
        design_free(&d);
    }
cleanup:
    design_free(&d);
    return status;
}

static scalay_status offer_planes(selection *in)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = in->request->parts;
    for (int q = 2; q <= 64; q++) {
        const int lines = q * q + q + 1;
        if (!scalay_is_prime_power(q)) continue;
        const int is_exact = lines == parts || lines - 1 == parts;
        const int is_near = parts <= 512 && lines - parts <= q && parts - lines <= 2 * q;
        if (!is_exact && !is_near) continue;
        if (lines != parts + 1 || !in->request->is_uniform) SCALAY_TRY(offer_plane(in, q, 0));
        if (lines != parts || !in->request->is_uniform) SCALAY_TRY(offer_plane(in, q, 1));
    }
cleanup:
    return status;
}

/* A balance below the wanted one must be paid for by a lower cost. */
static double value_of(const candidate *of)
{
    return of->cost / fmax(0.1, 1 - 8 * fmax(0, SCALAY_PATTERN_BALANCE - of->balance));
}

/* Arranges the candidates by ascending cost, and returns the first one that is balanced, or the best one. */
static scalay_status choose(selection *in, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    candidate *best = in->front;
    for (int k = 0; k < in->count; k++) {
        candidate *tried = &in->front[k];
        double balance = 0;
        SCALAY_TRY(scalay_pattern_arrange(in->request, &tried->pattern, &in->random, &balance));
        if (balance > 0) tried->balance = balance;
        if (value_of(tried) < value_of(best)) best = tried;
        if (tried->balance >= SCALAY_PATTERN_BALANCE) break;
    }
    *pattern = best->pattern;
    best->pattern = NULL;
cleanup:
    return status;
}

scalay_status scalay_pattern_find_symmetric(const scalay_pattern_request *request, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    selection in = {.request = request, .random = scalay_random_seed(1)};
    const candidate *best = in.front;
    const int parts = request->parts;
    SCALAY_TRY(offer_grids(&in));
    SCALAY_TRY(offer_planes(&in));
    for (int r = 2; r * (r - 1) / 2 <= parts && request->is_uniform; r++) {
        if (r * (r - 1) / 2 == parts) SCALAY_TRY(offer_sbc(&in, r, 0));
        if (r % 2 == 0 && r * r / 2 == parts) SCALAY_TRY(offer_sbc(&in, r, 1));
    }
    double bound = 1;
    while (bound * (bound - 1) < parts - 1) bound++;
    if (parts > 1 && (parts <= 6 || !(in.count > 0 && best->cost <= bound && best->balance > 0.95)))
        SCALAY_TRY(offer_covers(&in));
    if (in.count == 0) return scalay_pattern_find_unsymmetric(request, pattern); /* too few pairs for all */
    SCALAY_TRY(choose(&in, pattern));
cleanup:
    while (in.count > 0) drop(&in, 0);
    return status;
}
