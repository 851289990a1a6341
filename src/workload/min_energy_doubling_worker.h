/* Sums of moves by doubling, for one type of costs: see min_energy_doubling.c. The including file defines COST, NONE
   (more than any cost) and NAME(verb). No include guard: it is included once per type. */

/* What is at work on a level. */
typedef struct NAME(doubling) {
    scalay_energy_search *search;
    const scalay_moves_plan *plan;
    const scalay_moves_run *run; /* shape [count] */
    int64_t count;
    COST budget;
    COST best;        /* what the target costs; negative: not known yet */
    COST *start;      /* a row before all extras */
    COST *turn;       /* a row for going from extra to extra */
    COST *other;      /* a row for going from level to level */
    COST *level_rows; /* shape [kept levels][widest] */
    COST *extra_rows; /* shape [kept extras][widest] */
    int64_t *wanted;  /* shape [widest]: how often the sum of a cell is needed */
    int64_t *before;  /* shape [widest]: the same one step before */
    int64_t *extra;   /* shape [most_extras]: of the level, numbers of runs */
    int level;
} NAME(doubling);

/* Rows that are made one from another, and walked back from the last step to the first. */
typedef struct {
    /* From the row before a step to the one before another, or to the last. */
    void (*make)(NAME(doubling) * work, int64_t first, int64_t end, const COST *source, COST *target);
    /* Takes what the best of a step is for all that is wanted; `row` is the one before it. */
    scalay_status (*take)(NAME(doubling) * work, int64_t step, const COST *row);
} NAME(chain);

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
    int64_t cells = 0;
    int64_t numbers = 0;
    if (!scalay_multiply_int64(3 + plan->kept_levels + plan->kept_extras, plan->widest, &cells) ||
        !scalay_add_int64(2 * plan->widest, plan->most_extras, &numbers))
        return scalay_no_memory(__func__, "sums", INT64_MAX, sizeof(COST));
    SCALAY_TRY(scalay_energy_scratch(work->search, 4, cells, sizeof(COST), &work->start));
    SCALAY_TRY(scalay_energy_scratch(work->search, 5, numbers, sizeof(int64_t), &work->wanted));
    work->turn = work->start + plan->widest;
    work->other = work->turn + plan->widest;
    work->level_rows = work->other + plan->widest;
    work->extra_rows = work->level_rows + plan->kept_levels * plan->widest;
    work->before = work->wanted + plan->widest;
    work->extra = work->before + plan->widest;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- the sums */

/* Adds a half with so much in a row and column to the halves in columns up to so many further up, and as far down as
 * two halves can be apart. */
static void NAME(add_half)(const NAME(doubling) * work, const scalay_moves_window *half,
                           const scalay_moves_span *reached, const COST *sums, int64_t row, int64_t column, int64_t up,
                           COST *twice)
{
    const scalay_moves_window *to = NAME(window_of)(work);
    const COST cost = sums[row * half->columns + column];
    const int64_t offset = 2 * half->low + column - to->low; /* from the other half's column to that of both */
    const int64_t first = scalay_max_int64(scalay_max_int64(reached->first, column - work->plan->apart), -offset);
    const int64_t last = scalay_min_int64(scalay_min_int64(reached->last, column + up), to->columns - 1 - offset);
    if (first > last) return;
    for (int64_t other = 0; other < half->rows; other++) {
        const int64_t both = 2 * half->fall + row + other - to->fall;
        if (both < 0 || both >= to->rows) continue;
        NAME(improve)
        (twice + both * to->columns + offset + first, sums + other * half->columns + first, last - first + 1, cost);
    }
}

/* The most that halves cost which every pair is made of one of, at least, and how far up the other one has to be looked
 * for: one half costs no more than half the budget, one is not further up. */
static COST NAME(choose_halves)(const NAME(doubling) * work, const scalay_moves_window *half, const COST *sums,
                                int64_t *up)
{
    int64_t reached = 0;
    int64_t cheap = 0;
    for (int64_t k = 0; k < half->cells; k++) {
        reached += sums[k] < NONE;
        cheap += 2 * sums[k] <= work->budget;
    }
    *up = 2 * cheap < reached ? work->plan->apart : 0;
    return 2 * cheap < reached ? work->budget / 2 : work->budget;
}

/* The row before all extras of the level: two halves of the next one, of which there are the sums. */
static void NAME(make_start)(const NAME(doubling) * work, const COST *sums)
{
    const scalay_moves_window *to = NAME(window_of)(work);
    const scalay_moves_window *half = &work->plan->level[work->level + 1].window;
    int64_t up = 0;
    for (int64_t k = 0; k < to->cells; k++) work->start[k] = NONE;
    if (half->cells == 0 || to->cells == 0) return;
    const scalay_moves_span reached = NAME(find_span)(half, sums);
    const COST most = NAME(choose_halves)(work, half, sums, &up);
    for (int64_t row = 0; row < half->rows; row++)
        for (int64_t column = reached.first; column <= reached.last; column++)
            if (sums[row * half->columns + column] <= most)
                NAME(add_half)(work, half, &reached, sums, row, column, up, work->start);
    scalay_moves_span all = {0, to->columns - 1};
    (void)NAME(finish)(work->search, to, work->start, work->start, work->budget, &all);
}

