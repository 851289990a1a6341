#include "dropin/next.h"

#include <dlfcn.h>
#include <string.h>

scalay_routine *scalay_next_routine(const char *symbol)
{
    scalay_routine *next = NULL;
    void *address = dlsym(RTLD_NEXT, symbol);
    memcpy(&next, &address, sizeof next);
    return next;
}
