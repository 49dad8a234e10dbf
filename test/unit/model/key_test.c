/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_key.h"

#include "attribute/check.h"
#include "model_reading.h"
#include "support/test.h"

#include <string.h>

static const char two_parts[] = "{'title':'M','properties':{'b':{'type':'string'},'a':{'type':'integer'},"
                                "'f':{'type':'string'}},'required':['a','b'],'KEY':['b','a']}";
static const char number[] =
    "{'title':'M','properties':{'n':{'type':'number'},'s':{'type':'string','minLength':1}},'required':['n','s'],"
    "'KEY':['n'],'SORT_KEY':['s']}";
static const char real[] = "{'title':'M','properties':{'x':{'type':'number'},'y':{'type':'object'}},"
                           "'required':['x','y'],'KEY':['x','y']}";
static const char whole[] =
    "{'title':'M','properties':{'x':{'type':'integer'},'y':{'type':'boolean'}},'required':['x','y'],'KEY':['x','y']}";

static const struct {
    const char *name; /* parts */
    const char *model;
    const char *key;
} keys[] = {
    {"{'a':1,'b':'x'}", two_parts, "{'_id':{'S':'1\\u0000x'}}"},
    {"{'a':1.0,'b':''}", two_parts, "{'_id':{'S':'1\\u0000'}}"},
    {"{'a':-0.0,'b':'\\\\\\\"'}", two_parts, "{'_id':{'S':'0\\u0000\\\\\\\"'}}"},
    {"{'n':0.5,'s':'x'}", number, "{'_id':{'N':'0.5'},'_sk':{'S':'x'}}"},
    {"{'n':1e-7,'s':'1'}", number, "{'_id':{'N':'0.0000001'},'_sk':{'S':'1'}}"},
    {"{'x':1e-7,'y':{}}", real, "{'_id':{'S':'1e-7\\u0000{}'}}"},
    {"{'x':1e300,'y':{'b':[1e20,null],'a':'\\u0000\\u001f'}}", real,
     "{'_id':{'S':'1e+300\\u0000{\\\"a\\\":\\\"\\\\u0000\\\\u001f\\\",\\\"b\\\":[100000000000000000000,null]}'}}"},
    {"{'x':1e17,'y':true}", whole, "{'_id':{'S':'100000000000000000\\u0000true'}}"},
    {"{'x':-1e17,'y':false}", whole, "{'_id':{'S':'-100000000000000000\\u0000false'}}"},
};

TEST_ROWS(keys, a_key_is_written_and_read_again)
{
    json_t *key;
    json_t *fields = json_object();
    struct model *model = reading_model(row->model);
    json_t *parts = reading_json(row->name);
    assert_int_equal(model_key_of(model, parts, &key, NULL), OS_OK);
    assert_json(key, row->key);
    assert_int_equal(item_check(key, NULL), OS_OK);
    assert_int_equal(model_key_decode(model, key, fields, NULL), OS_OK);
    json_decref(parts);
    json_t *again;
    assert_int_equal(model_key_of(model, fields, &again, NULL), OS_OK);
    assert_json_equal(again, key);
    json_decref(again);
    json_decref(key);
    json_decref(fields);
    model_free(model);
}

static const struct {
    const char *name; /* parts */
    const char *model;
    const char *sentence;
} faults[] = {
    {"{'a':1}", two_parts, "M.b: the key lacks it: give every part."},
    {"{'a':1,'b':'x','f':'y'}", two_parts, "M.f: it is no part of the key."},
    {"{'a':1,'b':'x','z':'y'}", two_parts, "M.z: it is no part of the key."},
    {"{'a':'1','b':'x'}", two_parts, "M.a: the value \"1\" is no integer."},
    {"{'a':null,'b':'x'}", two_parts, "M.a: the value null is no integer."},
    {"{'a':9007199254740992,'b':'x'}", two_parts,
     "M.a: the value 9007199254740992 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'a':1,'b':'x\\u0000'}", two_parts,
     "M.b: the value \"x\\u0000\" has a NUL inside, which stands between the parts of a key."},
    {"{'n':1e16,'s':'x'}", number,
     "M.n: the value 10000000000000000 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'n':1e-200,'s':'x'}", number, "M.n: the number 1e-200 is too near to zero"},
    {"{'n':1,'s':''}", number, "M.s: the value \"\" has 0 characters, fewer than 1."},
};

TEST_ROWS(faults, what_no_key_can_have_is_refused_with_a_sentence)
{
    os_error err;
    json_t *key = (json_t *)&err;
    struct model *model = reading_model(row->model);
    json_t *parts = reading_json(row->name);
    assert_int_equal(model_key_of(model, parts, &key, &err), OS_ERR_ARGUMENT);
    assert_null(key);
    if (strncmp(err.message, row->sentence, strlen(row->sentence)) != 0)
        fail_msg("%s", err.message);
    json_decref(parts);
    model_free(model);
}

