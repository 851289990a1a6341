/* cli_check WHAT ARGUMENTS...: judges what the command line printed; see the table at the end. */

#include "cli_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void refuse(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", file, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    exit(1);
}

void *room_for(int64_t count, size_t size)
{
    void *room = calloc((size_t)count + 1, size);
    if (room == NULL) REFUSE("no memory for %lld elements", (long long)count);
    return room;
}

json_t *load_json(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) REFUSE("%s, line %d: %s", path, error.line, error.text);
    REQUIRE(json_is_object(document));
    return document;
}

int64_t integer_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) REFUSE("no integer \"%s\"", key);
    return json_integer_value(value);
}

double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) REFUSE("no number \"%s\"", key);
    return json_number_value(value);
}

const char *text_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value)) REFUSE("no text \"%s\"", key);
    return json_string_value(value);
}

const json_t *array_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_array(value)) REFUSE("no array \"%s\"", key);
    return value;
}

int *mapping_at(const json_t *object, int parts, int processes)
{
    const json_t *list = array_at(object, "mapping");
    int *mapping = room_for(parts, sizeof *mapping);
    char *taken = room_for(processes, 1);
    if ((int)json_array_size(list) != parts) REFUSE("%zu parts are mapped, not %d", json_array_size(list), parts);
    for (int part = 0; part < parts; part++) {
        int64_t process = json_integer_value(json_array_get(list, (size_t)part));
        if (process < 0 || process >= processes) REFUSE("part %d goes to process %lld", part, (long long)process);
        if (taken[process]) REFUSE("process %lld takes two parts", (long long)process);
        taken[process] = 1;
        mapping[part] = (int)process;
    }
    free(taken);
    return mapping;
}

static const struct {
    const char *name;
    int arguments; /* at least */
    int (*run)(int argc, char **argv);
} checks[] = {
    {"show", 2, check_show},           /* LAYOUT JSON */
    {"map", 4, check_map},             /* FROM TO OBJECTIVE JSON */
    {"map-front", 3, check_map_front}, /* FROM TO JSON */
    {"traffic", 3, check_traffic},     /* CSV OBJECTIVE JSON [LINK-COSTS] */
    {"workload", 4, check_workload},   /* CSV OBJECTIVE SIZE JSON [comm C] [variant V] [power W] [by NAME] [share S] */
    {"partition", 1, check_partition}, /* JSON [volume|time|energy|map] */
    {"job", 4, check_job},             /* qr|redistribute PROCESSES SOURCE JSON [TARGET]; SOURCE "-": as JSON says */
    {"memory", 2, check_memory},       /* BYTES JSON: no strategy of redistribute needs more */
    {"turned", 2, check_turned},       /* A.mtx B.mtx: B is A transposed */
    {"same", 2, check_same},           /* A.mtx B.mtx: the same numbers */
    {"product", 3, check_product},     /* A.mtx B.mtx C.mtx: C = A B */
    {"lu", 2, check_lu},               /* A.mtx LU.mtx: L U is A with its rows permuted */
    {"cholesky", 2, check_cholesky},   /* A.mtx L.mtx: L L' = A, or U'U */
    {"gram", 2, check_gram},           /* A.mtx R.mtx: R is upper triangular, R'R = A'A */
};

int main(int argc, char **argv)
{
    for (size_t k = 0; argc > 1 && k < sizeof checks / sizeof checks[0]; k++)
        if (strcmp(checks[k].name, argv[1]) == 0 && argc - 2 >= checks[k].arguments)
            return checks[k].run(argc - 2, argv + 2);
    fprintf(stderr, "cli_check: no such check, or arguments are missing\n");
    return 2;
}
