/*
 * Which calls of moved.h are worth a move, and to which grid.
 *
 * Descriptors alone decide (find_reason()), unless the machine was measured. Then times where the matrices are and on
 * other grids are predicted: of drivers of eigenvalues, singular values and p?getri (scalay_model_driver()), and of
 * routines that factor or apply factors, if descriptors find nothing wrong (scalay_factorization_on_grid()).
 */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "dropin/moved_call.h"
#include "dropin/plan_cache.h"
#include "parallel/blacs.h"
#include "scalay/context.h"
#include "scalay/model.h"

/* The least columns of B for which a solve moves a matrix in narrow blocks, and in few blocks from the left and from
 * the right. ScaLAPACK takes twice as long in few blocks from 33 columns on. */
static const int min_right_sides = 16, min_from_few_blocks = 33, min_from_right = 64;

/* Columns of B from which p?getrs and p?trsm gain by a move from slabs of rows. With 64, p?trsm takes 1.15 to 1.3 times
 * as long. */
static const int many_from_rows = 128;

/* Columns and blocks up to which a solve from the left is faster by the kernel of libscalay on any grid. So are solves
 * of so many columns by two processes with a slab each, if the kernel can balance the slabs. In narrow
 * blocks, ScaLAPACK takes as long as for so many columns in good blocks, or longer, and otherwise as long as for at
 * least so many (docs/benchmarks-dropin.md). */
static const int few_columns = 64, most_block = 64;
static const double least_counted = 32.0;

/* Calls that stay before the kernel is created at most; those of some columns in slabs, of few columns in narrow
 * blocks, and of many columns. */
static const int most_calls = 200, calls_in_slabs = 100, calls_in_narrow_blocks = 3, calls_of_many_columns = 3;

/* The same for p?trsm, with one triangle, of a small matrix in narrow blocks: its first call takes up to 4.4 times
 * ScaLAPACK's time, and one with two triangles mostly less. */
static const int calls_of_trsm = 30;

/* More such calls before the first communicator of a context, which takes as long as one to two of them. */
static const int calls_of_first_trsm = 8;

/* Calls that stay before the first move if they gain little: p?posv and p?potri of small matrices from few blocks, and
 * p?gels and p?ormqr from blocks that are a little too large. The first move takes up to a quarter longer than
 * ScaLAPACK's routine, and later ones gain a tenth to a third. */
static const int calls_of_small_gain = 10;

/* More such calls before the first communicator of a context, which takes .5 to .8 ms. */
static const int calls_of_first_communicator = 3;

/* p?ormqr moves two matrices, and gains a tenth. */
static const int more_calls_of_reflectors = 3;

/* Moves of small matrices in narrow blocks before the kernel is created. */
static const int moves_in_narrow_blocks = 2;

/* Columns per process from which each process solves for columns of its own (factor/solve.c), and those that are solved
 * for at a time otherwise. */
static const int least_share = 128, most_at_once = 128;

/* A way to leave a layout: what the first call takes longer than the next ones, in seconds, per row, and per row and
 * column of B; the fraction of ScaLAPACK's time that later calls gain, on grids of one row and on others
 * (docs/benchmarks-dropin.md). */
typedef struct {
    double call, row, element, gain[2];
} first_costs;
static const first_costs costs_of_solve = {0.0, 8e-6, 2e-8, {0.55, 0.22}},
                         costs_in_place = {0.6e-3, 0.7e-6, 4.5e-8, {0.2, 0.2}};

/* ScaLAPACK's seconds of a solve, times processes, per column of B and square of the order, on grids of one row and on
 * others. Few columns take as long as this number. */
static const double solve_seconds[2] = {6.4e-11, 3.4e-11};
static const double least_timed = 5.0;

/* The first move of a solve from slabs: seconds of plans and a grid, and of a communicator; elements on a new page.
 * The huge pages of a large copy take about as long as small ones where these are slow. ScaLAPACK's seconds there,
 * times processes, per column of B, triangle and square of the order, on grids of one row and on others. The fraction
 * of them that later calls gain: with few columns of B and with many on grids of one row, and by p?trsm and with
 * factors on others. The calls so far take longer by the last number at most (docs/benchmarks-dropin.md). */
