/* What stands in PAPI's place where ScaLAY was built without it. */
#include <stdio.h>

#include "base/status.h"
#include "measure/events.h"

#define REMEDY "ScaLAY was built without PAPI; install it (Debian: libpapi-dev), then configure and build ScaLAY again"

static scalay_status create(void **set)
{
    *set = NULL;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", REMEDY);
}

static int visit(const char *component, void (*each)(void *context, const scalay_event *event), void *context,
                 char *why, size_t size)
{
    (void)component;
    (void)each;
    (void)context;
    (void)snprintf(why, size, "%s", REMEDY);
    return 0;
}

const scalay_event_library scalay_papi = {.create = create, .visit = visit};
