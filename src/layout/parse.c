#include "layout/parse.h"

#include <limits.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"

static const char function[] = "scalay_layout_parse";

enum { SHOWN = 48 }; /* how much of a text a message repeats */

/* ------------------------------------------------------------------------------------------- key=value */

typedef enum { NUMBER, COUNT, ORDER } key_type; /* COUNT: fits an int */

typedef struct {
    const char *name;
    key_type type;
    int required;
    int64_t least;
    int64_t value; /* the default until it is found */
    int found;
} key_entry;

enum { KEYS_MOST = 12 };

/* The keys of one kind of layout; the last one has no name. */
typedef struct {
    key_entry entry[KEYS_MOST];
} key_list;

static key_entry *find_key(key_list *keys, const char *name, size_t length)
{
    for (key_entry *entry = keys->entry; entry->name != NULL; entry++)
        if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0) return entry;
    return NULL;
}

static int64_t key_value(const key_list *keys, const char *name)
{
    key_list copy = *keys;
    return find_key(&copy, name, strlen(name))->value;
}

static scalay_status read_order(key_entry *entry, const char *text, size_t length)
{
    char shown[SHOWN];
    if (length == 3 && memcmp(text, "row", 3) == 0)
        entry->value = SCALAY_ROW_MAJOR;
    else if (length == 3 && memcmp(text, "col", 3) == 0)
        entry->value = SCALAY_COLUMN_MAJOR;
    else
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%s=%s: write order=row or order=col", entry->name,
                           scalay_printable(text, (int64_t)length, shown, sizeof shown));
    return SCALAY_SUCCESS;
}

static scalay_status read_value(key_entry *entry, const char *text, size_t length)
{
    char shown[SHOWN];
    if (entry->type == ORDER) return read_order(entry, text, length);
    scalay_number_verdict number = scalay_text_to_int64(text, length, &entry->value);
    if (number == SCALAY_NUMBER_INVALID)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%s=%s is not a whole number; write digits only", entry->name,
                           scalay_printable(text, (int64_t)length, shown, sizeof shown));
    if (number == SCALAY_NUMBER_TOO_LARGE || (entry->type == COUNT && entry->value > INT_MAX))
        return scalay_fail(SCALAY_ERROR_RANGE, function, "%s=%s is larger than %lld; write a smaller number",
                           entry->name, scalay_printable(text, (int64_t)length, shown, sizeof shown),
                           entry->type == COUNT ? (long long)INT_MAX : (long long)INT64_MAX);
    if (entry->value < entry->least)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s=%lld is less than %lld; write a larger number",
                           entry->name, (long long)entry->value, (long long)entry->least);
    return SCALAY_SUCCESS;
}

/* One key=value. */
static scalay_status read_pair(const char *text, size_t length, key_list *keys)
{
    char shown[SHOWN];
    const char *equals = memchr(text, '=', length);
    if (equals == NULL)
        return scalay_fail(SCALAY_ERROR_FORMAT, function,
                           "\"%s\" is not of the form key=value; write for instance m=100",
                           scalay_printable(text, (int64_t)length, shown, sizeof shown));
    size_t name_length = (size_t)(equals - text);
    key_entry *entry = find_key(keys, text, name_length);
    if (entry == NULL)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "key \"%s\" is not known here; see scalay show --help",
                           scalay_printable(text, (int64_t)name_length, shown, sizeof shown));
    if (entry->found++)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "key %s appears twice; write it once", entry->name);
    return read_value(entry, equals + 1, length - name_length - 1);
}

static scalay_status read_pairs(const char *text, key_list *keys)
{
    scalay_status status = SCALAY_SUCCESS;
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        SCALAY_TRY(read_pair(at, length, keys));
        if (at[length] == '\0') break;
        at += length + 1;
    }
    for (const key_entry *entry = keys->entry; entry->name != NULL; entry++)
        if (entry->required && !entry->found)
            return scalay_fail(SCALAY_ERROR_FORMAT, function, "key %s is missing; add %s=...", entry->name,
                               entry->name);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ kinds */

/* Tables per process are made for these kinds: refuse what is certainly a mistake. */
static scalay_status check_processes(int64_t processes)
{
    if (processes <= SCALAY_PARSE_PROCESSES) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function,
                       "%lld processes are more than the %d that are possible here; write fewer", (long long)processes,
                       SCALAY_PARSE_PROCESSES);
}

/* The extent of the dimension in which a window of `extent` starts at the 1-based index `first`. */
static scalay_status whole_extent(const char *name, int64_t extent, int64_t first, int64_t *whole)
{
    if (scalay_add_int64(extent, first - 1, whole)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function, "%s=%lld: the matrix would not end within 2^63 - 1; write less",
                       name, (long long)first);
}

