#ifndef SCALAY_REDIST_PLAN_H
#define SCALAY_REDIST_PLAN_H

/** @file What a plan is made of. */

#include "core/comm.h"
#include "redist/copier.h"
#include "redist/side.h"
#include "redist/transport.h"
#include "scalay/redist.h"

/** One execution: from one side of a plan to the other. */
struct scalay_plan_move {
    const scalay_side *from;
    const scalay_side *to;
    const char *source; /* local array of `from` */
    char *target;       /* local array of `to` */
    char *send_buffer;  /* the parcels of `from`, packed: parcel p at start * element size */
    char *receive_buffer;
};

struct scalay_plan {
    scalay_comm *comm;
    int tag; /* of its messages */
    scalay_type type;
    scalay_copier copier;
    scalay_side source;
    scalay_side target;
    /* Packed parcels of the two sides. They are there from the beginning, so that no execution can fail for memory and
       leave the others waiting; the system backs them with pages when the first execution touches them. */
    char *source_buffer;
    char *target_buffer;
    const scalay_transport *transport;
    const char *reason; /* why this transport; static */
    void *transport_state;
    const scalay_layout *source_layout; /* during scalay_plan_create() only */
    const scalay_layout *target_layout; /* likewise; parts on the processes that take them */
    int64_t message_bytes;              /* longer messages are split; at most INT_MAX */
    scalay_plan_move move;
    int under_way;
    scalay_plan_statistics statistics;
};

/** The bytes that packed buffers are padded with: what a transport that works in larger units may touch. */
#define SCALAY_BUFFER_PADDING 16

/**
 * scalay_plan_create() with messages split above so many bytes (1 .. INT_MAX), for tests of the splitting; everything
 * else as there.
 */
scalay_status scalay_plan_create_split(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                       const scalay_mapping *mapping, scalay_type type,
                                       const scalay_plan_options *options, int64_t message_bytes, scalay_plan **plan);

#endif
