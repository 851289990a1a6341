/* p?gemr2d and p?trmr2d of one type. moves.c defines ELEMENT, TYPE and LETTER. */

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#define COPY JOIN(p, LETTER, gemr2d_)
#define C_COPY JOIN(Cp, LETTER, gemr2d)
#define PREFIXED_COPY JOIN(scalay_p, LETTER, gemr2d_)
#define COPY_ROUTINE JOIN(copy_, LETTER, _routine)
#define TRAPEZOID JOIN(p, LETTER, trmr2d_)
#define C_TRAPEZOID JOIN(Cp, LETTER, trmr2d)
#define PREFIXED_TRAPEZOID JOIN(scalay_p, LETTER, trmr2d_)
#define TRAPEZOID_ROUTINE JOIN(trapezoid_, LETTER, _routine)

static copy_routine COPY_ROUTINE = {TEXT(JOIN(p, LETTER, gemr2d)), TEXT(JOIN(Cp, LETTER, gemr2d)), TYPE, 0, 0};
static copy_routine TRAPEZOID_ROUTINE = {TEXT(JOIN(p, LETTER, trmr2d)), TEXT(JOIN(Cp, LETTER, trmr2d)), TYPE, 0, 0};

void C_COPY(int m, int n, const ELEMENT *a, int ia, int ja, const int *desca, ELEMENT *b, int ib, int jb,
            const int *descb, int ctxt)
{
    const copy_arguments x = {
        &COPY_ROUTINE, 0, 0, m, n, ctxt, {"A", (void *)a, ia, ja, desca, 3}, {"B", b, ib, jb, descb, 7}};
    answer_or_leave(&x);
}

void COPY(const int *m, const int *n, const ELEMENT *a, const int *ia, const int *ja, const int *desca, ELEMENT *b,
          const int *ib, const int *jb, const int *descb, const int *ctxt)
{
    C_COPY(*m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *ctxt);
}

void PREFIXED_COPY(const int *m, const int *n, const ELEMENT *a, const int *ia, const int *ja, const int *desca,
                   ELEMENT *b, const int *ib, const int *jb, const int *descb, const int *ctxt)
{
    const copy_arguments x = {
        &COPY_ROUTINE, 0, 0, *m, *n, *ctxt, {"A", (void *)a, *ia, *ja, desca, 3}, {"B", b, *ib, *jb, descb, 7}};
    answer(&x);
}

void C_TRAPEZOID(const char *uplo, const char *diag, int m, int n, const ELEMENT *a, int ia, int ja, const int *desca,
                 ELEMENT *b, int ib, int jb, const int *descb, int ctxt)
{
    const copy_arguments x = {&TRAPEZOID_ROUTINE,        uplo, diag, m, n, ctxt, {"A", (void *)a, ia, ja, desca, 5},
                              {"B", b, ib, jb, descb, 9}};
    answer_or_leave(&x);
}

void TRAPEZOID(const char *uplo, const char *diag, const int *m, const int *n, const ELEMENT *a, const int *ia,
               const int *ja, const int *desca, ELEMENT *b, const int *ib, const int *jb, const int *descb,
               const int *ctxt)
{
    C_TRAPEZOID(uplo, diag, *m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *ctxt);
}

void PREFIXED_TRAPEZOID(const char *uplo, const char *diag, const int *m, const int *n, const ELEMENT *a, const int *ia,
                        const int *ja, const int *desca, ELEMENT *b, const int *ib, const int *jb, const int *descb,
                        const int *ctxt)
{
    const copy_arguments x = {
        &TRAPEZOID_ROUTINE,          uplo, diag, *m, *n, *ctxt, {"A", (void *)a, *ia, *ja, desca, 5},
        {"B", b, *ib, *jb, descb, 9}};
    answer(&x);
}

#undef JOIN_
#undef JOIN
#undef TEXT_
#undef TEXT
#undef COPY
#undef C_COPY
#undef PREFIXED_COPY
#undef COPY_ROUTINE
#undef TRAPEZOID
#undef C_TRAPEZOID
#undef PREFIXED_TRAPEZOID
#undef TRAPEZOID_ROUTINE
#undef ELEMENT
#undef TYPE
#undef LETTER
