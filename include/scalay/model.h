#ifndef SCALAY_MODEL_H
#define SCALAY_MODEL_H

/**
 * @file
 * Predictions: how long moving a matrix takes, how long a kernel takes on a given grid or owner map, and which grid is
 * best.
 *
 * All formulas take a scalay_machine (types.h): measured by scalay_machine_measure() (measure.h), kept by
 * scalay_machine_calibrate(), or scalay_machine_typical(). Everything here is pure: no MPI, any number of processes,
 * deterministic. advice.h puts the parts together: is moving worth it, and to where? stencil.h has what stencils cost.
 *
 * Seconds of computing and copying are those of a process with all at work, when each has a core of its own. Where the
 * machine says that they share cores (alone, lockstep, at_once), a step takes the longest of: the longest share,
 * computed alone, and all of the work with everybody at work, both times lockstep as far as panels go round more
 * processes than run at once; and what a core has that more of the processes share than another one.
 */

#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The rates of an ordinary cluster node's core and network, for when nothing was measured. Not collective. */
SCALAY_API scalay_machine scalay_machine_typical(void);

/* --------------------------------------------------------------------------------------------- moving */

/** What a redistribution costs before it is turned into seconds; items are elements. */
typedef struct {
    int64_t volume;   /**< items that change process */
    int64_t steps;    /**< one-port steps: most items that a process sends or receives */
    int64_t messages; /**< most messages that a process sends or receives */
    int64_t kept;     /**< most items that stay on a process */
    int64_t items;    /**< all items, whether they move or not; 0: as many as move */
    int64_t segments; /**< segments of memory that they are in: scalay_layout_segments(); 0: not counted */
    int processes;    /**< at least 1 */
} scalay_move;

/**
 * Counts what a mapping moves; segments are not known from traffic, and stay 0. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  process  shape [parts]: where each part goes, as in scalay_traffic_cost(); see scalay_mapping_process()
 * @param[out] move     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_move_from_traffic(const scalay_traffic *traffic, const int *process, scalay_move *move);

/**
 * The predicted seconds of a redistribution. Not collective.
 *
 *     messages * seconds_per_message
 *     + max(steps, 2 volume / processes) * size * seconds_per_byte
 *     + (2 steps + kept) * size * seconds_per_byte_copied
 *     + segments * (steps + kept) / items * 512 * seconds_per_byte_copied
 *
 * The busiest process sends and receives at most `steps` items at the rate of a link; that rate was measured with
 * half the processes sending at a time, hence the second bound. What moves is packed and unpacked, what stays is copied
 * once. The busiest process has as many of all segments as it has of the items, and each takes as long as 512 bytes.
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] type     the element type
 * @param[in] move     counts
 * @return seconds, 0 when nothing is to be done; -1 when an argument is not valid
 */
SCALAY_API double scalay_model_move(const scalay_machine *machine, scalay_type type, const scalay_move *move);

/* ------------------------------------------------------------------------------------------ Hockney's model */

/**
 * The seconds of a message by Hockney's model: seconds_per_message + bytes * seconds_per_byte. Not collective.
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] bytes    at least 0
 * @return seconds; -1 when an argument is not valid
 */
SCALAY_API double scalay_model_message(const scalay_machine *machine, int64_t bytes);

/**
 * Elements that a link could carry while a message starts, latency times bandwidth: the startup that
 * scalay_schedule_create() (schedule.h) asks for. Not collective.
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] type     the element type
 * @return elements, rounded, at most 2^63 - 1; -1 when an argument is not valid
 */
SCALAY_API int64_t scalay_model_startup(const scalay_machine *machine, scalay_type type);

/** A time by Hockney's model, in seconds. */
typedef struct {
    double compute_seconds; /**< computing */
    double message_seconds; /**< latency and transfer of all messages that follow each other */
    double seconds;         /**< the sum of the two: nothing overlaps */
} scalay_hockney_time;

