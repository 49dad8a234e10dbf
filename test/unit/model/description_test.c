/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_description.h"

#include "model_reading.h"
#include "support/test.h"

#include <string.h>

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct model_field_description fields[] = {
    {.name = "player", .type = MODEL_STRING},
    {.name = "at", .type = MODEL_INTEGER, .rules_json = "{\"minimum\":0}"},
    {.name = "payout", .type = MODEL_NUMBER, .is_optional = true},
    {.name = "tags", .type = MODEL_ARRAY, .rules_json = "{\"items\":{\"type\":\"string\"}}", .default_json = "[]"},
    {.name = "fixed", .type = MODEL_BOOLEAN, .is_read_only = true, .default_json = "true"},
    {.name = "extra", .type = MODEL_OBJECT, .is_optional = true},
};

static struct model_description payouts(void)
{
    static const char *const key[] = {"player", NULL};
    static const char *const sort_key[] = {"at", NULL};
    static const char *const payout[] = {"payout", NULL};
    static const char *const nothing[] = {NULL};
    static const struct model_index_description indexes[] = {
        {.name = "byPayout", .key = payout, .sort_key = key, .only = nothing, .is_sparse = true}};
    return (struct model_description){.name = "Payout",
                                      .fields = fields,
                                      .field_count = sizeof(fields) / sizeof(fields[0]),
                                      .key = key,
                                      .sort_key = sort_key,
                                      .indexes = indexes,
                                      .index_count = 1,
                                      .expire_field = "payout"};
}

TEST(a_struct_tells_the_same_model_as_json_does)
{
    struct model *model;
    os_error err;
    const struct model_description description = payouts();
    if (model_describe(&description, &model, &err) != OS_OK)
        fail_msg("%s", err.message);
    assert_json(model->schema,
                "{'title':'Payout','KEY':['player'],'SORT_KEY':['at'],'INDEX_INCLUDE_KEYS':false,"
                "'EXPIRE_EPOCH_FIELD':'payout','properties':{'player':{'type':'string'},"
                "'at':{'type':'integer','minimum':0},'payout':{'type':'number'},"
                "'tags':{'type':'array','items':{'type':'string'},'default':[]},"
                "'fixed':{'type':'boolean','readOnly':true,'default':true},'extra':{'type':'object'}},"
                "'required':['player','at','tags','fixed'],"
                "'INDEXES':{'byPayout':{'KEY':['payout'],'SORT_KEY':['player'],'INCLUDE_ONLY':[],'SPARSE':true}}}");
    assert_string_equal(model->indexes[0].sort_key.name, "_id");
    model_free(model);
}

static void refuse(const struct model_description *description, const char *sentence)
{
    os_error err;
    struct model *model = (struct model *)&err;
    assert_int_equal(model_describe(description, &model, &err), OS_ERR_ARGUMENT);
    assert_null(model);
    assert_string_equal(err.message, sentence);
}

static const struct {
    const char *name; /* the sentence */
    struct model_field_description field;
} field_faults[] = {
    {"M: a field wants a name and a type.", {.type = MODEL_STRING}},
    {"M.a: a field wants a name and a type.", {.name = "a"}},
    {"M.a: a field wants a name and a type.", {.name = "a", .type = MODEL_ARRAY + 1}},
    {"M.k: two fields have this name.", {.name = "k", .type = MODEL_STRING}},
    {"M.a: its rules_json is no JSON: {.", {.name = "a", .type = MODEL_STRING, .rules_json = "{"}},
    {"M.a: its rules_json is no object: [].", {.name = "a", .type = MODEL_STRING, .rules_json = "[]"}},
    {"M.a: its default_json is no JSON: x.", {.name = "a", .type = MODEL_STRING, .default_json = "x"}},
    {"M.a: the value 5 is no string.", {.name = "a", .type = MODEL_STRING, .default_json = "5"}},
    {"M.a: \"format\" is not known here, and would be passed over.",
     {.name = "a", .type = MODEL_STRING, .rules_json = "{\"format\":\"uuid\"}"}},
    {"The model has a name or a text that is not UTF-8. Encode it.", {.name = "\xff", .type = MODEL_STRING}},
};

TEST_ROWS(field_faults, a_field_that_is_none_is_refused_with_a_sentence)
{
    const struct model_field_description two[] = {{.name = "k", .type = MODEL_STRING}, row->field};
    const struct model_description description = {.name = "M", .fields = two, .field_count = 2, .key = NAMES("k")};
    refuse(&description, row->name);
}

TEST(what_is_no_model_as_a_whole_is_refused_with_a_sentence)
{
    struct model_index_description indexes[] = {{.name = "abc", .key = NAMES("k")}, {.name = "abc", .key = NAMES("k")}};
    const struct model_field_description field = {.name = "k", .type = MODEL_STRING};
    struct model_description description = {.fields = &field, .field_count = 1, .key = NAMES("k")};
    refuse(&description, "The model has no name. Give it one.");
    description.name = "M";
    description.indexes = indexes;
    description.index_count = 2;
    refuse(&description, "M: an index has no name, or two have one.");
    indexes[0].name = NULL;
    refuse(&description, "M: an index has no name, or two have one.");
    indexes[0].name = "one";
    indexes[1].sort_key = NAMES("\xff");
    refuse(&description, "The model has a name or a text that is not UTF-8. Encode it.");
    description.index_count = 0;
    description.expire_field = "x";
    refuse(&description, "M: the value \"x\" is the EXPIRE_EPOCH_FIELD, and is no field.");
}