static scalay_status parse_cyclic(const char *text, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 1, 0, 0, 0},
                      {"n", NUMBER, 1, 0, 0, 0},
                      {"mb", NUMBER, 1, 1, 0, 0},
                      {"nb", NUMBER, 1, 1, 0, 0},
                      {"p", COUNT, 1, 1, 0, 0},
                      {"q", COUNT, 1, 1, 0, 0},
                      {"rsrc", COUNT, 0, 0, 0, 0},
                      {"csrc", COUNT, 0, 0, 0, 0},
                      {"ia", NUMBER, 0, 1, 1, 0},
                      {"ja", NUMBER, 0, 1, 1, 0},
                      {"order", ORDER, 0, 0, SCALAY_ROW_MAJOR, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *whole = NULL;
    int64_t rows, cols;
    SCALAY_TRY(read_pairs(text, &keys));
    int64_t m = key_value(&keys, "m"), n = key_value(&keys, "n");
    int64_t ia = key_value(&keys, "ia"), ja = key_value(&keys, "ja");
    SCALAY_TRY(whole_extent("ia", m, ia, &rows));
    SCALAY_TRY(whole_extent("ja", n, ja, &cols));
    SCALAY_TRY(scalay_layout_block_cyclic(rows, cols, key_value(&keys, "mb"), key_value(&keys, "nb"),
                                          (int)key_value(&keys, "p"), (int)key_value(&keys, "q"),
                                          (int)key_value(&keys, "rsrc"), (int)key_value(&keys, "csrc"),
                                          (scalay_order)key_value(&keys, "order"), &whole));
    if (ia > 1 || ja > 1) {
        SCALAY_TRY(scalay_layout_submatrix(whole, ia - 1, ja - 1, m, n, layout));
    } else {
        *layout = whole;
        whole = NULL;
    }
cleanup:
    scalay_layout_destroy(&whole);
    return status;
}

static scalay_status parse_skewed(const char *text, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 1, 0, 0, 0},
                      {"n", NUMBER, 1, 0, 0, 0},
                      {"mb", NUMBER, 1, 1, 0, 0},
                      {"nb", NUMBER, 1, 1, 0, 0},
                      {"p", COUNT, 1, 1, 0, 0},
                      {"q", COUNT, 1, 1, 0, 0},
                      {"seed", NUMBER, 0, 0, 1, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(read_pairs(text, &keys));
    SCALAY_TRY(check_processes(key_value(&keys, "p") * key_value(&keys, "q")));
    SCALAY_TRY(scalay_layout_skewed(key_value(&keys, "m"), key_value(&keys, "n"), key_value(&keys, "mb"),
                                    key_value(&keys, "nb"), (int)key_value(&keys, "p"), (int)key_value(&keys, "q"),
                                    (uint64_t)key_value(&keys, "seed"), layout));
cleanup:
    return status;
}

static scalay_status parse_chunks(const char *text, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 1, 0, 0, 0},
                      {"n", NUMBER, 1, 0, 0, 0},
                      {"mb", NUMBER, 1, 1, 0, 0},
                      {"nb", NUMBER, 1, 1, 0, 0},
                      {"p", COUNT, 1, 1, 0, 0},
                      {"seed", NUMBER, 0, 0, 1, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(read_pairs(text, &keys));
    SCALAY_TRY(check_processes(key_value(&keys, "p")));
    SCALAY_TRY(scalay_layout_chunks(key_value(&keys, "m"), key_value(&keys, "n"), key_value(&keys, "mb"),
                                    key_value(&keys, "nb"), (int)key_value(&keys, "p"),
                                    (uint64_t)key_value(&keys, "seed"), layout));
cleanup:
    return status;
}

static const struct {
    const char *prefix;
    scalay_status (*parse)(const char *text, scalay_layout **layout);
} kinds[] = {
    {"cyclic:", parse_cyclic},
    {"tiles:", scalay_tile_file_read},
    {"skewed:", parse_skewed},
    {"chunks:", parse_chunks},
};

scalay_status scalay_layout_parse(const char *text, scalay_layout **layout)
{
    char shown[SHOWN];
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass an address");
    *layout = NULL;
    if (text == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "text is NULL; pass for instance \"cyclic:m=...\"");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t length = strlen(kinds[k].prefix);
        if (strncmp(text, kinds[k].prefix, length) == 0) return kinds[k].parse(text + length, layout);
    }
    return SCALAY_FAIL(
        SCALAY_ERROR_FORMAT,
        "\"%s\" is not a layout; write cyclic:..., tiles:FILE, skewed:... or chunks:... (see scalay show "
        "--help)",
        scalay_printable(text, (int64_t)strlen(text), shown, sizeof shown));
}
