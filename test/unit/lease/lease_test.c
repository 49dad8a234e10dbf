/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace does not show of a lease: numbers that requests carry, and that the state is plain bytes. */
#include "lease_trace.h"

#include <string.h>

/* L4, L6: what is left of the time, by the clock. */
TEST(L6_what_remains_is_counted_from_the_send)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 +100 -> WAIT 1900 [HELD]\n");
    struct clock_reading now = lease_trace.now;
    assert_int_equal(lease_remaining_ms(&lease_trace.lease, &now), 5400);
    now.boottime_ms += 5399;
    assert_int_equal(lease_remaining_ms(&lease_trace.lease, &now), 1);
    assert_int_equal(lease_status(&lease_trace.lease, &now), LEASE_AT_RISK);
    now.boottime_ms += 1;
    assert_int_equal(lease_remaining_ms(&lease_trace.lease, &now), 0);
    assert_int_equal(lease_status(&lease_trace.lease, &now), LEASE_LOST);
}

/* L2, L5: what is written beside the version. */
TEST(L2_L5_the_own_ttl_is_written)
{
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n");
    assert_int_equal(lease_trace.todo.request.ttl_ms, 6000);
    TRACE("ttl=6\n"
          "start -> TAKE 1 e=1007 [ACQUIRING]\n"
          "ok @1000 -> WAIT 2000 [HELD]\n"
          "timer +2000 -> EXTEND 2 e=1009 on=1, WAIT 1001 [HELD]\n");
    assert_int_equal(lease_trace.todo.request.ttl_ms, 6000);
}

static const struct try_row {
    const char *name;
    uint64_t ttl_s;
    uint64_t try_ms;
} try_rows[] = {
    {"least", 1, 500}, {"at_the_least", 3, 500}, {"sixth", 6, 1000}, {"at_the_most", 30, 5000}, {"most", 31, 5000},
};

TEST_ROWS(try_rows, an_answer_is_waited_for_as_long_as_the_ttl_allows)
{
    struct lease_settings settings = {.ttl_s = row->ttl_s, .poll_ms = 1000, .nonce = LEASE_TRACE_NONCE};
    struct lease lease;
    struct lease_actions actions;
    lease_init(&lease, &settings);
    lease_step(&lease, &(struct lease_event){.kind = LEASE_EVENT_START}, &actions);
    assert_true(actions.send);
    assert_int_equal(actions.request.try_ms, row->try_ms);
}

/* L1: 20 digits are a whole number, too. */
TEST(L1_a_version_is_the_nonce_and_a_number)
{
    struct lease_settings settings = {.ttl_s = 6, .poll_ms = 1000, .nonce = LEASE_TRACE_NONCE};
    struct lease lease;
    struct lease_actions actions;
    lease_init(&lease, &settings);
    lease.version_count = UINT64_MAX - 1;
    lease_step(&lease, &(struct lease_event){.kind = LEASE_EVENT_START}, &actions);
    assert_string_equal(actions.request.version, LEASE_TRACE_NONCE "-18446744073709551615");
}

/* Two that were told the same are the same bytes, whatever stood there before. */
TEST(a_lease_is_plain_bytes)
{
    struct lease_settings one;
    struct lease_settings other;
    struct lease first;
    struct lease second;
    memset(&one, 0x55, sizeof(one));
    memset(&other, 0xaa, sizeof(other));
    one.ttl_s = other.ttl_s = 6;
    one.poll_ms = other.poll_ms = 1000;
    one.once = other.once = one.fencing = other.fencing = true;
    memcpy(one.nonce, LEASE_TRACE_NONCE, sizeof(one.nonce));
    memcpy(other.nonce, LEASE_TRACE_NONCE, sizeof(other.nonce));
    strcpy(one.adopted, LEASE_TRACE_NONCE "-1");
    strcpy(other.adopted, LEASE_TRACE_NONCE "-1");
    one.version_count = other.version_count = 2;
    memset(&first, 0x55, sizeof(first));
    memset(&second, 0xaa, sizeof(second));
    lease_init(&first, &one);
    lease_init(&second, &other);
    assert_memory_equal(&first, &second, sizeof(first));
}

/* L11: the ttl of a lease that is adopted is not known before its item was read. So that a slow table is not given up for
 * ever, each READ is waited for longer than the one before. */
TEST(L11_the_first_look_is_waited_for_longer_each_time)
{
    static const uint64_t tries_ms[] = {500, 2000, 4000, 5000};
    TRACE("ttl=2 adopts=3\n"
          "start -> READ [ACQUIRING]\n");
    for (size_t i = 0; i < sizeof(tries_ms) / sizeof(tries_ms[0]); i++) {
        struct lease *lease = &lease_trace.lease;
        assert_int_equal(lease_trace.todo.request.try_ms, tries_ms[i]);
        lease_step(
            lease,
            &(struct lease_event){.kind = LEASE_EVENT_ANSWER, .outcome = LEASE_AMBIGUOUS, .now = lease_trace.now},
            &lease_trace.todo);
        lease_trace.now.monotonic_ms += 1000;
        lease_trace.now.boottime_ms += 1000;
        lease_step(lease, &(struct lease_event){.kind = LEASE_EVENT_TIMER, .now = lease_trace.now}, &lease_trace.todo);
        assert_true(lease_trace.todo.send);
    }
}
