/* SPDX-License-Identifier: Apache-2.0 */
#include "report/asset.h"
#include "report/report.h"
#include "report/strings.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct history *history;
static struct judge_result judged;
static char *page;
static size_t page_size;

static int begin(void **state)
{
    (void)state;
    memset(&judged, 0, sizeof(judged));
    page = NULL;
    history = history_new();
    return history != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(page);
    history_free(history);
    return 0;
}

static void add_call(uint64_t id, const char *key, const char *value, const char *message)
{
    struct history_call call = {.id = id,
                                .writer = (uint32_t)(id % 8),
                                .operation = id == 1 ? HISTORY_PUT_IF_ABSENT : HISTORY_PUT_IF_MATCH,
                                .key = key,
                                .expected = "",
                                .value = value,
                                .start_us = id * 1000,
                                .end_us = id * 1000 + 7000,
                                .verdict = OS_COMMITTED,
                                .settled = OS_COMMITTED,
                                .rule = "R9",
                                .message = message};

    assert_true(history_add_call(history, &call));
}

static void write_page(void)
{
    os_error err;
    FILE *out = open_memstream(&page, &page_size);

    assert_non_null(out);
    assert_int_equal(report_write(history, &judged, out, &err), OS_OK);
    assert_int_equal(err.code, OS_OK);
    assert_int_equal(fclose(out), 0);
}

static size_t count_of(const char *needle)
{
    size_t count = 0;

    for (const char *at = strstr(page, needle); at != NULL; at = strstr(at + 1, needle))
        count++;
    return count;
}

/* Nothing but the page's own elements stands there, whatever the history said: one data block, one script. */
static void assert_whole(void)
{
    assert_int_equal(count_of("<script"), 2);
    assert_int_equal(count_of("</script>"), 2);
    assert_int_equal(count_of("<style>"), 1);
    assert_int_equal(count_of("</html>"), 1);
    assert_int_equal(count_of("<img"), 0);
    assert_int_equal(count_of("onerror"), 0);
}

TEST_BETWEEN(begin, end, an_empty_history_makes_a_page)
{
    write_page();
    assert_whole();
    assert_int_equal(count_of("0 writers on 0 keys in 0 \xC2\xB5s"), 2);
    assert_int_equal(count_of("The history has no call"), 1);
    assert_int_equal(count_of("{{"), 0);
}

TEST_BETWEEN(begin, end, one_call_makes_a_page)
{
    judged.calls = judged.keys = 1;
    add_call(1, "only", "\"etag\"", "");
    write_page();
    assert_whole();
    assert_int_equal(count_of("1 writer on 1 key in 8.00 ms"), 2);
    assert_int_equal(count_of("data-judgement=\"accepted\""), 1);
    assert_int_equal(count_of("data-figure=\"committed\" data-value=\"1\""), 1);
}

TEST_BETWEEN(begin, end, the_page_loads_nothing)
{
    add_call(1, "key", "\"etag\"", "");
    write_page();
    assert_int_equal(count_of("default-src 'none'"), 1);
    assert_int_equal(count_of(report_asset_style.sha256), 1);
    assert_int_equal(count_of(report_asset_script.sha256), 1);
    assert_int_equal(strlen(report_asset_style.sha256), 44);
    assert_int_equal(count_of("http://"), 0);
    assert_int_equal(count_of("https://"), 0);
    assert_int_equal(count_of("@import"), 0);
    assert_int_equal(count_of("innerHTML"), 0);
}

