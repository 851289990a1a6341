/* The real matrix: sums and extremes of what the ranks hold are those of the file, whatever the type in memory. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "scalay/scalay.h"
#include "support/check.h"

enum { ROWS = 721, COLS = 1440, HEAD = 128 };

typedef struct {
    double sum, weighted, least, most;
    long long count;
} summary;

static void add(summary *all, double value, int64_t i, int64_t j)
{
    all->sum += value;
    all->weighted += value * (double)((i * 7 + j * 3) % 1009); /* tells where it is, too */
    all->least = fmin(all->least, value);
    all->most = fmax(all->most, value);
    all->count++;
}

static summary of_file(void)
{
    summary all = {0.0, 0.0, DBL_MAX, -DBL_MAX, 0};
    float value;
    FILE *file = fopen(SCALAY_GEOID, "rb");
    if (!CHECK(file != NULL)) return all;
    fseek(file, HEAD, SEEK_SET);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS && fread(&value, sizeof value, 1, file) == 1; j++) add(&all, (double)value, i, j);
    fclose(file);
    return all;
}

static summary of_local(const scalay_layout *layout, scalay_type type, const void *local)
{
    summary mine = {0.0, 0.0, DBL_MAX, -DBL_MAX, 0}, all;
    scalay_rectangle r;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, check_rank()); k++) {
        CHECK_STATUS(scalay_layout_rectangle(layout, check_rank(), k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                int64_t at = r.offset + i + j * r.ld;
                double value = type == SCALAY_FLOAT    ? (double)((const float *)local)[at]
                               : type == SCALAY_DOUBLE ? ((const double *)local)[at]
                                                       : ((const double *)local)[2 * at];
                if (type == SCALAY_COMPLEX_DOUBLE) CHECK(((const double *)local)[2 * at + 1] == 0.0);
                add(&mine, value, r.row + i, r.col + j);
            }
    }
    MPI_Allreduce(&mine.sum, &all.sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine.least, &all.least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine.most, &all.most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine.count, &all.count, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void the_geoid_arrives(scalay_comm *comm, const char *text, scalay_type type, const summary *expected)
{
    scalay_layout *layout = NULL;
    if (!CHECK_STATUS(scalay_layout_parse(text, &layout), SCALAY_SUCCESS)) return;
    size_t bytes = (size_t)scalay_layout_local_size(layout, check_rank()) * scalay_type_size(type);
    void *local = calloc(bytes + 1, 1);
    CHECK_STATUS(scalay_matrix_read(comm, SCALAY_GEOID, layout, type, local), SCALAY_SUCCESS);
    summary found = of_local(layout, type, local);
    CHECK(found.count == (long long)ROWS * COLS && found.least == expected->least && found.most == expected->most);
    /* Sums in another order: their rounding errors differ. */
    CHECK(fabs(found.sum - expected->sum) <= 1e-9 * 100.0 * ROWS * COLS);
    CHECK(fabs(found.weighted - expected->weighted) <= 1e-9 * 1e5 * ROWS * COLS);
    free(local);
    scalay_layout_destroy(&layout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_file_info info;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    if (CHECK_STATUS(scalay_matrix_inspect(comm, SCALAY_GEOID, &info), SCALAY_SUCCESS))
        CHECK(info.m == ROWS && info.n == COLS && info.type == SCALAY_FLOAT && info.order == SCALAY_ROW_MAJOR &&
              info.version == 1 && info.data_offset == HEAD && info.byte_order == SCALAY_LITTLE_ENDIAN);
    summary expected = of_file();
    /* Heights of the geoid over the ellipsoid: from about -107 m south of India to about 85 m at New Guinea. */
    CHECK(expected.least > -108.0 && expected.least < -106.0 && expected.most > 84.0 && expected.most < 87.0);

    char text[128];
    snprintf(text, sizeof text, "cyclic:m=%d,n=%d,mb=64,nb=64,p=1,q=%d", ROWS, COLS, scalay_comm_size(comm));
    the_geoid_arrives(comm, text, SCALAY_FLOAT, &expected);
    the_geoid_arrives(comm, text, SCALAY_DOUBLE, &expected);
    snprintf(text, sizeof text, "skewed:m=%d,n=%d,mb=50,nb=30,p=%d,q=1", ROWS, COLS, scalay_comm_size(comm));
    the_geoid_arrives(comm, text, SCALAY_COMPLEX_DOUBLE, &expected);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
