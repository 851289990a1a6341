#ifndef SCALAY_MODEL_H
#define SCALAY_MODEL_H

/**
 * @file
 * Predictions: how long moving a matrix takes, how long a kernel takes on a given grid or owner map, and which grid is
 * best.
 *
 * All formulas take a scalay_machine (types.h): measured by scalay_machine_measure() (measure.h), kept by
 * scalay_machine_calibrate(), or scalay_machine_typical(). Everything here is pure: no MPI, any number of processes,
 * deterministic. scalay_advise() puts the parts together: is moving worth it, and to where?
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
    int processes;    /**< at least 1 */
} scalay_move;

/**
 * Counts what a mapping moves. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  process  shape [parts]: where each part goes, as in scalay_traffic_cost(); see scalay_mapping_process()
 * @param[out] move     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_move_count(const scalay_traffic *traffic, const int *process, scalay_move *move);

/**
 * The predicted seconds of a redistribution. Not collective.
 *
 *     messages * seconds_per_message
 *     + max(steps, 2 volume / processes) * size * seconds_per_byte
 *     + (2 steps + kept) * size * seconds_per_byte_copied
 *
 * The busiest process sends and receives at most `steps` items at the rate of a link; that rate was measured with
 * half the processes sending at a time, hence the second bound. What moves is packed and unpacked, what stays is copied
 * once.
 * @param[in] machine  NULL: scalay_machine_typical()
 * @param[in] type     the element type
 * @param[in] move     counts
 * @return seconds, 0 when nothing is to be done; -1 when an argument is not valid
 */
SCALAY_API double scalay_model_move(const scalay_machine *machine, scalay_type type, const scalay_move *move);

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
    int lanes;   /**< so many elements move at a time: ports of a switch, or processors that copy; 0: half as many as
                    there are parts that own something */
    const int64_t *messages; /**< shape [parts of the map]: messages of each part, or stretches of memory that it reads,
                                as SUMMA counts them; NULL: one for each panel and partner */
    const int64_t *copied;   /**< shape [parts of the map]: elements that each part packs or puts together, as SUMMA
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
 * and who reads works: then the lanes are those of messages (stretches), too. The rate of a link is measured with half
 * the processes sending, hence the lanes when nothing is said (as in scalay_model_move()). A part needs the sum of the
 * two, with overlap the greater of the two. How panels travel decides which rate is meant: put into seconds_per_byte
 * what was measured for that way. O(parts^2).
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
SCALAY_API scalay_status scalay_qr_choice_get(const scalay_qr_choice *choice, int k, scalay_qr_candidate *candidate);

/**
 * Why the first candidate was chosen: what it costs, which processes stay idle and why, and what the best candidates
 * on more processes and with other blocks would have cost. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    caller-owned, terminated; NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_qr_choice_explain(const scalay_qr_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_qr_choice_destroy(scalay_qr_choice **choice);

/* -------------------------------------------------------------------------------------------------- stencil */

/** How what is communicated adds up. */
typedef enum {
    SCALAY_STENCIL_VOLUME = 0, /**< one item at a time in the whole machine: all that is sent counts */
    SCALAY_STENCIL_STEPS = 1   /**< one-port: the most that a process sends or receives counts */
} scalay_stencil_model;

/**
 * Iterations of a three-point stencil on items 0 .. n-1 on a circle, and what they cost; start from
 * scalay_stencil_problem_default() or scalay_stencil_problem_on(). Units of time are the caller's.
 */
typedef struct {
    scalay_stencil_model model;        /**< how communications add up */
    int64_t iterations;                /**< K, at least 0 */
    double seconds_per_item_moved;     /**< tau_comm of the redistribution; count twice what has to come back */
    double seconds_per_item_exchanged; /**< tau_comm of an iteration */
    double seconds_per_message; /**< of a message, in either: a process sends no more of them than items, and one to
                                   each other process at most. 0 in the paper */
    double seconds_per_update;  /**< tau_calc: of one item */
    int processes;              /**< that may get items; 0: as many as the source layout has, else at least that */
    uint64_t seed;              /**< of the local search: the same seed gives the same result everywhere */
} scalay_stencil_problem;

/** The paper's problem: one tau_comm for both, no time per message, all processes, seed 1. Not collective. */
SCALAY_API scalay_stencil_problem scalay_stencil_problem_default(scalay_stencil_model model, double tau_comm,
                                                                 double tau_calc, int64_t iterations);

/**
 * The problem on a machine, one-port: an item that moves takes its bytes at the rate of a link and is packed and
 * unpacked, one that is exchanged too; a message takes its latency; an update takes five operations at the level-2
 * rate. Not collective.
 * @param[in] machine     NULL: scalay_machine_typical()
 * @param[in] type        of the items
 * @param[in] iterations  K, at least 0
 */
SCALAY_API scalay_stencil_problem scalay_stencil_problem_on(const scalay_machine *machine, scalay_type type,
                                                            int64_t iterations);

