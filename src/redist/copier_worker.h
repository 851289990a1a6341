/* Arithmetic of the copier in one precision. The including file defines REAL and NAME(verb). No include guard: the
   file is included once per precision. */

static inline void NAME(add_real)(REAL alpha, REAL beta, int64_t count, const REAL *restrict x, REAL *restrict y,
                                  int64_t stride)
{
    for (int64_t i = 0; i < count; i++) y[i * stride] = alpha * x[i] + beta * y[i * stride];
}

static inline void NAME(scale_real)(REAL alpha, int64_t count, const REAL *restrict x, REAL *restrict y, int64_t stride)
{
    for (int64_t i = 0; i < count; i++) y[i * stride] = alpha * x[i];
}

static void NAME(combine_real)(const scalay_copier *copier, const span *spans, int64_t span_count, const REAL *x,
                               char *target, int64_t stride)
{
    const REAL alpha = (REAL)copier->alpha[0], beta = (REAL)copier->beta[0];
    for (const span *at = spans; at < spans + span_count; x += at++->count) {
        void *start = target + at->offset;
        REAL *y = start;
        if (copier->adds && at->count == 1)
            *y = alpha * *x + beta * *y;
        else if (copier->adds && stride == 1)
            NAME(add_real)(alpha, beta, at->count, x, y, 1);
        else if (copier->adds)
            NAME(add_real)(alpha, beta, at->count, x, y, stride);
        else if (stride == 1)
            NAME(scale_real)(alpha, at->count, x, y, 1);
        else
            NAME(scale_real)(alpha, at->count, x, y, stride);
    }
}

/* A complex scalar, and the sign of the imaginary part of its operand. */
typedef struct {
    REAL re, im, sign;
} NAME(factor);

static inline void NAME(add_complex)(NAME(factor) a, NAME(factor) b, int64_t count, const REAL *restrict x,
                                     REAL *restrict y, int64_t stride)
{
    for (int64_t i = 0; i < count; i++) {
        const REAL re = x[2 * i], im = a.sign * x[2 * i + 1];
        REAL *to = &y[2 * i * stride];
        const REAL to_re = to[0], to_im = to[1];
        to[0] = (a.re * re - a.im * im) + (b.re * to_re - b.im * to_im);
        to[1] = (a.re * im + a.im * re) + (b.re * to_im + b.im * to_re);
    }
}

static inline void NAME(scale_complex)(NAME(factor) a, int64_t count, const REAL *restrict x, REAL *restrict y,
                                       int64_t stride)
{
    for (int64_t i = 0; i < count; i++) {
        const REAL re = x[2 * i], im = a.sign * x[2 * i + 1];
        y[2 * i * stride] = a.re * re - a.im * im;
        y[2 * i * stride + 1] = a.re * im + a.im * re;
    }
}

/* Multiplication by 1 would turn infinite parts into NaN. */
static inline void NAME(conjugate)(int64_t count, const REAL *restrict x, REAL *restrict y, int64_t stride)
{
    for (int64_t i = 0; i < count; i++) {
        y[2 * i * stride] = x[2 * i];
        y[2 * i * stride + 1] = -x[2 * i + 1];
    }
}

static void NAME(combine_complex)(const scalay_copier *copier, const span *spans, int64_t span_count, const REAL *x,
                                  char *target, int64_t stride)
{
    const NAME(factor) alpha = {(REAL)copier->alpha[0], (REAL)copier->alpha[1], copier->conjugate ? -1 : 1};
    const NAME(factor) beta = {(REAL)copier->beta[0], (REAL)copier->beta[1], 1};
    for (const span *at = spans; at < spans + span_count; x += 2 * at++->count) {
        void *start = target + at->offset;
        REAL *y = start;
        if (copier->adds && stride == 1)
            NAME(add_complex)(alpha, beta, at->count, x, y, 1);
        else if (copier->adds)
            NAME(add_complex)(alpha, beta, at->count, x, y, stride);
        else if (copier->scaled && stride == 1)
            NAME(scale_complex)(alpha, at->count, x, y, 1);
        else if (copier->scaled)
            NAME(scale_complex)(alpha, at->count, x, y, stride);
        else
            NAME(conjugate)(at->count, x, y, stride);
    }
}
