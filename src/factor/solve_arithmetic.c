/* Operations of solves: solve_arithmetic_worker.h, once for each element type. */
#include <complex.h>

#include "factor/solve_plan.h"

_Static_assert(SCALAY_NO_TRANSPOSE == 0 && SCALAY_TRANSPOSE == 1 && SCALAY_CONJUGATE_TRANSPOSE == 2, "as in NTC");

#define ENTRY float
#define TYPED(name) name##_s
#define BLAS(name) s##name##_
#define CONJ(x) (x)
#include "factor/solve_arithmetic_worker.h"

#define ENTRY double
#define TYPED(name) name##_d
#define BLAS(name) d##name##_
#define CONJ(x) (x)
#include "factor/solve_arithmetic_worker.h"

#define ENTRY float _Complex
#define TYPED(name) name##_c
#define BLAS(name) c##name##_
#define CONJ(x) conjf(x)
#include "factor/solve_arithmetic_worker.h"

#define ENTRY double _Complex
#define TYPED(name) name##_z
#define BLAS(name) z##name##_
#define CONJ(x) conj(x)
#include "factor/solve_arithmetic_worker.h"

const scalay_solve_arithmetic *scalay_solve_arithmetic_of(scalay_type type)
{
    switch (type) {
    case SCALAY_FLOAT:
        return &arithmetic_s;
    case SCALAY_DOUBLE:
        return &arithmetic_d;
    case SCALAY_COMPLEX_FLOAT:
        return &arithmetic_c;
    case SCALAY_COMPLEX_DOUBLE:
        return &arithmetic_z;
    default:
        return NULL;
    }
}
