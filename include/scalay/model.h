#ifndef SCALAY_MODEL_H
#define SCALAY_MODEL_H

/**
 * @file
 * Performance models. They predict the time of a redistribution and the time of a kernel on a process grid or an owner
 * map. They also rank process grids by predicted time.
 *
 * All models take a scalay_machine (types.h): scalay_machine_calibrate() (measure.h) measures it, and
 * scalay_machine_typical() has default rates. Models do not use MPI, work for any number of processes, and are
 * deterministic. advice.h uses them to decide whether to redistribute, and to which layout.
 *
 * Rates are those of a process with all processes active. If the machine says that processes share cores
 * (solo_time_ratio, ring_slowdown, concurrent_processes), a step takes the maximum of
 *   - the longest work of a process, computed alone,
 *   - all work, with all processes active,
 *   - the work of a core that more processes share than another core.
 * The first two are multiplied by the ring slowdown if panels are passed along more processes than run at once.
 */

#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Factorisations. */
typedef enum {
    SCALAY_FACTOR_QR = 0,      /**< A = Q R by Householder reflectors, as p?geqrf */
    SCALAY_FACTOR_LU = 1,      /**< P A = L U with partial pivoting, as p?getrf */
    SCALAY_FACTOR_CHOLESKY = 2 /**< A = L L^H or A = U^H U, as p?potrf */
} scalay_factor_kind;

/** Returns the rates of a core at 20 Gflop/s and of a network of 100 Gbit/s. Not collective. */
SCALAY_API scalay_machine scalay_machine_typical(void);

/* --------------------------------------------------------------------------------------------- redistribution */

/** Counts of a redistribution, in elements unless another unit is named. */
typedef struct {
    int64_t volume;   /**< elements that change process */
    int64_t steps;    /**< maximum over the processes of elements sent or received */
    int64_t messages; /**< maximum over the processes of messages sent or received */
    int64_t kept;     /**< maximum over the processes of elements that stay */
    int64_t items;    /**< all elements, moved or not. 0: as many as are moved */
    int64_t segments; /**< contiguous ranges of memory of all elements (scalay_layout_segments()). 0: not counted */
    int processes;    /**< at least 1 */
} scalay_move;

/**
 * Counts the redistribution of a mapping. Segments do not follow from the traffic and are set to 0. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  process  shape [parts]: process of each part, as in scalay_traffic_cost(); see scalay_mapping_process()
 * @param[out] move     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_move_from_traffic(const scalay_traffic *traffic, const int *process, scalay_move *move);

/**
 * Predicts the seconds of a redistribution. Not collective.
 *
 *     plan + messages * seconds_per_message
 *     + max(steps, 2 volume / processes) * size * seconds_per_byte
 *     + (2 steps + kept) * size * seconds_per_byte_copied
 *     + segments * (steps + kept) / items * 512 * seconds_per_byte_copied
 *
 * The busiest process sends and receives at most `steps` elements at the rate of a link. The rate was measured with
 * half of the processes sending, hence the second bound. Moved elements are packed and unpacked; kept elements are
 * copied once. A segment takes as long as copying 512 bytes. A plan begins and ends in the time of 8e4 flops at
 * vector_curve[0].
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] type     the element type
 * @param[in] move     counts
 * @return seconds; 0 without elements; -1 if an argument is not valid
 */
SCALAY_API double scalay_model_move(const scalay_machine *machine, scalay_type type, const scalay_move *move);

/* ------------------------------------------------------------------------------------------ Hockney's model */

/**
 * Returns the seconds of a message by Hockney's model: seconds_per_message + bytes * seconds_per_byte. Not collective.
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] bytes    at least 0
 * @return seconds; -1 if an argument is not valid
 */
SCALAY_API double scalay_model_message(const scalay_machine *machine, int64_t bytes);

/**
 * Returns latency times bandwidth of a link in elements: the start-up cost of scalay_schedule_create() (schedule.h).
 * Not collective.
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] type     the element type
 * @return elements, rounded, at most 2^63 - 1; -1 if an argument is not valid
 */
SCALAY_API int64_t scalay_model_startup(const scalay_machine *machine, scalay_type type);

