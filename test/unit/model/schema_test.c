/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_schema.h"

#include "model_reading.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* What is put into a model M whose key is k: its properties, who is required beside k, and the other members. */
#define M(properties, required, rest)                                                              \
    "{'title':'M','type':'object','properties':{'k':{'type':'string'}" properties "},'required':[" \
    "'k'" required "],'KEY':['k']" rest "}"

TEST(a_model_has_its_fields_keys_and_indexes)
{
    struct model *model = reading_model(
        M(",'n':{'type':'integer','default':5,'readOnly':true},'d':{'type':'number'},'o':{'type':'object'}", ",'d'",
          ",'SORT_KEY':['d'],'EXPIRE_EPOCH_FIELD':'n','INDEXES':{"
          "'one':{'KEY':['n'],'SPARSE':true},"
          "'two':{'KEY':['o'],'SORT_KEY':['n','k'],'SPARSE':true,'INCLUDE_ONLY':[]},"
          "'three':{'KEY':['d'],'SORT_KEY':['k']}}"));
    const struct model_field *n = model_field_find(model, "n");
    const struct model_field *o = model_field_find(model, "o");
    assert_string_equal(model->name, "M");
    assert_int_equal(model->field_count, 4);
    assert_true(n->type == MODEL_INTEGER && n->is_read_only && n->is_optional && n->role == MODEL_PLAIN);
    assert_json(n->default_value, "5");
    assert_ptr_equal(model->expires, n);
    assert_true(model_field_find(model, "k")->role == MODEL_PARTITION_PART);
    assert_true(model_field_find(model, "d")->role == MODEL_SORT_PART && model_field_find(model, "d")->is_read_only);
    assert_null(model_field_find(model, "x"));
    assert_true(!model->key.is_number && model->sort_key.is_number);
    const struct model_index *two = model_index_find(model, "two");
    assert_string_equal(model_index_find(model, "one")->key.name, "n");
    assert_null(model_index_find(model, "one")->sort_key.name);
    assert_string_equal(two->key.name, "_c_o");
    assert_string_equal(two->sort_key.name, "_c_k_n");
    assert_string_equal(model_index_find(model, "three")->key.name, "_sk");
    assert_string_equal(model_index_find(model, "three")->sort_key.name, "_id");
    assert_null(model_index_find(model, "four"));
    assert_int_equal(model->extra_count, 2);
    assert_true(model_index_has(two, o) && model_index_has(two, n) &&
                model_index_has(two, model_field_find(model, "d")));
    model_free(model);
}

TEST(without_a_key_it_is_the_id_of_the_library)
{
    static const char *const schemas[] = {
        "{'title':'Order','properties':{'product':{'type':'string'}},'required':['product']}",
        "{'title':'Order','properties':{'product':{'type':'string'}}}",
    };
    for (size_t i = 0; i < 2; i++) {
        struct model *model = reading_model(schemas[i]);
        const struct model_field *id = model_field_find(model, "id");
        assert_int_equal(model->field_count, 2);
        assert_int_equal(model->key.count, 1);
        assert_ptr_equal(model->key.parts[0], id);
        assert_true(id->role == MODEL_PARTITION_PART && id->is_read_only && !id->is_optional);
        assert_json(id->rules, "{'type':'string','pattern':'^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-"
                               "[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$'}");
        assert_int_equal(model_field_find(model, "product")->is_optional, i == 1);
        model_free(model);
    }
}

