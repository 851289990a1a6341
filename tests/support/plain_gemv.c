/*
 * cgemv and zgemv for the builds under sanitizers, in place of those of OpenBLAS, whose kernels read one element behind
 * x (seen with valgrind in 0.3.21: cgemv and zgemv without transposition, called by ScaLAPACK's p?gebrd and p?hetrd).
 * Behind the last page of the sanitizer's heap that read ends the program.
 */
#include <complex.h>
#include <stddef.h>

/* The first element of a vector of n elements, which lies at its end if the increment is negative. */
#define FIRST(x, n, increment) ((x) + ((increment) < 0 ? (ptrdiff_t)((n)-1) * -(ptrdiff_t)(increment) : 0))

#define DEFINE_GEMV(name, type, conjugate)                                                                             \
    __attribute__((visibility("default"))) void name(const char *, const int *, const int *, const type *,             \
                                                     const type *, const int *, const type *, const int *,             \
                                                     const type *, type *, const int *);                               \
    void name(const char *trans, const int *m, const int *n, const type *alpha, const type *a, const int *lda,         \
              const type *x, const int *incx, const type *beta, type *y, const int *incy)                              \
    {                                                                                                                  \
        const int is_plain = *trans == 'N' || *trans == 'n', is_conjugate = *trans == 'C' || *trans == 'c';            \
        const int rows = is_plain ? *m : *n, columns = is_plain ? *n : *m;                                             \
        if (*m < 1 || *n < 1) return;                                                                                  \
        for (int i = 0; i < rows; i++) {                                                                               \
            type sum = 0, *target = FIRST(y, rows, *incy) + (ptrdiff_t)i * *incy;                                      \
            for (int j = 0; j < columns; j++) {                                                                        \
                const type entry = is_plain ? a[i + (ptrdiff_t)j * *lda] : a[j + (ptrdiff_t)i * *lda];                 \
                sum += (is_conjugate ? conjugate(entry) : entry) * FIRST(x, columns, *incx)[(ptrdiff_t)j * *incx];     \
            }                                                                                                          \
            *target = *alpha * sum + (*beta == 0 ? 0 : *beta * *target);                                               \
        }                                                                                                              \
    }

DEFINE_GEMV(cgemv_, float complex, conjf)
DEFINE_GEMV(zgemv_, double complex, conj)
