/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a checkpoint: page by page, and then as actions. */
#include "delta/checkpoint.h"

#include "footer.h"
#include "support/test.h"

#include <string.h>

/* A text that may be missing, as its parent may: the levels are 0, 1 and 2. */
#define TEXTS(count)                                                                                         \
    {                                                                                                        \
        .path = "metaData.schemaString", .values = (count), .type = PARQUET_BYTE_ARRAY, .max_definition = 2, \
        .is_optional = true                                                                                  \
    }
#define NUMBERS(kind, count)                                                                        \
    {                                                                                               \
        .path = "protocol.minWriterVersion", .values = (count), .type = (kind), .max_definition = 0 \
    }

/* 15 00: field 1, data; 15 .. twice: the lengths; 2c: the header of version 1, with values and encoding. */
static const struct {
    const char *name;
    struct chunk chunk;
    const char *hex;
    const char *values; /* NULL: refused */
} chunks[] = {
    /* 3 values: levels 0, 1, 2 in a packed run, then "ab" */
    {"texts", TEXTS(3),
     "150015181518"
     "2c150615000000"
     "020000000324"
     "020000006162",
     "[null,\"ab\"]"},
    {"numbers of four bytes", NUMBERS(PARQUET_INT32, 2),
     "150015101510"
     "2c150415000000"
     "02000000ffffffff",
     "[2,-1]"},
    {"numbers of eight bytes", NUMBERS(PARQUET_INT64, 1),
     "150015101510"
     "2c150215000000"
     "0200000000000000",
     "[2]"},
    {"two pages", NUMBERS(PARQUET_INT32, 2),
     "150015081508"
     "2c150215000000"
     "02000000"
     "150015081508"
     "2c150215000000"
     "03000000",
     "[2,3]"},
    {"a dictionary", NUMBERS(PARQUET_INT32, 3),
     "150415101510"
     "4c150415000000"
     "0700000008000000"
     "150015061506"
     "2c150615100000"
     "010306",
     "[7,8,8]"},
    {"a dictionary as older writers name it", NUMBERS(PARQUET_INT32, 1),
     "150415081508"
     "4c150215040000"
     "07000000"
     "150015041504"
     "2c150215040000"
     "0002",
     "[7]"},
    {"version 2", TEXTS(3),
     "150615101510"
     "5c1506150215061500150415001200"
     "00"
     "0324"
     "020000006162",
     "[null,\"ab\"]"},
    {"a page of another kind", NUMBERS(PARQUET_INT32, 1),
     "15021500150000"
     "150015081508"
     "2c150215000000"
     "02000000",
     "[2]"},
    {"texts that are no UTF-8", TEXTS(1),
     "150015181518"
     "2c150215000000"
     "0200000002"
     "02"
     "02000000ff61",
     NULL},
    {"a text that is cut", TEXTS(1),
     "150015141514"
     "2c150215000000"
     "0200000002"
     "02"
     "05000000",
     NULL},
    {"levels that are cut", TEXTS(1),
     "150015081508"
     "2c150215000000"
     "09000000",
     NULL},
    {"no levels", TEXTS(1),
     "150015041504"
     "2c150215000000"
     "0000",
     NULL},
    {"too few levels", TEXTS(9),
     "150015181518"
     "2c151215000000"
     "0200000002"
     "02"
     "020000006162",
     NULL},
    {"a number that is cut", NUMBERS(PARQUET_INT32, 1),
     "150015041504"
     "2c150215000000"
     "0200",
     NULL},
    {"an index behind the dictionary", NUMBERS(PARQUET_INT32, 1),
     "150415081508"
     "4c150215000000"
     "07000000"
     "150015061506"
     "2c150215100000"
     "010201",
     NULL},
    {"an index without a dictionary", NUMBERS(PARQUET_INT32, 1),
     "150015061506"
     "2c150215100000"
     "010200",
     NULL},
    {"an index of too many bits", NUMBERS(PARQUET_INT32, 1),
     "150015061506"
     "2c150215100000"
     "280200",
     NULL},
    {"no index", NUMBERS(PARQUET_INT32, 1),
     "150015001500"
     "2c150215100000",
     NULL},
    {"two dictionaries", NUMBERS(PARQUET_INT32, 1),
     "150415081508"
     "4c150215000000"
     "07000000"
     "150415081508"
     "4c150215000000"
     "07000000",
     NULL},
    {"a dictionary that is cut", NUMBERS(PARQUET_INT32, 1),
     "150415041504"
     "4c150215000000"
     "0700",
     NULL},
    {"a dictionary that is too large", NUMBERS(PARQUET_INT32, 1),
     "150415041504"
     "4c15c0a90715000000"
     "0700",
     NULL},
    {"an encoding that is not read", NUMBERS(PARQUET_INT32, 1),
     "150015081508"
     "2c1502150a0000"
     "02000000",
     NULL},
    {"more values than the chunk has", NUMBERS(PARQUET_INT32, 1),
     "150015101510"
     "2c150415000000"
     "0200000003000000",
     NULL},
    {"fewer values than the chunk has", NUMBERS(PARQUET_INT32, 3),
     "150015101510"
     "2c150415000000"
     "0200000003000000",
     NULL},
    {"a page longer than the chunk", NUMBERS(PARQUET_INT32, 1),
     "150015101510"
     "2c150215000000"
     "02000000",
     NULL},
    {"a length below zero", NUMBERS(PARQUET_INT32, 1),
     "150015011501"
     "2c150215000000"
     "02000000",
     NULL},
    {"a header that is cut", NUMBERS(PARQUET_INT32, 1), "1500151015", NULL},
    {"a type of no text and no number", NUMBERS(PARQUET_DOUBLE, 1),
     "150015101510"
     "2c150215000000"
     "0000000000000000",
     NULL},
    {"a value of 64 bits that is cut", NUMBERS(PARQUET_INT64, 1),
     "150015081508"
     "2c150215000000"
     "02000000",
     NULL},
    {"a text without its length", TEXTS(1),
     "150015101510"
     "2c150215000000"
     "0200000002"
     "02"
     "0000",
     NULL},
    {"a length of more than 31 bits", NUMBERS(PARQUET_INT32, 1),
     "1500150815ffffffff1f"
     "2c150215000000"
     "02000000",
     NULL},
    {"a data page that is no struct", NUMBERS(PARQUET_INT32, 1),
     "150015081508"
     "251500"
     "02000000",
     NULL},
    {"levels of what has none", NUMBERS(PARQUET_INT32, 1),
     "150615041504"
     "5c1502150015021500151415001200"
     "00"
     "0200",
     NULL},
    {"nulls of which there is no index", TEXTS(1),
     "1500150c150c"
     "2c150215100000"
     "020000000201",
     "[null]"},
    {"values below zero", NUMBERS(PARQUET_INT32, 1),
     "150015081508"
     "2c150115000000"
     "02000000",
     NULL},
    {"a dictionary of more than are kept", NUMBERS(PARQUET_INT32, 1),
     "150415081508"
     "4c15c29a0c15000000"
     "02000000",
     NULL},
    {"more values than are kept", TEXTS(100002),
     "150015101510"
     "2c15c49a0c15000000"
     "04000000c49a0c01",
     NULL},
    {"bytes behind the last page", NUMBERS(PARQUET_INT32, 1),
     "150015081508"
     "2c150215000000"
     "02000000"
     "ff",
     "[2]"},
    {"too many rows", NUMBERS(PARQUET_INT32, CHUNK_ROWS_MAX + 1),
     "150015081508"
     "2c150215000000"
     "02000000",
     NULL},
};