TEST(an_index_has_its_keys_and_what_it_includes)
{
    struct model *model = reading_model(M(",'a':{'type':'string'},'b':{'type':'string'},'c':{'type':'string'}",
                                          ",'a','b','c'", ",'INDEXES':{'index':{'KEY':['a'],'INCLUDE_ONLY':['b']}}"));
    const char *const names[] = {"k", "a", "b", "c"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(model_index_has(&model->indexes[0], model_field_find(model, names[i])), i < 3);
    model_free(model);
}

static const struct {
    const char *name; /* JSON */
    const char *sentence;
} faults[] = {
    {"{}", "The model has no name. Give it as its title."},
    {"{'title':''}", "The model has no name. Give it as its title."},
    {"{'title':'a\\u0000'}", "The model has no name. Give it as its title."},
    {"{'title':5}", "The model has no name. Give it as its title."},
    {"{'title':'M'}", "M: a model has 1 to 1000 properties, which are its fields and the parts of its key."},
    {"{'title':'M','properties':{}}",
     "M: a model has 1 to 1000 properties, which are its fields and the parts of its key."},
    {"{'title':'M','properties':{'id':{'type':'string'}},'required':['id']}",
     "M: without KEY the key is id, a UUID: name id in KEY, or leave it out of the properties."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':'k'}", "M: required wants an array of names."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'KEY':null}",
     "M: KEY wants an array of 1 to 100 names of fields."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':['k'],'KEY':[]}",
     "M: KEY wants an array of 1 to 100 names of fields."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':['k'],'KEY':['x']}",
     "M: the value \"x\" stands in KEY, and is no field."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':['k'],'KEY':[5]}",
     "M: the value 5 stands in KEY, and is no field."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':['k'],'KEY':['k\\u0000x']}",
     "M: the value \"k\\u0000x\" stands in KEY, and is no field."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':['k'],'KEY':['k','k']}", "M: KEY names k twice."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':['k'],'KEY':'k'}",
     "M: KEY wants an array of 1 to 100 names of fields."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'KEY':['k']}",
     "M.k: a part of the key cannot be left out: name it in required."},
    {"{'title':'M','properties':{'k':{'type':'string'},'a':{'type':'string'}},'required':['k'],'KEY':['k','a']}",
     "M.a: a part of the key cannot be left out: name it in required."},
    {"{'title':'M','properties':{'k':{'type':'string','readOnly':false}},'required':['k'],'KEY':['k']}",
     "M.k: a part of the key does not change: leave out readOnly, or give true."},
    {"{'title':'M','properties':{'k':{'type':'string','default':'x'}},'required':['k'],'KEY':['k']}",
     "M.k: a part of KEY has no default, or all rows without it would be one."},
    {M("", "", ",'SORT_KEY':['k']"), "M.k: it is a part of KEY and of SORT_KEY."},
    {M("", "", ",'SORT_KEY':[]"), "M: SORT_KEY wants an array of 1 to 100 names of fields."},
    {"{'title':'M','properties':{'k':{'type':'string'}},'required':'k','KEY':['k']}",
     "M: required wants an array of names."},
    {M("", ",'x'", ""), "M: the value \"x\" stands in required, and is no field."},
    {M("", ",5", ""), "M: the value 5 stands in required, and is no field."},
    {M(",'f':{'type':'string'}", ",5", ""), "M: the value 5 stands in required, and is no field."},
    {M(",'f':{'type':'string'}", ",'f\\u0000'", ""), "M: the value \"f\\u0000\" stands in required, and is no field."},
    {M("", "", ",'additionalProperties':true"),
     "M: a row has no fields but those of its model: leave out additionalProperties, or give false."},
    {M("", "", ",'patternProperties':{}"), "M: \"patternProperties\" is not known here, and would be passed over."},
    {"{'title':'M','type':'array'}", "M: a row is an object, and so is the type of its model."},
    {M(",'_x':{'type':'string'}", "", ""),
     "M._x: names with a _ before them are those of the keys: give the field another one."},
    {M(",'isNew':{'type':'string'}", "", ""),
     "M.isNew: isNew is what a row says of itself: give the field another name."},
    {M(",'':{'type':'string'}", "", ""), "M.\"\": the name of a field has 1 to 65535 bytes."},
    {M(",'f':5", "", ""), "M.f: give it a type: integer, number, string, boolean, object or array."},
    {M(",'f':{'type':'string\\u0000'}", "", ""),
     "M.f: give it a type: integer, number, string, boolean, object or array."},
    {M(",'f':{'type':'null'}", "", ""), "M.f: give it a type: integer, number, string, boolean, object or array."},
    {M(",'f':{'type':['string','null']}", "", ""),
     "M.f: give it a type: integer, number, string, boolean, object or array."},
    {M(",'f':{'type':'string','format':'uuid'}", "", ""),
     "M.f: \"format\" is not known here, and would be passed over."},
    {M(",'f':{'type':'string','minimum':1}", "", ""), "M.f: \"minimum\" says nothing of a value of type string."},
    {M(",'f':{'type':'integer','minimum':'1'}", "", ""), "M.f: minimum wants a number."},
    {M(",'f':{'type':'string','minLength':-1}", "", ""), "M.f: minLength wants a whole number that is not below 0."},
    {M(",'f':{'type':'string','minLength':1.5}", "", ""), "M.f: minLength wants a whole number that is not below 0."},
    {M(",'f':{'type':'integer','minimum':2,'maximum':1.5}", "", ""),
     "M.f: minimum is above maximum, and no value is left."},
    {M(",'f':{'type':'string','enum':[]}", "", ""), "M.f: enum wants an array of at least one value."},
    {M(",'f':{'type':'string','pattern':'(?=a)'}", "", ""),
     "M.f: the pattern \"(?=a)\" has a (? other than (?:, which is not known here."},
    {M(",'f':{'type':'string','pattern':5}", "", ""), "M.f: pattern wants a string."},
    {M(",'f':{'type':'string','readOnly':1}", "", ""), "M.f: readOnly wants true or false."},
    {M(",'f':{'type':'object','additionalProperties':{}}", "", ""), "M.f: additionalProperties wants true or false."},
    {M(",'f':{'type':'object','required':[1,'a']}", "", ""), "M.f: required wants an array of names."},
    {M(",'f':{'type':'object','required':'a'}", "", ""), "M.f: required wants an array of names."},
    {M(",'f':{'type':'object','required':['a\\u0000']}", "", ""), "M.f: required wants an array of names."},
    {M(",'f':{'type':'object','required':[1]}", "", ""), "M.f: required wants an array of names."},
    {M(",'f':{'type':'object','properties':[]}", "", ""), "M.f: properties wants an object."},
    {M(",'f':{'type':'object','properties':{'a':{'type':'x'}}}", "", ""),
     "M.f.a: give it a type: integer, number, string, boolean, object or array."},
    {M(",'f':{'type':'object','patternProperties':{'a{':{'type':'string'}}}", "", ""),
     "M.f: the pattern \"a{\" has a { without the numbers of a count and its }, which is not known here."},
    {M(",'f':{'type':'array','items':{'type':'string','uniqueItems':true}}", "", ""),
     "M.f.items: \"uniqueItems\" is not known here, and would be passed over."},
    {M(",'f':{'type':'integer','default':1.5}", "", ""), "M.f: the value 1.5 is no integer."},
    {M(",'f':{'type':'integer','default':5,'maximum':4}", "", ""), "M.f: the value 5 is above the maximum 4."},
    {M(",'f':{'type':'object','default':{},'required':['a']}", "", ""),
     "M.f: the object lacks \"a\", which is required."},
    {M(",'f':{'type':'number','default':1e300}", "", ""),
     "M.f: the value 1e+300 is beyond 9007199254740991, up to which numbers are exact."},
    {M("", "", ",'EXPIRE_EPOCH_FIELD':'x'"), "M: the value \"x\" is the EXPIRE_EPOCH_FIELD, and is no field."},
    {M("", "", ",'EXPIRE_EPOCH_FIELD':true"), "M: the value true is the EXPIRE_EPOCH_FIELD, and is no field."},
    {M(",'f':{'type':'integer'}", "", ",'EXPIRE_EPOCH_FIELD':'f\\u0000'"),
     "M: the value \"f\\u0000\" is the EXPIRE_EPOCH_FIELD, and is no field."},
    {M(",'f':{'type':'string'}", "", ",'EXPIRE_EPOCH_FIELD':'f'"),
     "M: the value \"f\" is the EXPIRE_EPOCH_FIELD, and is neither an integer nor a number."},
    {M(",'f':{'type':'integer'}", ",'f'", ",'SORT_KEY':['f'],'EXPIRE_EPOCH_FIELD':'f'"),
     "M: the value \"f\" is the EXPIRE_EPOCH_FIELD, and a part of the key, which is no attribute that rows could "
     "expire by."},
    {M("", "", ",'INDEXES':[]"), "M: INDEXES wants an object of at most 100 indexes."},
    {M("", "", ",'INDEX_INCLUDE_KEYS':1"), "M: INDEX_INCLUDE_KEYS wants true or false."},
    {M("", "", ",'INDEXES':{'ab':{'KEY':['k']}}"),
     "M: the index \"ab\" wants a name of 3 to 255 letters, digits, dots, hyphens and underscores."},
    {M("", "", ",'INDEXES':{'a b':{'KEY':['k']}}"),
     "M: the index \"a b\" wants a name of 3 to 255 letters, digits, dots, hyphens and underscores."},
    {M("", "", ",'INDEXES':{'a[c':{'KEY':['k']}}"),
     "M: the index \"a[c\" wants a name of 3 to 255 letters, digits, dots, hyphens and underscores."},
    {M("", "", ",'INDEXES':{'ab{':{'KEY':['k']}}"),
     "M: the index \"ab{\" wants a name of 3 to 255 letters, digits, dots, hyphens and underscores."},
    {M("", "", ",'INDEXES':{'ab:':{'KEY':['k']}}"),
     "M: the index \"ab:\" wants a name of 3 to 255 letters, digits, dots, hyphens and underscores."},
    {M("", "", ",'INDEXES':{'abc':{}}"), "M: the KEY of an index wants an array of 1 to 100 names of fields."},
    {M("", "", ",'INDEXES':{'abc':5}"), "M: the index abc wants an object, with true or false as SPARSE."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'SPARSE':1}}"),
     "M: the index abc wants an object, with true or false as SPARSE."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'ONLY':1}}"), "M: the index abc has \"ONLY\", which is not known here."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'SORT_KEY':['x']}}"),
     "M: the value \"x\" stands in the SORT_KEY of an index, and is no field."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'SORT_KEY':['k']}}"),
     "M: the index abc has k in its KEY and in its SORT_KEY."},
    {M(",'f':{'type':'string'}", "", ",'INDEXES':{'abc':{'KEY':['f']}}"),
     "M: the index abc has the optional field f in its key: make it SPARSE."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'INCLUDE_ONLY':'f'}}"),
     "M: the index abc wants an array of names as INCLUDE_ONLY."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'INCLUDE_ONLY':['x']}}"),
     "M: the value \"x\" stands in an INCLUDE_ONLY, and is no field."},
    {M(",'f':{'type':'string'}", "", ",'INDEXES':{'abc':{'KEY':['k'],'INCLUDE_ONLY':['f\\u0000']}}"),
     "M: the value \"f\\u0000\" stands in an INCLUDE_ONLY, and is no field."},
    {M("", "", ",'INDEXES':{'abc':{'KEY':['k'],'INCLUDE_ONLY':['k']}}"),
     "M: the value \"k\" stands in an INCLUDE_ONLY, and is a part of the key, which every index has."},
    {M(",'a':{'type':'string'},'b':{'type':'string'},'a_b':{'type':'boolean'}", ",'a','b','a_b'",
       ",'INDEXES':{'one':{'KEY':['a','b']},'two':{'KEY':['a_b']}}"),
     "M: two indexes would write different fields to the attribute _c_a_b: give a field with a _ in it another name."},
};

