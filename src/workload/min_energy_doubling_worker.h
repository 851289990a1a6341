/* Sums of moves by doubling, for one type of costs: see min_energy_doubling.c. The including file defines COST, NONE
   (more than any cost) and NAME(verb). No include guard: it is included once per type. */

/* What is at work on a level. */
typedef struct {
    scalay_energy_search *search;
    const scalay_moves_plan *plan;
    const scalay_moves_run *run; /* shape [count] */
    int64_t count;
    COST budget;
    COST *sums;      /* the sums of all levels, all extras included */
    COST *start;     /* a row before all extras */
    COST *turn;      /* a row for going from extra to extra */
    COST *kept;      /* rows before some extras */
    int64_t *wanted; /* shape [widest]: how often the sum of a cell is needed */
    int64_t *before; /* shape [widest]: the same one step before */
    int64_t *extra;  /* shape [most_extras]: of the level, numbers of runs */
    int level;
} NAME(doubling);

static COST *NAME(sums_of)(const NAME(doubling) * work, int level)
{
    return work->sums + work->plan->level[level].start;
}

static const scalay_moves_window *NAME(window_of)(const NAME(doubling) * work)
{
    return &work->plan->level[work->level].window;
}

/* The columns of a row that are reached. */
static scalay_moves_span NAME(find_span)(const scalay_moves_window *range, const COST *row)
{
    scalay_moves_span reached = {0, range->columns - 1};
    while (reached.first < reached.last && !NAME(is_reached)(range, row, reached.first)) reached.first++;
    while (reached.last > reached.first && !NAME(is_reached)(range, row, reached.last)) reached.last--;
    return reached;
}

static scalay_status NAME(allocate)(NAME(doubling) * work)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_moves_plan *plan = work->plan;
    const int64_t rows = 2 + (plan->fan - 1) * plan->depth;
    int64_t cells = 0;
    int64_t numbers = 0;
    if (!scalay_multiply_int64(rows, plan->widest, &cells) || !scalay_add_int64(cells, plan->cells, &cells) ||
        !scalay_add_int64(2 * plan->widest, plan->most_extras, &numbers))
        return scalay_no_memory(__func__, "sums", INT64_MAX, sizeof(COST));
    SCALAY_TRY(scalay_energy_scratch(work->search, 4, cells, sizeof(COST), &work->sums));
    SCALAY_TRY(scalay_energy_scratch(work->search, 5, numbers, sizeof(int64_t), &work->wanted));
    work->start = work->sums + plan->cells;
    work->turn = work->start + plan->widest;
    work->kept = work->turn + plan->widest;
    work->before = work->wanted + plan->widest;
    work->extra = work->before + plan->widest;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- the sums */

/* Adds a half with so much in a row and column to all halves that are not further up. */
static void NAME(add_half)(const NAME(doubling) * work, const scalay_moves_window *half,
                           const scalay_moves_span *reached, const COST *sums, int64_t row, int64_t column, COST *twice)
{
    const scalay_moves_window *to = NAME(window_of)(work);
    const COST cost = sums[row * half->columns + column];
    const int64_t offset = 2 * half->low + column - to->low; /* from the other half's column to that of both */
    const int64_t first = scalay_max_int64(scalay_max_int64(reached->first, column - work->plan->apart), -offset);
    const int64_t last = scalay_min_int64(scalay_min_int64(reached->last, column), to->columns - 1 - offset);
    if (first > last) return;
    for (int64_t other = 0; other < half->rows; other++) {
        const int64_t both = 2 * half->fall + row + other - to->fall;
        if (both < 0 || both >= to->rows) continue;
        NAME(improve)
        (twice + both * to->columns + offset + first, sums + other * half->columns + first, last - first + 1, cost);
    }
}