/** A time by Hockney's model, in seconds. */
typedef struct {
    double compute_seconds; /**< of computing */
    double message_seconds; /**< latency and transfer of the messages on the critical path */
    double seconds;         /**< sum of the two, without overlap */
} scalay_hockney_time;

/**
 * Predicts a product of two n x n matrices by SUMMA on sqrt(p) x sqrt(p) processors with scatter-allgather broadcasts,
 * by the formula of the PARALEPH paper. Not collective.
 *
 *     compute  = 2 n^3 / p * balance * seconds_per_flop
 *     messages = (log2 p + 2 (sqrt p - 1)) * n / block * seconds_per_message
 *              + 4 (1 - 1 / sqrt p) / sqrt p * n^2 * size * seconds_per_byte
 *
 * seconds_per_flop is that of one processor (the paper's gamma of the whole machine, divided by p). scalay_model_gemm()
 * predicts p?gemm on any grid.
 * @param[in]  machine     NULL: scalay_machine_typical()
 * @param[in]  type        as in scalay_model_gemm(); complex operations count as four
 * @param[in]  n           extent of the matrices, at least 0
 * @param[in]  processors  p, at least 1, not necessarily a square
 * @param[in]  block       block of SUMMA in elements, at least 1
 * @param[in]  balance     factor of the compute time with better shares (the paper's tau), at least 0; 1: none
 * @param[out] time        caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 * @par Source
 * Lastovetsky, Reddy Manumachu (2018), equations 2a to 2c; docs/papers.md lists the errors of its table 13.
 */
SCALAY_API scalay_status scalay_model_summa(const scalay_machine *machine, scalay_type type, int64_t n,
                                            int64_t processors, int64_t block, double balance,
                                            scalay_hockney_time *time);

/**
 * Predicts PARALEPH (workload.h) with one process per processor, by the formula of its paper. Not collective.
 *
 *     compute  = points * (n + processors) * seconds_per_flop
 *     messages = (seconds_per_message + 8 seconds_per_byte) * n * processors
 * @param[in]  machine     NULL: scalay_machine_typical()
 * @param[in]  points      m, number of sizes of the profile, at least 0
 * @param[in]  n           units of work, at least 0
 * @param[in]  processors  at least 1
 * @param[out] time        caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 * @par Source
 * Lastovetsky, Reddy Manumachu (2018), equations 3a to 3c
 */
SCALAY_API scalay_status scalay_model_paraleph(const scalay_machine *machine, int64_t points, int64_t n,
                                               int64_t processors, scalay_hockney_time *time);

/* ------------------------------------------------------------------------------------- products on an owner map */

/** Options of scalay_model_multiply(); start from scalay_multiply_options_default(). */
typedef struct {
    size_t size;                    /**< set by scalay_multiply_options_default() */
    int64_t panel;                  /**< columns of A and rows of B of a step, at least 0. 0: 256; default 256 */
    const double *seconds_per_flop; /**< shape [parts of the map]: rate of the process of each part, for elements of the
                                       type, with all processes active. NULL (default): the rate of the machine at the
                                       smallest extent of each local array, for processes that share its cores */
    int overlap; /**< 1: panels are sent while the processes compute. 0 (default): the processes move them */
    int reads;   /**< 1: a part reads the memory of other parts, which costs the owner nothing. 0 (default): messages,
                    which cost both ends */
    int concurrent_transfers; /**< with messages: elements that move at a time, such as ports of a switch; with reads:
                                 processors that read. 0 (default): half of the parts that own something */
    const int64_t *messages;  /**< shape [parts of the map]: messages of each part, or segments of memory that it reads.
                                 NULL (default): one for each panel, partner and matrix */
    const int64_t *copied; /**< shape [parts of the map]: elements that each part packs or copies. NULL (default): with
                              messages, each received element once; with reads, 0 */
} scalay_multiply_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_multiply_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     of the caller's struct, in bytes
 */
SCALAY_API void scalay_multiply_options_init(scalay_multiply_options *options, size_t size);