static os_code decode(const struct chunk *chunk, const char *hex, json_t *values, os_error *err)
{
    struct buf data;
    buf_init(&data, 1 << 20);
    footer_add_hex(&data, hex);
    os_code code = chunk_decode(chunk, buf_str(&data), data.len, values, err);
    buf_free(&data);
    return code;
}

TEST_ROWS(chunks, a_chunk_is_read_or_refused)
{
    json_t *values = json_array();
    os_error error = {0};
    os_code code = decode(&row->chunk, row->hex, values, &error);
    assert_int_equal(code, row->values != NULL ? OS_OK : OS_ERR_PROTOCOL);
    if (row->values != NULL) {
        char *text = json_dumps(values, JSON_COMPACT);
        assert_string_equal(text, row->values);
        free(text);
    } else {
        assert_non_null(strstr(error.message, row->chunk.path));
    }
    json_decref(values);
}

/* The number 2, as a literal of four bytes; of version 2 also with levels, which are not packed. */
TEST(what_is_packed_is_unpacked_first)
{
    struct chunk numbers = NUMBERS(PARQUET_INT32, 1);
    struct chunk texts = TEXTS(1);
    json_t *values = json_array();
    os_error error = {0};
    numbers.codec = texts.codec = CHUNK_SNAPPY;
    assert_int_equal(decode(&numbers, "1500150c150c2c150215000000040c02000000", values, &error), OS_OK);
    assert_int_equal(decode(&texts,
                            "150615141514"
                            "5c150215001502150015041500"
                            "0000"
                            "0202"
                            "0614020000006162",
                            values, &error),
                     OS_OK);
    assert_int_equal(json_array_size(values), 2);
    assert_int_equal(decode(&numbers, "1500150c150c2c150215000000050c02000000", values, &error), OS_ERR_PROTOCOL);
    assert_int_equal(decode(&texts,
                            "150615041504"
                            "5c1502150015021500150a1500"
                            "0000"
                            "0202",
                            values, &error),
                     OS_ERR_PROTOCOL);
    numbers.codec = 6;
    assert_int_equal(decode(&numbers, "", values, &error), OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "codec 6"));
    json_decref(values);
}

