/* SPDX-License-Identifier: Apache-2.0 */
/* Footers are read as they were written; each type becomes Delta's, or a sentence; damage is seen. */
#include "delta/parquet.h"

#include "footer.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define NONE (-1)
#define GROUP(name, repetition, children, converted)                \
    {                                                               \
        name, NONE, repetition, children, converted, NONE, NONE, "" \
    }
#define LEAF(name, type, repetition, converted)                 \
    {                                                           \
        name, type, repetition, NONE, converted, NONE, NONE, "" \
    }
#define LOGICAL(name, type, logical)                                  \
    {                                                                 \
        name, type, PARQUET_OPTIONAL, NONE, NONE, NONE, NONE, logical \
    }
#define DECIMAL_OF(type, scale, precision)                         \
    {                                                              \
        "c", type, PARQUET_OPTIONAL, NONE, 5, scale, precision, "" \
    }

static os_code read_elements(const struct footer_element *elements, size_t count, int columns, char **ret_schema,
                             os_error *err)
{
    struct buf footer;
    struct parquet parquet;
    json_t *schema = NULL;
    buf_init(&footer, 1 << 20);
    footer_write(&footer, elements, count, columns, 42);
    os_code code = parquet_read(buf_str(&footer), footer.len, &parquet, err);
    if (code == OS_OK) {
        assert_int_equal(parquet.rows, 42);
        code = parquet_delta_schema(&parquet, &schema, err);
    }
    if (code == OS_OK)
        *ret_schema = json_dumps(schema, JSON_COMPACT);
    json_decref(schema);
    parquet_free(&parquet);
    buf_free(&footer);
    return code;
}