TEST_ROWS(faults, what_is_no_model_is_refused_with_a_sentence)
{
    assert_no_model(row->name, row->sentence);
}

TEST(text_that_is_no_json_object_is_no_model)
{
    static const char *const texts[][2] = {{"", "(line 1, column 0)"},
                                           {"[]", "it is no object"},
                                           {"{\n \"title\": M}", "(line 2, column"},
                                           {"{\"title\":\"M\",\"title\":\"N\"}", "duplicate object key"}};
    os_error err;
    struct model *model = (struct model *)&err;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(model_read(texts[i][0], strlen(texts[i][0]), &model, &err), OS_ERR_ARGUMENT);
        assert_null(model);
        assert_non_null(strstr(err.message, "The model is no JSON object: "));
        assert_non_null(strstr(err.message, texts[i][1]));
    }
    char *text = calloc(1, MODEL_TEXT_MAX + 1);
    assert_int_equal(model_read(text, MODEL_TEXT_MAX + 1, &model, &err), OS_ERR_ARGUMENT);
    assert_string_equal(err.message, "The model has 262145 bytes of JSON; there is room for 262144.");
    free(text);
}

/* So many objects inside each other, as the rules of a field. */
static json_t *nested_rules(size_t levels)
{
    json_t *rules = json_pack("{s:s}", "type", "string");
    for (size_t i = 0; i < levels; i++)
        rules = json_pack("{s:s,s:{s:o}}", "type", "object", "properties", "a", rules);
    return rules;
}

