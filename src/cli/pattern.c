/*
 * scalay pattern: a table of owners, repeated over a matrix, for any number of processes. This file reads the options,
 * calls scalay_pattern_find(), and prints the pattern as text, as JSON, or for other libraries.
 */

#include "scalay/pattern.h"

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "input.h"
#include "io/plot.h"
#include "output.h"
#include "partition/owner_map.h"
#include "pattern.h"

enum { MAX_SHOWN = 48, MAX_LISTED = 4096, DEFAULT_TILE = 64, DEFAULT_COPIES = 8 };
enum { MAX_PROCESSES = 4096 }; /* of scalay_pattern_find() */

typedef struct {
    scalay_common_options common;
    int64_t processes;
    const char *kernel;
    const char *speeds;
    scalay_option_number budget;
    const char *size;
    int64_t tile;
    const char *export_format;
} pattern_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Problem"),
    SCALAY_COUNT_ROW(pattern_options, processes, "processes", "P", MAX_PROCESSES, "number of processes",
                     "the number of speeds"),
    SCALAY_CHOICE_ROW(pattern_options, kernel, "kernel", "NAME", "lu|qr|cholesky|gemm",
                      "kernel whose traffic is minimised", "lu"),
    SCALAY_ROW(pattern_options, speeds, SCALAY_OPTION_TEXT, "speeds", "S,S,..",
               "relative speeds of the processes; loads are proportional to them", "equal"),
    SCALAY_ROW(pattern_options, budget, SCALAY_OPTION_NUMBER, "budget", "SECONDS", "time limit of the search",
               "a fixed number of steps, so that results are reproducible"),
    SCALAY_GROUP_ROW("Matrix"),
    SCALAY_ROW(pattern_options, size, SCALAY_OPTION_TEXT, "size", "MxN",
               "rows and columns of the matrix, for a LAYOUT, tables and pictures", "8 copies of the pattern"),
    SCALAY_ROW(pattern_options, tile, SCALAY_OPTION_COUNT, "tile", "NB", "rows and columns of a tile", "64"),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_CHOICE_ROW(pattern_options, export_format, "export", "FORMAT", "chameleon|slate|dplasma|csv|text",
                      "print the owners for another library, or as a pattern file", NULL),
    SCALAY_PLOT_ROW(pattern_options, "draw the owners of the tiles"),
    SCALAY_JSON_ROW(pattern_options),
    SCALAY_QUIET_ROW(pattern_options),
    SCALAY_LAST_ROW,
};

/* ------------------------------------------------------------------------------------------------ problem */

/* A pattern, its cost and a matrix. */
typedef struct {
    scalay_pattern_kernel kernel;
    int parts;
    double *speed; /* shape [parts]; NULL: equal */
    scalay_pattern *pattern;
    scalay_pattern_table table;
    scalay_pattern_summary summary;
    int64_t m, n, tile;
    int has_size;
} pattern_job;

scalay_pattern_kernel scalay_input_pattern_kernel(const char *name)
{
    static const char *const names[] = {"gemm", "lu", "qr", "cholesky"};
    for (int k = 0; name != NULL && k < 4; k++)
        if (strcmp(names[k], name) == 0) return (scalay_pattern_kernel)k;
    return SCALAY_PATTERN_LU;
}

static scalay_status read_speeds(const char *text, pattern_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 1;
    for (const char *at = text; *at != '\0'; at++) count += *at == ',';
    if (job->parts != 0 && count != job->parts)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--speeds has %lld numbers; it must have %d as --processes",
                           (long long)count, job->parts);
    if (count > MAX_PROCESSES)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--speeds has %lld numbers; it must have 1 to %d", (long long)count,
                           MAX_PROCESSES);
    job->parts = (int)count;
    SCALAY_TRY(SCALAY_NEW(job->speed, count));
    for (int part = 0; part < job->parts; part++) {
        const char *end = scalay_parse_number(text, ",", &job->speed[part]);
        if (end == NULL || job->speed[part] <= 0)
            return SCALAY_FAIL(
                SCALAY_ERROR_ARGUMENT,
                "--speeds: number %d is '%.*s'; it must be a decimal number above 0, such as in 1,0.5,0.5", part + 1,
                (int)strcspn(text, ","), text);
        text = end + (*end == ',');
    }
cleanup:
    return status;
}

