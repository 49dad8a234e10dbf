/* SPDX-License-Identifier: Apache-2.0 */
/* Where the chunks of a file lie, and of which column they are. */
#include "delta/chunk.h"

#include "footer.h"
#include "support/test.h"

#include <string.h>

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
