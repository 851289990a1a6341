#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"

/* A matrix by columns. */
typedef struct {
    int m, n;
    double *a;
} matrix;

/* A real Matrix Market array file. */
static matrix read_market(const char *path)
{
    char line[1024];
    matrix x = {0};
    FILE *stream = fopen(path, "r");
    if (stream == NULL) REFUSE("%s cannot be opened", path);
    do {
        if (fgets(line, sizeof line, stream) == NULL) REFUSE("%s has no size", path);
    } while (line[0] == '%');
    REQUIRE(sscanf(line, "%d %d", &x.m, &x.n) == 2);
    x.a = room_for((int64_t)x.m * x.n, sizeof *x.a);
    for (int k = 0; k < x.m * x.n; k++) REQUIRE(fscanf(stream, "%lf", &x.a[k]) == 1);
    fclose(stream);
    return x;
}

int check_same(int argc, char **argv)
{
    (void)argc;
    matrix x = read_market(argv[0]);
    matrix y = read_market(argv[1]);
    REQUIRE(x.m == y.m && x.n == y.n);
    for (int k = 0; k < x.m * x.n; k++)
        if (x.a[k] != y.a[k]) REFUSE("number %d is %.17g and %.17g", k, x.a[k], y.a[k]);
    free(x.a);
    free(y.a);
    return 0;
}

int check_turned(int argc, char **argv)
{
    (void)argc;
    matrix x = read_market(argv[0]);
    matrix y = read_market(argv[1]);
    REQUIRE(x.m == y.n && x.n == y.m);
    for (int j = 0; j < x.n; j++)
        for (int i = 0; i < x.m; i++) REQUIRE(x.a[i + j * x.m] == y.a[j + i * y.m]);
    free(x.a);
    free(y.a);
    return 0;
}

/* C = A B, element by element, up to the rounding of the inner products. */
int check_product(int argc, char **argv)
{
    (void)argc;
    matrix a = read_market(argv[0]), b = read_market(argv[1]), c = read_market(argv[2]);
    REQUIRE(a.n == b.m && c.m == a.m && c.n == b.n);
    for (int j = 0; j < c.n; j++)
        for (int i = 0; i < c.m; i++) {
            double sum = 0, size = 0;
            for (int k = 0; k < a.n; k++) {
                sum += a.a[i + k * a.m] * b.a[k + j * b.m];
                size += fabs(a.a[i + k * a.m] * b.a[k + j * b.m]);
            }
            if (fabs(sum - c.a[i + j * c.m]) > 1e-14 * size)
                REFUSE("(%d, %d): %.17g in A B, %.17g in C", i, j, sum, c.a[i + j * c.m]);
        }
    free(c.a);
    free(b.a);
    free(a.a);
    return 0;
}

static double product(const matrix *x, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < x->m; k++) sum += x->a[k + i * x->m] * x->a[k + j * x->m];
    return sum;
}

/* A = Q R with orthogonal Q means R'R = A'A; R has min(m, n) rows and nothing below its diagonal. */
int check_gram(int argc, char **argv)
{
    (void)argc;
    matrix a = read_market(argv[0]);
    matrix r = read_market(argv[1]);
    double norm = 0;
    REQUIRE(r.n == a.n && r.m == (a.m < a.n ? a.m : a.n));
    for (int k = 0; k < a.m * a.n; k++) norm += a.a[k] * a.a[k];
    for (int j = 0; j < r.n; j++)
        for (int i = j + 1; i < r.m; i++) REQUIRE(r.a[i + j * r.m] == 0);
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j <= i; j++)
            if (fabs(product(&a, i, j) - product(&r, i, j)) > 1e-12 * norm)
                REFUSE("(%d, %d): %.17g in A'A, %.17g in R'R", i, j, product(&a, i, j), product(&r, i, j));
    free(a.a);
    free(r.a);
    return 0;
}

/* The product of L and U, or of the triangles of Cholesky, in one matrix x of which `unit` tells that L has ones. */
static double product_of_factors(const matrix *x, int i, int j, int unit, int transposed)
{
    double sum = 0;
    for (int k = 0; k <= i && k <= j && k < (x->m < x->n ? x->m : x->n); k++) {
        const double left = unit && i == k ? 1 : x->a[i + k * x->m];
        sum += left * (transposed ? x->a[j + k * x->m] : x->a[k + j * x->m]);
    }
    return sum;
}

/* Every row of L U is a row of A, and each row of A is one of them. |L| is at most 1. */
int check_lu(int argc, char **argv)
{
    (void)argc;
    matrix a = read_market(argv[0]), x = read_market(argv[1]);
    char *found = room_for(a.m, 1);
    REQUIRE(x.m == a.m && x.n == a.n);
    for (int j = 0; j < x.n; j++)
        for (int i = j + 1; i < x.m; i++) REQUIRE(fabs(x.a[i + j * x.m]) <= 1);
    for (int i = 0; i < x.m; i++) {
        int row = 0;
        for (; row < a.m; row++) {
            double error = 0;
            for (int j = 0; j < a.n; j++)
                error = fmax(error, fabs(product_of_factors(&x, i, j, 1, 0) - a.a[row + j * a.m]));
            if (!found[row] && error < 1e-12) break;
        }
        if (row == a.m) REFUSE("row %d of L U is no row of A", i);
        found[row] = 1;
    }
    free(found);
    free(a.a);
    free(x.a);
    return 0;
}

/* A = L L'; L is lower triangular. The factor may be the transpose. */
int check_cholesky(int argc, char **argv)
{
    (void)argc;
    matrix a = read_market(argv[0]), l = read_market(argv[1]);
    const int is_upper = l.a[1] == 0;
    REQUIRE(l.m == a.m && l.n == a.n && l.m > 1);
    for (int j = 0; j < l.n && is_upper; j++)
        for (int i = 0; i < j; i++) {
            const double below = l.a[j + i * l.m];
            l.a[j + i * l.m] = l.a[i + j * l.m];
            l.a[i + j * l.m] = below;
        }
    for (int j = 0; j < l.n; j++) {
        for (int i = 0; i < j; i++) REQUIRE(l.a[i + j * l.m] == 0);
        for (int i = j; i < l.m; i++)
            if (fabs(product_of_factors(&l, i, j, 0, 1) - a.a[i + j * a.m]) > 1e-13 * a.m * a.m)
                REFUSE("(%d, %d): %.17g in A", i, j, a.a[i + j * a.m]);
    }
    free(a.a);
    free(l.a);
    return 0;
}
