#include "nodes.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "csv.h"

/* The most processes that a list may name. */
enum { MOST_PROCESSES = 1 << 24 };

/* A word of the list, which so many processes in a row are on. */
typedef struct {
    const char *name;
    int length;
    int processes;
    int number; /* of the node */
    int first;  /* the word that named the node first */
} word;

typedef struct {
    const char *source; /* for messages */
    int64_t capacity;
    int count;
    int processes;
    word *words;
} word_list;

static int is_separator(char c)
{
    return c == ',' || isspace((unsigned char)c);
}

/* Steps over separators and comments. */
static const char *skip(const char *at)
{
    while (is_separator(*at) || *at == '#') at += *at == '#' ? strcspn(at, "\n") : 1;
    return at;
}

static scalay_status take_word(const char *at, int length, word_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *star = memchr(at, '*', (size_t)length);
    long times = 1;
    char *end = NULL;
    if (star != NULL) times = isdigit((unsigned char)star[1]) ? strtol(star + 1, &end, 10) : 0;
    if (times < 1 || times > MOST_PROCESSES - list->processes || (star != NULL && end != at + length) || star == at)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "%s: '%.*s' is no node; give a number or a name for each process, or NODE*COUNT for COUNT "
                           "of them in a row, at most %d in all",
                           list->source, length, at, MOST_PROCESSES);
    SCALAY_TRY(SCALAY_GROW(list->words, list->capacity, (int64_t)list->count + 1));
    const int named = star != NULL ? (int)(star - at) : length;
    list->words[list->count] = (word){.name = at, .length = named, .processes = (int)times, .first = list->count};
    list->count++;
    list->processes += (int)times;
cleanup:
    return status;
}

static scalay_status list_words(const char *text, word_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    for (const char *at = skip(text); *at != '\0'; at = skip(at)) {
        const char *end = at;
        while (*end != '\0' && !is_separator(*end)) end++;
        SCALAY_TRY(take_word(at, (int)(end - at), list));
        at = end;
    }
    if (list->count == 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s names no node; give one for each process", list->source);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- numbers, names */

/* -1: it is none. */
static int number_of(const word *given)
{
    int64_t number = 0;
    for (int k = 0; k < given->length; k++) {
        if (!isdigit((unsigned char)given->name[k])) return -1;
        number = 10 * number + (given->name[k] - '0');
        if (number >= MOST_PROCESSES) return -1;
    }
    return (int)number;
}

static int compare_names(const void *one, const void *other)
{
    const word *a = one, *b = other;
    const int shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->name, b->name, (size_t)shorter);
    if (order != 0) return order;
    return (a->length > b->length) - (a->length < b->length);
}

static int compare_words(const void *one, const void *other)
{
    const word *a = one, *b = other;
    const int order = compare_names(a, b);
    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

/* Names are numbered in the order in which they occur first. */
static scalay_status number_names(word_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    word *sorted = NULL;
    int names = 0;
    SCALAY_TRY(SCALAY_NEW(sorted, list->count));
    memcpy(sorted, list->words, sizeof *sorted * (size_t)list->count);
    qsort(sorted, (size_t)list->count, sizeof *sorted, compare_words);
    for (int k = 0, first = 0; k < list->count; k++) {
        if (compare_names(&sorted[k], &sorted[first]) != 0) first = k;
        list->words[sorted[k].first].first = sorted[first].first;
    }
    for (int k = 0; k < list->count; k++) {
        word *at = &list->words[k];
        at->number = at->first == k ? names++ : list->words[at->first].number;
    }
cleanup:
    scalay_release(sorted);
    return status;
}

static scalay_status number_nodes(word_list *list)
{
    int all = 1;
    for (int k = 0; k < list->count; k++) {
        list->words[k].number = number_of(&list->words[k]);
        all = all && list->words[k].number >= 0;
    }
    return all ? SCALAY_SUCCESS : number_names(list);
}

static scalay_status place(const word_list *list, scalay_process_nodes *nodes)
{
    scalay_status status = SCALAY_SUCCESS;
    int filled = 0;
    SCALAY_TRY(SCALAY_NEW(nodes->node, list->processes));
    for (int k = 0; k < list->count; k++) {
        const word *at = &list->words[k];
        for (int p = 0; p < at->processes; p++) nodes->node[filled++] = at->number;
        if (at->number >= nodes->nodes) nodes->nodes = at->number + 1;
    }
    nodes->processes = filled;
cleanup:
    return status;
}

scalay_status scalay_read_nodes(const char *option, const char *text, scalay_process_nodes *nodes)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_list = strchr(text, ',') != NULL;
    char *content = NULL;
    word_list list = {.source = is_list ? option : text};
    *nodes = (scalay_process_nodes){0};
    if (!is_list) SCALAY_TRY(scalay_csv_read_file(text, &content));
    SCALAY_TRY(list_words(is_list ? text : content, &list));
    SCALAY_TRY(number_nodes(&list));
    SCALAY_TRY(place(&list, nodes));
cleanup:
    scalay_release(list.words);
    scalay_release(content);
    return status;
}
