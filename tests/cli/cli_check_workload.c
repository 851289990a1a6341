#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"
#include "cli_check_profile.h"

/* What is checked: an objective of a profile, with its communication cost. */
typedef struct {
    const check_profile *profile;
    const json_t *document;
    int64_t n;
    const char *objective;
    const char *comm; /* a file or hockney:..; NULL: none */
    int at_most;
    double base_power;
    int optimal; /* the method claims to be exact, and the problem is small */
    int fewest;  /* it also claims that no fewer processors will do */
} question;

static int same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* ----------------------------------------------------------------------------------------- a distribution */

static void add_size(const check_group *group, int64_t size, int64_t count, check_value *value, int64_t *sum)
{
    if (size == 0) return;
    if (size < 0 || size > group->largest || isinf(group->time[size]))
        REFUSE("%s gets %lld, which is not listed", group->name, (long long)size);
    value->time = fmax(value->time, group->time[size]);
    value->energy += count * group->energy[size];
    value->active += count;
    *sum += count * size;
}

static void add_listed(const check_profile *profile, const json_t *list, check_value *value, int64_t *sum)
{
    size_t at = 0;
    REQUIRE((int64_t)json_array_size(list) == profile->processors);
    for (int k = 0; k < profile->groups; k++)
        for (int64_t copy = 0; copy < profile->group[k].count; copy++)
            add_size(&profile->group[k], json_integer_value(json_array_get(list, at++)), 1, value, sum);
}

static void add_histogram(const check_profile *profile, const json_t *list, check_value *value, int64_t *sum)
{
    int64_t counted[MOST_GROUPS] = {0};
    for (size_t at = 0; at < json_array_size(list); at++) {
        const json_t *row = json_array_get(list, at);
        int k = 0;
        while (k < profile->groups && strcmp(profile->group[k].name, text_at(row, "processor")) != 0) k++;
        REQUIRE(k < profile->groups && integer_at(row, "count") >= 1);
        counted[k] += integer_at(row, "count");
        add_size(&profile->group[k], integer_at(row, "size"), integer_at(row, "count"), value, sum);
    }
    for (int k = 0; k < profile->groups; k++) REQUIRE(counted[k] == profile->group[k].count);
}

/* Recounts what an object prints of a distribution: its sum, time, energy and active processors. */
static check_value recount(const question *q, const json_t *object)
{
    check_value value = {0};
    int64_t sum = 0;
    int listed = q->profile->processors <= 100000;
    REQUIRE((json_object_get(object, "distribution") != NULL) == listed);
    REQUIRE((json_object_get(object, "histogram") != NULL) == !listed);
    if (listed)
        add_listed(q->profile, array_at(object, "distribution"), &value, &sum);
    else
        add_histogram(q->profile, array_at(object, "histogram"), &value, &sum);
    if (sum != q->n) REFUSE("the sizes add up to %lld, not %lld", (long long)sum, (long long)q->n);
    REQUIRE(number_at(object, "time") == value.time);
    REQUIRE(integer_at(object, "active") == value.active);
    if (q->profile->has_energy)
        REQUIRE(same(number_at(object, "energy"), (double)value.energy / 1e6));
    else
        REQUIRE(json_is_null(json_object_get(object, "energy")));
    return value;
}

/* ------------------------------------------------------------------------------------------ communication */

static double hockney_cost(const char *text, int64_t n, int64_t processors)
{
    double alpha = 0, beta = 0, block = 0;
    REQUIRE(sscanf(text, "hockney:alpha=%lf,beta=%lf,block=%lf", &alpha, &beta, &block) == 3);
    double side = 1024.0 * (double)n;
    double root = sqrt((double)processors);
    return (log2((double)processors) + 2 * (root - 1)) * alpha * side / block +
           4 * (1 - 1 / root) * beta * side * side / root;
}

static double table_cost(const char *path, int64_t processors)
{
    FILE *stream = fopen(path, "r");
    char line[256];
    double cost = INFINITY;
    REQUIRE(stream != NULL && fgets(line, sizeof line, stream) != NULL);
    while (fgets(line, sizeof line, stream) != NULL)
        if (atoll(line) == processors) cost = strtod(strchr(line, ',') + 1, NULL);
    fclose(stream);
    return cost;
}

static double cost_for(const question *q, int64_t processors)
{
    if (processors == 0) return 0.0;
    if (strncmp(q->comm, "hockney:", 8) == 0) return hockney_cost(q->comm, q->n, processors);
    return table_cost(q->comm, processors);
}

