#include "io/script.h"

#include "base/text.h"

void scalay_script_quote(scalay_string *script, const char *text)
{
    scalay_string_append(script, "'");
    while (*text != '\0') {
        int length = scalay_text_character(text);
        if (*text == '\'')
            scalay_string_append(script, "''");
        else if (length == 0 || (length == 1 && *text < ' '))
            scalay_string_append(script, "%c", length == 0 ? '?' : ' ');
        else
            scalay_string_append(script, "%.*s", length, text);
        text += length > 0 ? length : 1;
    }
    scalay_string_append(script, "'");
}
