#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"

/* The cells of one direction: the blocks or runs that meet the window, or as many of them as may be shown. */
typedef struct {
    const scalay_axis *axis;
    int64_t before; /* blocks in front of the window; a window's runs are its own */
    int64_t cells;
    int64_t shown;
} drawn_axis;

static drawn_axis choose_cells(const scalay_axis *axis, int64_t max_cells)
{
    drawn_axis drawn = {.axis = axis};
    if (axis->extent == 0) return drawn;
    if (axis->runs != NULL) {
        drawn.cells = axis->runs->runs;
    } else {
        drawn.before = axis->first / axis->block;
        drawn.cells = (axis->first + axis->extent - 1) / axis->block - drawn.before + 1;
    }
    drawn.shown = scalay_min_int64(drawn.cells, max_cells);
    return drawn;
}

/* A window index in the k-th cell that is shown: of the cells in equal portions, the middle one. */
static int64_t shown_index(const drawn_axis *drawn, int64_t k)
{
    int64_t portion = drawn->cells / drawn->shown, rest = drawn->cells % drawn->shown;
    int64_t cell = k * portion + scalay_min_int64(k, rest);
    if (drawn->shown < drawn->cells) cell += portion / 2;
    if (drawn->axis->runs != NULL) return scalay_axis_runs_start(drawn->axis->runs, cell);
    return scalay_max_int64(0, (drawn->before + cell) * drawn->axis->block - drawn->axis->first);
}

static int decimal_width(int value)
{
    int width = 1;
    for (; value >= 10; value /= 10) width++;
    return width;
}

int64_t scalay_layout_draw(const scalay_layout *layout, int max_cells, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    scalay_text_append(&all, "%s", ""); /* an empty drawing ends with a NUL as well */
    if (layout == NULL || layout->col.extent == 0) return 0;
    drawn_axis rows = choose_cells(&layout->row, scalay_max_int64(1, max_cells));
    drawn_axis cols = choose_cells(&layout->col, scalay_max_int64(1, max_cells));
    int width = decimal_width(layout->processes - 1);
    for (int64_t r = 0; r < rows.shown; r++)
        for (int64_t c = 0; c < cols.shown; c++)
            scalay_text_append(&all, "%*d%c", width,
                               scalay_layout_owner(layout, shown_index(&rows, r), shown_index(&cols, c)),
                               c + 1 < cols.shown ? ' ' : '\n');
    return all.length;
}
