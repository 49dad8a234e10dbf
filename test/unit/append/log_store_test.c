/* SPDX-License-Identifier: Apache-2.0 */
/* Commits through a log store, on the simulator's store and table: what others do between two requests, and what is lost. */
#include "unit/append/fleet.h"

#include <stdlib.h>
#include <string.h>

enum { DAY_MS = 86400 * 1000 };

static bool outsider_is_first(struct fleet *fleet, const struct http_server_record *record,
                              struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is_action(record, "PutItem") && fleet->hits++ == 0)
        fleet_write_outside(fleet);
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- tests */

TEST_WITH(fleet, a_version_that_an_outsider_wrote_stays_his_and_the_next_one_is_ours)
{
    unsigned temps = fleet->temps;
    fleet->hook = outsider_is_first;
    fleet_committed_as(fleet, true, 2);
    fleet_check_version(fleet, OUTSIDER);
    assert_int_equal(fleet->temps, temps + 2); /* the first was named by an entry: who holds that may still copy it */
    fleet_committed_as(fleet, false, 3);
}

TEST_WITH(fleet, a_ticket_of_a_version_that_an_outsider_wrote_is_a_conflict)
{
    char *ticket = fleet_left_unknown(fleet);
    fleet_write_outside(fleet);
    fleet_committed_as(fleet, false, 2);
    assert_int_equal(fleet_resolve(fleet, ticket, LONG_MS), OS_CONFLICT);
    fleet_check_version(fleet, OUTSIDER);
    free(ticket);
}

/* Its temp file is read: from now on no entry is. */
static bool denied_behind_the_temp_file(struct fleet *fleet, const struct http_server_record *record,
                                        struct http_server_step *ret)
{
    static const char denied[] = "HTTP/1.1 400 Bad Request\r\nx-amzn-requestid: 1\r\nContent-Length: 59\r\n\r\n"
                                 "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\"}";
    fleet->hits += fleet_is(record, "GET", "_commit_");
    if (!fleet_is_action(record, "GetItem") || fleet->hits == 0)
        return true;
    *ret = (struct http_server_step){.answer = denied};
    return false;
}

TEST_WITH(fleet, a_repair_that_cannot_read_the_entry_again_completes_nothing)
{
    char *ticket = fleet_left_unknown(fleet);
    unsigned completions = fleet->completions;
    fleet->hook = denied_behind_the_temp_file;
    assert_int_equal(fleet_resolve(fleet, ticket, LONG_MS), OS_UNKNOWN);
    assert_int_equal(fleet->completions, completions);
    assert_int_not_equal(fleet->hits, 0);
    assert_int_equal(fleet_version_count(fleet), 0);
    fleet_calm(fleet);
    assert_int_equal(fleet_resolve(fleet, ticket, LONG_MS), OS_COMMITTED);
    assert_int_equal(fleet_version_count(fleet), 1);
    fleet_committed_as(fleet, false, 2);
    free(ticket);
}

TEST_WITH(fleet, a_ticket_says_nothing_of_another_table)
{
    char *ticket = fleet_left_unknown(fleet);
    fleet_write(fleet, "/else" VERSION_1, OUTSIDER, strlen(OUTSIDER));
    assert_int_equal(fleet_resolve_of(fleet, "else/table", ticket, LONG_MS), OS_UNKNOWN);
    assert_int_equal(fleet_resolve(fleet, ticket, LONG_MS), OS_COMMITTED);
    free(ticket);
}

static bool sleeps_for_a_day(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is_action(record, "PutItem") && fleet->hits++ == 0) {
        fleet_committed_as(fleet, false, 1);
        pthread_mutex_lock(&fleet->mutex);
        uint64_t later_ms = fleet_now_ms() + 2 * (uint64_t)DAY_MS;
        while (fake_dynamo_expired_count(fleet->dynamo, later_ms) > 0)
            fake_dynamo_expire(fleet->dynamo, later_ms, 0);
        pthread_mutex_unlock(&fleet->mutex);
    }
    return true;
}

TEST_WITH(fleet, an_entry_that_expired_while_we_slept_is_no_version_of_ours)
{
    fleet->hook = sleeps_for_a_day;
    fleet_committed_as(fleet, true, 2);
    assert_int_equal(fleet_version_count(fleet), 1);
    fleet_committed_as(fleet, false, 3);
}

static bool outsider_is_first_at_the_version(struct fleet *fleet, const struct http_server_record *record,
                                             struct http_server_step *ret)
{
    (void)ret;
    if (fleet_is(record, "PUT", VERSION_1) && fleet->hits++ == 0)
        fleet_write_outside(fleet);
    return true;
}

/* As a request of ours that was given up may be, too. */
TEST_WITH(fleet, a_late_version_of_ours_is_refused_where_the_store_enforces_that)
{
    fleet_know_the_store(fleet);
    fleet->hook = outsider_is_first_at_the_version;
    fleet_committed_as(fleet, true, 2);
    fleet_check_version(fleet, OUTSIDER);
    fleet_committed_as(fleet, false, 3);
}
