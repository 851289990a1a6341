/*
 * The diagnosis of an unchanged program: how the matrices of its compute routines are placed, what the calls took, and
 * which layout would be better, as predicted (prediction.h).
 */
#include <stdio.h>
#include <string.h>

#include "dropin/compute.h"
#include "dropin/prediction.h"
#include "parallel/blacs.h"

enum { MAX_NOTES = 64 };

/* Calls of one routine for matrices that are placed alike. */
typedef struct {
    const char *routine;
    int shape[6]; /* m, n, mb, nb, nprow, npcol */
    int64_t calls;
    double seconds;
} note;

static note notes[MAX_NOTES];
static int note_count, forgotten;

void scalay_diagnosis_add(const char *routine, const scalay_submatrix *s, double seconds)
{
    note new_note = {.routine = routine, .shape = {s->m, s->n, 0, 0, -1, -1}};
    int row, col, k = 0;
    if (s->desc == NULL || s->desc[DTYPE_] != 1 || s->desc[CTXT_] < 0 || s->m < 1 || s->n < 1) return;
    new_note.shape[2] = s->desc[MB_];
    new_note.shape[3] = s->desc[NB_];
    Cblacs_gridinfo(s->desc[CTXT_], &new_note.shape[4], &new_note.shape[5], &row, &col);
    while (k < note_count &&
           (notes[k].routine != routine || memcmp(notes[k].shape, new_note.shape, sizeof new_note.shape) != 0))
        k++;
    if (k == MAX_NOTES) {
        forgotten = 1;
        return;
    }
    if (k == note_count) notes[note_count++] = new_note;
    notes[k].calls++;
    notes[k].seconds += seconds;
}

static int is_prime(int number)
{
    int factor = 2;
    while (factor * factor <= number && number % factor != 0) factor++;
    return number > 1 && factor * factor > number;
}

static void print_fault(const int *shape)
{
    const int m = shape[0], n = shape[1], nprow = shape[4], npcol = shape[5];
    const int64_t mb = shape[2], nb = shape[3];
    if (mb < 8 || nb < 8)
        (void)fprintf(stderr, "ScaLAY:   blocks below 8: the BLAS work on vectors, and messages are small\n");
    if (m <= mb * (nprow - 1) || n <= nb * (npcol - 1))
        (void)fprintf(stderr, "ScaLAY:   some processes have no element\n");
    else if ((nprow > 1 && m <= mb * nprow) || (npcol > 1 && n <= nb * npcol))
        (void)fprintf(stderr, "ScaLAY:   at most one block per process: while one process works, others wait\n");
    if (is_prime(nprow * npcol) && nprow * npcol > 3)
        (void)fprintf(stderr, "ScaLAY:   %d processes, a prime number, make a grid of one row or column only\n",
                      nprow * npcol);
    else if ((nprow == 1 || npcol == 1) && nprow * npcol > 3)
        (void)fprintf(stderr, "ScaLAY:   a grid of %d x %d: panels are long, and one line of processes has them\n",
                      nprow, npcol);
}

static void print_remedy(const note *x, const scalay_prediction *p)
{
    (void)fprintf(stderr, "ScaLAY:   on a %d x %d grid with blocks of %d: about %.2g s. Change two calls:\n", p->nprow,
                  p->npcol, p->nb, x->seconds * p->kernel_seconds / p->stay_seconds);
    (void)fprintf(stderr, "ScaLAY:   CALL BLACS_GRIDINIT(CTXT, 'R', %d, %d)\n", p->nprow, p->npcol);
    (void)fprintf(stderr, "ScaLAY:   CALL DESCINIT(DESC, %d, %d, %d, %d, 0, 0, CTXT, LLD, INFO)\n", x->shape[0],
                  x->shape[1], p->nb, p->nb);
}

/* Prints a note. The remedy is printed if it saves a tenth as predicted. */
static void print_note(const note *x)
{
    const int *s = x->shape;
    scalay_layout *layout = NULL;
    scalay_prediction p = {0};
    scalay_predicted_call call = {
        .routine = x->routine, .m = s[0], .n = s[1], .nprow = s[4], .npcol = s[5], .nb = s[3], .vectors = -1};
    (void)fprintf(stderr, "ScaLAY: %s: %d x %d in blocks of %d x %d on a %d x %d grid: %lld call%s, %.2g s\n",
                  x->routine, s[0], s[1], s[2], s[3], s[4], s[5], (long long)x->calls, x->calls == 1 ? "" : "s",
                  x->seconds);
    print_fault(s);
    if (scalay_layout_block_cyclic(s[0], s[1], s[2], s[3], s[4], s[5], 0, 0, SCALAY_ROW_MAJOR, &layout) ==
        SCALAY_SUCCESS)
        call.source = layout;
    if (layout != NULL && scalay_prediction_of(&call, &p) && p.kernel_seconds < 0.9 * p.stay_seconds)
        print_remedy(x, &p);
    else
        (void)fprintf(stderr, "ScaLAY:   no layout is predicted to be better by a tenth\n");
    scalay_layout_destroy(&layout);
}

void scalay_diagnosis_print(void)
{
    for (int k = 0; k < note_count; k++) print_note(&notes[k]);
    if (forgotten) (void)fprintf(stderr, "ScaLAY: only the first %d kinds of matrices are listed\n", MAX_NOTES);
}
