#include "io/script.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/memory.h"

void scalay_script_add(scalay_script *script, const char *format, ...)
{
    va_list arguments;
    if (script->status != SCALAY_SUCCESS) return;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    script->status = SCALAY_GROW(script->text, script->capacity, script->length + length + 1);
    if (script->status != SCALAY_SUCCESS) return;
    va_start(arguments, format);
    (void)vsnprintf(script->text + script->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    script->length += length;
}

void scalay_script_quote(scalay_script *script, const char *text)
{
    scalay_script_add(script, "'");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\'')
            scalay_script_add(script, "''");
        else
            scalay_script_add(script, "%c", c < ' ' ? ' ' : c);
    }
    scalay_script_add(script, "'");
}

void scalay_script_free(scalay_script *script)
{
    scalay_release(script->text);
    *script = (scalay_script){0};
}
