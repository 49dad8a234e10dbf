/* SPDX-License-Identifier: Apache-2.0 */
/* Which values are written into the log, and which commits fit the partitions of a table. */
#include "delta/partition.h"

#include "delta/actions.h"
#include "support/test.h"

#include <string.h>

static const struct {
    const char *name;
    const char *type;
    const char *value;
    bool fits;
} values[] = {
    {"text", "string", "x=y/\xc3\xa4", true},
    {"no UTF-8", "string", "\xff", false},
    {"null", "date", "", true},
    {"null of no type", "binary", "", false},
    {"bytes", "binary", "x", false},
    {"the largest byte", "byte", "127", true},
    {"a larger byte", "byte", "128", false},
    {"the smallest byte", "byte", "-128", true},
    {"a smaller byte", "byte", "-129", false},
    {"a short", "short", "-32768", true},
    {"a larger short", "short", "32768", false},
    {"an integer", "integer", "2147483647", true},
    {"a larger integer", "integer", "2147483648", false},
    {"the smallest long", "long", "-9223372036854775808", true},
    {"a larger long", "long", "9223372036854775808", false},
    {"a long of too many digits", "long", "99999999999999999999", false},
    {"zero", "long", "0", true},
    {"zero with a sign", "long", "-0", false},
    {"zeros in front", "long", "007", false},
    {"a plus", "long", "+7", false},
    {"a fraction of a long", "long", "1.5", false},
    {"something behind a long", "long", "7 ", false},
    {"a sign alone", "long", "-", false},
    {"a double", "double", "-1.50E-3", true},
    {"a whole double", "double", "100", true},
    {"a double with a small e", "double", "1e5", true},
    {"no number", "double", "NaN", true},
    {"infinity", "float", "Infinity", true},
    {"infinity below zero", "float", "-Infinity", true},
    {"nothing before the point", "float", ".5", false},
    {"nothing behind the point", "float", "1.", false},
    {"nothing behind the E", "float", "1E", false},
    {"something behind a float", "float", "1.5f", false},
    {"something behind an exponent", "float", "1E5f", false},
    {"a decimal", "decimal(5,2)", "-123.45", true},
    {"a whole decimal", "decimal(5,2)", "123", true},
    {"a decimal of too many digits", "decimal(5,2)", "1234", false},
    {"a decimal with too many behind", "decimal(5,2)", "1.234", false},
    {"a decimal with nothing behind", "decimal(5,2)", "1.", false},
    {"a decimal and something else", "decimal(5,2)", "1.5x", false},
    {"a decimal below one", "decimal(2,2)", "0.15", true},
    {"a decimal that is too large", "decimal(2,2)", "1.15", false},
    {"a decimal without a scale", "decimal(5)", "1", false},
    {"a decimal of too many", "decimal(39,2)", "1", false},
    {"a decimal of none", "decimal(0,0)", "1", false},
    {"a decimal with more behind than there are", "decimal(2,3)", "1", false},
    {"a decimal that is not closed", "decimal(5,2", "1", false},
    {"a decimal without a comma", "decimal(5;2)", "1", false},
    {"a decimal without a number", "decimal(x,2)", "1", false},
    {"a decimal with half a scale", "decimal(5,)", "1", false},
    {"true", "boolean", "true", true},
    {"false", "boolean", "false", true},
    {"a shout", "boolean", "TRUE", false},
    {"a day", "date", "2024-02-29", true},
    {"no day", "date", "2023-02-29", false},
    {"a short day", "date", "2024-2-29", false},
    {"a day in words", "date", "2024/02/29", false},
    {"a time", "timestamp", "2026-11-28T06:00:00.123456Z", true},
    {"a time without a fraction", "timestamp", "2026-11-28T06:00:00Z", true},
    {"a time that is nowhere", "timestamp", "2026-11-28T06:00:00", false},
    {"a time in nanoseconds", "timestamp", "2026-11-28T06:00:00.123456789Z", false},
    {"a type that is a list", "array", "1", false},
};

TEST_ROWS(values, a_value_is_written_if_all_engines_read_it_alike)
{
    assert_int_equal(delta_partition_fits(row->type, row->value), row->fits);
}

TEST(a_value_is_bounded)
{
    char value[DELTA_VALUE_MAX + 2];
    memset(value, 'x', sizeof(value));
    value[DELTA_VALUE_MAX + 1] = '\0';
    assert_false(delta_partition_fits("string", value));
    value[DELTA_VALUE_MAX] = '\0';
    assert_true(delta_partition_fits("string", value));
}

