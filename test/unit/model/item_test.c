/* SPDX-License-Identifier: Apache-2.0 */
/* What the library has not made: faults with their sentences, setting, expiry, indexes by the types of their parts. */
#include "model/model_item.h"

#include "attribute/check.h"
#include "model_reading.h"
#include "support/test.h"

#include <string.h>

static const char model_text[] =
    "{'title':'M','properties':{'k':{'type':'string'},'i':{'type':'integer','maximum':9},"
    "'d':{'type':'number','minimum':-1.5},'s':{'type':'string','enum':['a','b'],'maxLength':1},"
    "'fixed':{'type':'integer','readOnly':true,'default':1},'p':{'type':'string','pattern':'^[a-c]+$'},"
    "'o':{'type':'object','properties':{'x':{'type':'array','items':{'type':'boolean'},'maxItems':2},"
    "'e':{'type':'integer','enum':[1,2.5]}},'additionalProperties':false,'minProperties':1},'free':{'type':'object'},"
    "'must':{'type':'boolean','default':true}},"
    "'required':['k','fixed','must'],'KEY':['k'],"
    "'INDEXES':{'byS':{'KEY':['s'],'SORT_KEY':['i','p'],'SPARSE':true,'INCLUDE_ONLY':[]}}}";

static const struct {
    const char *name; /* what is given beside k */
    const char *sentence;
} faults[] = {
    {"{'x':1}", "M.x: the model has no such field."},
    {"{'must':null}", "M.must: the value null is no boolean."},
    {"{'i':'1'}", "M.i: the value \"1\" is no integer."},
    {"{'i':1.5}", "M.i: the value 1.5 is no integer."},
    {"{'i':10}", "M.i: the value 10 is above the maximum 9."},
    {"{'i':-9007199254740992}",
     "M.i: the value -9007199254740992 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'d':-1.6}", "M.d: the value -1.6 is below the minimum -1.5."},
    {"{'d':1e16}", "M.d: the value 10000000000000000 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'s':'c'}", "M.s: the value \"c\" is none of those that enum allows."},
    {"{'s':'aa'}", "M.s: the value \"aa\" has 2 characters, more than 1."},
    {"{'p':'abd'}", "M.p: the value \"abd\" is none of the pattern ^[a-c]+$."},
    {"{'o':{}}", "M.o: the value {} has 0 members, fewer than 1."},
    {"{'o':{'y':1}}", "M.o: the object has \"y\", which is not known."},
    {"{'o':{'x':[true,1]}}", "M.o.x[1]: the value 1 is no boolean."},
    {"{'o':{'x':[true,true,true]}}", "M.o.x: the value [true,true,true] has 3 elements, more than 2."},
    {"{'o':{'e':2}}", "M.o.e: the value 2 is none of those that enum allows."},
    {"{'free':{'a':[{'b':9007199254740992}]}}",
     "M.free.a[0].b: the value 9007199254740992 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'free':{'a':[1e-200]}}",
     "M.free.a[0]: the number 1e-200 is too near to zero: the smallest magnitude of DynamoDB is 1E-130."},
    {"{'free':{'':1}}", "M.free.\"\": the name of an attribute has 1 to 65535 bytes."},
    {"{'free':'0123456789012345678901234567890123456789012345678901234567890123456789012345678\\u00e4'}",
     "M.free: the value \"0123456789012345678901234567890123456789012345678901234567890123456789012345678... is no "
     "object."},
    {"{'s':'a','i':1,'p':'\\u0000'}", "M.p: the value \"\\u0000\" is none of the pattern ^[a-c]+$."},
};

static void check_fault(const struct model *model, const char *given_text, const char *sentence)
{
    os_error err;
    json_t *row;
    json_t *item = NULL;
    json_t *given = reading_json(given_text);
    assert_int_equal(json_object_set_new(given, "k", json_string("key")), 0);
    os_code code = model_row_make(model, given, &row, &err);
    if (code == OS_OK)
        code = model_row_to_item(model, row, &item, &err);
    assert_int_equal(code, OS_ERR_ARGUMENT);
    assert_null(item);
    assert_string_equal(err.message, sentence);
    json_decref(row);
    json_decref(given);
}

TEST_ROWS(faults, a_row_that_is_not_by_its_model_is_refused_with_a_sentence)
{
    struct model *model = reading_model(model_text);
    check_fault(model, row->name, row->sentence);
    model_free(model);
}

TEST(a_row_is_an_object)
{
    os_error err;
    json_t *row = (json_t *)&err;
    struct model *model = reading_model(model_text);
    json_t *given = json_array();
    assert_int_equal(model_row_make(model, given, &row, &err), OS_ERR_ARGUMENT);
    assert_null(row);
    assert_string_equal(err.message, "M: a row is a JSON object of values by the names of fields.");
    json_decref(given);
    model_free(model);
}