/** What it costs to move items and to iterate on them where they are then. */
typedef struct {
    int64_t volume;           /**< items that change process */
    int64_t steps;            /**< one-port steps of that: most items that a process sends or receives */
    int64_t exchanged;        /**< items sent in an iteration: one to each process that owns a neighbour of it */
    int64_t exchange_steps;   /**< most items that a process sends or receives in an iteration */
    int64_t load;             /**< most items of a process */
    double move_seconds;      /**< volume or steps, by the model, times seconds_per_item_moved, and so many messages */
    double iteration_seconds; /**< exchanged or exchange_steps times seconds_per_item_exchanged, so many messages, and
                                 load times seconds_per_update */
    double seconds;           /**< move_seconds + iterations * iteration_seconds */
} scalay_stencil_cost;

/**
 * What a distribution costs, by definition. Not collective. O(r log r) in the runs of both layouts.
 * @param[in]  problem  the stencil
 * @param[in]  source   where the items are: a layout of any kind with one row or one column; items by index
 * @param[in]  target   where they are to be; the same extents
 * @param[out] cost     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.1. N_ij counts an item once for each process that needs it
 * (definition and table there); the proofs count it once for each neighbour.
 */
SCALAY_API scalay_status scalay_model_stencil(const scalay_stencil_problem *problem, const scalay_layout *source,
                                              const scalay_layout *target, scalay_stencil_cost *cost);

/** A distribution to run a stencil on, with its prediction. */
typedef struct {
    const char
        *name; /**< "owner" (nothing moves), "canonical" (one block for each process, in order), "volume" and "steps"
                  (these blocks, mapped), "blocks" (as many blocks as is best), "search" (local search) */
    int processes;            /**< that get items */
    int64_t runs;             /**< of consecutive items of one owner, from item 0 to item n-1 */
    scalay_stencil_cost cost; /**< predicted */
} scalay_stencil_candidate;

/** Distributions to run a stencil on, the best first. */
typedef struct scalay_stencil_choice scalay_stencil_choice;

/**
 * Decides where items should go before K iterations of a stencil: the sum of moving them and iterating is to be small.
 * Not collective. The problem is strongly NP-complete. The candidates are: staying; one block for each process, in
 * order and mapped for volume and for steps; k blocks, k up to the number of processes, in up to eight rotations,
 * mapped (above 64 blocks not every k); and the best that a seeded local search finds from these and from distributions
 * that are optimal under prices for load and messages. The search works on runs and is bounded; it is a heuristic, and
 * never worse than the other candidates. At most a few seconds, for a million runs too.
 * @param[in]  problem  the stencil
 * @param[in]  source   as in scalay_model_stencil()
 * @param[out] choice   to be released with scalay_stencil_choice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.
 */
SCALAY_API scalay_status scalay_model_stencil_choose(const scalay_stencil_problem *problem, const scalay_layout *source,
                                                     scalay_stencil_choice **choice);

/** The number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_stencil_choice_count(const scalay_stencil_choice *choice);

/**
 * One of the candidates. Not collective.
 * @param[in]  choice     a choice
 * @param[in]  k          0 <= k < scalay_stencil_choice_count(choice), by ascending seconds; 0 is the one chosen
 * @param[out] candidate  caller-owned; its name is a static string
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_get(const scalay_stencil_choice *choice, int k,
                                                   scalay_stencil_candidate *candidate);

/**
 * Who owns what in a candidate. Not collective.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get()
 * @param[out] first   shape [runs]: the first item of each run, ascending from 0; owned by the choice
 * @param[out] owner   shape [runs]: its process; owned by the choice
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_stencil_choice_runs(const scalay_stencil_choice *choice, int k, const int64_t **first,
                                                    const int **owner);

/**
 * A candidate as a layout of the source's extents, to move to (redist.h) and to iterate on (kernels.h). Not
 * collective. Local storage is that of scalay_layout_from_owner_map(), also for "owner", whose owners are the source's.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get()
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_layout(const scalay_stencil_choice *choice, int k,
                                                      scalay_layout **layout);

/**
 * The candidates in a table, a line each: what moves, what is exchanged, loads, seconds. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    caller-owned, terminated; NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_stencil_choice_explain(const scalay_stencil_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_stencil_choice_destroy(scalay_stencil_choice **choice);

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
 * for each panel of A's columns and B's rows one broadcast along the grid rows, one along the grid columns, and a local
 * multiplication. Not collective. Broadcasts follow Hockney, log2(processes) messages of latency and the elements
 * once (they travel in a ring that is always full); paper 000's section V-C has the flat form, which
 * scalay_communication_hockney() (workload.h) computes.
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

/* --------------------------------------------------------------------------------------------------- advice */

/** What is to be run on a matrix. */
typedef enum {
    SCALAY_KERNEL_QR = 0,      /**< p?geqrf, see scalay_model_qr() */
    SCALAY_KERNEL_GEMM = 1,    /**< p?gemm, see scalay_model_gemm(): C := A B + C, all three square and placed alike */
    SCALAY_KERNEL_STENCIL = 2, /**< the three-point stencil on a ring, see scalay_model_stencil(); 1 x n or n x 1 */
    SCALAY_KERNEL_OTHER = 3    /**< the caller's, whose cost the options tell */
} scalay_kernel;

