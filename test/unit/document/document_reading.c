/* SPDX-License-Identifier: Apache-2.0 */
#include "document_reading.h"

#include "support/test.h"

#include <string.h>

json_t *reading_json(const char *text)
{
    if (text == NULL)
        return NULL;
    char *quoted = strdup(text);
    assert_non_null(quoted);
    for (char *p = quoted; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    json_t *json = json_loads(quoted, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (json == NULL)
        fail_msg("%s is no JSON", quoted);
    free(quoted);
    return json;
}

json_t *reading_nested(size_t levels, bool objects)
{
    json_t *json = json_null();
    for (size_t i = 0; i < levels; i++)
        json = objects ? json_pack("{s:o}", "a", json) : json_pack("[o]", json);
    assert_non_null(json);
    return json;
}

struct document_key reading_key(enum document_kind kind)
{
    return (struct document_key){text_from("device-1"), text_from("shadow"), kind};
}

json_t *reading_item(int64_t version, const char *token)
{
    json_t *item;
    const struct document_key key = reading_key(DOCUMENT_REPORTED);
    struct document document = {.version = version,
                                .client_token = token != NULL ? json_string(token) : NULL,
                                .reported = reading_json("{'on':true}")};
    assert_int_equal(document_to_item(&key, &document, DOCUMENT_TAGS, &item, NULL), OS_OK);
    document_free(&document);
    return item;
}
