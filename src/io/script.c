#include "io/script.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/memory.h"
#include "core/text.h"

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
    while (*text != '\0') {
        int length = scalay_text_character(text);
        if (*text == '\'')
            scalay_script_add(script, "''");
        else if (length == 0 || (length == 1 && *text < ' '))
            scalay_script_add(script, "%c", length == 0 ? '?' : ' ');
        else
            scalay_script_add(script, "%.*s", length, text);
        text += length > 0 ? length : 1;
    }
    scalay_script_add(script, "'");
}

void scalay_script_free(scalay_script *script)
{
    scalay_release(script->text);
    *script = (scalay_script){0};
}
