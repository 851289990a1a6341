/* Files in memory with huge pages: memfd_create, and MADV_COLLAPSE for each huge page. */

#define _GNU_SOURCE /* memfd_create */

#include "base/memory_file.h"

#include <stddef.h>
#include <stdio.h>
#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#if defined(__linux__) && defined(MFD_CLOEXEC)
#if !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

static const scalay_memory_file no_file = {.number = -1};

static scalay_memory_file create_file(void)
{
    struct stat status;
    const int descriptor = memfd_create("scalay", MFD_CLOEXEC);
    if (descriptor < 0) return no_file;
    if (fstat(descriptor, &status) != 0) {
        (void)close(descriptor);
        return no_file;
    }
    return (scalay_memory_file){.process = (int64_t)getpid(),
                                .number = descriptor,
                                .device = (int64_t)status.st_dev,
                                .inode = (int64_t)status.st_ino};
}

/* Opens a file of another process; -1: it is not there. A process of another name space may have that number. */
static int open_file(const scalay_memory_file *file)
{
    char path[64];
    struct stat status;
    (void)snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)file->process, (long long)file->number);
    if (stat(path, &status) != 0 || (int64_t)status.st_dev != file->device || (int64_t)status.st_ino != file->inode)
        return -1;
    return open(path, O_RDWR | O_CLOEXEC);
}

/* Maps a file at a multiple of the size of a huge page: addresses are reserved, and those around it given back. */
static char *map_aligned(int descriptor, size_t bytes)
{
    char *const all = mmap(NULL, bytes + SCALAY_HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    const size_t before = (SCALAY_HUGE_PAGE - (uintptr_t)all % SCALAY_HUGE_PAGE) % SCALAY_HUGE_PAGE;
    char *const start = mmap(all + before, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0);
    if (start == MAP_FAILED) {
        (void)munmap(all, bytes + SCALAY_HUGE_PAGE);
        return NULL;
    }
    if (before > 0) (void)munmap(all, before);
    (void)munmap(start + bytes, SCALAY_HUGE_PAGE - before);
    return start;
}

char *scalay_memory_file_map(const scalay_memory_file *file, int64_t bytes)
{
    const int is_own = file->process == (int64_t)getpid();
    const int descriptor = file->number < 0 ? -1 : is_own ? (int)file->number : open_file(file);
    char *start = NULL;
    if (descriptor < 0) return NULL;
    if (ftruncate(descriptor, (off_t)bytes) == 0) start = map_aligned(descriptor, (size_t)bytes);
    if (!is_own) (void)close(descriptor);
    return start;
}

/* Returns 1 if the page is huge. One small page must exist. */
static int collapse(char *page)
{
    *(volatile char *)page = 0;
    return madvise(page, SCALAY_HUGE_PAGE, MADV_COLLAPSE) == 0;
}

void scalay_memory_file_fill(char *start, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += SCALAY_HUGE_PAGE)
        if (!collapse(start + at)) scalay_memory_populate(start + at, SCALAY_HUGE_PAGE);
}

void scalay_memory_file_unmap(char *start, int64_t bytes)
{
    if (start != NULL) (void)munmap(start, (size_t)bytes);
}

void scalay_memory_file_close(scalay_memory_file *file)
{
    if (file->number >= 0) (void)close((int)file->number);
    *file = no_file;
}

/* Whether small pages are slow, and the system can give files huge ones. To create one takes up to 11 ms, so that none
 * is: advice about no memory fails only if the system does not know it. */
static int has_huge_pages(void)
{
    return scalay_memory_page_seconds() >= SCALAY_SLOW_PAGE_SECONDS && madvise(NULL, 0, MADV_COLLAPSE) == 0;
}

scalay_memory_file scalay_memory_file_create(void)
{
    return has_huge_pages() ? create_file() : no_file;
}
#else
scalay_memory_file scalay_memory_file_create(void)
{
    return (scalay_memory_file){.number = -1};
}

void scalay_memory_file_close(scalay_memory_file *file)
{
    file->number = -1;
}

char *scalay_memory_file_map(const scalay_memory_file *file, int64_t bytes)
{
    (void)file, (void)bytes;
    return NULL;
}

void scalay_memory_file_fill(char *start, int64_t bytes)
{
    (void)start, (void)bytes;
}

void scalay_memory_file_unmap(char *start, int64_t bytes)
{
    (void)start, (void)bytes;
}
#endif
