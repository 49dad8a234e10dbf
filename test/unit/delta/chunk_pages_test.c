/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a chunk, put together by hand: their values, or a sentence. */
#include "delta/chunk.h"

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
