#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/text.h"
#include "measure/interrupt.h"
#include "measure/work.h"

/* The command holds the one end of a pipe, so that the other end tells when it has ended, without asking again and
 * again. What it leaves running may hold it longer: therefore it is asked for, too, now and then: after each
 * millisecond at first, later after a sixteenth of the time that has passed. */
enum { SLICE_MILLISECONDS = 100, SHARE = 16, LOOKS = 64 };

/* ---------------------------------------------------------------------------------------------------- text */

static int64_t count_places(const char *text)
{
    int64_t count = 0;
    for (; *text != '\0'; text++) {
        if (*text != '%') continue;
        if (text[1] == 's') count++;
        if (text[1] != '\0') text++;
    }
    return count;
}

/* The command for a size: %s is the size, %% a percent sign, any other one is left as it is. */
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

/* How long to wait before the child is asked for: short against what has passed, which is what is measured. */
static int slice_of(double passed, double left)
{
    const double milliseconds = fmin(1000.0 * passed / SHARE, SLICE_MILLISECONDS);
    return (int)fmin(fmax(1.0, milliseconds), 1000.0 * left + 1.0);
}

/* Waits until the child has ended, or for so long, or until the user has had enough; 1 when it has. The pipe closes a
 * moment before the child can be waited for; a command may also have closed it on its own, and is looked at less often
 * then. */
static int wait_for(const scalay_child *child, double timeout)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 20000};
    const double begin = scalay_clock();
    struct pollfd end = {.fd = child->pipe, .events = POLLIN, .revents = 0};
    for (int ended = 0, looks = 0; !ended;) {
        const double passed = scalay_clock() - begin;
        const double left = timeout > 0.0 ? timeout - passed : 1.0;
        if (left <= 0.0 || scalay_interrupt_asked()) return 0;
        int ready = poll(&end, 1, slice_of(passed, left));
        ended = scalay_child_has_ended(child);
        if (ended || ready <= 0) continue;
        (void)nanosleep(&moment, NULL);
        if (++looks == LOOKS) end.fd = -1;
    }
    return 1;
}

static scalay_status execute(const scalay_work_item *item, const char *command)
{
    char how[SCALAY_CHILD_REASON_SIZE];
    scalay_child child;
    const int failed = scalay_child_start("/bin/sh", "-c", command, SCALAY_CHILD_END, &child);
    if (failed)
        return scalay_fail(SCALAY_ERROR_FILE, "", "/bin/sh cannot be started for the command: %s", strerror(failed));
    const int has_ended = wait_for(&child, item->timeout);
    const int ended_well = scalay_child_end(&child, how);
    if (has_ended && ended_well > 0) return SCALAY_SUCCESS;
    if (has_ended) return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "%s: %.300s", how, command);
    if (scalay_interrupt_asked()) return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "interrupted: %.300s", command);
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "ended after %g seconds: %.300s", item->timeout, command);
}

/* ---------------------------------------------------------------------------------------------------- kernel */

static scalay_status run(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_work_item *item = data;
    char *command = NULL;
    int64_t room = (int64_t)strlen(item->text) + 20 * count_places(item->text) + 1;
    SCALAY_TRY(SCALAY_NEW(command, room));
    scalay_text text = {command, (size_t)room, 0};
    fill_in(item->text, size, &text);
    SCALAY_TRY(execute(item, command));
cleanup:
    scalay_release(command);
    return status;
}

static scalay_status begin(const char *arguments, scalay_work_item *item)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count_places(arguments) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profile_kernel_create",
                           "command '%.200s' has no %%s; write %%s where the size belongs", arguments);
    item->kernel.run = run;
    SCALAY_TRY(scalay_text_copy(arguments, &item->text));
    status = scalay_work_set_name(item, "command", arguments);
cleanup:
    return status;
}

const scalay_work_kind scalay_work_command = {"command", begin};
