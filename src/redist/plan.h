#ifndef SCALAY_REDIST_PLAN_H
#define SCALAY_REDIST_PLAN_H

/** @file What a plan is made of. */

#include "parallel/comm.h"
#include "redist/stream.h"
#include "redist/transport.h"
#include "scalay/redist.h"

/** One matrix of a plan. */
typedef struct {
    scalay_type type;
    size_t size; /* of an element */
    scalay_op op;
    scalay_side source;
    scalay_side target;
    /* During the creation of the plan only; a transport that needs them longer makes copies (scalay_layout_copy). */
    const scalay_layout *source_layout;
    const scalay_layout *target_layout; /* parts on the processes that take them */
    scalay_layout *placed;              /* NULL, or the target_layout, owned */
} scalay_plan_part;

struct scalay_plan {
    scalay_comm *comm;
    int tag; /* of its messages */
    int count;
    scalay_plan_part *parts; /* shape [count] */
    scalay_lane_list source; /* to the ranks that the sources send to */
    scalay_lane_list target; /* from the ranks that the targets receive from */
    int64_t largest_element; /* of all parts, in bytes */
    int in_place;
    int threads;           /* at least 1 */
    int64_t startup_bytes; /* that could be sent while a message is started */
    int64_t memory_bytes;  /* what an execution may need on this rank; the same on all ranks that move something */
    int64_t message_bytes; /* the longest message; at most INT_MAX */
    const scalay_transport *transport;
    const char *reason; /* why this transport; static */
    void *transport_state;
    int under_way;
    scalay_plan *next;       /* under way on the same communicator, too: flight.h */
    int moved;               /* of the move under way: all that there is */
    scalay_status verdict;   /* likewise: how it went so far */
    int back;                /* of the move under way: from target to source */
    scalay_freight *freight; /* shape [count]: of the move under way */
    scalay_plan_statistics statistics;
};

/** The lanes that a move sends, and those that it receives. */
static inline const scalay_lane_list *scalay_plan_sends(const scalay_plan *plan)
{
    return plan->back ? &plan->target : &plan->source;
}

static inline const scalay_lane_list *scalay_plan_receives(const scalay_plan *plan)
{
    return plan->back ? &plan->source : &plan->target;
}

/** Copies what the rank keeps, of all matrices. Not for a plan in place. */
void scalay_plan_copy_kept(const scalay_plan *plan);

/**
 * scalay_plan_create_many() with messages of at most so many bytes (64 .. INT_MAX), for tests of the splitting;
 * everything else as there.
 */
scalay_status scalay_plan_create_split(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                       const scalay_plan_options *options, int64_t message_bytes, scalay_plan **plan);

#endif
