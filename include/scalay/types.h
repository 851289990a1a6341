#ifndef SCALAY_TYPES_H
#define SCALAY_TYPES_H

/**
 * @file
 * Types that every part of ScaLAY uses.
 *
 * Extents and counts are int64_t, ranks and descriptor entries int, bytes size_t. Global row and column indices
 * are 0-based in C (the descriptors' ia and ja, where they appear, are 1-based as in ScaLAPACK).
 */

#include <stddef.h>
#include <stdint.h>

#include "scalay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A communicator with what ScaLAY keeps for it (context.h). */
typedef struct scalay_comm scalay_comm;

/** The element type of a matrix: one of the constants below, or SCALAY_RAW(bytes). */
typedef int scalay_type;

enum {
    SCALAY_FLOAT = 1,          /**< float, REAL: ScaLAPACK's s */
    SCALAY_DOUBLE = 2,         /**< double, DOUBLE PRECISION: d */
    SCALAY_COMPLEX_FLOAT = 3,  /**< two floats, COMPLEX: c */
    SCALAY_COMPLEX_DOUBLE = 4, /**< two doubles, COMPLEX*16: z */
    SCALAY_INT = 5,            /**< int, INTEGER: i */
    SCALAY_RAW_BASE = 256      /**< see SCALAY_RAW */
};

/** An element of 1 to SCALAY_RAW_MAX bytes of which nothing is known but its size. */
#define SCALAY_RAW(bytes) (SCALAY_RAW_BASE + (bytes))
/** The largest raw element, in bytes. */
#define SCALAY_RAW_MAX 65536

/**
 * The size of an element. Not collective.
 * @param[in] type  an element type
 * @return bytes, 0 when type is none
 */
SCALAY_API size_t scalay_type_size(scalay_type type);

/**
 * The name of an element type: "s", "d", "c", "z", "i" or "raw". Not collective.
 * @param[in] type  an element type
 * @return a static string, "unknown" when type is none
 */
SCALAY_API const char *scalay_type_name(scalay_type type);

/** How the processes of a grid are numbered. */
typedef enum {
    SCALAY_ROW_MAJOR = 0,   /**< part r * npcol + c stands at (r, c) */
    SCALAY_COLUMN_MAJOR = 1 /**< part c * nprow + r stands at (r, c) */
} scalay_order;

/** What is done to a matrix before it is used: op(A). */
typedef enum {
    SCALAY_NO_TRANSPOSE = 0,       /**< A */
    SCALAY_TRANSPOSE = 1,          /**< A transposed */
    SCALAY_CONJUGATE_TRANSPOSE = 2 /**< A transposed and conjugated; real elements: transposed */
} scalay_op;

/**
 * Which part of an m x n matrix is meant, as ScaLAPACK's p?trmr2d has it: the diagonal of an upper trapezoid
 * that is taller than wide, and of a lower one that is wider than tall, ends in the last corner.
 */
typedef enum {
    SCALAY_WHOLE = 0, /**< all of it */
    SCALAY_UPPER = 1, /**< elements (i, j) with i - j <= max(m - n, 0) */
    SCALAY_LOWER = 2  /**< elements (i, j) with i - j >= -max(n - m, 0) */
} scalay_uplo;

/** Whether the diagonal belongs to a trapezoid. */
typedef enum {
    SCALAY_NON_UNIT = 0, /**< it does */
    SCALAY_UNIT = 1      /**< it does not: < and > above */
} scalay_diag;

/** What one process and the links of a machine can do; see measure.h to measure it and model.h to use it. */
typedef struct {
    double seconds_per_flop;        /**< level-3 BLAS in double precision, one process, all processes at work */
    double seconds_per_flop_vector; /**< level-2 BLAS in double precision (bound by memory) */
    double seconds_per_message;     /**< latency of a message */
    double seconds_per_byte;        /**< of a message between two processes */
    double seconds_per_byte_copied; /**< of packing or unpacking */
    double solo_time_ratio; /**< fraction of the seconds of computing and copying that one process needs while all
                       others wait in MPI: 1 when each has a core of its own, about cores / processes when
                       they share cores; 0: 1 */
    double ring_slowdown;   /**< factor by which computing takes longer when a panel goes from process to process before
                          each piece of it, as in a factorisation: about 1 when each has a core of its own; 0: 1 */
    int64_t processes;      /**< that were at work when this was measured; 0: not known */
    int64_t concurrent_processes; /**< of these, that run at once: the processors that they have together, at most
                        processes; 0: as many as alone says */
} scalay_machine;

#ifdef __cplusplus
}
#endif

#endif
