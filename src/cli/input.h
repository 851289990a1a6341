#ifndef SCALAY_CLI_INPUT_H
#define SCALAY_CLI_INPUT_H

/** @file Inputs of subcommands: layouts, objectives, types, communication costs, points of a front, and files. */

#include <jansson.h>

#include "options.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/partition.h"
#include "scalay/workload.h"

/* ---------------------------------------------------------------------------------------- named arguments */

/** Text of --help and of the manual page about the argument LAYOUT. */
extern const char scalay_layout_help[];

/**
 * Reads a LAYOUT.
 * @param[in]  option  for messages, such as "--from"
 * @param[in]  text    as scalay_layout_parse(), or partition:FILE.json
 * @param[in]  m, n    extents for a text without the keys m and n; -1: the text must have them
 * @param[out] layout  release with scalay_layout_destroy()
 * @return as scalay_layout_parse(), but SCALAY_ERROR_FORMAT for a file that cannot be read
 */
scalay_status scalay_input_layout(const char *option, const char *text, int64_t m, int64_t n, scalay_layout **layout);

/**
 * Adds the keys m and n to a LAYOUT text if it can have them and has not.
 * @param[in]  text   as scalay_layout_parse()
 * @param[in]  m, n   extents; -1: not added
 * @param[out] whole  release with scalay_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_complete_layout(const char *text, int64_t m, int64_t n, char **whole);

/** Returns the objective with a name from a choice of an option table. */
scalay_objective scalay_input_objective(const char *name);

/** Returns the element type s, d, c, z or i; SCALAY_DOUBLE for NULL. */
scalay_type scalay_input_type(const char *name);

/**
 * Reads communication costs: hockney:alpha=..,beta=..,block=.. or the name of a file.
 * @param[in]  option         for messages, such as "--comm"
 * @param[in]  text           the argument
 * @param[out] communication  release with scalay_communication_destroy()
 * @return as scalay_communication_read(), but SCALAY_ERROR_FORMAT for a file that cannot be read
 */
scalay_status scalay_input_communication(const char *option, const char *text, scalay_communication **communication);

/* ------------------------------------------------------------------------------------------ front points */

/** Options that select one point of a front: a member of the option struct. */
typedef struct {
    scalay_option_number within_time;   /* fraction */
    scalay_option_number within_energy; /* fraction */
    int knee;
} scalay_front_point;

/** Their rows in an option table. */
#define SCALAY_FRONT_POINT_ROWS(type, member)                                                                          \
    SCALAY_ROW(type, member.within_time, SCALAY_OPTION_SHARE, "within-time", "SHARE",                                  \
               "select the point with the least energy within SHARE, such as 5%, of the least time", NULL),            \
        SCALAY_ROW(type, member.within_energy, SCALAY_OPTION_SHARE, "within-energy", "SHARE",                          \
                   "select the fastest point within SHARE of the least energy", NULL),                                 \
        SCALAY_ROW(type, member.knee, SCALAY_OPTION_FLAG, "knee", "",                                                  \
                   "select the point with the largest distance below the line between the ends of the front", NULL)

/** Returns the number of these options that are given. */
int scalay_front_point_count(const scalay_front_point *options);

/** Returns the name of the option that is given, without dashes; NULL if none is. */
const char *scalay_front_point_option(const scalay_front_point *options);

/** Returns the selected point of a front with at least one point; -1 if no option is given. */
int64_t scalay_front_point_select(const scalay_front_point *options, const scalay_workload_front *front);

/* ------------------------------------------------------------------------------------------ JSON documents */

/**
 * Reads a JSON document of scalay.
 * @param[in]  path      file with one JSON object
 * @param[out] document  release with json_decref()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names file and line), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_document(const char *path, json_t **document);

/**
 * Reads the owner map of a partition.
 * @param[in]  path  output of `scalay partition --json`
 * @param[out] map   release with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names file and key), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_partition_map(const char *path, scalay_owner_map **map);

/* --------------------------------------------------------------------------------------- matrices, lists */

/**
 * Reads a whole text file.
 * @param[in]  path  the file
 * @param[out] text  NUL-terminated; release with scalay_release(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (a zero byte), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_text(const char *path, char **text);

/**
 * Reads a traffic matrix from a CSV file of integers of at least 0: row i is process i, column j is part j.
 * @param[in]  path     the file
 * @param[out] traffic  release with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT, SCALAY_ERROR_FILE, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_traffic(const char *path, scalay_traffic **traffic);

/**
 * Reads a list of numbers of at least 0, such as 1,0.5,0.25.
 * @param[in]  option  for messages, such as "--speeds"
 * @param[in]  text    the list
 * @param[out] count   its length
 * @param[out] number  shape [*count]; release with scalay_release(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_numbers(const char *option, const char *text, int *count, double **number);

/** Square matrix of costs between processes or nodes. */
typedef struct {
    int extent;
    double *cost; /* shape [extent * extent], entry [from * extent + to]; release with scalay_release() */
} scalay_cost_matrix;

/** Reads a square CSV matrix of numbers of at least 0. Returns as scalay_input_traffic(). */
scalay_status scalay_input_costs(const char *path, scalay_cost_matrix *costs);

/**
 * Reads a square matrix of distances: CSV, or the output of `lstopo --distances` or `numactl --hardware`. In the
 * latter, lines of words are headings; after a heading that starts with "index" or "node", rows start with their own
 * number. Returns as scalay_input_traffic().
 */
scalay_status scalay_input_distances(const char *path, scalay_cost_matrix *distances);

/** Node, or core, of each process. */
typedef struct {
    int processes;
    int *node; /* shape [processes], from 0; release with scalay_release() */
    int nodes; /* largest number plus 1 */
} scalay_process_nodes;

/**
 * Reads the node of each process, such as 0,0,1,1 or 0*2,1*2. If every word is a number, these are the numbers of the
 * nodes. Otherwise the words are names, numbered in order of first occurrence.
 * @param[in]  option  for messages, such as "--nodes"
 * @param[in]  text    the list, if it has a comma; otherwise the name of a file with a list, in which blanks and line
 * ends separate words too, and # starts a comment
 * @param[out] nodes   caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_nodes(const char *option, const char *text, scalay_process_nodes *nodes);

#endif
