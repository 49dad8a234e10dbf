/* SPDX-License-Identifier: Apache-2.0 */
/* T3, T5, R12 and R13's "very version": the steps that are taken on records and versions. */
#include "commit/record.h"
#include "commit/version.h"
#include "support/record_changes.h"
#include "support/test.h"

#include <string.h>

static struct record sample(void)
{
    return (struct record){.generation = 41,
                           .timeout_ms = 20000,
                           .ttl_s = 4600,
                           .fence_s = 1010,
                           .has_fence = true,
                           .nonce = "0123456789abcdef0123456789abcdef",
                           .saw = "before"};
}

/* R17. */
TEST(records_are_the_same_in_every_attribute_or_not_at_all)
{
    for (unsigned kind = 0; kind < RECORD_KINDS; kind++) {
        const struct record base = sample();
        struct record one = record_of_kind(&base, kind);
        struct record other = one;
        assert_true(record_same(&one, &other));
        for (unsigned change = 0; change < RECORD_CHANGES; change++) {
            other = record_changed(&one, change);
            assert_false(record_same(&one, &other));
            assert_false(record_same(&other, &one));
        }
        other = one;
        other.upload = 9;
        assert_false(record_same(&one, &other));
    }
}

/* T3: generation + 1, timeout 0, a fresh ttl, the same nonce, fence and saw. */
TEST(a_release_keeps_nonce_fence_and_saw)
{
    struct record held = sample();
    struct record released;
    record_released(&held, 5000, &released);
    assert_int_equal(released.generation, 42);
    assert_int_equal(released.timeout_ms, 0);
    assert_int_equal(released.ttl_s, 5000);
    assert_true(released.has_fence);
    assert_int_equal(released.fence_s, 1010);
    assert_string_equal(released.nonce, held.nonce);
    assert_string_equal(released.saw, "before");
    record_released(&held, 5000, &held); /* in place */
    assert_memory_equal(&held, &released, sizeof(held));
}

TEST(a_release_without_a_fence_has_none)
{
    struct record held = sample();
    struct record released;
    held.has_fence = false;
    record_released(&held, 5000, &released);
    assert_false(released.has_fence);
    assert_int_equal(released.fence_s, 0);
}

/* The guard is compared and hashed as bytes: neither padding nor what stands behind a string may differ. */
/* R14 */
TEST(an_upload_is_known_by_its_number)
{
    struct record held;
    struct record released;
    assert_int_equal(record_upload_number(""), 0);
    assert_true(record_upload_number("a") != 0);
    assert_true(record_upload_number("VXBsb2FkIElE") == record_upload_number("VXBsb2FkIElE"));
    assert_true(record_upload_number("VXBsb2FkIElE") != record_upload_number("VXBsb2FkIElF"));
    memset(&held, 0, sizeof(held));
    held.upload = 7;
    record_copy(&released, &held);
    assert_int_equal(released.upload, 7);
    record_released(&held, 9, &released); /* T3 */
    assert_int_equal(released.upload, 0);
}

TEST(equal_records_are_equal_as_bytes)
{
    struct record from = sample();
    struct record one;
    struct record two;
    memset(&one, 0x55, sizeof(one));
    memset(&two, 0xaa, sizeof(two));
    memset(from.saw + strlen(from.saw) + 1, 'x', sizeof(from.saw) - strlen(from.saw) - 1);
    record_copy(&one, &from);
    record_copy(&two, &from);
    assert_memory_equal(&one, &two, sizeof(one));
    assert_int_equal(one.saw[sizeof(one.saw) - 1], 0);
    record_copy(&two, &two);
    assert_memory_equal(&one, &two, sizeof(one));
}

/* R12: generation, ttl and nonce, or its absence; the rest does not tell holders apart. */
TEST(a_holder_is_told_by_generation_ttl_and_nonce)
{
    struct record a = sample();
    struct record b = sample();
    assert_true(record_same_holder(&a, &b));
    b.timeout_ms = 1;
    b.has_fence = false;
    b.saw[0] = '\0';
    assert_true(record_same_holder(&a, &b));
    b = sample();
    b.generation++;
    assert_false(record_same_holder(&a, &b));
    b = sample();
    b.ttl_s++;
    assert_false(record_same_holder(&a, &b));
    b = sample();
    b.nonce[0] = '\0';
    assert_false(record_same_holder(&a, &b));
    a.nonce[0] = '\0';
    assert_true(record_same_holder(&a, &b));
}

