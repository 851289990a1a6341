/* Inputs that options name: layouts, objectives, types, communication costs, points of a front, JSON documents. */

#include "input.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "output.h"

/* ------------------------------------------------------------------------------------------------- layouts */

const char scalay_layout_help[] =
    "A LAYOUT maps each element of a matrix to a process. It is one of:\n"
    "  cyclic:m=M,n=N,mb=MB,nb=NB,p=P,q=Q  block-cyclic, as a ScaLAPACK descriptor\n"
    "  tiles:FILE                          one owner for each tile\n"
    "  partition:FILE.json                 parts, from scalay partition --json\n"
    "  pattern:[KEYS,]FILE                 a repeated table of owners, from scalay pattern\n"
    "                                      --json; KEYS are m=M,n=N,mb=MB,nb=NB\n"
    "  skewed:m=M,n=N,mb=MB,nb=NB,p=P,q=Q  block-cyclic, process numbers shifted by 1,\n"
    "                                      and half of the tiles moved at random\n"
    "  chunks:m=M,n=N,mb=MB,nb=NB,p=P      swaths of tiles, dealt to the processes in\n"
    "                                      chunks of 16 tiles\n"
    "\n"
    "Keys of cyclic:\n"
    "  m, n          rows and columns of the matrix\n"
    "  mb, nb        rows and columns of a block\n"
    "  p, q          rows and columns of the process grid\n"
    "  rsrc, csrc    grid position of the first block, from 0 (default: 0)\n"
    "  ia, ja        the matrix starts at these indices of a larger one (default: 1)\n"
    "  order         row or col: numbering of the processes (default: row)\n"
    "\n"
    "skewed and chunks have a key seed (default: 1). The first line of a tile file is 'm n mb nb P'; one owner per "
    "tile "
    "follows, row by row. The keys m and n may be left out if the command knows them: from the matrix file, or from "
    "--from for --to.\n";

/* 1 if the text has a key, such as "m=", after its colon. */
static int has_key(const char *text, const char *key)
{
    for (const char *at = strchr(text, ':'); at != NULL; at = strchr(at + 1, ','))
        if (strncmp(at + 1, key, strlen(key)) == 0) return 1;
    return 0;
}

scalay_status scalay_input_complete_layout(const char *text, int64_t m, int64_t n, char **whole)
{
    char rows[32] = "";
    char cols[32] = "";
    const int64_t size = (int64_t)strlen(text) + 64;
    const scalay_status status = SCALAY_NEW(*whole, size);
    if (status != SCALAY_SUCCESS) return status;
    const int has_keys = strchr(text, ':') != NULL && strncmp(text, "tiles:", 6) != 0 &&
                         strncmp(text, "partition:", 10) != 0 && strncmp(text, "pattern:", 8) != 0;
    if (has_keys && m >= 0 && !has_key(text, "m=")) (void)snprintf(rows, sizeof rows, ",m=%lld", (long long)m);
    if (has_keys && n >= 0 && !has_key(text, "n=")) (void)snprintf(cols, sizeof cols, ",n=%lld", (long long)n);
    (void)snprintf(*whole, (size_t)size, "%s%s%s", text, rows, cols);
    return SCALAY_SUCCESS;
}

static scalay_status read_partition_layout(const char *path, scalay_layout **layout)
{
    scalay_owner_map *map = NULL;
    scalay_status status = scalay_input_partition_map(path, &map);
    if (status == SCALAY_SUCCESS) status = scalay_layout_from_owner_map(map, layout);
    scalay_owner_map_destroy(&map);
    return status;
}

scalay_status scalay_input_layout(const char *option, const char *text, int64_t m, int64_t n, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    char *whole = NULL;
    *layout = NULL;
    if (strncmp(text, "partition:", 10) == 0) {
        SCALAY_TRY(read_partition_layout(strcmp(text + 10, "-") == 0 ? "/dev/stdin" : text + 10, layout));
        goto cleanup;
    }
    if (strncmp(text, "pattern:", 8) == 0) {
        SCALAY_TRY(scalay_layout_read_pattern(text + 8, m, n, layout));
        goto cleanup;
    }
    SCALAY_TRY(scalay_input_complete_layout(text, m, n, &whole));
    SCALAY_TRY(scalay_layout_parse(whole, layout));
cleanup:
    scalay_release(whole);
    return status == SCALAY_SUCCESS ? status : scalay_fail_at(scalay_as_input(status), option);
}

