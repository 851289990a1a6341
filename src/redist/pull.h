#ifndef SCALAY_REDIST_PULL_H
#define SCALAY_REDIST_PULL_H

/**
 * @file
 * Pulling: parcels come from where other ranks of the node have them, without the help of those.
 *
 * What can be seen is copied from where it is. What cannot is read into a scratch buffer that stays in the cache, in
 * lines: along the dimension that is contiguous there, from the first element that is wanted to the last one. What lies
 * in between is read, too: reading it costs less than leaving it out, unless it is most of the line
 * (scalay_parcel_lines()).
 *
 * All parcels are moved side by side, some columns at a time: a cache line of the array that is written, which may get
 * elements from several ranks, is complete before it leaves the cache.
 */

#include "parallel/node.h"
#include "redist/stream.h"

/** A parcel and where it comes from. */
typedef struct {
    const scalay_parcel *parcel;
    const char *far; /* the other rank's array: here, or there */
    int place;       /* of the rank in the node, whose memory is to be read; -1: `far` is an address here */
    int64_t ld;      /* of `far`, when it is not as the other's layout says; 0: it is */
    int transposed;  /* its rows are the columns of the parcel */
} scalay_origin;

/** What a scratch buffer is for. */
typedef struct {
    const scalay_node *node;
    char *bytes;
    int64_t size;
} scalay_scratch;

/**
 * Moves parcels into an array.
 * @param[in] side     whose parcels they are
 * @param[in] origins  shape [count]
 * @param[in] near     the rank's own array
 * @param[in] scratch  holds the longest of the lines (scalay_parcel_lines()) that must be read
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_pull(const scalay_side *side, const scalay_origin *origins, int64_t count,
                          const scalay_copier *copier, char *near, scalay_scratch scratch);

/** What reading a parcel takes, in elements. The same at both of its ends. */
typedef struct {
    int64_t longest; /* line */
    int64_t read;    /* in all lines */
} scalay_line_cost;

/**
 * Adds up the lines of a parcel in the array that it comes from.
 * @param[in]     at_far      1: that is at its other end
 * @param[in]     transposed  the rows of that array are the columns of the parcel
 * @param[in,out] cost        added to
 */
void scalay_parcel_lines(const scalay_parcel *parcel, int at_far, int transposed, scalay_line_cost *cost);

#endif
