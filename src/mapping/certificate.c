/* Checking a mapping without trusting whoever made it: nothing here calls a solver or what they share. */
#include <math.h>

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/certificate.h"
#include "mapping/traffic.h"

typedef struct {
    const scalay_traffic *traffic;
    const scalay_mapping *mapping;
    const unsigned char *barred;
    scalay_link_cost link_cost;
    void *link_context;
    int processes; /* may take parts unless barred */
    int64_t kept;
    int64_t steps;
} checker;

/* What proves an objective. */
typedef struct {
    int duals;        /* the duals prove the volume */
    int crowd;        /* the crowd proves the steps */
    int within_steps; /* the duals speak of edges within the steps */
    int within_tight; /* the crowd only has tight edges, and must be matched where a dual is positive */
} proof_kind;

static const proof_kind proofs[] = {
    [SCALAY_CANONICAL] = {0, 0, 0, 0},
    [SCALAY_MIN_VOLUME] = {1, 0, 0, 0},
    [SCALAY_MIN_STEPS] = {0, 1, 0, 0},
    [SCALAY_MIN_STEPS_THEN_VOLUME] = {1, 1, 1, 0},
    [SCALAY_MIN_VOLUME_THEN_STEPS] = {1, 1, 0, 1},
    [SCALAY_MIN_TIME] = {1, 0, 0, 0},
    [SCALAY_MIN_GRID_VOLUME] = {1, 0, 0, 0},
};

static int may_take(const checker *check, int process)
{
    return process < check->processes && (check->barred == NULL || !check->barred[process]);
}

/* -------------------------------------------------------------------------------------------- recount */

/* part[i] = the part of each process of the traffic, -1: none. */
static scalay_status place_parts(const checker *check, int *part)
{
    const scalay_mapping *mapping = check->mapping;
    for (int i = 0; i < check->processes; i++) part[i] = -1;
    for (int j = 0; j < mapping->parts; j++) {
        int process = mapping->process[j];
        if (process < 0 || process >= mapping->processes || !may_take(check, process))
            return DENY("part %d is on process %d, which may take none", j, process);
        if (part[process] >= 0) return DENY("parts %d and %d are both on process %d", part[process], j, process);
        part[process] = j;
    }
    return SCALAY_SUCCESS;
}

static scalay_status recount(checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_traffic *traffic = check->traffic;
    int *part = NULL;
    SCALAY_TRY(SCALAY_NEW(part, check->processes));
    SCALAY_TRY(place_parts(check, part));
    for (int i = 0; i < traffic->processes; i++) {
        int64_t held = 0;
        int64_t stays = 0;
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            held += traffic->count[e];
            if (i < check->processes && traffic->part[e] == part[i]) stays = traffic->count[e];
        }
        check->kept += stays;
        check->steps = scalay_max_int64(check->steps, held - stays);
        if (i < check->processes && part[i] >= 0)
            check->steps = scalay_max_int64(check->steps, traffic->wanted[part[i]] - stays);
    }
    for (int i = traffic->processes; i < check->processes; i++)
        if (part[i] >= 0) check->steps = scalay_max_int64(check->steps, traffic->wanted[part[i]]);
cleanup:
    scalay_release(part);
    return status;
}

static scalay_status check_counts(const checker *check)
{
    const scalay_mapping *mapping = check->mapping;
    if (mapping->volume != check->traffic->items - check->kept)
        return DENY("the volume is %lld, not %lld", (long long)(check->traffic->items - check->kept),
                    (long long)mapping->volume);
    if (mapping->steps != check->steps)
        return DENY("the steps are %lld, not %lld", (long long)check->steps, (long long)mapping->steps);
    return SCALAY_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------- duals */

static int64_t edge_steps(const checker *check, int i, int64_t e)
{
    const scalay_traffic *traffic = check->traffic;
    return scalay_max_int64(traffic->held[i], traffic->wanted[traffic->part[e]]) - traffic->count[e];
}

/* How u + v compares with w: -1, 0 or 1, without overflow for a w of at least 0. */
static int compare_sum(int64_t u, int64_t v, int64_t w)
{
    int64_t sum = 0;
    if (!scalay_add_int64(u, v, &sum)) return u > 0 ? 1 : -1;
    return (sum > w) - (sum < w);
}

/* The edges that the objective allows are dominated. */
static scalay_status check_domination(const checker *check)
{
    const scalay_traffic *traffic = check->traffic;
    const scalay_certificate *proof = &check->mapping->certificate;
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; may_take(check, i) && e < traffic->start[i + 1]; e++) {
            if (edge_steps(check, i, e) > proof->within) continue;
            if (compare_sum(proof->process_dual[i], proof->part_dual[traffic->part[e]], traffic->count[e]) < 0)
                return DENY("the duals of process %d and part %d sum up to less than %lld items", i, traffic->part[e],
                            (long long)traffic->count[e]);
        }
    return SCALAY_SUCCESS;
}

