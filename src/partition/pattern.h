#ifndef SCALAY_PARTITION_PATTERN_H
#define SCALAY_PARTITION_PATTERN_H

/** @file The pattern object, and the constructions of patterns. */

#include "base/random.h"
#include "base/status.h"
#include "scalay/pattern.h"

struct scalay_pattern {
    int parts, rows, cols;
    int row_offset, col_offset;
    int copies;         /* 1: all copies are alike */
    int *owner;         /* shape [rows][cols]; -1: diagonal */
    int *permutation;   /* shape [copies][parts]; NULL: none */
    int *diagonal;      /* shape [rows][copies]; NULL: no -1 in owner */
    const char *method; /* static */
};

/** Creates a pattern with a method's name, as scalay_pattern_create(). */
scalay_status scalay_pattern_new(const char *function, const scalay_pattern_table *table, const char *method,
                                 scalay_pattern **pattern);

/** Computes a summary without the trailing balance. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_pattern_evaluate(const scalay_pattern *pattern, scalay_pattern_kernel kernel, const double *speed,
                                      scalay_pattern_summary *summary);

/**
 * Creates the owners of the tiles of one period, or of the matrix if it has fewer.
 * @param[in]  tile_rows, tile_cols  of the matrix
 * @param[out] rows, cols            of the period, at most those of the matrix
 * @param[out] owner                 shape [rows][cols]; to be released
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_pattern_owners(const scalay_pattern *pattern, int64_t tile_rows, int64_t tile_cols, int64_t *rows,
                                    int64_t *cols, int **owner);

/** A search for a pattern. */
typedef struct {
    scalay_pattern_kernel kernel;
    int parts;
    const double *speed; /* shape [parts] */
    int is_uniform;      /* 1: all speeds are equal */
    double budget;       /* seconds of CPU time; 0: a fixed number of steps */
} scalay_pattern_request;

/** Finds a pattern for products, LU and QR (pattern_unsymmetric.c). @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_pattern_find_unsymmetric(const scalay_pattern_request *request, scalay_pattern **pattern);

/** Finds a pattern for Cholesky (pattern_symmetric.c). @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_pattern_find_symmetric(const scalay_pattern_request *request, scalay_pattern **pattern);

/** Copies of a pattern in each direction for which trailing matrices are balanced. */
enum { SCALAY_PATTERN_COPIES = 8 };

/** Balance of symmetric patterns that is searched for. */
#define SCALAY_PATTERN_BALANCE (1 / 1.05)

/**
 * Replaces a symmetric pattern by one with the same z and balanced trailing triangles (pattern_order.c). The table has
 * each point once, or twice if that is needed for the balance. A pattern without -1 is not changed.
 * @param[out] balance  of 8 x 8 copies of the given table; 0 if the pattern is not changed
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_pattern_arrange(const scalay_pattern_request *request, scalay_pattern **pattern,
                                     scalay_random *random, double *balance);

/** A projective plane PG(2, q): q^2 + q + 1 points, as many lines of q + 1 points each. */
typedef struct {
    int q, points;
    int *line; /* shape [points][points]: line through two points; -1 on the diagonal */
} scalay_plane;

/** Returns 1 if q is a power of a prime. */
int scalay_is_prime_power(int q);

/** Creates PG(2, q) for a prime power q, 2 <= q <= 64. Release plane->line. @return SCALAY_SUCCESS, _MEMORY */
scalay_status scalay_plane_create(int q, scalay_plane *plane);

#endif