static const struct {
    double plans, communicator, page_elements;
    double theirs[2], gain_on_row[2], gain_on_rows[2], most_lost;
} first_move = {4e-4, 8e-4, 512.0, {1.1e-10, 0.8e-10}, {0.15, 0.35}, {0.12, 0.3}, 0.03};

/* The first call of a way makes the calls so far take longer than ScaLAPACK's by this fraction at most. */
static const double most_lost = 0.05;

/* The most of the order that a slab has if two can be balanced. */
static const double most_of_slab = 0.7;

/* Orders from which a grid of the wrong shape and large blocks are left, if there are at most so many blocks per
 * process in a direction of the target. */
static const int least_order = 512, few_blocks = 8;

/* Blocks that are too large, and much too large, over those of the target. */
static const int large_block = 2, larger_block = 4;

/* Orders from which p?posv of a lower triangle leaves a grid of one column: PBLAS computes strips of the triangle apart
 * there, and adds them. With an upper one, it does so on a grid of one row, where right-hand sides are on one process,
 * too. */
static const int least_order_of_strips = 2048;

/* Columns of B from which a solve from the left leaves slabs of rows of two processes; columns over the order of the
 * triangle from which a solve leaves a grid of one row, and p?getrs, which interchanges rows. */
static const int least_columns = 64;
static const double many_columns = 1.0 / 4, many_columns_of_lu = 1.0 / 16;

/* Multiply-adds of an eigensolver or p?gesvd over the cube of the order, or more: they take as long as so many. */
static const double work_of_vectors = 8.0;

/* Orders from which times are predicted. */
static const int least_predicted = 128;

/* A call moves if it is predicted to take less by this factor. Of 430 measured calls, 9 took over 1.03 of the time of
 * staying with it (docs/benchmarks-dropin.md). */
static const double margin_of_times = 1.1;

/* ------------------------------------------------------------------------------------------- descriptors */

/* Whether the call solves with a triangle or a factor from one side. From the left, columns of B are independent. */
int scalay_moved_solves(const moved_call *c)
{
    return c->matrix[0].use == '<' && c->tau < 0;
}

static int solves_from_left(const moved_call *c)
{
    return scalay_moved_solves(c) && (c->extents['r'] > 0 || scalay_moved_is_letter(c->x[0], 'L'));
}

/* Whether a grid with more rows is better, and few blocks of rows cost little: solves from the left, and p?getri. */
static int prefers_rows(const moved_call *c)
{
    return solves_from_left(c) || (c->pivots >= 0 && c->pivots_use == '<');
}

/* Whether the call is p?posv. */
static int solves_by_cholesky(const moved_call *c)
{
    return c->matrices == 2 && c->uplo != SCALAY_WHOLE && c->matrix[0].use == '*';
}

/* Whether the call is p?potri: a grid with more rows is a little better there, and few blocks of rows cost little
 * unless the matrix is large. */
static int inverts_by_factor(const moved_call *c)
{
    return c->matrices == 1 && c->uplo != SCALAY_WHOLE;
}

/* Whether the call computes eigenvectors or singular vectors. Their iterations are not distributed by blocks, so that
 * few blocks cost little unless the matrix is large. */
static int writes_vectors(const moved_call *c)
{
    const char use = c->matrix[c->matrices - 1].use;
    return use == '>' || use == '+';
}

/* The columns of B, or the rows if it is solved from the right. */
static int right_sides_of(const moved_call *c)
{
    if (c->extents['r'] > 0) return c->extents['r'];
    return c->extents['o'] == c->extents['m'] ? c->extents['n'] : c->extents['m'];
}

/* Whether a solve from the left has few columns, and blocks that suit the kernel. In good blocks, one triangle gains
 * only on a grid of one row and from some columns on, and a Cholesky factor with 64 columns not on a grid of one
 * column. */
static int reads_few_columns(const moved_call *c, int nprow, int npcol)
{
    const int columns = right_sides_of(c), nb = c->matrix[0].s.desc[NB_];
    if (!solves_from_left(c) || columns > few_columns || nb > most_block) return 0;
    if (nb < SCALAY_NARROW_BLOCK || c->pivots >= 0) return 1;
    if (c->extents['r'] > 0) return npcol > 1 || columns < few_columns;
    return nprow == 1 && columns >= min_right_sides;
}

