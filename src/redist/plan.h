#ifndef SCALAY_REDIST_PLAN_H
#define SCALAY_REDIST_PLAN_H

/** @file Contents of a plan, and the interface between a plan and its transport. */

#include "parallel/comm.h"
#include "redist/panels.h"
#include "redist/stream.h"
#include "scalay/redist.h"

/* --------------------------------------------------------------------------------------------- transports */

/**
 * A transport: an implementation of the data movement. One file per transport; the table in plan.c lists them.
 *
 * A transport reads plan->transfers. It packs, sends, receives, unpacks, and copies the elements that stay on the rank.
 * It may overlap, reorder or omit any of these. `create` allocates all buffers, at most plan->memory_bytes, so that no
 * execution fails for lack of memory. `create` and `destroy` are called on every rank of the plan; `begin` and
 * `advance` at least on the ranks that send or receive.
 */
typedef struct {
    const char *name;
    int is_local; /* 1: `create` communicates only if the plan is in place; it may run before the agreement */
    /** Returns 1 if the transport can execute the plan; the same on every rank. *reason: why, or why not. Does not
     *  communicate. */
    int (*applicable)(const scalay_plan *plan, const char **reason);
    /** Returns the predicted seconds of a forward execution on this rank, between arrays in ordinary memory, by the
     *  rates plan->machine. NULL: "auto" does not choose the transport. Does not communicate. */
    double (*predict)(const scalay_plan *plan);
    /** Number of slots on the board of the node (parallel/node.h) that the plan needs; NULL: none. */
    int (*slots_for)(const scalay_plan *plan);
    /** Creates plan->transport_state. Sets messages_sent, messages_received and extra_bytes of the statistics.
     *  Called on all ranks; may communicate. The status need not be agreed upon. After a failure, `destroy` is called.
     */
    scalay_status (*create)(scalay_plan *plan);
    /** In place, with panels: packs the elements of the current panel. Called for each panel, in order, before `begin`
     * is called for each panel. NULL if the transport does not move in place. */
    void (*pack)(scalay_plan *plan, int is_first);
    /** Starts the execution of plan->transfers. After a failure nothing is pending. */
    scalay_status (*begin)(scalay_plan *plan);
    /** Continues the execution; `waits`: until it is complete. *done: 1 if it is complete. Not called again after
     *  completion or failure. NULL if `begin` completes the execution; it may wait for other ranks. Without `waits`,
     * repeated calls on all ranks complete the execution. */
    scalay_status (*advance)(scalay_plan *plan, int waits, int *done);
    /** Releases transport_state, which may be NULL or incomplete. */
    void (*destroy)(scalay_plan *plan);
    /** Describes the data movement as part of a sentence. @return length, as snprintf */
    int (*describe)(const scalay_plan *plan, char *text, size_t size);
} scalay_transport;

extern const scalay_transport scalay_transport_shared;
extern const scalay_transport scalay_transport_mpi;

/* -------------------------------------------------------------------------------------------------- plans */

/** One matrix of a plan. */
typedef struct {
    scalay_type type;
    size_t size; /* bytes per element */
    scalay_op op;
    scalay_side source;
    scalay_side target;
    /* Valid only while the plan is created. */
    const scalay_layout *source_layout;
    const scalay_layout *target_layout; /* after the mapping */
    scalay_layout *mapped;              /* NULL, or target_layout, owned */
} scalay_planned_matrix;

struct scalay_plan {
    scalay_comm *comm;
    int tag; /* of its messages */
    int count;
    scalay_planned_matrix *matrices; /* shape [count] */
    scalay_channel_list source;      /* to the ranks that receive from this rank, in the forward direction */
    scalay_channel_list target;      /* from the ranks that send to this rank, in the forward direction */
    int64_t largest_element;         /* of all matrices, in bytes */
    int in_place;
    int can_consume;                   /* 1: options.consume */
    int verifies;                      /* 1: options.verify */
    int damaged_peer;                  /* rank that a damaged message of this execution came from; -1: none */
    int threads;                       /* at least 1 */
    scalay_machine machine;            /* rates by which "auto" chooses */
    int64_t memory_bytes;              /* limit on buffers; the same on all ranks that send or receive */
    int64_t message_bytes;             /* limit on the length of a message, at most INT_MAX */
    int64_t piece_bytes;               /* limit on messages of an exchange over a slow link; INT64_MAX: no limit */
    int has_long_messages;             /* 1: messages are few and long (exchange.c) */
    int64_t assembly_bytes;            /* of scalay_plan_special */
    const scalay_transport *transport; /* "auto": NULL until the prediction; that of this rank until the agreement */
    int is_auto;
    const char *reason; /* why this transport was chosen; static */
    void *transport_state;
    scalay_panels *panels; /* NULL, or those of a plan that can consume its source or moves a large matrix in place */
    int *slots;            /* shape [slot_count]: on the board of the node */
    int slot_count;
    int has_slots; /* 1: the slots are acquired */
    scalay_plan_statistics statistics;
    /* The pending execution. */
    int pending;
    scalay_plan *next_pending;  /* in the list of execute.c */
    const void *thread;         /* that started the execution */
    int complete;               /* the transport has completed the execution */
    scalay_status status;       /* of the execution so far */
    int backward;               /* from target to source */
    scalay_transfer *transfers; /* shape [count] */
};

/** Returns the channels that the execution sends. */
static inline const scalay_channel_list *scalay_plan_sends(const scalay_plan *plan)
{
    return plan->backward ? &plan->target : &plan->source;
}

/** Returns the channels that the execution receives. */
static inline const scalay_channel_list *scalay_plan_receives(const scalay_plan *plan)
{
    return plan->backward ? &plan->source : &plan->target;
}

/** Copies the elements of all matrices that stay on the rank. Not for a plan in place. */
void scalay_plan_copy_kept(const scalay_plan *plan);

/** Ends a pending execution without completing it: peers do not come any more. The plan can only be destroyed. */
void scalay_plan_abandon(scalay_plan *plan);

/** Special parameters of a plan, for tests. */
typedef struct {
    int64_t message_bytes;             /* limit on the length of messages, 64 to INT_MAX */
    const scalay_transport *transport; /* NULL: by options->transport */
    int panels;                        /* of a plan that consumes its source or is in place; 0: by the size of the
                                          matrix */
    int64_t assembly_bytes;            /* assembly.h: limit on the buffer, for all targets; 0: default */
    int64_t piece_bytes;               /* limit on messages as over a slow link; 0: by the rates of the communicator */
    int has_long_messages;             /* 1: few long messages, unless in place; 0: by the rates, if piece_bytes is 0 */
} scalay_plan_special;

/** As scalay_plan_create_many(), with special parameters. */
scalay_status scalay_plan_create_special(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                         const scalay_plan_options *options, scalay_plan_special special,
                                         scalay_plan **plan);

/**
 * Applies a mapping to a target layout, and checks that each process of the result is a rank of comm. Not collective.
 * @param[in]  mapping   NULL: the layout stays as it is
 * @param[in]  function  for messages
 * @param[out] mapped    release with scalay_layout_destroy(); NULL if mapping is NULL
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (number of parts), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_target_apply_mapping(const scalay_comm *comm, const scalay_layout *target,
                                          const scalay_mapping *mapping, const char *function, scalay_layout **mapped);

#endif
