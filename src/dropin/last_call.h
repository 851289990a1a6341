#ifndef SCALAY_DROPIN_LAST_CALL_H
#define SCALAY_DROPIN_LAST_CALL_H

/** @file The last call of a process that dies, for a program that scalay-run started. */

/** What a process notes of its calls: a page that it shares with its watcher, if it has one. */
typedef struct {
    const char *volatile name; /* of the last call that began; NULL: none, or the program has ended */
    volatile long calls;       /* that began */
    volatile int depth;        /* of calls that have not returned */
} scalay_last_call_note;

extern scalay_last_call_note *scalay_last_call;

/** Notes that a call begins. The name is a string constant. */
static inline void scalay_last_call_begin(const char *name)
{
    if (scalay_last_call->depth == 0) {
        scalay_last_call->name = name;
        scalay_last_call->calls++;
    }
    scalay_last_call->depth++;
}

/** Notes that a call has returned. */
static inline void scalay_last_call_end(void)
{
    scalay_last_call->depth--;
}

#endif