/**
 * Predicts a product of two n x n matrices by SUMMA on sqrt(p) x sqrt(p) processors with scatter-allgather broadcasts,
 * as the PARALEPH paper does. Not collective.
 *
 *     compute  = 2 n^3 / p * balance * seconds_per_flop
 *     messages = (log2 p + 2 (sqrt p - 1)) * n / block * seconds_per_message
 *              + 4 (1 - 1 / sqrt p) / sqrt p * n^2 * size * seconds_per_byte
 *
 * All units are the machine's: seconds_per_flop is of one processor (the paper's gamma, of the whole machine, over p),
 * seconds_per_byte of a link, n and block count elements. scalay_model_gemm() predicts p?gemm on any grid.
 * @param[in]  machine     NULL: scalay_machine_typical()
 * @param[in]  type        as in scalay_model_gemm(); complex operations count as four
 * @param[in]  n           extent of the matrices, at least 0
 * @param[in]  processors  p, at least 1; no square need be
 * @param[in]  block       SUMMA's block, at least 1
 * @param[in]  balance     what better shares leave of the time of computing: the paper's tau; 1: all of it
 * @param[out] time        caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 * @par Source
 * Lastovetsky, Reddy Manumachu (2018), equations 2a to 2c; docs/workload.md says what is wrong with its table 13.
 */
SCALAY_API scalay_status scalay_model_summa(const scalay_machine *machine, scalay_type type, int64_t n,
                                            int64_t processors, int64_t block, double balance,
                                            scalay_hockney_time *time);

/**
 * Predicts PARALEPH (workload.h) on as many processes as processors, as its paper does. Not collective.
 *
 *     compute  = points * (n + processors) * seconds_per_flop
 *     messages = (seconds_per_message + 8 seconds_per_byte) * n * processors
 * @param[in]  machine     NULL: scalay_machine_typical()
 * @param[in]  points      m, sizes of the profile, at least 0
 * @param[in]  n           units of work, at least 0
 * @param[in]  processors  at least 1
 * @param[out] time        caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 * @par Source
 * Lastovetsky, Reddy Manumachu (2018), equations 3a to 3c
 */
SCALAY_API scalay_status scalay_model_paraleph(const scalay_machine *machine, int64_t points, int64_t n,
                                               int64_t processors, scalay_hockney_time *time);

/* -------------------------------------------------------------------------------------------- multiplying */

/** How a product is computed; start from scalay_multiply_options_default(). */
typedef struct {
    int64_t panel;                  /**< columns of A and rows of B that travel at a time; 0: 128 */
    const double *seconds_per_flop; /**< shape [parts of the map]: of each part's process, for elements of the type;
                                       NULL: the machine's, on all of them */
    int overlap; /**< 1: panels travel while the processes compute; 0: the processes themselves move them, as where
                    memory is shared */
    int reads;   /**< 1: a part reads what it needs out of the memory of the others: what it gives costs it nothing; 0:
                    messages, which take both ends */
    int concurrent_transfers; /**< messages: so many elements move at a time, such as ports of a switch; reads: so many
                  processors do that; 0: half as many as there are parts that own something */
    const int64_t *messages;  /**< shape [parts of the map]: messages of each part, or segments of memory that it reads,
                                 as SUMMA counts them; NULL: one for each panel, partner and matrix */
    const int64_t *copied;    /**< shape [parts of the map]: elements that each part packs or puts together, as SUMMA
                                 counts them; NULL: none */
} scalay_multiply_options;

/** Panels of 128, speeds of the machine, no overlap, messages. */
SCALAY_API scalay_multiply_options scalay_multiply_options_default(void);

/** The predicted time of a product. Seconds are those of the part that has most of them. */
typedef struct {
    double flops;               /**< real operations of all parts: 2 m n k, four times if complex */
    int64_t volume;             /**< elements of A and B that travel: f_c of partition.h */
    int64_t busiest;            /**< most elements that a part sends or receives */
    int64_t panels;             /**< steps of the product */
    int64_t messages;           /**< most messages of a part */
    double compute_seconds;     /**< multiplying */
    double communicate_seconds; /**< moving panels */
    double seconds;             /**< of the part that is done last */
} scalay_multiply_time;