/** "qr", "gemm", "stencil", "other"; "unknown" for none of them. */
SCALAY_API const char *scalay_kernel_name(scalay_kernel kernel);

/** Predicted seconds of one run of the caller's kernel on a layout; negative or not finite: it cannot run there. */
typedef double (*scalay_kernel_cost)(const scalay_layout *layout, void *context);

/** What advice is wanted about; start from scalay_advise_options_default(). */
typedef struct {
    scalay_kernel kernel;          /**< what is run */
    scalay_type type;              /**< of the elements; SCALAY_FLOAT to _COMPLEX_DOUBLE, any for SCALAY_KERNEL_OTHER */
    int64_t times;                 /**< how often, at least 0; default 1 */
    int bring_back;                /**< non-zero: the result must come back to where the matrix was */
    int processes;                 /**< that may be used; 0: those of the layout */
    int nprow;                     /**< rows of the grid; 0: choose */
    int npcol;                     /**< columns of the grid; 0: choose */
    int nb;                        /**< block extent; 0: choose */
    const scalay_machine *machine; /**< to predict with; NULL: scalay_machine_typical() */
    const int *core;               /**< shape [processes]: those with the same number, 0 to processes - 1, are bound to
                                        one core (scalay_machine_cores()); NULL: it is not known that any are */
    scalay_kernel_cost cost;       /**< for SCALAY_KERNEL_OTHER */
    void *cost_context;            /**< handed to it */
} scalay_advise_options;

/** Advice about QR, once, everything free. */
SCALAY_API scalay_advise_options scalay_advise_options_default(void);

/** A way to get the job done, and what it should cost. */
typedef struct {
    const char *name;      /**< "owner", or mapping, grid and block such as "volume:2x3:64", or a distribution of the
                                stencil; owned by the advice */
    int nprow;             /**< rows of the grid; 0: it is none */
    int npcol;             /**< columns of the grid; 0: it is none */
    int nb;                /**< block extent, both ways; 0: there are no such blocks */
    int64_t volume;        /**< elements of the matrix that change process on the way there */
    int64_t steps;         /**< one-port element steps of that */
    double move_seconds;   /**< predicted: there and, where wanted, back; all matrices of the kernel */
    double kernel_seconds; /**< predicted: all runs together */
    double seconds;        /**< the sum of the two */
} scalay_advice_candidate;

/** Ways to run a kernel, the fastest first. */
typedef struct scalay_advice scalay_advice;

/**
 * Is moving a matrix worth it, and to where? Not collective. Compares
 *   - staying, where the kernel can run on the layout as it is ("owner": for QR and gemm a whole block-cyclic matrix in
 *     square blocks from process (0, 0) on);
 *   - grids of all shapes, also of fewer processes, with several block sizes, those of the source among them
 *     (scalay_model_qr_choose() says which), each with part j on process j ("canonical"), with the mapping of least
 *     volume ("volume"), and of fewest steps, then least volume ("steps-volume"); where two of these move alike, the
 *     first is kept; where processes share cores, on so many of each core as the grid needs, canonical being part j on
 *     the j-th of these;
 *   - for the stencil what scalay_model_stencil_choose() finds.
 *
 * Grids are visited by ascending time of the kernel until not even a free move could make the next one the best, or
 * 64 of them have been mapped.
 * @param[in]  source   where the matrix is; need not outlive the call
 * @param[in]  options  NULL: the default
 * @param[out] advice   to be released with scalay_advice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (there is no way to run it), and as
 *         scalay_mapping_create()
 */
SCALAY_API scalay_status scalay_advise(const scalay_layout *source, const scalay_advise_options *options,
                                       scalay_advice **advice);

/** The number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_advice_count(const scalay_advice *advice);

/**
 * One of the candidates. Not collective.
 * @param[in]  advice     advice
 * @param[in]  k          0 <= k < scalay_advice_count(advice); 0 is the one chosen
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_advice_get(const scalay_advice *advice, int k, scalay_advice_candidate *candidate);

/**
 * Where a candidate has the matrix, on the processes that its mapping chose: ready for scalay_plan_create() and
 * scalay_grid_create(). Not collective.
 * @param[in]  advice  advice
 * @param[in]  k       as in scalay_advice_get()
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_advice_layout(const scalay_advice *advice, int k, scalay_layout **layout);

/** 1 when the matrix should move, 0 when it is best left where it is, or for NULL. Not collective. */
SCALAY_API int scalay_advice_moves(const scalay_advice *advice);

/**
 * Why the first candidate was chosen: what it costs, and what staying and the best of the other ways would cost. Not
 * collective.
 * @param[in]  advice  advice
 * @param[out] text    caller-owned, terminated; NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_advice_explain(const scalay_advice *advice, char *text, size_t size);

/** Releases advice and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_advice_destroy(scalay_advice **advice);

#ifdef __cplusplus
}
#endif

#endif