/** Returns the default options. Not collective. */
static inline scalay_multiply_options scalay_multiply_options_default(void)
{
    scalay_multiply_options options;
    scalay_multiply_options_init(&options, sizeof options);
    return options;
}

/** Predicted time of a product. Seconds are the maximum over the parts. */
typedef struct {
    double flops;               /**< real flops of all parts: 2 m n k, four times as many if complex */
    int64_t volume;             /**< elements of A and B that move: f_c of partition.h */
    int64_t busiest;            /**< maximum over the parts of elements sent or received */
    int64_t panels;             /**< steps of the product */
    int64_t messages;           /**< maximum over the parts of messages */
    double compute_seconds;     /**< of the local products */
    double communicate_seconds; /**< of the panels */
    double seconds;             /**< of the part that ends last */
} scalay_multiply_time;

/**
 * Predicts C := A B by SUMMA on an owner map of C (m x n). A (m x k) and B (k x n) are cut like C. Not collective.
 * Advice (advice.h) and the plans of scalay_gemm_create() (multiply.h) have the same model. For part j
 *
 *     compute_j     = 2 k count_j * seconds_per_flop_j
 *     communicate_j = messages_j * start_up + max(bytes_j, bytes of all / concurrent_transfers)
 *     bytes_j       = max(sent_j, received_j) * size * seconds_per_byte + copied_j * size * seconds_per_byte_copied
 *
 * The start-up is seconds_per_message, with seconds_per_large_message added and seconds_per_message subtracted for
 * messages above 4 KiB. With reads, each partner and panel has the start-up of a large message without the three small
 * messages in which a sender and a receiver agree. A call begins and ends in the time of 1e5 flops at vector_curve[0].
 *
 * The bytes of all parts are volume * size * seconds_per_byte and the counted copies. A part needs the sum of the two
 * times, or with overlap their maximum.
 *
 * If nobody has counted copies, a part with messages copies what it receives on its own processor, besides:
 *
 *     (received_j * size + segments_j * 512) * seconds_per_byte_copied
 *
 * Segments are contiguous in the local arrays of scalay_layout_from_owner_map(): columns of A, and panels of the
 * columns of B. Processes that share cores share them for copying, too.
 *
 * With reads, sent_j costs nothing, and messages and bytes occupy the processor of the part. If there are more parts
 * than processors, all parts progress at the same rate until one of them ends (processor sharing).
 *
 * Set seconds_per_byte to the measured rate of the transport. Time and memory: proportional to the owners of all
 * distinct rows and columns.
 * @param[in]  machine  NULL: scalay_machine_typical()
 * @param[in]  type     SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  map      of C
 * @param[in]  k        columns of A, at least 0
 * @param[in]  options  NULL: the default
 * @param[out] compute  shape [parts of the map]: seconds of each part; NULL: not wanted
 * @param[out] communicate  likewise
 * @param[out] time     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 * @par Source
 * Malik, Lastovetsky (2021), section VI, for the volume; Hockney's model for the messages.
 */
SCALAY_API scalay_status scalay_model_multiply(const scalay_machine *machine, scalay_type type,
                                               const scalay_owner_map *map, int64_t k,
                                               const scalay_multiply_options *options, double *compute,
                                               double *communicate, scalay_multiply_time *time);

/* ------------------------------------------------------------------------------------------------ QR */

/** Drivers of ScaLAPACK that scalay_model_driver() predicts, with the names of their real routines. */
typedef enum {
    SCALAY_DRIVER_GETRI = 0, /**< p?getri */
    SCALAY_DRIVER_SYEV = 1,  /**< p?syev, p?heev: QR iteration */
    SCALAY_DRIVER_SYEVD = 2, /**< p?syevd, p?heevd: divide and conquer */
    SCALAY_DRIVER_SYEVR = 3, /**< p?syevr, p?heevr: relatively robust representations */
    SCALAY_DRIVER_SYEVX = 4, /**< p?syevx, p?heevx: bisection and inverse iteration */
    SCALAY_DRIVER_SYGVX = 5, /**< p?sygvx, p?hegvx: A x = lambda B x, as SCALAY_DRIVER_SYEVX */
    SCALAY_DRIVER_GESVD = 6  /**< p?gesvd */
} scalay_driver;