static json_t *made(const struct model *model, const char *given_text)
{
    os_error err;
    json_t *row;
    json_t *given = reading_json(given_text);
    if (model_row_make(model, given, &row, &err) != OS_OK)
        fail_msg("%s", err.message);
    json_decref(given);
    return row;
}

static const struct {
    const char *name; /* of the field */
    const char *value;
    const char *sentence; /* NULL: it is set */
    const char *after;
} sets[] = {
    {"i", "5.0", NULL, "{'k':'key','i':5,'fixed':1,'must':true}"},
    {"i", NULL, NULL, "{'k':'key','fixed':1,'must':true}"},
    {"s", NULL, NULL, "{'k':'key','i':1,'fixed':1,'must':true}"},
    {"must", "false", NULL, "{'k':'key','i':1,'fixed':1,'must':false}"},
    {"must", NULL, "M.must: the row lacks it, and it is required.", NULL},
    {"i", "'x'", "M.i: the value \"x\" is no integer.", NULL},
    {"i", "null", "M.i: the value null is no integer.", NULL},
    {"fixed", "1", "M.fixed: it is read-only, and has its value since the row was made.", NULL},
    {"k", "'key'", "M.k: it is a part of the key, which does not change: make another row.", NULL},
    {"x", "1", "M.x: the model has no such field.", NULL},
};

TEST_ROWS(sets, a_field_is_set_by_its_rules_or_stays)
{
    os_error err;
    struct model *model = reading_model(model_text);
    json_t *value = reading_json(row->value);
    json_t *fields = made(model, "{'k':'key','i':1}");
    os_code code = model_row_set(model, fields, row->name, value, &err);
    assert_int_equal(code, row->sentence == NULL ? OS_OK : OS_ERR_ARGUMENT);
    if (row->sentence != NULL)
        assert_string_equal(err.message, row->sentence);
    assert_json(fields, row->sentence == NULL ? row->after : "{'k':'key','i':1,'fixed':1,'must':true}");
    json_decref(value);
    json_decref(fields);
    model_free(model);
}

TEST(what_is_given_stays_as_it_is)
{
    struct model *model = reading_model(
        "{'title':'M','properties':{'k':{'type':'string'},'o':{'type':'object','properties':{'a':{'type':'integer',"
        "'default':1}},'default':{}}},'required':['k','o'],'KEY':['k']}");
    json_t *given = reading_json("{'k':'a','o':{}}");
    json_t *before = json_deep_copy(given);
    json_t *first;
    assert_int_equal(model_row_make(model, given, &first, NULL), OS_OK);
    assert_json(first, "{'k':'a','o':{'a':1}}");
    assert_json_equal(given, before);
    json_t *second = made(model, "{'k':'a'}");
    json_object_set_new(json_object_get(second, "o"), "a", json_integer(2));
    json_t *third = made(model, "{'k':'a'}");
    assert_json(third, "{'k':'a','o':{'a':1}}"); /* a default is copied */
    json_decref(given);
    json_decref(before);
    json_decref(first);
    json_decref(second);
    json_decref(third);
    model_free(model);
}

TEST(an_object_that_was_changed_inside_is_checked_before_it_is_written)
{
    os_error err;
    json_t *item = (json_t *)&err;
    struct model *model = reading_model(model_text);
    json_t *row = made(model, "{'k':'key','o':{'x':[]}}");
    json_array_append_new(json_object_get(json_object_get(row, "o"), "x"), json_integer(1));
    assert_int_equal(model_row_to_item(model, row, &item, &err), OS_ERR_ARGUMENT);
    assert_null(item);
    assert_string_equal(err.message, "M.o.x[0]: the value 1 is no boolean.");
    json_decref(row);
    row = made(model, "{'k':'key'}");
    json_object_del(row, "must");
    assert_int_equal(model_row_to_item(model, row, &item, &err), OS_ERR_ARGUMENT); /* no default is guessed here */
    assert_string_equal(err.message, "M.must: the row lacks it, and it is required.");
    json_decref(row);
    model_free(model);
}

