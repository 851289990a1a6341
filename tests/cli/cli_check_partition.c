/* What scalay partition printed, counted again element by element. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"

/* The map that the rectangles paint: each element exactly once. */
static owner_map painted(const json_t *document)
{
    owner_map map = {.m = integer_at(document, "m"), .n = integer_at(document, "n")};
    const json_t *rectangle = NULL;
    size_t index = 0;
    map.processes = (int)json_array_size(array_at(document, "areas"));
    map.owner = room_for(map.m * map.n, sizeof *map.owner);
    for (int64_t k = 0; k < map.m * map.n; k++) map.owner[k] = -1;
    json_array_foreach(array_at(document, "rectangles"), index, rectangle)
    {
        int64_t row = integer_at(rectangle, "row"), col = integer_at(rectangle, "col");
        int64_t rows = integer_at(rectangle, "rows"), cols = integer_at(rectangle, "cols");
        REQUIRE(row >= 0 && col >= 0 && rows >= 1 && cols >= 1 && row + rows <= map.m && col + cols <= map.n);
        for (int64_t i = row; i < row + rows; i++)
            for (int64_t j = col; j < col + cols; j++) {
                if (map.owner[i * map.n + j] != -1) REFUSE("element (%lld, %lld) twice", (long long)i, (long long)j);
                map.owner[i * map.n + j] = (int)integer_at(rectangle, "part");
            }
    }
    for (int64_t k = 0; k < map.m * map.n; k++) REQUIRE(map.owner[k] >= 0 && map.owner[k] < map.processes);
    return map;
}

/* Who owns anything in each line: shape [lines][parts]; by rows or by columns. */
static char *present_in(const owner_map *map, int by_rows)
{
    char *present = room_for((by_rows ? map->m : map->n) * map->processes, 1);
    for (int64_t i = 0; i < map->m; i++)
        for (int64_t j = 0; j < map->n; j++)
            present[(by_rows ? i : j) * map->processes + map->owner[i * map->n + j]] = 1;
    return present;
}

/* Element (i, l) of A (m x n) goes to those who own anything in row i, element (l, j) of B (n x n) to those who own
 * anything in column j; row l of B is cut like row l m / n. */
static int64_t *count_moved(const owner_map *map, const char *in_row, const char *in_col)
{
    int parts = map->processes;
    int64_t *moved = room_for((int64_t)parts * parts, sizeof *moved);
    for (int64_t l = 0; l < map->n; l++)
        for (int part = 0; part < parts; part++) {
            for (int64_t i = 0; i < map->m; i++)
                moved[map->owner[i * map->n + l] * parts + part] += in_row[i * parts + part];
            for (int64_t j = 0; j < map->n; j++)
                moved[map->owner[l * map->m / map->n * map->n + j] * parts + part] += in_col[j * parts + part];
        }
    for (int part = 0; part < parts; part++) moved[part * parts + part] = 0;
    return moved;
}

static void check_half_perimeters(const owner_map *map, const json_t *document, const char *in_row, const char *in_col)
{
    int64_t projection = 0, box = 0;
    for (int part = 0; part < map->processes; part++)
        for (int axis = 0; axis < 2; axis++) {
            const char *present = axis == 0 ? in_row : in_col;
            int64_t lines = axis == 0 ? map->m : map->n, first = -1, last = -1;
            for (int64_t k = 0; k < lines; k++) {
                if (!present[k * map->processes + part]) continue;
                projection++;
                if (first < 0) first = k;
                last = k;
            }
            if (first >= 0) box += last - first + 1;
        }
    const json_t *half = json_object_get(document, "half_perimeter");
    REQUIRE(integer_at(half, "projection") == projection && integer_at(half, "box") == box);
}

static void check_loads(const owner_map *map, const json_t *document)
{
    int64_t *count = room_for(map->processes, sizeof *count);
    double worst = 0;
    for (int64_t k = 0; k < map->m * map->n; k++) count[map->owner[k]]++;
    for (int part = 0; part < map->processes; part++) {
        double area = json_number_value(json_array_get(array_at(document, "areas"), (size_t)part));
        if (area > 0) worst = fmax(worst, fabs((double)count[part] / area - 1));
    }
    if (json_object_get(document, "load_error") != NULL &&
        fabs(number_at(document, "load_error") - worst) > 1e-9 * (1 + worst))
        REFUSE("load error %g is printed, counted is %g", number_at(document, "load_error"), worst);
    free(count);
}

/* The one that was chosen has the least of the objective; nothing is below the bound. */
static void check_choice(const json_t *document, const char *objective)
{
    const char *key = strcmp(objective, "volume") == 0 ? "continuous_cost" : objective;
    const json_t *candidate = NULL;
    size_t index = 0;
    double least = INFINITY, chosen = INFINITY;
    json_array_foreach(array_at(document, "candidates"), index, candidate)
    {
        if (!json_is_true(json_object_get(candidate, "feasible"))) {
            REQUIRE(strlen(text_at(candidate, "reason")) > 0);
            continue;
        }
        REQUIRE(number_at(candidate, "continuous_cost") >= number_at(document, "lower_bound") * (1 - 1e-9));
        least = fmin(least, number_at(candidate, key));
        if (strcmp(text_at(candidate, "shape"), text_at(document, "chosen")) == 0) chosen = number_at(candidate, key);
    }
    if (!(chosen <= least * (1 + 1e-9))) REFUSE("%g is chosen, %g is there", chosen, least);
}

/* JSON [OBJECTIVE [LINK-COST]] with a diagonal of zeros; OBJECTIVE "map" for --evaluate. */
int check_partition(int argc, char **argv)
{
    json_t *document = load_json(argv[0]);
    owner_map map = painted(document);
    char *in_row = present_in(&map, 1), *in_col = present_in(&map, 0);
    int64_t *moved = count_moved(&map, in_row, in_col), volume = 0;
    for (int from = 0; from < map.processes; from++)
        for (int to = 0; to < map.processes; to++) {
            const json_t *row = json_array_get(array_at(document, "moved"), (size_t)from);
            int64_t printed = json_integer_value(json_array_get(row, (size_t)to));
            int64_t counted = moved[from * map.processes + to];
            volume += counted;
            if (printed != counted)
                REFUSE("%d sends %lld to %d, printed is %lld", from, (long long)counted, to, (long long)printed);
        }
    REQUIRE(integer_at(document, "cost") == volume);
    check_half_perimeters(&map, document, in_row, in_col);
    check_loads(&map, document);
    if (argc < 2 || strcmp(argv[1], "map") != 0) check_choice(document, argc > 1 ? argv[1] : "volume");
    free(moved);
    free(in_row);
    free(in_col);
    free(map.owner);
    json_decref(document);
    return 0;
}
