/*
 * The kernel "command:TEXT": a shell command whose elapsed time is measured.
 *
 * The command inherits one end of a pipe. The other end tells when the command has ended, without polling. A background
 * process of the command may hold the pipe longer. Therefore the state of the child is also polled, after 1 ms at first
 * and later after a sixteenth of the elapsed time.
 */
#define _POSIX_C_SOURCE 200809L /* poll, nanosleep */
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/text.h"
#include "measure/clock.h"
#include "measure/interrupt.h"
#include "measure/work.h"

enum { MAX_POLL_MILLISECONDS = 100, POLL_FRACTION = 16, MAX_POLLS = 64 };

/* ---------------------------------------------------------------------------------------------------- text */

static int64_t count_sizes(const char *text)
{
    int64_t count = 0;
    for (; *text != '\0'; text++) {
        if (*text != '%') continue;
        if (text[1] == 's') count++;
        if (text[1] != '\0') text++;
    }
    return count;
}

/* Replaces %s by the size and %% by a percent sign. Other characters are copied. */
static void fill_in(const char *text, int64_t size, scalay_text *command)
{
    for (; *text != '\0'; text++) {
        if (*text == '%' && text[1] == 's')
            scalay_text_append(command, "%lld", (long long)size);
        else
            scalay_text_append(command, "%c", *text);
        if (*text == '%' && (text[1] == 's' || text[1] == '%')) text++;
    }
}

/* --------------------------------------------------------------------------------------------------- process */

/* Returns the milliseconds until the next poll, which are short compared to the elapsed time. */
static int poll_timeout(double passed, double left)
{
    const double milliseconds = fmin(1000.0 * passed / POLL_FRACTION, MAX_POLL_MILLISECONDS);
    return (int)fmin(fmax(1.0, milliseconds), 1000.0 * left + 1.0);
}

/* Waits until the child has ended, the timeout is over, or an interrupt was requested. Returns 1 if the child has
 * ended. The pipe closes a moment before the child can be waited for. A command that has closed the pipe itself is
 * polled. */
static int wait_for(const scalay_child *child, double timeout)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 20000};
    const double begin = scalay_clock();
    struct pollfd end = {.fd = child->pipe, .events = POLLIN, .revents = 0};
    for (int ended = 0, polls = 0; !ended;) {
        const double passed = scalay_clock() - begin;
        const double left = timeout > 0.0 ? timeout - passed : 1.0;
        if (left <= 0.0 || scalay_interrupt_requested()) return 0;
        int ready = poll(&end, 1, poll_timeout(passed, left));
        ended = scalay_child_has_ended(child);
        if (ended || ready <= 0) continue;
        (void)nanosleep(&moment, NULL);
        if (++polls == MAX_POLLS) end.fd = -1;
    }
    return 1;
}

static scalay_status execute(const scalay_work_item *item, const char *command)
{
    char how[SCALAY_CHILD_REASON_SIZE];
    scalay_child child;
    const int failed = scalay_child_start("/bin/sh", "-c", command, SCALAY_CHILD_END, &child);
    if (failed) return scalay_fail(SCALAY_ERROR_FILE, "", "cannot start /bin/sh for the command: %s", strerror(failed));
    const int has_ended = wait_for(&child, item->timeout);
    const int ended_well = scalay_child_end(&child, how);
    if (has_ended && ended_well > 0) return SCALAY_SUCCESS;
    if (has_ended) return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "%s: %.300s", how, command);
    if (scalay_interrupt_requested()) return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "interrupted: %.300s", command);
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "ended after %g seconds: %.300s", item->timeout, command);
}

/* ---------------------------------------------------------------------------------------------------- kernel */

static scalay_status run(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_work_item *item = data;
    char *command = NULL;
    const int64_t capacity = (int64_t)strlen(item->text) + 20 * count_sizes(item->text) + 1;
    SCALAY_TRY(SCALAY_NEW(command, capacity));
    scalay_text text = {command, (size_t)capacity, 0};
    fill_in(item->text, size, &text);
    SCALAY_TRY(execute(item, command));
cleanup:
    scalay_release(command);
    return status;
}

static scalay_status begin(const char *arguments, scalay_work_item *item)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count_sizes(arguments) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profile_kernel_create",
                           "command is '%.200s'; it must contain %%s, which is replaced by the size", arguments);
    item->kernel.run = run;
    SCALAY_TRY(scalay_text_copy(arguments, &item->text));
    status = scalay_work_set_name(item, "command", arguments);
cleanup:
    return status;
}

const scalay_work_kind scalay_work_command = {"command", begin};