/**
 * Predicts C := A B, C (m x n) staying where an owner map has it, A (m x k) and B (k x n) cut like C. Not collective.
 * For part j
 *
 *     compute_j     = 2 k count_j * seconds_per_flop_j
 *     communicate_j = messages_j * seconds_per_message + max(bytes_j, bytes of all / lanes)
 *     bytes_j       = max(sent_j, received_j) * size * seconds_per_byte + copied_j * size * seconds_per_byte_copied
 *
 * where those of all are volume * size * seconds_per_byte and the copies. Where memory is read, sent_j costs nothing,
 * and messages and bytes are work of the part's processor: where there are more parts than lanes they take turns, all
 * get on equally fast until one of them is done, and the others faster from then on. The rate of a link is measured
 * with half the processes sending, hence the lanes when nothing is said (as in scalay_model_move()). A part needs the
 * sum of the two, with overlap the greater of the two. How panels travel decides which rate is meant: put into
 * seconds_per_byte what was measured for that way. Time and memory in proportion to the owners of all different lines;
 * for a part with several kinds of lines, to those of its own.
 * @param[in]  machine  NULL: scalay_machine_typical()
 * @param[in]  type     SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  map      of C
 * @param[in]  k        columns of A, at least 0
 * @param[in]  options  NULL: the default
 * @param[out] compute  shape [parts of the map], seconds of each part; NULL: not wanted
 * @param[out] communicate  likewise
 * @param[out] time     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 * @par Source
 * Malik, Lastovetsky (2021), section VI, for the volume; the rest is Hockney's model of the busiest process.
 */
SCALAY_API scalay_status scalay_model_multiply(const scalay_machine *machine, scalay_type type,
                                               const scalay_owner_map *map, int64_t k,
                                               const scalay_multiply_options *options, double *compute,
                                               double *communicate, scalay_multiply_time *time);

/* ------------------------------------------------------------------------------------------------ QR */

/** The predicted cost of p?geqrf. */
typedef struct {
    double flops;          /**< real operations of all processes: 2 n^2 (m - n / 3) for m >= n, four times if complex */
    double balance;        /**< mean share of the update over the largest: 1 is perfect, 1 / processes is serial */
    double update_seconds; /**< level-3 BLAS: applying the panels to what is right of them */
    double panel_seconds;  /**< level-2 BLAS: factoring the panels */
    double message_seconds; /**< latency and transfer of all messages on the critical path */
    double seconds;         /**< the sum of the three */
} scalay_qr_cost;

/**
 * Predicts p?geqrf of an m x n matrix in nb x nb blocks on an nprow x npcol grid. Not collective.
 *
 * The factorisation is a sequence of panels without lookahead, so the seconds of the panels add up. For a panel of b
 * columns with r x c elements left below and right of its first one, R and C being the rows and columns of the process
 * that holds most of them:
 *   - panel: 3 R b^2 operations at the level-2 rate, column by column;
 *   - messages of the panel: 4 log2(nprow) per column;
 *   - broadcast along the grid row: log2(npcol) messages, R b elements once (p?geqrf sends them round a ring, to the
 *     owner of the next panel first);
 *   - update: 4 R b C + b^2 C operations at the level-3 rate, and six passes over R C elements at the memory's rate
 *     (two operations of level 2 for each 8 bytes): this is what makes narrow panels slow;
 *   - sum and broadcast of a b x C block along the grid column: 2 log2(nprow) messages with all of it.
 *
 * Complex operations count four real ones; single precision is taken as twice as fast. More than 256 panels are
 * sampled.
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
 * scalay_model_qr() for processes that differ: each step takes as long as the process that is last. Not collective.
 * @param[in]  machine       NULL: scalay_machine_typical()
 * @param[in]  type          as in scalay_model_qr()
 * @param[in]  m, n          extents, at least 0
 * @param[in]  nprow, npcol  grid extents, at least 1
 * @param[in]  nb            block extent, at least 1
 * @param[in]  speed         shape [nprow * npcol], row-major: how fast each process computes, in units of the machine's
 *                           rates; NULL: all 1
 * @param[out] cost          caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_model_qr_speeds(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                                int nprow, int npcol, int nb, const double *speed,
                                                scalay_qr_cost *cost);

/** A grid for p?geqrf with its prediction. */
typedef struct {
    int nprow;           /**< rows of the grid */
    int npcol;           /**< columns of the grid */
    int nb;              /**< block extent, both ways */
    scalay_qr_cost cost; /**< predicted */
} scalay_qr_candidate;

