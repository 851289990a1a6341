/*
 * Tables of sums of moves for one type of weights: kept tables, and doubling (see min_energy_sums.c).
 *
 * Define before including: WEIGHT (the type), NONE (more than any weight; the sum of two fits) and NAME(verb). No
 * include guard: it is included once per type.
 */

/* One more processor of a share: each of its moves, or none. */
static void NAME(apply)(const sum_question *asked, const sum_table *table, const share_moves *moves,
                        const column_range *reached, const WEIGHT *source, WEIGHT *target)
{
    const int is_given = asked->search->target.is_given;
    for (int64_t k = moves->first; k < moves->first + moves->count; k++) {
        const scalay_energy_move *move = &asked->search->moves.move[k];
        const int rise = is_given ? move->rise : 0;
        const int64_t first = scalay_max_int64(reached->first, -move->length);
        const int64_t last = scalay_min_int64(reached->last, table->columns - 1 - move->length);
        if (first > last) continue;
        for (int64_t row = rise < 0 ? 1 : 0; row < table->rows - (rise > 0); row++) NAME(improve)
        (target + (row + rise) * table->columns + first + move->length, source + row * table->columns + first,
         last - first + 1, (WEIGHT)move->weight);
    }
}

static int NAME(is_reached)(const sum_table *table, const WEIGHT *entry, int64_t column)
{
    for (int64_t row = 0; row < table->rows; row++)
        if (entry[row * table->columns + column] < NONE) return 1;
    return 0;
}

static void NAME(shrink)(const sum_table *table, const WEIGHT *entry, column_range *reached)
{
    while (reached->first < reached->last && !NAME(is_reached)(table, entry, reached->first)) reached->first++;
    while (reached->last > reached->first && !NAME(is_reached)(table, entry, reached->last)) reached->last--;
}

/* Removes sums that are over the limit. */
static void NAME(cut_table)(const sum_table *table, const column_range *reached, const WEIGHT *limit, WEIGHT *entry)
{
    for (int64_t row = 0; row < table->rows; row++) NAME(cut)
    (entry + row * table->columns + reached->first, limit + reached->first, reached->last - reached->first + 1);
}

/* The table with one more processor of a share, within the limit. */
static void NAME(add_processor)(const sum_question *asked, const sum_table *table, const share_moves *moves,
                                const WEIGHT *limit, const WEIGHT *source, WEIGHT *target, column_range *reached)
{
    memcpy(target, source, (size_t)table->entries * sizeof *target);
    NAME(apply)(asked, table, moves, reached, source, target);
    reached->first = scalay_max_int64(0, reached->first + moves->shortest);
    reached->last = scalay_min_int64(table->columns - 1, reached->last + moves->longest);
    NAME(cut_table)(table, reached, limit, target);
    NAME(shrink)(table, target, reached);
}

/* The best way to an entry with one more processor of a share: its weight, its move (-1: none), and its start. */
static WEIGHT NAME(best_step)(const sum_question *asked, const sum_table *table, const share_moves *moves,
                              const WEIGHT *source, int64_t entry, int64_t *move, int64_t *from)
{
    const int is_given = asked->search->target.is_given;
    const int64_t row = entry / table->columns;
    const int64_t column = entry % table->columns;
    WEIGHT best = source[entry];
    *move = -1;
    *from = entry;
    for (int64_t k = moves->first; k < moves->first + moves->count; k++) {
        const scalay_energy_move *one = &asked->search->moves.move[k];
        const int64_t row_before = row - (is_given ? one->rise : 0);
        const int64_t column_before = column - one->length;
        if (row_before < 0 || row_before >= table->rows || column_before < 0 || column_before >= table->columns)
            continue;
        const int64_t before = row_before * table->columns + column_before;
        if (source[before] + (WEIGHT)one->weight >= best) continue;
        best = source[before] + (WEIGHT)one->weight;
        *move = k;
        *from = before;
    }
    return best;
}

