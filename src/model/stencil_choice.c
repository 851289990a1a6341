#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "model/stencil.h"

/* Failures go by the public name. */
static const char choose_name[] = "scalay_model_stencil_choose";

struct scalay_stencil_choice {
    scalay_stencil_decision decision;
    int across;    /* one row, else one column */
    int processes; /* of the source */
};

/* ---------------------------------------------------------------------------------- what is on the way to it */

scalay_stencil_cost scalay_stencil_evaluate(scalay_stencil_decision *decision, const scalay_item_runs *runs)
{
    scalay_stencil_tally_all(&decision->tally, &decision->initial, runs);
    return scalay_stencil_cost_of(&decision->problem, &decision->tally);
}

scalay_status scalay_stencil_add_option(scalay_stencil_decision *decision, const char *name,
                                        const scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(decision->option, decision->option_room, decision->options + 1));
    scalay_stencil_option *option = &decision->option[decision->options++];
    *option = (scalay_stencil_option){.name = name, .cost = scalay_stencil_evaluate(decision, runs)};
    SCALAY_TRY(scalay_item_runs_copy(runs, &option->runs));
    SCALAY_TRY(scalay_stencil_offer(decision, runs));
cleanup:
    return status;
}

static int same_runs(const scalay_item_runs *a, const scalay_item_runs *b)
{
    if (a->runs != b->runs) return 0;
    for (int64_t r = 0; r < a->runs; r++)
        if (a->first[r] != b->first[r] || a->owner[r] != b->owner[r]) return 0;
    return 1;
}

scalay_status scalay_stencil_offer(scalay_stencil_decision *decision, const scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    const double seconds = scalay_stencil_evaluate(decision, runs).seconds;
    int64_t place = decision->starts;
    for (int64_t k = 0; k < decision->starts; k++) {
        if (decision->start_seconds[k] == seconds && same_runs(&decision->start[k], runs)) return status;
        if (place == decision->starts && seconds < decision->start_seconds[k]) place = k;
    }
    if (place == SCALAY_STENCIL_STARTS) return status;
    if (decision->starts < SCALAY_STENCIL_STARTS) decision->starts++;
    scalay_item_runs worst = decision->start[decision->starts - 1];
    for (int64_t k = decision->starts - 1; k > place; k--) {
        decision->start[k] = decision->start[k - 1];
        decision->start_seconds[k] = decision->start_seconds[k - 1];
    }
    decision->start[place] = worst;
    decision->start_seconds[place] = seconds;
    return scalay_item_runs_copy(runs, &decision->start[place]);
}

static void free_starts(scalay_stencil_decision *decision)
{
    if (decision->start != NULL)
        for (int k = 0; k < SCALAY_STENCIL_STARTS; k++) scalay_item_runs_free(&decision->start[k]);
    scalay_release(decision->start);
    scalay_release(decision->start_seconds);
    decision->start = NULL;
    decision->start_seconds = NULL;
    decision->starts = 0;
}

/* ------------------------------------------------------------------------------------------------- choosing */

/* The least seconds first; on a tie the candidate that was added first, which moves least. */
static void sort_options(scalay_stencil_decision *decision)
{
    for (int64_t k = 1; k < decision->options; k++)
        for (int64_t l = k; l > 0; l--) {
            scalay_stencil_option *before = &decision->option[l - 1], *after = &decision->option[l];
            if (before->cost.seconds <= after->cost.seconds) break;
            const scalay_stencil_option swapped = *before;
            *before = *after;
            *after = swapped;
        }
}

static scalay_status decide(scalay_stencil_choice *choice, const scalay_layout *source)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_stencil_decision *decision = &choice->decision;
    const int processes = decision->problem.processes > 0 ? decision->problem.processes : choice->processes;
    SCALAY_TRY(scalay_item_runs_of_layout(choose_name, source, &decision->initial));
    SCALAY_TRY(scalay_stencil_tally_create(processes, &decision->tally));
    SCALAY_TRY(SCALAY_NEW(decision->start, SCALAY_STENCIL_STARTS));
    SCALAY_TRY(SCALAY_NEW(decision->start_seconds, SCALAY_STENCIL_STARTS));
    SCALAY_TRY(scalay_stencil_add_blocks(decision));
    if (decision->initial.n > 0) {
        SCALAY_TRY(scalay_stencil_offer_priced(decision));
        SCALAY_TRY(scalay_stencil_search(decision));
    }
    free_starts(decision);
    sort_options(decision);
cleanup:
    return status;
}

scalay_status scalay_model_stencil_choose(const scalay_stencil_problem *problem, const scalay_layout *source,
                                          scalay_stencil_choice **choice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_stencil_choice *made = NULL;
    if (choice == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "choice is NULL; pass the address of a scalay_stencil_choice *");
    *choice = NULL;
    if (source == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "source is NULL; say where the items are");
    SCALAY_TRY(scalay_check_not_null(problem, __func__, "problem"));
    SCALAY_TRY(SCALAY_NEW(made, 1));
    scalay_stencil_problem_init(&made->decision.problem, sizeof *problem);
    SCALAY_TRY(scalay_option_struct_read(problem, &made->decision.problem, sizeof *problem, __func__));
    SCALAY_TRY(scalay_stencil_problem_check(__func__, &made->decision.problem, scalay_layout_processes(source)));
    made->across = scalay_layout_rows(source) == 1;
    made->processes = scalay_layout_processes(source);
    SCALAY_TRY(decide(made, source));
    *choice = made;
    made = NULL;
cleanup:
    scalay_stencil_choice_destroy(&made);
    return status;
}