static scalay_status read_size(const char *text, pattern_job *job)
{
    const size_t rows = strcspn(text, "xX");
    const char *cols = text + rows + (text[rows] != '\0');
    if (scalay_text_to_int64(text, rows, &job->m) == SCALAY_NUMBER_VALID && job->m >= 1 &&
        scalay_text_to_int64(cols, strlen(cols), &job->n) == SCALAY_NUMBER_VALID && job->n >= 1) {
        job->has_size = 1;
        return SCALAY_SUCCESS;
    }
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--size is '%s'; it must be rows and columns, each at least 1, such as 1000x800", text);
}

static scalay_status create_job(const pattern_options *options, pattern_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    *job = (pattern_job){.kernel = scalay_input_pattern_kernel(options->kernel), .parts = (int)options->processes};
    job->tile = options->tile > 0 ? options->tile : DEFAULT_TILE;
    if (options->export_format != NULL && options->common.json)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--export and --json both print to the standard output; give one");
    SCALAY_TRY(scalay_check_picture(options->common.plot));
    if (options->speeds != NULL) SCALAY_TRY(read_speeds(options->speeds, job));
    if (job->parts == 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--processes is missing; give the number of processes, or --speeds");
    if (options->size != NULL) SCALAY_TRY(read_size(options->size, job));
    scalay_progress_say("searching");
    SCALAY_TRY(scalay_pattern_find(job->kernel, job->parts, job->speed,
                                   options->budget.given ? options->budget.value : 0, &job->pattern));
    SCALAY_TRY(scalay_pattern_get_table(job->pattern, &job->table));
    SCALAY_TRY(scalay_pattern_get_summary(job->pattern, job->kernel, job->speed, &job->summary));
    if (!job->has_size) {
        job->m = DEFAULT_COPIES * job->tile * job->table.rows;
        job->n = DEFAULT_COPIES * job->tile * job->table.cols;
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ text */

static void print_table(const scalay_pattern_table *table)
{
    int width = 1;
    for (int value = table->parts - 1; value >= 10; value /= 10) width++;
    if (table->rows > MAX_SHOWN || table->cols > MAX_SHOWN) {
        printf("\nThe table is too large for the text; --json and --plot show it.\n");
        return;
    }
    printf("\n");
    for (int i = 0; i < table->rows; i++) {
        for (int j = 0; j < table->cols; j++) {
            const int owner = table->owner[(int64_t)i * table->cols + j];
            if (owner < 0)
                printf(" %*s", width, "*");
            else
                printf(" %*d", width, owner);
        }
        printf("\n");
    }
}

static scalay_status print_text(const pattern_job *job)
{
    static const char *const kernels[] = {"products", "LU", "QR", "Cholesky"};
    const scalay_pattern_summary *s = &job->summary;
    printf("Pattern of %d x %d tiles for %s on %d process%s (%s).\n", job->table.rows, job->table.cols,
           kernels[job->kernel], job->parts, job->parts == 1 ? "" : "es", s->method);
    if (job->kernel == SCALAY_PATTERN_CHOLESKY)
        printf("Owners per tile row and column: %.4f; at least %.4f, and %.0f with equally many rows for each.\n", s->z,
               s->bound, s->bound_uniform);
    else
        printf("Owners per tile row %.4f, per tile column %.4f; cost %.4f, at least %.4f.\n", s->row_owners,
               s->col_owners, s->cost, s->bound);
    printf("Balance: %.4f; of trailing matrices of 8 x 8 copies: %.4f.\n", s->balance, s->trailing);
    print_table(&job->table);
    if (job->table.diagonal != NULL)
        printf("\n* The owners of these tiles change with the copy of the pattern; --json lists them.\n");
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------ JSON */

/* Rows of a table of integers. */
typedef struct {
    const int *value;
    int cols;
} int_rows;

static json_t *row_as_json(const void *context, int64_t k)
{
    const int_rows *rows = context;
    return scalay_json_integers(rows->value + k * rows->cols, rows->cols);
}

static scalay_status print_json(const pattern_job *job)
{
    static const char *const kernels[] = {"gemm", "lu", "qr", "cholesky"};
    const scalay_pattern_table *t = &job->table;
    const scalay_pattern_summary *s = &job->summary;
    const int_rows owners = {t->owner, t->cols}, copies = {t->permutation, t->parts},
                   diagonal = {t->diagonal, t->copies};
    json_t *document = json_pack(
        "{s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "kernel", kernels[job->kernel],
        "processes", t->parts, "rows", t->rows, "cols", t->cols, "owners",
        scalay_json_list(t->rows, row_as_json, &owners), "cost", scalay_json_number(s->cost), "bound",
        scalay_json_number(s->bound), "bound_uniform", scalay_json_number(s->bound_uniform), "row_owners",
        scalay_json_number(s->row_owners), "col_owners", scalay_json_number(s->col_owners), "balance",
        scalay_json_number(s->balance), "trailing_balance", scalay_json_number(s->trailing), "method", s->method);
    if (t->permutation != NULL)
        document = scalay_json_set(document, "copies", scalay_json_list(t->copies, row_as_json, &copies));
    if (t->diagonal != NULL)
        document = scalay_json_set(document, "diagonal", scalay_json_list(t->rows, row_as_json, &diagonal));
    if (job->has_size)
        document = scalay_json_join(document,
                                    json_pack("{s:I, s:I, s:I, s:I}", "m", (json_int_t)job->m, "n", (json_int_t)job->n,
                                              "mb", (json_int_t)job->tile, "nb", (json_int_t)job->tile));
    return scalay_json_print(document);
}

/* ------------------------------------------------------------------------------------------------ export */

/* Owners of tiles. `rows` and `cols` are those of the table that is printed. */
typedef struct {
    const void *context;
    int (*owner)(const void *context, int64_t i, int64_t j);
    int64_t rows, cols;
} tile_table;

/* Chameleon: rows and columns, then ranks row by row. Chameleon repeats the table. */
static void print_chameleon(const tile_table *t)
{
    printf("%lld %lld\n", (long long)t->rows, (long long)t->cols);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->cols; j++) printf("%d%c", t->owner(t->context, i, j), j + 1 < t->cols ? ' ' : '\n');
}

/* SLATE: a C++ table and a function for the constructors that take tileRank. */
static void print_slate(const tile_table *t)
{
    printf("// Owners of tiles (i, j), repeated. Pass scalay_tile_rank as tileRank of a slate::Matrix.\n");
    printf("static const int scalay_tile_owner[%lld][%lld] = {\n", (long long)t->rows, (long long)t->cols);
    for (int64_t i = 0; i < t->rows; i++) {
        printf("  {");
        for (int64_t j = 0; j < t->cols; j++) printf("%s%d", j > 0 ? ", " : "", t->owner(t->context, i, j));
        printf("}%s\n", i + 1 < t->rows ? "," : "");
    }
    printf("};\nstatic const std::function<int (slate::ij_tuple)> scalay_tile_rank = [](slate::ij_tuple ij) {\n"
           "  return scalay_tile_owner[std::get<0>(ij) %% %lld][std::get<1>(ij) %% %lld];\n};\n",
           (long long)t->rows, (long long)t->cols);
}

/* DPLASMA: ranks of all tiles, column by column, as in the elems[] of a tabular distribution. */
static void print_dplasma(const tile_table *t)
{
    printf("/* rank of tile (m, n): scalay_tile_rank[n * %lld + m] */\n", (long long)t->rows);
    printf("static const unsigned scalay_tile_rank[%lld] = {\n", (long long)(t->rows * t->cols));
    for (int64_t j = 0; j < t->cols; j++) {
        printf(" ");
        for (int64_t i = 0; i < t->rows; i++) printf(" %d,", t->owner(t->context, i, j));
        printf("\n");
    }
    printf("};\n");
}

static void print_csv(const tile_table *t)
{
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->cols; j++) printf("%d%c", t->owner(t->context, i, j), j + 1 < t->cols ? ',' : '\n');
}

static void print_tiles(const char *format, const tile_table *t)
{
    if (strcmp(format, "chameleon") == 0) print_chameleon(t);
    if (strcmp(format, "slate") == 0) print_slate(t);
    if (strcmp(format, "dplasma") == 0) print_dplasma(t);
    if (strcmp(format, "csv") == 0) print_csv(t);
}

static int owner_of_pattern(const void *pattern, int64_t i, int64_t j)
{
    return scalay_pattern_owner(pattern, i, j);
}

/* A layout, its tile extent, and the process of each part. */
typedef struct {
    const scalay_layout *layout;
    int64_t nb;
    const int *process; /* NULL: as in the layout */
} tiled_layout;

static int owner_of_layout(const void *context, int64_t i, int64_t j)
{
    const tiled_layout *tiled = context;
    const int owner = scalay_layout_owner(tiled->layout, i * tiled->nb, j * tiled->nb);
    return tiled->process != NULL ? tiled->process[scalay_layout_part_of_process(tiled->layout, owner)] : owner;
}

int64_t scalay_input_tile(const scalay_owner_map *map)
{
    int64_t tile = 0;
    for (int axis = 0; axis < 2; axis++) {
        const scalay_map_axis *lines = axis ? &map->col : &map->row;
        for (int64_t r = 0; r + 1 < lines->runs; r++) tile = scalay_gcd(tile, lines->end[r]);
    }
    return tile > 0 ? tile : scalay_max_int64(1, scalay_max_int64(map->row.extent, map->col.extent));
}

scalay_status scalay_export_layout(const char *format, const scalay_layout *layout, int64_t nb, const int *process)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL;
    const int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    SCALAY_TRY(scalay_layout_owner_map(layout, &map));
    const int64_t exact = scalay_input_tile(map);
    if (nb == 0) nb = exact;
    if (exact % nb != 0 && nb < scalay_max_int64(m, n))
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                             "--tile is %lld, but owners change within such tiles; it must divide %lld", (long long)nb,
                             (long long)exact);
    if (status != SCALAY_SUCCESS) goto cleanup;
    const tiled_layout tiled = {layout, nb, process};
    const tile_table t = {&tiled, owner_of_layout, m / nb + (m % nb != 0), n / nb + (n % nb != 0)};
    print_tiles(format, &t);
cleanup:
    scalay_owner_map_destroy(&map);
    return status;
}

