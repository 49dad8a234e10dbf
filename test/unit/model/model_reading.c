/* SPDX-License-Identifier: Apache-2.0 */
#include "model_reading.h"

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

struct model *reading_model(const char *text)
{
    os_error err;
    struct model *model;
    json_t *json = reading_json(text);
    char *plain = json_dumps(json, 0);
    if (model_read(plain, strlen(plain), &model, &err) != OS_OK)
        fail_msg("%s", err.message);
    free(plain);
    json_decref(json);
    return model;
}

void assert_no_model(const char *text, const char *sentence)
{
    os_error err;
    struct model *model = (struct model *)&err;
    json_t *json = reading_json(text);
    char *plain = json_dumps(json, 0);
    assert_int_equal(model_read(plain, strlen(plain), &model, &err), OS_ERR_ARGUMENT);
    assert_null(model);
    assert_string_equal(err.message, sentence);
    free(plain);
    json_decref(json);
}

void assert_json_equal(const json_t *json, const json_t *wanted)
{
    char *text = json_dumps(json, JSON_SORT_KEYS | JSON_ENCODE_ANY);
    char *wanted_text = json_dumps(wanted, JSON_SORT_KEYS | JSON_ENCODE_ANY);
    if (json == NULL || wanted == NULL || strcmp(text, wanted_text) != 0)
        fail_msg("\n%s is not\n%s", text, wanted_text);
    free(text);
    free(wanted_text);
}

void assert_json(const json_t *json, const char *wanted)
{
    json_t *read = reading_json(wanted);
    assert_json_equal(json, read);
    json_decref(read);
}
