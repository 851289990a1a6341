/* Where to iterate a stencil, by the volume model: 16 processes with 16 items each, on maps like those of known
   results. The maps themselves are not known, but what they cost where the items are (owner), after a move to one block
   for each process, in order (can) and mapped (vol): means of 466.25 items exchanged in an iteration, and of 234.25 and
   210.25 that move. Random maps are drawn until that many of them have the same means: three in four have 466, 234 and
   210, one in four has one more of each. On those the best partition into blocks and the local search are compared with
   what is known of the best partition. With "blocks" the maps are such that the best partition in the last case has the
   known mean as well: 9440 and 9450 in turn.

   Usage: bench_stencil_model [MAPS [SEED [blocks]]] */
#include "timing.h"

#include "../tests/summaries.h"
#include "base/random.h"
#include "scalay/mapping.h"
#include "scalay/stencil.h"

enum { PROCESSES = 16, ITEMS = 256, EXCHANGED = 466, MOVED = 234, MOVED_LEAST = 210, QUARTER = 4 };
enum { CASES = 3, COLUMNS = 5 };

static const char *const columns[COLUMNS] = {"owner", "canonical", "volume", "blocks", "search"};

/* What is known: means of owner, can, vol and the best partition. */
static const struct {
    double ratio; /* tau_comm / tau_calc */
    int iterations;
    double known[COLUMNS - 1];
} cases[CASES] = {
    {1.0, 1, {482, 282, 258, 254}}, {10.0, 5, {23392, 4022, 3782, 2965}}, {10.0, 50, {233925, 19142, 18902, 9445}}};

/* ----------------------------------------------------------------------------------------------------- maps */

static void draw(uint64_t seed, int *owner)
{
    scalay_random random = scalay_random_seed(seed);
    for (int x = 0; x < ITEMS; x++) owner[x] = x % PROCESSES;
    for (int x = ITEMS - 1; x > 0; x--) {
        const int64_t other = scalay_random_below(&random, x + 1);
        const int kept = owner[x];
        owner[x] = owner[other];
        owner[other] = kept;
    }
}

/* Items sent in an iteration: one to each process that owns a neighbour. */
static int exchanged(const int *owner)
{
    int sent = 0;
    for (int x = 0; x < ITEMS; x++) {
        const int left = owner[(x + ITEMS - 1) % ITEMS], right = owner[(x + 1) % ITEMS];
        sent += (left != owner[x]) + (right != owner[x] && right != left);
    }
    return sent;
}

static int moved(const int *owner)
{
    int away = 0;
    for (int x = 0; x < ITEMS; x++) away += owner[x] != x / (ITEMS / PROCESSES);
    return away;
}

static int64_t moved_least(const int *owner)
{
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    int part[ITEMS];
    int64_t one[ITEMS];
    for (int x = 0; x < ITEMS; x++) {
        part[x] = x / (ITEMS / PROCESSES);
        one[x] = 1;
    }
    timing_must(scalay_traffic_from_entries(PROCESSES, PROCESSES, ITEMS, owner, part, one, &traffic));
    timing_must(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &mapping));
    const int64_t volume = mapping_summary(mapping).volume;
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    return volume;
}

/* The next seed whose map has so many more than the least that is wanted, of everything. */
static uint64_t find(uint64_t seed, int more, int *owner)
{
    for (;; seed++) {
        draw(seed, owner);
        if (exchanged(owner) == EXCHANGED + more && moved(owner) == MOVED + more &&
            moved_least(owner) == MOVED_LEAST + more)
            return seed;
    }
}

/* -------------------------------------------------------------------------------------------------- choices */

static void find_costs(const int *owner, int which, double *costs)
{
    scalay_layout *source = NULL;
    scalay_stencil_choice *choice = NULL;
    const scalay_stencil_problem problem =
        scalay_stencil_problem_default(SCALAY_STENCIL_VOLUME, cases[which].ratio, 1.0, cases[which].iterations);
    timing_must(scalay_layout_tiles(1, ITEMS, 1, 1, PROCESSES, owner, &source));
    timing_must(scalay_model_stencil_choose(&problem, source, &choice));
    for (int k = 0; k < scalay_stencil_choice_count(choice); k++) {
        scalay_stencil_candidate candidate;
        timing_must(scalay_stencil_choice_get_candidate(choice, k, &candidate));
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(candidate.name, columns[c]) == 0) costs[c] = candidate.cost.seconds;
    }
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&source);
}

static void print_case(int which, const double *sum, int maps)
{
    printf("| %g, %d |", cases[which].ratio, cases[which].iterations);
    for (int c = 0; c < COLUMNS - 1; c++) printf(" %.1f / %.0f |", sum[c] / maps, cases[which].known[c]);
    printf(" %.1f |\n", sum[COLUMNS - 1] / maps);
}

/* The costs of the next map that suits. */
static uint64_t next_map(uint64_t seed, int map, int blocks, double costs[CASES][COLUMNS])
{
    enum { LAST = CASES - 1, BLOCKS = 3 };
    const double wanted = cases[LAST].known[BLOCKS] + (map % 2 == 0 ? -5.0 : 5.0);
    int owner[ITEMS];
    do {
        seed = find(seed, map % QUARTER == 0, owner) + 1;
        find_costs(owner, LAST, costs[LAST]);
    } while (blocks && costs[LAST][BLOCKS] != wanted);
    for (int which = 0; which < LAST; which++) find_costs(owner, which, costs[which]);
    return seed;
}

int main(int argc, char **argv)
{
    int maps = argc > 1 ? atoi(argv[1]) : 2 * QUARTER;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const int blocks = argc > 3 && strcmp(argv[3], "blocks") == 0;
    double sum[CASES][COLUMNS] = {{0.0}}, costs[CASES][COLUMNS];
    maps = maps < QUARTER ? QUARTER : maps / QUARTER * QUARTER;
    printf("%d maps from seed %llu on; ours / known\n", maps, (unsigned long long)seed);
    for (int map = 0; map < maps; map++) {
        seed = next_map(seed, map, blocks, costs);
        for (int which = 0; which < CASES; which++)
            for (int c = 0; c < COLUMNS; c++) sum[which][c] += costs[which][c];
    }
    printf("| tau ratio, K | owner | can | vol | blocks | search |\n|---|---|---|---|---|---|\n");
    for (int which = 0; which < CASES; which++) print_case(which, sum[which], maps);
    return 0;
}
