/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a version is, and what is made of an entry whose writer has not ended (docs/delta.md, D4 and D7). */
#include "unit/append/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRANGER_HALF "{\"add\":{\"path\":\"str"
#define OURS_IN_JSON  "\"a.parquet\""

static void check_ours(struct fleet *fleet)
{
    assert_int_equal(fleet_version_count(fleet), 1);
    struct fake_s3_version version = fleet_version_at(fleet, 0);
    assert_non_null(memmem(version.body, version.body_len, OURS_IN_JSON, strlen(OURS_IN_JSON)));
}

/* The stranger's own. */
static const char strangers_ticket[] =
    "{\"delta_log_store\":1,\"table\":\"s3://bucket/table\",\"version\":1,\"temp\":\"" STRANGER_TEMP "\",\"sha256\":"
    "\"f2eb1156bd9780778dded570ba0f6ddc116a6d15ef3b2cbd44d8ace9097f1929\"}";

/* --------------------------------------------------------------------------------------- a writer that is not dead */

static bool ends_his_commit_meanwhile(struct fleet *fleet, const struct http_server_record *record,
                                      struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is_action(record, "GetItem") || strstr(record->body, "01.json") == NULL || fleet->hits++ != 1)
        return true;
    fleet_write(fleet, VERSION_1, STRANGER, strlen(STRANGER));
    fleet_put_entry(fleet, STRANGER_TEMP, true);
    return true;
}

TEST_WITH(fleet, a_writer_that_is_alive_makes_its_version_itself)
{
    fleet_stranger_died(fleet);
    fleet->hook = ends_his_commit_meanwhile;
    fleet_committed_as(fleet, true, 2);
    assert_int_equal(fleet->versions, 0);
    assert_true(fleet_is_there(fleet, STRANGER_TEMP)); /* his to delete */
    fleet_check_version(fleet, STRANGER);
}

static bool takes_it_back_meanwhile(struct fleet *fleet, const struct http_server_record *record,
                                    struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is_action(record, "GetItem") && strstr(record->body, "01.json") != NULL && fleet->hits++ == 1)
        fleet_take_back(fleet);
    return true;
}

TEST_WITH(fleet, an_entry_that_is_taken_back_while_we_wait_is_no_version)
{
    fleet_stranger_died(fleet);
    fleet->hook = takes_it_back_meanwhile;
    fleet_committed_as(fleet, true, 1);
    check_ours(fleet);
}

static bool takes_it_back_behind_its_temp_file(struct fleet *fleet, const struct http_server_record *record,
                                               struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is(record, "GET", STRANGER_TEMP) && fleet->hits++ == 0)
        fleet_take_back(fleet);
    return true;
}

TEST_WITH(fleet, an_entry_that_is_taken_back_before_the_repair_is_no_version)
{
    fleet_stranger_died(fleet);
    fleet->hook = takes_it_back_behind_its_temp_file;
    fleet_committed_as(fleet, true, 1);
    check_ours(fleet);
}

static bool another_enters_behind_its_temp_file(struct fleet *fleet, const struct http_server_record *record,
                                                struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is(record, "GET", STRANGER_TEMP) || fleet->hits++ != 0)
        return true;
    fleet_write(fleet, "_commit_outsider.json.tmp", OUTSIDER, strlen(OUTSIDER));
    fleet_put_entry(fleet, "_commit_outsider.json.tmp", false);
    return true;
}

TEST_WITH(fleet, a_repair_makes_only_the_version_that_the_entry_names_now)
{
    fleet_stranger_died(fleet);
    fleet->hook = another_enters_behind_its_temp_file;
    fleet_committed_as(fleet, true, 2);
    fleet_check_version(fleet, OUTSIDER);
}

static bool takes_it_back_when_a_version_is_lost(struct fleet *fleet, const struct http_server_record *record,
                                                 struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is(record, "PUT", VERSION_1) || fleet->hits++ != 0)
        return true;
    fleet_take_back(fleet);
    return false;
}

TEST_WITH(fleet, a_repair_looks_at_the_entry_again_before_each_request)
{
    fleet_stranger_died(fleet);
    fleet->hook = takes_it_back_when_a_version_is_lost;
    fleet_committed_as(fleet, true, 1);
    check_ours(fleet);
}

/* ------------------------------------------------------------------------------------------------- what a repair does */