TEST(an_index_writes_its_key_only_when_all_parts_are_there)
{
    static const struct {
        const char *given;
        const char *item;
    } rows[] = {
        {"{'k':'key','i':1}", "{'_id':{'S':'key'},'i':{'N':'1'},'fixed':{'N':'1'},'must':{'BOOL':true}}"},
        {"{'k':'key','i':1,'p':'c'}", "{'_id':{'S':'key'},'i':{'N':'1'},'p':{'S':'c'},'_c_i_p':{'S':'1\\u0000c'},"
                                      "'fixed':{'N':'1'},'must':{'BOOL':true}}"},
    };
    struct model *model = reading_model(model_text);
    for (size_t i = 0; i < 2; i++) {
        json_t *item;
        json_t *row = made(model, rows[i].given);
        assert_int_equal(model_row_to_item(model, row, &item, NULL), OS_OK);
        assert_json(item, rows[i].item);
        json_decref(item);
        json_decref(row);
    }
    model_free(model);
}

/* "7" in a key is the string: the library takes it for the number there, and then refuses the row. */
TEST(an_index_is_read_by_the_types_of_its_parts)
{
    struct model *model =
        reading_model("{'title':'M','properties':{'k':{'type':'string'},'a':{'type':'string'},'b':{'type':'boolean'},"
                      "'c':{'type':'string','default':'x'}},'required':['k','a','b','c'],'KEY':['k'],"
                      "'INDEXES':{'abc':{'KEY':['a','b'],'INCLUDE_ONLY':[]},'all':{'KEY':['a']}}}");
    json_t *row;
    os_error err;
    json_t *item = reading_json("{'_id':{'S':'k'},'_c_a_b':{'S':'7\\u0000true'}}");
    assert_int_equal(model_row_from_item(model, model_index_find(model, "abc"), item, &row, NULL), OS_OK);
    assert_json(row, "{'k':'k','a':'7','b':true}"); /* c is not in the index, and gets no default */
    json_decref(row);
    assert_int_equal(model_row_from_item(model, NULL, item, &row, &err), OS_ERR_PROTOCOL);
    assert_null(row);
    assert_string_equal(err.message, "M.a: the row lacks it, and it is required.");
    json_object_set_new(item, "_c_a_b", reading_json("{'S':'7'}"));
    assert_int_equal(model_row_from_item(model, model_index_find(model, "abc"), item, &row, &err), OS_ERR_PROTOCOL);
    assert_string_equal(err.message, "M._c_a_b: the value {\"S\":\"7\"} has another number of parts than its model.");
    json_decref(item);
    model_free(model);
}

static const struct {
    const char *name; /* attributes beside the key */
    const char *sentence;
} item_faults[] = {
    {"{'i':{'S':'1'}}", "M.i: the value \"1\" is no integer."},
    {"{'i':{'NULL':true}}", "M.i: the value null is no integer."},
    {"{'i':{'N':'9007199254740992'}}",
     "M.i: the value 9007199254740992 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'free':{'M':{'a':{'N':'1e20'}}}}",
     "M.free.a: the value 100000000000000000000 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'s':{'SS':['a']}}", "M.s: the value is a B, a BS, an SS or an NS, and JSON has no bytes and no sets."},
    {"{'s':{'S':'z'}}", "M.s: the value \"z\" is none of those that enum allows."},
};

TEST_ROWS(item_faults, an_item_that_is_not_by_its_model_is_refused_with_a_sentence)
{
    os_error err;
    json_t *fields = (json_t *)&err;
    json_t *value;
    struct model *model = reading_model(model_text);
    json_t *item = reading_json(row->name);
    json_object_set_new(item, "_id", reading_json("{'S':'k'}"));
    assert_int_equal(item_check(item, NULL), OS_OK);
    assert_int_equal(model_row_from_item(model, NULL, item, &fields, &err), OS_ERR_PROTOCOL);
    assert_null(fields);
    assert_string_equal(err.message, row->sentence);
    /* The other fields can be read. */
    assert_int_equal(model_field_from_item(model, model_field_find(model, "must"), NULL, item, &value, NULL), OS_OK);
    assert_json(value, "true");
    json_decref(value);
    assert_int_equal(model_field_from_item(model, model_field_find(model, "d"), NULL, item, &value, NULL), OS_OK);
    assert_null(value);
    json_decref(item);
    model_free(model);
}

TEST(a_text_that_stands_where_a_number_should_is_refused)
{
    os_error err;
    json_t *value = (json_t *)&err;
    struct model *model = reading_model(model_text);
    json_t *item = reading_json("{'_id':{'S':'k'},'d':{'S':'1'}}");
    const struct model_field *field = model_field_find(model, "d");
    assert_int_equal(model_field_from_item(model, field, NULL, item, &value, &err), OS_ERR_PROTOCOL);
    assert_null(value);
    assert_string_equal(err.message, "M.d: the value \"1\" is no number.");
    json_decref(item);
    model_free(model);
}

