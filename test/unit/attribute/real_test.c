/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/real.h"

#include "support/test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What V8 writes. */
static const struct {
    const char *name;
    double real;
} texts[] = {
    {"0", 0.0},
    {"0", -0.0},
    {"1", 1},
    {"-1.5", -1.5},
    {"0.1", 0.1},
    {"0.30000000000000004", 0.30000000000000004},
    {"4.35", 4.35},
    {"100", 100},
    {"123456789.125", 123456789.125},
    {"9007199254740992", 9007199254740992.0},
    {"123456789012345680000", 123456789012345678901.0},
    {"100000000000000000000", 1e20},
    {"1e+21", 1e21},
    {"-1.5e+300", -1.5e300},
    {"1.7976931348623157e+308", DBL_MAX},
    {"0.000001", 1e-6},
    {"0.0000012345", 1.2345e-6},
    {"1e-7", 1e-7},
    {"9.5367431640625e-7", 9.5367431640625e-7},
    {"2.2250738585072014e-308", DBL_MIN},
    {"5e-324", 5e-324},
    {"1.5e-323", 1.5e-323},
    /* Powers of two of which the nearest of 16 digits are another double. */
    {"5.684341886080802e-14", 0x1p-44},
    {"-5.684341886080802e-14", -0x1p-44},
    {"9.332636185032189e-302", 0x1p-1000},
    {"6.189700196426902e+26", 0x1p89},
    {"1e+23", 1e23},
};

TEST_ROWS(texts, a_double_is_written_as_javascript_does)
{
    char text[REAL_TEXT_SIZE];
    assert_int_equal(real_text(row->real, text), strlen(row->name));
    assert_string_equal(text, row->name);
}

static const struct {
    const char *name;
    enum number_fault fault;
    double real;
} limits[] = {
    {"0.1", NUMBER_OK, 0.1},        {"0", NUMBER_OK, -0.0},         {"1E+125", NUMBER_OK, 1e125},
    {"1E-130", NUMBER_OK, 1e-130},  {"", NUMBER_TOO_LARGE, 1e126},  {"", NUMBER_TOO_SMALL, 9e-131},
    {"", NUMBER_TOO_LARGE, -1e300}, {"", NUMBER_TOO_SMALL, 5e-324},
};

TEST_ROWS(limits, a_double_is_a_number_of_dynamodb_within_its_limits)
{
    struct number number;
    struct number wanted;
    double again;
    assert_int_equal(real_to_number(row->real, &number), row->fault);
    if (row->fault != NUMBER_OK)
        return;
    assert_int_equal(number_parse(text_from(row->name), &wanted), NUMBER_OK);
    assert_int_equal(number_compare(&number, &wanted), 0);
    assert_true(real_from_number(&number, &again) && again == row->real);
}

static const struct {
    const char *name;
    bool is_real;
    double real;
} numbers[] = {
    {"0", true, 0},
    {"-12.50", true, -12.5},
    {"1E+125", true, 1e125},
    {"9007199254740993", false, 9007199254740992.0},
    {"9223372036854775808", false, 9223372036854775808.0}, /* it is one, and is written 9223372036854776000 */
    {"9223372036854776000", true, 9223372036854775808.0},
    {"0.1000000000000000055511151231257827021", false, 0.1},
    {"99999999999999999999999999999999999999", false, 1e38},
};

TEST_ROWS(numbers, a_number_is_a_double_only_if_it_is_written_so)
{
    struct number number;
    double real;
    assert_int_equal(number_parse(text_from(row->name), &number), NUMBER_OK);
    assert_int_equal(real_from_number(&number, &real), row->is_real);
    assert_true(real == row->real);
}

static void check_again(uint64_t bits)
{
    char text[REAL_TEXT_SIZE];
    struct number number;
    double real;
    double again;
    memcpy(&real, &bits, sizeof(real));
    if (!isfinite(real))
        return;
    real_text(real, text);
    assert_true(strtod(text, NULL) == real);
    if (real_to_number(real, &number) == NUMBER_OK)
        assert_true(real_from_number(&number, &again) && again == real);
}

/* Every power of two with its neighbours, and doubles of random bits. */
TEST(a_double_comes_back)
{
    uint64_t random = 88172645463325252U;
    for (uint64_t power = 0; power < 2047; power++)
        for (uint64_t i = 0; i < 3; i++)
            check_again((power << 52) + 1 - i);
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        check_again(random);
    }
}
