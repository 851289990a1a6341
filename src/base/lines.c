#include "base/lines.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

void scalay_lines_add(scalay_lines *lines, const char *format, ...)
{
    va_list arguments;
    if (lines->status != SCALAY_SUCCESS) return;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    lines->status = SCALAY_GROW(lines->text, lines->room, lines->length + length + 1);
    if (lines->status != SCALAY_SUCCESS) return;
    va_start(arguments, format);
    (void)vsnprintf(lines->text + lines->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    lines->length += length;
}

void scalay_lines_free(scalay_lines *lines)
{
    scalay_release(lines->text);
    *lines = (scalay_lines){0};
}
