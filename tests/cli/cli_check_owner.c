#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check.h"
#include "scalay/layout.h"

static int64_t key_of(const char *text, const char *key, int64_t otherwise)
{
    for (const char *at = strchr(text, ':'); at != NULL; at = strchr(at + 1, ','))
        if (strncmp(at + 1, key, strlen(key)) == 0) return strtoll(at + 1 + strlen(key), NULL, 10);
    return otherwise;
}

owner_map cyclic_owners(int64_t m, int64_t n, int64_t mb, int64_t nb, int p, int q, int rsrc, int csrc, int by_columns)
{
    owner_map map = {m, n, p * q, room_for(m * n, sizeof(int))};
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int row = (int)((i / mb + rsrc) % p);
            int col = (int)((j / nb + csrc) % q);
            map.owner[i * n + j] = by_columns ? col * p + row : row * q + col;
        }
    return map;
}

owner_map owners_of(const char *text)
{
    if (strncmp(text, "cyclic:", 7) == 0)
        return cyclic_owners(key_of(text, "m=", 0), key_of(text, "n=", 0), key_of(text, "mb=", 1),
                             key_of(text, "nb=", 1), (int)key_of(text, "p=", 1), (int)key_of(text, "q=", 1),
                             (int)key_of(text, "rsrc=", 0), (int)key_of(text, "csrc=", 0),
                             strstr(text, "order=col") != NULL);
    scalay_layout *layout = NULL;
    if (scalay_layout_parse(text, &layout) != SCALAY_SUCCESS) REFUSE("%s: %s", text, scalay_error_message());
    int64_t m = scalay_layout_rows(layout);
    int64_t n = scalay_layout_cols(layout);
    owner_map map = {m, n, scalay_layout_processes(layout), room_for(m * n, sizeof(int))};
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) map.owner[i * n + j] = scalay_layout_owner(layout, i, j);
    scalay_layout_destroy(&layout);
    return map;
}

traffic_counts count_traffic(const owner_map *source, const owner_map *target)
{
    REQUIRE(source->m == target->m && source->n == target->n);
    traffic_counts t = {source->processes, target->processes, NULL};
    t.q = room_for((int64_t)t.processes * t.parts, sizeof *t.q);
    for (int64_t k = 0; k < source->m * source->n; k++) t.q[(int64_t)source->owner[k] * t.parts + target->owner[k]]++;
    return t;
}

void cost_of(const traffic_counts *t, const int *mapping, int64_t *volume, int64_t *steps)
{
    int processes = t->processes;
    for (int part = 0; part < t->parts; part++)
        if (mapping[part] >= processes) processes = mapping[part] + 1;
    int64_t *sent = room_for(processes, sizeof *sent);
    int64_t *received = room_for(processes, sizeof *received);
    *volume = 0;
    *steps = 0;
    for (int from = 0; from < t->processes; from++)
        for (int part = 0; part < t->parts; part++) {
            int64_t items = t->q[(int64_t)from * t->parts + part];
            if (mapping[part] == from) continue;
            *volume += items;
            sent[from] += items;
            received[mapping[part]] += items;
        }
    for (int process = 0; process < processes; process++) {
        if (sent[process] > *steps) *steps = sent[process];
        if (received[process] > *steps) *steps = received[process];
    }
    free(sent);
    free(received);
}

int check_show(int argc, char **argv)
{
    (void)argc;
    owner_map map = owners_of(argv[0]);
    json_t *document = load_json(argv[1]);
    const json_t *counts = array_at(document, "counts");
    int64_t *mine = room_for(map.processes, sizeof *mine);
    for (int64_t k = 0; k < map.m * map.n; k++) mine[map.owner[k]]++;
    REQUIRE(integer_at(document, "m") == map.m);
    REQUIRE(integer_at(document, "n") == map.n);
    REQUIRE(integer_at(document, "processes") == map.processes);
    REQUIRE(integer_at(document, "parts") == map.processes);
    REQUIRE(strlen(text_at(document, "description")) > 0);
    REQUIRE((int)json_array_size(counts) == map.processes);
    for (int k = 0; k < map.processes; k++) REQUIRE(json_integer_value(json_array_get(counts, (size_t)k)) == mine[k]);
    json_decref(document);
    free(mine);
    free(map.owner);
    return 0;
}
