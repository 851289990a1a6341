#include "workload/nearest_totals.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/integer.h"
#include "base/memory.h"

enum {
    PROBE_SIZES = 64,     /* a first listing goes so many times the largest size far */
    MOST_BITS = 1 << 26,  /* a second one as far as n, but no further than this, */
    BITS_PER_SIZE = 2048, /* nor than so many bits for each size of a group */
    MOST_WORK = 1 << 26   /* and does not handle more words than this, more or less */
};

/* Totals that are listed. */
typedef struct {
    const scalay_problem *problem;
    const int64_t *count;
    int64_t largest;
    int mirrored; /* 1: they count from the capacity downwards */
    int64_t limit;
    uint64_t *reached; /* bits 0 .. limit */
    uint64_t *next;
    int64_t span; /* the greatest one so far, at most the limit */
    int64_t open; /* what the processors that are left can take */
    int64_t work;
    int64_t run_low; /* every total from here to run_high is listed, or follows; -1: no such run is known */
    int64_t run_high;
} listing;

/* A size, or what is given back, that a processor may have. */
static int may_have(const listing *of, const scalay_problem_group *group, int64_t x)
{
    const int64_t size = of->mirrored ? group->largest - x : x;
    return size == 0 || group->time[size] < INFINITY;
}

/* next |= reached << shift, as far as there is anything */
static void or_shifted(listing *of, int64_t shift)
{
    const int64_t skip = shift / SCALAY_WORD_BITS;
    const int64_t words = scalay_min_int64(scalay_bit_words(of->span + 1) + 1, scalay_bit_words(of->limit + 1) - skip);
    of->work += scalay_max_int64(words, 1);
    scalay_bit_or_shifted(of->reached, words, (int)(shift % SCALAY_WORD_BITS), of->next + skip);
}

/* Adds one processor; whether that changes anything. */
static int add_processor(listing *of, const scalay_problem_group *group)
{
    const size_t bytes = (size_t)scalay_bit_words(of->limit + 1) * sizeof *of->next;
    of->work += scalay_bit_words(of->limit + 1);
    memcpy(of->next, of->reached, bytes);
    for (int64_t x = 1; x <= group->largest && x <= of->limit; x++)
        if (may_have(of, group, x)) or_shifted(of, x);
    of->span = scalay_min_int64(of->limit, of->span + group->largest);
    const int changed = memcmp(of->next, of->reached, bytes) != 0;
    uint64_t *swapped = of->reached;
    of->reached = of->next;
    of->next = swapped;
    return changed;
}

/* Looks for a run of whole words that is at least as long as the largest size. */
static void find_run(listing *of)
{
    const int64_t words = (of->limit + 1) / SCALAY_WORD_BITS;
    int64_t start = 0;
    for (int64_t w = 0; w <= words; w++) {
        if (w < words && of->reached[w] == ~UINT64_C(0)) continue;
        if ((w - start) * SCALAY_WORD_BITS > of->largest) {
            of->run_low = start * SCALAY_WORD_BITS;
            of->run_high = w * SCALAY_WORD_BITS - 1 + of->open;
            return;
        }
        start = w + 1;
    }
}

static int run_holds(const listing *of, int64_t low, int64_t high)
{
    return of->run_low >= 0 && of->run_low <= low && high <= of->run_high;
}

/* Lists until a run holds what is wanted, or everybody is added; *complete is 0 when that would take too long. */
static void list_totals(listing *of, int64_t low, int64_t high, int *complete)
{
    *complete = 0;
    of->reached[0] = 1;
    for (int j = 0; j < of->problem->groups; j++) {
        const scalay_problem_group *group = &of->problem->group[j];
        for (int64_t copy = 0; copy < of->count[j]; copy++) {
            of->open -= group->largest;
            if (group->largest > 0 && !add_processor(of, group)) {
                of->open -= (of->count[j] - copy - 1) * group->largest;
                break;
            }
            find_run(of);
            if (run_holds(of, low, high)) return;
            if (of->work > MOST_WORK) return;
        }
    }
    *complete = 1;
}

/* The nearest total from `from` on in some direction; -1: none up to the limit. */
static int64_t next_total(const listing *of, int64_t from, int direction)
{
    while (from >= 0 && from <= of->limit && !scalay_bit_get(of->reached, from)) from += direction;
    return from < 0 || from > of->limit ? -1 : from;
}

/* Lists up to a limit; the answer is complete when the limit is a largest size beyond what is wanted. */
static scalay_status list_up_to(listing *of, int64_t capacity, int64_t limit, int64_t n, int64_t *below, int64_t *above,
                                int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    /* One after the other in what is listed: those next to n. */
    const int64_t low = of->mirrored ? capacity - n - 1 : n;
    const int64_t words = scalay_bit_words(limit + 1);
    int complete = 0;
    of->limit = limit;
    of->span = 0;
    of->open = capacity;
    of->run_low = -1;
    of->reached = NULL;
    of->next = NULL;
    SCALAY_TRY(SCALAY_NEW(of->reached, words));
    SCALAY_TRY(SCALAY_NEW(of->next, words));
    list_totals(of, low, low + 1, &complete);
    if (run_holds(of, low, low + 1)) {
        *below = n;
        *above = n + 1;
        *found = 1;
    } else if (complete && limit >= low + of->largest) {
        const int64_t down = next_total(of, low, -1);
        const int64_t up = next_total(of, low + 1, 1);
        *below = of->mirrored ? capacity - up : down;
        *above = of->mirrored ? capacity - down : up;
        *found = 1;
    }
cleanup:
    scalay_release(of->reached);
    scalay_release(of->next);
    return status;
}

static int64_t most_bits(const scalay_problem *problem)
{
    int64_t bits = 0;
    for (int j = 0; j < problem->groups && bits < MOST_BITS; j++) bits += BITS_PER_SIZE * problem->group[j].largest;
    return scalay_min_int64(bits, MOST_BITS);
}

scalay_status scalay_nearest_by_listing(const scalay_problem *problem, const int64_t *count, int64_t largest,
                                        int64_t capacity, int64_t *below, int64_t *above, int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t n = problem->n;
    listing of = {.problem = problem, .count = count, .largest = largest, .mirrored = capacity - n < n};
    const int64_t needed = (of.mirrored ? capacity - n : n) + largest;
    const int64_t probe = scalay_min_int64(needed, PROBE_SIZES * largest);
    *found = 0;
    SCALAY_TRY(list_up_to(&of, capacity, probe, n, below, above, found));
    if (!*found && probe < needed && needed <= most_bits(problem))
        SCALAY_TRY(list_up_to(&of, capacity, needed, n, below, above, found));
cleanup:
    return status;
}