/* A condition that nobody has proved; an entry that is completed before its temp file is gone. */
static bool sees_what_must_not_be(struct fleet *fleet, const struct http_server_record *record,
                                  struct http_server_step *ret)
{
    (void)ret;
    fleet->hits += fleet_is(record, "PUT", VERSION_1) && http_headers_get(&record->headers, "if-none-match") != NULL;
    fleet->hits += fleet_is_action(record, "UpdateItem") && fleet_is_there(fleet, STRANGER_TEMP);
    return true;
}

/* delta-rs commits once more if it finds its temp file beside an entry that is complete. */
TEST_WITH(fleet, a_temp_file_is_gone_before_its_entry_is_complete)
{
    fleet_stranger_died(fleet);
    fleet->hook = sees_what_must_not_be;
    fleet_committed_as(fleet, true, 2);
    assert_int_equal(fleet->hits, 0);
    fleet_check_version(fleet, STRANGER);
    assert_true(fleet_is_complete(fleet));
}

TEST_WITH(fleet, a_temp_file_stays_where_the_version_is_an_outsiders)
{
    fleet_stranger_died(fleet);
    fleet_write_outside(fleet);
    fleet_put_entry(fleet, STRANGER_TEMP, false);
    fleet_committed_as(fleet, true, 2);
    fleet_committed_as(fleet, true, 3);
    fleet_check_version(fleet, OUTSIDER);
    assert_true(fleet_is_there(fleet, STRANGER_TEMP));
}

static bool makes_it_first(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is(record, "PUT", VERSION_1) && fleet->hits++ == 0)
        fleet_write(fleet, VERSION_1, STRANGER, strlen(STRANGER));
    return true;
}

TEST_WITH(fleet, a_repair_that_comes_second_looks_whose_the_version_is)
{
    fleet_know_the_store(fleet);
    fleet_stranger_died(fleet);
    fleet->hook = makes_it_first;
    fleet_committed_as(fleet, true, 2);
    fleet_check_version(fleet, STRANGER);
    assert_false(fleet_is_there(fleet, STRANGER_TEMP));
}

static bool is_denied_the_version(struct fleet *fleet, const struct http_server_record *record,
                                  struct http_server_step *ret)
{
    fleet->hits += fleet_is(record, "GET", "_commit_") || fleet_is_action(record, "PutItem");
    return fleet->hits == 0 || !fleet_is(record, "GET", VERSION_1) || fleet_deny(ret);
}

TEST_WITH(fleet, a_repair_that_cannot_look_at_the_version_completes_nothing)
{
    fleet_stranger_died(fleet);
    fleet->hook = is_denied_the_version;
    fleet_not_executed(fleet);
    assert_int_equal(fleet->completions, 1); /* of version 0 */
    assert_false(fleet_is_complete(fleet));
    assert_false(fleet_is_there(fleet, VERSION_1));
}

TEST_WITH(fleet, an_entry_that_has_lost_its_bytes_is_not_completed)
{
    fleet_put_entry(fleet, STRANGER_TEMP, false);
    fleet_not_executed(fleet);
    assert_false(fleet_is_complete(fleet));
    assert_false(fleet_is_there(fleet, VERSION_1));
}

TEST_WITH(fleet, an_entry_whose_version_is_there_needs_no_temp_file)
{
    fleet_put_entry(fleet, STRANGER_TEMP, false);
    fleet_write(fleet, VERSION_1, STRANGER, strlen(STRANGER));
    fleet_committed_as(fleet, true, 2);
    assert_true(fleet_is_complete(fleet));
}

static bool takes_it_back_at_the_look(struct fleet *fleet, const struct http_server_record *record,
                                      struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is(record, "HEAD", VERSION_1) && fleet->hits++ == 0)
        fleet_take_back(fleet);
    return true;
}

TEST_WITH(fleet, an_entry_without_bytes_that_is_taken_back_is_in_nobodys_way)
{
    fleet_put_entry(fleet, STRANGER_TEMP, false);
    fleet->hook = takes_it_back_at_the_look;
    fleet_committed_as(fleet, true, 1);
    check_ours(fleet);
}

TEST_WITH(fleet, an_entry_that_names_no_temp_file_makes_no_version)
{
    fleet_put_entry(fleet, "00000000000000000000.json", false);
    fleet_not_executed(fleet);
    assert_true(fleet_is_there(fleet, "00000000000000000000.json"));
    assert_false(fleet_is_there(fleet, VERSION_1));
}

TEST_WITH(fleet, an_entry_that_is_complete_without_its_version_is_repaired)
{
    fleet_stranger_died(fleet);
    fleet_put_entry(fleet, STRANGER_TEMP, true);
    fleet_committed_as(fleet, true, 2);
    fleet_check_version(fleet, STRANGER);
}

