/*
 * Choice of a distribution for the stencil: scalay_model_stencil_choose().
 *
 * Candidates are the owner's distribution, partitions of the circle into k blocks of consecutive items (nearly equal,
 * mapped so that little moves), and the result of a search (stencil_search.c) from the best distributions found so far.
 * With fewer blocks than processes less is exchanged and more is computed. In the volume model, k = sqrt(N tau_calc /
 * (2 tau_comm)) is best if the redistribution does not count.
 */
#include "model/stencil.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "scalay/mapping.h"

/* ------------------------------------------------------------------------------------------------------- candidates */

/* Failures go by the public name. */
static const char choose_name[] = "scalay_model_stencil_choose";

struct scalay_stencil_choice {
    scalay_stencil_decision decision;
    int across;    /* one row, else one column */
    int processes; /* of the source */
};

scalay_stencil_cost scalay_stencil_evaluate(scalay_stencil_decision *decision, const scalay_item_runs *runs)
{
    scalay_stencil_tally_all(&decision->tally, &decision->initial, runs);
    return scalay_stencil_cost_of(&decision->problem, &decision->tally);
}

scalay_status scalay_stencil_add_option(scalay_stencil_decision *decision, const char *name,
                                        const scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(decision->option, decision->option_capacity, decision->options + 1));
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
    int64_t position = decision->starts;
    for (int64_t k = 0; k < decision->starts; k++) {
        if (decision->start_seconds[k] == seconds && same_runs(&decision->start[k], runs)) return status;
        if (position == decision->starts && seconds < decision->start_seconds[k]) position = k;
    }
    if (position == SCALAY_STENCIL_STARTS) return status;
    if (decision->starts < SCALAY_STENCIL_STARTS) decision->starts++;
    scalay_item_runs worst = decision->start[decision->starts - 1];
    for (int64_t k = decision->starts - 1; k > position; k--) {
        decision->start[k] = decision->start[k - 1];
        decision->start_seconds[k] = decision->start_seconds[k - 1];
    }
    decision->start[position] = worst;
    decision->start_seconds[position] = seconds;
    return scalay_item_runs_copy(runs, &decision->start[position]);
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

/* ------------------------------------------------------------------------------------------- partitions into blocks */

enum {
    MAX_OFFSETS = 8, /* offsets that are tried for each k */
    EVERY_COUNT = 64 /* up to this k all values are tried, above it about every eighth */
};

/* Limit of runs and blocks that are visited in all partitions together. */
static const int64_t max_work = 40000000;

typedef struct {
    int64_t blocks;
    int64_t offset; /* first item of the first block, less than the length of the shortest block */
} block_partition;

/* The first item of block j: block j = floor(i k / n). */
static int64_t block_start(int64_t n, int64_t k, int64_t j)
{
    return n / k * j + scalay_ceil_div(n % k * j, k);
}

/* The blocks as runs of owner process[j]; NULL: j. */
static scalay_status make_blocks(int64_t n, block_partition blocks, const int *process, scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t last = blocks.blocks - 1;
    runs->runs = 0;
    runs->n = n;
    if (blocks.offset > 0) SCALAY_TRY(scalay_item_runs_append(runs, 0, process != NULL ? process[last] : (int)last));
    for (int64_t j = 0; j <= last; j++) {
        const int64_t first = block_start(n, blocks.blocks, j);
        if (first < (j < last ? block_start(n, blocks.blocks, j + 1) : n))
            SCALAY_TRY(scalay_item_runs_append(runs, blocks.offset + first, process != NULL ? process[j] : (int)j));
    }
cleanup:
    return status;
}

