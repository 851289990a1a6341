#ifndef SCALAY_MAPPING_GRID_H
#define SCALAY_MAPPING_GRID_H

/**
 * @file
 * Mappings that keep a grid: the rows of its parts are permuted, and its columns. What stays is a sum over all pairs of
 * a row and a column; with the columns settled it is an assignment of the rows, and the other way round.
 */

#include "mapping/solve.h"

enum { SCALAY_GRID_ROWS = 0, SCALAY_GRID_COLS = 1 };

/** The edges of a line of processes in the making. */
typedef struct {
    scalay_edges edges;
    int64_t *sum; /* shape [extent]: what the line holds of each line of parts; zero between lines */
    int *met;     /* shape [extent]: the lines whose sum is positive */
    int met_count;
    int64_t capacity_col;
    int64_t capacity_weight;
    const int *fixed; /* shape [other extent]: the line of processes that takes each of the other lines; NULL: all do */
    int *met_by;      /* shape [other extent]: the other line of parts that each line of processes takes; -1: none */
} scalay_line_builder;

typedef struct scalay_grid_search scalay_grid_search;

/** Where the traffic comes from. */
typedef struct {
    /** Adds what a process holds of each line of parts on a side, where the other lines meet as the builder has it. */
    void (*add_process)(const scalay_grid_search *s, int side, int process, scalay_line_builder *build);
    /** Whether the duals of the lines prove that nothing is better: see scalay_certificate. */
    int (*lines_prove)(const scalay_grid_search *s);
} scalay_grid_source;

/** What is looked for, and what has been found. */
struct scalay_grid_search {
    const scalay_grid_source *source;
    const void *context; /* of the source */
    const scalay_mapping_problem *problem;
    const scalay_process_grid *grid;
    int processes; /* that hold something */
    int extent[2]; /* rows and columns */
    int *place;    /* shape [processes]: in the grid, row by row; -1: none */
    int *home;     /* shape [parts]: likewise where a part sits */
    int *line[2];  /* shape [extent]: the line of processes that takes each line of parts */
    int *best[2];  /* the same, of the best mapping so far */
    int64_t kept;  /* with `line` */
    int64_t best_kept;
    int proven;
    scalay_assignment assignment[2]; /* of the lines when the others were as they are */
};

/** The search on a problem, whose grid and options count; source and context are for the caller to set. To be released
 * with scalay_grid_search_free(), also on failure. @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (a process of the
 * grid may take no part), SCALAY_ERROR_MEMORY */
scalay_status scalay_grid_search_create(const scalay_mapping_problem *problem, int processes, int parts,
                                        scalay_grid_search *s);

/** Releases what a search holds. A zeroed one is fine. */
void scalay_grid_search_free(scalay_grid_search *s);

/** The line on a side that a place is in. */
int scalay_grid_line(const scalay_grid_search *s, int side, int place);

/** Adds some items of a line of parts. */
void scalay_line_add(scalay_line_builder *build, int line, int64_t items);

/** A permutation from a matching; lines that it leaves out stay where that is free. */
scalay_status scalay_grid_complete(const scalay_matching *matching, int extent, int *line);

/** Looks from several starts, until the deadline, or until the best is proven; its duals are left in the mapping. */
scalay_status scalay_grid_climb(scalay_grid_search *s, scalay_mapping *mapping);

/** Keeps the lines and their duals where they are better than the best so far. */
scalay_status scalay_grid_remember(scalay_grid_search *s, scalay_mapping *mapping);

/** Fills the best mapping in, and the grid that it keeps. */
scalay_status scalay_grid_settle(const scalay_grid_search *s, scalay_mapping *mapping);

#endif