/* ----------------------------------------------------------------------------------------------------- whose it is */

enum { HUGE = (64 << 20) + 1 };
static char huge[HUGE + 256]; /* an answer, which the server may still be sending at the end */
static size_t huge_length;

static bool is_huge(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    if (!fleet_is(record, "GET", VERSION_1))
        return true;
    fleet->hits++;
    *ret = (struct http_server_step){.answer = huge, .answer_length = huge_length, .leave = HTTP_SERVER_CLOSE};
    return false;
}

TEST_WITH(fleet, a_version_that_is_larger_than_any_of_ours_is_anothers)
{
    int head = snprintf(huge, sizeof(huge),
                        "HTTP/1.1 200 OK\r\nx-amz-request-id: 1\r\nETag: \"0\"\r\nContent-Length: %d\r\n\r\n", HUGE);
    huge_length = (size_t)head + HUGE;
    fleet->hook = is_huge;
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_CONFLICT);
    assert_int_not_equal(fleet->hits, 0);
}

TEST_WITH(fleet, what_cannot_be_looked_at_stays_unknown)
{
    fleet_write(fleet, VERSION_1, STRANGER, strlen(STRANGER));
    fleet->hits = 1;
    fleet->hook = is_denied_the_version;
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_UNKNOWN);
    fleet_calm(fleet);
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_COMMITTED);
    os_delta_result result = OS_DELTA_RESULT_INIT;
    fleet->hits = 0;
    fleet_remove(fleet, VERSION_1);
    fleet->hook = is_denied_the_version; /* behind our entry */
    assert_int_equal(fleet_commit(fleet, true, LONG_MS, &result), OS_UNKNOWN);
    assert_int_equal(result.version, 1);
    os_delta_result_clear(&result);
}

/* ------------------------------------------------------------------------------------------------------------- torn */

/* The store keeps the first half of what it gets, and its answer is lost. */
static bool tears_the_first(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is(record, "PUT", VERSION_1) || fleet->hits++ != 0)
        return true;
    fleet_write(fleet, VERSION_1, record->body, record->body_length / 2);
    return false;
}

static void check_whole(struct fleet *fleet)
{
    assert_int_equal(fleet_version_count(fleet), 2);
    struct fake_s3_version half = fleet_version_at(fleet, 0);
    struct fake_s3_version whole = fleet_version_at(fleet, 1);
    assert_true(half.body_len < whole.body_len);
    assert_memory_equal(half.body, whole.body, half.body_len);
    assert_int_equal(whole.body[whole.body_len - 1], '\n');
}

/* The next request of ours is refused by it, under the condition. */
TEST_WITH(fleet, half_a_version_is_written_again_where_the_store_enforces_absence)
{
    fleet_know_the_store(fleet);
    fleet->hook = tears_the_first;
    fleet_committed_as(fleet, true, 1);
    check_whole(fleet);
    fleet_committed_as(fleet, false, 2);
}

TEST_WITH(fleet, a_repair_writes_half_a_version_again)
{
    fleet_stranger_died(fleet);
    fleet_write(fleet, VERSION_1, STRANGER_HALF, strlen(STRANGER_HALF));
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_COMMITTED);
    check_whole(fleet);
    assert_false(fleet_is_there(fleet, STRANGER_TEMP));
    assert_true(fleet_is_complete(fleet));
}

/* Of releases that completed entries so; or its entry has expired. */
TEST_WITH(fleet, half_a_version_that_nobody_repairs_is_no_conflict)
{
    fleet_write(fleet, STRANGER_TEMP, STRANGER, strlen(STRANGER));
    fleet_write(fleet, VERSION_1, STRANGER_HALF, strlen(STRANGER_HALF));
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_UNKNOWN);
    fleet_put_entry(fleet, STRANGER_TEMP, true);
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_UNKNOWN);
    fleet_write_outside(fleet);
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_CONFLICT);
}

static bool is_denied_the_temp_file(struct fleet *fleet, const struct http_server_record *record,
                                    struct http_server_step *ret)
{
    fleet->hits += fleet_is(record, "GET", STRANGER_TEMP);
    return !fleet_is(record, "GET", STRANGER_TEMP) || fleet_deny(ret);
}

TEST_WITH(fleet, without_a_look_at_the_temp_file_there_is_no_conflict)
{
    fleet_write_outside(fleet);
    fleet->hook = is_denied_the_temp_file;
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_UNKNOWN);
    assert_int_not_equal(fleet->hits, 0);
    fleet_calm(fleet);
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_CONFLICT);
}

