#ifndef SCALAY_MODEL_PRODUCT_H
#define SCALAY_MODEL_PRODUCT_H

/** @file Predicted time of a product, by p?gemm on a grid and by SUMMA on any layout. */

#include "model/load.h"
#include "model/nodes.h"
#include "scalay/layout.h"
#include "scalay/model.h"

/** Returns the reason why ScaLAPACK's routines cannot run on a layout; NULL if they can. They accept blocks that are
 * not square, and submatrices. */
const char *scalay_scalapack_obstacle(const scalay_layout *layout);

/** As scalay_scalapack_obstacle(), for a grid with square blocks that holds the whole matrix. */
const char *scalay_owner_obstacle(const scalay_layout *layout);

/** Sets grid and blocks of a layout on which ScaLAPACK's routines can run, and returns 1; otherwise returns 0. */
int scalay_layout_load_grid(const scalay_layout *layout, scalay_load_grid *grid);

/** As scalay_model_gemm(), with mb x nb blocks. Failures are in the name of `function`. */
scalay_status scalay_gemm_on_grid(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                  const scalay_load_grid *grid, const char *function, scalay_gemm_cost *cost);

/** Columns of A and rows of B that PBLAS multiplies at a time, for any blocks (pilaenv). */
enum { SCALAY_PBLAS_PANEL = 32 };

/** Panels of A and B that a process gets from other processes of its node in a product by SUMMA. */
typedef struct {
    int64_t bytes;    /* received */
    int64_t segments; /* contiguous in the memory of their owners */
    int64_t messages; /* if they are sent */
    int64_t packed;   /* bytes that this process packs for others, if they are sent */
} scalay_panel_traffic;

/** Returns the seconds by which products with panels of `width` columns take longer because C, of so many bytes on a
 * process, leaves the cache in which the curve of gemm is measured. C is read and written once per panel. */
double scalay_panel_passes_seconds(const scalay_machine *machine, double bytes, int64_t k, int64_t width);

/** Returns the seconds in which a process reads the panels from the memory of their owners. */
double scalay_panel_reading_seconds(const scalay_machine *machine, const scalay_panel_traffic *traffic);

/** Returns the seconds in which a process packs what it sends, and receives the panels in messages. */
double scalay_panel_sending_seconds(const scalay_machine *machine, const scalay_panel_traffic *traffic);

/** A product by SUMMA: C with the inner extent k. A and B are cut like C. */
typedef struct {
    const scalay_layout *c;      /* local arrays of the parts; NULL: those of scalay_layout_from_owner_map() */
    const scalay_owner_map *map; /* of C, with the same parts */
    int64_t k;
    const double *speed;       /* shape [parts]: relative to the rates of the machine; NULL: all 1 */
    const scalay_nodes *nodes; /* of the processes; NULL: all messages are at the rates of the machine */
    const int *process;        /* shape [parts]: process of each part; used with nodes */
    double *compute;           /* shape [parts]: seconds of each part, an output; NULL: not wanted */
    double *communicate;       /* likewise */
} scalay_summa_problem;

/**
 * Predicts a product by SUMMA, as scalay_model_multiply() does. All predictions of SUMMA come from this function.
 * Computing takes the rate of the machine's curve at the smallest extent of a local array or of a panel.
 * @param[in]  machine  valid, not NULL
 * @param[in]  type     with arithmetic
 * @param[in]  options  complete and valid, not NULL
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_predict(const scalay_machine *machine, scalay_type type, const scalay_summa_problem *problem,
                                   const scalay_multiply_options *options, scalay_multiply_time *time);

/**
 * Predicts the seconds of a product by SUMMA, if A, B and C have the same layout: scalay_model_multiply() with default
 * options on the owner map of the layout, with the local arrays of the layout.
 * @param[in]  speed  shape [parts]: relative to the rates of the machine; NULL: all 1
 * @param[in]  nodes  NULL: all messages are at the rates of the machine
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_on_layout(const scalay_machine *machine, scalay_type type, const scalay_layout *layout,
                                     const double *speed, const scalay_nodes *nodes, double *seconds);

#endif
