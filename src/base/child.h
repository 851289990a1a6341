#ifndef SCALAY_BASE_CHILD_H
#define SCALAY_BASE_CHILD_H

/** @file Programs that are started, watched, and ended with all that they have started. */

#include <sys/types.h>

/** Room for a few words on how a program has ended. */
#define SCALAY_CHILD_HOW 128

/** What comes through the pipe. What else the program prints goes nowhere, but for the errors of one whose end alone is
 *  watched: those go where ours go. It has nothing to read. */
typedef enum {
    SCALAY_CHILD_OUTPUT,
    SCALAY_CHILD_ERRORS,
    SCALAY_CHILD_END /* nothing: the pipe, descriptor 3 there, closes with the program */
} scalay_child_pipe;

/** A program under way. */
typedef struct {
    pid_t id; /* of a process group, too */
    int pipe; /* to be read; scalay_child_end() closes it */
} scalay_child;

/**
 * Starts a program with two arguments, in a process group of its own: ctrl-C does not reach it, and what it starts can
 * be ended with it. Of signals that are ignored here, SIGPIPE ends it all the same.
 * @param[in]  program   looked for in PATH unless there is a slash in it
 * @param[in]  option    its first argument
 * @param[in]  argument  its second one
 * @param[in]  pipe      what it is heard by
 * @param[out] child     to be ended with scalay_child_end(); only on success
 * @return 0, or the system's reason (an errno)
 */
int scalay_child_start(const char *program, const char *option, const char *argument, scalay_child_pipe pipe,
                       scalay_child *child);

/** Waits until a program has ended, or nobody can tell; it is left for scalay_child_end(). */
void scalay_child_wait(const scalay_child *child);

/** 1 when a program has ended, or nobody can tell; it is left for scalay_child_end(), so that its number stays its
 *  own. */
int scalay_child_has_ended(const scalay_child *child);

/**
 * Ends what is left of a program and of what it has started.
 * @param[in,out] child  the pipe is closed
 * @param[out]    how    shape [SCALAY_CHILD_HOW]: "exit code 1", "ended by signal 9"
 * @return 1 when it has ended by itself, with exit code 0; 0 when not; -1 when nobody can tell
 */
int scalay_child_end(scalay_child *child, char *how);

#endif