/**
 * Predicts a driver of ScaLAPACK on an m x n matrix in nb x nb blocks on an nprow x npcol grid: the sum of its phases,
 * such as p?sytrd, p?stedc and p?ormtr. Not collective. docs/benchmarks-dropin.md has the errors. Time: O(256 + log n).
 * @param[in] machine       NULL: scalay_machine_typical()
 * @param[in] driver        which one
 * @param[in] type          SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in] m, n          extents, at least 0; equal but for SCALAY_DRIVER_GESVD
 * @param[in] vectors       eigenvectors, or pairs of singular vectors, that are computed: 0 to min(m, n)
 * @param[in] nprow, npcol  grid extents, at least 1
 * @param[in] nb            block extent, at least 1
 * @return seconds; -1 if an argument is not valid
 */
SCALAY_API double scalay_model_driver(const scalay_machine *machine, scalay_driver driver, scalay_type type, int64_t m,
                                      int64_t n, int64_t vectors, int nprow, int npcol, int nb);

/** Predicted time of p?geqrf. */
typedef struct {
    double flops;           /**< real flops of all processes: 2 n^2 (m - n / 3) for m >= n, four times if complex */
    double balance;         /**< mean over maximum of the updates, in (0, 1] */
    double update_seconds;  /**< level-3 BLAS: updates of the trailing matrix */
    double panel_seconds;   /**< level-2 BLAS: factorisation of the panels */
    double message_seconds; /**< latency and transfer of the messages on the critical path */
    double seconds;         /**< sum of the three */
} scalay_qr_cost;

/**
 * Predicts p?geqrf of an m x n matrix in nb x nb blocks on an nprow x npcol grid. Not collective.
 *
 * The panels are factored one after the other, without lookahead. For a panel of b columns, r rows below its top and c
 * columns to the right of it, let R and C be the maximum local numbers of these rows and columns:
 *   - panel: 3 R b^2 flops by level-2 BLAS;
 *   - messages of the panel: 4 log2(nprow) per column;
 *   - broadcast along the grid row: log2(npcol) messages, R b elements once;
 *   - update: 4 R b C + b^2 C flops by level-3 BLAS. Their rate is that of gemm_curve at extent b. Without the curve,
 * six passes over R C elements are added;
 *   - sum and broadcast of a b x C block along the grid column: 2 log2(nprow) messages of all its elements.
 *
 * For each message of more than 4 KiB, seconds_per_large_message is added and seconds_per_message subtracted.
 * A complex flop counts as four real flops. Single precision is twice as fast. More than 256 panels are sampled.
 * @param[in]  machine       NULL: scalay_machine_typical()
 * @param[in]  type          SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  m, n          extents, at least 0
 * @param[in]  nprow, npcol  grid extents, at least 1
 * @param[in]  nb            block extent, at least 1
 * @param[out] cost          caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_model_qr(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                         int nprow, int npcol, int nb, scalay_qr_cost *cost);

/**
 * As scalay_model_qr(), for processes with different speeds: a step takes as long as its slowest process. Not
 * collective.
 * @param[in]  machine       NULL: scalay_machine_typical()
 * @param[in]  type          as in scalay_model_qr()
 * @param[in]  m, n          extents, at least 0
 * @param[in]  nprow, npcol  grid extents, at least 1
 * @param[in]  nb            block extent, at least 1
 * @param[in]  speed         shape [nprow * npcol], row-major: speed of each process relative to the rates of the
 * machine, above 0; NULL: all 1
 * @param[out] cost          caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_model_qr_speeds(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                                int nprow, int npcol, int nb, const double *speed,
                                                scalay_qr_cost *cost);

/** A process grid for p?geqrf and its predicted time. */
typedef struct {
    int nprow;           /**< rows of the grid */
    int npcol;           /**< columns of the grid */
    int nb;              /**< rows and columns of a block */
    scalay_qr_cost cost; /**< predicted time */
} scalay_qr_candidate;