/* ------------------------------------------------------------------------------------------------------- row groups */

static const struct footer_element elements[] = {
    {"metaData", -1, PARQUET_OPTIONAL, 2, -1, -1, -1, ""},
    {"id", PARQUET_BYTE_ARRAY, PARQUET_OPTIONAL, -1, 0, -1, -1, ""},
    {"partitionColumns", -1, PARQUET_OPTIONAL, 1, 3, -1, -1, ""},
    {"list", -1, PARQUET_REPEATED, 1, -1, -1, -1, ""},
    {"element", PARQUET_BYTE_ARRAY, PARQUET_REQUIRED, -1, 0, -1, -1, ""},
};

struct found {
    struct chunk chunks[4];
    size_t count;
    os_code says;
};

static os_code note(void *context, const struct chunk *chunk)
{
    struct found *found = context;
    assert_true(found->count < 4);
    found->chunks[found->count++] = *chunk;
    return found->says;
}

/* `groups` is field 4 of a footer, in hex; field 3 stands before it. */
static os_code read_groups(const char *groups, struct found *found, os_error *err)
{
    struct buf footer;
    struct parquet parquet;
    buf_init(&footer, 1 << 16);
    footer_write(&footer, elements, 5, 1, 1);
    footer.len--;
    footer_add_hex(&footer, groups);
    footer_add_hex(&footer, "00");
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, err), OS_OK);
    os_code code = chunks_read(buf_str(&footer), footer.len, &parquet, note, found, err);
    parquet_free(&parquet);
    buf_free(&footer);
    return code;
}

TEST(a_chunk_is_found_by_its_path)
{
    struct found found = {.count = 0};
    os_error error = {0};
    static const char group[] = "191c"
                                "191c"
                                "3c"
                                "3928"
                                "086d65746144617461"
                                "026964" /* path */
                                "1502"   /* codec */
                                "160a"   /* values */
                                "2620"   /* length */
                                "2612"   /* data */
                                "2608"   /* dictionary */
                                "00"
                                "00"
                                "00";
    assert_int_equal(read_groups(group, &found, &error), OS_OK);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.chunks[0].path, "metaData.id");
    assert_int_equal(found.chunks[0].codec, CHUNK_SNAPPY);
    assert_int_equal(found.chunks[0].values, 5);
    assert_int_equal(found.chunks[0].length, 16);
    assert_int_equal(found.chunks[0].offset, 4);
    assert_int_equal(found.chunks[0].max_definition, 2);
    assert_int_equal(found.chunks[0].max_repetition, 0);
    assert_true(found.chunks[0].is_optional);
}