/* The converted and logical types, and the physical ones. In hex: logicalType is a union, whose member is a struct. */
static const struct {
    const char *name;
    struct footer_element element;
    const char *type; /* NULL: refused */
    const char *says;
} leaves[] = {
    {"boolean", LEAF("c", PARQUET_BOOLEAN, PARQUET_OPTIONAL, NONE), "\"boolean\"", ""},
    {"int32", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, NONE), "\"integer\"", ""},
    {"int64", LEAF("c", PARQUET_INT64, PARQUET_OPTIONAL, NONE), "\"long\"", ""},
    {"int96", LEAF("c", PARQUET_INT96, PARQUET_OPTIONAL, NONE), "\"timestamp\"", ""},
    {"float", LEAF("c", PARQUET_FLOAT, PARQUET_OPTIONAL, NONE), "\"float\"", ""},
    {"double", LEAF("c", PARQUET_DOUBLE, PARQUET_OPTIONAL, NONE), "\"double\"", ""},
    {"binary", LEAF("c", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, NONE), "\"binary\"", ""},
    {"fixed", LEAF("c", PARQUET_FIXED, PARQUET_OPTIONAL, NONE), NULL, "fixed length"},
    {"utf8", LEAF("c", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, 0), "\"string\"", ""},
    {"map of a leaf", LEAF("c", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, 1), NULL, "a type that Delta does not have"},
    {"enum", LEAF("c", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, 4), NULL, "a type that Delta does not have"},
    {"date", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 6), "\"date\"", ""},
    {"milliseconds", LEAF("c", PARQUET_INT64, PARQUET_OPTIONAL, 9), NULL, "in other units"},
    {"microseconds", LEAF("c", PARQUET_INT64, PARQUET_OPTIONAL, 10), "\"timestamp\"", ""},
    {"uint8", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 11), NULL, "unsigned"},
    {"uint16", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 12), NULL, "unsigned"},
    {"uint32", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 13), NULL, "unsigned"},
    {"uint64", LEAF("c", PARQUET_INT64, PARQUET_OPTIONAL, 14), NULL, "unsigned"},
    {"int8", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 15), "\"byte\"", ""},
    {"int16", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 16), "\"short\"", ""},
    {"int32, converted", LEAF("c", PARQUET_INT32, PARQUET_OPTIONAL, 17), "\"integer\"", ""},
    {"int64, converted", LEAF("c", PARQUET_INT64, PARQUET_OPTIONAL, 18), "\"long\"", ""},
    {"decimal", DECIMAL_OF(PARQUET_FIXED, 2, 10), "\"decimal(10,2)\"", ""},
    {"decimal without a scale", DECIMAL_OF(PARQUET_INT64, NONE, 18), "\"decimal(18,0)\"", ""},
    {"decimal without digits", DECIMAL_OF(PARQUET_INT64, 2, 0), NULL, "more digits"},
    {"decimal of 39 digits", DECIMAL_OF(PARQUET_FIXED, 2, 39), NULL, "more digits"},
    {"decimal of more places than digits", DECIMAL_OF(PARQUET_FIXED, 5, 4), NULL, "more digits"},
    {"logical string", LOGICAL("c", PARQUET_BYTE_ARRAY, "1c0000"), "\"string\"", ""},
    {"logical date", LOGICAL("c", PARQUET_INT32, "6c0000"), "\"date\"", ""},
    {"logical list of a leaf", LOGICAL("c", PARQUET_INT32, "3c0000"), NULL, "a type that Delta does not have"},
    {"logical map of a leaf", LOGICAL("c", PARQUET_INT32, "2c0000"), NULL, "a type that Delta does not have"},
    {"logical time", LOGICAL("c", PARQUET_INT64, "7c112c1c00000000"), NULL, "a type that Delta does not have"},
    {"logical uuid", LOGICAL("c", PARQUET_FIXED, "ec0000"), NULL, "a type that Delta does not have"},
    {"logical decimal", LOGICAL("c", PARQUET_FIXED, "5c150415140000"), "\"decimal(10,2)\"", ""},
    {"logical decimal with a member of a later format", LOGICAL("c", PARQUET_FIXED, "5c15041514150c0000"),
     "\"decimal(10,2)\"", ""},
    {"logical microseconds in UTC",
     LOGICAL("c", PARQUET_INT64,
             "8c111c2c0000"
             "0000"),
     "\"timestamp\"", ""},
    {"logical microseconds without a zone",
     LOGICAL("c", PARQUET_INT64,
             "8c121c2c0000"
             "0000"),
     NULL, "timestampNtz"},
    {"logical nanoseconds",
     LOGICAL("c", PARQUET_INT64,
             "8c111c3c0000"
             "0000"),
     NULL, "in other units"},
    {"logical time of an unknown unit",
     LOGICAL("c", PARQUET_INT64,
             "8c111c4c0000"
             "0000"),
     NULL, "in other units"},
    {"logical int8", LOGICAL("c", PARQUET_INT32, "ac1308110000"), "\"byte\"", ""},
    {"logical uint16", LOGICAL("c", PARQUET_INT32, "ac1310120000"), NULL, "unsigned"},
    {"logical integer of 24 bits", LOGICAL("c", PARQUET_INT32, "ac1318110000"), NULL, "unknown width"},
};

TEST_ROWS(leaves, a_column_has_the_type_of_delta)
{
    char *schema = NULL;
    char expected[200];
    os_error error = {0};
    os_code code = read_elements(&row->element, 1, 1, &schema, &error);
    if (row->type == NULL) {
        assert_int_equal(code, OS_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.message, row->says));
        assert_non_null(strstr(error.message, "\"c\""));
        return;
    }
    assert_int_equal(code, OS_OK);
    (void)snprintf(expected, sizeof(expected),
                   "{\"type\":\"struct\",\"fields\":[{\"name\":\"c\",\"type\":%s,\"nullable\":true,\"metadata\":{}}]}",
                   row->type);
    assert_string_equal(schema, expected);
    free(schema);
}