/* The row before all extras of the level: two halves of the next one. */
static void NAME(make_start)(const NAME(doubling) * work)
{
    const scalay_moves_window *to = NAME(window_of)(work);
    const scalay_moves_window *half = &work->plan->level[work->level + 1].window;
    const COST *sums = NAME(sums_of)(work, work->level + 1);
    for (int64_t k = 0; k < to->cells; k++) work->start[k] = NONE;
    if (half->cells == 0 || to->cells == 0) return;
    const scalay_moves_span reached = NAME(find_span)(half, sums);
    for (int64_t row = 0; row < half->rows; row++)
        for (int64_t column = reached.first; column <= reached.last; column++)
            if (sums[row * half->columns + column] < NONE)
                NAME(add_half)(work, half, &reached, sums, row, column, work->start);
    scalay_moves_span all = {0, to->columns - 1};
    (void)NAME(finish)(work->search, to, work->start, work->start, work->budget, &all);
}

/* From the row before an extra to the one before another, or to the last. */
static void NAME(advance)(const NAME(doubling) * work, int64_t first, int64_t end, const COST *source, COST *target)
{
    const scalay_moves_window *range = NAME(window_of)(work);
    scalay_moves_span reached = NAME(find_span)(range, source);
    COST *to = (end - first) % 2 == 1 ? target : work->turn;
    for (int64_t k = first; k < end; k++) {
        (void)NAME(add_copy)(work->search, range, &work->run[work->extra[k]], work->budget, &reached, source, to);
        source = to;
        to = to == target ? work->turn : target;
    }
}

/* Goes to a level: its extras, and the row before them. */
static void NAME(enter)(NAME(doubling) * work, int level)
{
    work->level = level;
    scalay_moves_list_extras(work->run, work->count, level, work->extra);
    NAME(make_start)(work);
}

/* The sums of all levels, from none to all. */
static void NAME(make_sums)(NAME(doubling) * work)
{
    const scalay_moves_plan *plan = work->plan;
    for (int64_t k = 0; k < plan->level[plan->levels].window.cells; k++) NAME(sums_of)(work, plan->levels)[k] = 0;
    for (int level = plan->levels - 1; level >= 0; level--) {
        const scalay_moves_level *made = &plan->level[level];
        COST *sums = NAME(sums_of)(work, level);
        NAME(enter)(work, level);
        if (made->window.cells == 0) continue;
        if (made->extras > 0)
            NAME(advance)(work, 0, made->extras, work->start, sums);
        else
            memcpy(sums, work->start, (size_t)made->window.cells * sizeof *sums);
    }
}

/* ---------------------------------------------------------------------------------------------------- the way back */

static void NAME(step_back)(NAME(doubling) * work, int64_t cells)
{
    int64_t *kept = work->wanted;
    work->wanted = work->before;
    work->before = kept;
    memset(work->wanted, 0, (size_t)cells * sizeof *work->wanted);
}

/* The cell from which a move leads to another; -1: it is outside. */
static int64_t NAME(cell_before)(const NAME(doubling) * work, const scalay_energy_move *move, int64_t cell)
{
    const scalay_moves_window *range = NAME(window_of)(work);
    const int64_t row = cell / range->columns - (work->search->counted ? move->rise : 0);
    const int64_t column = cell % range->columns - move->move;
    if (row < 0 || row >= range->rows || column < 0 || column >= range->columns) return -1;
    return row * range->columns + column;
}

/* Takes the best move of an extra, or none, for all that is wanted; `row` is the one before it. */
static scalay_status NAME(take_extra)(NAME(doubling) * work, const scalay_moves_run *run, const COST *row)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t cells = NAME(window_of)(work)->cells;
    NAME(step_back)(work, cells);
    for (int64_t cell = 0; cell < cells; cell++) {
        if (work->before[cell] == 0) continue;
        COST least = row[cell];
        int64_t from = cell;
        int64_t taken = -1;
        for (int64_t k = run->first; k < run->first + run->count; k++) {
            const scalay_energy_move *move = &work->search->move[k];
            const int64_t source = NAME(cell_before)(work, move, cell);
            if (source < 0 || row[source] + (COST)move->cost >= least) continue;
            least = row[source] + (COST)move->cost;
            from = source;
            taken = k;
        }
        work->wanted[from] += work->before[cell];
        if (taken < 0) continue;
        const scalay_energy_move *move = &work->search->move[taken];
        SCALAY_TRY(scalay_energy_take(work->search, move->lot, move->index, work->before[cell]));
    }
