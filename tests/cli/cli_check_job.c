#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"

static size_t size_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"s", 4}, {"d", 8}, {"c", 8}, {"z", 16}};
    for (size_t k = 0; k < 4; k++)
        if (strcmp(types[k].name, type) == 0) return types[k].size;
    REFUSE("type %s", type);
}

/* Who owns the elements of the transpose, as owners of the elements. */
static owner_map turned(owner_map map)
{
    owner_map other = map;
    other.m = map.n;
    other.n = map.m;
    other.owner = room_for(map.m * map.n, sizeof *other.owner);
    for (int64_t i = 0; i < map.m; i++)
        for (int64_t j = 0; j < map.n; j++) other.owner[j * map.m + i] = map.owner[i * map.n + j];
    free(map.owner);
    return other;
}

/* The parts of the target of a strategy: from its grid, or from a LAYOUT when it has none. */
static owner_map target_of(const json_t *strategy, const owner_map *source, int transposed, const char *text)
{
    const json_t *grid = json_object_get(strategy, "grid");
    if (text != NULL) return owners_of(text);
    REQUIRE(json_is_array(grid) && json_array_size(grid) == 2);
    owner_map target = cyclic_owners(transposed ? source->n : source->m, transposed ? source->m : source->n,
                                     integer_at(strategy, "mb"), integer_at(strategy, "nb"),
                                     (int)json_integer_value(json_array_get(grid, 0)),
                                     (int)json_integer_value(json_array_get(grid, 1)), 0, 0, 0);
    return transposed ? turned(target) : target;
}

static void check_times(const json_t *strategy)
{
    double move = number_at(strategy, "move_seconds");
    double kernel = number_at(strategy, "kernel_seconds");
    REQUIRE(move >= 0 && kernel >= 0 && number_at(strategy, "predicted_seconds") >= 0);
    REQUIRE(fabs(number_at(strategy, "total_seconds") - move - kernel) <= 1e-12);
}

/* The engine on a map: what it says of the map is in range, and one process sends nothing. */
static void check_own(const json_t *strategy, int processes)
{
    const int64_t messages = integer_at(strategy, "messages"), bytes = integer_at(strategy, "bytes");
    REQUIRE(json_is_null(json_object_get(strategy, "grid")));
    REQUIRE(number_at(strategy, "balance") > 0 && number_at(strategy, "balance") <= 1);
    REQUIRE(messages >= 0 && bytes >= 0 && (messages == 0) == (bytes == 0));
    REQUIRE(processes > 1 || messages == 0);
    REQUIRE(integer_at(strategy, "volume") >= integer_at(strategy, "steps"));
    (void)text_at(strategy, "map");
}

static void check_strategy(const json_t *strategy, const owner_map *source, int transposed, int processes, size_t size,
                           const char *target_text)
{
    int64_t volume = 0;
    int64_t steps = 0;
    if (json_object_get(strategy, "map") != NULL) {
        check_own(strategy, processes);
        check_times(strategy);
        return;
    }
    owner_map target = target_of(strategy, source, transposed, target_text);
    traffic_counts t = count_traffic(source, &target);
    int *mapping = mapping_at(strategy, target.processes, processes);
    cost_of(&t, mapping, &volume, &steps);
    REQUIRE(integer_at(strategy, "volume") == volume);
    REQUIRE(integer_at(strategy, "steps") == steps);
    if (strcmp(text_at(strategy, "name"), "owner") == 0) REQUIRE(volume == 0);
    for (int part = 0; strcmp(text_at(strategy, "name"), "canonical") == 0 && part < target.processes; part++)
        REQUIRE(mapping[part] == part);
    if (json_object_get(strategy, "bytes") != NULL) {
        REQUIRE(integer_at(strategy, "bytes") == volume * (int64_t)size);
        REQUIRE(integer_at(strategy, "extra_bytes") >= 0);
    }
    check_times(strategy);
    free(mapping);
    free(t.q);
    free(target.owner);
}

static const json_t *strategy_named(const json_t *document, const char *name)
{
    size_t index = 0;
    const json_t *strategy = NULL;
    json_array_foreach(array_at(document, "strategies"), index, strategy)
    {
        if (strcmp(text_at(strategy, "name"), name) == 0) return strategy;
    }
    REFUSE("no strategy %s", name);
}

/* The mappings are at least as good as each other at what each was made for. */
static void check_order(const json_t *document)
{
    static const char *const names[] = {"canonical", "volume", "steps-volume"};
    const json_t *volume = strategy_named(document, "volume");
    const json_t *steps = strategy_named(document, "steps-volume");
    for (int k = 0; k < 3; k++) {
        const json_t *other = strategy_named(document, names[k]);
        REQUIRE(integer_at(volume, "volume") <= integer_at(other, "volume"));
        REQUIRE(integer_at(steps, "steps") <= integer_at(other, "steps"));
    }
}

/* The chosen strategy took at most 3% longer than the canonical mapping. */
static void check_choice(const json_t *document)
{
    const json_t *chosen = strategy_named(document, text_at(document, "chosen"));
    const double canonical = number_at(strategy_named(document, "canonical"), "total_seconds");
    REQUIRE(number_at(chosen, "total_seconds") <= 1.03 * canonical + 1e-12);
}

int check_job(int argc, char **argv)
{
    int processes = atoi(argv[1]);
    json_t *document = load_json(argv[3]);
    owner_map source = owners_of(strcmp(argv[2], "-") == 0 ? text_at(document, "source") : argv[2]);
    size_t size = size_of_type(text_at(document, "type"));
    const int transposed = json_object_get(document, "op") != NULL && strcmp(text_at(document, "op"), "N") != 0;
    size_t index = 0;
    const json_t *strategy = NULL;
    REQUIRE(integer_at(document, "m") == source.m);
    REQUIRE(integer_at(document, "n") == source.n);
    REQUIRE(integer_at(document, "processes") == processes);
    json_array_foreach(array_at(document, "strategies"), index, strategy)
    {
        check_strategy(strategy, &source, transposed, processes, size, argc > 4 ? argv[4] : NULL);
    }
    check_order(document);
    (void)strategy_named(document, text_at(document, "chosen"));
    if (strcmp(argv[0], "redistribute") != 0) {
        REQUIRE(number_at(document, "residual") >= 0 && number_at(document, "residual") < 10);
        REQUIRE(number_at(document, "own_residual") >= 0 && number_at(document, "own_residual") < 10);
        (void)strategy_named(document, "own");
    }
    if (strcmp(argv[0], "qr") == 0) {
        check_choice(document);
        REQUIRE(number_at(document, "orthogonality") >= 0 && number_at(document, "orthogonality") < 10);
    } else if (strcmp(argv[0], "redistribute") == 0) {
        REQUIRE(integer_at(document, "check") == 0);
    }
    json_decref(document);
    free(source.owner);
    return 0;
}

int check_memory(int argc, char **argv)
{
    (void)argc;
    json_t *document = load_json(argv[1]);
    size_t index = 0;
    const json_t *strategy = NULL;
    json_array_foreach(array_at(document, "strategies"), index, strategy)
    {
        REQUIRE(integer_at(strategy, "extra_bytes") <= atoi(argv[0]));
    }
    json_decref(document);
    return 0;
}