/* -------------------------------------------------------------------------------------------------------- arguments */

static const struct {
    const char *name;
    os_delta_partition columns[2];
    size_t count;
    const char *says; /* NULL: it can be */
} arguments[] = {
    {"none", {{NULL, NULL, NULL}}, 0, NULL},
    {"one", {{"day", "2026-11-28", "date"}}, 1, NULL},
    {"without a type", {{"day", NULL, NULL}, {"hour", "7", ""}}, 2, NULL},
    {"without a name", {{"", "x", NULL}}, 1, "1 to 255 bytes"},
    {"with a name of other bytes", {{"\xff", "x", NULL}}, 1, "1 to 255 bytes"},
    {"twice", {{"day", "a", NULL}, {"Day", "b", NULL}}, 2, "\"Day\" is given twice"},
    {"of no type", {{"day", "a", "binary"}}, 1, "\"binary\" is no type"},
    {"of another type", {{"day", "a", "date"}}, 1, "\"a\" is no value"},
    {"too many", {{"day", "a", NULL}}, DELTA_PARTITIONS_MAX + 1, "up to 32"},
};

TEST_ROWS(arguments, what_cannot_be_is_refused_without_a_table)
{
    const struct delta_partition partition = {.columns = row->columns, .count = row->count};
    os_error error = {0};
    os_code code = delta_partition_check(&partition, &error);
    assert_int_equal(code, row->says == NULL ? OS_OK : OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, row->says != NULL ? row->says : ""));
}

TEST(what_is_long_or_missing_is_refused)
{
    char name[257];
    memset(name, 'x', sizeof(name));
    name[256] = '\0';
    const os_delta_partition column = {name, "a", NULL};
    os_error error;
    assert_int_equal(delta_partition_check(&(struct delta_partition){.columns = &column, .count = 1}, &error),
                     OS_ERR_ARGUMENT);
    assert_int_equal(delta_partition_check(&(struct delta_partition){.count = 1}, &error), OS_ERR_ARGUMENT);
}

TEST(the_values_of_every_file_are_looked_at)
{
    static const os_delta_partition columns[] = {{"day", NULL, "date"}, {"n", NULL, "long"}};
    static const char *const given[] = {"2026-11-28", "1", NULL, "2", "2026-11-30", "x"};
    struct delta_partition partition = {.columns = columns, .count = 2, .values = given, .files = 2};
    os_error error;
    assert_int_equal(delta_partition_check(&partition, &error), OS_OK);
    json_t *first = delta_partition_values(&partition, 0);
    json_t *second = delta_partition_values(&partition, 1);
    assert_string_equal(json_string_value(json_object_get(first, "day")), "2026-11-28");
    assert_true(json_is_null(json_object_get(second, "day")));
    assert_string_equal(json_string_value(json_object_get(second, "n")), "2");
    json_decref(first);
    json_decref(second);
    partition.files = 3;
    assert_int_equal(delta_partition_check(&partition, &error), OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "\"x\" is no value of the partition column \"n\""));
}

/* ------------------------------------------------------------------------------------------------------------ tables */

#define FIELD(name, type, nullable) \
    "{\"name\":\"" name "\",\"type\":" type ",\"nullable\":" nullable ",\"metadata\":{}}"
#define SCHEMA(fields) "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define TABLE \
    SCHEMA(FIELD("id", "\"long\"", "true") "," FIELD("day", "\"date\"", "true") "," FIELD("n", "\"long\"", "false"))
#define FILE_OF_IT SCHEMA(FIELD("id", "\"long\"", "true"))

