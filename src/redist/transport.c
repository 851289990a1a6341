#include "redist/transport.h"

#include <string.h>

#include "base/text.h"

/* In the order in which "auto" prefers them. */
static const scalay_transport *const transports[] = {&scalay_transport_shared, &scalay_transport_mpi,
                                                     &scalay_transport_blacs, &scalay_transport_alltoallv,
                                                     &scalay_transport_reference};

enum { TRANSPORTS = sizeof transports / sizeof *transports };

static scalay_status find_applicable(const scalay_plan *plan, const scalay_transport **transport, const char **reason)
{
    for (int k = 0; k < TRANSPORTS; k++) {
        if (!transports[k]->applicable(plan, reason)) continue;
        if (transports[k]->helps != NULL && !transports[k]->helps(plan)) continue;
        *transport = transports[k];
        return SCALAY_SUCCESS;
    }
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_plan_create", "no transport can carry out this plan");
}

static scalay_status refuse_name(const char *name)
{
    char names[200];
    scalay_text text = {names, sizeof names, 0};
    for (int k = 0; k < TRANSPORTS; k++) scalay_text_append(&text, " or \"%s\"", transports[k]->name);
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_plan_create",
                       "options->transport = \"%s\" is none; pass \"auto\"%s", name, names);
}

scalay_status scalay_transport_find(const scalay_plan *plan, const char *name, const scalay_transport **transport,
                                    const char **reason)
{
    *transport = NULL;
    if (name == NULL || strcmp(name, "auto") == 0) return find_applicable(plan, transport, reason);
    for (int k = 0; k < TRANSPORTS; k++) {
        if (strcmp(transports[k]->name, name) != 0) continue;
        if (!transports[k]->applicable(plan, reason))
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_plan_create",
                               "options->transport = \"%s\" cannot carry out this plan: %s; pass \"auto\"", name,
                               *reason);
        *transport = transports[k];
        *reason = "as asked for";
        return SCALAY_SUCCESS;
    }
    return refuse_name(name);
}
