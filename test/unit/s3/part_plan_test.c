/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of parts: every part of every plan is checked, up to 5 TiB. */
#include "s3/part_plan.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

/* What holds of every plan: the parts follow one another, cover all bytes, and each is of a size that S3 takes. */
static void check_plan(const struct part_plan *plan)
{
    uint64_t offset = UINT64_MAX;
    uint64_t length = UINT64_MAX;
    uint64_t end = 0;
    uint64_t largest = 0;
    assert_in_range(plan->count, 1, PART_COUNT_MAX);
    assert_true(plan->total <= PART_TOTAL_MAX);
    for (uint32_t number = 1; number <= plan->count; number++) {
        assert_true(part_plan_range(plan, number, &offset, &length));
        assert_true(offset == end);
        assert_true(length <= PART_SIZE_MAX);
        assert_true(length >= PART_SIZE_MIN || number == plan->count);
        assert_true(length > 0 || plan->total == 0);
        assert_true(number == plan->count || length >= plan->part_size);
        end += length;
        largest = length > largest ? length : largest;
    }
    assert_true(end == plan->total);
    assert_true(part_plan_largest(plan) == largest);
    offset = length = 7;
    assert_false(part_plan_range(plan, 0, &offset, &length));
    assert_false(part_plan_range(plan, plan->count + 1, &offset, &length));
    assert_false(part_plan_range(plan, UINT32_MAX, &offset, &length));
    assert_true(offset == 7 && length == 7);
}

static struct part_plan body_plan(uint64_t total, uint64_t part_size)
{
    struct part_plan plan;
    assert_int_equal(part_plan_body(total, part_size, &plan, NULL), OS_OK);
    assert_true(plan.total == total);
    check_plan(&plan);
    return plan;
}

TEST(five_tebibytes_are_ten_thousand_parts)
{
    struct part_plan plan = body_plan(5 * TIB, 0);
    assert_int_equal(plan.count, 10000);
    assert_true(plan.part_size == 549756928); /* 524.3 MiB, the first multiple of 4 KiB that suffices */
    assert_true(part_plan_largest(&plan) == plan.part_size);
    uint64_t offset;
    uint64_t length;
    assert_true(part_plan_range(&plan, 10000, &offset, &length));
    assert_true(offset == 9999 * plan.part_size && offset + length == 5 * TIB);
    assert_int_equal(part_plan_copy(5 * TIB, 0, &plan, NULL), OS_OK);
    check_plan(&plan);
    assert_int_equal(plan.count, 10000);
}

TEST(one_byte_more_than_five_tebibytes_is_refused)
{
    static const uint64_t totals[] = {5 * TIB + 1, UINT64_MAX};
    struct part_plan plan = {.count = 77};
    for (size_t i = 0; i < 2; i++) {
        os_error err;
        assert_int_equal(part_plan_body(totals[i], 0, &plan, &err), OS_ERR_TOO_LARGE);
        assert_non_null(strstr(err.message, "5 TiB"));
        assert_int_equal(part_plan_copy(totals[i], 0, &plan, &err), OS_ERR_TOO_LARGE);
        assert_int_equal(plan.count, 77);
    }
}

TEST(the_size_that_was_asked_for_is_kept_while_it_suffices)
{
    struct part_plan plan = body_plan(10000 * 16 * MIB, 0);
    assert_true(plan.part_size == 16 * MIB && plan.count == 10000);
    plan = body_plan(10000 * 16 * MIB + 1, 0);
    assert_true(plan.part_size == 16 * MIB + 4096 && plan.count <= 10000);
    plan = body_plan(10000 * 16 * MIB - 1, 16 * MIB + 1);
    assert_true(plan.part_size == 16 * MIB + 1 && plan.count == 10000);
    plan = body_plan(5 * TIB, 5 * GIB);
    assert_true(plan.part_size == 5 * GIB && plan.count == 1024);
}