cleanup:
    return status;
}

/* Takes the moves of extras `first` to `end` - 1; `row` is the one before them, and there is room for more at `kept`.
 */
static scalay_status NAME(take_extras)(NAME(doubling) * work, int64_t first, int64_t end, const COST *row, COST *kept)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t stretch = scalay_ceil_div(end - first, work->plan->fan);
    const int64_t widest = work->plan->widest;
    if (end - first == 1) return NAME(take_extra)(work, &work->run[work->extra[first]], row);
    const int64_t stretches = scalay_ceil_div(end - first, stretch);
    for (int64_t k = 1; k < stretches; k++) {
        const COST *source = k == 1 ? row : kept + (k - 2) * widest;
        NAME(advance)(work, first + (k - 1) * stretch, first + k * stretch, source, kept + (k - 1) * widest);
    }
    for (int64_t k = stretches - 1; k >= 0; k--) {
        const int64_t begin = first + k * stretch;
        const COST *before = k == 0 ? row : kept + (k - 1) * widest;
        SCALAY_TRY(NAME(take_extras)(work, begin, scalay_min_int64(end, begin + stretch), before,
                                     kept + (stretches - 1) * widest));
    }
cleanup:
    return status;
}

/* Splits a cell of the row before all extras into two of the next level. */
static void NAME(split_cell)(NAME(doubling) * work, int64_t cell)
{
    const scalay_moves_window *to = NAME(window_of)(work);
    const scalay_moves_window *half = &work->plan->level[work->level + 1].window;
    const COST *sums = NAME(sums_of)(work, work->level + 1);
    const int64_t rows = cell / to->columns + to->fall - 2 * half->fall;
    const int64_t columns = cell % to->columns + to->low - 2 * half->low;
    for (int64_t row = 0; row < half->rows; row++) {
        if (rows - row < 0 || rows - row >= half->rows) continue;
        for (int64_t column = (columns + 1) / 2; column < half->columns && column <= columns; column++) {
            const int64_t more = row * half->columns + column;
            const int64_t fewer = (rows - row) * half->columns + columns - column;
            if (sums[more] >= NONE || sums[fewer] >= NONE || sums[more] + sums[fewer] != work->start[cell]) continue;
            work->wanted[more] += work->before[cell];
            work->wanted[fewer] += work->before[cell];
            return;
        }
    }
}

/* Takes the moves that lead to the target, from all levels. */
static scalay_status NAME(take_all)(NAME(doubling) * work)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_moves_plan *plan = work->plan;
    memset(work->wanted, 0, (size_t)plan->widest * sizeof *work->wanted);
    work->wanted[plan->level[0].window.target] = 1;
    for (int level = 0; level < plan->levels; level++) {
        const scalay_moves_level *made = &plan->level[level];
        NAME(enter)(work, level);
        if (made->extras > 0) SCALAY_TRY(NAME(take_extras)(work, 0, made->extras, work->start, work->kept));
        NAME(step_back)(work, plan->widest);
        for (int64_t cell = 0; cell < made->window.cells; cell++)
            if (work->before[cell] > 0) NAME(split_cell)(work, cell);
    }
cleanup:
    return status;
}

/* Finds the cheapest moves within the budget and takes them; *cost is negative when there are none. */
static scalay_status NAME(solve_by_doubling)(scalay_energy_search *search, const scalay_moves_window *range,
                                             const scalay_moves_run *runs, int64_t count, COST budget,
                                             scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_moves_plan plan;
    NAME(doubling) work = {.search = search, .plan = &plan, .run = runs, .count = count, .budget = budget};
    *cost = -1;
    SCALAY_TRY(scalay_moves_plan_levels(search, range, runs, count, &plan));
    const scalay_moves_window *whole = &plan.level[0].window;
    if (plan.levels == 0 || whole->cells == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(NAME(allocate)(&work));
    NAME(make_sums)(&work);
    const COST best = work.sums[whole->target];
    if (best >= NONE) return SCALAY_SUCCESS;
    *cost = (scalay_wide)best;
    SCALAY_TRY(NAME(take_all)(&work));
cleanup:
    return status;
}
