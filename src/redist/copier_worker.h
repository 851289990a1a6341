/* The copier for one element size. The including file defines SIZE (the size, or the variable `size` for any) and
   NAME(verb) (the functions' names). No include guard: it is included once per size. */

static char *NAME(gather)(size_t size, const scalay_run *runs, int64_t count, const char *column, char *packed)
{
    (void)size;
    for (int64_t k = 0; k < count; k++) {
        copy_run(SIZE, runs[k].count, column + (size_t)runs[k].place_a * SIZE, packed);
        packed += (size_t)runs[k].count * SIZE;
    }
    return packed;
}

static const char *NAME(scatter)(size_t size, const scalay_run *runs, int64_t count, const char *packed, char *column)
{
    (void)size;
    for (int64_t k = 0; k < count; k++) {
        copy_run(SIZE, runs[k].count, packed, column + (size_t)runs[k].place_a * SIZE);
        packed += (size_t)runs[k].count * SIZE;
    }
    return packed;
}

static void NAME(copy)(size_t size, const scalay_run *runs, int64_t count, const char *from, char *to)
{
    (void)size;
    for (int64_t k = 0; k < count; k++)
        copy_run(SIZE, runs[k].count, from + (size_t)runs[k].place_a * SIZE, to + (size_t)runs[k].place_b * SIZE);
}