/* Whether processes that solve for columns of their own would write single rows beside those of others. */
static int shares_single_rows(const moved_call *c, int nprow, int npcol)
{
    const int is_split = solves_from_left(c) ? nprow > 1 : npcol > 1;
    return scalay_moved_solves(c) && is_split && c->matrix[0].s.desc[NB_] < SCALAY_NARROW_BLOCK &&
           right_sides_of(c) >= least_share * nprow * npcol;
}

/* Whether a solve has less than 64 columns, and two processes have a slab each. */
static int reads_two_slabs(const moved_call *c, int nprow, int npcol)
{
    const scalay_submatrix *s = &c->matrix[0].s;
    const int64_t nb = s->desc[NB_];
    return scalay_moved_solves(c) && right_sides_of(c) < few_columns && nprow * npcol == 2 && 2 * nb >= s->n &&
           (double)nb <= most_of_slab * s->n;
}

/* Whether the first matrix has blocks that are too small. */
static int has_narrow_blocks(const moved_call *c)
{
    const int nb = c->matrix[0].s.desc[NB_], is_few = scalay_moved_solves(c) && right_sides_of(c) < min_right_sides;
    return !is_few && scalay_is_narrow_block(&c->matrix[0].s, nb);
}

/* Whether the first matrix has too few blocks: some processes have at most one, or none. Solves from the right lose
 * little by few blocks of columns. p?getri and solves from the left lose little by few blocks of rows, but for solves
 * of many columns by two processes; so does p?potri of small matrices. */
static int has_few_blocks(const moved_call *c, int nprow, int npcol)
{
    const scalay_submatrix *s = &c->matrix[0].s;
    const int64_t nb = s->desc[NB_]; /* some programs have blocks of 2^30 for a single one */
    const int is_left = prefers_rows(c), is_right = scalay_moved_solves(c) && !is_left;
    const int is_triangle = c->extents['r'] == 0;
    const int is_pair = nprow == 2 && npcol == 1 && scalay_moved_solves(c) && right_sides_of(c) >= least_columns;
    const int is_large = scalay_submatrix_is_large(s);
    const int minds_rows = inverts_by_factor(c) ? is_large : !is_left || (is_pair && (is_large || !is_triangle));
    if (writes_vectors(c) && !is_large) return 0;
    if (scalay_moved_solves(c) && right_sides_of(c) < (is_right ? min_from_right : min_from_few_blocks)) return 0;
    return (minds_rows && nprow > 1 && s->m <= nb * nprow) || (!is_right && npcol > 1 && s->n <= nb * npcol);
}

/* Whether the grid has one row where a column is faster: solves from the left with many columns, and p?getri. */
static int is_wrong_grid(const moved_call *c, int nprow, int npcol)
{
    const scalay_submatrix *s = &c->matrix[0].s;
    if (!prefers_rows(c) || nprow > 1 || npcol == 1 || s->n < least_order) return 0;
    const double many = c->pivots >= 0 ? many_columns_of_lu : many_columns;
    return !scalay_moved_solves(c) || (right_sides_of(c) >= least_columns && right_sides_of(c) >= many * s->n);
}

/* Whether p?posv updates strips of the triangle, and another grid is faster. */
static int has_strips(const moved_call *c, int nprow, int npcol)
{
    const int is_upper = c->uplo == SCALAY_UPPER, across = is_upper ? nprow : npcol;
    const int least = is_upper ? least_order : least_order_of_strips;
    return solves_by_cholesky(c) && across == 1 && nprow * npcol > 1 && c->matrix[0].s.n >= least;
}

/* Whether a solve from the left has many columns on a grid of one row, where the kernel of libscalay is faster. */
static int reads_many_columns(const moved_call *c, int nprow, int npcol)
{
    return solves_from_left(c) && nprow == 1 && npcol > 1 && c->matrix[0].s.n >= least_order &&
           right_sides_of(c) >= least_columns;
}

