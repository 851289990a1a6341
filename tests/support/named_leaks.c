/* Two things without which a leak report would not know whose memory it is. Plugins of Open MPI stay loaded until the
 * process ends. And functions of the C library that allocate strings are compiled here, with frame pointers: the fast
 * unwinding of the sanitizers finds its way through these, but not through those of the C library. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int dlclose(void *handle);
EXPORTED int __vasprintf_chk(char **string, int flag, const char *format, va_list arguments);
EXPORTED int __asprintf_chk(char **string, int flag, const char *format, ...);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

EXPORTED int vasprintf(char **string, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *string = length < 0 ? NULL : malloc((size_t)length + 1);
    return *string ? vsnprintf(*string, (size_t)length + 1, format, arguments) : -1;
}

EXPORTED int asprintf(char **string, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(string, format, arguments);
    va_end(arguments);
    return length;
}

int __vasprintf_chk(char **string, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return vasprintf(string, format, arguments);
}

int __asprintf_chk(char **string, int flag, const char *format, ...)
{
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(string, format, arguments);
    va_end(arguments);
    return length;
}
