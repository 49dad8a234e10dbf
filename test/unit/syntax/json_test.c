/* SPDX-License-Identifier: Apache-2.0 */
#include "support/test.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

static bool is_read(const char *text)
{
    json_t *root = json_read(text, strlen(text));
    bool read = root != NULL;
    json_decref(root);
    return read;
}

TEST(what_is_written_is_read_as_the_same)
{
    char controls[34];
    for (int i = 0; i < 33; i++)
        controls[i] = (char)(i < 32 ? i : 0x7f);
    controls[33] = '\0';
    json_t *value = json_pack("{s:s%, s:s, s:{s:[s, i, b, n], s:{}}, s:f}", "controls", controls, (size_t)33, "q\"\\/",
                              "\xc3\xa9\xe2\x82\xac \"quoted\" a\\b/", "o", "list", "x\ny", -7, 1, "none", "real", 0.5);
    struct buf out;
    assert_non_null(value);
    buf_init(&out, 1024);
    assert_true(json_write(&out, value));
    json_t *again = json_read(buf_str(&out), out.len);
    assert_non_null(again);
    assert_true(json_equal(value, again));
    buf_free(&out);
    json_decref(again);
    json_decref(value);
}

TEST(only_a_whole_object_is_read)
{
    assert_true(is_read("{}"));
    assert_true(is_read(" \r\n{\"a\":[1,2.5,null,true,\"x\"]}\n"));
    static const char *const others[] = {"",
                                         " ",
                                         "null",
                                         "1",
                                         "\"x\"",
                                         "[]",
                                         "{",
                                         "}",
                                         "{}{}",
                                         "{} x",
                                         "{\"a\"}",
                                         "{\"a\":}",
                                         "{'a'}",
                                         "{a:1}",
                                         "{,}",
                                         "{\"a\":1,}",
                                         "\xef\xbb\xbf{}",
                                         "{\"a\":01}",
                                         "{\"a\":\"\t\"}",
                                         "{\"a\":\"\\x\"}",
                                         "{\"a\":NaN}"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(is_read(others[i]));
}

static void assert_fault(const char *text, const char *words)
{
    char fault[JSON_FAULT_SIZE];
    if (strstr(json_read_fault(text, strlen(text), fault), words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, fault);
}

TEST(why_a_text_is_not_read_is_told)
{
    assert_fault("", "end of file (line 1, column 0)");
    assert_fault("[]", "it is no object");
    assert_fault("{\n\"a\":1,\n\"a\":2}", "duplicate object key near '\"a\"' (line 3");
    assert_fault("{\"a\":36893488147419103232}", "too big integer");
}

TEST(a_key_that_stands_twice_is_refused_at_any_depth)
{
    assert_false(is_read("{\"a\":1,\"a\":2}"));
    assert_false(is_read("{\"x\":[{\"a\":1,\"\\u0061\":1}]}"));
}

TEST(text_that_is_not_utf8_is_refused)
{
    assert_false(is_read("{\"a\":\"\xff\"}"));
    assert_false(is_read("{\"a\":\"\xc0\xaf\"}"));
    assert_false(is_read("{\"a\":\"\\ud800\"}"));
    assert_true(is_read("{\"a\":\"\\ud83c\\udf88\"}"));
}

TEST(raw_nul_bytes_are_refused)
{
    assert_null(json_read("{\"a\":\"x\0y\"}", 11));
    assert_null(json_read("{}\0", 3));
    assert_null(json_read("\0{}", 3));
}

TEST(an_escaped_nul_is_read_but_is_no_text)
{
    const char *text = "{\"a\":\"x\\u0000y\",\"b\":\"xy\",\"c\":1}";
    json_t *root = json_read(text, strlen(text));
    assert_non_null(root);
    assert_null(json_member_string(root, "a"));
    assert_string_equal(json_member_string(root, "b"), "xy");
    assert_null(json_member_string(root, "c"));
    assert_null(json_member_string(root, "d"));
    assert_null(json_member_string(NULL, "a"));
    json_decref(root);
}

TEST(numbers_that_no_c_type_holds_are_refused)
{
    assert_false(is_read("{\"a\":99999999999999999999999999}"));
    assert_false(is_read("{\"a\":1e999}"));
}

/* `depth` arrays inside one object. */
static bool is_nesting_read(size_t depth)
{
    struct buf text;
    buf_init(&text, 1U << 24);
    buf_add_str(&text, "{\"a\":");
    for (size_t i = 0; i < depth; i++)
        buf_add_char(&text, '[');
    for (size_t i = 0; i < depth; i++)
        buf_add_char(&text, ']');
    buf_add_char(&text, '}');
    assert_true(buf_ok(&text));
    bool read = is_read(buf_str(&text));
    buf_free(&text);
    return read;
}

TEST(nesting_is_bounded)
{
    assert_true(is_nesting_read(JSON_DEPTH_MAX - 1));
    assert_false(is_nesting_read(JSON_DEPTH_MAX));
    assert_false(is_nesting_read(5000));
    assert_false(is_nesting_read(1000000));
}

TEST(an_unclosed_depth_bomb_is_refused)
{
    char fault[JSON_FAULT_SIZE];
    size_t len = 4U << 20;
    char *bomb = malloc(len);
    assert_non_null(bomb);
    memset(bomb, '[', len);
    assert_null(json_read(bomb, len));
    assert_string_equal(json_read_fault(bomb, len, fault), "it has more than 96 levels, or more than 131072 values");
    memset(bomb, '{', len);
    assert_null(json_read(bomb, len));
    memset(bomb, '"', len);
    assert_null(json_read(bomb, len));
    memset(bomb, '\\', len);
    assert_null(json_read(bomb, len));
    free(bomb);
}

static bool is_list_read(size_t values)
{
    struct buf text;
    buf_init(&text, 1U << 24);
    buf_add_str(&text, "{\"a\":[1");
    for (size_t i = 1; i < values; i++)
        buf_add_str(&text, ",1");
    buf_add_str(&text, "]}");
    assert_true(buf_ok(&text));
    bool read = is_read(buf_str(&text));
    buf_free(&text);
    return read;
}

TEST(the_number_of_values_is_bounded)
{
    assert_true(is_list_read(JSON_VALUES_MAX - 1));
    assert_false(is_list_read(JSON_VALUES_MAX + 1));
}

TEST(brackets_and_commas_inside_strings_do_not_count)
{
    struct buf text;
    buf_init(&text, 1U << 20);
    buf_add_str(&text, "{\"a\":\"\\\"");
    for (size_t i = 0; i < 200000; i++)
        buf_add_char(&text, i % 2 == 0 ? '[' : ',');
    buf_add_str(&text, "\"}");
    assert_true(is_read(buf_str(&text)));
    buf_free(&text);
}

TEST(what_is_written_keeps_its_order_and_has_no_blanks)
{
    const char *text = "{\"z\":{\"S\":\"a\\u0000\\n\"},\"a\":[true,1]}";
    json_t *root = json_read(text, strlen(text));
    struct buf out;
    buf_init(&out, 1000);
    assert_true(json_write(&out, root));
    assert_string_equal(buf_str(&out), text);
    buf_free(&out);
    buf_init(&out, 5);
    assert_false(json_write(&out, root));
    buf_free(&out);
    json_decref(root);
}

static bool is_written(const char *text, size_t most)
{
    json_t *root = json_read(text, strlen(text));
    struct buf out;
    assert_non_null(root);
    buf_init(&out, most);
    bool written = json_write(&out, root);
    buf_free(&out);
    json_decref(root);
    return written;
}

TEST(what_has_no_room_is_not_written)
{
    static const char *const texts[] = {"{\"a\":\"b\"}", "{\"a\":[1,2]}", "{\"a\":{\"b\":\"c\"}}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        for (size_t most = 0; most <= strlen(texts[i]); most++)
            assert_int_equal(is_written(texts[i], most), most == strlen(texts[i]));
    struct buf out;
    buf_init(&out, 100);
    assert_false(json_write(&out, NULL));
    buf_free(&out);
}