/** Grids to choose from; start from scalay_qr_limits_default(). */
typedef struct {
    size_t size;   /**< set by scalay_qr_limits_default() */
    int processes; /**< maximum of nprow * npcol, at least 1 */
    int nprow;     /**< 0 (default): all are compared */
    int npcol;     /**< 0 (default): all are compared */
    int nb;        /**< 0 (default): 8, 16, 24, 32, 48, 64, 96, 128, 192 and 256 are compared */
} scalay_qr_limits;

/**
 * Sets limits to their defaults, with one process. Not collective. C programs call scalay_qr_limits_default().
 * @param[out] limits  caller-owned
 * @param[in]  size    of the caller's struct, in bytes
 */
SCALAY_API void scalay_qr_limits_init(scalay_qr_limits *limits, size_t size);

/** Returns limits without restrictions for a number of processes. Not collective. */
static inline scalay_qr_limits scalay_qr_limits_default(int processes)
{
    scalay_qr_limits limits;
    scalay_qr_limits_init(&limits, sizeof limits);
    limits.processes = processes;
    return limits;
}

/** Process grids for p?geqrf, by ascending predicted time. */
typedef struct scalay_qr_choice scalay_qr_choice;

/**
 * Ranks grid shapes and block sizes for p?geqrf by predicted time. Not collective. Grids of fewer processes are
 * included: a prime number of processes has only the shapes 1 x P and P x 1.
 *
 * Up to 256 processes, all shapes with nprow * npcol <= processes are compared. Above, only maximal shapes and their
 * halvings are compared. Shapes that leave a process without a block are excluded.
 * @param[in]  machine  NULL: scalay_machine_typical()
 * @param[in]  type     as in scalay_model_qr()
 * @param[in]  m, n     extents, at least 0
 * @param[in]  limits   grids to choose from
 * @param[out] choice   to be released with scalay_qr_choice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (nprow * npcol is more than the processes),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_model_qr_choose(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                                const scalay_qr_limits *limits, scalay_qr_choice **choice);

/** Returns the number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_qr_choice_count(const scalay_qr_choice *choice);

/**
 * Returns a candidate. Not collective.
 * @param[in]  choice     a choice
 * @param[in]  k          in [0, scalay_qr_choice_count(choice)); 0 is the fastest one
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_qr_choice_get_candidate(const scalay_qr_choice *choice, int k,
                                                        scalay_qr_candidate *candidate);

/**
 * Describes the choice: the predicted time of the fastest candidate, idle processes, and the best candidates with more
 * processes and with other blocks. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    caller-owned, terminated; NULL if size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_qr_choice_describe(const scalay_qr_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL. NULL is allowed. Not collective. */
SCALAY_API void scalay_qr_choice_destroy(scalay_qr_choice **choice);

/* ------------------------------------------------------------------------------------------- products on a grid */

/** Predicted time of p?gemm, C := A B + C. */
typedef struct {
    double flops;           /**< real flops of all processes: 2 m n k, four times as many if complex */
    double balance;         /**< mean over maximum of the work of a process, in (0, 1] */
    double compute_seconds; /**< level-3 BLAS at seconds_per_flop */
    double memory_seconds;  /**< additional time of narrow panels: C is read and written for each panel */
    double message_seconds; /**< latency, transfer, packing and unpacking of the panels */
    double seconds;         /**< sum of the three */
} scalay_gemm_cost;

/**
 * Predicts C := A B + C by p?gemm, with all three matrices in nb x nb blocks on one nprow x npcol grid. Not collective.
 *
 * PBLAS multiplies panels of 32 columns of A and 32 rows of B, for any blocks. Each panel has a broadcast along the
 * grid rows, a broadcast along the grid columns, and a local product at the rate of gemm_curve. A broadcast to p
 * processes takes log2(p) start-ups (scalay_model_multiply()) and the elements once: it is a pipelined ring. On a grid
 * whose rows are not a multiple of its columns, the rows of B of a panel are adjacent in blocks, and a block shorter
 * than a cache line is copied as slowly as the line. If a column of a local array is a
 * multiple of 4096 bytes, columns conflict in the caches, and the local product takes 1.2 times as long. Section V-C of
 * the PARALEPH paper has another form, see scalay_model_summa().
 * @param[in]  machine       NULL: scalay_machine_typical()
 * @param[in]  type          SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  m, n, k       extents, at least 0: A is m x k, B is k x n
 * @param[in]  nprow, npcol  grid extents, at least 1
 * @param[in]  nb            block extent, at least 1
 * @param[in]  speed         as in scalay_model_qr_speeds()
 * @param[out] cost          caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_model_gemm(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                           int64_t k, int nprow, int npcol, int nb, const double *speed,
                                           scalay_gemm_cost *cost);

/* -------------------------------------------------------------------------------------------------- stencil */