/* Takes a move for some processors. */
static scalay_status NAME(take_move)(const sum_question *asked, int64_t move, int64_t count)
{
    const scalay_energy_move *taken = &asked->search->moves.move[move];
    return scalay_energy_take(asked->search, taken->share, taken->index, count);
}

/* ------------------------------------------------------------------------------------------------- kept tables */

/* All tables so far. */
typedef struct {
    sum_question *asked;
    WEIGHT *limit;     /* shape [columns] */
    WEIGHT sufficient; /* weight of the deficit at the sufficient cost */
    WEIGHT least;      /* weight of a solution, perhaps above the budget */
    WEIGHT *entry;     /* shape [layers][entries] */
    sum_layer *layer;  /* shape [layers] */
    int64_t layers;    /* the first has no processor */
    column_range reached;
    int is_done; /* 1: the deficit cannot be reached at a lower cost */
} NAME(tables);

/* Makes only the deficit's entry of the next table if that suffices; 1 if so. */
static int NAME(finish_early)(NAME(tables) * tables, const share_moves *moves, int is_last)
{
    const sum_table *table = &tables->asked->table;
    const WEIGHT *source = tables->entry + (tables->layers - 1) * table->entries;
    WEIGHT *target = tables->entry + tables->layers * table->entries;
    int64_t move = -1;
    int64_t from = 0;
    const WEIGHT best = NAME(best_step)(tables->asked, table, moves, source, table->target, &move, &from);
    if (best < tables->least) tables->least = best;
    if (!is_last && !(best < NONE && best <= tables->sufficient)) return 0;
    target[table->target] = best <= tables->limit[table->target % table->columns] ? best : NONE;
    tables->layer[tables->layers++] = (sum_layer){*moves, move};
    tables->is_done = 1;
    return 1;
}

/* Adds the processors of a share, a table each, until nothing changes; *fits is 0 if the tables take too much. */
static scalay_status NAME(add_share)(NAME(tables) * tables, const share_moves *moves, int is_last_share, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = tables->asked->search;
    const sum_table *table = &tables->asked->table;
    for (int64_t k = 0; k < moves->multiplicity && !tables->is_done; k++) {
        const int is_last = is_last_share && k == moves->multiplicity - 1;
        *fits = may_keep(tables->asked, tables->layers + 1);
        if (!*fits) break;
        SCALAY_TRY(scalay_energy_scratch(search, 4, (tables->layers + 1) * table->entries, sizeof *tables->entry,
                                         &tables->entry));
        SCALAY_TRY(scalay_energy_scratch(search, 5, tables->layers + 1, sizeof *tables->layer, &tables->layer));
        if (NAME(finish_early)(tables, moves, is_last)) break;
        const WEIGHT *source = tables->entry + (tables->layers - 1) * table->entries;
        WEIGHT *target = tables->entry + tables->layers * table->entries;
        NAME(add_processor)(tables->asked, table, moves, tables->limit, source, target, &tables->reached);
        if (moves->multiplicity > 1 && memcmp(target, source, (size_t)table->entries * sizeof *target) == 0) break;
        tables->layer[tables->layers++] = (sum_layer){*moves, -1};
    }
cleanup:
    return status;
}

/* Takes the moves that lead to the deficit, from the last table to the first. */
static scalay_status NAME(trace)(const NAME(tables) * tables)
{
    scalay_status status = SCALAY_SUCCESS;
    const sum_table *table = &tables->asked->table;
    int64_t entry = table->target;
    for (int64_t l = tables->layers - 1; l > 0; l--) {
        const sum_layer *layer = &tables->layer[l];
        const WEIGHT *source = tables->entry + (l - 1) * table->entries;
        int64_t move = -1;
        int64_t from = entry;
        if (source[entry] == source[table->entries + entry]) continue;
        (void)NAME(best_step)(tables->asked, table, &layer->moves, source, entry, &move, &from);
        SCALAY_TRY(NAME(take_move)(tables->asked, move, 1));
        entry = from;
    }
cleanup:
    return status;
}