TEST(a_bound_saturates)
{
    assert_int_equal(record_bound_ms(20000, 3), 60000);
    assert_int_equal(record_bound_ms(0, 3), 0);
    assert_int_equal(record_bound_ms(20000, 0), 0);
    assert_int_equal(record_bound_ms(UINT64_MAX / 3, 3), UINT64_MAX / 3 * 3);
    assert_int_equal(record_bound_ms(UINT64_MAX / 3 + 1, 3), UINT64_MAX);
    assert_int_equal(record_bound_ms(UINT64_MAX, 2), UINT64_MAX);
}

/* T5: D0 + max(setting, 10 x timeout x rate). */
TEST(a_ttl_covers_setting_and_ten_bounds)
{
    assert_int_equal(record_ttl(1000, 3600, 20000, 3), 4600);
    assert_int_equal(record_ttl(1000, 600, 20000, 3), 1600);
    assert_int_equal(record_ttl(1000, 599, 20000, 3), 1600);
    assert_int_equal(record_ttl(1000, 0, 20000, 3), 1600);
    assert_int_equal(record_ttl(1000, 0, 1, 1), 1001);
    assert_int_equal(record_ttl(1000, 0, 33, 3), 1001);
    assert_int_equal(record_ttl(1000, 0, 34, 3), 1002);
    assert_int_equal(record_ttl(1000, 3600, 0, 3), 4600);
    assert_int_equal(record_ttl(UINT64_MAX, 1, 0, 3), UINT64_MAX);
    assert_int_equal(record_ttl(UINT64_MAX - 5, 5, 0, 3), UINT64_MAX);
    assert_int_equal(record_ttl(1000, 0, UINT64_MAX, 3), 1001 + UINT64_MAX / 100);
}

/* ------------------------------------------------------------------------------------------------ versions */

static struct object_version version_of(const char *etag)
{
    struct object_version version;
    memset(&version, 0, sizeof(version));
    version.exists = true;
    version.last_modified_s = 5;
    memcpy(version.etag, etag, strlen(etag));
    return version;
}

/* R13: ETag, Last-Modified, version id and nonce are those of the last HEAD. */
TEST(the_very_version_is_told_by_four_things)
{
    struct object_version a = version_of("\"E\"");
    struct object_version b = version_of("\"E\"");
    assert_true(version_same(&a, &b));
    b = version_of("\"F\"");
    assert_false(version_same(&a, &b));
    b = version_of("\"E\"");
    b.last_modified_s = 6;
    assert_false(version_same(&a, &b));
    b = version_of("\"E\"");
    b.version_id[0] = 'v';
    assert_false(version_same(&a, &b));
    b = version_of("\"E\"");
    b.nonce[0] = 'n';
    assert_false(version_same(&a, &b));
}

/* R13: for `absent`, still absent; what else is said of an absent object says nothing. */
TEST(absent_is_the_same_as_absent)
{
    struct object_version a = version_of("\"E\"");
    struct object_version b = version_of("\"F\"");
    a.exists = false;
    assert_false(version_same(&a, &b));
    assert_false(version_same(&b, &a));
    b.exists = false;
    assert_true(version_same(&a, &b));
}

TEST(equal_versions_are_equal_as_bytes)
{
    struct object_version from = version_of("\"E\"");
    struct object_version one;
    struct object_version two;
    memset(&one, 0x55, sizeof(one));
    memset(&two, 0xaa, sizeof(two));
    from.version_id[40] = 'x'; /* behind the end */
    version_copy(&one, &from);
    version_copy(&two, &from);
    assert_memory_equal(&one, &two, sizeof(one));
    assert_int_equal(one.version_id[40], 0);
    from.exists = false; /* then the rest is as if it had never been there */
    version_copy(&one, &from);
    memset(&two, 0, sizeof(two));
    assert_memory_equal(&one, &two, sizeof(one));
}
