/* SPDX-License-Identifier: Apache-2.0 */
#include "race/line.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Formats, and parses what came of it. `line` is the storage of a parsed ticket. */
static bool there_and_back(const struct race_message *sent, struct race_message *got, char line[RACE_LINE_MAX])
{
    size_t len = race_line_format(sent, line);

    assert_int_equal(len, strlen(line));
    assert_int_equal(line[len - 1], '\n');
    line[len - 1] = '\0';
    return race_line_parse(line, got);
}

TEST(the_start_of_a_call_comes_back_as_it_was)
{
    struct race_message sent = {.kind = RACE_MESSAGE_CALL,
                                .call = INT64_MAX,
                                .operation = HISTORY_PUT_IF_ABSENT,
                                .key = "key-00001",
                                .value = "\"9e107d9d372bb6826bd81d3542a419d6\"",
                                .start_us = 77};
    struct race_message got;
    char line[RACE_LINE_MAX];

    assert_in_range(race_line_format(&sent, line), 1, sizeof(line));
    assert_string_equal(line, "{\"race\":\"call\",\"call\":9223372036854775807,\"operation\":\"put_if_absent\","
                              "\"key\":\"key-00001\",\"expected\":\"\","
                              "\"value\":\"\\\"9e107d9d372bb6826bd81d3542a419d6\\\"\",\"start_us\":77}\n");
    assert_true(there_and_back(&sent, &got, line));
    assert_int_equal(got.call, INT64_MAX);
    assert_int_equal(got.operation, HISTORY_PUT_IF_ABSENT);
    assert_string_equal(got.key, sent.key);
    assert_string_equal(got.expected, "");
    assert_string_equal(got.value, sent.value);
    assert_int_equal(got.start_us, 77);
}

TEST(the_end_of_a_call_comes_back_as_it_was)
{
    struct race_message sent = {.kind = RACE_MESSAGE_END,
                                .call = 3,
                                .verdict = OS_UNKNOWN,
                                .end_us = 99,
                                .generation = 1,
                                .attempts = 2,
                                .requests = 4,
                                .guards = 5,
                                .waited_ms = 6,
                                .took_over = true,
                                .guard = "both",
                                .rule = "R13.E",
                                .text = "the answer\nwas lost"};
    struct race_message got;
    char line[RACE_LINE_MAX];

    assert_true(there_and_back(&sent, &got, line));
    assert_int_equal(got.verdict, OS_UNKNOWN);
    assert_int_equal(got.end_us, 99);
    assert_int_equal(got.generation + got.attempts * 10 + got.requests * 100 + got.guards * 1000, 5421);
    assert_int_equal(got.waited_ms, 6);
    assert_true(got.took_over);
    assert_string_equal(got.guard, "both");
    assert_string_equal(got.rule, "R13.E");
    assert_string_equal(got.text, "the answer was lost"); /* it may be shown on a terminal */
}

TEST(an_end_without_words_comes_back)
{
    struct race_message sent = {.kind = RACE_MESSAGE_SETTLED, .call = 3, .verdict = OS_COMMITTED, .end_us = 1};
    struct race_message got;
    char line[RACE_LINE_MAX];

    assert_true(there_and_back(&sent, &got, line));
    assert_string_equal(got.rule, "");
    assert_string_equal(got.text, "");
}

TEST(a_task_comes_back_as_it_was)
{
    struct race_message sent = {
        .kind = RACE_MESSAGE_TASK,
        .task = {7, 1, UINT64_MAX, 12, {1, 2, 3, 4}, {5, 6, 7, 8}, 9, true},
    };
    struct race_message got;
    char line[RACE_LINE_MAX];

    assert_true(there_and_back(&sent, &got, line));
    assert_memory_equal(&got.task, &sent.task, offsetof(struct race_task, etags_are_md5));
    assert_true(got.task.etags_are_md5);
}

TEST(a_ticket_keeps_its_blanks_and_quotes)
{
    struct race_message sent = {.kind = RACE_MESSAGE_TICKET, .call = 5, .ticket = "{\"key\": \"a b\",\n \"c\": 1}"};
    struct race_message got;
    char line[RACE_LINE_MAX];

    assert_true(there_and_back(&sent, &got, line));
    assert_string_equal(got.ticket, "{\"key\": \"a b\",\n \"c\": 1}");
}

TEST(a_ticket_that_is_too_long_or_no_text_is_not_sent)
{
    static char large[RACE_LINE_MAX];
    char line[RACE_LINE_MAX];
    struct race_message message = {.kind = RACE_MESSAGE_TICKET, .call = 5, .ticket = "\xff"};

    assert_int_equal(race_line_format(&message, line), 0);
    memset(large, 'x', sizeof(large) - 1);
    message.ticket = large;
    assert_int_equal(race_line_format(&message, line), 0);
}

TEST(what_a_service_said_in_no_utf8_is_sent_all_the_same)
{
    struct race_message sent = {.kind = RACE_MESSAGE_REMARK, .text = "caf\xe9"};
    struct race_message got;
    char line[RACE_LINE_MAX];

    assert_true(there_and_back(&sent, &got, line));
    assert_string_equal(got.text, "caf?");
}

#define CALL     "{'race':'call','call':1,'operation':'put_if_absent','key':'key','expected':'','value':'','start_us':"
#define SETTLED  "{'race':'settled','call':1,'requests':1,'rule':'R9','message':'',"
#define PROGRESS "{'race':'progress','done':1,"
#define TASK     "{'race':'task','life':0,'seed':1,'until_us':0,'counts':[1,1,1,1],'done_before':[0,0,0,0],'serial':0,"

