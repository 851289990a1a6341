#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"

enum { BRUTE_FORCE = 8 };

/* ------------------------------------------------------------------------------------------- brute force */

/* Smaller is better, the first number first. */
typedef struct {
    double first, second;
} objective_value;

typedef struct {
    const traffic_counts *t;
    const double *cost; /* of links, shape [processes][processes]; NULL unless the objective is time */
    const char *objective;
    int processes;
    int mapping[BRUTE_FORCE];
    int taken[BRUTE_FORCE];
    objective_value best;
} search;

static double link_sum(const traffic_counts *t, const double *cost, int processes, const int *mapping)
{
    double sum = 0;
    for (int from = 0; from < t->processes; from++)
        for (int part = 0; part < t->parts; part++)
            sum += (double)t->q[(int64_t)from * t->parts + part] * cost[from * processes + mapping[part]];
    return sum;
}

static objective_value value_of(const search *s, const int *mapping)
{
    int64_t volume = 0;
    int64_t steps = 0;
    cost_of(s->t, mapping, &volume, &steps);
    if (strcmp(s->objective, "time") == 0) return (objective_value){link_sum(s->t, s->cost, s->processes, mapping), 0};
    if (strcmp(s->objective, "volume") == 0) return (objective_value){(double)volume, 0};
    if (strcmp(s->objective, "steps") == 0) return (objective_value){(double)steps, 0};
    if (strcmp(s->objective, "volume-steps") == 0) return (objective_value){(double)volume, (double)steps};
    return (objective_value){(double)steps, (double)volume};
}

static int better(objective_value a, objective_value b)
{
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}

static void search_from(search *s, int part)
{
    if (part == s->t->parts) {
        objective_value value = value_of(s, s->mapping);
        if (better(value, s->best)) s->best = value;
        return;
    }
    for (int process = 0; process < s->processes; process++) {
        if (s->taken[process]) continue;
        s->taken[process] = 1;
        s->mapping[part] = process;
        search_from(s, part + 1);
        s->taken[process] = 0;
    }
}

static void check_optimum(search *s, const int *mapping)
{
    if (strcmp(s->objective, "canonical") == 0 || s->processes > BRUTE_FORCE) return;
    s->best = (objective_value){INFINITY, INFINITY};
    search_from(s, 0);
    objective_value got = value_of(s, mapping);
    double slack = s->cost != NULL ? 1e-9 * fabs(s->best.first) : 0;
    if (got.first > s->best.first + slack || got.second > s->best.second)
        REFUSE("%s: (%g, %g) is printed, brute force finds (%g, %g)", s->objective, got.first, got.second,
               s->best.first, s->best.second);
}

/* ---------------------------------------------------------------------------------------------- schedule */

/* The messages of a step begin with it; those of rounds are over at its end. */
static void check_step(const json_t *step, int rounds, int64_t time, int processes, int64_t *left, int64_t *busy)
{
    const json_t *pairs = array_at(step, "pairs");
    const json_t *sent = array_at(step, "sent");
    REQUIRE(json_array_size(pairs) == json_array_size(sent) && json_array_size(pairs) > 0);
    for (size_t k = 0; k < json_array_size(pairs); k++) {
        int64_t from = json_integer_value(json_array_get(json_array_get(pairs, k), 0));
        int64_t to = json_integer_value(json_array_get(json_array_get(pairs, k), 1));
        int64_t items = json_integer_value(json_array_get(sent, k));
        REQUIRE(from >= 0 && from < processes && to >= 0 && to < processes);
        REQUIRE(busy[from] <= time && busy[processes + to] <= time);
        REQUIRE(items >= 1 && (!rounds || items <= integer_at(step, "items")));
        busy[from] = busy[processes + to] = time + items;
        left[from * processes + to] -= items;
    }
}

/* At no time does anybody send or receive twice; all steps together move what the mapping moves, in as many item
 * steps. */
static void check_schedule(const json_t *schedule, int rounds, const traffic_counts *t, const int *mapping,
                           int processes, int64_t steps)
{
    int64_t *left = room_for((int64_t)processes * processes, sizeof *left);
    int64_t *busy = room_for(2 * (int64_t)processes, sizeof *busy);
    int64_t length = 0;
    size_t index = 0;
    const json_t *step = NULL;
    for (int from = 0; from < t->processes; from++)
        for (int part = 0; part < t->parts; part++)
            if (mapping[part] != from) left[from * processes + mapping[part]] = t->q[(int64_t)from * t->parts + part];
    json_array_foreach(schedule, index, step)
    {
        check_step(step, rounds, length, processes, left, busy);
        length += integer_at(step, "items");
    }
    for (int64_t k = 0; k < (int64_t)processes * processes; k++) REQUIRE(left[k] == 0);
    for (int k = 0; k < 2 * processes; k++) REQUIRE(busy[k] <= length);
    REQUIRE(length == steps);
    free(left);
    free(busy);
}

/* --------------------------------------------------------------------------------------------------- JSON */

static void check_canonical(const traffic_counts *t, const json_t *document)
{
    int64_t volume = 0;
    int64_t steps = 0;
    int *identity = room_for(t->parts, sizeof *identity);
    for (int part = 0; part < t->parts; part++) identity[part] = part;
    cost_of(t, identity, &volume, &steps);
    REQUIRE(integer_at(json_object_get(document, "volume"), "canonical") == volume);
    REQUIRE(integer_at(json_object_get(document, "steps"), "canonical") == steps);
    free(identity);
}

