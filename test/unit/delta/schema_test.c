/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables are written to, and which files fit them. */
#include "delta/actions.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define FIELDS(fields)       "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define FIELD(name, type)    "{\"name\":\"" name "\",\"type\":" type ",\"nullable\":true,\"metadata\":{}}"
#define REQUIRED(name, type) "{\"name\":\"" name "\",\"type\":" type ",\"nullable\":false,\"metadata\":{}}"
#define MARKED(mark)         "{\"name\":\"c\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"" mark "\":\"x\"}}"
#define LIST(type, nulls)    "{\"type\":\"array\",\"elementType\":" type ",\"containsNull\":" nulls "}"
#define MAP(key, value, nulls) \
    "{\"type\":\"map\",\"keyType\":" key ",\"valueType\":" value ",\"valueContainsNull\":" nulls "}"

static const struct {
    const char *name;
    const char *protocol;
    const char *partitions;
    const char *configuration;
    const char *schema;
    os_code code;
    const char *says;
} tables[] = {
    {"plain", "{\"minWriterVersion\":2}", "[]", "{}", FIELDS(FIELD("c", "\"long\"")), OS_OK, ""},
    {"an old version whose features are not used", "{\"minWriterVersion\":6}", "[]",
     "{\"delta.columnMapping.mode\":\"none\",\"delta.appendOnly\":\"true\"}", FIELDS(""), OS_OK, ""},
    {"features that are not used", "{\"minWriterVersion\":7,\"writerFeatures\":[\"appendOnly\",\"invariants\"]}", "[]",
     "{}", FIELDS(""), OS_OK, ""},
    {"a feature", "{\"minWriterVersion\":7,\"writerFeatures\":[\"appendOnly\",\"deletionVectors\"]}", "[]", "{}",
     FIELDS(""), OS_ERR_UNSUPPORTED, "deletionVectors"},
    {"a feature of readers", "{\"minWriterVersion\":7,\"readerFeatures\":[\"timestampNtz\"]}", "[]", "{}", FIELDS(""),
     OS_ERR_UNSUPPORTED, "timestampNtz"},
    {"a feature without a name", "{\"minWriterVersion\":7,\"writerFeatures\":[7]}", "[]", "{}", FIELDS(""),
     OS_ERR_UNSUPPORTED, "?"},
    {"a version of the future", "{\"minWriterVersion\":8}", "[]", "{}", FIELDS(""), OS_ERR_UNSUPPORTED,
     "minWriterVersion 8"},
    {"no version", "{}", "[]", "{}", FIELDS(""), OS_ERR_PROTOCOL, "minWriterVersion"},
    {"partitions", "{\"minWriterVersion\":2}", "[\"day\"]", "{}", FIELDS(""), OS_OK, ""},
    {"a constraint", "{\"minWriterVersion\":3}", "[]", "{\"delta.constraints.positive\":\"c > 0\"}", FIELDS(""),
     OS_ERR_UNSUPPORTED, "checkConstraints"},
    {"column mapping", "{\"minWriterVersion\":5}", "[]", "{\"delta.columnMapping.mode\":\"name\"}", FIELDS(""),
     OS_ERR_UNSUPPORTED, "columnMapping"},
    {"an invariant", "{\"minWriterVersion\":2}", "[]", "{}", FIELDS(MARKED("delta.invariants")), OS_ERR_UNSUPPORTED,
     "invariants"},
    {"a generated column", "{\"minWriterVersion\":4}", "[]", "{}", FIELDS(MARKED("delta.generationExpression")),
     OS_ERR_UNSUPPORTED, "generatedColumns"},
    {"an identity column in a list of structs", "{\"minWriterVersion\":6}", "[]", "{}",
     FIELDS(FIELD("l", LIST(FIELDS(MARKED("delta.identity.start")), "true"))), OS_ERR_UNSUPPORTED, "identityColumns"},
    {"a remark on a column", "{\"minWriterVersion\":2}", "[]", "{}", FIELDS(MARKED("comment")), OS_OK, ""},
    {"no schema", "{\"minWriterVersion\":2}", "[]", "{}", "[]", OS_ERR_PROTOCOL, "no schema"},
};