void scalay_stencil_choice_destroy(scalay_stencil_choice **choice)
{
    if (choice == NULL || *choice == NULL) return;
    scalay_stencil_decision *decision = &(*choice)->decision;
    for (int64_t k = 0; k < decision->options; k++) scalay_item_runs_free(&decision->option[k].runs);
    scalay_release(decision->option);
    free_starts(decision);
    scalay_stencil_tally_free(&decision->tally);
    scalay_item_runs_free(&decision->initial);
    scalay_release(*choice);
    *choice = NULL;
}

/* -------------------------------------------------------------------------------------------------- telling */

int scalay_stencil_choice_count(const scalay_stencil_choice *choice)
{
    return choice != NULL ? (int)choice->decision.options : 0;
}

/* The k-th candidate; NULL, in the name of `function`, when there is none. */
static const scalay_stencil_option *option_of(const scalay_stencil_choice *choice, int k, const char *function,
                                              scalay_status *status)
{
    *status = SCALAY_SUCCESS;
    if (choice == NULL)
        *status = scalay_fail(SCALAY_ERROR_ARGUMENT, function, "choice is NULL");
    else if (k < 0 || k >= choice->decision.options)
        *status = scalay_fail(SCALAY_ERROR_ARGUMENT, function, "candidate %d was asked for; there are 0 .. %d", k,
                              (int)choice->decision.options - 1);
    return *status == SCALAY_SUCCESS ? &choice->decision.option[k] : NULL;
}

/* Processes that own something. */
static scalay_status count_active(const scalay_stencil_choice *choice, const scalay_item_runs *runs, int *active)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *owns = NULL;
    SCALAY_TRY(SCALAY_NEW(owns, choice->decision.tally.processes));
    *active = 0;
    for (int64_t r = 0; r < runs->runs; r++) {
        *active += !owns[runs->owner[r]];
        owns[runs->owner[r]] = 1;
    }
cleanup:
    scalay_release(owns);
    return status;
}

scalay_status scalay_stencil_choice_get_candidate(const scalay_stencil_choice *choice, int k,
                                                  scalay_stencil_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    if (candidate == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "candidate is NULL");
    const scalay_stencil_option *option = option_of(choice, k, __func__, &status);
    if (option == NULL) return status;
    scalay_stencil_candidate told = {.name = option->name, .runs = option->runs.runs, .cost = option->cost};
    SCALAY_TRY(count_active(choice, &option->runs, &told.processes));
    *candidate = told;
cleanup:
    return status;
}

scalay_status scalay_stencil_choice_runs(const scalay_stencil_choice *choice, int k, const int64_t **first,
                                         const int **owner)
{
    scalay_status status = SCALAY_SUCCESS;
    if (first == NULL || owner == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", first == NULL ? "first" : "owner");
    const scalay_stencil_option *option = option_of(choice, k, __func__, &status);
    if (option == NULL) return status;
    *first = option->runs.first;
    *owner = option->runs.owner;
    return status;
}

scalay_status scalay_stencil_choice_layout(const scalay_stencil_choice *choice, int k, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *cut = NULL;
    scalay_owner_map *map = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL");
    *layout = NULL;
    const scalay_stencil_option *option = option_of(choice, k, __func__, &status);
    if (option == NULL) return status;
    const scalay_item_runs *runs = &option->runs;
    const int64_t one[] = {0, 1};
    SCALAY_TRY(SCALAY_NEW(cut, runs->runs + 1));
    for (int64_t r = 0; r < runs->runs; r++) cut[r + 1] = scalay_item_runs_end(runs, r);
    SCALAY_TRY(scalay_owner_map_create(choice->across ? 1 : runs->runs, choice->across ? runs->runs : 1,
                                       choice->across ? one : cut, choice->across ? cut : one,
                                       choice->decision.tally.processes, runs->owner, &map));
    SCALAY_TRY(scalay_layout_from_owner_map(map, layout));
cleanup:
    scalay_owner_map_destroy(&map);
    scalay_release(cut);
    return status;
}

static void explain_one(scalay_text *text, const scalay_stencil_option *option, int64_t iterations)
{
    const scalay_stencil_cost *c = &option->cost;
    scalay_text_append(text,
                       "%-10s %8lld runs, %8lld items moved in %8lld steps, load %8lld, %8lld exchanged in %8lld"
                       " steps: %10.4g s to move + %lld x %10.4g s = %10.4g s\n",
                       option->name, (long long)option->runs.runs, (long long)c->volume, (long long)c->steps,
                       (long long)c->load, (long long)c->exchanged, (long long)c->exchange_steps, c->move_seconds,
                       (long long)iterations, c->iteration_seconds, c->seconds);
}

int scalay_stencil_choice_describe(const scalay_stencil_choice *choice, char *text, size_t size)
{
    scalay_text s = {text, text != NULL ? size : 0, 0};
    if (s.size > 0) text[0] = '\0';
    if (choice == NULL) return 0;
    const scalay_stencil_decision *decision = &choice->decision;
    scalay_text_append(&s, "%lld items on %d processes, %lld iterations, %s model\n", (long long)decision->initial.n,
                       decision->tally.processes, (long long)decision->problem.iterations,
                       decision->problem.model == SCALAY_STENCIL_VOLUME ? "volume" : "steps");
    for (int64_t k = 0; k < decision->options; k++) explain_one(&s, &decision->option[k], decision->problem.iterations);
    return (int)s.length;
}