static const struct {
    const char *name; /* the time */
    int64_t now_s;
    bool has_expired;
} times[] = {
    {"1000000000", 999999999, false},
    {"1000000000", 1000000000, true},
    {"1000000000.5", 1000000000, false},
    {"1000000000.5", 1000000001, true},
    {"1000000000", 1157679999, true},
    {"1000000000", 1157680000, false}, /* five years */
    {"1000000000", 1157680001, false},
    {"0", 1, false},
    {"0", 1000000000, false},
    {"-5", 1, true},
    {"1", 1, true},
};

TEST_ROWS(times, a_row_expires_and_after_five_years_does_not)
{
    struct model *model = reading_model("{'title':'M','properties':{'k':{'type':'string'},'t':{'type':'number'}},"
                                        "'required':['k'],'KEY':['k'],'EXPIRE_EPOCH_FIELD':'t'}");
    json_t *fields = made(model, "{'k':'a'}");
    json_t *time = reading_json(row->name);
    assert_false(model_row_has_expired(model, fields, row->now_s));
    assert_int_equal(model_row_set(model, fields, "t", time, NULL), OS_OK);
    assert_int_equal(model_row_has_expired(model, fields, row->now_s), row->has_expired);
    model->expires = NULL;
    assert_false(model_row_has_expired(model, fields, row->now_s));
    json_decref(time);
    json_decref(fields);
    model_free(model);
}

TEST(a_key_of_an_index_is_as_long_as_the_service_takes_it)
{
    struct model *model =
        reading_model("{'title':'M','properties':{'k':{'type':'string'},'a':{'type':'string'},'b':{'type':'string'}},"
                      "'required':['k','a','b'],'KEY':['k'],'INDEXES':{'abc':{'KEY':['a'],'SORT_KEY':['b']}}}");
    char text[2050];
    memset(text, 'x', sizeof(text));
    for (int i = 0; i < 4; i++) {
        os_error err;
        json_t *item;
        json_t *row;
        json_t *given = json_pack("{s:s,s:s%,s:s%}", "k", "k", "a", text, (size_t)(2048 + i % 2), "b", text,
                                  (size_t)(1024 + i / 2));
        assert_int_equal(model_row_make(model, given, &row, NULL), OS_OK);
        assert_int_equal(model_row_to_item(model, row, &item, &err), i == 0 ? OS_OK : OS_ERR_ARGUMENT);
        if (i != 0)
            assert_string_equal(err.message,
                                i % 2 == 1 ? "M.a: the attribute a would have 2049 bytes; a key has room for 2048."
                                           : "M.b: the attribute b would have 1025 bytes; a key has room for 1024.");
        json_decref(item);
        json_decref(row);
        json_decref(given);
    }
    json_t *row = made(model, "{'k':'k','a':'','b':'b'}");
    json_t *item;
    os_error err;
    assert_int_equal(model_row_to_item(model, row, &item, &err), OS_ERR_ARGUMENT);
    assert_string_equal(err.message,
                        "M.a: the attribute a would be empty, which no key can be: give at least one character.");
    json_decref(row);
    model_free(model);
}

TEST(a_row_that_is_too_large_is_refused)
{
    char text[4096];
    json_t *item;
    struct model *model = reading_model(model_text);
    json_t *row = made(model, "{'k':'key','free':{'a':[]}}");
    memset(text, 'x', sizeof(text));
    for (int i = 0; i < 101; i++)
        json_array_append_new(json_object_get(json_object_get(row, "free"), "a"), json_stringn(text, sizeof(text)));
    assert_int_equal(model_row_to_item(model, row, &item, NULL), OS_ERR_TOO_LARGE);
    assert_null(item);
    json_decref(row);
    model_free(model);
}

TEST(a_value_that_nests_without_end_is_refused)
{
    enum { LEVELS = 20000 };
    struct model *model = reading_model(model_text);
    for (size_t levels = 30; levels <= LEVELS; levels += levels == 30 ? 1 : LEVELS - 31) {
        os_error err;
        json_t *item = NULL;
        json_t *row;
        json_t *value = json_object();
        for (size_t i = 1; i < levels; i++)
            value = json_pack("{s:o}", "a", value);
        json_t *given = json_pack("{s:s,s:o}", "k", "key", "free", value);
        os_code code = model_row_make(model, given, &row, &err);
        if (code == OS_OK)
            code = model_row_to_item(model, row, &item, &err);
        assert_int_equal(code, levels <= 31 ? OS_OK : OS_ERR_ARGUMENT);
        if (code != OS_OK)
            assert_non_null(strstr(err.message, "nest deeper than"));
        json_decref(item);
        json_decref(row);
        json_decref(given);
    }
    model_free(model);
}