/** Cost of a set of transfers. */
typedef enum {
    SCALAY_STENCIL_VOLUME = 0, /**< items sent, all processes together: one transfer at a time */
    SCALAY_STENCIL_STEPS = 1   /**< one-port model: maximum over the processes of max(items sent, items received) */
} scalay_stencil_model;

/**
 * Iterations of a stencil and their cost per item. Start from scalay_stencil_problem_default() or
 * scalay_stencil_problem_on(). The caller chooses the unit of time.
 */
typedef struct {
    size_t size;                       /**< set by the two functions: sizeof(scalay_stencil_problem) */
    scalay_stencil_model model;        /**< cost of a set of transfers */
    int64_t iterations;                /**< K, at least 0 */
    double seconds_per_item_moved;     /**< tau_comm of the redistribution. Double it if the items move back */
    double seconds_per_item_exchanged; /**< tau_comm of an iteration */
    double seconds_per_message;        /**< time of a message. A process sends at most one message to each other
                                            process, and at most as many as items. 0 in the paper */
    double seconds_per_update;         /**< tau_calc: time to update one item */
    int processes;                     /**< processes that may get items, at least those of the source layout.
                                            0 (default): the processes of the source layout */
    uint64_t seed;                     /**< of the local search (default: 1). Equal seeds give equal results */
} scalay_stencil_problem;

/**
 * Sets a problem to its defaults: model SCALAY_STENCIL_VOLUME, all times 0. Not collective. C programs call
 * scalay_stencil_problem_default().
 * @param[out] problem  caller-owned
 * @param[in]  size     sizeof *problem as the caller knows it, in bytes
 */
SCALAY_API void scalay_stencil_problem_init(scalay_stencil_problem *problem, size_t size);

/** Returns the problem of the paper: one tau_comm for moving and exchanging, no time per message. Not collective. */
static inline scalay_stencil_problem scalay_stencil_problem_default(scalay_stencil_model model, double tau_comm,
                                                                    double tau_calc, int64_t iterations)
{
    scalay_stencil_problem problem;
    scalay_stencil_problem_init(&problem, sizeof problem);
    problem.model = model;
    problem.seconds_per_item_moved = problem.seconds_per_item_exchanged = tau_comm;
    problem.seconds_per_update = tau_calc;
    problem.iterations = iterations;
    return problem;
}

/**
 * Sets the times of a problem from the rates of a machine, one-port. Not collective. C programs call
 * scalay_stencil_problem_on(). Times:
 *   - an item: its bytes at the rate of a link, plus packing and unpacking;
 *   - a message: the latency;
 *   - an update: five operations at the level-2 rate.
 * @param[in,out] problem     with its size set
 * @param[in]     machine     NULL: scalay_machine_typical()
 * @param[in]     type        of the items
 */
SCALAY_API void scalay_stencil_problem_set_rates(scalay_stencil_problem *problem, const scalay_machine *machine,
                                                 scalay_type type);

/**
 * Returns the problem on a machine, one-port. Not collective.
 * @param[in] machine     NULL: scalay_machine_typical()
 * @param[in] type        of the items
 * @param[in] iterations  K, at least 0
 */
static inline scalay_stencil_problem scalay_stencil_problem_on(const scalay_machine *machine, scalay_type type,
                                                               int64_t iterations)
{
    scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 0.0, 0.0, iterations);
    scalay_stencil_problem_set_rates(&problem, machine, type);
    return problem;
}