/* A sum that cannot overflow on the way: high * 2^32 + low. */
typedef struct {
    int64_t high;
    int64_t low;
} wide_sum;

static const int64_t wide_unit = INT64_C(1) << 32;

/* Adds a dual; it may be negative only where an edge must be used: by what has more items than there may be steps. */
static scalay_status add_dual(int64_t dual, int must, wide_sum *sum)
{
    if (dual < 0 && !must) return DENY("a dual is negative: %lld", (long long)dual);
    sum->high += dual / wide_unit;
    sum->low += dual % wide_unit;
    return SCALAY_SUCCESS;
}

static int wide_sum_is(const wide_sum *sum, int64_t value)
{
    int64_t low = sum->low - value % wide_unit;
    return low % wide_unit == 0 && sum->high - value / wide_unit + low / wide_unit == 0;
}

static scalay_status check_duals(const checker *check, const proof_kind *kind)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_traffic *traffic = check->traffic;
    const scalay_certificate *proof = &check->mapping->certificate;
    wide_sum sum = {0, 0};
    if (check->mapping->proof == SCALAY_PROOF_HEURISTIC && check->mapping->bound == 0) return SCALAY_SUCCESS;
    if (proof->process_dual == NULL || proof->part_dual == NULL) return DENY("there are no duals");
    if (kind->within_steps && proof->within != check->steps) return DENY("the duals are not those of so many steps");
    SCALAY_TRY(check_domination(check));
    for (int i = 0; i < traffic->processes; i++)
        if (may_take(check, i)) SCALAY_TRY(add_dual(proof->process_dual[i], traffic->held[i] > proof->within, &sum));
    for (int j = 0; j < traffic->parts; j++)
        SCALAY_TRY(add_dual(proof->part_dual[j], traffic->wanted[j] > proof->within, &sum));
    if (!wide_sum_is(&sum, traffic->items - check->mapping->bound))
        return DENY("the duals do not sum up to the %lld items that stay at most",
                    (long long)(traffic->items - check->mapping->bound));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- crowd */

/* Every member is there once, exists, and cannot go without a partner below the optimum. */
static scalay_status check_members(const checker *check, const proof_kind *kind, unsigned char *member)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    const scalay_traffic *traffic = check->traffic;
    const int64_t *items = proof->crowd_of_parts ? traffic->wanted : traffic->held;
    const int64_t *dual = proof->crowd_of_parts ? proof->part_dual : proof->process_dual;
    const int most = proof->crowd_of_parts ? traffic->parts : traffic->processes;
    for (int k = 0; k < proof->crowd_size; k++) {
        int x = proof->crowd[k];
        if (x < 0 || x >= most || member[x]) return DENY("member %d of the crowd, %d, is none or named twice", k, x);
        if (items[x] < check->mapping->steps_bound && !(kind->within_tight && dual[x] > 0))
            return DENY("member %d of the crowd has only %lld items", x, (long long)items[x]);
        member[x] = 1;
    }
    return SCALAY_SUCCESS;
}

/* Whether an edge could be used by a mapping with fewer steps. */
static int serves(const checker *check, const proof_kind *kind, int i, int64_t e)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    const scalay_traffic *traffic = check->traffic;
    if (!may_take(check, i) || edge_steps(check, i, e) >= check->mapping->steps_bound) return 0;
    return !kind->within_tight ||
           compare_sum(proof->process_dual[i], proof->part_dual[traffic->part[e]], traffic->count[e]) == 0;
}

