#include "profile/names.h"

#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"

static uint64_t fingerprint(const char *name)
{
    uint64_t print = scalay_fingerprint_start();
    for (; *name != '\0'; name++) print = scalay_fingerprint_add(print, *name);
    return print ^ print >> 32;
}

/* The slot of a name, or the empty one where it belongs. There always is an empty one. */
static int *find_slot(const scalay_profile_names *names, const scalay_profile_draft *draft, const char *name)
{
    int64_t k = (int64_t)(fingerprint(name) % (uint64_t)names->slots);
    while (names->slot[k] != 0 && strcmp(draft->group[names->slot[k] - 1].name, name) != 0) k = (k + 1) % names->slots;
    return &names->slot[k];
}

/* Twice the slots when half of them are full. */
static scalay_status make_room(scalay_profile_names *names, const scalay_profile_draft *draft)
{
    scalay_profile_names larger = {NULL, names->slots == 0 ? 16 : 2 * names->slots};
    if (2 * ((int64_t)draft->groups + 1) <= names->slots) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_NEW(larger.slot, larger.slots);
    if (status != SCALAY_SUCCESS) return status;
    for (int g = 0; g < draft->groups; g++) *find_slot(&larger, draft, draft->group[g].name) = g + 1;
    scalay_release(names->slot);
    *names = larger;
    return SCALAY_SUCCESS;
}

scalay_status scalay_profile_find_name(scalay_profile_names *names, scalay_profile_draft *draft, const char *name,
                                       int *group)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(make_room(names, draft));
    int *slot = find_slot(names, draft, name);
    if (*slot == 0) {
        SCALAY_TRY(scalay_draft_add_group(draft, name, 0));
        *slot = draft->groups;
    }
    *group = *slot - 1;
cleanup:
    return status;
}