/* The least sum of time or energy and communication. */
static double least_total(const question *q)
{
    double least = INFINITY;
    double with = INFINITY; /* the least with at most, or exactly, this many active */
    for (int64_t active = 1; active <= q->profile->processors; active++) {
        double exactly = least_with_active(q->profile, q->n, active, strcmp(q->objective, "energy") == 0);
        with = q->at_most ? fmin(with, exactly) : exactly;
        least = fmin(least, with + cost_for(q, active));
    }
    return least;
}

static void check_communication(const question *q, const check_value *value)
{
    int64_t part = integer_at(q->document, "taking_part");
    int energy = strcmp(q->objective, "energy") == 0;
    double own = energy ? (double)value->energy / 1e6 : value->time;
    double total = number_at(q->document, energy ? "total_energy" : "total_time");
    double cost = number_at(q->document, "communication");
    REQUIRE(part >= value->active && part <= q->profile->processors);
    REQUIRE(q->at_most || part == value->active);
    REQUIRE(same(cost, cost_for(q, part)));
    REQUIRE(same(total, own + cost));
    if (!q->optimal || q->n == 0) return;
    double least = least_total(q);
    if (!same(total, least)) REFUSE("%.17g with communication, but %.17g can be had", total, least);
}

/* ------------------------------------------------------------------------------------------------- answers */

/* Least time; then "auto" has the least energy of that time, if energies are known; then the fewest active. */
static void check_time(const question *q, const check_value *value)
{
    check_value least = least_time(q->profile, q->n);
    if (value->time != least.time) REFUSE("time %.17g, but %.17g can be had", value->time, least.time);
    if (q->fewest && q->profile->has_energy) {
        least = least_energy(q->profile, q->n, value->time);
        if (value->energy != least.energy)
            REFUSE("energy %lld, but %lld will do", (long long)value->energy, (long long)least.energy);
    }
    if (value->active < least.active || (q->fewest && value->active > least.active))
        REFUSE("%lld active, but %lld will do", (long long)value->active, (long long)least.active);
}

static void check_energy(const question *q, const check_value *value)
{
    check_value least = least_energy(q->profile, q->n, INFINITY);
    if (value->energy != least.energy || value->active < least.active || (q->fewest && value->active > least.active))
        REFUSE("energy %lld with %lld active, but %lld with %lld can be had", (long long)value->energy,
               (long long)value->active, (long long)least.energy, (long long)least.active);
}

static double total_of(const question *q, const check_value *value)
{
    return (double)value->energy / 1e6 + q->base_power * value->time;
}

/* The point at position k is right by its own distribution, and comes after the one before it. */
static check_value check_point(const question *q, const json_t *list, size_t k, const check_value *before)
{
    const json_t *object = json_array_get(list, k);
    check_value value = recount(q, object);
    if (q->base_power >= 0) REQUIRE(same(number_at(object, "total_energy"), total_of(q, &value)));
    if (k == 0) return value;
    REQUIRE(value.time > before->time && value.energy < before->energy);
    if (q->base_power >= 0) REQUIRE(total_of(q, &value) < total_of(q, before));
    return value;
}

/* The points are those of the definition: the least energy for each limit of time. */
static void check_whole_front(const question *q, const check_value *points, size_t count)
{
    int64_t limits = 0;
    double *limit = distinct_times(q->profile, &limits);
    size_t at = 0;
    int64_t least = NO_ENERGY;
    double least_sum = INFINITY;
    for (int64_t k = 0; is_small(q->profile, q->n, limits) && k < limits; k++) {
        check_value value = least_energy(q->profile, q->n, limit[k]);
        value.time = limit[k];
        if (value.energy >= least) continue;
        least = value.energy;
        if (q->base_power >= 0 && total_of(q, &value) >= least_sum) continue;
        least_sum = total_of(q, &value);
        if (at >= count || points[at].time != value.time || points[at].energy != value.energy ||
            points[at].active < value.active || (q->fewest && points[at].active > value.active))
            REFUSE("point %zu should be (%.17g, %lld) with %lld active", at, value.time, (long long)value.energy,
                   (long long)value.active);
        at++;
    }
    if (is_small(q->profile, q->n, limits)) REQUIRE(at == count);
    free(limit);
}

static double height(const question *q, const check_value *value)
{
    return q->base_power >= 0 ? total_of(q, value) : (double)value->energy / 1e6;
}

/* How far below the line between the ends, both axes from 0 to 1. */
static double depth(const question *q, const check_value *points, size_t count, size_t k)
{
    double width = points[count - 1].time - points[0].time;
    double fall = height(q, &points[0]) - height(q, &points[count - 1]);
    if (count < 3) return 0.0;
    return 1.0 - (points[k].time - points[0].time) / width -
           (height(q, &points[k]) - height(q, &points[count - 1])) / fall;
}