static int64_t count_partners(const checker *check, const proof_kind *kind, const unsigned char *member,
                              unsigned char *met)
{
    const scalay_traffic *traffic = check->traffic;
    const int of_parts = check->mapping->certificate.crowd_of_parts;
    int64_t partners = 0;
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            int partner = of_parts ? i : traffic->part[e];
            if (!member[of_parts ? traffic->part[e] : i] || met[partner] || !serves(check, kind, i, e)) continue;
            met[partner] = 1;
            partners++;
        }
    return partners;
}

static scalay_status check_crowd(const checker *check, const proof_kind *kind)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_certificate *proof = &check->mapping->certificate;
    const int64_t most = scalay_max_int64(check->traffic->processes, check->traffic->parts);
    unsigned char *member = NULL;
    unsigned char *met = NULL;
    if (check->mapping->steps_bound == 0) return SCALAY_SUCCESS;
    if (proof->crowd == NULL) return DENY("there is no crowd that shows why fewer steps are impossible");
    SCALAY_TRY(SCALAY_NEW(member, most));
    SCALAY_TRY(SCALAY_NEW(met, most));
    SCALAY_TRY(check_members(check, kind, member));
    int64_t partners = count_partners(check, kind, member, met);
    if (partners >= proof->crowd_size)
        status = DENY("the crowd of %d has %lld partners: fewer steps may be possible", proof->crowd_size,
                      (long long)partners);
cleanup:
    scalay_release(member);
    scalay_release(met);
    return status;
}

/* ------------------------------------------------------------------------------------------------ time */

/* What every part costs on process k. */
static void cost_of_process(const checker *check, int k, double *cost)
{
    const scalay_traffic *traffic = check->traffic;
    for (int j = 0; j < traffic->parts; j++) cost[j] = 0.0;
    for (int i = 0; i < traffic->processes; i++) {
        double link = check->link_cost(i, k, check->link_context);
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++)
            cost[traffic->part[e]] += (double)traffic->count[e] * link;
    }
}

/* The price list that the duals imply: part j costs at least worst[j] - part_dual[j] - process_dual[k] on process k. */
typedef struct {
    double *cost;  /* shape [parts]: on the process at hand */
    double *worst; /* shape [parts] */
    double total;  /* of the mapping */
    double bound;  /* no mapping costs less */
    double unit;
} price_list;

static void find_worst(const checker *check, price_list *prices)
{
    for (int k = 0; k < check->processes; k++) {
        if (!may_take(check, k)) continue;
        cost_of_process(check, k, prices->cost);
        for (int j = 0; j < check->traffic->parts; j++) {
            prices->worst[j] = fmax(prices->worst[j], prices->cost[j]);
            if (check->mapping->process[j] == k) prices->total += prices->cost[j];
        }
    }
}

static scalay_status check_prices(const checker *check, price_list *prices)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    for (int k = 0; k < check->processes; k++) {
        if (!may_take(check, k)) continue;
        if (proof->process_dual[k] < 0) return DENY("the dual of process %d is negative", k);
        cost_of_process(check, k, prices->cost);
        prices->bound -= (double)proof->process_dual[k] * prices->unit;
        for (int j = 0; j < check->traffic->parts; j++) {
            double saved = ((double)proof->process_dual[k] + (double)proof->part_dual[j]) * prices->unit;
            double slack = saved - (prices->worst[j] - prices->cost[j]);
            if (slack < -1e-12 * prices->worst[j] - 4.0 * prices->unit)
                return DENY("part %d is cheaper on process %d than the duals tell", j, k);
        }
    }
    return SCALAY_SUCCESS;
}

