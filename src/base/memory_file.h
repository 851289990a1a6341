#ifndef SCALAY_BASE_MEMORY_FILE_H
#define SCALAY_BASE_MEMORY_FILE_H

/**
 * @file
 * Files in memory that several processes map, mostly in huge pages, for machines on which pages of 4 KiB are slow.
 *
 * Where the host of a virtual machine follows each entry of the page tables, the first access of a process to a page
 * takes 5 to 15 us, also if the page exists and belongs to another process. A huge page is one entry. Linux gives
 * shared memory huge pages on demand only if the administrator allows it, but collapses it in any case
 * (MADV_COLLAPSE, since version 6.1).
 */

#include <stdint.h>

#include "base/memory.h"

/** A file, as another process of this machine finds it. */
typedef struct {
    int64_t process, number; /* the process that has it open, and its descriptor there; number -1: there is no file */
    int64_t device, inode;
} scalay_memory_file;

/** Creates an empty file if pages of 4 KiB are slow and the system knows huge pages of files. Local. Without one,
 * number is -1. */
SCALAY_API scalay_memory_file scalay_memory_file_create(void);

/** Closes the file of this process. What is mapped remains. */
SCALAY_API void scalay_memory_file_close(scalay_memory_file *file);

/**
 * Gives a file its length, and maps it. All processes pass the same length. Local.
 * @param[in] bytes  a multiple of SCALAY_HUGE_PAGE
 * @return the beginning, aligned to SCALAY_HUGE_PAGE, of zeros; NULL: this process cannot open or map it
 */
SCALAY_API char *scalay_memory_file_map(const scalay_memory_file *file, int64_t bytes);

/** Gives a part of a mapped file its huge pages, whose first bytes become zero. If the system has none, it gets small
 * ones. @param[in] bytes  a multiple of SCALAY_HUGE_PAGE, as the distance of start from the beginning */
SCALAY_API void scalay_memory_file_fill(char *start, int64_t bytes);

/** Releases what is mapped. NULL is allowed. */
SCALAY_API void scalay_memory_file_unmap(char *start, int64_t bytes);

#endif
