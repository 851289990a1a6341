/*
 * The QR factorisation of a matrix in a slow layout: first in one call, then step by step on the chosen grid.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/scalay.h"

enum { M = 120, N = 80 };

/* The layout of the matrix: tiles of 8 x 8 with arbitrary owners. */
static scalay_layout *badly_placed(int processes)
{
    scalay_layout *layout = NULL;
    char text[80];
    (void)snprintf(text, sizeof text, "chunks:m=%d,n=%d,mb=8,nb=8,p=%d", M, N, processes);
    if (scalay_layout_parse(text, &layout) != SCALAY_SUCCESS) puts(scalay_error_message());
    return layout;
}

/* Any full-rank matrix: element (i, j) is 1 / (1 + |i - j|). */
static double *fill(const scalay_layout *layout, int rank)
{
    double *a = calloc((size_t)scalay_layout_local_size(layout, rank) + 1, sizeof *a);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                a[r.offset + i + j * r.ld] = 1.0 / (1.0 + (double)llabs(r.row + i - r.col - j));
    }
    return a;
}

/* R and the reflectors replace the matrix. This layout is not block-cyclic, so tau is wanted on every rank. */
static int in_one_call(scalay_comm *comm, const scalay_layout *layout, double *a, double *tau)
{
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_one_call_statistics s;
    options.replicated = tau;
    if (scalay_pdgeqrf(comm, layout, &options, a, NULL, &s) != SCALAY_SUCCESS) return 0;
    if (scalay_comm_rank(comm) == 0)
        printf("in one call: grid %d x %d, blocks %d, %lld elements moved\n", s.nprow, s.npcol, s.nb,
               (long long)s.volume);
    return !s.stays && s.volume >= s.steps;
}

/* All ScaLAPACK routines accept the context, descriptor and local array. */
static int looks_like_scalapack(scalay_qr *qr)
{
    scalay_qr_matrix matrix;
    if (scalay_qr_get_matrix(qr, &matrix) != SCALAY_SUCCESS) return 0;
    return matrix.desc[1] == matrix.ctxt && matrix.desc[2] == M && matrix.desc[3] == N && matrix.local != NULL &&
           matrix.tau != NULL && matrix.reflectors == N;
}

static void report(const scalay_qr *qr, double residual, double orthogonality)
{
    char text[2048];
    scalay_qr_statistics s;
    if (scalay_qr_get_statistics(qr, &s) != SCALAY_SUCCESS) return;
    (void)scalay_qr_describe(qr, text, sizeof text);
    printf("step by step: %s\nresidual %.3g, orthogonality %.3g, %d grids considered, kernel %.3g s\n", text, residual,
           orthogonality, scalay_qr_choice_count(scalay_qr_get_choice(qr)), s.kernel_seconds);
}

/* Keeps the factors on a given grid, verifies them there, and moves them back at the end. */
static int step_by_step(scalay_comm *comm, const scalay_layout *layout, const double *a, const double *tau_before)
{
    scalay_qr *qr = NULL;
    double residual = 1e9, orthogonality = 1e9, tau[N];
    const size_t size = (size_t)scalay_layout_local_size(layout, scalay_comm_rank(comm)) + 1;
    double *q = calloc(size, sizeof *q);
    scalay_qr_options options = scalay_qr_options_default();
    options.nb = 16;
    options.objective = SCALAY_MIN_VOLUME;
    int fine = scalay_qr_create(comm, layout, SCALAY_DOUBLE, &options, a, &qr) == SCALAY_SUCCESS &&
               looks_like_scalapack(qr) && scalay_qr_verify(qr, a, &residual, &orthogonality) == SCALAY_SUCCESS &&
               scalay_qr_gather_tau(qr, tau) == SCALAY_SUCCESS && scalay_qr_form_q(qr, q) == SCALAY_SUCCESS &&
               scalay_qr_bring_back(qr, q) == SCALAY_SUCCESS;
    for (int k = 0; fine && k < N; k++) fine = tau[k] - tau_before[k] < 1e-12 && tau_before[k] - tau[k] < 1e-12;
    if (fine && scalay_comm_rank(comm) == 0) report(qr, residual, orthogonality);
    scalay_qr_destroy(&qr);
    free(q);
    return fine && residual < 10.0 && orthogonality < 10.0;
}

/* The other types, on a 1 x 1 matrix of rank 0. */
static int other_types(scalay_comm *comm)
{
    scalay_layout *layout = NULL;
    float s = 2.0f, s_tau;
    float c[2] = {3.0f, 4.0f}, c_tau[2];
    double z[2] = {3.0, 4.0}, z_tau[2];
    int fine = scalay_layout_block_cyclic(1, 1, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &layout) == SCALAY_SUCCESS &&
               scalay_psgeqrf(comm, layout, NULL, &s, &s_tau, NULL) == SCALAY_SUCCESS &&
               scalay_pcgeqrf(comm, layout, NULL, c, c_tau, NULL) == SCALAY_SUCCESS &&
               scalay_pzgeqrf(comm, layout, NULL, z, z_tau, NULL) == SCALAY_SUCCESS;
    scalay_layout_destroy(&layout);
    /* R is real up to rounding: 3 + 4 i becomes a number of modulus 5. */
    return fine && (scalay_comm_rank(comm) != 0 || z[0] * z[0] + z[1] * z[1] > 24.99);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    scalay_layout *layout = badly_placed(scalay_comm_size(comm));
    double *a = fill(layout, scalay_comm_rank(comm)), *factored = fill(layout, scalay_comm_rank(comm)), tau[N];
    int fine = in_one_call(comm, layout, factored, tau) && step_by_step(comm, layout, a, tau) && other_types(comm);
    if (!fine) puts(scalay_error_message());
    free(factored);
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