static const struct {
    const char *name; /* an item */
    const char *model;
    const char *sentence;
} strangers[] = {
    {"{}", two_parts, "M._id: the item has no such attribute, and so is none of this model."},
    {"{'_id':{'N':'1'}}", two_parts, "M._id: the value {\"N\":\"1\"} is no S."},
    {"{'_id':{'S':'1'},'_sk':{'S':'x'}}", number, "M._id: the value {\"S\":\"1\"} is no N."},
    {"{'_id':{'N':'1'}}", number, "M._sk: the item has no such attribute, and so is none of this model."},
    {"{'_id':{'N':'1'},'_sk':{'S':''}}", number, "M.s: the value \"\" has 0 characters, fewer than 1."},
    {"{'_id':{'N':'9007199254740993'},'_sk':{'S':'x'}}", number,
     "M.n: the value 9007199254740993 is beyond 9007199254740991, up to which numbers are exact."},
    {"{'_id':{'N':'10000000000000000000000'},'_sk':{'S':'x'}}", number,
     "M._id: the value {\"N\":\"10000000000000000000000\"} is not as it would be written, and so would be another "
     "row."},
    {"{'_id':{'N':'0.12345678901234567890'},'_sk':{'S':'x'}}", number,
     "M.n: the number 0.1234567890123456789 has more digits than a JSON number keeps here, and would be rounded."},
    {"{'_id':{'S':'1'}}", two_parts, "M._id: the value {\"S\":\"1\"} has another number of parts than its model."},
    {"{'_id':{'S':'1\\u0000a\\u0000b'}}", two_parts,
     "M._id: the value {\"S\":\"1\\u0000a\\u0000b\"} has another number of parts than its model."},
    {"{'_id':{'S':'x\\u0000a'}}", two_parts, "M.a: the part \"x\" of the attribute _id is no JSON."},
    {"{'_id':{'S':'\\u0000a'}}", two_parts, "M.a: the part \"\" of the attribute _id is no JSON."},
    {"{'_id':{'S':'1.5\\u0000a'}}", two_parts, "M.a: the value 1.5 is no integer."},
    {"{'_id':{'S':'1.0\\u0000a'}}", two_parts,
     "M._id: the value {\"S\":\"1.0\\u0000a\"} is not as it would be written, and so would be another row."},
    {"{'_id':{'S':' 1\\u0000a'}}", two_parts,
     "M._id: the value {\"S\":\" 1\\u0000a\"} is not as it would be written, and so would be another row."},
    {"{'_id':{'S':'1\\u0000{\\\"b\\\":1,\\\"a\\\":1}'}}", real,
     "M._id: the value {\"S\":\"1\\u0000{\\\"b\\\":1,\\\"a\\\":1}\"} is not as it would be written, and so would be "
     "another row."},
    {"{'_id':{'S':'1e400\\u0000{}'}}", real, "M.x: the part \"1e400\" of the attribute _id is no JSON."},
};

TEST_ROWS(strangers, the_key_of_something_else_is_none)
{
    os_error err;
    json_t *fields = json_object();
    struct model *model = reading_model(row->model);
    json_t *item = reading_json(row->name);
    assert_int_equal(item_check(item, NULL), OS_OK);
    assert_int_equal(model_key_decode(model, item, fields, &err), OS_ERR_PROTOCOL);
    if (strcmp(err.message, row->sentence) != 0)
        fail_msg("%s", err.message);
    json_decref(fields);
    json_decref(item);
    model_free(model);
}

TEST(a_part_that_nests_without_end_is_refused)
{
    enum { LEVELS = 100000 };
    os_error err;
    char *text = malloc(2 + LEVELS + 1);
    json_t *fields = json_object();
    struct model *model = reading_model(real);
    memcpy(text, "1", 2);
    memset(text + 2, '[', LEVELS);
    json_t *item = json_pack("{s:{s:s%}}", "_id", "S", text, (size_t)(2 + LEVELS));
    assert_int_equal(model_key_decode(model, item, fields, &err), OS_ERR_PROTOCOL);
    assert_non_null(strstr(err.message, "of the attribute _id is no JSON."));
    json_decref(item);
    json_decref(fields);
    free(text);
    model_free(model);
}

TEST(keys_are_as_long_as_the_service_takes_them)
{
    static const char both[] = "{'title':'M','properties':{'p':{'type':'string'},'s':{'type':'string'}},"
                               "'required':['p','s'],'KEY':['p'],'SORT_KEY':['s']}";
    char longest[2050];
    struct model *model = reading_model(both);
    memset(longest, 'x', sizeof(longest));
    for (int i = 0; i < 4; i++) {
        os_error err;
        json_t *key;
        json_t *parts =
            json_pack("{s:s%,s:s%}", "p", longest, (size_t)(2048 + i % 2), "s", longest, (size_t)(1024 + i / 2));
        assert_int_equal(model_key_of(model, parts, &key, &err), i == 0 ? OS_OK : OS_ERR_ARGUMENT);
        if (i != 0)
            assert_string_equal(err.message,
                                i % 2 == 1 ? "M.p: the attribute _id would have 2049 bytes; a key has room for 2048."
                                           : "M.s: the attribute _sk would have 1025 bytes; a key has room for 1024.");
        json_decref(key);
        json_decref(parts);
    }
    json_t *key;
    os_error err;
    json_t *parts = reading_json("{'p':'','s':'x'}");
    assert_int_equal(model_key_of(model, parts, &key, &err), OS_ERR_ARGUMENT);
    assert_string_equal(err.message,
                        "M.p: the attribute _id would be empty, which no key can be: give at least one character.");
    json_decref(parts);
    model_free(model);
}

/* By units of UTF-16: a character beyond U+FFFF before U+E000. */
TEST(names_have_the_order_of_javascript)
{
    static const char *const sorted[] = {"",
                                         "10",
                                         "9",
                                         "B",
                                         "a",
                                         "a b",
                                         "ab",
                                         "a\xc3\xa4",
                                         "\xc3\xa4",
                                         "\xed\x9f\xbf",
                                         "\xf0\x9f\x98\x80",
                                         "\xf4\x8f\xbf\xbf",
                                         "\xee\x80\x80",
                                         "\xef\xbf\xbd"};
    enum { COUNT = sizeof(sorted) / sizeof(sorted[0]) };
    for (int a = 0; a < COUNT; a++)
        for (int b = 0; b < COUNT; b++) {
            int order = model_name_compare(sorted[a], sorted[b]);
            assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
        }
}