/** Predicted cost of moving items and iterating on them. */
typedef struct {
    int64_t volume;           /**< items that change process in the move */
    int64_t steps;            /**< one-port steps of the move */
    int64_t exchanged;        /**< items sent in an iteration: each once to each process that owns a neighbour */
    int64_t exchange_steps;   /**< one-port steps of an iteration */
    int64_t load;             /**< maximum number of items of a process */
    double move_seconds;      /**< volume or steps, by the model, times seconds_per_item_moved, plus messages */
    double iteration_seconds; /**< exchanged or exchange_steps times seconds_per_item_exchanged, plus messages, plus
                                   load times seconds_per_update */
    double seconds;           /**< move_seconds + iterations * iteration_seconds */
} scalay_stencil_cost;

/**
 * Evaluates the cost of a layout. Not collective. Time: O(r log r) for r runs in both layouts.
 * @param[in]  problem  the stencil
 * @param[in]  source   current layout of the items: any layout with one row or one column
 * @param[in]  target   layout to iterate on, of the same extents
 * @param[out] cost     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.1. N_ij counts an item once for each process that needs it,
 * as the definition and the table there do. The proofs there count it once for each neighbour.
 */
SCALAY_API scalay_status scalay_model_stencil(const scalay_stencil_problem *problem, const scalay_layout *source,
                                              const scalay_layout *target, scalay_stencil_cost *cost);

/** A candidate layout with its predicted cost. */
typedef struct {
    const char *name;         /**< static string:
                                   - "owner": nothing moves;
                                   - "canonical": one block per process, in order;
                                   - "volume", "steps": these blocks, mapped for least volume or fewest steps;
                                   - "blocks": the best number of blocks, mapped;
                                   - "search": result of the local search */
    int processes;            /**< processes that own items */
    int64_t runs;             /**< maximal sets of consecutive items with one owner, from item 0 to item n-1 */
    scalay_stencil_cost cost; /**< predicted */
} scalay_stencil_candidate;

/** Candidate layouts by ascending cost. */
typedef struct scalay_stencil_choice scalay_stencil_choice;

/**
 * Searches the layout that minimises the cost of moving and iterating. Not collective. The problem is strongly
 * NP-complete, so "search" is a heuristic. It is at most as expensive as every other candidate.
 *
 * The local search starts from the other candidates and from layouts that are optimal under prices for load and
 * messages. It works on runs. Time: bounded, a few seconds for 10^6 runs.
 * @param[in]  problem  the stencil
 * @param[in]  source   as in scalay_model_stencil()
 * @param[out] choice   release with scalay_stencil_choice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.
 */
SCALAY_API scalay_status scalay_model_stencil_choose(const scalay_stencil_problem *problem, const scalay_layout *source,
                                                     scalay_stencil_choice **choice);

/** Returns the number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_stencil_choice_count(const scalay_stencil_choice *choice);

/**
 * Copies a candidate. Not collective.
 * @param[in]  choice     a choice
 * @param[in]  k          0 <= k < scalay_stencil_choice_count(choice); candidate 0 has the smallest cost
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_get_candidate(const scalay_stencil_choice *choice, int k,
                                                             scalay_stencil_candidate *candidate);

/**
 * Returns the runs of a candidate. Not collective.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get_candidate()
 * @param[out] first   shape [runs]: first item of each run, ascending from 0; owned by the choice
 * @param[out] owner   shape [runs]: process of each run; owned by the choice
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_stencil_choice_runs(const scalay_stencil_choice *choice, int k, const int64_t **first,
                                                    const int **owner);

/**
 * Creates the layout of a candidate, with the extents of the source. Not collective. Its local arrays are those of
 * scalay_layout_from_owner_map(), for "owner" too.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get_candidate()
 * @param[out] layout  release with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_layout(const scalay_stencil_choice *choice, int k,
                                                      scalay_layout **layout);

/**
 * Writes a table of the candidates, one line each. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    shape [size], caller-owned, terminated; truncated if too short. NULL if size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_stencil_choice_describe(const scalay_stencil_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_stencil_choice_destroy(scalay_stencil_choice **choice);

#ifdef __cplusplus
}
#endif

#endif
