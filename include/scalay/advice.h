#ifndef SCALAY_ADVICE_H
#define SCALAY_ADVICE_H

/**
 * @file
 * Advice: decides whether to redistribute a matrix before a kernel, and to which layout.
 *
 * The candidates are staying, process grids with several blocks and mappings, 1D-1D maps, patterns, and distributions
 * for the stencil. Each is predicted by the models of model.h: the time of the moves and the time of the kernel. A
 * product can be computed by p?gemm or by scalay_summa_create(), a factorisation by ScaLAPACK or by the engine of
 * scalay_factor_create(). Advice does not use MPI, and is deterministic.
 */

#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kernels. */
typedef enum {
    SCALAY_KERNEL_QR = 0,      /**< p?geqrf, see scalay_model_qr(), or the engine */
    SCALAY_KERNEL_GEMM = 1,    /**< C := A B + C; A, B and C are square and have the same layout */
    SCALAY_KERNEL_STENCIL = 2, /**< three-point stencil on a ring, see scalay_model_stencil(); 1 x n or n x 1 */
    SCALAY_KERNEL_OTHER = 3,   /**< a kernel of the caller; the options have its cost */
    SCALAY_KERNEL_LU = 4,      /**< p?getrf, or the engine of scalay_factor_create() */
    SCALAY_KERNEL_CHOLESKY = 5 /**< p?potrf, or the engine; the matrix is square */
} scalay_kernel;

/** Returns "qr", "gemm", "stencil", "other", "lu" or "cholesky"; "unknown" if `kernel` is not a scalay_kernel. Not
 * collective. */
SCALAY_API const char *scalay_kernel_name(scalay_kernel kernel);

/** Returns the predicted seconds of one run of the caller's kernel on a layout. A negative or infinite value: the
 * kernel cannot run there. */
typedef double (*scalay_kernel_cost)(const scalay_layout *layout, void *context);

/** Options of scalay_advice_create(); start from scalay_advice_options_default(). */
typedef struct {
    size_t size;          /**< set by scalay_advice_options_default() */
    scalay_kernel kernel; /**< default SCALAY_KERNEL_QR */
    scalay_type type;     /**< element type: SCALAY_FLOAT to _COMPLEX_DOUBLE, any type for SCALAY_KERNEL_OTHER; default
                             SCALAY_DOUBLE */
    int64_t times;        /**< number of runs of the kernel, at least 0; default 1 */
    int bring_back;       /**< 1: the result is moved back to the source layout; default 0 */
    int processes;        /**< processes that may be used. 0 (default): those of the layout */
    int nprow;            /**< rows of the grid. 0 (default): all are compared */
    int npcol;            /**< columns of the grid. 0 (default): all are compared */
    int nb;               /**< block extent. 0 (default): several are compared */
    const scalay_machine *machine; /**< rates. NULL (default): scalay_machine_typical() */
    const int *core;               /**< shape [processes]: core of each process, from 0 to processes - 1
                                      (scalay_machine_cores()). NULL (default): each process has its own core */
    scalay_kernel_cost cost;       /**< for SCALAY_KERNEL_OTHER */
    void *cost_context;            /**< argument of cost */
    const double *speed;  /**< shape [processes]: speed of each process relative to the rates of the machine, above 0.
                             NULL (default): all 1 */
    int scalapack_only;   /**< 1: only ScaLAPACK's routines run the kernel, as in a program that is not changed; default
                             0: SUMMA and the engine, too */
    const int *node;      /**< shape [processes]: node of each process, from 0 to processes - 1. The rates within and
                             between nodes are used, and grids whose columns share a node are candidates. NULL (default):
                             not known, all messages have the rates seconds_per_message and seconds_per_byte */
    const int *node_type; /**< shape [processes]: type of the node of each process, as in the machine. Without `speed`,
                             the rates of the types are the speeds. NULL (default): all 0 */
} scalay_advice_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_advice_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     of the caller's struct, in bytes
 */
SCALAY_API void scalay_advice_options_init(scalay_advice_options *options, size_t size);

/** Returns the default options. Not collective. */
static inline scalay_advice_options scalay_advice_options_default(void)
{
    scalay_advice_options options;
    scalay_advice_options_init(&options, sizeof options);
    return options;
}