static void check_chosen(const question *q, const check_value *points, size_t count, double share)
{
    const json_t *chosen = json_object_get(q->document, "chosen");
    const char *by = text_at(chosen, "by");
    int64_t at = integer_at(chosen, "point");
    REQUIRE(at >= 0 && (size_t)at < count);
    check_value value = recount(q, chosen);
    REQUIRE(value.time == points[at].time && value.energy == points[at].energy);
    for (size_t k = 0; k < count; k++) {
        if (strcmp(by, "knee") == 0) REQUIRE(depth(q, points, count, (size_t)at) >= depth(q, points, count, k) - 1e-12);
        if (strcmp(by, "within-time") == 0)
            REQUIRE((points[k].time <= (1 + share) * points[0].time) == ((int64_t)k <= at));
        if (strcmp(by, "within-energy") == 0)
            REQUIRE((height(q, &points[k]) <= (1 + share) * height(q, &points[count - 1])) == ((int64_t)k >= at));
    }
}

static void check_front(const question *q, const char *choice, double share)
{
    const json_t *list = array_at(q->document, "front");
    size_t count = json_array_size(list);
    check_value *points = room_for((int64_t)count, sizeof *points);
    REQUIRE(count >= 1);
    for (size_t k = 0; k < count; k++) points[k] = check_point(q, list, k, k > 0 ? &points[k - 1] : NULL);
    if (q->optimal) check_whole_front(q, points, count);
    REQUIRE((json_object_get(q->document, "chosen") != NULL) == (choice != NULL));
    if (choice != NULL) {
        REQUIRE(strcmp(text_at(json_object_get(q->document, "chosen"), "by"), choice) == 0);
        check_chosen(q, points, count, share);
    }
    free(points);
}

static void check_infeasible(const question *q)
{
    const json_t *nearest = json_object_get(q->document, "nearest");
    int64_t below = 0;
    int64_t above = 0;
    REQUIRE(json_object_get(q->document, "distribution") == NULL && json_object_get(q->document, "front") == NULL);
    nearest_totals(q->profile, q->n, &below, &above);
    REQUIRE(below != q->n || q->comm != NULL);
    REQUIRE(integer_at(nearest, "below") == below);
    if (above < 0)
        REQUIRE(json_is_null(json_object_get(nearest, "above")));
    else
        REQUIRE(integer_at(nearest, "above") == above);
}

static void check_single(const question *q)
{
    check_value value = recount(q, q->document);
    REQUIRE((json_object_get(q->document, "communication") != NULL) == (q->comm != NULL));
    if (q->comm != NULL)
        check_communication(q, &value);
    else if (q->optimal && strcmp(q->objective, "time") == 0)
        check_time(q, &value);
    else if (q->optimal)
        check_energy(q, &value);
}

static int is_exact(const char *method)
{
    static const char *const heuristics[] = {"even", "cpm", "fpm"};
    for (size_t k = 0; k < sizeof heuristics / sizeof heuristics[0]; k++)
        if (strcmp(method, heuristics[k]) == 0) return 0;
    return 1;
}

int check_workload(int argc, char **argv)
{
    check_profile *profile = read_profile(argv[0]);
    json_t *document = load_json(argv[3]);
    question q = {
        .profile = profile, .document = document, .objective = argv[1], .n = atoll(argv[2]), .base_power = -1};
    const char *choice = NULL;
    double share = 0.0;
    int exact = 1;
    for (int k = 4; k + 1 < argc; k += 2) {
        const char *value = argv[k + 1];
        if (strcmp(argv[k], "comm") == 0) q.comm = value;
        if (strcmp(argv[k], "variant") == 0) q.at_most = strcmp(value, "atmost") == 0;
        if (strcmp(argv[k], "power") == 0) q.base_power = strtod(value, NULL);
        if (strcmp(argv[k], "by") == 0) choice = value;
        if (strcmp(argv[k], "exact") == 0) exact = strcmp(value, "no") != 0;
        if (strcmp(argv[k], "share") == 0) share = strtod(value, NULL);
    }
    q.optimal = exact && is_exact(text_at(document, "method")) &&
                is_small(profile, q.n, q.comm != NULL ? profile->processors : 1);
    q.fewest = strcmp(text_at(document, "method"), "auto") == 0;
    REQUIRE(integer_at(document, "size") == q.n && strcmp(text_at(document, "objective"), q.objective) == 0);
    REQUIRE(integer_at(document, "processors") == profile->processors);
    if (!json_is_true(json_object_get(document, "feasible")))
        check_infeasible(&q);
    else if (strstr(q.objective, "front") != NULL)
        check_front(&q, choice, share);
    else
        check_single(&q);
    json_decref(document);
    free_profile(profile);
    return 0;
}
