#ifndef SCALAY_BENCHMARKS_MAPPING_RUNS_H
#define SCALAY_BENCHMARKS_MAPPING_RUNS_H

/**
 * @file
 * What the files of bench_mapping share: instances, runs, peers and the cells of the tables. C and C++.
 *
 * Every run has a process of its own, so that what it takes in memory is its own, and so that it can be given up.
 */

#include <stdint.h>

#include "scalay/mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the program was told. */
typedef struct {
    int repetitions;
    int limit; /* processor seconds for a peer; 0: any number */
    uint64_t seed;
} mapping_settings;

/* ----------------------------------------------------------------------------------------------- runs */

/** Processor seconds of this process, which has one thread. */
double mapping_now(void);

/** Says what went wrong and leaves, unless nothing did. */
void mapping_must(scalay_status status);

/** Zeroed memory; leaves when there is none. */
void *mapping_room(int64_t count, size_t size);

/** Does something once; sets what it found; returns its processor seconds, negative when it cannot do that. */
typedef double (*mapping_run)(const void *context, int64_t *value);

/** What came of a run. */
typedef struct {
    double seconds;   /* the median; negative: refused, or too long, as timing.h has it */
    double megabytes; /* resident at most, more than before */
    int64_t value[3]; /* of the last repetition */
} mapping_outcome;

/** Runs at most so often (less often where it takes long), for at most so many processor seconds (0: any number). */
mapping_outcome mapping_measure(mapping_run run, const void *context, int repetitions, int limit);

/* ------------------------------------------------------------------------------------------ instances */

/** Every entry from 1 to `most`, each as likely. */
scalay_traffic *mapping_uniform(int extent, int64_t most, uint64_t seed);

/** `each` items of a process for every part on average, each in a random part. */
scalay_traffic *mapping_multinomial(int extent, int each, uint64_t seed);

/** `each` items of every part, each on a random process. */
scalay_traffic *mapping_scattered(int extent, int each, uint64_t seed);

/** So many random entries of each part, of 1 to `most` items. */
scalay_traffic *mapping_weighted(int extent, int each, int64_t most, uint64_t seed);

/** Dense: a weight of each process times one of each part, below 10^5, with noise of a tenth of a thousandth of the
 * largest product. */
scalay_traffic *mapping_noisy(int extent, uint64_t seed);

/** `each` items on every process, and of every part, in a random order. */
scalay_traffic *mapping_balanced(int extent, int each, uint64_t seed);

/** From one grid to another. */
typedef struct {
    int rows, cols; /* of the grid */
    int64_t mb, nb; /* of the blocks */
    int to_rows, to_cols;
    int64_t to_mb, to_nb;
    int64_t extent; /* of the matrix, which is square; 0: 10^6 */
} mapping_grids;

/** What is mapped, and how. Between grids it has layouts, and a traffic only where that is small enough. */
typedef struct {
    const char *name;
    const scalay_traffic *traffic;
    const scalay_layout *source, *target;
    int64_t items;
    scalay_objective objective;
    double budget;
} mapping_instance;

/** Compares, and prints a line or more. */
typedef void (*mapping_comparison)(const mapping_instance *given, const mapping_settings *settings);

/** Hands an instance of this traffic over, and destroys that. */
void mapping_with_traffic(const char *name, scalay_traffic *traffic, mapping_comparison compare,
                          const mapping_settings *settings);

/** The same within a time budget, in seconds; 0: none. */
void mapping_with_budget(const char *name, scalay_traffic *traffic, double budget, mapping_comparison compare,
                         const mapping_settings *settings);

/** Hands an instance between grids over, with its traffic or without. */
void mapping_with_grids(const char *name, const mapping_grids *grids, int has_traffic, double budget,
                        mapping_comparison compare, const mapping_settings *settings);

/** Runs of a mapping_instance. Ours sets volume, steps and bound; the check does it all again, and leaves unless the
 * mapping proves right; forming makes the traffic between layouts. */
double mapping_ours(const void *instance, int64_t *value);
double mapping_ours_checked(const void *instance, int64_t *value);
double mapping_forming(const void *instance, int64_t *value);

/* ---------------------------------------------------------------------------------------------- peers */

/** For the context of each: a square scalay_traffic. Each sets value[0] to the items that stay. What brings the traffic
 * into the form that a peer works on is not in its seconds. */
double mapping_jonker_volgenant(const void *traffic, int64_t *value);
double mapping_shortest_paths(const void *traffic, int64_t *value);
double mapping_lemon_cost_scaling(const void *traffic, int64_t *value);
double mapping_lemon_simplex(const void *traffic, int64_t *value);

/** As above; each sets value[0] to the least steps. */
double mapping_published_steps(const void *traffic, int64_t *value);
double mapping_published_steps_kept(const void *traffic, int64_t *value);
double mapping_bisected_steps(const void *traffic, int64_t *value);

/* --------------------------------------------------------------------------------------------- tables */

void mapping_volume_table(const mapping_settings *settings);
void mapping_steps_table(const mapping_settings *settings);
void mapping_schedule_table(const mapping_settings *settings);
void mapping_nodes_table(const mapping_settings *settings);

/** Seconds in three digits, and how many times ours they are, in a column of 18; `differs` says that the peer found
 * something else. */
void mapping_print_peer(double seconds, double ours, int limit, int differs);

/** Seconds in three digits. */
void mapping_print_seconds(double seconds, int width);

/** Megabytes, in a column of 5. */
void mapping_print_megabytes(double megabytes);

/** How many peers found something else so far. */
int mapping_differences(void);

#ifdef __cplusplus
}
#endif

#endif