/** A candidate and its predicted time. Texts are owned by the advice. */
typedef struct {
    const char *name;      /**< "owner" (staying); mapping, grid and block, such as "volume:2x3:64"; mapping and tile of
                              a pattern or a 1D-1D map, such as "volume:pattern:64" and "canonical:1d1d:64"; or a
                              distribution of the stencil */
    int nprow;             /**< rows of the grid; 0: not a grid */
    int npcol;             /**< columns of the grid; 0: not a grid */
    int nb;                /**< columns of a block; 0: not a grid */
    int64_t volume;        /**< elements of the matrix that change process */
    int64_t steps;         /**< one-port steps of the move */
    double move_seconds;   /**< moves of all matrices of the kernel, in both directions with bring_back */
    double kernel_seconds; /**< all runs of the kernel */
    double seconds;        /**< sum of the two */
    int mb;                /**< rows of a block; 0: not a grid */
    const char *routine;   /**< "p?geqrf", "p?getrf", "p?potrf", "engine" (scalay_factor_create()), "p?gemm", "SUMMA"
                              (scalay_summa_create()), "stencil" or "other" */
} scalay_advice_candidate;

/** Candidates for running a kernel, by ascending predicted time. */
typedef struct scalay_advice scalay_advice;

/**
 * Compares the candidates for running a kernel on a matrix. Not collective.
 *   - Staying ("owner"). p?geqrf and p?gemm accept any block-cyclic layout, also with blocks that are not square, and
 *     submatrices. p?getrf and p?potrf need square blocks. SUMMA and the engine accept any layout. The engine is
 *     compared on up to 1024 processes.
 *   - Grids of all shapes, also of fewer processes, with several blocks and the blocks of the source. The mappings are
 *     "canonical" (part j on process j), "volume" (minimum volume), and "steps-volume" (minimum steps, then volume).
 *     Mappings with equal moves are listed once. If processes share cores, a grid uses as few processes of each core as
 *     possible. With nodes, "columns" numbers the processes of a grid column by column.
 *   - For factorisations by the engine, a 1D-1D map of all processes (scalay_owner_map_1d1d()).
 *   - Patterns (pattern.h) of all processes, if no grid of all processes has as low a cost; beside them, the best grid
 *     with idle processes.
 *   - For the stencil, the distributions of scalay_model_stencil_choose().
 *
 * Grids are visited by ascending time of the kernel. The visit ends if the kernel alone takes longer than the best
 * candidate, or after 64 grids. On more than 1024 processes, it ends after 8 grids, and "volume" maps grid rows and
 * columns only.
 * @param[in]  source   layout of the matrix; need not outlive the call
 * @param[in]  options  NULL: defaults
 * @param[out] advice   to be released with scalay_advice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (no candidate), and the statuses of
 *         scalay_mapping_create()
 */
SCALAY_API scalay_status scalay_advice_create(const scalay_layout *source, const scalay_advice_options *options,
                                              scalay_advice **advice);

/** Returns the number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_advice_count(const scalay_advice *advice);

/**
 * Returns a candidate. Not collective.
 * @param[in]  advice     advice
 * @param[in]  k          in [0, scalay_advice_count(advice)); 0 is the advised one
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_advice_get_candidate(const scalay_advice *advice, int k,
                                                     scalay_advice_candidate *candidate);

/**
 * Returns the layout of a candidate, with its mapping: the target of scalay_plan_create() and scalay_grid_create().
 * Not collective.
 * @param[in]  advice  advice
 * @param[in]  k       as in scalay_advice_get_candidate()
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_advice_layout(const scalay_advice *advice, int k, scalay_layout **layout);

/**
 * Returns 1 if elements should move, 0 if the matrix should stay, or for NULL. Not collective. If the advised candidate
 * has volume 0 and another block than the source, the local arrays are equal and only the descriptor changes.
 */
SCALAY_API int scalay_advice_should_move(const scalay_advice *advice);

/**
 * Describes the advice: predicted times of the advised candidate, of staying, and of the best other candidates. Not
 * collective.
 * @param[in]  advice  advice
 * @param[out] text    caller-owned, terminated; NULL if size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_advice_describe(const scalay_advice *advice, char *text, size_t size);

/** Releases advice and sets it to NULL. NULL is allowed. Not collective. */
SCALAY_API void scalay_advice_destroy(scalay_advice **advice);

#ifdef __cplusplus
}
#endif

#endif
