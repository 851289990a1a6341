/* Ranking of process grids for p?geqrf by predicted time: scalay_model_qr_choose(). */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/status.h"
#include "base/text.h"
#include "model/shapes.h"

/* Public name, for messages. */
static const char choose_name[] = "scalay_model_qr_choose";

struct scalay_qr_choice {
    scalay_type type;
    int64_t m, n;
    scalay_qr_limits limits;
    int64_t count;
    int64_t capacity;
    scalay_qr_candidate *candidates;
};

void scalay_qr_limits_init(scalay_qr_limits *limits, size_t size)
{
    const scalay_qr_limits defaults = {.size = sizeof defaults, .processes = 1};
    scalay_option_struct_fill(&defaults, sizeof defaults, limits, size);
}

/* A choice during its creation. */
typedef struct {
    scalay_qr_choice *choice;
    const scalay_machine *machine;
} search;

static scalay_status add_candidate(int nprow, int npcol, int nb, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_choice *choice = ((search *)context)->choice;
    const scalay_machine *machine = ((search *)context)->machine;
    scalay_qr_candidate new = {.nprow = nprow, .npcol = npcol, .nb = nb};
    SCALAY_TRY(scalay_model_qr(machine, choice->type, choice->m, choice->n, nprow, npcol, nb, &new.cost));
    SCALAY_TRY(SCALAY_GROW(choice->candidates, choice->capacity, choice->count + 1));
    choice->candidates[choice->count++] = new;
cleanup:
    return status;
}

/* By time, then processes, block and rows. The order is the same on every rank. */
static int compare_candidates(const void *left, const void *right)
{
    const scalay_qr_candidate *a = left, *b = right;
    if (a->cost.seconds != b->cost.seconds) return a->cost.seconds < b->cost.seconds ? -1 : 1;
    int64_t size_a = (int64_t)a->nprow * a->npcol, size_b = (int64_t)b->nprow * b->npcol;
    if (size_a != size_b) return size_a < size_b ? -1 : 1;
    if (a->nb != b->nb) return a->nb < b->nb ? -1 : 1;
    return (a->nprow > b->nprow) - (a->nprow < b->nprow);
}

scalay_status scalay_model_qr_choose(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                     const scalay_qr_limits *limits, scalay_qr_choice **choice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_choice *new_choice = NULL;
    scalay_qr_limits read = scalay_qr_limits_default(1);
    SCALAY_TRY(scalay_check_not_null(choice, __func__, "choice"));
    *choice = NULL;
    SCALAY_TRY(scalay_check_not_null(limits, __func__, "limits"));
    SCALAY_TRY(scalay_option_struct_read(limits, &read, sizeof read, choose_name));
    SCALAY_TRY(scalay_shapes_check(&read, choose_name));
    SCALAY_TRY(SCALAY_NEW(new_choice, 1));
    new_choice->type = type;
    new_choice->m = m;
    new_choice->n = n;
    new_choice->limits = read;
    SCALAY_TRY(scalay_shapes_visit(&read, m, n, add_candidate, &(search){new_choice, machine}));
    qsort(new_choice->candidates, (size_t)new_choice->count, sizeof *new_choice->candidates, compare_candidates);
    *choice = new_choice;
    new_choice = NULL;
cleanup:
    scalay_qr_choice_destroy(&new_choice);
    return status;
}

int scalay_qr_choice_count(const scalay_qr_choice *choice)
{
    return choice != NULL ? (int)choice->count : 0;
}

scalay_status scalay_qr_choice_get_candidate(const scalay_qr_choice *choice, int k, scalay_qr_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(choice, __func__, "choice"));
    SCALAY_TRY(scalay_check_not_null(candidate, __func__, "candidate"));
    if (k < 0 || k >= choice->count)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "k is %d; it must be in [0, %d)", k, (int)choice->count);
    *candidate = choice->candidates[k];
cleanup:
    return status;
}

void scalay_qr_choice_destroy(scalay_qr_choice **choice)
{
    if (choice == NULL || *choice == NULL) return;
    scalay_release((*choice)->candidates);
    scalay_release(*choice);
    *choice = NULL;
}

/* ------------------------------------------------------------------------------------------ explanation */

static int processes_of(const scalay_qr_candidate *c)
{
    return c->nprow * c->npcol;
}

/* The fastest candidate on more processes than the chosen one; NULL when there is none. */
static const scalay_qr_candidate *best_on_more(const scalay_qr_choice *choice)
{
    for (int64_t k = 1; k < choice->count; k++)
        if (processes_of(&choice->candidates[k]) > processes_of(&choice->candidates[0])) return &choice->candidates[k];
    return NULL;
}

/* The fastest candidate with another shape of as many processes or fewer, or (same_shape) with another block. */
static const scalay_qr_candidate *best_other(const scalay_qr_choice *choice, int same_shape)
{
    const scalay_qr_candidate *chosen = &choice->candidates[0];
    for (int64_t k = 1; k < choice->count; k++) {
        const scalay_qr_candidate *c = &choice->candidates[k];
        int same = c->nprow == chosen->nprow && c->npcol == chosen->npcol;
        if (same == same_shape && processes_of(c) <= processes_of(chosen)) return c;
    }
    return NULL;
}

static void say_idle(scalay_text *s, const scalay_qr_choice *choice)
{
    int idle = choice->limits.processes - processes_of(&choice->candidates[0]);
    if (idle == 0) return;
    scalay_text_append(s, " %d of %d processes stay%s idle: ", idle, choice->limits.processes, idle == 1 ? "s" : "");
    const scalay_qr_candidate *more = best_on_more(choice);
    if (more != NULL)
        scalay_text_append(s, "the best grid on more of them, %d x %d in blocks of %d, would take %.3g s.", more->nprow,
                           more->npcol, more->nb, more->cost.seconds);
    else if (choice->limits.nprow > 0 || choice->limits.npcol > 0)
        scalay_text_append(s, "the grid that was asked for has no more.");
    else
        scalay_text_append(s, "the matrix has too few blocks for more.");
}

int scalay_qr_choice_describe(const scalay_qr_choice *choice, char *text, size_t size)
{
    scalay_text s = {text, text != NULL ? size : 0, 0};
    if (s.size > 0) text[0] = '\0';
    if (choice == NULL) return 0;
    const scalay_qr_candidate *c = &choice->candidates[0];
    scalay_text_append(&s, "QR of %lld x %lld (%s) on a %d x %d grid in blocks of %d is predicted to take %.3g s: ",
                       (long long)choice->m, (long long)choice->n, scalay_type_name(choice->type), c->nprow, c->npcol,
                       c->nb, c->cost.seconds);
    scalay_text_append(&s, "%.3g s update, %.3g s panels, %.3g s messages; balance %.0f%%.", c->cost.update_seconds,
                       c->cost.panel_seconds, c->cost.message_seconds, 100.0 * c->cost.balance);
    say_idle(&s, choice);
    const scalay_qr_candidate *shape = best_other(choice, 0), *block = best_other(choice, 1);
    if (shape != NULL)
        scalay_text_append(&s, " The next shape, %d x %d in blocks of %d: %.3g s.", shape->nprow, shape->npcol,
                           shape->nb, shape->cost.seconds);
    if (block != NULL)
        scalay_text_append(&s, " Blocks of %d on the same grid: %.3g s.", block->nb, block->cost.seconds);
    return (int)s.length;
}
