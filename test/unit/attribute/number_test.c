/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/number.h"

#include "number_cases.h"
#include "support/test.h"

#include <string.h>

static struct number number(const char *text)
{
    struct number ret;
    assert_int_equal(number_parse(text_from(text), &ret), NUMBER_OK);
    return ret;
}

static void reads(const struct number *number, const char *wanted)
{
    char text[NUMBER_TEXT_SIZE];
    assert_int_equal(number_text(number, text), strlen(wanted));
    assert_string_equal(text, wanted);
}

TEST_ROWS(number_cases, a_number_is_given_back_as_the_service_does)
{
    struct number read;
    memset(&read, 0x55, sizeof(read));
    const struct number before = read;
    assert_int_equal(number_parse(text_from(row->name), &read), row->fault);
    if (row->text != NULL)
        reads(&read, row->text);
    else
        assert_memory_equal(&read, &before, sizeof(read));
}

TEST_ROWS(number_cases, what_is_given_back_is_the_same_number)
{
    if (row->text == NULL)
        return;
    struct number read = number(row->name);
    struct number again = number(row->text);
    assert_int_equal(number_compare(&read, &again), 0);
    assert_memory_equal(&read, &again, sizeof(read));
    assert_int_equal(number_size(&read), number_size(&again));
}

TEST_ROWS(sum_cases, a_sum_is_exact_or_there_is_none)
{
    struct number a = number(row->name);
    struct number b = number(row->more);
    struct number sums[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(number_add(i == 0 ? &a : &b, i == 0 ? &b : &a, &sums[i]), row->fault);
    if (row->sum == NULL)
        return;
    reads(&sums[0], row->sum);
    reads(&sums[1], row->sum);
}

TEST_ROWS(sum_cases, a_difference_undoes_a_sum)
{
    struct number a = number(row->name);
    struct number b = number(row->more);
    struct number back;
    if (row->sum == NULL)
        return;
    struct number sum = number(row->sum);
    assert_int_equal(number_subtract(&sum, &b, &back), NUMBER_OK);
    assert_int_equal(number_compare(&back, &a), 0);
}

TEST(a_result_may_take_the_place_of_an_operand)
{
    struct number a = number("2.5");
    assert_int_equal(number_add(&a, &a, &a), NUMBER_OK);
    reads(&a, "5");
    assert_int_equal(number_subtract(&a, &a, &a), NUMBER_OK);
    reads(&a, "0");
    struct number zero = number("-0");
    assert_int_equal(number_subtract(&zero, &zero, &a), NUMBER_OK);
    reads(&a, "0");
}

TEST(numbers_have_one_order)
{
    static const char *const ascending[] = {"-9.9e125",  "-1e38",        "-100", "-12.5",  "-12", "-1",   "-0.1",
                                            "-1.1e-130", "-1e-130",      "0",    "1e-130", "0.1", "0.11", "0.2",
                                            "1",         "1.0000000001", "9",    "10",     "12",  "12.5", "100",
                                            "1e38",      "9.9e125"};
    const size_t count = sizeof(ascending) / sizeof(ascending[0]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct number a = number(ascending[i]);
            struct number b = number(ascending[j]);
            int order = number_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

TEST(the_longest_text_has_room)
{
    struct number longest = number("-1.2345678901234567890123456789012345678e-130");
    char text[NUMBER_TEXT_SIZE];
    assert_int_equal(number_text(&longest, text), NUMBER_TEXT_SIZE - 1);
}

TEST(every_fault_has_a_text_of_its_own)
{
    const char *const texts[] = {number_fault_text(NUMBER_NONE), number_fault_text(NUMBER_TOO_PRECISE),
                                 number_fault_text(NUMBER_TOO_LARGE), number_fault_text(NUMBER_TOO_SMALL)};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(texts[i], texts[j]);
}

static const struct {
    const char *name;
    bool is_integer;
    int64_t integer;
} integers[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"12E3", true, 12000},
    {"-1.0", true, -1},
    {"0.5", false, 0},
    {"9223372036854775807", true, INT64_MAX},
    {"9223372036854775808", false, 0},
    {"-9223372036854775808", true, INT64_MIN},
    {"-9223372036854775809", false, 0},
    {"18446744073709551616", false, 0},
    {"1E+125", false, 0},
};

TEST_ROWS(integers, a_number_is_an_integer_of_64_bits_or_none)
{
    int64_t integer = 7;
    struct number read = number(row->name);
    assert_int_equal(number_to_integer(&read, &integer), row->is_integer);
    assert_int_equal(integer, row->is_integer ? row->integer : 7);
}