/* Whether the call creates Q, which loses little by blocks that are a little too large on a grid of one row. */
static int creates_q(const moved_call *c)
{
    return c->matrices == 1 && c->tau >= 0;
}

/* Whether smaller blocks are better: there are few, so that many updates are small. Solves, vectors and triangles lose
 * little, but for p?potri on a grid of one row, which another one replaces. */
static int has_large_blocks(const moved_call *c, int nprow)
{
    const scalay_submatrix *s = &c->matrix[0].s;
    const int larger = c->nprow > c->npcol ? c->nprow : c->npcol, least = s->m < s->n ? s->m : s->n;
    const int64_t nb = s->desc[NB_];
    const int is_inverse = inverts_by_factor(c) && nprow == 1 && c->nprow > 1;
    if (c->uplo != SCALAY_WHOLE && !is_inverse) return 0;
    if (scalay_moved_solves(c) || prefers_rows(c) || writes_vectors(c)) return 0;
    const int factor = is_inverse ? 1 : creates_q(c) && nprow == 1 ? larger_block : large_block;
    return nb >= factor * c->nb && least >= least_order && least <= few_blocks * larger * nb;
}

static double work_of(const moved_call *c, int nprow, int npcol)
{
    const double m = c->matrix[0].s.m, n = c->matrix[0].s.n, cube = m * n * (m < n ? m : n);
    if (c->matrix[0].use != '<') return writes_vectors(c) ? work_of_vectors * cube : cube;
    const int columns = right_sides_of(c), is_few = columns < min_right_sides;
    const int is_narrow = c->matrix[0].s.desc[NB_] < SCALAY_NARROW_BLOCK;
    if (reads_few_columns(c, nprow, npcol) || reads_two_slabs(c, nprow, npcol))
        return m * n * (is_narrow ? few_columns : fmax(columns, least_counted));
    return is_few ? 0.0 : m * n * columns;
}

/* Chooses the most square grid of all processes, with more rows if they are better, and the largest block size that
 * gives each process two blocks or more. p?posv wants more rows and smaller blocks for an upper triangle, and more rows
 * for small matrices. Returns 0 if the matrix is too small: ScaLAPACK's routines return other results on processes
 * without elements. */
static int choose_grid(moved_call *c, int processes)
{
    const int m = c->matrix[0].s.m, n = c->matrix[0].s.n;
    const int has_few_columns = c->tau >= 0 && c->matrix[0].use == '<'; /* the reflectors of p?ormqr */
    const int least = m < n || has_few_columns ? m : n;
    c->nprow = 1;
    for (int p = 1; p * p <= processes; p++)
        if (processes % p == 0) c->nprow = p;
    c->npcol = processes / c->nprow;
    const int is_cholesky = solves_by_cholesky(c), is_upper = is_cholesky && c->uplo == SCALAY_UPPER;
    const int is_small_cholesky = is_cholesky && !scalay_submatrix_is_large(&c->matrix[0].s);
    if (prefers_rows(c) || inverts_by_factor(c) || is_upper || is_small_cholesky) {
        c->npcol = c->nprow;
        c->nprow = processes / c->npcol;
    }
    const int larger = c->nprow > c->npcol ? c->nprow : c->npcol;
    for (c->nb = c->routine->nb / (is_upper ? 2 : 1); c->nb > 1 && 2 * c->nb * larger > least; c->nb /= 2) continue;
    return c->nb * larger <= least;
}

static const char well_placed[] = "well placed", in_place[] = "faster in place", by_times[] = "predicted times",
                  large_blocks[] = "large blocks";

static int is_driver(const moved_call *c)
{
    return scalay_prediction_is_driver(c->routine->record->name);
}

/* Whether times may decide. */
static int may_predict(const moved_call *c)
{
    const scalay_call_settings_values *settings = scalay_call_settings();
    const scalay_submatrix *s = &c->matrix[0].s;
    return s->m >= least_predicted && s->n >= least_predicted && !settings->forced && !settings->is_reproducible;
}

/* Whether a call that descriptors find well placed is compared by the times of a factorisation: each process has
 * several blocks. */