TEST(rules_nest_as_deep_as_values)
{
    for (size_t levels = 30; levels < 60; levels += 15) {
        os_error err;
        struct model *model;
        json_t *schema = json_pack("{s:s,s:{s:{s:s},s:o},s:[s],s:[s]}", "title", "M", "properties", "k", "type",
                                   "string", "f", nested_rules(levels), "required", "k", "KEY", "k");
        char *text = json_dumps(schema, 0);
        os_code code = model_read(text, strlen(text), &model, &err);
        assert_int_equal(code, levels == 30 ? OS_OK : OS_ERR_ARGUMENT);
        if (code != OS_OK)
            assert_non_null(strstr(err.message, "nest deeper than an item has levels"));
        model_free(model);
        free(text);
        json_decref(schema);
    }
}

TEST(a_key_of_an_index_has_a_name_of_at_most_255_bytes)
{
    char name[260];
    for (size_t len = 255; len <= 256; len++) {
        char text[2048];
        os_error err;
        struct model *model;
        memset(name, 'x', len);
        name[len] = '\0';
        snprintf(text, sizeof(text),
                 "{\"title\":\"M\",\"properties\":{\"%s\":{\"type\":\"string\"}},\"required\":[\"%s\"],"
                 "\"KEY\":[\"%s\"],\"INDEXES\":{\"abc\":{\"KEY\":[\"%s\"]}}}",
                 name, name, name, name);
        assert_int_equal(model_read(text, strlen(text), &model, &err), OS_OK); /* it is _id */
        model_free(model);
        snprintf(text, sizeof(text),
                 "{\"title\":\"M\",\"properties\":{\"k\":{\"type\":\"string\"},\"%s\":{\"type\":\"string\"}},"
                 "\"required\":[\"k\",\"%s\"],\"KEY\":[\"k\"],\"INDEXES\":{\"abc\":{\"KEY\":[\"%s\"]}}}",
                 name, name, name);
        assert_int_equal(model_read(text, strlen(text), &model, &err), len == 255 ? OS_OK : OS_ERR_ARGUMENT);
        if (len == 256)
            assert_non_null(strstr(err.message, "of an index has a name of 256 bytes; a key has room for 255."));
        model_free(model);
    }
}

