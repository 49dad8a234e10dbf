/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/part_plan.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by > 0);
}

static uint64_t on_grain(uint64_t size)
{
    return divide_up(size, PART_GRAIN) * PART_GRAIN;
}

static os_code check_size(uint64_t *part_size, uint64_t otherwise, os_error *err)
{
    if (*part_size == 0)
        *part_size = otherwise;
    if (*part_size >= PART_SIZE_MIN && *part_size <= PART_SIZE_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A part size of %" PRIu64 " bytes cannot be used: S3 takes parts of 5 MiB (5242880) to 5 GiB "
                     "(5368709120); choose one between them.",
                     *part_size);
}

static os_code plan_known(uint64_t total, uint64_t part_size, struct part_plan *ret, os_error *err)
{
    if (total > PART_TOTAL_MAX)
        return error_set(err, OS_ERR_TOO_LARGE,
                         "The object has %" PRIu64 " bytes; at most 5 TiB (5497558138880) can be stored as one.",
                         total);
    uint64_t least = on_grain(divide_up(total, PART_COUNT_MAX));
    struct part_plan plan = {.total = total, .part_size = part_size > least ? part_size : least};
    plan.count = total > 0 ? (uint32_t)divide_up(total, plan.part_size) : 1;
    assert(plan.count <= PART_COUNT_MAX);
    *ret = plan;
    return OS_OK;
}

os_code part_plan_body(uint64_t total, uint64_t part_size, struct part_plan *ret, os_error *err)
{
    os_code code = check_size(&part_size, PART_SIZE_DEFAULT, err);
    return code == OS_OK ? plan_known(total, part_size, ret, err) : code;
}

os_code part_plan_copy(uint64_t total, uint64_t part_size, struct part_plan *ret, os_error *err)
{
    os_code code = check_size(&part_size, PART_COPY_DEFAULT, err);
    return code == OS_OK ? plan_known(total, part_size, ret, err) : code;
}

/* How many parts are larger than part_size, of the first `count`. */
static uint64_t grown(uint64_t count)
{
    return count > PART_STEADY_COUNT ? count - PART_STEADY_COUNT : 0;
}

/* What the first `count` parts hold together: part k behind the steady ones has part_size + k * growth. */
static uint64_t held(const struct part_plan *plan, uint64_t count)
{
    uint64_t n = grown(count);
    return plan->part_size * count + plan->growth * (n * (n + 1) / 2);
}

/* The smallest growth on the grain with which PART_COUNT_MAX parts hold PART_TOTAL_MAX. */
static uint64_t growth_for(uint64_t part_size)
{
    uint64_t n = grown(PART_COUNT_MAX);
    uint64_t steady = part_size * PART_COUNT_MAX;
    return steady < PART_TOTAL_MAX ? on_grain(divide_up(PART_TOTAL_MAX - steady, n * (n + 1) / 2)) : 0;
}

os_code part_plan_stream(uint64_t part_size, bool uniform, struct part_plan *ret, os_error *err)
{
    os_code code = check_size(&part_size, PART_SIZE_DEFAULT, err);
    if (code != OS_OK)
        return code;
    struct part_plan plan = {.part_size = part_size, .growth = uniform ? 0 : growth_for(part_size)};
    uint64_t all = held(&plan, PART_COUNT_MAX);
    plan.total = all < PART_TOTAL_MAX ? all : PART_TOTAL_MAX;
    while (held(&plan, plan.count) < plan.total)
        plan.count++;
    *ret = plan;
    return OS_OK;
}

bool part_plan_range(const struct part_plan *plan, uint32_t number, uint64_t *ret_offset, uint64_t *ret_length)
{
    if (number == 0 || number > plan->count)
        return false;
    uint64_t offset = held(plan, number - 1);
    uint64_t end = held(plan, number);
    *ret_offset = offset;
    *ret_length = (end < plan->total ? end : plan->total) - offset;
    return true;
}

uint64_t part_plan_largest(const struct part_plan *plan)
{
    uint64_t largest = 0;
    /* the last one may be cut short, and is not the largest then; all before it are in rising order */
    for (uint32_t number = plan->count > 1 ? plan->count - 1 : 1; number <= plan->count; number++) {
        uint64_t offset;
        uint64_t length;
        bool is_part = part_plan_range(plan, number, &offset, &length);
        assert(is_part);
        largest = length > largest ? length : largest;
    }
    return largest;
}
