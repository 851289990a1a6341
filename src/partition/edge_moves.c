#include "partition/edge_moves.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"

/* The search: loads, and what every part is made of. */
typedef struct {
    scalay_tiling *tiling;
    int parts;
    const double *area;
    int64_t *count;  /* shape [parts]: elements */
    int64_t *change; /* shape [parts]: what the move at hand would add; zero between moves */
    int *changed;    /* shape [parts]: the parts it would touch */
    int changed_parts;
    int64_t *first; /* shape [parts + 1]: the rectangles of a part are own[first[part]] .. */
    int64_t *own;   /* shape [rectangles] */
    int *is_stuck;  /* shape [parts]: no move helps, as things are */
} search;

static double error_of(const search *s, int part, int64_t count)
{
    return s->area[part] > 0 ? fabs((double)count / s->area[part] - 1) : 0;
}

static scalay_status list_rectangles(search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_tiling *tiling = s->tiling;
    SCALAY_TRY(SCALAY_NEW(s->first, (int64_t)s->parts + 1));
    SCALAY_TRY(SCALAY_NEW(s->own, tiling->rectangles));
    for (int64_t k = 0; k < tiling->rectangles; k++) s->first[tiling->rectangle[k].part]++;
    for (int part = 0; part < s->parts; part++) s->first[part + 1] += s->first[part];
    for (int64_t k = tiling->rectangles - 1; k >= 0; k--) s->own[--s->first[tiling->rectangle[k].part]] = k;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- moves */

/* Puts an edge somewhere and notes in change[] what that does, `sign` times; 0 when a rectangle is turned inside out.
 */
static int shift_edge(search *s, int64_t e, int64_t to)
{
    scalay_tiling *tiling = s->tiling;
    scalay_tiling_edge *edge = &tiling->edge[e];
    const int64_t from = edge->at;
    int fits = 1;
    for (int64_t k = edge->first; k < edge->first + edge->count; k++) {
        const scalay_tiling_rectangle *rectangle = &tiling->rectangle[tiling->touch[k]];
        const int part = rectangle->part;
        const int64_t before = scalay_tiling_elements(tiling, rectangle);
        edge->at = to;
        const int64_t after = scalay_tiling_elements(tiling, rectangle);
        const int64_t *side = rectangle->edge;
        fits &= tiling->edge[side[SCALAY_TOP]].at <= tiling->edge[side[SCALAY_BOTTOM]].at &&
                tiling->edge[side[SCALAY_LEFT]].at <= tiling->edge[side[SCALAY_RIGHT]].at;
        edge->at = from;
        if (s->change[part] == 0) s->changed[s->changed_parts++] = part;
        s->change[part] += after - before;
        /* a part whose changes cancel out so far may be listed twice: settle() finds nothing left to add */
    }
    return fits;
}

/* Forgets the noted changes, or makes them true. */
static void settle(search *s, int accepted)
{
    for (int k = 0; k < s->changed_parts; k++) {
        const int part = s->changed[k];
        if (accepted) s->count[part] += s->change[part];
        s->change[part] = 0;
    }
    s->changed_parts = 0;
}

/* The worst error among the parts of a move: before it, and after it; infinite when it empties one. */
static double worst_before(const search *s)
{
    double worst = 0;
    for (int k = 0; k < s->changed_parts; k++) worst = fmax(worst, error_of(s, s->changed[k], s->count[s->changed[k]]));
    return worst;
}

static double worst_after(const search *s)
{
    double worst = 0;
    for (int k = 0; k < s->changed_parts; k++) {
        const int part = s->changed[k];
        const int64_t count = s->count[part] + s->change[part];
        if (count == 0 && s->count[part] > 0) return INFINITY;
        worst = fmax(worst, error_of(s, part, count));
    }
    return worst;
}

/* A part's best move: of any edge of its rectangles, one tile either way. */
typedef struct {
    int64_t edge; /* -1: none */
    int64_t to;
    double worst;
} edge_move;

static void try_move(search *s, int64_t e, int64_t to, edge_move *best)
{
    const int fits = shift_edge(s, e, to);
    const double after = worst_after(s);
    if (fits && after < best->worst && after < worst_before(s)) *best = (edge_move){e, to, after};
    settle(s, 0);
}

static edge_move best_move(search *s, int part)
{
    edge_move best = {-1, 0, INFINITY};
    for (int64_t k = s->first[part]; k < s->first[part + 1]; k++)
        for (int side = 0; side < SCALAY_SIDES; side++) {
            const int64_t e = s->tiling->rectangle[s->own[k]].edge[side];
            if (s->tiling->edge[e].is_fixed) continue;
            try_move(s, e, s->tiling->edge[e].at - 1, &best);
            try_move(s, e, s->tiling->edge[e].at + 1, &best);
        }
    return best;
}

/* Parts with an edge on a rectangle that has changed may have moves again. */
static void wake_neighbours(search *s, const scalay_tiling_edge *moved)
{
    const scalay_tiling *tiling = s->tiling;
    for (int64_t k = moved->first; k < moved->first + moved->count; k++)
        for (int side = 0; side < SCALAY_SIDES; side++) {
            const scalay_tiling_edge *edge = &tiling->edge[tiling->rectangle[tiling->touch[k]].edge[side]];
            if (edge->is_fixed) continue;
            for (int64_t t = edge->first; t < edge->first + edge->count; t++)
                s->is_stuck[tiling->rectangle[tiling->touch[t]].part] = 0;
        }
}

static int worst_part(const search *s)
{
    int worst = -1;
    double error = 0;
    for (int part = 0; part < s->parts; part++) {
        if (s->is_stuck[part] || error_of(s, part, s->count[part]) <= error) continue;
        error = error_of(s, part, s->count[part]);
        worst = part;
    }
    return worst;
}

/* Every move makes the sorted list of errors smaller, so that this ends; the bounds are for the patience of users: with
 * thousands of parts, most looks find no move. */
static void move_edges(search *s)
{
    int64_t looks = 100000;
    for (int64_t moves = 64 * (int64_t)s->parts + 256; moves > 0 && looks > 0; looks--) {
        const int part = worst_part(s);
        if (part < 0) return;
        const edge_move best = best_move(s, part);
        if (best.edge < 0) {
            s->is_stuck[part] = 1;
            continue;
        }
        (void)shift_edge(s, best.edge, best.to);
        settle(s, 1);
        s->tiling->edge[best.edge].at = best.to;
        wake_neighbours(s, &s->tiling->edge[best.edge]);
        moves--;
    }
}

scalay_status scalay_edge_moves(int parts, const double *area, scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    search s = {.tiling = tiling, .parts = parts, .area = area};
    SCALAY_TRY(list_rectangles(&s));
    SCALAY_TRY(SCALAY_NEW(s.count, parts));
    SCALAY_TRY(SCALAY_NEW(s.change, parts));
    SCALAY_TRY(SCALAY_NEW(s.changed, tiling->rectangles + 1));
    SCALAY_TRY(SCALAY_NEW(s.is_stuck, parts));
    for (int64_t k = 0; k < tiling->rectangles; k++)
        s.count[tiling->rectangle[k].part] += scalay_tiling_elements(tiling, &tiling->rectangle[k]);
    move_edges(&s);
cleanup:
    scalay_release(s.first);
    scalay_release(s.own);
    scalay_release(s.count);
    scalay_release(s.change);
    scalay_release(s.changed);
    scalay_release(s.is_stuck);
    return status;
}