TEST(the_last_part_holds_the_rest)
{
    static const struct {
        uint64_t total;
        uint32_t count;
        uint64_t last;
    } cases[] = {
        {0, 1, 0},
        {1, 1, 1},
        {16 * MIB - 1, 1, 16 * MIB - 1},
        {16 * MIB, 1, 16 * MIB},
        {16 * MIB + 1, 2, 1},
        {32 * MIB, 2, 16 * MIB},
        {200 * MIB, 13, 8 * MIB},
        {GIB, 64, 16 * MIB},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct part_plan plan = body_plan(cases[i].total, PART_SIZE_DEFAULT);
        uint64_t offset;
        uint64_t length;
        assert_int_equal(plan.count, cases[i].count);
        assert_true(part_plan_range(&plan, plan.count, &offset, &length));
        assert_true(length == cases[i].last);
    }
}

/* Around every power of two, and around each length at which the size has to grow. */
TEST(every_length_has_a_plan)
{
    static const uint64_t sizes[] = {PART_SIZE_MIN, 6 * MIB + 12345, PART_SIZE_DEFAULT, 64 * MIB, PART_SIZE_MAX};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (unsigned bit = 0; bit <= 42; bit++) {
            uint64_t total = UINT64_C(1) << bit;
            (void)body_plan(total - 1, sizes[s]);
            (void)body_plan(total, sizes[s]);
            (void)body_plan(total + 1, sizes[s]);
        }
        for (uint64_t total = sizes[s] * 10000 - 2; total < sizes[s] * 10000 + 3 && total <= 5 * TIB; total++)
            (void)body_plan(total, sizes[s]);
        (void)body_plan(5 * TIB - 1, sizes[s]);
    }
}

TEST(a_copy_is_cut_into_larger_parts)
{
    struct part_plan plan;
    assert_int_equal(part_plan_copy(6 * GIB, 0, &plan, NULL), OS_OK);
    check_plan(&plan);
    assert_true(plan.part_size == 512 * MIB && plan.count == 12);
    assert_int_equal(part_plan_copy(6 * GIB, 5 * GIB, &plan, NULL), OS_OK);
    check_plan(&plan);
    assert_true(plan.part_size == 5 * GIB && plan.count == 2);
}

TEST(a_part_size_that_s3_does_not_take_is_refused)
{
    static const uint64_t sizes[] = {1, PART_SIZE_MIN - 1, PART_SIZE_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct part_plan plan = {.count = 77};
        os_error err;
        assert_int_equal(part_plan_body(1, sizes[i], &plan, &err), OS_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "5 MiB"));
        assert_int_equal(part_plan_copy(1, sizes[i], &plan, &err), OS_ERR_ARGUMENT);
        assert_int_equal(part_plan_stream(sizes[i], false, &plan, &err), OS_ERR_ARGUMENT);
        assert_int_equal(plan.count, 77);
    }
}

/* ------------------------------------------------------------------------------------------------ streams */

static struct part_plan stream_plan(uint64_t part_size, bool uniform)
{
    struct part_plan plan;
    assert_int_equal(part_plan_stream(part_size, uniform, &plan, NULL), OS_OK);
    check_plan(&plan);
    return plan;
}

TEST(a_stream_of_any_part_size_reaches_five_tebibytes)
{
    for (uint64_t size = PART_SIZE_MIN; size < PART_SIZE_MAX; size += size / 3 + 1) {
        struct part_plan plan = stream_plan(size, false);
        assert_true(plan.total == 5 * TIB);
        assert_true(part_plan_largest(&plan) < 1200 * MIB || part_plan_largest(&plan) == size);
    }
    assert_int_equal(stream_plan(PART_SIZE_MAX, false).count, 1024);
}

TEST(a_stream_begins_with_parts_of_the_size_that_was_asked_for)
{
    struct part_plan plan = stream_plan(0, false);
    uint64_t before = 16 * MIB;
    assert_true(plan.growth > 0 && plan.growth <= 132 * 1024);
    for (uint32_t number = 1; number < plan.count; number++) {
        uint64_t offset;
        uint64_t length;
        assert_true(part_plan_range(&plan, number, &offset, &length));
        assert_true(length == (number <= 1000 ? 16 * MIB : before + plan.growth));
        before = length;
    }
    assert_true(part_plan_largest(&plan) < 1180 * MIB);
}

TEST(equal_parts_end_a_stream_earlier)
{
    struct part_plan plan = stream_plan(0, true);
    assert_true(plan.count == 10000 && plan.total == 10000 * 16 * MIB && plan.growth == 0);
    plan = stream_plan(GIB, true);
    assert_true(plan.count == 5120 && plan.total == 5 * TIB);
}
