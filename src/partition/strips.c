#include "partition/strips.h"

#include <stdlib.h>

#include "base/memory.h"

/* A rectangle as seen by the sweep: across is the direction in which it goes, along that of a strip. */
typedef struct {
    int part;
    int64_t layer;                 /* later ones cover earlier ones */
    double begin, end;             /* across */
    double along_begin, along_end; /* along */
} swept_paint;

typedef struct {
    int64_t paints, edges;
    double *edge;          /* shape [edges], ascending */
    swept_paint *paint;    /* shape [paints], by begin */
    int64_t entered;       /* how many of them have been reached */
    int64_t active;        /* reaching into the strip at hand, by layer */
    swept_paint *reaching; /* shape [active] */
    double *cut;           /* shape [2 active]: their edges along the strip */
    int *visible;          /* shape [2 active]: the part between two of them; -1: none */
    double *amount;        /* shape [parts]: owned length; zero between strips */
    int *owner;            /* shape [parts] */
    double *held;          /* shape [parts] */
} sweep;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_begins(const void *a, const void *b)
{
    const swept_paint *x = a;
    const swept_paint *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->layer > y->layer) - (x->layer < y->layer);
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Three pieces of memory, cut up: drawings of three rectangles are visited thousands of times. */
static scalay_status sweep_allocate(int64_t paints, int parts, sweep *swept)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(swept->edge, 4 * paints + 2 * (int64_t)parts));
    SCALAY_TRY(SCALAY_NEW(swept->paint, 2 * paints));
    SCALAY_TRY(SCALAY_NEW(swept->visible, 2 * paints + parts));
    swept->cut = swept->edge + 2 * paints;
    swept->amount = swept->cut + 2 * paints;
    swept->held = swept->amount + parts;
    swept->reaching = swept->paint + paints;
    swept->owner = swept->visible + 2 * paints;
cleanup:
    return status;
}

static void sweep_free(sweep *swept)
{
    scalay_release(swept->edge);
    scalay_release(swept->paint);
    scalay_release(swept->visible);
}

/* Rectangles without extent are left out. */
static void take_paints(const scalay_drawing *drawing, scalay_bands_way way, sweep *swept)
{
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        if (!(paint->rows > 0.0 && paint->cols > 0.0)) continue;
        swept_paint by_rows = {
            paint->part, k, paint->row, paint->row + paint->rows, paint->col, paint->col + paint->cols};
        swept_paint by_cols = {
            paint->part, k, paint->col, paint->col + paint->cols, paint->row, paint->row + paint->rows};
        swept_paint taken = way == SCALAY_BANDS_OF_ROWS ? by_rows : by_cols;
        swept->edge[swept->edges++] = taken.begin;
        swept->edge[swept->edges++] = taken.end;
        swept->paint[swept->paints++] = taken;
    }
    qsort(swept->edge, (size_t)swept->edges, sizeof *swept->edge, compare_doubles);
    qsort(swept->paint, (size_t)swept->paints, sizeof *swept->paint, compare_begins);
}

/* Those that end here go, those that begin here come; few do, so that insertion keeps them by layer. */
static void enter_strip(sweep *swept, double begin)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < swept->active; k++)
        if (swept->reaching[k].end > begin) swept->reaching[kept++] = swept->reaching[k];
    for (; swept->entered < swept->paints && swept->paint[swept->entered].begin <= begin; swept->entered++) {
        swept_paint coming = swept->paint[swept->entered];
        int64_t at = kept++;
        for (; at > 0 && swept->reaching[at - 1].layer > coming.layer; at--)
            swept->reaching[at] = swept->reaching[at - 1];
        swept->reaching[at] = coming;
    }
    swept->active = kept;
}

static int64_t find_cut(const sweep *swept, int64_t cuts, double value)
{
    int64_t low = 0;
    int64_t high = cuts;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (swept->cut[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Paints one strip and adds up what is visible of every part; returns the number of owners. */
static int paint_strip(sweep *swept)
{
    int64_t cuts = 2 * swept->active;
    int owners = 0;
    for (int64_t k = 0; k < swept->active; k++) {
        swept->cut[2 * k] = swept->reaching[k].along_begin;
        swept->cut[2 * k + 1] = swept->reaching[k].along_end;
    }
    qsort(swept->cut, (size_t)cuts, sizeof *swept->cut, compare_doubles);
    for (int64_t c = 0; c < cuts; c++) swept->visible[c] = -1;
    for (int64_t k = 0; k < swept->active; k++) {
        int64_t end = find_cut(swept, cuts, swept->reaching[k].along_end);
        for (int64_t c = find_cut(swept, cuts, swept->reaching[k].along_begin); c < end; c++)
            swept->visible[c] = swept->reaching[k].part;
    }
    for (int64_t c = 0; c + 1 < cuts; c++) {
        int part = swept->visible[c];
        double length = swept->cut[c + 1] - swept->cut[c];
        if (part < 0 || !(length > 0.0)) continue;
        if (swept->amount[part] == 0.0) swept->owner[owners++] = part;
        swept->amount[part] += length;
    }
    qsort(swept->owner, (size_t)owners, sizeof *swept->owner, compare_ints);
    for (int k = 0; k < owners; k++) {
        swept->held[k] = swept->amount[swept->owner[k]];
        swept->amount[swept->owner[k]] = 0.0;
    }
    return owners;
}

scalay_status scalay_bands_visit(const scalay_drawing *drawing, int parts, scalay_bands_way way,
                                 scalay_status (*visit)(const scalay_band *strip, void *context), void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = way == SCALAY_BANDS_OF_ROWS ? drawing->n : drawing->m;
    sweep swept = {0};
    SCALAY_TRY(sweep_allocate(drawing->count, parts, &swept));
    take_paints(drawing, way, &swept);
    for (int64_t k = 0; k + 1 < swept.edges; k++) {
        double thickness = swept.edge[k + 1] - swept.edge[k];
        if (!(thickness > 0.0)) continue;
        enter_strip(&swept, swept.edge[k]);
        int owners = paint_strip(&swept);
        scalay_band strip = {thickness, length, owners, swept.owner, swept.held};
        SCALAY_TRY(visit(&strip, context));
    }
cleanup:
    sweep_free(&swept);
    return status;
}
