/* Names, texts and messages of statuses. The message is thread-local. */

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message_text[SCALAY_MESSAGE_SIZE];

static const struct {
    int value;
    const char *name;
    const char *text;
} statuses[] = {
#define STATUS_ROW(name, value, text) {value, #name, text},
    SCALAY_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

enum { STATUSES = (int)(sizeof statuses / sizeof statuses[0]) };

const char *scalay_status_name(scalay_status status)
{
    for (int k = 0; k < STATUSES; k++)
        if (statuses[k].value == (int)status) return statuses[k].name;
    return "unknown status";
}

const char *scalay_status_text(scalay_status status)
{
    for (int k = 0; k < STATUSES; k++)
        if (statuses[k].value == (int)status) return statuses[k].text;
    return "unknown status";
}

const char *scalay_error_message(void)
{
    return message_text;
}

void scalay_set_message(const char *text)
{
    (void)snprintf(message_text, sizeof message_text, "%s", text);
}

scalay_status scalay_error_set(scalay_status status, const char *message)
{
    scalay_set_message(message != NULL ? message : scalay_status_text(status));
    return status;
}

/* Messages name public functions only. */
static int is_public(const char *function)
{
    return strncmp(function, "scalay_", strlen("scalay_")) == 0;
}

scalay_status scalay_fail(scalay_status status, const char *function, const char *format, ...)
{
    char text[SCALAY_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* `text` is a second buffer, because the arguments may point into the previous message. */
    message_text[0] = '\0';
    if (is_public(function)) (void)snprintf(message_text, sizeof message_text, "%s: ", function);
    size_t length = strlen(message_text);
    (void)snprintf(message_text + length, sizeof message_text - length, "%s", text);
    return status;
}

scalay_status scalay_check_not_null(const void *pointer, const char *function, const char *name)
{
    if (pointer != NULL) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is NULL; it must not be NULL", name);
}

scalay_status scalay_check_at_least(int64_t value, int64_t min, const char *function, const char *name)
{
    if (value >= min) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is %lld; it must be at least %lld", name, (long long)value,
                       (long long)min);
}

scalay_status scalay_check_range(int64_t value, int64_t min, int64_t max, const char *function, const char *name)
{
    if (value >= min && value <= max) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is %lld; it must be in [%lld, %lld]", name,
                       (long long)value, (long long)min, (long long)max);
}