TEST_WITH(fleet, half_a_version_of_one_who_died_is_made_whole_by_the_next_writer)
{
    fleet_stranger_died(fleet);
    fleet_write(fleet, VERSION_1, STRANGER_HALF, strlen(STRANGER_HALF));
    fleet_committed_as(fleet, true, 2);
    check_whole(fleet);
}

static bool another_breaks_off(struct fleet *fleet, const struct http_server_record *record,
                               struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is(record, "GET", VERSION_1) && fleet->hits++ == 0)
        fleet_write(fleet, VERSION_1, "{", 1);
    return true;
}

/* No entry of ours may have led to it. */
TEST_WITH(fleet, half_a_version_of_another_is_another_writers)
{
    fleet->hook = another_breaks_off;
    fleet_not_executed(fleet);
    assert_int_not_equal(fleet->hits, 0);
    fleet_check_version(fleet, "{");
}

/* ------------------------------------------------------------------------------------------ torn between two lines */

#define STRANGER_LINE "{\"commitInfo\":{\"txnId\":\"stranger\"}}\n"
#define STRANGER_ETL  STRANGER_LINE "{\"txn\":{\"appId\":\"etl\",\"version\":5}}\n" STRANGER

/* A second process of the stranger's application, with the same piece of work. */
static void check_is_done_already(struct fleet *fleet)
{
    os_delta_options options = OS_DELTA_OPTIONS_INIT;
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_call call = OS_CALL_INIT;
    os_error error;
    options.log_store = fleet->log_store;
    options.app_id = "etl";
    options.app_version = 5;
    call.deadline_ms = LONG_MS;
    assert_int_equal(os_delta_commit(fleet->ours, "table", &fleet_files, &options, &call, &result, &error),
                     OS_CONFLICT);
    os_delta_result_clear(&result);
    check_whole(fleet);
    assert_false(fleet_is_there(fleet, "00000000000000000002.json"));
}

TEST_WITH(fleet, the_newest_version_is_whole_before_it_is_read)
{
    fleet_write(fleet, STRANGER_TEMP, STRANGER_ETL, strlen(STRANGER_ETL));
    fleet_put_entry(fleet, STRANGER_TEMP, false);
    fleet_write(fleet, VERSION_1, STRANGER_LINE, strlen(STRANGER_LINE));
    check_is_done_already(fleet);
}

static bool dies_before_us(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is(record, "GET", VERSION_1) || fleet->hits++ != 0)
        return true;
    fleet_write(fleet, STRANGER_TEMP, STRANGER_ETL, strlen(STRANGER_ETL));
    fleet_put_entry(fleet, STRANGER_TEMP, false);
    fleet_write(fleet, VERSION_1, "", 0);
    return true;
}

TEST_WITH(fleet, a_version_that_was_lost_is_whole_before_it_is_read)
{
    fleet->hook = dies_before_us;
    check_is_done_already(fleet);
}

/* ------------------------------------------------------------------------------------------- behind a look of ours */

static bool is_repaired_meanwhile(struct fleet *fleet, const struct http_server_record *record,
                                  struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is(record, "GET", STRANGER_TEMP) || fleet->hits++ != 0)
        return true;
    fleet_write(fleet, VERSION_1, STRANGER, strlen(STRANGER));
    fleet_remove(fleet, STRANGER_TEMP);
    return true;
}

TEST_WITH(fleet, a_version_that_is_made_whole_behind_our_look_is_no_conflict)
{
    fleet_write(fleet, STRANGER_TEMP, STRANGER, strlen(STRANGER));
    fleet_write(fleet, VERSION_1, STRANGER_HALF, strlen(STRANGER_HALF));
    fleet->hook = is_repaired_meanwhile;
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_UNKNOWN);
    assert_int_equal(fleet->hits, 1);
    assert_int_equal(fleet_resolve(fleet, strangers_ticket, LONG_MS), OS_COMMITTED);
}

static bool is_written_when_ours_is_lost(struct fleet *fleet, const struct http_server_record *record,
                                         struct http_server_step *ret)
{
    (void)ret;
    if (!fleet_is(record, "PUT", VERSION_1) || fleet->hits++ != 0)
        return true;
    fleet_write_outside(fleet);
    return false;
}

TEST_WITH(fleet, a_version_is_looked_at_again_before_each_request)
{
    fleet->hook = is_written_when_ours_is_lost;
    fleet_committed_as(fleet, true, 2);
    fleet_check_version(fleet, OUTSIDER);
}
