#include "factor/qr_typed.h"

#include <float.h>

#include "parallel/scalapack.h"

#define ENTRY float
#define EPSILON FLT_EPSILON
#define TYPED(name) name##_s
#define GEQRF psgeqrf_
#define ORGQR psorgqr_
#define ORMQR psormqr_
#define GEMM psgemm_
#define LANGE pslange_
#define LASET pslaset_
#define LACPY pslacpy_
#include "factor/qr_worker.c"

#define ENTRY double
#define EPSILON DBL_EPSILON
#define TYPED(name) name##_d
#define GEQRF pdgeqrf_
#define ORGQR pdorgqr_
#define ORMQR pdormqr_
#define GEMM pdgemm_
#define LANGE pdlange_
#define LASET pdlaset_
#define LACPY pdlacpy_
#include "factor/qr_worker.c"

#define ENTRY float _Complex
#define EPSILON FLT_EPSILON
#define TYPED(name) name##_c
#define GEQRF pcgeqrf_
#define ORGQR pcungqr_
#define ORMQR pcunmqr_
#define GEMM pcgemm_
#define LANGE pclange_
#define LASET pclaset_
#define LACPY pclacpy_
#include "factor/qr_worker.c"

#define ENTRY double _Complex
#define EPSILON DBL_EPSILON
#define TYPED(name) name##_z
#define GEQRF pzgeqrf_
#define ORGQR pzungqr_
#define ORMQR pzunmqr_
#define GEMM pzgemm_
#define LANGE pzlange_
#define LASET pzlaset_
#define LACPY pzlacpy_
#include "factor/qr_worker.c"