/* A name of so many letters; for free. */
static char *long_name(size_t len)
{
    char *name = malloc(len + 1);
    assert_non_null(name);
    memset(name, 'a', len);
    name[len] = '\0';
    return name;
}

static void check_built(json_t *schema, const char *sentence)
{
    os_error err;
    struct model *model;
    assert_non_null(schema);
    assert_int_equal(model_build(schema, &model, &err), sentence == NULL ? OS_OK : OS_ERR_ARGUMENT);
    if (sentence != NULL)
        assert_non_null(strstr(err.message, sentence));
    model_free(model);
    json_decref(schema);
}

TEST(a_field_and_an_index_have_names_of_bounded_length)
{
    for (size_t more = 0; more < 2; more++) {
        char *field = long_name(PATH_NAME_MAX + more);
        char *index = long_name(255 + more);
        check_built(json_pack("{s:s,s:{s:{s:s},s:{s:s}},s:[s],s:[s]}", "title", "M", "properties", "k", "type",
                              "string", field, "type", "string", "required", "k", "KEY", "k"),
                    more == 0 ? NULL : "the name of a field has 1 to 65535 bytes");
        check_built(json_pack("{s:s,s:{s:{s:s}},s:[s],s:[s],s:{s:{s:[s]}}}", "title", "M", "properties", "k", "type",
                              "string", "required", "k", "KEY", "k", "INDEXES", index, "KEY", "k"),
                    more == 0 ? NULL : "wants a name of 3 to 255 letters, digits, dots, hyphens and underscores.");
        free(field);
        free(index);
    }
}

/* So many string fields, all of which are required, and the first of which are the key. */
static json_t *wide_schema(size_t fields, size_t parts)
{
    json_t *schema = json_pack("{s:s,s:{},s:[],s:[]}", "title", "M", "properties", "required", "KEY");
    for (size_t i = 0; i < fields; i++) {
        char name[24];
        snprintf(name, sizeof(name), "f%zu", i);
        json_object_set_new(json_object_get(schema, "properties"), name, json_pack("{s:s}", "type", "string"));
        json_array_append_new(json_object_get(schema, "required"), json_string(name));
        if (i < parts)
            json_array_append_new(json_object_get(schema, "KEY"), json_string(name));
    }
    return schema;
}

TEST(a_model_has_a_bounded_number_of_fields_parts_and_indexes)
{
    check_built(wide_schema(MODEL_FIELDS_MAX, 1), NULL);
    check_built(wide_schema(MODEL_FIELDS_MAX + 1, 1), "a model has 1 to 1000 properties");
    check_built(wide_schema(MODEL_PARTS_MAX + 1, MODEL_PARTS_MAX), NULL);
    check_built(wide_schema(MODEL_PARTS_MAX + 1, MODEL_PARTS_MAX + 1),
                "KEY wants an array of 1 to 100 names of fields.");
    for (size_t more = 0; more < 2; more++) {
        json_t *schema = wide_schema(1, 1);
        json_t *indexes = json_object();
        for (size_t i = 0; i < MODEL_INDEXES_MAX + more; i++) {
            char name[16];
            snprintf(name, sizeof(name), "by-_.%zu", i);
            json_object_set_new(indexes, name, json_pack("{s:[s]}", "KEY", "f0"));
        }
        json_object_set_new(schema, "INDEXES", indexes);
        check_built(schema, more == 0 ? NULL : "INDEXES wants an object of at most 100 indexes.");
    }
}
