/* Halving for one type of costs. The including file defines COST, NONE (more than any cost, and twice that fits) and
   NAME(verb). No include guard: it is included once per type. */

/* target[s] = min over i of more[i] + fewer[s - i], where the larger half i is at most span more than the other. */
static void NAME(combine)(const table *more, const COST *more_cell, const table *fewer, const COST *fewer_cell,
                          int64_t width, const table *target, COST *target_cell, COST budget)
{
    for (int64_t s = target->low; s <= target->high; s++) target_cell[s - target->low] = NONE;
    for (int64_t i = more->low; i <= more->high; i++) {
        COST cost = more_cell[i - more->low];
        if (cost >= NONE) continue;
        int64_t first = scalay_max_int64(target->low, i + scalay_max_int64(fewer->low, i - width));
        int64_t last = scalay_min_int64(target->high, i + scalay_min_int64(fewer->high, i));
        NAME(improve)
        (target_cell + (first - target->low), fewer_cell + (first - i - fewer->low), last - first + 1, cost);
    }
    NAME(cut)(target_cell, target->high - target->low + 1, budget);
}

/* The reduced costs of single items within the budget. */
static void NAME(fill_items)(const scalay_energy_search *search, const tables *made, COST *cell, COST budget)
{
    const scalay_energy_lot *lot = &search->lot[0];
    const scalay_problem_group *group = &search->problem->group[0];
    for (int64_t x = 0; x <= made->width; x++) {
        cell[x] = NONE;
        if (x == 0 ? search->least > 0 : !scalay_energy_allowed(search, group, x)) continue;
        scalay_wide cost = scalay_reduced_cost(search, scalay_energy_at(search, group, x) - lot->energy,
                                               (x > 0) - (lot->index > 0), x - lot->index);
        if (cost <= (scalay_wide)budget) cell[x] = (COST)cost;
    }
}

/* The table of so many items; a single item has all sizes. */
static const table *NAME(find)(const tables *made, int level, int64_t items)
{
    return &made->level[level][items - made->items[level]];
}

static void NAME(fill_level)(const tables *made, int level, COST *cell, COST budget)
{
    for (int more = 0; more < 2; more++) {
        const table *target = &made->level[level][more];
        if (!target->wanted || target->items == 1) continue;
        int64_t fewer = target->items / 2;
        const table *b = NAME(find)(made, level + 1, fewer);
        const table *a = NAME(find)(made, level + 1, target->items - fewer);
        NAME(combine)(a, cell + a->start, b, cell + b->start, made->width, target, cell + target->start, budget);
    }
}

/* The larger half of a best pair that adds up to s. */
static int64_t NAME(split)(const table *more, const table *fewer, const COST *cell, int64_t s, COST value,
                           int64_t width)
{
    int64_t i = scalay_max_int64(more->low, s - scalay_min_int64(fewer->high, s / 2));
    for (; i <= more->high && i - (s - i) <= width; i++) {
        if (s - i < fewer->low) break;
        COST a = cell[more->start + i - more->low];
        COST b = cell[fewer->start + s - i - fewer->low];
        if (a < NONE && b < NONE && a + b == value) break;
    }
    return i;
}

/* How often each table's sums occur, from the whole down to single items. */
static void NAME(trace)(const tables *made, const COST *cell, int64_t *times)
{
    for (int level = 0; level + 1 < made->levels; level++)
        for (int more = 1; more >= 0; more--) {
            const table *from = &made->level[level][more];
            if (!from->wanted || from->items == 1) continue;
            const table *b = NAME(find)(made, level + 1, from->items / 2);
            const table *a = NAME(find)(made, level + 1, from->items - from->items / 2);
            for (int64_t s = from->low; s <= from->high; s++) {
                int64_t often = times[from->start + s - from->low];
                if (often == 0) continue;
                int64_t i = NAME(split)(a, b, cell, s, cell[from->start + s - from->low], made->width);
                times[a->start + i - a->low] += often;
                times[b->start + s - i - b->low] += often;
            }
        }
}

/* Finds the cheapest items within a budget; *cost is negative when there are none. */
static scalay_status NAME(solve)(scalay_energy_search *search, const tables *made, scalay_wide budget,
                                 scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    COST *cell = NULL;
    int64_t *times = NULL;
    *cost = -1;
    SCALAY_TRY(scalay_energy_scratch(search, 4, made->cells, sizeof *cell, &cell));
    for (int more = 0; more < 2; more++)
        for (int level = 0; level < made->levels; level++) {
            const table *items = &made->level[level][more];
            if (items->wanted && items->items == 1) NAME(fill_items)(search, made, cell + items->start, (COST)budget);
        }
    for (int level = made->levels - 2; level >= 0; level--) NAME(fill_level)(made, level, cell, (COST)budget);
    const table *whole = &made->level[0][0];
    int64_t place = whole->start + made->sum - whole->low;
    if (cell[place] >= NONE) return SCALAY_SUCCESS;
    *cost = (scalay_wide)cell[place];
    SCALAY_TRY(scalay_energy_scratch(search, 5, made->cells, sizeof *times, &times));
    memset(times, 0, (size_t)made->cells * sizeof *times);
    times[place] = 1;
    NAME(trace)(made, cell, times);
    SCALAY_TRY(write_down(search, made, times));
cleanup:
    return status;
}