TEST(a_chunk_of_a_list_repeats)
{
    struct found found = {.count = 0};
    os_error error = {0};
    static const char group[] = "191c"
                                "191c"
                                "3c"
                                "3948"
                                "086d65746144617461"
                                "10706172746974696f6e436f6c756d6e73"
                                "046c697374"
                                "07656c656d656e74"
                                "6612"
                                "00"
                                "00"
                                "00";
    assert_int_equal(read_groups(group, &found, &error), OS_OK);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.chunks[0].path, "metaData.partitionColumns.list.element");
    assert_int_equal(found.chunks[0].max_definition, 3);
    assert_int_equal(found.chunks[0].max_repetition, 1);
    assert_int_equal(found.chunks[0].offset, 9);
    assert_false(found.chunks[0].is_optional);
}

static const struct {
    const char *name;
    const char *hex;
    os_code code;
} groups[] = {
    {"a path that leads nowhere",
     "191c191c3c3928086d6574614461746102"
     "7878"
     "000000",
     OS_OK},
    {"a path that leads further than there is",
     "191c191c3c3938086d65746144617461026964026964"
     "000000",
     OS_OK},
    {"a path to a group",
     "191c191c3c3918086d65746144617461"
     "000000",
     OS_OK},
    {"no path",
     "191c191c3c1500"
     "000000",
     OS_OK},
    {"metadata that is no struct",
     "191c191c3500"
     "0000",
     OS_OK},
    {"a group without columns",
     "191c2600"
     "00",
     OS_OK},
    {"two names that lead nowhere",
     "191c191c3c392802787802797"
     "9"
     "000000",
     OS_OK},
    {"a size below zero",
     "191c191c3c7601"
     "000000",
     OS_ERR_PROTOCOL},
    {"a path of numbers",
     "191c191c3c3915"
     "02"
     "000000",
     OS_ERR_PROTOCOL},
    {"groups that are no structs",
     "1915"
     "02",
     OS_ERR_PROTOCOL},
};

TEST_ROWS(groups, what_leads_nowhere_is_passed_over)
{
    struct found found = {.count = 0};
    os_error error = {0};
    assert_int_equal(read_groups(row->hex, &found, &error), row->code);
    assert_int_equal(found.count, 0);
}

TEST(a_path_that_is_too_long_is_passed_over)
{
    char name[300] = "";
    memset(name, 'x', sizeof(name) - 1);
    const struct footer_element long_one = {name, PARQUET_INT32, PARQUET_OPTIONAL, -1, -1, -1, -1, ""};
    struct found found = {.count = 0};
    struct parquet parquet;
    struct buf footer;
    os_error error = {0};
    buf_init(&footer, 1 << 16);
    footer_write(&footer, &long_one, 1, 1, 1);
    footer.len--;
    footer_add_hex(&footer, "191c191c3c3918ab02");
    (void)buf_add_str(&footer, name);
    footer_add_hex(&footer, "00000000");
    assert_int_equal(parquet_read(buf_str(&footer), footer.len, &parquet, &error), OS_OK);
    assert_int_equal(chunks_read(buf_str(&footer), footer.len, &parquet, note, &found, &error), OS_OK);
    assert_int_equal(found.count, 0);
    parquet_free(&parquet);
    buf_free(&footer);
}

TEST(a_dictionary_behind_the_data_is_none)
{
    struct found found = {.count = 0};
    os_error error = {0};
    static const char group[] = "191c"
                                "191c"
                                "3c"
                                "3928"
                                "086d65746144617461"
                                "026964"
                                "6612"
                                "2614"
                                "00"
                                "00"
                                "00";
    assert_int_equal(read_groups(group, &found, &error), OS_OK);
    assert_int_equal(found.chunks[0].offset, 9);
}