/* Solves with kept tables; *fits is 0 if they take too much. */
static scalay_status NAME(solve_with_tables)(sum_question *asked, int *fits, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    const sum_table *table = &asked->table;
    NAME(tables) tables = {.asked = asked, .layers = 1, .least = NONE, .reached = {-table->low, -table->low}};
    const scalay_wide sufficient =
        (search->sufficient_cost + scalay_wide_product(search->solution.remainder, search->solution.deficit));
    tables.sufficient = (WEIGHT)(sufficient / search->solution.slope.length);
    *fits = asked->count > 1 && may_keep(asked, 1);
    if (!*fits) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(search, 6, table->columns, sizeof *tables.limit, &tables.limit));
    NAME(set_limits)(asked, asked->budget, table, tables.limit);
    SCALAY_TRY(scalay_energy_scratch(search, 4, table->entries, sizeof *tables.entry, &tables.entry));
    for (int64_t k = 0; k < table->entries; k++) tables.entry[k] = NONE;
    tables.entry[table->origin] = 0;
    for (int64_t k = 0; k < asked->count && *fits && !tables.is_done; k++)
        SCALAY_TRY(NAME(add_share)(&tables, &asked->list[k], k == asked->count - 1, fits));
    if (!*fits) return SCALAY_SUCCESS;
    const WEIGHT best = tables.entry[(tables.layers - 1) * table->entries + table->target];
    if (best >= NONE) {
        if (tables.least < NONE) asked->upper = scalay_reduced_cost(search, tables.least, search->solution.deficit);
        return SCALAY_SUCCESS;
    }
    *cost = scalay_reduced_cost(search, best, search->solution.deficit);
    SCALAY_TRY(NAME(trace)(&tables));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- doubling */

/* State of doubling. */
typedef struct {
    sum_question *asked;
    const sum_plan *plan;
    WEIGHT *limit;      /* shape [columns of the level] */
    WEIGHT *half_limit; /* shape [columns of the next level] */
    int is_known;       /* 1: the best weight of the deficit is known */
    WEIGHT best;
    WEIGHT *start;         /* table before all extras */
    WEIGHT *extra_swap;    /* table on the way from extra to extra */
    WEIGHT *level_swap;    /* table on the way from level to level */
    WEIGHT *level_tables;  /* shape [kept levels][max_entries] */
    WEIGHT *extra_tables;  /* shape [kept extras][max_entries] */
    int64_t *needed;       /* shape [max_entries]: how many sums of an entry are needed */
    int64_t *needed_after; /* shape [max_entries]: the same one step later */
    int64_t *extra;        /* shape [max_extras]: shares with an extra on the level */
    int level;
} NAME(doubling);

/* Tables that are made one from another, and traced from the last to the first. */
typedef struct {
    /* Makes the table before step `end` from the one before step `first`. */
    void (*make)(NAME(doubling) * state, int64_t first, int64_t end, const WEIGHT *source, WEIGHT *target);
    /* Traces all needed sums through a step; `before` is the table before it. */
    scalay_status (*trace)(NAME(doubling) * state, int64_t step, const WEIGHT *before);
} NAME(steps);

static const sum_table *NAME(table_of)(const NAME(doubling) * state)
{
    return &state->plan->level[state->level].table;
}

static column_range NAME(find_range)(const sum_table *table, const WEIGHT *entry)
{
    column_range reached = {0, table->columns - 1};
    NAME(shrink)(table, entry, &reached);
    return reached;
}

