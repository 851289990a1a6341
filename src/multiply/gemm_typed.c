#include "multiply/gemm_object.h"

/* What depends on the type of the elements: the calls that do everything at once. */

/* The local arrays and the scalars. */
typedef struct {
    const void *alpha, *a, *b, *beta;
    void *c;
} operands;

static scalay_status multiply(scalay_comm *comm, scalay_type type, const scalay_gemm_request *r, const operands *o,
                              scalay_gemm_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm *gemm = NULL;
    SCALAY_TRY(scalay_gemm_create(comm, type, r->op_a, r->op_b, r->a, r->b, r->c, r->options, &gemm));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_gemm_check_arrays(gemm, o->alpha, o->a, o->b, o->c)));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_gemm_execute(gemm, o->alpha, o->a, o->b, o->beta, o->c)));
    if (statistics != NULL) SCALAY_TRY(scalay_gemm_get_statistics(gemm, statistics));
cleanup:
    scalay_gemm_destroy(&gemm);
    return status;
}

static scalay_gemm_request request(scalay_op op_a, scalay_op op_b, const scalay_layout *a, const scalay_layout *b,
                                   const scalay_layout *c, const scalay_gemm_options *options)
{
    return (scalay_gemm_request){.op_a = op_a, .op_b = op_b, .a = a, .b = b, .c = c, .options = options};
}

scalay_status scalay_psgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, float alpha,
                            const scalay_layout *layout_a, const float *a, const scalay_layout *layout_b,
                            const float *b, float beta, const scalay_layout *layout_c, float *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    const scalay_gemm_request r = request(op_a, op_b, layout_a, layout_b, layout_c, options);
    const operands o = {.alpha = &alpha, .a = a, .b = b, .beta = &beta, .c = c};
    return multiply(comm, SCALAY_FLOAT, &r, &o, statistics);
}

scalay_status scalay_pdgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, double alpha,
                            const scalay_layout *layout_a, const double *a, const scalay_layout *layout_b,
                            const double *b, double beta, const scalay_layout *layout_c, double *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    const scalay_gemm_request r = request(op_a, op_b, layout_a, layout_b, layout_c, options);
    const operands o = {.alpha = &alpha, .a = a, .b = b, .beta = &beta, .c = c};
    return multiply(comm, SCALAY_DOUBLE, &r, &o, statistics);
}

scalay_status scalay_pcgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                            const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b, const void *b,
                            const void *beta, const scalay_layout *layout_c, void *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    const scalay_gemm_request r = request(op_a, op_b, layout_a, layout_b, layout_c, options);
    const operands o = {.alpha = alpha, .a = a, .b = b, .beta = beta, .c = c};
    return multiply(comm, SCALAY_COMPLEX_FLOAT, &r, &o, statistics);
}

scalay_status scalay_pzgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                            const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b, const void *b,
                            const void *beta, const scalay_layout *layout_c, void *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    const scalay_gemm_request r = request(op_a, op_b, layout_a, layout_b, layout_c, options);
    const operands o = {.alpha = alpha, .a = a, .b = b, .beta = beta, .c = c};
    return multiply(comm, SCALAY_COMPLEX_DOUBLE, &r, &o, statistics);
}
