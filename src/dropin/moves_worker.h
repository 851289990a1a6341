/* p?gemr2d and p?trmr2d of one type; moves.c says which: ELEMENT, TYPE, and the names. */

void COPY(const int *m, const int *n, const ELEMENT *a, const int *ia, const int *ja, const int *desca, ELEMENT *b,
          const int *ib, const int *jb, const int *descb, const int *ctxt)
{
    C_COPY(*m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *ctxt);
}

void C_COPY(int m, int n, const ELEMENT *a, int ia, int ja, const int *desca, ELEMENT *b, int ib, int jb,
            const int *descb, int ctxt)
{
    const scalay_matrix_argument from = {"A", (void *)a, ia, ja, desca, 3}, to = {"B", b, ib, jb, descb, 7};
    copy(COPY_NAME, TYPE, m, n, &from, &to, ctxt);
}

void COPY_TRAPEZOID(const char *uplo, const char *diag, const int *m, const int *n, const ELEMENT *a, const int *ia,
                    const int *ja, const int *desca, ELEMENT *b, const int *ib, const int *jb, const int *descb,
                    const int *ctxt)
{
    C_COPY_TRAPEZOID(uplo, diag, *m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *ctxt);
}

void C_COPY_TRAPEZOID(const char *uplo, const char *diag, int m, int n, const ELEMENT *a, int ia, int ja,
                      const int *desca, ELEMENT *b, int ib, int jb, const int *descb, int ctxt)
{
    const scalay_matrix_argument from = {"A", (void *)a, ia, ja, desca, 5}, to = {"B", b, ib, jb, descb, 9};
    copy_trapezoid(TRAPEZOID_NAME, TYPE, *uplo, *diag, m, n, &from, &to, ctxt);
}

#undef ELEMENT
#undef TYPE
#undef COPY
#undef C_COPY
#undef COPY_NAME
#undef COPY_TRAPEZOID
#undef C_COPY_TRAPEZOID
#undef TRAPEZOID_NAME
