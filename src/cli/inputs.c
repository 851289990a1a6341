#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "document.h"
#include "failure.h"
#include "options.h"

/* 1 when one of the keys after the colon is `key`, such as "m=". */
static int has_key(const char *text, const char *key)
{
    const char *place = strchr(text, ':');
    while (place != NULL) {
        place++;
        if (strncmp(place, key, strlen(key)) == 0) return 1;
        place = strchr(place, ',');
    }
    return 0;
}

scalay_status scalay_input_complete(const char *text, int64_t m, int64_t n, char **whole)
{
    char rows[32] = "";
    char cols[32] = "";
    int64_t room = (int64_t)strlen(text) + 64;
    scalay_status status = SCALAY_NEW(*whole, room);
    if (status != SCALAY_SUCCESS) return status;
    int keyed = strchr(text, ':') != NULL && strncmp(text, "tiles:", 6) != 0 && strncmp(text, "partition:", 10) != 0;
    if (keyed && m >= 0 && !has_key(text, "m=")) (void)snprintf(rows, sizeof rows, ",m=%lld", (long long)m);
    if (keyed && n >= 0 && !has_key(text, "n=")) (void)snprintf(cols, sizeof cols, ",n=%lld", (long long)n);
    (void)snprintf(*whole, (size_t)room, "%s%s%s", text, rows, cols);
    return SCALAY_SUCCESS;
}

/* The layout of a partition:FILE.json. */
static scalay_status read_partition(const char *path, scalay_layout **layout)
{
    scalay_owner_map *map = NULL;
    scalay_status status = scalay_document_read_partition(path, &map);
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
        SCALAY_TRY(read_partition(text + 10, layout));
        goto cleanup;
    }
    SCALAY_TRY(scalay_input_complete(text, m, n, &whole));
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
    for (scalay_type type = SCALAY_FLOAT; name != NULL && type <= SCALAY_COMPLEX_DOUBLE; type++)
        if (strcmp(scalay_type_name(type), name) == 0) return type;
    return SCALAY_DOUBLE;
}

/* ------------------------------------------------------------------------------------------ communication */

enum { ALPHA, BETA, BLOCK, HOCKNEY_KEYS };

/* Reads "alpha=..,beta=..,block=..", in any order, each once. */
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
                "%s has '%.*s': give hockney:alpha=..,beta=..,block=.., each once, with a number that is "
                "not negative",
                option, (int)strcspn(at, ","), at);
        at = *end == ',' ? end + 1 : NULL;
    }
    for (int key = 0; key < HOCKNEY_KEYS; key++)
        if (!given[key])
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s has no %s..; give hockney:alpha=..,beta=..,block=..", option,
                               keys[key]);
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
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s has block=%g: give a positive integer", option, values[BLOCK]);
    status = scalay_communication_hockney(values[ALPHA], values[BETA], (int64_t)values[BLOCK], communication);
cleanup:
    return status;
}
