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

enum {
    SCALAY_GEMM_CURVE = 9,      /**< points of scalay_machine.gemm_curve */
    SCALAY_VECTOR_CURVE = 5,    /**< points of scalay_machine.vector_curve */
    SCALAY_COPY_CURVE = 6,      /**< points of scalay_machine.copy_curve */
    SCALAY_SWAP_CURVE = 6,      /**< points of scalay_machine.swap_curve */
    SCALAY_NODE_TYPES = 4,      /**< types of nodes of a scalay_machine */
    SCALAY_NODE_TYPE_PAIRS = 10 /**< unordered pairs of them */
};

/**
 * Rates of a process and of the links of a machine. scalay_machine_calibrate() (measure.h) measures them, and the
 * models of model.h use them. Unless another unit is named, a rate is in seconds and at least 0.
 *
 * Nodes of one type have equal processors, numbers of cores, BLAS libraries and BLAS threads. Types are numbered from
 * 0. The pair of types a <= b has the index b (b + 1) / 2 + a. Rates of a process are means over all processes, and
 * those of a type are means over the processes of its nodes.
 */
typedef struct {
    double seconds_per_flop;        /**< level-3 BLAS in double precision, one process, all processes at work */
    double seconds_per_flop_vector; /**< level-2 BLAS in double precision on a matrix that exceeds the caches */
    double seconds_per_message;     /**< latency of a message; if several nodes were measured, between nodes */
    double seconds_per_byte;        /**< of a message between two processes; if several nodes were measured, between
                                       nodes, with all processes sending at once */
    double seconds_per_byte_copied; /**< of packing or unpacking a matrix that exceeds the caches */
    double solo_time_ratio;         /**< ratio of the compute time with one active process to the compute time with all
                                       processes active, in (0, 1]. 1 if each process has its own core; about cores /
                                       processes if processes share cores. 0 (default) is treated as 1 */
    double ring_slowdown;           /**< factor by which computing takes longer if a panel is passed from process to
                                       process before each piece of work, at least 1. 0 (default) is treated as 1 */
    int64_t processes;              /**< processes that were active in the measurement. 0 (default): unknown */
    int64_t concurrent_processes;   /**< of these, the number that run at once: processors of all of them, at most
                                       `processes`. 0 (default): follows from solo_time_ratio */
    double gemm_curve[SCALAY_GEMM_CURVE];     /**< seconds per flop of dgemm with smallest extent 2^k, k = 0 to 8. All 0
                                                 (default): not measured, seconds_per_flop is used */
    double vector_curve[SCALAY_VECTOR_CURVE]; /**< seconds per flop of dgemv on a matrix of 16 * 4^k KiB, k = 0 to 4.
                                                 All 0 (default): not measured, seconds_per_flop_vector is used */
    double copy_curve[SCALAY_COPY_CURVE];     /**< seconds per byte of packing a matrix of 16 * 4^k KiB, k = 0 to 5. All
                                                 0 (default): not measured, seconds_per_byte_copied is used */
    double swap_curve[SCALAY_SWAP_CURVE]; /**< seconds per element of exchanging two rows of a matrix of doubles with
                                             64 * 2^k rows and half as many columns, k = 0 to 5. All 0 (default):
                                             not measured, copy_curve is used */
    double seconds_per_message_within;    /**< latency of a message within a node. 0 (default): seconds_per_message */
    double seconds_per_byte_within;       /**< of a message within a node. 0 (default): seconds_per_byte */
    double seconds_per_byte_alone;    /**< of a message between two nodes of which no other process sends. 0 (default):
                                         seconds_per_byte */
    double seconds_per_large_message; /**< start-up of a message above MPI's eager limit, measured with 16 KiB on the
                                         links of seconds_per_message. 0 (default): seconds_per_message */
    double seconds_per_call;          /**< time of a small call of the BLAS. Predictions count such calls. Measured as
                                         1/180 of the time of QR, LU and Cholesky of order 16 on one process. 0
                                         (default): follows from vector_curve */
    double long_message_ratio; /**< time of moves between nodes with messages of 768 KiB, of which one is sent and
                                  one is received at a time, over that with messages of 256 KiB, of which three are
                                  received. 0 (default): not measured */
    int64_t nodes;             /**< number of nodes in the measurement. 0 (default): unknown */
    int64_t node_types;        /**< of them; at most SCALAY_NODE_TYPES. 0 (default): 1 */
    double type_seconds_per_flop[SCALAY_NODE_TYPES];         /**< level-3 BLAS on nodes of a type. 0 (default):
                                                                seconds_per_flop */
    double type_seconds_per_message[SCALAY_NODE_TYPES];      /**< within a node of a type. 0 (default):
                                                                seconds_per_message_within */
    double type_seconds_per_byte[SCALAY_NODE_TYPES];         /**< likewise. 0 (default): seconds_per_byte_within */
    double pair_seconds_per_message[SCALAY_NODE_TYPE_PAIRS]; /**< between nodes of two types. 0 (default):
                                                                seconds_per_message */
    double pair_seconds_per_byte[SCALAY_NODE_TYPE_PAIRS];    /**< likewise. 0 (default): seconds_per_byte */
} scalay_machine;

#ifdef __cplusplus
}
#endif

#endif