static json_t *from(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

TEST_ROWS(tables, a_table_is_written_to_or_a_sentence_says_why_not)
{
    json_t *protocol = from(row->protocol);
    json_t *metadata = json_pack("{s:o, s:o, s:s}", "partitionColumns", from(row->partitions), "configuration",
                                 from(row->configuration), "schemaString", row->schema);
    json_t *schema = NULL;
    os_error error = {0};
    assert_int_equal(delta_table_check(protocol, metadata, &schema, &error), row->code);
    assert_int_equal(schema != NULL, row->code == OS_OK);
    assert_non_null(strstr(error.message, row->says));
    json_decref(schema);
    json_decref(metadata);
    json_decref(protocol);
}

TEST(metadata_without_a_schema_is_damaged)
{
    json_t *protocol = from("{\"minWriterVersion\":2}");
    json_t *metadata = from("{}");
    json_t *schema = NULL;
    os_error error = {0};
    assert_int_equal(delta_table_check(protocol, metadata, &schema, &error), OS_ERR_PROTOCOL);
    json_decref(metadata);
    json_decref(protocol);
}

TEST(a_schema_that_is_nested_without_end_is_refused)
{
    json_t *protocol = from("{\"minWriterVersion\":2}");
    json_t *type = json_string("long");
    for (int i = 0; i < 100; i++)
        type = json_pack("{s:s, s:o}", "type", "array", "elementType", type);
    json_t *schema = json_pack("{s:s, s:[{s:s, s:o}]}", "type", "struct", "fields", "name", "c", "type", type);
    char *text = json_dumps(schema, 0);
    json_t *metadata = json_pack("{s:s}", "schemaString", text);
    json_t *ret = NULL;
    os_error error = {0};
    assert_int_equal(delta_table_check(protocol, metadata, &ret, &error), OS_ERR_UNSUPPORTED);
    assert_int_equal(delta_schema_accepts(schema, schema, &error), OS_ERR_UNSUPPORTED);
    free(text);
    json_decref(schema);
    json_decref(metadata);
    json_decref(protocol);
}

static const struct {
    const char *name;
    const char *table;
    const char *file;
    const char *says; /* NULL: it fits */
} pairs[] = {
    {"the same", FIELDS(FIELD("c", "\"long\"")), FIELDS(FIELD("c", "\"long\"")), NULL},
    {"another order", FIELDS(FIELD("c", "\"long\"") "," FIELD("d", "\"date\"")),
     FIELDS(FIELD("d", "\"date\"") "," FIELD("c", "\"long\"")), NULL},
    {"no nulls where they may be", FIELDS(FIELD("c", "\"long\"")), FIELDS(REQUIRED("c", "\"long\"")), NULL},
    {"nulls where none may be", FIELDS(REQUIRED("c", "\"long\"")), FIELDS(FIELD("c", "\"long\"")), "may be null"},
    {"another type", FIELDS(FIELD("c", "\"long\"")), FIELDS(FIELD("c", "\"integer\"")),
     "is of the type integer in the file, and long in the table"},
    {"a list in place of a number", FIELDS(FIELD("c", "\"long\"")), FIELDS(FIELD("c", LIST("\"long\"", "true"))),
     "is of the type array in the file"},
    {"a column that is missing", FIELDS(FIELD("c", "\"long\"") "," FIELD("d", "\"long\"")),
     FIELDS(FIELD("c", "\"long\"")), "\"d\" is missing"},
    {"a column more", FIELDS(FIELD("c", "\"long\"")), FIELDS(FIELD("c", "\"long\"") "," FIELD("d", "\"long\"")),
     "\"d\" of the file is not in the table"},
    {"a name in another case", FIELDS(FIELD("c", "\"long\"")), FIELDS(FIELD("C", "\"long\"")), "\"c\" is missing"},
    {"another decimal", FIELDS(FIELD("c", "\"decimal(10,2)\"")), FIELDS(FIELD("c", "\"decimal(10,3)\"")),
     "decimal(10,3)"},
    {"the same list", FIELDS(FIELD("c", LIST("\"long\"", "true"))), FIELDS(FIELD("c", LIST("\"long\"", "true"))), NULL},
    {"a list with nulls", FIELDS(FIELD("c", LIST("\"long\"", "false"))), FIELDS(FIELD("c", LIST("\"long\"", "true"))),
     "has nulls"},
    {"a list of others", FIELDS(FIELD("c", LIST("\"long\"", "true"))), FIELDS(FIELD("c", LIST("\"date\"", "true"))),
     "date"},
    {"the same map", FIELDS(FIELD("c", MAP("\"string\"", "\"long\"", "true"))),
     FIELDS(FIELD("c", MAP("\"string\"", "\"long\"", "true"))), NULL},
    {"a map of other keys", FIELDS(FIELD("c", MAP("\"string\"", "\"long\"", "true"))),
     FIELDS(FIELD("c", MAP("\"long\"", "\"long\"", "true"))), "string in the table"},
    {"a map with nulls", FIELDS(FIELD("c", MAP("\"string\"", "\"long\"", "false"))),
     FIELDS(FIELD("c", MAP("\"string\"", "\"long\"", "true"))), "has nulls"},
    {"a struct in it", FIELDS(FIELD("c", FIELDS(FIELD("x", "\"long\"")))),
     FIELDS(FIELD("c", FIELDS(FIELD("x", "\"date\"")))), "\"x\""},
    {"a type of the future", FIELDS(FIELD("c", "{\"type\":\"tensor\"}")), FIELDS(FIELD("c", "{\"type\":\"tensor\"}")),
     "tensor"},
    {"a type that is none", FIELDS(FIELD("c", "7")), FIELDS(FIELD("c", "7")), "?"},
};

TEST_ROWS(pairs, a_file_fits_or_a_sentence_says_why_not)
{
    json_t *table = from(row->table);
    json_t *file = from(row->file);
    os_error error = {0};
    os_code code = delta_schema_accepts(table, file, &error);
    assert_int_equal(code, row->says == NULL ? OS_OK : OS_ERR_UNSUPPORTED);
    if (row->says != NULL)
        assert_non_null(strstr(error.message, row->says));
    json_decref(table);
    json_decref(file);
}
