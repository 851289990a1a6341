#ifndef SCALAY_REDIST_RELEASE_H
#define SCALAY_REDIST_RELEASE_H

/**
 * @file
 * Release of pages: memory of an array is returned to the system while the array still exists.
 *
 * A page is released if all its bytes were marked. Only pages of private anonymous memory, and of arrays of
 * scalay_alloc(), are released. The content of a released page is undefined.
 */

#include <stdint.h>

#include "base/status.h"

/** The pages of an array. Zeroed: no array. */
typedef struct {
    int64_t page;         /* bytes per page */
    int64_t capacity;     /* of `left` */
    uint32_t *left;       /* shape [capacity]: bytes of a page that are not marked yet; UINT32_MAX: released */
    char *start;          /* of the first whole page in the array */
    int64_t pages;        /* whole pages in the array; 0: nothing is released */
    int64_t first;        /* all pages before this one are released */
    int advice;           /* of madvise() */
    int64_t released;     /* bytes that were released */
    const char *obstacle; /* why nothing is released, or nothing more; static; NULL: nothing prevents the release */
} scalay_release_list;

/** Allocates the list for arrays of at most `bytes` bytes. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_release_create(int64_t bytes, scalay_release_list *list);

/** Frees the list. Zeroed is allowed. */
void scalay_release_free(scalay_release_list *list);

/**
 * Starts with an array of `bytes` bytes, of which no byte is marked. Finds out whether its pages may be released.
 * @param[in] times  a byte counts as marked after so many marks, at least 1
 */
void scalay_release_start(scalay_release_list *list, char *array, int64_t bytes, int times);

/** Marks bytes of the array, also bytes before or after it. Each byte may be marked `times` times. */
void scalay_release_mark(scalay_release_list *list, const char *start, int64_t bytes);

/** Releases the pages whose bytes are all marked. */
void scalay_release_marked(scalay_release_list *list);

/** Releases the whole pages of a part of a buffer of the library. */
void scalay_release_buffer(char *start, int64_t bytes);

#endif
