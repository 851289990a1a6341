#ifndef SCALAY_TESTS_CLI_CHECK_H
#define SCALAY_TESTS_CLI_CHECK_H

/** @file The parts of cli_check: what the command line printed, judged by counting that is not the library's. */

#include <jansson.h>
#include <stdint.h>

/** Ends the program with a message. */
#define REFUSE(...) refuse(__FILE__, __LINE__, __VA_ARGS__)
#define REQUIRE(condition) ((condition) ? (void)0 : REFUSE("does not hold: %s", #condition))
__attribute__((format(printf, 3, 4), noreturn)) void refuse(const char *file, int line, const char *format, ...);

void *room_for(int64_t count, size_t size);

/** Who owns each element: shape [m][n], row by row. */
typedef struct {
    int64_t m, n;
    int processes;
    int *owner;
} owner_map;

/** From a LAYOUT text. Block-cyclic ones by the formula, tile maps by the library. */
owner_map owners_of(const char *text);

/** Block-cyclic owners with the first block at (rsrc, csrc). */
owner_map cyclic_owners(int64_t m, int64_t n, int64_t mb, int64_t nb, int p, int q, int rsrc, int csrc, int by_columns);

/** Items that process i holds of part j: shape [processes][parts]. */
typedef struct {
    int processes, parts;
    int64_t *q;
} traffic_counts;

traffic_counts count_traffic(const owner_map *source, const owner_map *target);

/** What a mapping costs, by definition. */
void cost_of(const traffic_counts *t, const int *mapping, int64_t *volume, int64_t *steps);

json_t *load_json(const char *path);
int64_t integer_at(const json_t *object, const char *key);
double number_at(const json_t *object, const char *key);
const char *text_at(const json_t *object, const char *key);
const json_t *array_at(const json_t *object, const char *key);

/** A mapping from JSON: distinct processes in range. */
int *mapping_at(const json_t *object, int parts, int processes);

/** The subcommands of cli_check; arguments after its own name. */
int check_show(int argc, char **argv);
int check_map(int argc, char **argv);
int check_map_front(int argc, char **argv);
int check_traffic(int argc, char **argv);
int check_workload(int argc, char **argv);
int check_job(int argc, char **argv);
int check_memory(int argc, char **argv);
int check_partition(int argc, char **argv);
int check_same(int argc, char **argv);
int check_turned(int argc, char **argv);
int check_gram(int argc, char **argv);
int check_lu(int argc, char **argv);
int check_cholesky(int argc, char **argv);
int check_product(int argc, char **argv);

#endif
