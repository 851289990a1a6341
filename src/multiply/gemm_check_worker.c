/* Included by gemm_check_typed.c for each type, with ENTRY, IS_COMPLEX, MODULUS and TYPED(name). */

/* A column of the piece: what x has there, spread over the rows, or gathered from them. */
static void TYPED(spread)(const scalay_check_piece *p, const ENTRY *column, int64_t col, const scalay_check_vector *x,
                          scalay_check_vector *y)
{
    for (int64_t i = 0; i < p->at.rows; i++) {
        y->value[p->row[i]] += (double _Complex)column[i] * x->value[col];
        y->size[p->row[i]] += MODULUS(column[i]) * x->size[col];
    }
}

static void TYPED(gather)(const scalay_check_piece *p, const ENTRY *column, int64_t col, int conjugates,
                          const scalay_check_vector *x, scalay_check_vector *y)
{
    double _Complex sum = 0.0;
    double size = 0.0;
    for (int64_t i = 0; i < p->at.rows; i++) {
        const double _Complex entry = column[i];
        sum += (conjugates ? conj(entry) : entry) * x->value[p->row[i]];
        size += MODULUS(column[i]) * x->size[p->row[i]];
    }
    y->value[col] += sum;
    y->size[col] += size;
}

static void TYPED(multiply)(const scalay_check_piece *p, scalay_op op, const scalay_check_vector *x,
                            scalay_check_vector *y)
{
    const ENTRY *first = (const ENTRY *)p->local + p->at.offset;
    for (int64_t j = 0; j < p->at.cols; j++) {
        const ENTRY *column = first + j * p->at.ld;
        if (op == SCALAY_NO_TRANSPOSE)
            TYPED(spread)(p, column, p->col[j], x, y);
        else
            TYPED(gather)(p, column, p->col[j], IS_COMPLEX && op == SCALAY_CONJUGATE_TRANSPOSE, x, y);
    }
}

const scalay_check_multiply TYPED(scalay_check_multiply) = TYPED(multiply);

#undef ENTRY
#undef IS_COMPLEX
#undef MODULUS
#undef TYPED