/* Elements in their order: a group, and what is in it. */
static const struct {
    const char *name;
    struct footer_element elements[6];
    size_t count;
    const char *type; /* NULL: refused */
    const char *says;
} groups[] = {
    {"a struct",
     {GROUP("c", PARQUET_OPTIONAL, 2, NONE), LEAF("x", PARQUET_INT64, PARQUET_REQUIRED, NONE),
      LEAF("y", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, 0)},
     3,
     "{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"long\",\"nullable\":false,\"metadata\":{}},{\"name\":"
     "\"y\","
     "\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}",
     ""},
    {"a list",
     {GROUP("c", PARQUET_OPTIONAL, 1, 3), GROUP("list", PARQUET_REPEATED, 1, NONE),
      LEAF("element", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     3,
     "{\"type\":\"array\",\"elementType\":\"integer\",\"containsNull\":true}",
     ""},
    {"a list without nulls",
     {GROUP("c", PARQUET_OPTIONAL, 1, 3), GROUP("list", PARQUET_REPEATED, 1, NONE),
      LEAF("element", PARQUET_INT32, PARQUET_REQUIRED, NONE)},
     3,
     "{\"type\":\"array\",\"elementType\":\"integer\",\"containsNull\":false}",
     ""},
    {"a map",
     {GROUP("c", PARQUET_OPTIONAL, 1, 1), GROUP("key_value", PARQUET_REPEATED, 2, 2),
      LEAF("key", PARQUET_BYTE_ARRAY, PARQUET_REQUIRED, 0), LEAF("value", PARQUET_DOUBLE, PARQUET_OPTIONAL, NONE)},
     4,
     "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":\"double\",\"valueContainsNull\":true}",
     ""},
    {"a list in two levels",
     {GROUP("c", PARQUET_OPTIONAL, 1, 3), LEAF("array", PARQUET_INT32, PARQUET_REPEATED, NONE)},
     2,
     NULL,
     "three levels"},
    {"a list of two",
     {GROUP("c", PARQUET_OPTIONAL, 2, 3), LEAF("a", PARQUET_INT32, PARQUET_OPTIONAL, NONE),
      LEAF("b", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     3,
     NULL,
     "three levels"},
    {"a list whose element repeats",
     {GROUP("c", PARQUET_OPTIONAL, 1, 3), GROUP("list", PARQUET_REPEATED, 1, NONE),
      LEAF("element", PARQUET_INT32, PARQUET_REPEATED, NONE)},
     3,
     NULL,
     "three levels"},
    {"a list of what Delta does not have",
     {GROUP("c", PARQUET_OPTIONAL, 1, 3), GROUP("list", PARQUET_REPEATED, 1, NONE),
      LEAF("element", PARQUET_FIXED, PARQUET_OPTIONAL, NONE)},
     3,
     NULL,
     "\"element\""},
    {"a map without its group",
     {GROUP("c", PARQUET_OPTIONAL, 1, 1), GROUP("key_value", PARQUET_OPTIONAL, 2, NONE),
      LEAF("key", PARQUET_INT32, PARQUET_REQUIRED, NONE), LEAF("value", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     4,
     NULL,
     "repeated group"},
    {"a map of two groups",
     {GROUP("c", PARQUET_OPTIONAL, 2, 1), LEAF("key", PARQUET_INT32, PARQUET_REQUIRED, NONE),
      LEAF("value", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     3,
     NULL,
     "repeated group"},
    {"a map whose key may be missing",
     {GROUP("c", PARQUET_OPTIONAL, 1, 1), GROUP("key_value", PARQUET_REPEATED, 2, NONE),
      LEAF("key", PARQUET_INT32, PARQUET_OPTIONAL, NONE), LEAF("value", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     4,
     NULL,
     "keys may be missing"},
    {"a map whose values repeat",
     {GROUP("c", PARQUET_OPTIONAL, 1, 1), GROUP("key_value", PARQUET_REPEATED, 2, NONE),
      LEAF("key", PARQUET_INT32, PARQUET_REQUIRED, NONE), LEAF("value", PARQUET_INT32, PARQUET_REPEATED, NONE)},
     4,
     NULL,
     "values repeat"},
    {"a map of keys that Delta does not have",
     {GROUP("c", PARQUET_OPTIONAL, 1, 1), GROUP("key_value", PARQUET_REPEATED, 2, NONE),
      LEAF("key", PARQUET_FIXED, PARQUET_REQUIRED, NONE), LEAF("value", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     4,
     NULL,
     "\"key\""},
    {"a group of another kind",
     {GROUP("c", PARQUET_OPTIONAL, 1, 0), LEAF("x", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     2,
     NULL,
     "a type that Delta does not have"},
    {"a struct of what Delta does not have",
     {GROUP("c", PARQUET_OPTIONAL, 1, NONE), LEAF("x", PARQUET_FIXED, PARQUET_OPTIONAL, NONE)},
     2,
     NULL,
     "\"x\""},
    {"a column that repeats", {LEAF("c", PARQUET_INT32, PARQUET_REPEATED, NONE)}, 1, NULL, "repeats"},
    {"a name with a blank", {LEAF("c d", PARQUET_INT32, PARQUET_OPTIONAL, NONE)}, 1, NULL, "does not allow"},
    {"a name that is empty", {LEAF("", PARQUET_INT32, PARQUET_OPTIONAL, NONE)}, 1, NULL, "does not allow"},
    {"a name that is no UTF-8", {LEAF("c\xff", PARQUET_INT32, PARQUET_OPTIONAL, NONE)}, 1, NULL, "does not allow"},
    {"two names that are one",
     {GROUP("c", PARQUET_OPTIONAL, 2, NONE), LEAF("Day", PARQUET_INT32, PARQUET_OPTIONAL, NONE),
      LEAF("dAY", PARQUET_INT32, PARQUET_OPTIONAL, NONE)},
     3,
     NULL,
     "but for its case"},
};

TEST_ROWS(groups, a_group_has_the_type_of_delta)
{
    char *schema = NULL;
    os_error error = {0};
    os_code code = read_elements(row->elements, row->count, 1, &schema, &error);
    if (row->type == NULL) {
        assert_int_equal(code, OS_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.message, row->says));
        return;
    }
    assert_int_equal(code, OS_OK);
    assert_non_null(strstr(schema, row->type));
    free(schema);
}

TEST(what_is_nested_too_deep_is_refused)
{
    struct footer_element elements[41];
    char *schema = NULL;
    os_error error = {0};
    for (size_t i = 0; i < 40; i++)
        elements[i] = (struct footer_element)GROUP("c", PARQUET_OPTIONAL, 1, NONE);
    elements[40] = (struct footer_element)LEAF("x", PARQUET_INT32, PARQUET_OPTIONAL, NONE);
    assert_int_equal(read_elements(elements, 41, 1, &schema, &error), OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "nested too deep"));
}

/* Whole footers in hex. 15 02: field 1, a number. 19 1c: field 2, a list of one struct. 16 00: field 3, no rows. */
static const struct {
    const char *name;
    const char *hex;
} damaged[] = {
    {"nothing", ""},
    {"no schema", "150226000"
                  "0"},
    {"no rows", "150219"
                "2c480173150200"
                "1502380163"
                "0000"},
    {"an empty schema", "1502190c160000"},
    {"a schema that is no list", "15021504160000"},
    {"a schema of numbers", "15021915021600"
                            "00"},
    {"rows below zero", "150219"
                        "2c480173150200"
                        "15023801630000"
                        "160100"},
    {"rows that are a text", "150219"
                             "2c480173150200"
                             "150238016300"
                             "180000"},
    {"a schema twice", "150219"
                       "2c480173150200"
                       "15023801630000"
                       "09042c480173150200"
                       "1502380163001600"
                       "00"},
    {"more elements than bytes", "150219fcffffff7f"},
    {"a list that goes on for ever", "150219fcffffffffffffffffffffffff"},
    {"a name longer than the footer", "1502191c48ff7f"},
    {"more children than elements", "150219"
                                    "2c480173150400"
                                    "150238016300"
                                    "160000"},
    {"more elements than children", "150219"
                                    "3c480173150200"
                                    "150238016300"
                                    "150238016300"
                                    "160000"},
    {"a root that is a column", "150219"
                                "1c150238016300"
                                "160000"},
    {"a type that is none", "150219"
                            "2c480173150200"
                            "151038016300"
                            "160000"},
    {"a type below zero", "150219"
                          "2c480173150200"
                          "150138016300"
                          "160000"},
    {"a repetition that is none", "150219"
                                  "2c480173150200"
                                  "15022506180163"
                                  "00160000"},
    {"a column with children", "150219"
                               "2c480173150200"
                               "15023801631502"
                               "00160000"},
    {"a logical type that is no struct", "150219"
                                         "2c480173150200"
                                         "15023801636502"
                                         "00160000"},
    {"a member of it that is none", "150219"
                                    "2c480173150200"
                                    "15023801636c15020000160000"},
    {"an unknown type of a field", "150219"
                                   "2c480173150200"
                                   "150238016300"
                                   "1d"},
    {"a field whose id is too large", "05feffff0f02"},
    {"a number that is a bool", "150219"
                                "2c480173150200"
                                "1138016300"
                                "160000"},
    {"a name that is a number", "150219"
                                "2c480173150200"
                                "150235020000"
                                "160000"},
    {"a bool that is a number", "150219"
                                "2c480173150200"
                                "150438016"
                                "36c8c1502"
                                "0000000000160000"},
    {"a repetition of more than 31 bits", "150219"
                                          "2c480173150200"
                                          "150225feffffff1f180163"
                                          "00160000"},
    {"a field of a type that is none", "0e14"},
    {"a double that is cut", "1700000000"},
    {"a map without its end", "1b08"},
    {"a map of unknown types", "1b01ff0000"},
    {"a list of an unknown type", "191f0000"},
    {"structs without end",
     "1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c"},
};

TEST(what_the_damaged_ones_are_made_of_is_good)
{
    struct buf footer;
    struct parquet parquet;
    os_error error = {0};
    buf_init(&footer, 4096);
    footer_add_hex(&footer, "1502192c480173150200150238016300165400");
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, &error), OS_OK);
    assert_int_equal(parquet.rows, 42);
    parquet_free(&parquet);
    buf_free(&footer);
}

TEST_ROWS(damaged, damage_is_seen)
{
    struct buf footer;
    struct parquet parquet;
    os_error error = {0};
    buf_init(&footer, 4096);
    footer_add_hex(&footer, row->hex);
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, &error), OS_ERR_PROTOCOL);
    assert_true(error.message[0] != '\0');
    parquet_free(&parquet);
    buf_free(&footer);
}

/* Fields of every type that a reader does not know stand before the schema, each with the id 20 in its long form. */
TEST(what_is_not_known_is_passed_over)
{
    static const char *const unknown[] = {
        "0128",                 /* true */
        "0228",                 /* false */
        "032807",               /* a byte */
        "042807",               /* a number of 16 bits */
        "07280102030405060708", /* a double */
        "08280161",             /* a text */
        "09281101",             /* a list of a bool */
        "0a281507",             /* a set of a number */
        "0b2800",               /* an empty map */
        "0b280158060161",       /* a map: 3 to a text */
        "0c28150200",           /* a struct with a number */
    };
    struct buf footer;
    struct parquet parquet;
    os_error error = {0};
    buf_init(&footer, 4096);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        footer_add_hex(&footer, unknown[i]);
    footer_add_hex(&footer, "09042c48017315020015023801630006065400"); /* the schema, and 42 rows */
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, &error), OS_OK);
    assert_int_equal(parquet.count, 2);
    assert_int_equal(parquet.rows, 42);
    parquet_free(&parquet);
    buf_free(&footer);
}

TEST(too_many_columns_are_refused)
{
    struct buf footer;
    struct parquet parquet;
    os_error error = {0};
    buf_init(&footer, 1 << 22);
    footer_add_hex(&footer, "29fca18d06"); /* 100,001 */
    for (int i = 0; i < 100001; i++)
        (void)buf_add_char(&footer, 0);
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, &error), OS_ERR_UNSUPPORTED);
    parquet_free(&parquet);
    buf_free(&footer);
}

TEST(the_tail_says_how_long_the_footer_is)
{
    uint64_t length = 7;
    assert_true(parquet_footer_length((const unsigned char *)"\x01\x02\x00\x80PAR1", &length));
    assert_int_equal(length, 0x80000201);
    assert_false(parquet_footer_length((const unsigned char *)"\x01\x02\x00\x00PARE", &length));
}