static int is_compared(const moved_call *c, int nprow, int npcol)
{
    const scalay_submatrix *s = &c->matrix[0].s;
    const int64_t nb = s->desc[NB_];
    return may_predict(c) && !is_driver(c) && !scalay_moved_solves(c) && !writes_vectors(c) && s->m > nb * nprow &&
           s->n > nb * npcol;
}

/* Why a call is not left to ScaLAPACK, by its descriptors; NULL: it is. */
static const char *find_reason(const moved_call *c, int nprow, int npcol)
{
    if (reads_two_slabs(c, nprow, npcol)) return in_place;
    if (has_narrow_blocks(c) || has_few_blocks(c, nprow, npcol)) return "small or few blocks";
    if (is_wrong_grid(c, nprow, npcol)) return "a grid of one row";
    if (has_strips(c, nprow, npcol)) return nprow == 1 ? "a grid of one row" : "a grid of one column";
    if (has_large_blocks(c, nprow)) return large_blocks;
    if (reads_many_columns(c, nprow, npcol) || (reads_few_columns(c, nprow, npcol) && nprow * npcol > 1))
        return in_place;
    if (scalay_call_settings()->forced) return "force";
    return (is_driver(c) && may_predict(c)) || is_compared(c, nprow, npcol) ? by_times : NULL;
}

/* The calls before one leaves its layout so; 0 if the first one gains. */
static int calls_before(const moved_call *c, int nprow, int npcol, const first_costs *costs)
{
    const double n = c->matrix[0].s.n, columns = right_sides_of(c), triangles = c->extents['r'] > 0 ? 2.0 : 1.0;
    const int has_rows = (solves_from_left(c) ? npcol : nprow) == 1;
    const double timed = fmax(columns, least_timed), theirs = triangles * solve_seconds[has_rows] * n * n * timed;
    const double first = costs->call + n * (costs->row + costs->element * columns);
    const double lost = first / (theirs / (nprow * npcol)) - costs->gain[has_rows];
    return (int)fmin(fmax(lost, 0.0) / most_lost, most_calls);
}

/* The calls that stay before the first move of a solve from slabs. */
static scalay_patience calls_before_move(const moved_call *c, int nprow, int npcol)
{
    const double n = c->matrix[0].s.n, columns = right_sides_of(c), processes = nprow * npcol;
    const int has_rows = (solves_from_left(c) ? npcol : nprow) == 1, is_factor = c->extents['r'] > 0;
    const double gain =
        has_rows ? first_move.gain_on_rows[is_factor] : first_move.gain_on_row[columns >= many_from_rows];
    const double theirs = (is_factor ? 2.0 : 1.0) * first_move.theirs[has_rows] * n * n * columns / processes;
    const double copy = n * n / processes * (double)scalay_type_size(c->routine->type);
    const double may_lose = first_move.most_lost * theirs,
                 pages = n * (n + columns) / processes / first_move.page_elements;
    const double calls = fmin(pages * SCALAY_PATIENT_PAGE_SECONDS / may_lose, most_calls);
    const int is_small = copy <= SCALAY_MOST_SMALL_BYTES;
    return (scalay_patience){.calls = (first_move.plans - gain * theirs) / may_lose,
                             .of_pages = is_small ? 0.0 : calls,
                             .of_copies = is_small ? calls : 0.0,
                             .of_first = first_move.communicator / may_lose};
}

/* Whether a solve from slabs gains by a move: not from small slabs of rows, nor p?getrs and p?trsm with some columns
 * (docs/benchmarks-dropin.md). */
static int moves_at_first(const moved_call *c, int nprow, int npcol)
{
    const int is_cholesky = c->extents['r'] > 0 && c->pivots < 0;
    if ((solves_from_left(c) ? npcol : nprow) > 1) return 1;
    return scalay_submatrix_is_large(&c->matrix[0].s) && (is_cholesky || right_sides_of(c) >= many_from_rows);
}

/* Whether the call is a p?trsm of a small matrix. */
static int is_small_trsm(const moved_call *c)
{
    return c->extents['r'] == 0 && !scalay_submatrix_is_large(&c->matrix[0].s);
}

/* The calls that stay before a solve of few columns from the left in narrow blocks is created in place. */
static int patience_in_narrow_blocks(const moved_call *c)
{
    if (is_small_trsm(c)) return calls_of_trsm;
    return right_sides_of(c) < min_right_sides ? calls_in_narrow_blocks : 0;
}

