#include "model/advice.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

int scalay_advice_count(const scalay_advice *advice)
{
    return advice != NULL ? (int)advice->count : 0;
}

static scalay_status check_index(const scalay_advice *advice, int k, const char *function)
{
    if (advice == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "advice is NULL; make it with scalay_advice_create");
    if (k >= 0 && k < advice->count) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "candidate %d was asked for; there are 0 .. %d", k,
                       (int)advice->count - 1);
}

scalay_status scalay_advice_get_candidate(const scalay_advice *advice, int k, scalay_advice_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    if (candidate == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "candidate is NULL; pass the address of a scalay_advice_candidate");
    SCALAY_TRY(check_index(advice, k, __func__));
    *candidate = advice->entries[k].told;
    candidate->name = advice->entries[k].name;
cleanup:
    return status;
}

scalay_status scalay_advice_layout(const scalay_advice *advice, int k, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    if (layout == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass the address of a scalay_layout *");
    *layout = NULL;
    SCALAY_TRY(check_index(advice, k, __func__));
    SCALAY_TRY(scalay_layout_submatrix(advice->entries[k].layout, 0, 0, advice->m, advice->n, layout));
cleanup:
    return status;
}

static int is_owner(const scalay_advice_entry *entry)
{
    return strcmp(entry->name, "owner") == 0;
}

int scalay_advice_should_move(const scalay_advice *advice)
{
    return advice != NULL && !is_owner(&advice->entries[0]);
}

void scalay_advice_destroy(scalay_advice **advice)
{
    if (advice == NULL || *advice == NULL) return;
    for (int64_t k = 0; k < (*advice)->count; k++) scalay_layout_destroy(&(*advice)->entries[k].layout);
    scalay_release((*advice)->entries);
    scalay_release(*advice);
    *advice = NULL;
}

/* ------------------------------------------------------------------------------------------- explanation */

static void say_costs(scalay_text *s, const scalay_advice_candidate *c)
{
    scalay_text_append(s, "%.3g s (%.3g s moving %lld elements, %.3g s computing)", c->seconds, c->move_seconds,
                       (long long)c->volume, c->kernel_seconds);
}

static void say_owner(scalay_text *s, const scalay_advice *advice)
{
    const scalay_advice_entry *owner = NULL;
    for (int64_t k = 0; k < advice->count; k++)
        if (is_owner(&advice->entries[k])) owner = &advice->entries[k];
    if (owner == NULL) {
        if (advice->obstacle != NULL) scalay_text_append(s, " It cannot stay: %s.", advice->obstacle);
        return;
    }
    if (advice->obstacle != NULL) scalay_text_append(s, " There, %s: the product is SUMMA's.", advice->obstacle);
    if (owner != &advice->entries[0]) scalay_text_append(s, " Staying would take %.3g s.", owner->told.seconds);
}

/* The best of those with another grid (same_grid 0), or with another mapping to the grid chosen. */
static const scalay_advice_entry *find_other(const scalay_advice *advice, int same_grid)
{
    const scalay_advice_candidate *first = &advice->entries[0].told;
    for (int64_t k = 1; k < advice->count; k++) {
        const scalay_advice_candidate *c = &advice->entries[k].told;
        int same = first->nprow > 0 && c->nprow == first->nprow && c->npcol == first->npcol && c->nb == first->nb;
        if (same == same_grid && !is_owner(&advice->entries[k])) return &advice->entries[k];
    }
    return NULL;
}

int scalay_advice_describe(const scalay_advice *advice, char *text, size_t size)
{
    scalay_text s = {text, text != NULL ? size : 0, 0};
    if (s.size > 0) text[0] = '\0';
    if (advice == NULL) return 0;
    const scalay_advice_entry *best = &advice->entries[0], *mapping = find_other(advice, 1);
    const scalay_advice_entry *grid = find_other(advice, 0);
    scalay_text_append(
        &s, "To run %s %lld time%s on the %lld x %lld matrix, %s (%s): ", scalay_kernel_name(advice->options.kernel),
        (long long)advice->options.times, advice->options.times == 1 ? "" : "s", (long long)advice->m,
        (long long)advice->n, is_owner(best) ? "leave it where it is" : "move it", best->name);
    say_costs(&s, &best->told);
    scalay_text_append(&s, ".");
    say_owner(&s, advice);
    if (mapping != NULL && scalay_advice_should_move(advice)) {
        scalay_text_append(&s, " The same grid by %s: ", mapping->name);
        say_costs(&s, &mapping->told);
        scalay_text_append(&s, ".");
    }
    if (grid != NULL) {
        scalay_text_append(&s, " The next %s, %s: ", best->told.nprow > 0 ? "grid" : "distribution", grid->name);
        say_costs(&s, &grid->told);
        scalay_text_append(&s, ".");
    }
    return (int)s.length;
}
