#ifndef SCALAY_CLI_STRATEGY_H
#define SCALAY_CLI_STRATEGY_H

/** @file A way to get the job done, its costs, and the report about all of them. */

#include <jansson.h>

#include "io/plot.h"
#include "job.h"
#include "report.h"
#include "scalay/mapping.h"

/** So many strategies are compared at most. */
#define SCALAY_MOST_STRATEGIES 8

/** A strategy and what it has cost. Zeroed, it is nothing. */
typedef struct {
    const char *name;
    scalay_objective objective; /* of its mapping */
    int grid[2];                /* 0: the target is not block-cyclic */
    int64_t mb, nb;             /* 0: an owner map, which has no blocks */
    int64_t volume;
    int64_t steps;
    int64_t bytes;       /* on the wire; -1: not counted */
    int64_t extra_bytes; /* that a rank needs besides the matrices, at most; with bytes */
    int parts;
    int *mapping;    /* shape [parts]: the process of each part of the target; owned */
    int64_t repeats; /* so far */
    double *move;    /* shape [repeat], seconds of each repetition; owned */
    double *kernel;  /* likewise */
    double predicted_seconds;
    double move_seconds; /* medians, by scalay_strategy_finish() */
    double kernel_seconds;
} scalay_strategy;

/** Makes room for the times of so many repetitions. */
scalay_status scalay_strategy_start(scalay_strategy *strategy, int64_t repeat);

/** Copies who takes the parts of a target: the processes of a layout that a mapping was applied to. */
scalay_status scalay_strategy_set_mapping(scalay_strategy *strategy, const scalay_layout *mapped);

/** Notes grid and blocks of a block-cyclic target; nothing of a grid for others. */
void scalay_strategy_set_target(scalay_strategy *strategy, const scalay_layout *target);

/** Notes the seconds of a repetition. */
void scalay_strategy_add(scalay_strategy *strategy, double move_seconds, double kernel_seconds);

/** The share of the matrix that changes process, in percent. */
double scalay_strategy_moved(const scalay_job *job, const scalay_strategy *strategy);

/** The median of some numbers, which it sorts; 0 of none. */
double scalay_median(double *values, int64_t count);

/** Computes the medians. */
void scalay_strategy_finish(scalay_strategy *strategy);

/** Releases what a strategy holds. */
void scalay_strategy_free(scalay_strategy *strategy);

/** Prints the table of strategies; `kernel` is the name of the kernel's column, NULL: there is none. */
scalay_status scalay_strategies_print(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen,
                                      const char *kernel);

/** What redistribute and qr say in JSON: DESIGN.md's keys up to "chosen". NULL when memory has run out. */
json_t *scalay_strategies_as_json(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen);

/** Adds the chart of the times of all strategies to a picture. */
scalay_status scalay_strategies_plot(scalay_plot *plot, const scalay_strategy *strategies, int count, int chosen);

#endif