/* The calls that stay before a solve is created in place. */
static int patience_in_place(const moved_call *c, int nprow, int npcol)
{
    const int columns = right_sides_of(c);
    if (reads_two_slabs(c, nprow, npcol)) return columns < min_right_sides ? most_calls : calls_in_slabs;
    if (has_few_blocks(c, nprow, npcol)) return calls_before(c, nprow, npcol, &costs_of_solve);
    if (c->matrix[0].s.desc[NB_] < SCALAY_NARROW_BLOCK) return patience_in_narrow_blocks(c);
    return columns <= most_at_once ? calls_before(c, nprow, npcol, &costs_in_place) : calls_of_many_columns;
}

/* Sets the calls that stay, and that are moved, before a solve is created in place. */
static void set_patience(moved_call *c, int nprow, int npcol)
{
    const int columns = right_sides_of(c), is_narrow = c->matrix[0].s.desc[NB_] < SCALAY_NARROW_BLOCK;
    const int leaves_slabs = c->moves && !is_narrow && has_few_blocks(c, nprow, npcol);
    const int leaves_row = c->moves && !is_narrow && columns < least_share * nprow * npcol;
    const int is_in_place = is_narrow && solves_from_left(c) && columns < least_columns;
    if (leaves_slabs && moves_at_first(c, nprow, npcol)) {
        c->computation.patience = calls_before_move(c, nprow, npcol);
        c->moves_before_solve = calls_before(c, nprow, npcol, &costs_of_solve);
    } else if (leaves_slabs || leaves_row || is_in_place || !c->moves) {
        c->computation.patience =
            (scalay_patience){.of_pages = patience_in_place(c, nprow, npcol),
                              .of_first = is_narrow && is_small_trsm(c) ? calls_of_first_trsm : 0};
    }
    if (is_narrow && columns >= least_columns && !scalay_submatrix_is_large(&c->matrix[0].s))
        c->moves_before_solve = moves_in_narrow_blocks;
    if (shares_single_rows(c, nprow, npcol)) c->moves_before_solve = INT_MAX;
}

/* Whether a small matrix gains so little that calls wait for the first move: a triangle in few blocks, or blocks that
 * are a little too large, unless p?gesv solves, or reflectors leave a grid of several rows. */
static int gains_little(const moved_call *c, int nprow)
{
    if (scalay_submatrix_is_large(&c->matrix[0].s)) return 0;
    if (c->decision.reason == large_blocks)
        return c->matrix[0].s.desc[NB_] < larger_block * c->nb && c->pivots < 0 && (c->tau < 0 || nprow == 1);
    return c->uplo != SCALAY_WHOLE && !writes_vectors(c) && !has_narrow_blocks(c);
}

/* The seconds that a call may lose by the decision of times and its first move. */
static double may_lose(const moved_call *c, int nprow, int npcol)
{
    const double triangle = 1.0 / 6.0, whole = 1.0 / 3.0;
    const double work = work_of(c, nprow, npcol) * (c->uplo != SCALAY_WHOLE ? triangle : whole);
    return scalay_computation_may_lose(&c->matrix[0].s, work / SCALAY_FACTOR_RATE, 0);
}

int scalay_moved_should_move(moved_call *c)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    const scalay_submatrix *s = &c->matrix[0].s;
    if (s->m <= 0 || s->n <= 0) return 0;
    if (s->desc[CTXT_] >= 0) Cblacs_gridinfo(s->desc[CTXT_], &nprow, &npcol, &myrow, &mycol);
    if (!scalay_compute_may_answer(c->routine->record, work_of(c, nprow, npcol), s->desc[CTXT_])) return 0;
    if (nprow < 1 || !choose_grid(c, nprow * npcol)) return 0;
    const char *reason = c->decision.reason = find_reason(c, nprow, npcol);
    if (reason == NULL) c->routine->record->reason = well_placed;
    c->moves = scalay_call_settings()->forced || (reason != in_place && reason != by_times);
    if (reason == NULL || scalay_call_settings()->forced) return reason != NULL;
    if (scalay_moved_solves(c))
        set_patience(c, nprow, npcol);
    else if (reason == by_times && !is_driver(c))
        c->computation.may_lose = may_lose(c, nprow, npcol);
    else if (gains_little(c, nprow))
        c->computation.patience = (scalay_patience){.calls = c->tau >= 0 ? more_calls_of_reflectors : 0,
                                                    .of_pages = calls_of_small_gain,
                                                    .of_first = calls_of_first_communicator};
    return 1;
}

