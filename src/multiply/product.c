#include "multiply/product.h"

#include "base/status.h"
#include "multiply/summa_object.h"

static scalay_status check_kinds(const char *function, scalay_type type, const scalay_op op[2])
{
    if (scalay_summa_gemm_of(type) == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "type is %d; pass SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    for (int k = 0; k < 2; k++)
        if (op[k] < SCALAY_NO_TRANSPOSE || op[k] > SCALAY_CONJUGATE_TRANSPOSE)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "op_%c is %d; pass one of scalay_op", 'a' + k,
                               (int)op[k]);
    return SCALAY_SUCCESS;
}

static scalay_status check_processes(const char *function, const scalay_comm *comm, const scalay_layout *layout,
                                     char name)
{
    if (layout == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the layout of %c is NULL; say where the matrix is", name);
    for (int part = 0; part < scalay_layout_parts(layout); part++) {
        const int process = scalay_layout_process_of_part(layout, part);
        if (process >= comm->size)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "%c has part %d on process %d, but the communicator has %d ranks; use more ranks, or "
                               "another layout",
                               name, part, process, comm->size);
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_extents(const char *function, const scalay_op op[2], const scalay_layout *const layout[3])
{
    int64_t rows[3], cols[3];
    for (int k = 0; k < 3; k++) {
        const int is_turned = k < 2 && op[k] != SCALAY_NO_TRANSPOSE;
        rows[k] = is_turned ? scalay_layout_cols(layout[k]) : scalay_layout_rows(layout[k]);
        cols[k] = is_turned ? scalay_layout_rows(layout[k]) : scalay_layout_cols(layout[k]);
    }
    if (rows[0] == rows[2] && cols[0] == rows[1] && cols[1] == cols[2]) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                       "op(A) is %lld x %lld, op(B) %lld x %lld and C %lld x %lld; give m x k, k x n and m x n",
                       (long long)rows[0], (long long)cols[0], (long long)rows[1], (long long)cols[1],
                       (long long)rows[2], (long long)cols[2]);
}

scalay_status scalay_product_check(const char *function, const scalay_comm *comm, scalay_type type,
                                   const scalay_op op[2], const scalay_layout *const layout[3])
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_kinds(function, type, op));
    for (int k = 0; k < 3; k++) SCALAY_TRY(check_processes(function, comm, layout[k], (char)('a' + k)));
    SCALAY_TRY(check_extents(function, op, layout));
cleanup:
    return status;
}