static void NAME(make_extras)(NAME(doubling) * work, int64_t first, int64_t end, const COST *source, COST *target)
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
static void NAME(enter)(NAME(doubling) * work, int level, const COST *half)
{
    work->level = level;
    scalay_moves_list_extras(work->run, work->count, level, work->extra);
    NAME(make_start)(work, half);
}

/* Step k makes the sums of level levels - 1 - k, from those of the level after it. */
static void NAME(make_levels)(NAME(doubling) * work, int64_t first, int64_t end, const COST *source, COST *target)
{
    COST *to = (end - first) % 2 == 1 ? target : work->other;
    for (int64_t k = first; k < end; k++) {
        const scalay_moves_level *made = &work->plan->level[work->plan->levels - 1 - k];
        NAME(enter)(work, work->plan->levels - 1 - (int)k, source);
        if (made->extras > 0)
            NAME(make_extras)(work, 0, made->extras, work->start, to);
        else
            memcpy(to, work->start, (size_t)made->window.cells * sizeof *to);
        source = to;
        to = to == target ? work->other : target;
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

/* The best move of an extra, or none, for all that is wanted. */
static scalay_status NAME(take_extra)(NAME(doubling) * work, int64_t step, const COST *row)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_moves_run *run = &work->run[work->extra[step]];
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
        if (work->best < 0) work->best = least <= work->budget ? least : NONE;
        if (work->best >= NONE) break;
        work->wanted[from] += work->before[cell];
        if (taken < 0) continue;
        const scalay_energy_move *move = &work->search->move[taken];
        SCALAY_TRY(scalay_energy_take(work->search, move->lot, move->index, work->before[cell]));
    }
cleanup:
    return status;
}

/* Takes steps `first` to `end` - 1 back, `row` is the one before them all, with room for some rows at `kept`: until it
 * is seen that nothing leads to the target. */
static scalay_status NAME(take_back)(NAME(doubling) * work, const NAME(chain) * steps, int64_t first, int64_t end,
                                     const COST *row, int64_t rows, COST *kept)
{
    scalay_status status = SCALAY_SUCCESS;
    while (end - first > 1) {
        const int64_t middle = first + scalay_moves_split(end - first, rows);
        steps->make(work, first, middle, row, kept);
        SCALAY_TRY(NAME(take_back)(work, steps, middle, end, kept, rows - 1, kept + work->plan->widest));
        if (work->best >= NONE) return SCALAY_SUCCESS;
        end = middle;
    }
    SCALAY_TRY(steps->take(work, first, row));
cleanup:
    return status;
}

/* Splits a cell of the row before all extras into two of the next level. */
static void NAME(split_cell)(NAME(doubling) * work, int64_t cell, const COST *sums)
{
    const scalay_moves_window *to = NAME(window_of)(work);
    const scalay_moves_window *half = &work->plan->level[work->level + 1].window;
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

/* The moves of a level's extras, and then halves of what is left. */
static scalay_status NAME(take_level)(NAME(doubling) * work, int64_t step, const COST *half)
{
    scalay_status status = SCALAY_SUCCESS;
    static const NAME(chain) extras = {NAME(make_extras), NAME(take_extra)};
    const scalay_moves_plan *plan = work->plan;
    const int level = plan->levels - 1 - (int)step;
    const scalay_moves_level *made = &plan->level[level];
    NAME(enter)(work, level, half);
    if (made->extras > 0)
        SCALAY_TRY(NAME(take_back)(work, &extras, 0, made->extras, work->start, plan->kept_extras, work->extra_rows));
    else if (work->best < 0)
        work->best = work->start[made->window.target];
    if (work->best >= NONE) return SCALAY_SUCCESS;
    NAME(step_back)(work, plan->widest);
    for (int64_t cell = 0; cell < made->window.cells; cell++)
        if (work->before[cell] > 0) NAME(split_cell)(work, cell, half);
cleanup:
    return status;
}

/* Finds the cheapest moves within the budget and takes them; *cost is negative when there are none. */
static scalay_status NAME(solve_by_doubling)(scalay_energy_search *search, const scalay_moves_window *range,
                                             const scalay_moves_run *runs, int64_t count, COST budget,
                                             scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    static const NAME(chain) levels = {NAME(make_levels), NAME(take_level)};
    const COST none = 0; /* no copies cost nothing */
    scalay_moves_plan plan;
    NAME(doubling) work = {.search = search, .plan = &plan, .run = runs, .count = count, .budget = budget, .best = -1};
    *cost = -1;
    scalay_moves_plan_levels(search, range, runs, count, &plan);
    if (plan.levels == 0 || plan.level[0].window.cells == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(NAME(allocate)(&work));
    memset(work.wanted, 0, (size_t)plan.widest * sizeof *work.wanted);
    work.wanted[plan.level[0].window.target] = 1;
    SCALAY_TRY(NAME(take_back)(&work, &levels, 0, plan.levels, &none, plan.kept_levels, work.level_rows));
    if (work.best < NONE) *cost = (scalay_wide)work.best;
cleanup:
    return status;
}