/* ----------------------------------------------------------------------------------------------- reports */

/* The operations of the call over those of the factorisation or driver that it is predicted as; 0: it is not predicted.
 * Solves do not take their time as a factorisation does. */
static double relative_work(const moved_call *c)
{
    const double n = c->matrix[0].s.n, right_sides = right_sides_of(c);
    if (is_driver(c)) return 1.0;
    if (scalay_moved_solves(c)) return 0.0;
    if (c->extents['r'] > 0)
        return 1.0 + (c->pivots >= 0 ? 3.0 : c->uplo != SCALAY_WHOLE ? 6.0 : 2.0) * right_sides / n;
    if (c->tau < 0) return 2.0;
    return c->matrix[0].use == '<' ? 1.5 * right_sides / n : 1.0;
}

/* The eigenvectors or singular vectors that are computed. RANGE is the third argument before the first matrix. If it is
 * I, the first and the last of them follow two arguments after the last matrix that is read. */
static int vectors_of(const moved_call *c)
{
    const moved_matrix *last = &c->matrix[c->matrices - 1];
    if (!writes_vectors(c) || last->is_absent) return 0;
    if (last->use == '>' || !scalay_moved_is_letter(c->x[c->matrix[0].position - 3], 'I')) return c->matrix[0].s.n;
    const int position = c->matrix[c->matrices - 2].position + 4;
    return scalay_moved_value(c, position + 3) - scalay_moved_value(c, position + 2) + 1;
}

/* The moves of whole matrices over those of the first one, there and back if it moves back. */
static double relative_moves(const moved_call *c)
{
    double moves = 0.0;
    for (int k = 0; k < c->matrices; k++)
        if (!c->matrix[k].is_absent && !c->matrix[k].is_kept) moves += c->matrix[k].use == '*' ? 1.0 : 0.5;
    return moves / (c->matrix[0].use == '<' ? 0.5 : 1.0);
}

/* Whether this process reports predictions. */
static int reports(void)
{
    const scalay_call_settings_values *settings = scalay_call_settings();
    return scalay_compute_rank() == 0 && (settings->verbosity > 0 || settings->report != NULL);
}

static scalay_predicted_call predicted_call(const moved_call *c)
{
    const scalay_submatrix *s = &c->matrix[0].s;
    scalay_predicted_call call = {
        .routine = c->routine->record->name,
        .source = c->computation.layout[0],
        .m = s->m,
        .n = s->n,
        .nb = s->desc[NB_],
        .is_spread = s->desc[LLD_] * (int64_t)scalay_type_size(c->routine->type) % SCALAY_SET_BYTES > 0,
        .is_upper = c->uplo == SCALAY_UPPER,
        .vectors = vectors_of(c),
        .brings_back = c->matrix[0].use != '<'};
    int row, col;
    Cblacs_gridinfo(s->desc[CTXT_], &call.nprow, &call.npcol, &row, &col);
    return call;
}

void scalay_moved_predict(moved_call *c)
{
    scalay_moved_target *target = c->target;
    scalay_prediction *p = &target->prediction;
    const double work = relative_work(c);
    if (!reports() || work == 0.0) return;
    if (!target->is_predicted) {
        const scalay_predicted_call call = predicted_call(c);
        *p = (scalay_prediction){.nprow = c->nprow, .npcol = c->npcol, .nb = c->nb};
        if (!scalay_prediction_of(&call, p)) *p = (scalay_prediction){0};
        target->is_predicted = 1;
    }
    const double moves = is_driver(c) ? relative_moves(c) : c->matrix[0].is_kept ? 0.0 : 1.0;
    c->decision.predicted_stay = work * p->stay_seconds;
    c->decision.predicted_seconds = work * p->kernel_seconds + moves * p->move_seconds;
}