static const struct {
    const char *name;
    const char *table;
    const char *columns;
    const char *file;
    os_delta_partition given[2];
    size_t count;
    const char *says; /* NULL: it fits */
} tables[] = {
    {"as it is", TABLE, "[\"day\",\"n\"]", FILE_OF_IT, {{"n", "7", NULL}, {"day", "2026-11-28", "date"}}, 2, NULL},
    {"null", TABLE, "[\"day\",\"n\"]", FILE_OF_IT, {{"n", "7", NULL}, {"day", "", NULL}}, 2, NULL},
    {"null where none may be",
     TABLE,
     "[\"day\",\"n\"]",
     FILE_OF_IT,
     {{"n", "", NULL}, {"day", "", NULL}},
     2,
     "\"n\" may not be null"},
    {"one is missing",
     TABLE,
     "[\"day\",\"n\"]",
     FILE_OF_IT,
     {{"day", "2026-11-28", NULL}},
     1,
     "partitioned by \"day\" and other columns, and no value is given for \"n\""},
    {"one too many",
     SCHEMA(FIELD("id", "\"long\"", "true") "," FIELD("day", "\"date\"", "true")),
     "[\"day\"]",
     FILE_OF_IT,
     {{"day", "2026-11-28", NULL}, {"n", "7", NULL}},
     2,
     "partitioned by \"day\", and not by \"n\""},
    {"none is asked for", FILE_OF_IT, "[]", FILE_OF_IT, {{"n", "7", NULL}}, 1, "has no partitions"},
    {"no list of columns", FILE_OF_IT, "null", FILE_OF_IT, {{NULL, NULL, NULL}}, 0, NULL},
    {"a list of numbers", FILE_OF_IT, "[7]", FILE_OF_IT, {{NULL, NULL, NULL}}, 0, "partitioned by \"?\""},
    {"another type",
     TABLE,
     "[\"day\",\"n\"]",
     FILE_OF_IT,
     {{"n", "7", "short"}, {"day", "", NULL}},
     2,
     "of the type long in the table, and not short"},
    {"a value of another type",
     TABLE,
     "[\"day\",\"n\"]",
     FILE_OF_IT,
     {{"n", "7", NULL}, {"day", "7", NULL}},
     2,
     "\"7\" is no value of the partition column \"day\""},
    {"a column that the table does not have",
     FILE_OF_IT,
     "[\"day\"]",
     FILE_OF_IT,
     {{"day", "", NULL}},
     1,
     "of the type ?"},
    {"a type that is not written",
     SCHEMA(FIELD("day", "\"binary\"", "true")),
     "[\"day\"]",
     FILE_OF_IT,
     {{"day", "", NULL}},
     1,
     "of the type binary"},
    {"a column that stands in the file",
     TABLE,
     "[\"day\",\"n\"]",
     SCHEMA(FIELD("id", "\"long\"", "true") "," FIELD("Day", "\"date\"", "true")),
     {{"n", "7", NULL}, {"day", "", NULL}},
     2,
     "\"day\" stands in the file"},
    {"a file of another schema",
     TABLE,
     "[\"day\",\"n\"]",
     SCHEMA(FIELD("id", "\"string\"", "true")),
     {{"n", "7", NULL}, {"day", "", NULL}},
     2,
     "of the type string in the file"},
    {"fields without names", SCHEMA("7,{}"), "[]", SCHEMA(""), {{NULL, NULL, NULL}}, 0, "missing in the file"},
};

static json_t *from(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

TEST_ROWS(tables, a_commit_fits_the_partitions_of_the_table_or_a_sentence_says_why_not)
{
    const struct delta_partition partition = {.columns = row->given, .count = row->count};
    json_t *table = from(row->table);
    json_t *columns = from(row->columns);
    json_t *file = from(row->file);
    os_error error = {0};
    os_code code = delta_partition_accepts(&partition, table, columns, file, &error);
    assert_int_equal(code, row->says == NULL ? OS_OK : OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, row->says != NULL ? row->says : ""));
    json_decref(table);
    json_decref(columns);
    json_decref(file);
}

TEST(a_new_table_has_the_columns_of_the_files_and_of_the_partition)
{
    static const os_delta_partition given[] = {{"day", "2026-11-28", "date"}, {"s", "", NULL}};
    const struct delta_partition partition = {.columns = given, .count = 2};
    json_t *file = from(FILE_OF_IT);
    os_error error;
    assert_int_equal(delta_partition_check_files(&partition, file, &error), OS_OK);
    json_t *schema = delta_partition_schema(&partition, file);
    json_t *columns = delta_partition_columns(&partition);
    json_t *want = from(SCHEMA(
        FIELD("id", "\"long\"", "true") "," FIELD("day", "\"date\"", "true") "," FIELD("s", "\"string\"", "true")));
    assert_true(json_equal(schema, want));
    assert_int_equal(delta_partition_accepts(&partition, schema, columns, file, &error), OS_OK);
    assert_int_equal(delta_partition_check_files(&partition, schema, &error), OS_ERR_UNSUPPORTED);
    json_decref(want);
    json_decref(columns);
    json_decref(schema);
    json_decref(file);
}