static scalay_status NAME(allocate)(NAME(doubling) * state)
{
    scalay_status status = SCALAY_SUCCESS;
    const sum_plan *plan = state->plan;
    scalay_energy_search *search = state->asked->search;
    int64_t entries = 0;
    int64_t numbers = 0;
    if (!scalay_multiply_int64(3 + plan->kept_levels + plan->kept_extras, plan->max_entries, &entries) ||
        !scalay_add_int64(2 * plan->max_entries, plan->max_extras, &numbers))
        return scalay_no_memory(__func__, "sums", INT64_MAX, sizeof(WEIGHT));
    SCALAY_TRY(scalay_energy_scratch(search, 4, entries, sizeof(WEIGHT), &state->start));
    SCALAY_TRY(scalay_energy_scratch(search, 5, numbers, sizeof(int64_t), &state->needed));
    SCALAY_TRY(scalay_energy_scratch(search, 6, 2 * plan->max_entries, sizeof(WEIGHT), &state->limit));
    state->half_limit = state->limit + plan->max_entries;
    state->extra_swap = state->start + plan->max_entries;
    state->level_swap = state->extra_swap + plan->max_entries;
    state->level_tables = state->level_swap + plan->max_entries;
    state->extra_tables = state->level_tables + plan->kept_levels * plan->max_entries;
    state->needed_after = state->needed + plan->max_entries;
    state->extra = state->needed_after + plan->max_entries;
cleanup:
    return status;
}

/* Adds one sum of a half to the sums of the other half whose columns are at most `above` greater. */
static void NAME(add_half)(const NAME(doubling) * state, const sum_table *half, const column_range *reached,
                           const WEIGHT *sums, int64_t row, int64_t column, int64_t above, WEIGHT *both)
{
    const sum_table *to = NAME(table_of)(state);
    const WEIGHT weight = sums[row * half->columns + column];
    const int64_t offset = 2 * half->low + column - to->low; /* from the other half's column to that of both */
    const int64_t first =
        scalay_max_int64(scalay_max_int64(reached->first, column - state->plan->max_difference), -offset);
    const int64_t last = scalay_min_int64(scalay_min_int64(reached->last, column + above), to->columns - 1 - offset);
    if (first > last) return;
    for (int64_t other = 0; other < half->rows; other++) {
        const int64_t sum_row = 2 * half->low_rise + row + other - to->low_rise;
        if (sum_row < 0 || sum_row >= to->rows) continue;
        NAME(improve)
        (both + sum_row * to->columns + offset + first, sums + other * half->columns + first, last - first + 1, weight);
    }
}

/* Sets limits for one of the halves of each sum: half of the budget if that leaves few sums, since one half costs no
 * more; otherwise all of it, since one half is in the same column or left of the other. */
static void NAME(limit_halves)(const NAME(doubling) * state, const sum_table *half, const WEIGHT *sums, int64_t *above)
{
    int64_t reached = 0;
    int64_t cheap = 0;
    NAME(set_limits)(state->asked, state->asked->budget / 2, half, state->half_limit);
    for (int64_t row = 0; row < half->rows; row++)
        for (int64_t column = 0; column < half->columns; column++) {
            const WEIGHT weight = sums[row * half->columns + column];
            reached += weight < NONE;
            cheap += weight <= state->half_limit[column];
        }
    *above = state->plan->max_difference;
    if (2 * cheap < reached) return;
    *above = 0;
    NAME(set_limits)(state->asked, state->asked->budget, half, state->half_limit);
}

/* The table before all extras of the level: twice the sums of the next level. */
static void NAME(make_start)(const NAME(doubling) * state, const WEIGHT *sums)
{
    const sum_table *to = NAME(table_of)(state);
    const sum_table *half = &state->plan->level[state->level + 1].table;
    int64_t above = 0;
    for (int64_t k = 0; k < to->entries; k++) state->start[k] = NONE;
    if (half->entries == 0 || to->entries == 0) return;
    const column_range reached = NAME(find_range)(half, sums);
    NAME(limit_halves)(state, half, sums, &above);
    for (int64_t row = 0; row < half->rows; row++)
        for (int64_t column = reached.first; column <= reached.last; column++)
            if (sums[row * half->columns + column] <= state->half_limit[column])
                NAME(add_half)(state, half, &reached, sums, row, column, above, state->start);
    NAME(cut_table)(to, &(column_range){0, to->columns - 1}, state->limit, state->start);
}

