/* SPDX-License-Identifier: Apache-2.0 */
#include "race_content.h"
#include "race_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_message_comes_back_as_it_was(void **state)
{
    struct race_message sent = {.kind = RACE_MESSAGE_UPDATE,
                                .index = 7,
                                .first = OS_UNKNOWN,
                                .settled = OS_COMMITTED,
                                .requests = 12,
                                .duration_us = UINT64_MAX,
                                .took_over = true,
                                .last = false};
    struct race_message got;
    char line[RACE_LINE_MAX];
    size_t len = race_line_format(&sent, line);

    (void)state;
    assert_string_equal(line, "U 7 4 1 12 18446744073709551615 1 0\n");
    assert_int_equal(len, strlen(line));
    line[len - 1] = '\0';
    assert_true(race_line_parse(line, &got));
    assert_int_equal(got.kind, RACE_MESSAGE_UPDATE);
    assert_int_equal(got.index, 7);
    assert_int_equal(got.first, OS_UNKNOWN);
    assert_int_equal(got.settled, OS_COMMITTED);
    assert_int_equal(got.requests, 12);
    assert_true(got.duration_us == UINT64_MAX);
    assert_true(got.took_over);
    assert_false(got.last);
}

static void what_is_no_message_is_refused(void **state)
{
    static const char *const lines[] = {"",
                                        "R ",
                                        "X",
                                        "C",
                                        "C 1",
                                        "C 1 1 1 1 1 0",
                                        "C 1 1 1 1 1 0 1 ",
                                        "C 1 1 1 1 1 0 1 1",
                                        "C -1 1 1 1 1 0 1",
                                        "C  1 1 1 1 1 0 1",
                                        "C 1 0 0 1 1 0 1",
                                        "C 1 5 5 1 1 0 1",
                                        "C 1 1 2 1 1 0 1",
                                        "C 1 1 1 1 1 2 1",
                                        "C 18446744073709551616 1 1 1 1 0 1",
                                        "T"};
    struct race_message got;

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_false(race_line_parse(lines[i], &got));
    }
    assert_true(race_line_parse("C 18446744073709551615 1 1 1 1 0 1", &got));
}

static void a_sentence_is_cut_to_one_line(void **state)
{
    struct race_message sent = {.kind = RACE_MESSAGE_TROUBLE};
    struct race_message got;
    char line[RACE_LINE_MAX];
    size_t len;

    (void)state;
    memset(sent.text, 'x', sizeof(sent.text) - 1);
    sent.text[3] = '\n';
    len = race_line_format(&sent, line);
    assert_int_equal(len, RACE_LINE_MAX - 1);
    assert_int_equal(line[len - 1], '\n');
    assert_ptr_equal(strchr(line, '\n'), line + len - 1);
    line[len - 1] = '\0';
    assert_true(race_line_parse(line, &got));
    assert_memory_equal(got.text, "xxx xxx", 7);
}

static void lines_are_gathered_from_any_pieces(void **state)
{
    static const char bytes[] = "R\nC 0 1 1 1 1 0 1\n\nD";
    struct race_reader reader = {0};
    char line[RACE_LINE_MAX];
    char all[64] = "";
    bool too_long;

    (void)state;
    for (const char *p = bytes; *p != '\0';) {
        size_t len = 1;
        while (race_reader_take(&reader, &p, &len, line, &too_long)) {
            (void)strcat(all, line);
            (void)strcat(all, ";");
        }
        assert_false(too_long);
    }
    assert_string_equal(all, "R;C 0 1 1 1 1 0 1;;");
    assert_int_equal(reader.len, 1);
}

static void a_line_without_end_is_noticed(void **state)
{
    struct race_reader reader = {0};
    char bytes[RACE_LINE_MAX];
    const char *next = bytes;
    size_t len = sizeof(bytes);
    char line[RACE_LINE_MAX];
    bool too_long;

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    assert_false(race_reader_take(&reader, &next, &len, line, &too_long));
    assert_true(too_long);
    reader.len = 0;
    bytes[RACE_LINE_MAX - 1] = '\n';
    next = bytes;
    len = sizeof(bytes);
    assert_true(race_reader_take(&reader, &next, &len, line, &too_long));
    assert_int_equal(strlen(line), RACE_LINE_MAX - 1);
}

static void every_body_names_its_writer(void **state)
{
    char first[RACE_CONTENT_MAX];
    char second[RACE_CONTENT_MAX];
    char name[32];
    size_t len;

    (void)state;
    race_key_name(17, name, sizeof(name));
    assert_string_equal(name, "key-00017");
    len = race_key_body("0123456789abcdef", 17, 3, first);
    assert_int_equal(len, strlen(first));
    assert_string_equal(first, "race 0123456789abcdef key 17 writer 3\n");
    (void)race_key_body("0123456789abcdef", 17, 4, second);
    assert_string_not_equal(first, second);
}

static void a_counter_reads_back_only_what_a_writer_of_this_race_made(void **state)
{
    char body[RACE_CONTENT_MAX];
    uint64_t value = 0;
    size_t len = race_counter_body("0123456789abcdef", 41, 3, 5, body);

    (void)state;
    assert_string_equal(body, "race 0123456789abcdef counter 41 writer 3 increment 5\n");
    assert_true(race_counter_value("0123456789abcdef", body, len, &value));
    assert_int_equal(value, 41);
    assert_false(race_counter_value("0123456789abcdee", body, len, &value));
    assert_false(race_counter_value("0123456789abcdef", body, len - 1, &value));
    assert_false(
        race_counter_value("0123456789abcdef", "race 0123456789abcdef counter +1 writer 3 increment 5\n", 54, &value));
    assert_false(
        race_counter_value("0123456789abcdef", "race 0123456789abcdef counter 041 writer 3 increment 5\n", 55, &value));
    assert_false(race_counter_value("0123456789abcdef", "", 0, &value));
    body[4] = '\0';
    assert_false(race_counter_value("0123456789abcdef", body, len, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_comes_back_as_it_was),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(a_sentence_is_cut_to_one_line),
        cmocka_unit_test(lines_are_gathered_from_any_pieces),
        cmocka_unit_test(a_line_without_end_is_noticed),
        cmocka_unit_test(every_body_names_its_writer),
        cmocka_unit_test(a_counter_reads_back_only_what_a_writer_of_this_race_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