static void check_document(const traffic_counts *t, const char *objective, const char *path, const double *cost,
                           int cost_processes)
{
    json_t *document = load_json(path);
    int larger = t->processes > t->parts ? t->processes : t->parts;
    int processes = cost != NULL ? cost_processes : larger;
    int64_t volume = 0;
    int64_t steps = 0;
    search s = {.t = t, .cost = cost, .objective = objective, .processes = processes};
    REQUIRE(integer_at(document, "parts") == t->parts);
    REQUIRE(integer_at(document, "processes") == processes);
    REQUIRE(strcmp(text_at(document, "objective"), objective) == 0);
    REQUIRE(strcmp(text_at(document, "proof"), strcmp(objective, "canonical") == 0 ? "none" : "optimal") == 0);
    int *mapping = mapping_at(document, t->parts, processes);
    cost_of(t, mapping, &volume, &steps);
    REQUIRE(integer_at(json_object_get(document, "volume"), "chosen") == volume);
    REQUIRE(integer_at(json_object_get(document, "steps"), "chosen") == steps);
    check_canonical(t, document);
    if (cost != NULL) {
        double time = link_sum(t, cost, processes, mapping);
        REQUIRE(fabs(number_at(json_object_get(document, "time"), "chosen") - time) <= 1e-12 * time);
    }
    check_optimum(&s, mapping);
    const json_t *schedule = json_object_get(document, "schedule");
    if (schedule != NULL)
        check_schedule(schedule, !json_is_true(json_object_get(document, "preemptive")), t, mapping, processes, steps);
    json_decref(document);
    free(mapping);
}

/* One point of a front: what it claims, and that it is the best there is for an objective (NULL: not asked). */
static void check_point(const traffic_counts *t, const json_t *point, const char *objective, int64_t *steps,
                        int64_t *volume)
{
    const int processes = t->processes > t->parts ? t->processes : t->parts;
    search s = {.t = t, .objective = objective, .processes = processes};
    int *mapping = mapping_at(point, t->parts, processes);
    cost_of(t, mapping, volume, steps);
    REQUIRE(integer_at(point, "volume") == *volume);
    REQUIRE(integer_at(point, "steps") == *steps);
    if (objective != NULL) check_optimum(&s, mapping);
    free(mapping);
}

int check_map_front(int argc, char **argv)
{
    (void)argc;
    owner_map source = owners_of(argv[0]), target = owners_of(argv[1]);
    traffic_counts t = count_traffic(&source, &target);
    json_t *document = load_json(argv[2]);
    const json_t *points = array_at(document, "front");
    const size_t count = json_array_size(points);
    int64_t steps = -1, volume = INT64_MAX;
    REQUIRE(strcmp(text_at(document, "objective"), "front") == 0 && count > 0);
    for (size_t k = 0; k < count; k++) {
        int64_t next_steps = 0, next_volume = 0;
        const char *objective = k == 0 ? "steps-volume" : k + 1 == count ? "volume-steps" : NULL;
        check_point(&t, json_array_get(points, k), objective, &next_steps, &next_volume);
        REQUIRE(next_steps > steps && next_volume < volume);
        steps = next_steps;
        volume = next_volume;
    }
    json_decref(document);
    free(t.q);
    free(source.owner);
    free(target.owner);
    return 0;
}

int check_map(int argc, char **argv)
{
    (void)argc;
    owner_map source = owners_of(argv[0]);
    owner_map target = owners_of(argv[1]);
    traffic_counts t = count_traffic(&source, &target);
    check_document(&t, argv[2], argv[3], NULL, 0);
    free(t.q);
    free(source.owner);
    free(target.owner);
    return 0;
}

/* A well-formed CSV file, without comments. */
static double *read_csv(const char *path, int *rows, int *cols)
{
    FILE *stream = fopen(path, "r");
    if (stream == NULL) REFUSE("%s cannot be opened", path);
    double *values = NULL;
    int64_t count = 0;
    int64_t capacity = 0;
    double value = 0;
    char separator = 0;
    *rows = 0;
    while (fscanf(stream, "%lf%c", &value, &separator) == 2) {
        if (count == capacity) values = realloc(values, (size_t)(capacity = 2 * capacity + 64) * sizeof *values);
        if (values == NULL) REFUSE("no memory for %s", path);
        values[count++] = value;
        if (separator == '\n') ++*rows;
    }
    fclose(stream);
    REQUIRE(*rows > 0 && count % *rows == 0);
    *cols = (int)(count / *rows);
    return values;
}

int check_traffic(int argc, char **argv)
{
    traffic_counts t = {0};
    int side = 0;
    double *values = read_csv(argv[0], &t.processes, &t.parts);
    double *cost = argc > 3 ? read_csv(argv[3], &side, &side) : NULL;
    t.q = room_for((int64_t)t.processes * t.parts, sizeof *t.q);
    for (int64_t k = 0; k < (int64_t)t.processes * t.parts; k++) t.q[k] = (int64_t)values[k];
    check_document(&t, argv[1], argv[2], cost, side);
    free(values);
    free(cost);
    free(t.q);
    return 0;
}
