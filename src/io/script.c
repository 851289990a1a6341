#include "io/script.h"

#include "base/text.h"

void scalay_script_quote(scalay_lines *script, const char *text)
{
    scalay_lines_add(script, "'");
    while (*text != '\0') {
        int length = scalay_text_character(text);
        if (*text == '\'')
            scalay_lines_add(script, "''");
        else if (length == 0 || (length == 1 && *text < ' '))
            scalay_lines_add(script, "%c", length == 0 ? '?' : ' ');
        else
            scalay_lines_add(script, "%.*s", length, text);
        text += length > 0 ? length : 1;
    }
    scalay_lines_add(script, "'");
}
