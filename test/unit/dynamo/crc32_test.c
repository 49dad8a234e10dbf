/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

static void the_check_value_of_the_polynomial_comes_out(void **state)
{
    (void)state;
    assert_int_equal(crc32_of("123456789", 9), 0xcbf43926);
}

static void no_bytes_have_the_sum_zero(void **state)
{
    (void)state;
    assert_int_equal(crc32_of("", 0), 0);
}

/* Sent by DynamoDB Local 2.6.1 in x-amz-crc32. */
static void an_empty_object_has_the_sum_that_dynamodb_sends(void **state)
{
    (void)state;
    assert_int_equal(crc32_of("{}", 2), 2745614147U);
}

static void every_single_bit_changes_the_sum(void **state)
{
    (void)state;
    unsigned char bytes[64] = {0};
    uint32_t before = crc32_of(bytes, sizeof(bytes));
    for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1U << (bit % 8));
        assert_int_not_equal(crc32_of(bytes, sizeof(bytes)), before);
        bytes[bit / 8] ^= (unsigned char)(1U << (bit % 8));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_value_of_the_polynomial_comes_out),
        cmocka_unit_test(no_bytes_have_the_sum_zero),
        cmocka_unit_test(an_empty_object_has_the_sum_that_dynamodb_sends),
        cmocka_unit_test(every_single_bit_changes_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
