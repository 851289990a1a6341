#ifndef SCALAY_ADVICE_H
#define SCALAY_ADVICE_H

/**
 * @file
 * Advice: a matrix is somewhere, a kernel is to run on it; is moving worth it, and to where? What the ways cost is
 * predicted as in model.h. Pure: no MPI, deterministic.
 */

#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/** What advice is wanted about; start from scalay_advice_options_default(). */
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
} scalay_advice_options;

/** Advice about QR, once, everything free. */
SCALAY_API scalay_advice_options scalay_advice_options_default(void);

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
 *     square blocks; products of matrices that lie otherwise are those of scalay_summa_create(), which takes any
 *     layout);
 *   - grids of all shapes, also of fewer processes, with several block sizes, those of the source among them
 *     (scalay_model_qr_choose() says which), each with part j on process j ("canonical"), with the mapping of least
 *     volume ("volume"), and of fewest steps, then least volume ("steps-volume"); where two of these move alike, the
 *     first is kept; where processes share cores, on so many of each core as the grid needs, canonical being part j on
 *     the j-th of these;
 *   - for the stencil what scalay_model_stencil_choose() finds.
 *
 * Grids are visited by ascending time of the kernel until not even a free move could make the next one the best, or
 * 64 of them have been mapped. On more than 1024 processes 8 are, and "volume" is the first mapping found that keeps
 * rows and columns together, not the best one: what 65,536 processes should do takes seconds.
 * @param[in]  source   where the matrix is; need not outlive the call
 * @param[in]  options  NULL: the default
 * @param[out] advice   to be released with scalay_advice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (there is no way to run it), and as
 *         scalay_mapping_create()
 */
SCALAY_API scalay_status scalay_advice_create(const scalay_layout *source, const scalay_advice_options *options,
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
SCALAY_API scalay_status scalay_advice_get_candidate(const scalay_advice *advice, int k,
                                                     scalay_advice_candidate *candidate);

/**
 * Where a candidate has the matrix, on the processes that its mapping chose: ready for scalay_plan_create() and
 * scalay_grid_create(). Not collective.
 * @param[in]  advice  advice
 * @param[in]  k       as in scalay_advice_get_candidate()
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_advice_layout(const scalay_advice *advice, int k, scalay_layout **layout);

/** 1 when the matrix should move, 0 when it is best left where it is, or for NULL. Not collective. */
SCALAY_API int scalay_advice_should_move(const scalay_advice *advice);

/**
 * Why the first candidate was chosen: what it costs, and what staying and the best of the other ways would cost. Not
 * collective.
 * @param[in]  advice  advice
 * @param[out] text    caller-owned, terminated; NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_advice_describe(const scalay_advice *advice, char *text, size_t size);

/** Releases advice and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_advice_destroy(scalay_advice **advice);

#ifdef __cplusplus
}
#endif

#endif