static scalay_status compare_times(const checker *check, const price_list *prices)
{
    double worst = 0.0;
    for (int j = 0; j < check->traffic->parts; j++) worst += prices->worst[j];
    double tolerance = 1e-12 * worst + 4.0 * prices->unit * check->traffic->parts;
    if (fabs(prices->total - check->mapping->time) > tolerance)
        return DENY("the time is %.17g, not %.17g", prices->total, check->mapping->time);
    if (check->mapping->time_bound > prices->bound + tolerance || check->mapping->time_bound > check->mapping->time)
        return DENY("the bound of the time is %.17g, but the duals only prove %.17g", check->mapping->time_bound,
                    prices->bound);
    if (check->mapping->proof != SCALAY_PROOF_OPTIMAL) return SCALAY_SUCCESS;
    if (fabs(prices->total - prices->bound) > tolerance)
        return DENY("the time is %.17g, but the duals only prove %.17g", prices->total, prices->bound);
    return SCALAY_SUCCESS;
}

static scalay_status check_time(const checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_certificate *proof = &check->mapping->certificate;
    price_list prices = {.unit = ldexp(1.0, -proof->exponent)};
    if (proof->process_dual == NULL || proof->part_dual == NULL) return DENY("there are no duals");
    SCALAY_TRY(SCALAY_NEW(prices.cost, check->traffic->parts));
    SCALAY_TRY(SCALAY_NEW(prices.worst, check->traffic->parts));
    find_worst(check, &prices);
    /* Every part is somewhere, so their duals may have any sign. */
    for (int j = 0; j < check->traffic->parts; j++)
        prices.bound += prices.worst[j] - (double)proof->part_dual[j] * prices.unit;
    SCALAY_TRY(check_prices(check, &prices));
    SCALAY_TRY(compare_times(check, &prices));
cleanup:
    scalay_release(prices.cost);
    scalay_release(prices.worst);
    return status;
}

/* ------------------------------------------------------------------------------------------------- all */

/* What is proven of a cost: all of it when the mapping is optimal, no more than it otherwise. */
static scalay_status check_bound(const scalay_mapping *mapping, const char *what, int64_t bound, int64_t cost)
{
    if (mapping->proof == SCALAY_PROOF_OPTIMAL ? bound == cost : bound <= cost) return SCALAY_SUCCESS;
    return DENY("the bound of the %s is %lld, but there are %lld", what, (long long)bound, (long long)cost);
}

static scalay_status check_proof(const checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping *mapping = check->mapping;
    const proof_kind *kind = &proofs[mapping->objective];
    if (mapping->objective == SCALAY_MIN_TIME && check->link_cost != NULL) return check_time(check);
    if (mapping->time != (double)mapping->volume) return DENY("the time is not the volume");
    if (kind->duals) SCALAY_TRY(check_bound(mapping, "items that move", mapping->bound, mapping->volume));
    if (kind->crowd) SCALAY_TRY(check_bound(mapping, "steps", mapping->steps_bound, mapping->steps));
    if (mapping->objective == SCALAY_MIN_GRID_VOLUME) {
        SCALAY_TRY(scalay_certificate_check_grid(mapping));
        if (mapping->certificate.line_dual != NULL) return scalay_certificate_check_lines(check->traffic, mapping);
    }
    if (kind->duals) SCALAY_TRY(check_duals(check, kind));
    if (kind->crowd) SCALAY_TRY(check_crowd(check, kind));
cleanup:
    return status;
}

scalay_status scalay_mapping_check(const scalay_traffic *traffic, const scalay_mapping *mapping,
                                   const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    if (traffic == NULL || mapping == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic or mapping is NULL; create both first");
    checker check = {.traffic = traffic, .mapping = mapping, .processes = mapping->processes};
    if (options != NULL) {
        check.barred = options->barred;
        check.link_cost = options->link_cost;
        check.link_context = options->link_context;
    }
    if (mapping->parts != traffic->parts)
        return DENY("the mapping has %d parts, the traffic %d", mapping->parts, traffic->parts);
    if (options != NULL && options->processes > 0 && options->processes != mapping->processes)
        return DENY("the mapping has %d processes, the options %d", mapping->processes, options->processes);
    SCALAY_TRY(recount(&check));
    SCALAY_TRY(check_counts(&check));
    if (mapping->proof != SCALAY_PROOF_NONE) SCALAY_TRY(check_proof(&check));
cleanup:
    return status;
}