static void NAME(make_extras)(NAME(doubling) * state, int64_t first, int64_t end, const WEIGHT *source, WEIGHT *target)
{
    const sum_table *table = NAME(table_of)(state);
    column_range reached = NAME(find_range)(table, source);
    WEIGHT *to = (end - first) % 2 == 1 ? target : state->extra_swap;
    for (int64_t k = first; k < end; k++) {
        NAME(add_processor)
        (state->asked, table, &state->asked->list[state->extra[k]], state->limit, source, to, &reached);
        source = to;
        to = to == target ? state->extra_swap : target;
    }
}

/* Enters a level: lists its extras, and makes the table before them. */
static void NAME(enter)(NAME(doubling) * state, int level, const WEIGHT *half)
{
    int64_t extras = 0;
    state->level = level;
    for (int64_t k = 0; k < state->asked->count; k++)
        if (is_extra(&state->asked->list[k], level)) state->extra[extras++] = k;
    NAME(set_limits)(state->asked, state->asked->budget, NAME(table_of)(state), state->limit);
    NAME(make_start)(state, half);
}

/* Step k makes the sums of level levels - 1 - k from those of the level after it. */
static void NAME(make_levels)(NAME(doubling) * state, int64_t first, int64_t end, const WEIGHT *source, WEIGHT *target)
{
    WEIGHT *to = (end - first) % 2 == 1 ? target : state->level_swap;
    for (int64_t k = first; k < end; k++) {
        const sum_level *level = &state->plan->level[state->plan->levels - 1 - k];
        NAME(enter)(state, state->plan->levels - 1 - (int)k, source);
        if (level->extras > 0)
            NAME(make_extras)(state, 0, level->extras, state->start, to);
        else
            memcpy(to, state->start, (size_t)level->table.entries * sizeof *to);
        source = to;
        to = to == target ? state->level_swap : target;
    }
}

static void NAME(step_back)(NAME(doubling) * state, int64_t entries)
{
    int64_t *after = state->needed;
    state->needed = state->needed_after;
    state->needed_after = after;
    memset(state->needed, 0, (size_t)entries * sizeof *state->needed);
}

/* Notes the weight of the deficit, on level 0. */
static void NAME(set_best)(NAME(doubling) * state, WEIGHT best)
{
    const sum_table *table = &state->plan->level[0].table;
    if (state->is_known) return;
    state->best = best <= state->limit[table->target % table->columns] ? best : NONE;
    state->is_known = 1;
}

/* Takes the best move of an extra, or none, for all needed sums. */
static scalay_status NAME(trace_extra)(NAME(doubling) * state, int64_t step, const WEIGHT *before)
{
    scalay_status status = SCALAY_SUCCESS;
    const sum_table *table = NAME(table_of)(state);
    const share_moves *moves = &state->asked->list[state->extra[step]];
    NAME(step_back)(state, table->entries);
    for (int64_t entry = 0; entry < table->entries; entry++) {
        int64_t move = -1;
        int64_t from = entry;
        if (state->needed_after[entry] == 0) continue;
        const WEIGHT best = NAME(best_step)(state->asked, table, moves, before, entry, &move, &from);
        NAME(set_best)(state, best);
        if (state->best >= NONE) break;
        state->needed[from] += state->needed_after[entry];
        if (move >= 0) SCALAY_TRY(NAME(take_move)(state->asked, move, state->needed_after[entry]));
    }
cleanup:
    return status;
}

/* Traces steps first <= k < end; `before` is the table before them, and `tables` has space for `kept` tables. Stops if
 * the deficit cannot be reached. */
