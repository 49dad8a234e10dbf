/* SPDX-License-Identifier: Apache-2.0 */
/* What a record means for the next writer, and how its times and its holder are shown. */
#include "cli/clean.h"
#include "common/table_state.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static os_record record_of(int64_t now_s)
{
    os_record record = OS_RECORD_INIT;
    record.path = "k";
    record.etag = "*";
    record.generation = 7;
    record.timeout_ms = 20000;
    record.ttl_s = now_s + 3600;
    record.since_s = now_s;
    record.nonce = "0123456789abcdef0123456789abcdef";
    record.saw = "";
    record.upload = "";
    record.unreadable = "";
    record.other = "{}";
    return record;
}

static struct table_view view_of(const os_record *record)
{
    static const struct options none;
    struct table_view view;
    table_view(record, &none, &view);
    return view;
}

static void assert_state(const os_record *record, enum table_state state, bool may_be_stuck)
{
    struct table_view view = view_of(record);
    assert_int_equal(view.state, state);
    assert_int_equal(table_may_be_stuck(&view), may_be_stuck);
}

TEST(a_fence_says_whether_its_writer_may_still_write)
{
    int64_t now_s = (int64_t)time(NULL);
    os_record record = record_of(now_s);
    record.has_fence = 1;
    record.fence_s = now_s + 60;
    assert_state(&record, TABLE_LIVE, false);
    assert_int_equal(view_of(&record).until_s, now_s + 62); /* and the margin */
    record.fence_s = now_s - 60;
    assert_state(&record, TABLE_OVER, false);
    record.fence_s = now_s + 3 * 86400;
    assert_state(&record, TABLE_ENDLESS, true);
    record.fence_s = INT64_MAX;
    assert_state(&record, TABLE_ENDLESS, true);
    record.timeout_ms = 0;
    assert_state(&record, TABLE_RELEASED, false);
}

TEST(without_a_fence_it_is_waited_for)
{
    int64_t now_s = (int64_t)time(NULL);
    os_record record = record_of(now_s);
    assert_state(&record, TABLE_UNFENCED, false);
    assert_int_equal(view_of(&record).wait_ms, 60000);
    record.since_s = now_s - 30;
    assert_state(&record, TABLE_UNFENCED, false);
    record.since_s = now_s - 70;
    assert_state(&record, TABLE_UNFENCED, true);
    record.since_s = 0;
    assert_state(&record, TABLE_UNFENCED, true);
    record.timeout_ms = UINT64_MAX;
    assert_state(&record, TABLE_ENDLESS, true);
}

TEST(what_nobody_takes_over_is_told)
{
    int64_t now_s = (int64_t)time(NULL);
    os_record record = record_of(now_s);
    record.has_fence = 1;
    record.fence_s = now_s - 60;
    record.upload = "an-id";
    assert_state(&record, TABLE_OVER, false);
    record.upload = "an\r\nid";
    assert_state(&record, TABLE_ENDLESS, true);
    record.upload = "";
    record.generation = UINT64_MAX;
    assert_state(&record, TABLE_ENDLESS, true);
    record.unreadable = "The attribute \"ttl\" is missing.";
    assert_state(&record, TABLE_DAMAGED, true);
    record.timeout_ms = 0; /* says nothing of an item that is no record */
    assert_state(&record, TABLE_DAMAGED, true);
}

TEST(a_holder_is_known_by_its_nonce)
{
    char holder[TABLE_HOLDER_SIZE];
    os_record record = record_of(1);
    table_holder(&record, holder);
    assert_string_equal(holder, "01234567");
    record.nonce = "";
    table_holder(&record, holder);
    assert_string_equal(holder, "object_store");
    record.nonce = "\x1b[2J\xff x";
    table_holder(&record, holder);
    assert_string_equal(holder, "?[2J??x");
    record.unreadable = "It is none.";
    table_holder(&record, holder);
    assert_string_equal(holder, "-");
}

TEST(times_are_local)
{
    char text[CLEAN_TIME_SIZE];
    assert_int_equal(setenv("TZ", "XXX-5:30", 1), 0);
    tzset();
    clean_local_time(1795349482, text);
    assert_string_equal(text, "2026-11-22 17:41:22");
    clean_local_time(0, text);
    assert_string_equal(text, "-");
    clean_local_time(INT64_MAX, text);
    assert_string_equal(text, "never");
    clean_local_time(253402300800, text);
    assert_string_equal(text, "never");
    assert_int_equal(unsetenv("TZ"), 0);
}