TEST_BETWEEN(begin, end, hostile_texts_stay_texts)
{
    static const char *const hostile[] = {
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "<img src=x onerror=alert(2)>",
        "\"'><svg>",
        "]]>{{data}}{{script}}",
        "\xFF\xFE\x80</script\t>",
        "\xE2\x80\xA8\xE2\x80\xA9",
        "\\u003c\\",
    };

    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        add_call(i + 1, hostile[i], hostile[i], hostile[i]);
        assert_true(history_add_fact(history, hostile[i], hostile[i]));
        assert_true(history_add_event(history, &(struct history_event){HISTORY_LATE, 0, i, i, hostile[i]}));
        assert_true(history_add_final(history, &(struct history_final){hostile[i], hostile[i], 9, 1}));
        judged.finding[i] = (struct judge_finding){JUDGE_TWO_WINNERS, history_text(history, hostile[i]), i + 1, 0, ""};
        (void)snprintf(judged.finding[i].sentence, sizeof(judged.finding[i].sentence), "%s", hostile[i]);
        judged.finding_count++;
    }
    write_page();
    assert_int_equal(count_of("<script"), 2);
    assert_int_equal(count_of("</script"), 2);
    assert_int_equal(count_of("<img"), 0);
    assert_int_equal(count_of("<!--<"), 0);
    assert_int_equal(count_of("\xFF"), 0);
    assert_int_equal(count_of("\xE2\x80\xA8"), 0);
    assert_true(count_of("&lt;/script&gt;") > 0);
    assert_true(count_of("\\u003C/script") > 0);
    assert_true(count_of("{{data}}") > 0); /* the text, and not the data once more */
    assert_int_equal(count_of("\"format\":1"), 1);
}

TEST_BETWEEN(begin, end, findings_lead_to_their_calls)
{
    add_call(1, "key", "\"a\"", "");
    add_call(2, "key", "\"b\"", "");
    judged.finding_count = 1;
    judged.finding[0] = (struct judge_finding){JUDGE_TWO_WINNERS, history_text(history, "key"), 2, 1, "Both won."};
    write_page();
    assert_int_equal(count_of("data-judgement=\"refused\""), 1);
    assert_int_equal(count_of("<tr id=\"call-2\">"), 1);
    assert_true(count_of("href=\"#call-1\"") >= 1);
    assert_true(count_of("Both won.") >= 2);
}

TEST_BETWEEN(begin, end, more_findings_than_are_told_are_counted)
{
    add_call(1, "key", "\"a\"", "");
    judged.finding_count = 1000;
    for (size_t i = 0; i < sizeof(judged.finding) / sizeof(judged.finding[0]); i++)
        judged.finding[i] = (struct judge_finding){JUDGE_VERSIONS, history_text(history, "key"), 0, 0, "Too many."};
    write_page();
    assert_int_equal(count_of("1,000 findings"), 1);
}

TEST_BETWEEN(begin, end, fifty_thousand_calls_fit_eight_megabytes)
{
    char key[32];
    char value[64];

    for (uint64_t i = 1; i <= 50000; i++) {
        (void)snprintf(key, sizeof(key), "key-%05u", (unsigned)(i % 100));
        (void)snprintf(value, sizeof(value), "\"%032u\"", (unsigned)i);
        add_call(i, key, value, "");
    }
    write_page();
    assert_whole();
    assert_true(page_size < 8 * 1024 * 1024);
}

TEST_BETWEEN(begin, end, a_lane_far_out_draws_no_million_lanes)
{
    struct history_call call = {
        .id = 1, .writer = UINT32_MAX - 1, .operation = HISTORY_READ, .key = "key", .value = ""};

    call.expected = call.rule = call.message = "";
    call.start_us = UINT64_MAX - 2;
    call.end_us = UINT64_MAX - 1;
    call.verdict = call.settled = OS_COMMITTED;
    assert_true(history_add_call(history, &call));
    write_page();
    assert_whole();
    assert_true(page_size < 1024 * 1024);
    assert_int_equal(count_of("\"lanes\":250"), 1);
}

TEST_BETWEEN(begin, end, a_full_disk_is_an_error)
{
    FILE *full = fopen("/dev/full", "w");
    os_error err;

    if (full == NULL)
        skip();
    assert_int_equal(report_write(history, &judged, full, &err), OS_ERR_IO);
    assert_int_equal(err.code, OS_ERR_IO);
    assert_non_null(strstr(err.message, "cannot be written"));
    (void)fclose(full);
}