static scalay_status NAME(trace_steps)(NAME(doubling) * state, const NAME(steps) * steps, int64_t first, int64_t end,
                                       const WEIGHT *before, int64_t kept, WEIGHT *tables)
{
    scalay_status status = SCALAY_SUCCESS;
    while (end - first > 1) {
        const int64_t middle = first + scalay_energy_split_trace(end - first, kept);
        steps->make(state, first, middle, before, tables);
        SCALAY_TRY(NAME(trace_steps)(state, steps, middle, end, tables, kept - 1, tables + state->plan->max_entries));
        if (state->is_known && state->best >= NONE) return SCALAY_SUCCESS;
        end = middle;
    }
    SCALAY_TRY(steps->trace(state, first, before));
cleanup:
    return status;
}

/* Splits an entry of the table before all extras into two entries of the next level. */
static void NAME(split_entry)(NAME(doubling) * state, int64_t entry, const WEIGHT *sums)
{
    const sum_table *to = NAME(table_of)(state);
    const sum_table *half = &state->plan->level[state->level + 1].table;
    const int64_t rows = entry / to->columns + to->low_rise - 2 * half->low_rise;
    const int64_t columns = entry % to->columns + to->low - 2 * half->low;
    for (int64_t row = 0; row < half->rows; row++) {
        if (rows - row < 0 || rows - row >= half->rows) continue;
        for (int64_t column = (columns + 1) / 2; column < half->columns && column <= columns; column++) {
            const int64_t greater = row * half->columns + column;
            const int64_t lesser = (rows - row) * half->columns + columns - column;
            if (sums[greater] >= NONE || sums[lesser] >= NONE || sums[greater] + sums[lesser] != state->start[entry])
                continue;
            state->needed[greater] += state->needed_after[entry];
            state->needed[lesser] += state->needed_after[entry];
            return;
        }
    }
}

/* Takes the moves of a level's extras, then splits what remains into halves. */
static scalay_status NAME(trace_level)(NAME(doubling) * state, int64_t step, const WEIGHT *half)
{
    scalay_status status = SCALAY_SUCCESS;
    static const NAME(steps) extras = {NAME(make_extras), NAME(trace_extra)};
    const sum_plan *plan = state->plan;
    const int at = plan->levels - 1 - (int)step;
    const sum_level *level = &plan->level[at];
    NAME(enter)(state, at, half);
    if (level->extras > 0)
        SCALAY_TRY(
            NAME(trace_steps)(state, &extras, 0, level->extras, state->start, plan->kept_extras, state->extra_tables));
    else if (!state->is_known)
        NAME(set_best)(state, state->start[level->table.target]);
    if (state->best >= NONE) return SCALAY_SUCCESS;
    NAME(step_back)(state, plan->max_entries);
    for (int64_t entry = 0; entry < level->table.entries; entry++)
        if (state->needed_after[entry] > 0) NAME(split_entry)(state, entry, half);
cleanup:
    return status;
}

static scalay_status NAME(solve_by_doubling)(sum_question *asked, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    static const NAME(steps) levels = {NAME(make_levels), NAME(trace_level)};
    const WEIGHT no_processors = 0;
    sum_plan plan;
    NAME(doubling) state = {.asked = asked, .plan = &plan};
    plan_levels(asked, &plan);
    if (plan.levels == 0 || plan.level[0].table.entries == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(NAME(allocate)(&state));
    memset(state.needed, 0, (size_t)plan.max_entries * sizeof *state.needed);
    state.needed[plan.level[0].table.target] = 1;
    SCALAY_TRY(
        NAME(trace_steps)(&state, &levels, 0, plan.levels, &no_processors, plan.kept_levels, state.level_tables));
    if (state.best < NONE) *cost = scalay_reduced_cost(asked->search, state.best, asked->search->solution.deficit);
cleanup:
    return status;
}

/* Finds the cheapest moves within the budget and takes them; *cost stays negative if there are none. */
static scalay_status NAME(solve)(sum_question *asked, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    int fits = 0;
    SCALAY_TRY(NAME(solve_with_tables)(asked, &fits, cost));
    if (!fits) SCALAY_TRY(NAME(solve_by_doubling)(asked, cost));
cleanup:
    return status;
}