/** What to choose from; start from scalay_qr_limits_default(). */
typedef struct {
    int processes; /**< at least 1: nprow * npcol is at most that */
    int nprow;     /**< 0: choose */
    int npcol;     /**< 0: choose */
    int nb;        /**< 0: choose among 8, 16, 24, 32, 48, 64, 96, 128, 192, 256 */
} scalay_qr_limits;

/** A free choice for a number of processes. */
SCALAY_API scalay_qr_limits scalay_qr_limits_default(int processes);

/** Grids for p?geqrf, the fastest first. */
typedef struct scalay_qr_choice scalay_qr_choice;

/**
 * Finds the grid shape and block size on which p?geqrf should be fastest. Not collective. Grids of fewer processes
 * count too: a prime number of processes gives only 1 x P and P x 1, and a slightly smaller number is often faster.
 *
 * Up to 256 processes every shape with nprow * npcol <= processes is a candidate; above, those that cannot grow in
 * either direction and their halvings. Shapes that give a process no block at all are left out.
 * @param[in]  machine  NULL: scalay_machine_typical()
 * @param[in]  type     as in scalay_model_qr()
 * @param[in]  m, n     extents, at least 0
 * @param[in]  limits   what to choose from
 * @param[out] choice   to be released with scalay_qr_choice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (nprow * npcol is more than the processes),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_model_qr_choose(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                                const scalay_qr_limits *limits, scalay_qr_choice **choice);

/** The number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_qr_choice_count(const scalay_qr_choice *choice);

/**
 * One of the candidates. Not collective.
 * @param[in]  choice     a choice
 * @param[in]  k          0 <= k < scalay_qr_choice_count(choice); 0 is the one chosen
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_qr_choice_get_candidate(const scalay_qr_choice *choice, int k,
                                                        scalay_qr_candidate *candidate);

/**
 * Why the first candidate was chosen: what it costs, which processes stay idle and why, and what the best candidates
 * on more processes and with other blocks would have cost. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    caller-owned, terminated; NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_qr_choice_describe(const scalay_qr_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_qr_choice_destroy(scalay_qr_choice **choice);

/* -------------------------------------------------------------------------------------- multiplying on a grid */

/** The predicted cost of p?gemm, C := A B + C. */
typedef struct {
    double flops;           /**< real operations of all processes: 2 m n k, four times if complex */
    double balance;         /**< mean work of a process over the most, in time: 1 is perfect */
    double compute_seconds; /**< level-3 BLAS */
    double memory_seconds;  /**< C is read and written for each panel */
    double message_seconds; /**< latency and transfer of the panels, packing and unpacking */
    double seconds;         /**< the sum of the three */
} scalay_gemm_cost;

/**
 * Predicts C := A B + C with all three matrices in nb x nb blocks on one nprow x npcol grid, as p?gemm and SUMMA do it:
 * for each panel of A's columns and B's rows (32 of them, as PBLAS has it, whatever nb is) one broadcast along the grid
 * rows, one along the grid columns, and a local multiplication. Not collective. Broadcasts follow Hockney,
 * log2(processes) messages of latency and the elements once (they travel in a ring that is always full); paper 000's
 * section V-C has the flat form, which scalay_model_summa() computes. Where a column of a local
 * array is a whole number of pages of 4096 bytes, as with powers of two, columns meet in the caches: that is 1.2 times
 * the work.
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

#ifdef __cplusplus
}
#endif

#endif
