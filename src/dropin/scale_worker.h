/* Multiplies a column; transposes.c says of what: ELEMENT, SCALE_COLUMN. */

static void SCALE_COLUMN(int64_t count, const ELEMENT *factor, ELEMENT *column)
{
    for (int64_t i = 0; i < count; i++) column[i] *= *factor;
}

#undef ELEMENT
#undef SCALE_COLUMN
