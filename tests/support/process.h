#ifndef SCALAY_TESTS_PROCESS_H
#define SCALAY_TESTS_PROCESS_H

/** @file What a process holds of the system: what a leak would add to. */

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/** Files, sockets and the like that the process has open; 0 where the system does not tell. */
static inline int64_t descriptors_open(void)
{
    int64_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) return 0;
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

/** Resident bytes; 0 where the system does not tell, and under a sanitizer, which keeps what was freed. */
static inline int64_t resident_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#endif
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

#endif
