#include "layout/layout.h"

scalay_status scalay_layout_transpose(const scalay_layout *layout, scalay_layout **turned)
{
    *turned = NULL;
    if (!scalay_layout_is_grid(layout))
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "the layout is not block-cyclic; its transpose is stored otherwise");
    scalay_status status = scalay_layout_copy(layout, turned);
    if (status != SCALAY_SUCCESS) return status;
    (*turned)->row = layout->col;
    (*turned)->col = layout->row;
    (*turned)->order = layout->order == SCALAY_ROW_MAJOR ? SCALAY_COLUMN_MAJOR : SCALAY_ROW_MAJOR;
    (*turned)->own_process = -1;
    return SCALAY_SUCCESS;
}