scalay_objective scalay_input_objective(const char *name)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL,
                                                  SCALAY_MIN_VOLUME,
                                                  SCALAY_MIN_STEPS,
                                                  SCALAY_MIN_STEPS_THEN_VOLUME,
                                                  SCALAY_MIN_VOLUME_THEN_STEPS,
                                                  SCALAY_MIN_TIME,
                                                  SCALAY_MIN_GRID_VOLUME};
    for (size_t k = 0; k < sizeof objectives / sizeof objectives[0]; k++)
        if (strcmp(scalay_objective_name(objectives[k]), name) == 0) return objectives[k];
    return SCALAY_MIN_STEPS_THEN_VOLUME;
}

scalay_type scalay_input_type(const char *name)
{
    for (scalay_type type = SCALAY_FLOAT; name != NULL && type <= SCALAY_INT; type++)
        if (strcmp(scalay_type_name(type), name) == 0) return type;
    return SCALAY_DOUBLE;
}

/* ------------------------------------------------------------------------------------ communication costs */

enum { ALPHA, BETA, BLOCK, HOCKNEY_KEYS };

/* Reads "alpha=..,beta=..,block=..": each key once, in any order. */
static scalay_status read_hockney(const char *option, const char *text, double values[HOCKNEY_KEYS])
{
    static const char *const keys[HOCKNEY_KEYS] = {"alpha=", "beta=", "block="};
    int given[HOCKNEY_KEYS] = {0};
    for (const char *at = text; at != NULL;) {
        int key = 0;
        while (key < HOCKNEY_KEYS && strncmp(at, keys[key], strlen(keys[key])) != 0) key++;
        const char *value = key < HOCKNEY_KEYS && !given[key]++ ? at + strlen(keys[key]) : NULL;
        const char *end = value != NULL ? scalay_parse_number(value, ",", &values[key]) : NULL;
        if (end == NULL)
            return SCALAY_FAIL(
                SCALAY_ERROR_ARGUMENT,
                "%s has '%.*s'; it must be hockney:alpha=..,beta=..,block=.., each key once, with a number "
                "of at least 0",
                option, (int)strcspn(at, ","), at);
        at = *end == ',' ? end + 1 : NULL;
    }
    for (int key = 0; key < HOCKNEY_KEYS; key++)
        if (!given[key])
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s has no %s..; it must be hockney:alpha=..,beta=..,block=..",
                               option, keys[key]);
    return SCALAY_SUCCESS;
}

scalay_status scalay_input_communication(const char *option, const char *text, scalay_communication **communication)
{
    static const char hockney[] = "hockney:";
    double values[HOCKNEY_KEYS] = {0};
    scalay_status status = SCALAY_SUCCESS;
    if (strncmp(text, hockney, strlen(hockney)) != 0) {
        status = scalay_communication_read(text, communication);
        return status == SCALAY_SUCCESS ? status : scalay_fail_at(scalay_as_input(status), option);
    }
    SCALAY_TRY(read_hockney(option, text + strlen(hockney), values));
    if (values[BLOCK] < 1.0 || values[BLOCK] > 0x1p53 || values[BLOCK] != floor(values[BLOCK]))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s has block=%g; it must be a positive integer", option,
                           values[BLOCK]);
    status = scalay_communication_hockney(values[ALPHA], values[BETA], (int64_t)values[BLOCK], communication);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- front points */

int scalay_front_point_count(const scalay_front_point *options)
{
    return options->within_time.given + options->within_energy.given + options->knee;
}

const char *scalay_front_point_option(const scalay_front_point *options)
{
    if (options->knee) return "knee";
    if (options->within_time.given) return "within-time";
    return options->within_energy.given ? "within-energy" : NULL;
}

int64_t scalay_front_point_select(const scalay_front_point *options, const scalay_workload_front *front)
{
    if (options->knee) return scalay_workload_front_knee(front);
    if (options->within_time.given) return scalay_workload_front_within_time(front, options->within_time.value);
    return options->within_energy.given ? scalay_workload_front_within_energy(front, options->within_energy.value) : -1;
}

/* ------------------------------------------------------------------------------------------ JSON documents */

