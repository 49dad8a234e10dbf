/* SPDX-License-Identifier: Apache-2.0 */
#include "client/ticket_text.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *ticket_encode(const char *value)
{
    struct buf text;
    buf_init(&text, TICKET_MAX);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if (*c < 0x20 || *c > 0x7e || *c == '%')
            buf_add_f(&text, "%%%02X", *c);
        else
            buf_add_char(&text, (char)*c);
    return buf_take(&text);
}

bool ticket_is_plain(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            return false;
    return true;
}

int ticket_set_text(json_t *object, const char *name, const char *value)
{
    char *text = ticket_encode(value);
    int failed = text == NULL || json_object_set_new(object, name, json_string(text)) != 0;
    free(text);
    return failed;
}

/* Unsigned 64-bit numbers go as strings: JSON readers are free to round what is over 2^53. */
int ticket_set_u64(json_t *object, const char *name, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return json_object_set_new(object, name, json_string(digits));
}

bool ticket_get_text(const json_t *object, const char *name, char *ret, size_t ret_size)
{
    struct buf text;
    buf_init(&text, ret_size - 1);
    const char *value = json_string_value(json_object_get(object, name));
    bool ok = value && text_percent_decode(&text, text_from(value)) &&
              text_copy(text_of(buf_str(&text), text.len), ret, ret_size);
    buf_free(&text);
    return ok;
}

bool ticket_get_u64(const json_t *object, const char *name, uint64_t *ret)
{
    const char *digits = json_string_value(json_object_get(object, name));
    return digits && text_parse_u64(text_from(digits), ret);
}