TEST(strings_are_numbered_by_their_address)
{
    static const char text[] = "x\0x";
    const char *same = text;
    const char *other = text + 2;
    struct report_strings *strings = report_strings_new(2);

    assert_non_null(strings);
    assert_int_equal(report_strings_number(strings, ""), 0);
    assert_int_equal(report_strings_number(strings, NULL), 0);
    assert_int_equal(report_strings_number(strings, same), 1);
    assert_int_equal(report_strings_number(strings, other), 2);
    assert_int_equal(report_strings_number(strings, same), 1);
    assert_string_equal(report_strings_at(strings, 1), "x");
    report_strings_free(strings);
    assert_null(report_strings_new(SIZE_MAX));
}

static void add_write(uint64_t id, uint64_t end_us, os_verdict verdict)
{
    struct history_call call = {.id = id,
                                .operation = HISTORY_PUT_IF_MATCH,
                                .key = "a",
                                .expected = "",
                                .value = "v",
                                .start_us = 0,
                                .end_us = end_us,
                                .verdict = verdict,
                                .settled = verdict,
                                .rule = "R9",
                                .message = ""};

    assert_true(history_add_call(history, &call));
}

TEST_BETWEEN(begin, end, throughput_is_drawn_by_the_second_and_the_verdict)
{
    for (uint64_t i = 0; i < 10; i++)
        add_write(1 + i, 50000, OS_COMMITTED);
    add_write(11, 950000, OS_CONFLICT);
    add_write(12, HISTORY_NEVER, OS_UNKNOWN); /* killed: it did not return */
    add_write(13, 1000000, OS_NOT_EXECUTED);
    write_page();
    assert_whole();
    /* A second in columns of 10 ms, rounded up to a multiple of four; ten writes in one are 1,000 a second. */
    assert_int_equal(count_of("<figure class=\"throughput\" data-columns=\"104\" data-step-us=\"10000\">"), 1);
    assert_int_equal(count_of("on average 10 committed, at most 1,000 in all. One column is 10.0 ms."), 1);
    assert_int_equal(count_of("<path class=\"bar thin committed\" d=\"M5.08 1000.0H5.92V0.0H5.08z\"/>"), 1);
    assert_int_equal(count_of("<path class=\"bar thin conflict\" d=\"M95.08 1000.0H95.92V900.0H95.08z\"/>"), 1);
    assert_int_equal(count_of("<path class=\"bar thin not-executed\" d=\"M100.08 1000.0H100.92V900.0H100.08z\"/>"), 1);
    assert_int_equal(count_of("<path class=\"bar thin unknown\" d=\"\"/>"), 1);
    assert_int_equal(count_of("<span>1,000</span><span>500</span><span>0</span>"), 1);
    assert_int_equal(count_of("<span>0</span><span>260 ms</span><span>520 ms</span><span>780 ms</span>"), 1);
}

TEST_BETWEEN(begin, end, without_a_write_that_returned_there_is_no_throughput)
{
    add_write(1, HISTORY_NEVER, OS_UNKNOWN);
    write_page();
    assert_whole();
    assert_int_equal(count_of("class=\"throughput\""), 0);
}

TEST_BETWEEN(begin, end, a_run_of_any_length_has_its_throughput)
{
    static const uint64_t ends[] = {0, 1, 99, 100, 101, 12345, UINT64_C(86400000000), UINT64_C(1) << 62};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        add_write(1 + i, ends[i], OS_COMMITTED);
        write_page();
        assert_whole();
        assert_int_equal(count_of("<figure class=\"throughput\""), 1);
        assert_int_equal(count_of("inf") + count_of("nan"), 0);
        free(page);
        page = NULL;
    }
}
