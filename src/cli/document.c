#include "document.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

scalay_status scalay_document_read(const char *path, json_t **document)
{
    json_error_t error;
    *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (*document != NULL && json_is_object(*document)) return SCALAY_SUCCESS;
    if (*document != NULL) {
        json_decref(*document);
        *document = NULL;
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: this is no JSON object; give what scalay printed with --json",
                           path);
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "%s: no memory for the JSON document", path);
    if (json_error_code(&error) == json_error_cannot_open_file)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: the file cannot be opened; give one that can be read", path);
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: line %d, column %d: %s; give what scalay printed with --json", path,
                       error.line, error.column, error.text);
}

/* --------------------------------------------------------------------------------------------- partitions */

enum { MOST_RECTANGLES = 1 << 24, MOST_PARTS = 1 << 20 };

typedef struct {
    const char *path;
    int64_t m, n;
    int parts;
    int64_t count;
    scalay_part_rectangle *rectangle; /* shape [count] */
    int64_t cuts[2];                  /* of the rows and of the columns */
    int64_t *cut[2];                  /* shape [cuts]: ascending, from 0 to the extent */
    int *owner;                       /* shape [cuts[0] - 1][cuts[1] - 1] */
} partition_file;

static scalay_status read_integer(const char *path, const json_t *object, const char *key, int64_t least, int64_t most,
                                  int64_t *value)
{
    const json_t *number = json_object_get(object, key);
    *value = json_is_integer(number) ? (int64_t)json_integer_value(number) : least - 1;
    if (*value >= least && *value <= most) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: \"%s\" is missing or no integer from %lld to %lld", path, key,
                       (long long)least, (long long)most);
}

static scalay_status read_rectangle(partition_file *file, const json_t *object, scalay_part_rectangle *rectangle)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t part = 0;
    SCALAY_TRY(read_integer(file->path, object, "part", 0, MOST_PARTS - 1, &part));
    SCALAY_TRY(read_integer(file->path, object, "row", 0, file->m - 1, &rectangle->row));
    SCALAY_TRY(read_integer(file->path, object, "col", 0, file->n - 1, &rectangle->col));
    SCALAY_TRY(read_integer(file->path, object, "rows", 1, file->m - rectangle->row, &rectangle->rows));
    SCALAY_TRY(read_integer(file->path, object, "cols", 1, file->n - rectangle->col, &rectangle->cols));
    rectangle->part = (int)part;
    if (rectangle->part >= file->parts) file->parts = rectangle->part + 1;
cleanup:
    return status;
}

static scalay_status read_rectangles(partition_file *file, const json_t *document)
{
    scalay_status status = SCALAY_SUCCESS;
    const json_t *list = json_object_get(document, "rectangles");
    const json_t *areas = json_object_get(document, "areas");
    SCALAY_TRY(read_integer(file->path, document, "m", 1, INT64_MAX, &file->m));
    SCALAY_TRY(read_integer(file->path, document, "n", 1, INT64_MAX, &file->n));
    file->count = (int64_t)json_array_size(list);
    if (file->count < 1 || file->count > MOST_RECTANGLES)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "%s: \"rectangles\" is missing, empty, or has more than %d entries; give what scalay "
                           "partition --json printed",
                           file->path, MOST_RECTANGLES);
    if (json_array_size(areas) > 0 && json_array_size(areas) < INT_MAX) file->parts = (int)json_array_size(areas);
    SCALAY_TRY(SCALAY_NEW(file->rectangle, file->count));
    for (int64_t k = 0; k < file->count; k++)
        SCALAY_TRY(read_rectangle(file, json_array_get(list, (size_t)k), &file->rectangle[k]));
cleanup:
    return status;
}

static int compare_cuts(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The edges of all rectangles along one axis (0: rows), ascending, each once. */
static scalay_status find_cuts(partition_file *file, int axis)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *cut = NULL;
    int64_t used = 0;
    SCALAY_TRY(SCALAY_NEW(file->cut[axis], 2 * file->count + 2));
    cut = file->cut[axis];
    cut[used++] = 0;
    cut[used++] = axis == 0 ? file->m : file->n;
    for (int64_t k = 0; k < file->count; k++) {
        const scalay_part_rectangle *rectangle = &file->rectangle[k];
        int64_t first = axis == 0 ? rectangle->row : rectangle->col;
        cut[used++] = first;
        cut[used++] = first + (axis == 0 ? rectangle->rows : rectangle->cols);
    }
    qsort(cut, (size_t)used, sizeof *cut, compare_cuts);
    for (int64_t k = 0; k < used; k++)
        if (k == 0 || cut[k] != cut[file->cuts[axis] - 1]) cut[file->cuts[axis]++] = cut[k];
cleanup:
    return status;
}

static int64_t cell_at(const partition_file *file, int axis, int64_t line)
{
    const int64_t *cut = file->cut[axis];
    const int64_t *found =
        bsearch(&line, cut, (size_t)file->cuts[axis], sizeof *cut, compare_cuts); /* every edge is a cut */
    return found - cut;
}

static scalay_status paint(partition_file *file)
{
    int64_t cols = file->cuts[1] - 1;
    for (int64_t k = 0; k < file->count; k++) {
        const scalay_part_rectangle *r = &file->rectangle[k];
        int64_t row_end = cell_at(file, 0, r->row + r->rows), col_end = cell_at(file, 1, r->col + r->cols);
        for (int64_t i = cell_at(file, 0, r->row); i < row_end; i++)
            for (int64_t j = cell_at(file, 1, r->col); j < col_end; j++) {
                if (file->owner[i * cols + j] >= 0)
                    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: the rectangles overlap at row %lld, column %lld",
                                       file->path, (long long)file->cut[0][i], (long long)file->cut[1][j]);
                file->owner[i * cols + j] = r->part;
            }
    }
    for (int64_t i = 0; i < file->cuts[0] - 1; i++)
        for (int64_t j = 0; j < cols; j++)
            if (file->owner[i * cols + j] < 0)
                return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: no rectangle covers row %lld, column %lld", file->path,
                                   (long long)file->cut[0][i], (long long)file->cut[1][j]);
    return SCALAY_SUCCESS;
}

scalay_status scalay_document_read_partition(const char *path, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    partition_file file = {.path = path};
    json_t *document = NULL;
    int64_t cells = 0;
    *map = NULL;
    SCALAY_TRY(scalay_document_read(path, &document));
    SCALAY_TRY(read_rectangles(&file, document));
    SCALAY_TRY(find_cuts(&file, 0));
    SCALAY_TRY(find_cuts(&file, 1));
    cells = (file.cuts[0] - 1) * (file.cuts[1] - 1); /* both below 2^26 */
    SCALAY_TRY(SCALAY_NEW(file.owner, cells));
    for (int64_t k = 0; k < cells; k++) file.owner[k] = -1;
    SCALAY_TRY(paint(&file));
    SCALAY_TRY(scalay_owner_map_create(file.cuts[0] - 1, file.cuts[1] - 1, file.cut[0], file.cut[1], file.parts,
                                       file.owner, map));
cleanup:
    scalay_release(file.owner);
    scalay_release(file.cut[0]);
    scalay_release(file.cut[1]);
    scalay_release(file.rectangle);
    json_decref(document);
    return status;
}
