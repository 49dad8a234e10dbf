/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of keys stand in the order of their values. */
#include "sqlite/rows_key.h"

#include "attribute/value.h"
#include "base/random.h"
#include "support/test.h"
#include "unit/attribute/case_reading.h"

#include <stdio.h>
#include <string.h>

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void bytes_of(const char *text, struct rows_bytes *ret)
{
    json_t *value = case_json(text);
    memset(ret, 0xaa, sizeof(*ret));
    rows_bytes_of(value, ret);
    json_decref(value);
}

static void check_order(const char *const *values, size_t count)
{
    struct rows_bytes a;
    struct rows_bytes b;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            bytes_of(values[i], &a);
            bytes_of(values[j], &b);
            if (sign(rows_bytes_compare(&a, &b)) != (i > j) - (i < j))
                fail_msg("%s and %s stand in another order", values[i], values[j]);
        }
}

TEST(texts_stand_by_their_utf_8_and_binaries_by_their_bytes)
{
    static const char *const texts[] = {"{'S':'A'}",
                                        "{'S':'AA'}",
                                        "{'S':'B'}",
                                        "{'S':'a'}",
                                        "{'S':'\xc3\xa9'}",
                                        "{'S':'\xe2\x82\xac'}",
                                        "{'S':'\xf0\x9f\x98\x80'}"};
    static const char *const binaries[] = {"{'B':'AA=='}", "{'B':'AAA='}", "{'B':'AQ=='}", "{'B':'fw=='}",
                                           "{'B':'gA=='}", "{'B':'/w=='}", "{'B':'/wA='}", "{'B':'//8='}"};
    check_order(texts, sizeof(texts) / sizeof(texts[0]));
    check_order(binaries, sizeof(binaries) / sizeof(binaries[0]));
}

TEST(numbers_stand_by_what_they_are)
{
    static const char *const numbers[] = {
        "{'N':'-9.9999999999999999999999999999999999999E125'}",
        "{'N':'-9.999999999999999999999999999999999999E125'}",
        "{'N':'-1E125'}",
        "{'N':'-123'}",
        "{'N':'-12.5'}",
        "{'N':'-12.05'}",
        "{'N':'-12'}",
        "{'N':'-1.000000001'}",
        "{'N':'-1'}",
        "{'N':'-0.1'}",
        "{'N':'-1E-130'}",
        "{'N':'0'}",
        "{'N':'1E-130'}",
        "{'N':'1.1E-130'}",
        "{'N':'0.09'}",
        "{'N':'0.1'}",
        "{'N':'0.10000000000000000000000000000000000001'}",
        "{'N':'0.11'}",
        "{'N':'1'}",
        "{'N':'1.05'}",
        "{'N':'1.5'}",
        "{'N':'9'}",
        "{'N':'10'}",
        "{'N':'99'}",
        "{'N':'100'}",
        "{'N':'1E125'}",
        "{'N':'9.9999999999999999999999999999999999999E125'}",
    };
    check_order(numbers, sizeof(numbers) / sizeof(numbers[0]));
}

/* Few digits, few powers: so that many are equal, or differ in one place alone. */
static struct number random_number(uint64_t *random, bool is_wide)
{
    char text[80];
    size_t len = 0;
    struct number number;
    size_t digits = 1 + random_next(random) % (is_wide ? 38 : 4);
    text[len++] = random_next(random) % 2 == 0 ? '-' : '+';
    for (size_t i = 0; i < digits; i++)
        text[len++] = (char)('0' + random_next(random) % (is_wide ? 10 : 3));
    int exponent = is_wide ? (int)(random_next(random) % 179) - 90 : (int)(random_next(random) % 4) - 2;
    (void)snprintf(text + len, sizeof(text) - len, "E%d", exponent);
    assert_int_equal(number_parse(text_from(text), &number), NUMBER_OK);
    return number;
}

TEST(the_order_of_bytes_is_that_of_any_two_numbers)
{
    enum { PAIRS = 200000 };
    uint64_t random = 42;
    struct rows_bytes bytes_a;
    struct rows_bytes bytes_b;
    for (size_t i = 0; i < PAIRS; i++) {
        struct number a = random_number(&random, i % 2 == 0);
        struct number b = random_number(&random, i % 2 == 0);
        rows_number_bytes(&a, &bytes_a);
        rows_number_bytes(&b, &bytes_b);
        assert_true(bytes_a.size <= 22 && bytes_b.size <= 22);
        assert_int_equal(sign(rows_bytes_compare(&bytes_a, &bytes_b)), sign(number_compare(&a, &b)));
    }
}

/* Files depend on them. */
TEST(the_hash_of_a_partition_is_the_same_forever)
{
    struct encoded_key key;
    bytes_of("{'S':'tenant-1'}", &key.partition);
    encoded_key_hash(&key);
    assert_int_equal(key.hash, 2240992997);
    bytes_of("{'S':'tenant-2'}", &key.partition);
    encoded_key_hash(&key);
    assert_int_equal(key.hash, 3367090676);
}

TEST(hashes_fall_into_all_segments)
{
    enum { KEYS = 16000, SEGMENTS = 16 };
    size_t counts[SEGMENTS] = {0};
    struct encoded_key key;
    for (size_t i = 0; i < KEYS; i++) {
        key.partition.size =
            (size_t)snprintf((char *)key.partition.bytes, sizeof(key.partition.bytes), "user-%05zu", i);
        encoded_key_hash(&key);
        assert_true(key.hash >= 0 && key.hash < ROWS_HASHES);
        counts[key.hash * SEGMENTS / ROWS_HASHES]++;
    }
    for (size_t i = 0; i < SEGMENTS; i++)
        assert_in_range(counts[i], KEYS / SEGMENTS / 2, KEYS / SEGMENTS * 2);
}
