/* SPDX-License-Identifier: Apache-2.0 */
#include "history/json_string.h"

#include <stdlib.h>
#include <string.h>

json_t *json_string_of(const char *text)
{
    json_t *string = json_string(text);

    if (string == NULL) {
        char *ascii = strdup(text);
        for (char *p = ascii; p != NULL && *p != '\0'; p++)
            if ((unsigned char)*p >= 0x80)
                *p = '?';
        string = ascii != NULL ? json_string(ascii) : NULL;
        free(ascii);
    }
    return string;
}

bool json_string_field(const json_t *object, const char *name, const char **ret)
{
    const json_t *value = json_object_get(object, name);

    *ret = value == NULL ? "" : json_string_value(value);
    return *ret != NULL && strlen(*ret) == json_string_length(value);
}
