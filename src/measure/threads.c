/* For gettid and tgkill. */
#define _GNU_SOURCE
#include "measure/threads.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

scalay_status scalay_find_threads(scalay_thread_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t mine = syscall(SYS_gettid);
    DIR *tasks = opendir("/proc/self/task");
    *list = (scalay_thread_list){0};
    if (tasks == NULL) return SCALAY_SUCCESS;
    for (const struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
        const int64_t number = strtoll(entry->d_name, NULL, 10);
        if (number <= 0 || number == mine) continue;
        SCALAY_TRY(SCALAY_GROW(list->number, list->room, list->count + 1));
        list->number[list->count++] = number;
    }
cleanup:
    (void)closedir(tasks);
    return status;
}

int scalay_thread_is_there(int64_t number)
{
    return syscall(SYS_tgkill, (long)getpid(), (long)number, 0L) == 0;
}
