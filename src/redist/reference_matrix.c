#include "redist/reference_matrix.h"

static scalay_status load_end(const scalay_layout *layout, int rank, scalay_reference_end *end)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_layout_copy(layout, &end->layout));
    SCALAY_TRY(scalay_place_table_create(layout, rank, &end->places));
cleanup:
    return status;
}

scalay_status scalay_reference_matrix_create(const scalay_plan_part *part, int rank, scalay_reference_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(load_end(part->source_layout, rank, &matrix->source));
    SCALAY_TRY(load_end(part->target_layout, rank, &matrix->target));
    matrix->transposed = part->op != SCALAY_NO_TRANSPOSE;
    matrix->clip = part->source.clip;
    matrix->m = scalay_layout_rows(part->target_layout);
    matrix->n = scalay_layout_cols(part->target_layout);
cleanup:
    return status;
}

static void free_end(scalay_reference_end *end)
{
    scalay_layout_destroy(&end->layout);
    scalay_place_table_free(&end->places);
}

void scalay_reference_matrix_free(scalay_reference_matrix *matrix)
{
    free_end(&matrix->source);
    free_end(&matrix->target);
}

static int64_t end_bytes(const scalay_reference_end *end)
{
    return (int64_t)sizeof *end + end->places.count * (int64_t)sizeof(scalay_rectangle);
}

int64_t scalay_reference_matrix_bytes(const scalay_reference_matrix *matrix)
{
    return end_bytes(&matrix->source) + end_bytes(&matrix->target);
}

int scalay_reference_counts(const scalay_reference_matrix *matrix, int64_t i, int64_t j)
{
    const scalay_clip *clip = &matrix->clip;
    if (clip->uplo == SCALAY_UPPER) return i - j <= clip->shift;
    if (clip->uplo == SCALAY_LOWER) return i - j >= clip->shift;
    return 1;
}

int scalay_reference_source_owner(const scalay_reference_matrix *matrix, int64_t i, int64_t j)
{
    return scalay_layout_owner(matrix->source.layout, matrix->transposed ? j : i, matrix->transposed ? i : j);
}

int scalay_reference_target_owner(const scalay_reference_matrix *matrix, int64_t i, int64_t j)
{
    return scalay_layout_owner(matrix->target.layout, i, j);
}

int64_t scalay_reference_source_place(const scalay_reference_matrix *matrix, int64_t i, int64_t j)
{
    return scalay_place_table_find(&matrix->source.places, matrix->transposed ? j : i, matrix->transposed ? i : j);
}

int64_t scalay_reference_target_place(const scalay_reference_matrix *matrix, int64_t i, int64_t j)
{
    return scalay_place_table_find(&matrix->target.places, i, j);
}
