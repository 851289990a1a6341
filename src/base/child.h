#ifndef SCALAY_BASE_CHILD_H
#define SCALAY_BASE_CHILD_H

/** @file Child processes: programs in a process group of their own, and shell commands whose output is captured. */

#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

/** Size of the text that describes how a child ended. */
#define SCALAY_CHILD_REASON_SIZE 128

/** What the pipe from a child carries. Standard input of a child is /dev/null. */
typedef enum {
    SCALAY_CHILD_OUTPUT, /* its standard output; its standard error is discarded */
    SCALAY_CHILD_ERRORS, /* its standard error; its standard output is discarded */
    SCALAY_CHILD_END /* nothing: the pipe, descriptor 3 of the child, closes when the child ends. Its standard output
                        is discarded, its standard error is inherited. */
} scalay_child_pipe;

/** A running child. */
typedef struct {
    pid_t id; /* of the process and of its process group */
    int pipe; /* read end; closed by scalay_child_end() */
} scalay_child;

/**
 * Starts a program with two arguments in a process group of its own. Ctrl-C does not reach the group, and
 * scalay_child_end() ends all of it. SIGPIPE has its default action in the child.
 * @param[in]  program   searched in PATH if the name has no slash
 * @param[in]  option    first argument
 * @param[in]  argument  second argument
 * @param[in]  pipe      what the pipe carries
 * @param[out] child     set on success; end it with scalay_child_end()
 * @return 0, or an errno value
 */
int scalay_child_start(const char *program, const char *option, const char *argument, scalay_child_pipe pipe,
                       scalay_child *child);

/** Waits until a child has ended or its state cannot be known. The child is still to be ended with
 *  scalay_child_end(). */
void scalay_child_wait(const scalay_child *child);

/** Returns 1 if a child has ended or its state cannot be known. It stays a zombie, so that its id is not reused. */
int scalay_child_has_ended(const scalay_child *child);

/**
 * Kills what is left of a child's process group and waits for the child.
 * @param[in,out] child   its pipe is closed
 * @param[out]    reason  shape [SCALAY_CHILD_REASON_SIZE], such as "exit code 1" or "ended by signal 9"
 * @return 1 if the child ended by itself with exit code 0; 0 if not; -1 if that cannot be known
 */
int scalay_child_end(scalay_child *child, char *reason);

/**
 * Runs a shell command and captures its standard output. The command runs as a child and does not outlive the call.
 * @param[in]  command   argument of sh -c
 * @param[in]  seconds   time limit
 * @param[in]  stop      polled every 0.05 s; when it returns 1, the command gets 0.5 s to end. NULL: no polling.
 * @param[in]  function  public function, for messages
 * @param[out] output    shape [size], NUL-terminated; output that does not fit is dropped
 * @param[in]  size      in bytes, at least 1
 * @return SCALAY_SUCCESS; SCALAY_ERROR_UNSUPPORTED (the command could not be run, exceeded the limit or failed, or the
 *         program ignores SIGCHLD, so that the exit code is not known)
 */
scalay_status scalay_command_run(const char *command, double seconds, int (*stop)(void), const char *function,
                                 char *output, size_t size);

#endif
