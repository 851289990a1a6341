/* Release of pages that are no longer needed, by madvise() (Linux).

   MADV_DONTNEED on private anonymous memory frees the page; the next access finds zeros. MADV_REMOVE frees a page of a
   shared segment in all processes; it is used on arrays of scalay_alloc(), whose segments belong to the library. Other
   memory keeps its pages: files, shared memory of others, huge pages, devices, and memory that cannot be written. The
   kind of memory is read from /proc/self/maps, without allocations. Locked memory refuses the advice. */
#define _DEFAULT_SOURCE /* madvise */
#include "redist/release.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "parallel/shared_memory.h"

#if defined(__linux__)
static const int private_advice = MADV_DONTNEED, shared_advice = MADV_REMOVE;
#else
static const int private_advice = -1, shared_advice = -1;
#endif

scalay_status scalay_release_create(int64_t bytes, scalay_release_list *list)
{
    *list = (scalay_release_list){.page = (int64_t)sysconf(_SC_PAGESIZE)};
    list->capacity = bytes / list->page + 1;
    return SCALAY_NEW(list->left, list->capacity);
}

void scalay_release_free(scalay_release_list *list)
{
    scalay_release(list->left);
    *list = (scalay_release_list){0};
}

/* ------------------------------------------------------------------------------------------------ mappings */

/* A line of /proc/self/maps. */
typedef struct {
    uintptr_t start, end;
    char permissions[5];
    unsigned long inode;
    char name[16]; /* truncated */
} mapping;

/* Reads the next line of a file. Returns 0 at the end. The rest of a long line is skipped. */
typedef struct {
    int file;
    char bytes[4096];
    size_t length, at;
} line_reader;

static int next_byte(line_reader *reader, char *byte)
{
    if (reader->at == reader->length) {
        const ssize_t length = read(reader->file, reader->bytes, sizeof reader->bytes);
        if (length <= 0) return 0;
        reader->length = (size_t)length;
        reader->at = 0;
    }
    *byte = reader->bytes[reader->at++];
    return 1;
}

static int next_line(line_reader *reader, char *line, size_t size)
{
    size_t length = 0;
    char byte = '\0';
    int found = 0;
    while (next_byte(reader, &byte) && byte != '\n') {
        found = 1;
        if (length + 1 < size) line[length++] = byte;
    }
    line[length] = '\0';
    return found || byte == '\n';
}

static int next_mapping(line_reader *reader, mapping *at)
{
    char line[160];
    unsigned long start = 0, end = 0;
    if (!next_line(reader, line, sizeof line)) return 0;
    *at = (mapping){0};
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %15s", &start, &end, at->permissions, &at->inode, at->name) < 4) return 0;
    at->start = start;
    at->end = end;
    return 1;
}

/* Returns why the pages of a mapping cannot be released; NULL: they can. */
static const char *obstacle_of(const mapping *at)
{
    const int is_anonymous = at->name[0] == '\0' || strcmp(at->name, "[heap]") == 0 ||
                             strcmp(at->name, "[stack]") == 0 || strncmp(at->name, "[anon:", 6) == 0;
    if (at->permissions[3] != 'p') return "the array is in shared memory";
    if (at->inode != 0 || !is_anonymous) return "the array is mapped from a file, from a device or in huge pages";
    return at->permissions[1] == 'w' ? NULL : "the array is in read-only memory";
}

/* Looks at all mappings that an array touches; they must be adjacent. */
static const char *find_obstacle(const char *array, int64_t bytes)
{
    const uintptr_t start = (uintptr_t)array, end = start + (uintptr_t)bytes;
    uintptr_t covered = start;
    const char *obstacle = NULL;
    line_reader reader = {.file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    mapping at;
    if (reader.file < 0) return "/proc/self/maps cannot be read";
    while (obstacle == NULL && covered < end && next_mapping(&reader, &at)) {
        if (at.end <= covered) continue;
        if (at.start > covered) break;
        obstacle = obstacle_of(&at);
        covered = at.end;
    }
    (void)close(reader.file);
    if (obstacle == NULL && covered < end) obstacle = "/proc/self/maps does not list the array";
    return obstacle;
}

/* ------------------------------------------------------------------------------------------------- release */

void scalay_release_start(scalay_release_list *list, char *array, int64_t bytes, int times)
{
    const uintptr_t page = (uintptr_t)list->page, address = (uintptr_t)array;
    const uintptr_t first = (address + page - 1) / page * page, end = (address + (uintptr_t)bytes) / page * page;
    list->pages = list->first = list->released = 0;
    list->obstacle = NULL;
    if (array == NULL || end <= first) return;
    list->start = array + (first - address);
    list->advice = scalay_array_find(array, bytes).array != 0 ? shared_advice : private_advice;
    if (list->advice < 0)
        list->obstacle = "only Linux can release pages of an array";
    else if (list->advice == private_advice)
        list->obstacle = find_obstacle(list->start, (int64_t)(end - first));
    if (list->obstacle != NULL) return;
    list->pages = (int64_t)((end - first) / page);
    for (int64_t k = 0; k < list->pages; k++) list->left[k] = (uint32_t)(list->page * times);
}

void scalay_release_mark(scalay_release_list *list, const char *start, int64_t bytes)
{
    int64_t from = start - list->start, end = from + bytes;
    if (from < 0) from = 0;
    if (end > list->pages * list->page) end = list->pages * list->page;
    for (int64_t page = from / list->page; from < end; page++) {
        const int64_t page_end = (page + 1) * list->page, next = page_end < end ? page_end : end;
        list->left[page] -= (uint32_t)(next - from);
        from = next;
    }
}

/* Releases pages first .. end - 1. If the system refuses, nothing more is released. */
static void release_pages(scalay_release_list *list, int64_t first, int64_t end)
{
    if (madvise(list->start + first * list->page, (size_t)((end - first) * list->page), list->advice) == 0) {
        list->released += (end - first) * list->page;
        return;
    }
    list->obstacle = errno == EINVAL ? "the array is locked in memory" : "madvise() failed";
    list->pages = 0;
}

void scalay_release_marked(scalay_release_list *list)
{
    int64_t end = 0;
    for (int64_t k = list->first; k < list->pages; k = end + 1) {
        for (end = k; end < list->pages && list->left[end] == 0; end++) list->left[end] = UINT32_MAX;
        if (end > k) release_pages(list, k, end);
    }
    while (list->first < list->pages && list->left[list->first] == UINT32_MAX) list->first++;
}

void scalay_release_buffer(char *start, int64_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)start;
    const uintptr_t first = (address + page - 1) / page * page, end = (address + (uintptr_t)bytes) / page * page;
    if (private_advice >= 0 && end > first) (void)madvise(start + (first - address), end - first, private_advice);
}
