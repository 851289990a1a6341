/*
 * ScaLAPACK's factorisations for the element types s, d, c and z.
 */

#include "factor/scalapack_kernels.h"

#include <float.h>

#include "base/integer.h"
#include "parallel/blacs.h"
#include "parallel/scalapack.h"

#define ENTRY float
#define EPSILON FLT_EPSILON
#define TYPED(name) name##_s
#define GEQRF psgeqrf_
#define GETRF psgetrf_
#define POTRF pspotrf_
#define ORGQR psorgqr_
#define ORMQR psormqr_
#define GEMM psgemm_
#define LANGE pslange_
#define LASET pslaset_
#define LACPY pslacpy_
#define TRMM pstrmm_
#define SWAP psswap_
#include "factor/scalapack_kernels_worker.c"

#define ENTRY double
#define EPSILON DBL_EPSILON
#define TYPED(name) name##_d
#define GEQRF pdgeqrf_
#define GETRF pdgetrf_
#define POTRF pdpotrf_
#define ORGQR pdorgqr_
#define ORMQR pdormqr_
#define GEMM pdgemm_
#define LANGE pdlange_
#define LASET pdlaset_
#define LACPY pdlacpy_
#define TRMM pdtrmm_
#define SWAP pdswap_
#include "factor/scalapack_kernels_worker.c"

#define ENTRY float _Complex
#define EPSILON FLT_EPSILON
#define TYPED(name) name##_c
#define GEQRF pcgeqrf_
#define GETRF pcgetrf_
#define POTRF pcpotrf_
#define ORGQR pcungqr_
#define ORMQR pcunmqr_
#define GEMM pcgemm_
#define LANGE pclange_
#define LASET pclaset_
#define LACPY pclacpy_
#define TRMM pctrmm_
#define SWAP pcswap_
#include "factor/scalapack_kernels_worker.c"

#define ENTRY double _Complex
#define EPSILON DBL_EPSILON
#define TYPED(name) name##_z
#define GEQRF pzgeqrf_
#define GETRF pzgetrf_
#define POTRF pzpotrf_
#define ORGQR pzungqr_
#define ORMQR pzunmqr_
#define GEMM pzgemm_
#define LANGE pzlange_
#define LASET pzlaset_
#define LACPY pzlacpy_
#define TRMM pztrmm_
#define SWAP pzswap_
#include "factor/scalapack_kernels_worker.c"

const scalay_scalapack_kernels *scalay_scalapack_kernels_of(scalay_type type)
{
    static const scalay_scalapack_kernels *const table[] = {[SCALAY_FLOAT] = &kernels_s,
                                                            [SCALAY_DOUBLE] = &kernels_d,
                                                            [SCALAY_COMPLEX_FLOAT] = &kernels_c,
                                                            [SCALAY_COMPLEX_DOUBLE] = &kernels_z};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? table[type] : NULL;
}

int64_t scalay_qr_workspace(int nb, int local_rows, int local_cols)
{
    /* p?geqrf and p?orgqr: nb (mp + nq + nb). p?ormqr: max(nb (nb - 1) / 2, nb (mp + nq)) + nb nb. */
    const int64_t block = nb;
    int64_t panels = block * ((int64_t)local_rows + local_cols);
    return scalay_max_int64(block * (block - 1) / 2, panels) + block * block;
}