const scalay_compute_decision *scalay_moved_decision_to_stay(moved_call *c)
{
    const scalay_compute_routine *record = c->routine->record;
    if (record->reason == NULL || strcmp(record->reason, well_placed) != 0 || !reports()) return NULL;
    const scalay_predicted_call call = predicted_call(c);
    const double seconds = scalay_prediction_stay(&call);
    c->decision = (scalay_compute_decision){.reason = record->reason, .predicted_seconds = seconds};
    return seconds > 0.0 ? &c->decision : NULL;
}

/* ------------------------------------------------------------------------------------------- predicted times */

/* The seconds of the moves of a call between evenly dealt matrices. Half of the elements of a triangle move. */
static double move_seconds(const moved_call *c, const scalay_machine *machine, int processes)
{
    double seconds = 0.0;
    for (int k = 0; k < c->matrices; k++) {
        const moved_matrix *m = &c->matrix[k];
        const int64_t items = (int64_t)m->s.m * m->s.n / (k == 0 && c->uplo != SCALAY_WHOLE ? 2 : 1);
        const scalay_move move = {.volume = items - items / processes,
                                  .steps = (items - items / processes) / processes,
                                  .messages = processes - 1,
                                  .kept = items / processes / processes,
                                  .items = items,
                                  .processes = processes};
        const double once = scalay_model_move(machine, c->routine->type, &move);
        if (!m->is_absent) seconds += (m->use == '*' ? 2.0 : 1.0) * once;
    }
    return seconds;
}

/* Predicts a call by the factorisation whose steps it repeats, on the target that descriptors choose. */
static int predict_factorisation(const moved_call *c, const scalay_predicted_call *call, const scalay_machine *machine,
                                 scalay_prediction *p)
{
    const double work = relative_work(c);
    *p = (scalay_prediction){.nprow = c->nprow, .npcol = c->npcol, .nb = c->nb};
    if (!scalay_prediction_of_factorisation(call, machine, p)) return 0;
    p->stay_seconds *= work;
    p->kernel_seconds *= work;
    return 1;
}

/* What process 0 chooses. */
static scalay_kept_choice choose_by_times(const moved_call *c, uint64_t key)
{
    scalay_machine machine;
    scalay_prediction p = {0};
    const scalay_predicted_call call = predicted_call(c);
    scalay_kept_choice choice = {.call = key, .is_open = 1};
    if (!scalay_prediction_machine(&machine)) return choice;
    const int is_found =
        is_driver(c) ? scalay_prediction_of_driver(&call, &machine, &p) : predict_factorisation(c, &call, &machine, &p);
    if (!is_found) return choice;
    choice.is_open = 0;
    const double moved = p.kernel_seconds + move_seconds(c, &machine, call.nprow * call.npcol);
    if (moved * margin_of_times >= p.stay_seconds) return choice;
    return (scalay_kept_choice){.call = key, .nprow = p.nprow, .npcol = p.npcol, .nb = p.nb};
}

void scalay_moved_weigh(moved_call *c)
{
    scalay_plan_cache *cache = c->computation.record->cache;
    if (!may_predict(c) || (!is_driver(c) && c->decision.reason != by_times)) return;
    const uint64_t key = scalay_fingerprint_add(scalay_fingerprint_add(c->computation.key, vectors_of(c)), c->uplo);
    const scalay_kept_choice *kept = scalay_plan_cache_choice(cache, key);
    if (kept == NULL) {
        scalay_kept_choice choice = {0};
        if (scalay_comm_rank(c->computation.comm) == 0) choice = choose_by_times(c, key);
        MPI_Bcast(&choice, (int)sizeof choice, MPI_BYTE, 0, scalay_comm_handle(c->computation.comm));
        kept = scalay_plan_cache_keep_choice(cache, &choice);
    }
    if (!kept->is_open) c->moves = kept->nb > 0;
    if (!c->moves) c->routine->record->reason = well_placed;
    if (kept->is_open || !c->moves) return;
    c->decision.reason = by_times;
    c->nprow = kept->nprow;
    c->npcol = kept->npcol;
    c->nb = kept->nb;
}