/* A pattern file cannot state the owners of the diagonal; these are listed for one period. */
static void print_pattern_file(const pattern_job *job)
{
    const int64_t rows = (int64_t)job->table.rows * job->table.copies,
                  cols = (int64_t)job->table.cols * job->table.copies;
    printf("%lld %lld %lld %lld %d %lld %lld\n", (long long)job->m, (long long)job->n, (long long)job->tile,
           (long long)job->tile, job->parts, (long long)rows, (long long)cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            printf("%d%c", scalay_pattern_owner(job->pattern, i, j), j + 1 < cols ? ' ' : '\n');
}

static void export_pattern(const char *format, const pattern_job *job)
{
    const int whole = strcmp(format, "dplasma") == 0 || strcmp(format, "csv") == 0;
    const int64_t rows = (int64_t)job->table.rows * job->table.copies,
                  cols = (int64_t)job->table.cols * job->table.copies;
    tile_table t = {job->pattern, owner_of_pattern, rows, cols};
    if (whole && job->has_size) {
        t.rows = job->m / job->tile + (job->m % job->tile != 0);
        t.cols = job->n / job->tile + (job->n % job->tile != 0);
    }
    if (strcmp(format, "text") == 0)
        print_pattern_file(job);
    else
        print_tiles(format, &t);
}

/* ------------------------------------------------------------------------------------------------ run */

static scalay_status draw(const char *path, const pattern_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_layout *layout = NULL;
    char title[128];
    scalay_progress_say("drawing %s", path);
    (void)snprintf(title, sizeof title, "%d processes, %s, cost %.3f", job->parts, job->summary.method,
                   job->summary.cost);
    SCALAY_TRY(scalay_layout_from_pattern(job->pattern, job->m, job->n, job->tile, job->tile, &layout));
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(scalay_plot_add_layout(plot, title, layout));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_layout_destroy(&layout);
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_pattern(const void *given, scalay_comm *comm)
{
    const pattern_options *options = given;
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    pattern_job job = {0};
    SCALAY_TRY(create_job(options, &job));
    if (options->common.plot != NULL) SCALAY_TRY(draw(options->common.plot, &job));
    scalay_progress_stop();
    if (options->export_format != NULL)
        export_pattern(options->export_format, &job);
    else if (options->common.json)
        status = print_json(&job);
    else if (!options->common.quiet)
        status = print_text(&job);
cleanup:
    scalay_pattern_destroy(&job.pattern);
    scalay_release(job.speed);
    return status;
}

const scalay_subcommand scalay_subcommand_pattern = {
    .name = "pattern",
    .summary = "find a repeated pattern of owners for any number of processes",
    .usage = {"--processes P [OPTIONS]", "--speeds S,.. [OPTIONS]"},
    .description =
        "Finds a table of owners that is repeated over the matrix. It sends fewer tiles than the nearest process grid. "
        "Patterns for Cholesky are symmetric. The output of --json is a LAYOUT: pattern:FILE.\n"
        "\n"
        "--export prints the table of owners for other libraries:\n"
        "  chameleon  rank file of a custom distribution; Chameleon repeats the table\n"
        "  slate      table and function tileRank in C++\n"
        "  dplasma    ranks of a tabular distribution by columns (with --size: all tiles)\n"
        "  csv        one line per tile row (with --size: all tiles)\n"
        "  text       pattern file\n",
    .example = "  scalay pattern --processes 23 --kernel cholesky --json >p.json\n"
               "  scalay show pattern:m=4096,mb=64,p.json --plot p.svg\n",
    .table = option_table,
    .options_size = sizeof(pattern_options),
    .run = run_pattern,
};