/* Traffic matrix between the initial distribution and blocks. The arrays have space for the runs of both. */
static scalay_status block_traffic(const scalay_stencil_decision *decision, const scalay_item_runs *blocks,
                                   int64_t parts, int *from, int *part, int64_t *items, scalay_traffic **traffic)
{
    const scalay_item_runs *initial = &decision->initial;
    int64_t count = 0, i = 0, item = 0;
    for (int64_t r = 0; r < blocks->runs; r++)
        while (item < scalay_item_runs_end(blocks, r)) {
            const int64_t end = scalay_min_int64(scalay_item_runs_end(blocks, r), scalay_item_runs_end(initial, i));
            from[count] = initial->owner[i];
            part[count] = blocks->owner[r];
            items[count++] = end - item;
            item = end;
            if (item == scalay_item_runs_end(initial, i)) i++;
        }
    return scalay_traffic_from_entries(decision->tally.processes, (int)parts, count, from, part, items, traffic);
}

/* Work arrays. */
typedef struct {
    int *from;
    int *part;
    int64_t *items;
    scalay_item_runs blocks;
    scalay_item_runs runs; /* the result */
} block_work;

static scalay_status map_blocks(const scalay_stencil_decision *decision, block_partition partition,
                                scalay_objective objective, block_work *work_arrays)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.processes = decision->tally.processes;
    SCALAY_TRY(make_blocks(decision->initial.n, partition, NULL, &work_arrays->blocks));
    SCALAY_TRY(block_traffic(decision, &work_arrays->blocks, partition.blocks, work_arrays->from, work_arrays->part,
                             work_arrays->items, &traffic));
    SCALAY_TRY(scalay_mapping_from_traffic(traffic, objective, &options, &mapping));
    SCALAY_TRY(make_blocks(decision->initial.n, partition, scalay_mapping_process(mapping), &work_arrays->runs));
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    return status;
}

static scalay_status add_mapped(scalay_stencil_decision *decision, const char *name, scalay_objective objective,
                                block_work *work_arrays)
{
    scalay_status status = SCALAY_SUCCESS;
    const block_partition canonical = {decision->tally.processes, 0};
    SCALAY_TRY(map_blocks(decision, canonical, objective, work_arrays));
    SCALAY_TRY(scalay_stencil_add_option(decision, name, &work_arrays->runs));
cleanup:
    return status;
}

/* Returns the next number of blocks. */
static int64_t next_count(int64_t k)
{
    return k < EVERY_COUNT ? k + 1 : k + k / 8;
}

/* Returns the number of offsets per k that keeps the work within its limit. */
static int64_t count_offsets(const scalay_stencil_decision *decision, int64_t most)
{
    int64_t work = 0;
    for (int64_t k = 1; k <= most; k = next_count(k)) work += decision->initial.runs + 4 * k;
    return scalay_max_int64(1, scalay_min_int64(MAX_OFFSETS, max_work / (work + 1)));
}

/* Adds the best partition into blocks as a candidate. Good partitions are start points of the search. */
static scalay_status add_best(scalay_stencil_decision *decision, block_work *work_arrays)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_item_runs best = {0};
    double best_seconds = 0.0;
    const int64_t n = decision->initial.n, max_blocks = scalay_min_int64(n, decision->tally.processes);
    const int64_t offsets = count_offsets(decision, max_blocks);
    const scalay_objective objective =
        decision->problem.model == SCALAY_STENCIL_VOLUME ? SCALAY_MIN_VOLUME : SCALAY_MIN_STEPS_THEN_VOLUME;
    for (int64_t k = 1; k <= max_blocks; k = next_count(k))
        for (int64_t j = 0; j < (k > 1 ? offsets : 1); j++) {
            const block_partition partition = {k, (n / k) / offsets * j + (n / k) % offsets * j / offsets};
            if (j > 0 && partition.offset == 0) continue;
            SCALAY_TRY(map_blocks(decision, partition, objective, work_arrays));
            SCALAY_TRY(scalay_stencil_offer(decision, &work_arrays->runs));
            const double seconds = scalay_stencil_evaluate(decision, &work_arrays->runs).seconds;
            if (best.runs > 0 && seconds >= best_seconds) continue;
            SCALAY_TRY(scalay_item_runs_copy(&work_arrays->runs, &best));
            best_seconds = seconds;
        }
    SCALAY_TRY(scalay_stencil_add_option(decision, "blocks", &best));
