/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/renewal.h"

#include "support/test.h"

enum { DRAWS = 2000 };

/* The least and the most that were drawn. */
struct drawn {
    uint64_t least_ms;
    uint64_t most_ms;
};

static void draw(struct drawn *drawn, uint64_t value_ms)
{
    drawn->least_ms = value_ms < drawn->least_ms ? value_ms : drawn->least_ms;
    drawn->most_ms = value_ms > drawn->most_ms ? value_ms : drawn->most_ms;
}

/* All within the bounds, and they come near to both. */
static void check(const struct drawn *drawn, uint64_t from_ms, uint64_t to_ms)
{
    uint64_t tenth_ms = (to_ms - from_ms) / 10;
    assert_in_range(drawn->least_ms, from_ms, from_ms + tenth_ms);
    assert_in_range(drawn->most_ms, to_ms - tenth_ms, to_ms);
}

static const struct {
    const char *name;
    int64_t left_s;
    uint64_t from_ms;
    uint64_t to_ms;
} rows[] = {
    {"an hour", 3600, 2700000, 3300000},
    {"twelve hours", 43200, 42300000, 42900000},
    {"half an hour, just", 1800, 900000, 1500000},
    {"less than half an hour", 1799, 449750, 899500},
    {"a minute", 60, 15000, 30000},
    {"four seconds", 4, 1000, 2000},
    {"one second", 1, RENEWAL_LEAST_MS, RENEWAL_LEAST_MS},
    {"over", 0, 150000, 300000},
    {"long over", -86400, 150000, 300000},
    {"the end of time", INT64_MIN, 150000, 300000},
    {"for ever", INT64_MAX, 4294966396000, 4294966996000},
};

TEST_ROWS(rows, keys_are_renewed_before_they_expire_and_not_all_at_once)
{
    struct drawn drawn = {UINT64_MAX, 0};
    uint64_t random = 1;
    for (int i = 0; i < DRAWS; i++)
        draw(&drawn, renewal_after_ms(row->left_s, &random));
    check(&drawn, row->from_ms, row->to_ms);
    if (row->left_s > 2)
        assert_true(drawn.most_ms < (uint64_t)row->left_s * 1000);
}

TEST(after_a_failure_it_is_tried_again_later_and_later)
{
    static const uint64_t most_ms[] = {5000, 10000, 20000, 40000, 80000, 160000, 300000, 300000};
    uint64_t random = 7;
    for (uint32_t failures = 1; failures <= 8; failures++) {
        struct drawn drawn = {UINT64_MAX, 0};
        for (int i = 0; i < DRAWS; i++)
            draw(&drawn, renewal_again_ms(failures, &random));
        check(&drawn, most_ms[failures - 1] / 2, most_ms[failures - 1]);
    }
    assert_in_range(renewal_again_ms(UINT32_MAX, &random), 150000, 300000);
}
