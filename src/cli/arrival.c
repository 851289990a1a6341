#include "arrival.h"

#include <string.h>

#include "base/memory.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/comm.h"

/* What the file says, where the matrix is or, when it is transposed, on the same ranks with rows for columns. */
typedef struct {
    const scalay_layout *layout;
    int transposed;
    int64_t ld; /* when transposed: of the local array of what the file says */
    size_t size;
    const char *got;
    const char *wanted;
} comparison;

/* Elements of a rectangle that differ. */
static int64_t count_in_rectangle(const comparison *c, const scalay_rectangle *at)
{
    int64_t differences = 0;
    for (int64_t col = 0; col < at->cols; col++)
        for (int64_t row = 0; row < at->rows; row++) {
            const int64_t place = at->offset + col * at->ld + row;
            const int64_t other = c->transposed ? place % at->ld * c->ld + place / at->ld : place;
            differences += memcmp(c->got + (size_t)place * c->size, c->wanted + (size_t)other * c->size, c->size) != 0;
        }
    return differences;
}

static int64_t count_differences(const comparison *c, int rank)
{
    int64_t differences = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(c->layout, rank); k++) {
        scalay_rectangle at;
        if (scalay_layout_rectangle(c->layout, rank, k, &at) != SCALAY_SUCCESS) return INT64_MAX;
        differences += count_in_rectangle(c, &at);
    }
    return differences;
}

static void conjugate(scalay_type type, int64_t count, void *elements)
{
    float *c = elements;
    double *z = elements;
    for (int64_t k = 0; k < count && type == SCALAY_COMPLEX_FLOAT; k++) c[2 * k + 1] = -c[2 * k + 1];
    for (int64_t k = 0; k < count && type == SCALAY_COMPLEX_DOUBLE; k++) z[2 * k + 1] = -z[2 * k + 1];
}

scalay_status scalay_arrival_check(const scalay_job *job, const scalay_layout *layout, scalay_op op, const void *local,
                                   int64_t *wrong)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = scalay_comm_rank(job->comm);
    scalay_layout *turned = NULL;
    void *expected = NULL;
    scalay_rectangle first = {.ld = 1};
    if (op != SCALAY_NO_TRANSPOSE) SCALAY_TRY(scalay_comm_agree(job->comm, scalay_layout_transpose(layout, &turned)));
    const scalay_layout *as_in_file = turned != NULL ? turned : layout;
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_job_new_local(job, as_in_file, &expected)));
    SCALAY_TRY(scalay_matrix_read(job->comm, job->path, as_in_file, job->type, expected));
    if (op == SCALAY_CONJUGATE_TRANSPOSE) conjugate(job->type, scalay_layout_local_size(as_in_file, rank), expected);
    if (scalay_layout_rectangle_count(as_in_file, rank) > 0) (void)scalay_layout_rectangle(as_in_file, rank, 0, &first);
    const comparison c = {.layout = layout,
                          .transposed = op != SCALAY_NO_TRANSPOSE,
                          .ld = first.ld,
                          .size = scalay_type_size(job->type),
                          .got = local,
                          .wanted = expected};
    int64_t mine = count_differences(&c, rank);
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, wrong, 1, MPI_INT64_T, MPI_SUM, scalay_comm_handle(job->comm)));
cleanup:
    scalay_release(expected);
    scalay_layout_destroy(&turned);
    return status;
}