cleanup:
    scalay_item_runs_free(&best);
    return status;
}

static scalay_status add_all(scalay_stencil_decision *decision, block_work *work_arrays)
{
    scalay_status status = SCALAY_SUCCESS;
    const block_partition canonical = {decision->tally.processes, 0};
    const int64_t most = decision->initial.runs + decision->tally.processes + 1;
    SCALAY_TRY(SCALAY_NEW(work_arrays->from, most));
    SCALAY_TRY(SCALAY_NEW(work_arrays->part, most));
    SCALAY_TRY(SCALAY_NEW(work_arrays->items, most));
    SCALAY_TRY(scalay_stencil_add_option(decision, "owner", &decision->initial));
    SCALAY_TRY(make_blocks(decision->initial.n, canonical, NULL, &work_arrays->runs));
    SCALAY_TRY(scalay_stencil_add_option(decision, "canonical", &work_arrays->runs));
    SCALAY_TRY(add_mapped(decision, "volume", SCALAY_MIN_VOLUME, work_arrays));
    SCALAY_TRY(add_mapped(decision, "steps", SCALAY_MIN_STEPS_THEN_VOLUME, work_arrays));
    if (decision->initial.n > 0) SCALAY_TRY(add_best(decision, work_arrays));
cleanup:
    return status;
}

/* Adds owner, canonical, volume, steps and the best partition into blocks. */
static scalay_status add_blocks(scalay_stencil_decision *decision)
{
    block_work work_arrays = {0};
    scalay_status status = add_all(decision, &work_arrays);
    scalay_item_runs_free(&work_arrays.runs);
    scalay_item_runs_free(&work_arrays.blocks);
    scalay_release(work_arrays.items);
    scalay_release(work_arrays.part);
    scalay_release(work_arrays.from);
    return status;
}

/* ------------------------------------------------------------------------------------------------- choosing */

/* Sorts by time. Candidates with equal times keep their order, in which fewer items are moved first. */
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
    SCALAY_TRY(add_blocks(decision));
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
    scalay_stencil_choice *new_choice = NULL;
    if (choice == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "choice is NULL; pass the address of a scalay_stencil_choice *");
    *choice = NULL;
    if (source == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "source is NULL; say where the items are");
    SCALAY_TRY(scalay_check_not_null(problem, __func__, "problem"));
    SCALAY_TRY(SCALAY_NEW(new_choice, 1));
    scalay_stencil_problem_init(&new_choice->decision.problem, sizeof *problem);
    SCALAY_TRY(scalay_option_struct_read(problem, &new_choice->decision.problem, sizeof *problem, __func__));
    SCALAY_TRY(scalay_stencil_problem_check(__func__, &new_choice->decision.problem, scalay_layout_processes(source)));
    new_choice->across = scalay_layout_rows(source) == 1;
    new_choice->processes = scalay_layout_processes(source);
    SCALAY_TRY(decide(new_choice, source));
    *choice = new_choice;
    new_choice = NULL;
cleanup:
    scalay_stencil_choice_destroy(&new_choice);
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

/* -------------------------------------------------------------------------------------------------- queries */

int scalay_stencil_choice_count(const scalay_stencil_choice *choice)
{
    return choice != NULL ? (int)choice->decision.options : 0;
}

/* Returns the k-th candidate; NULL, with a failure of `function`, if there is none. */
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

/* Counts the processes that own at least one item. */
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
    scalay_stencil_candidate found = {.name = option->name, .runs = option->runs.runs, .cost = option->cost};
    SCALAY_TRY(count_active(choice, &option->runs, &found.processes));
    *candidate = found;
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

static void describe_option(scalay_text *text, const scalay_stencil_option *option, int64_t iterations)
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
    for (int64_t k = 0; k < decision->options; k++)
        describe_option(&s, &decision->option[k], decision->problem.iterations);
    return (int)s.length;
}
