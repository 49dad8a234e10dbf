/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_condition.h"

#include "attribute/type.h"
#include "base/text.h"
#include "document/document_key.h"

static struct path version_path(enum document_spelling spelling)
{
    return (struct path){&document_names(spelling)->version, 1};
}

void document_condition_free(struct document_condition *condition)
{
    json_decref(condition->expected);
    *condition = (struct document_condition){.expected = NULL};
}

static struct condition_term is_not_of_other(enum document_spelling spelling)
{
    return (struct condition_term){.path = version_path(document_spelling_other(spelling)),
                                   .test = CONDITION_IS_ABSENT};
}

void document_condition_of_any(enum document_spelling spelling, struct document_condition *ret)
{
    *ret = (struct document_condition){.terms = {is_not_of_other(spelling)}, .count = 1};
}

void document_condition_of_none(struct document_condition *ret)
{
    *ret = (struct document_condition){.terms = {{.path = {&document_key_steps[0], 1}, .test = CONDITION_IS_ABSENT}},
                                       .count = 1};
}

os_code document_condition_of_version(int64_t version, enum document_spelling spelling, struct document_condition *ret,
                                      os_error *err)
{
    char text[TEXT_NUMBER_SIZE];
    text_number((uint64_t)version, text);
    json_t *expected = value_of_type(VALUE_N, json_string(text));
    *ret = (struct document_condition){.expected = expected};
    if (expected == NULL)
        return error_no_memory(err);
    ret->terms[0] =
        (struct condition_term){.path = version_path(spelling), .test = CONDITION_EQUALS, .value = expected};
    ret->terms[1] = is_not_of_other(spelling);
    ret->count = 2;
    return OS_OK;
}

struct condition document_condition_terms(const struct document_condition *condition)
{
    return (struct condition){condition->terms, condition->count};
}