/* With ' for ". */
static bool is_message(const char *text)
{
    char line[RACE_LINE_MAX];
    struct race_message got;

    (void)snprintf(line, sizeof(line), "%s", text);
    for (char *p = line; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    return race_line_parse(line, &got);
}

TEST(a_message_is_told_from_what_is_none)
{
    assert_true(is_message("{'race':'ready'}"));
    assert_true(is_message(CALL "1}"));
    assert_true(is_message(SETTLED "'verdict':'committed','end_us':1}"));
    assert_true(is_message(PROGRESS "'item':3,'given_up':false}"));
    assert_true(is_message(TASK "'lane':255,'etags_are_md5':true}"));
}

TEST(what_is_no_message_is_refused)
{
    static const char *const lines[] = {
        "",
        "R",
        "[]",
        "null",
        "{}",
        "{'race':'walk'}",
        "{'race':1}",
        "{'race':'ready','more':1}",
        "{'race':'ready'} ready",
        "{'race':'ready','race':'done'}",
        "{'race':'trouble'}",
        "{'race':'trouble','message':7}",
        "{'race':'trouble','message':'\\u0000'}",
        "{'race':'call'}",
        CALL "-1}",
        CALL "9223372036854775808}",
        CALL "'1'}",
        CALL "1,'end_us':2}",
        CALL "1,'start_us':1}",
        "{'race':'call','call':1,'operation':'read','key':'key','expected':'','value':'','start_us':1}",
        "{'race':'call','call':1,'operation':'walk','key':'key','expected':'','value':'','start_us':1}",
        "{'race':'call','call':1,'operation':'put_if_match','key':'','expected':'','value':'','start_us':1}",
        "{'race':'call','call':1,'operation':'put_if_match','key':'a-name-that-is-far-too-long-for-any-object-of-a-"
        "race',"
        "'expected':'','value':'','start_us':1}",
        SETTLED "'verdict':'none','end_us':1}",
        SETTLED "'verdict':1,'end_us':1}",
        SETTLED "'verdict':'committed'}",
        "{'race':'settled','call':1,'requests':4294967296,'rule':'R9','message':'','verdict':'committed','end_us':1}",
        "{'race':'settled','call':1,'requests':1,'rule':'R13.E.is','message':'','verdict':'committed','end_us':1}",
        "{'race':'ticket','call':1}",
        "{'race':'ticket','call':1,'ticket':''}",
        "{'race':'ticket','call':1,'ticket':1}",
        PROGRESS "'item':4,'given_up':false}",
        PROGRESS "'item':1,'given_up':0}",
        PROGRESS "'item':1}",
        TASK "'lane':256,'etags_are_md5':true}",
        TASK "'lane':0}",
        "{'race':'task','lane':0,'life':0,'seed':1,'until_us':0,'counts':[1,1,1],'done_before':[0,0,0,0],'serial':0,"
        "'etags_are_md5':true}",
        "{'race':'task','lane':0,'life':0,'seed':1,'until_us':0,'counts':[1,1,1,-1],'done_before':[0,0,0,0],'serial':0,"
        "'etags_are_md5':true}",
        "{'race':'task','lane':0,'life':0,'seed':'1','until_us':0,'counts':[1,1,1,1],'done_before':[0,0,0,0],"
        "'serial':0,'etags_are_md5':true}",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (is_message(lines[i]))
            fail_msg("\"%s\" was taken", lines[i]);
}

TEST(a_long_sentence_is_cut)
{
    struct race_message sent = {.kind = RACE_MESSAGE_TROUBLE};
    struct race_message got;
    char line[RACE_LINE_MAX];

    memset(sent.text, 'x', sizeof(sent.text) - 1);
    assert_true(there_and_back(&sent, &got, line));
    assert_int_equal(strlen(got.text), sizeof(got.text) - 1);
}

TEST(lines_are_gathered_from_pieces)
{
    struct race_reader reader = {.len = 0};
    char line[RACE_LINE_MAX];
    bool too_long;
    const char *data = "R\nP 1";
    size_t len = strlen(data);

    assert_true(race_reader_take(&reader, &data, &len, line, &too_long));
    assert_string_equal(line, "R");
    assert_false(race_reader_take(&reader, &data, &len, line, &too_long));
    assert_false(too_long);
    data = " 1 0\n";
    len = strlen(data);
    assert_true(race_reader_take(&reader, &data, &len, line, &too_long));
    assert_string_equal(line, "P 1 1 0");
    assert_int_equal(len, 0);
}

TEST(a_line_that_never_ends_is_noticed)
{
    static struct race_reader reader;
    static char endless[RACE_LINE_MAX + 10];
    char line[RACE_LINE_MAX];
    bool too_long;
    const char *data = endless;
    size_t len = sizeof(endless);

    memset(endless, 'x', sizeof(endless));
    assert_false(race_reader_take(&reader, &data, &len, line, &too_long));
    assert_true(too_long);
}

TEST(a_body_tells_its_count_and_only_for_its_name)
{
    char body[RACE_CONTENT_MAX];
    size_t len = race_body("0123456789abcdef", "counter", 41, 9000, body);
    uint64_t count = 0;

    assert_string_equal(body, "race 0123456789abcdef counter 41 call 9000\n");
    assert_true(race_body_count("0123456789abcdef", "counter", body, len, &count));
    assert_int_equal(count, 41);
    assert_false(race_body_count("0123456789abcdef", "counter-1", body, len, &count));
    assert_false(race_body_count("0123456789abcdee", "counter", body, len, &count));
    assert_false(race_body_count("0123456789abcdef", "counter", body, len - 1, &count));
}

TEST(a_value_is_the_quoted_md5)
{
    char value[RACE_VALUE_SIZE];

    assert_true(race_value("abc", 3, value));
    assert_string_equal(value, "\"900150983cd24fb0d6963f7d28e17f72\"");
}
