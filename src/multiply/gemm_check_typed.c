/* The four instances of gemm_check_worker.c. */

#include <complex.h>
#include <math.h>

#include "multiply/gemm_check.h"

#define ENTRY float
#define IS_COMPLEX 0
#define MODULUS(x) fabs((double)(x))
#define TYPED(name) name##_s
#include "multiply/gemm_check_worker.c"

#define ENTRY double
#define IS_COMPLEX 0
#define MODULUS(x) fabs(x)
#define TYPED(name) name##_d
#include "multiply/gemm_check_worker.c"

#define ENTRY float _Complex
#define IS_COMPLEX 1
#define MODULUS(x) cabs((double _Complex)(x))
#define TYPED(name) name##_c
#include "multiply/gemm_check_worker.c"

#define ENTRY double _Complex
#define IS_COMPLEX 1
#define MODULUS(x) cabs(x)
#define TYPED(name) name##_z
#include "multiply/gemm_check_worker.c"
