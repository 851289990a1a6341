#include "partition/pack.h"

/* Squares may stick out by this fraction of the rectangle: areas are rounded. */
static const double slack = 1.0 + 1e-12;

/* Insertion: what comes here is nearly sorted most of the time. */
static void sort_by_side(scalay_square *square, int count)
{
    for (int k = 1; k < count; k++) {
        scalay_square moving = square[k];
        int to = k;
        for (; to > 0 && square[to - 1].side < moving.side; to--) square[to] = square[to - 1];
        square[to] = moving;
    }
}

/* Shelves of the given length, up to a height. */
static int pack_shelves(scalay_square *square, int count, double length, double height)
{
    int shelves = 0;
    double top = 0.0;
    for (int k = 0; k < count; k++) {
        double side = square[k].side;
        int shelf = 0;
        while (shelf < shelves && square[shelf].shelf_used + side > length * slack) shelf++;
        if (shelf == shelves) {
            if (side > length * slack || top + side > height * slack) return 0;
            square[shelves].shelf_at = top;
            square[shelves++].shelf_used = 0.0;
            top += side;
        }
        square[k].row = square[shelf].shelf_at;
        square[k].col = square[shelf].shelf_used;
        square[shelf].shelf_used += side;
    }
    return 1;
}

static void transpose(scalay_square *square, int count)
{
    for (int k = 0; k < count; k++) {
        double row = square[k].row;
        square[k].row = square[k].col;
        square[k].col = row;
    }
}

int scalay_pack_squares(scalay_square *square, int count, double rows, double cols)
{
    double area = 0.0;
    for (int k = 0; k < count; k++) area += square[k].side * square[k].side;
    if (area > rows * cols * slack) return 0;
    sort_by_side(square, count);
    if (pack_shelves(square, count, cols, rows)) return 1;
    if (!pack_shelves(square, count, rows, cols)) return 0;
    transpose(square, count);
    return 1;
}