/* Documents without a version were written by ScaLAY 0.1. */
static scalay_status check_version(const char *path, json_t **document)
{
    const json_t *version = json_object_get(*document, "version");
    if (version == NULL || json_integer_value(version) == SCALAY_JSON_VERSION) return SCALAY_SUCCESS;
    json_decref(*document);
    *document = NULL;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: \"version\" must be %d; write the file with this version of scalay",
                       path, SCALAY_JSON_VERSION);
}

scalay_status scalay_input_document(const char *path, json_t **document)
{
    json_error_t error;
    *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (*document != NULL && json_is_object(*document)) return check_version(path, document);
    if (*document != NULL) {
        json_decref(*document);
        *document = NULL;
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "%s: the file is not a JSON object; it must be the output of scalay with --json", path);
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "%s: no memory for the JSON document", path);
    if (json_error_code(&error) == json_error_cannot_open_file)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: the file cannot be opened; check its name and permissions", path);
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s: line %d, column %d: %s; the file must be the output of scalay with --json", path,
                       error.line, error.column, error.text);
}

enum { MAX_RECTANGLES = 1 << 24, MAX_PARTS = 1 << 20 };

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

static scalay_status read_integer(const char *path, const json_t *object, const char *key, int64_t min, int64_t max,
                                  int64_t *value)
{
    const json_t *number = json_object_get(object, key);
    *value = json_is_integer(number) ? (int64_t)json_integer_value(number) : min - 1;
    if (*value >= min && *value <= max) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: \"%s\" must be an integer from %lld to %lld", path, key,
                       (long long)min, (long long)max);
}

static scalay_status read_rectangle(partition_file *file, const json_t *object, scalay_part_rectangle *rectangle)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t part = 0;
    SCALAY_TRY(read_integer(file->path, object, "part", 0, MAX_PARTS - 1, &part));
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
    if (file->count < 1 || file->count > MAX_RECTANGLES)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "%s: \"rectangles\" must have 1 to %d entries; the file must be the output of scalay "
                           "partition --json",
                           file->path, MAX_RECTANGLES);
    if (json_array_size(areas) > 0 && json_array_size(areas) < INT_MAX) file->parts = (int)json_array_size(areas);
    SCALAY_TRY(SCALAY_NEW(file->rectangle, file->count));
    for (int64_t k = 0; k < file->count; k++)
        SCALAY_TRY(read_rectangle(file, json_array_get(list, (size_t)k), &file->rectangle[k]));
cleanup:
    return status;
}

static int compare_cuts(const void *a, const void *b)
{
    return scalay_compare_int64(*(const int64_t *)a, *(const int64_t *)b);
}

/* Lists the edges of all rectangles along an axis (0: rows), ascending, without repetition. */
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

/* Returns the index of an edge among the cuts. */
static int64_t cut_index(const partition_file *file, int axis, int64_t line)
{
    const int64_t *cut = file->cut[axis];
    const int64_t *found =
        bsearch(&line, cut, (size_t)file->cuts[axis], sizeof *cut, compare_cuts); /* each edge is a cut */
    return found - cut;
}

/* Sets the owner of each cell; every cell must have exactly one rectangle. */
static scalay_status set_owners(partition_file *file)
{
    int64_t cols = file->cuts[1] - 1;
    for (int64_t k = 0; k < file->count; k++) {
        const scalay_part_rectangle *r = &file->rectangle[k];
        int64_t row_end = cut_index(file, 0, r->row + r->rows), col_end = cut_index(file, 1, r->col + r->cols);
        for (int64_t i = cut_index(file, 0, r->row); i < row_end; i++)
            for (int64_t j = cut_index(file, 1, r->col); j < col_end; j++) {
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

scalay_status scalay_input_partition_map(const char *path, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    partition_file file = {.path = path};
    json_t *document = NULL;
    int64_t cells = 0;
    *map = NULL;
    SCALAY_TRY(scalay_input_document(path, &document));
    SCALAY_TRY(read_rectangles(&file, document));
    SCALAY_TRY(find_cuts(&file, 0));
    SCALAY_TRY(find_cuts(&file, 1));
    cells = (file.cuts[0] - 1) * (file.cuts[1] - 1); /* both factors are below 2^26 */
    SCALAY_TRY(SCALAY_NEW(file.owner, cells));
    for (int64_t k = 0; k < cells; k++) file.owner[k] = -1;
    SCALAY_TRY(set_owners(&file));
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
