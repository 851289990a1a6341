/* process_vm_readv that fails from the call on that NO_READING_FROM names, with EPERM, or with EFAULT if
   NO_READING_ERROR says so. Loaded by LD_PRELOAD. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t process_vm_readv(pid_t pid, const struct iovec *own,
                                                                unsigned long own_count, const struct iovec *remote,
                                                                unsigned long count, unsigned long flags)
{
    static long calls;
    const char *text = getenv("NO_READING_FROM"), *error = getenv("NO_READING_ERROR");
    if (text != NULL && ++calls >= atol(text)) {
        errno = error != NULL && strcmp(error, "EFAULT") == 0 ? EFAULT : EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_readv, pid, own, own_count, remote, count, flags);
}