TEST(whoever_is_told_may_stop)
{
    struct found found = {.says = OS_ERR_STOPPED};
    os_error error = {0};
    assert_int_equal(read_groups("191c192c3c3928086d657461446174610269640000"
                                 "3c3928086d657461446174610269640000"
                                 "00",
                                 &found, &error),
                     OS_ERR_STOPPED);
    assert_int_equal(found.count, 1);
}

/* --------------------------------------------------------------------------------------------------------- actions */

#define WHOLE                                                                                                \
    "\"protocol.minReaderVersion\":[1],\"protocol.minWriterVersion\":[2],\"metaData.schemaString\":[\"S\"]," \
    "\"metaData.partitionColumns.list.\":[\"day\"],\"metaData.configuration.key_value.key\":[\"a\",\"b\"],"  \
    "\"metaData.configuration.key_value.value\":[\"1\",null]"

static const struct {
    const char *name;
    const char *columns;
    bool good;
    bool has_txn;
} columns[] = {
    {"whole", "{" WHOLE "}", true, false},
    {"with applications", "{" WHOLE ",\"txn.appId\":[\"x\",\"app\"],\"txn.version\":[1,7]}", true, true},
    {"with other applications", "{" WHOLE ",\"txn.appId\":[\"x\"],\"txn.version\":[1]}", true, false},
    {"an application without a version", "{" WHOLE ",\"txn.appId\":[\"app\"],\"txn.version\":[null]}", false, false},
    {"applications and versions that do not fit", "{" WHOLE ",\"txn.appId\":[\"app\"],\"txn.version\":[]}", false,
     false},
    {"nothing", "{}", false, false},
    {"no schema", "{\"protocol.minWriterVersion\":[2],\"metaData.schemaString\":[null]}", false, false},
    {"no protocol", "{\"metaData.schemaString\":[\"S\"]}", false, false},
    {"two protocols", "{\"protocol.minWriterVersion\":[2,2],\"metaData.schemaString\":[\"S\"]}", false, false},
    {"settings that do not fit",
     "{\"protocol.minWriterVersion\":[2],\"metaData.schemaString\":[\"S\"],\"metaData.configuration.key_value.key\":["
     "\"a\"]}",
     false, false},
};

TEST_ROWS(columns, a_checkpoint_says_what_the_table_is)
{
    struct checkpoint checkpoint = {.columns = json_loads(row->columns, 0, NULL)};
    struct delta_actions actions;
    os_error error = {0};
    assert_non_null(checkpoint.columns);
    os_code code = checkpoint_give(&checkpoint, "app", &actions, &error);
    assert_int_equal(code, row->good ? OS_OK : OS_ERR_PROTOCOL);
    assert_int_equal(actions.has_txn, row->has_txn);
    if (row->good) {
        assert_int_equal(json_integer_value(json_object_get(actions.protocol, "minWriterVersion")), 2);
        assert_int_equal(json_array_size(json_object_get(actions.metadata, "partitionColumns")), 1);
        assert_int_equal(json_object_size(json_object_get(actions.metadata, "configuration")), 2);
    }
    delta_actions_clear(&actions);
    checkpoint_free(&checkpoint);
}

TEST(the_columns_of_interest_are_taken)
{
    struct checkpoint checkpoint = {.columns = NULL};
    const struct chunk chunk = NUMBERS(PARQUET_INT32, 1);
    os_error error = {0};
    static const char page[] = "\x15\x00\x15\x08\x15\x08\x2c\x15\x02\x15\x00\x00\x00\x02\x00\x00\x00";
    assert_true(checkpoint_wants("protocol.writerFeatures.list.element"));
    assert_true(checkpoint_wants("protocol.writerFeatures.list.array"));
    assert_false(checkpoint_wants("protocol.writerFeatures"));
    assert_false(checkpoint_wants("add.path"));
    for (int i = 0; i < 2; i++) /* of two row groups */
        assert_int_equal(checkpoint_take(&checkpoint, &chunk, page, sizeof(page) - 1, &error), OS_OK);
    assert_int_equal(json_array_size(json_object_get(checkpoint.columns, chunk.path)), 2);
    checkpoint_free(&checkpoint);
}
