#ifndef SCALAY_REDIST_REFERENCE_MATRIX_H
#define SCALAY_REDIST_REFERENCE_MATRIX_H

/** @file What the transport "reference" knows of a matrix: who has an element, and where, by the layouts alone. */

#include "redist/plan.h"
#include "redist/reference.h"

/** One matrix, at one of its ends. */
typedef struct {
    scalay_layout *layout;
    scalay_place_table places;
} scalay_reference_end;

/** One matrix: C := alpha op(A) + beta C. */
typedef struct {
    scalay_reference_end source; /* of A */
    scalay_reference_end target; /* of C */
    int transposed;
    scalay_clip clip;
    int64_t m, n; /* extents of C */
} scalay_reference_matrix;

/**
 * Copies the layouts of a part and finds the places of a rank in them. Not collective.
 * @param[out] matrix  zeroed; to be released with scalay_reference_matrix_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_reference_matrix_create(const scalay_plan_part *part, int rank, scalay_reference_matrix *matrix);

/** Releases what a matrix holds. A zeroed matrix is fine. */
void scalay_reference_matrix_free(scalay_reference_matrix *matrix);

/** The bytes of its ends. */
int64_t scalay_reference_matrix_bytes(const scalay_reference_matrix *matrix);

/** Whether element (i, j) of C is moved: what lies outside a trapezoid is not. */
int scalay_reference_counts(const scalay_reference_matrix *matrix, int64_t i, int64_t j);

/** Which rank has element (i, j) of op(A), and which that of C. */
int scalay_reference_source_owner(const scalay_reference_matrix *matrix, int64_t i, int64_t j);
int scalay_reference_target_owner(const scalay_reference_matrix *matrix, int64_t i, int64_t j);

/** The offset of element (i, j) of op(A), or of C, in the rank's local array; -1 when the rank does not have it. */
int64_t scalay_reference_source_place(const scalay_reference_matrix *matrix, int64_t i, int64_t j);
int64_t scalay_reference_target_place(const scalay_reference_matrix *matrix, int64_t i, int64_t j);

#endif
