/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, and what DynamoDB makes of them. Played here and on DynamoDB Local (test/integration/attribute_agrees_test.c). */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_NUMBER_CASES_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_NUMBER_CASES_H

#include "attribute/number.h"

#define NINES38  "99999999999999999999999999999999999999"
#define ZEROS10  "0000000000"
#define ZEROS50  ZEROS10 ZEROS10 ZEROS10 ZEROS10 ZEROS10
#define ZEROS88  ZEROS50 ZEROS10 ZEROS10 ZEROS10 "00000000"
#define ZEROS125 ZEROS50 ZEROS50 ZEROS10 ZEROS10 "00000"
#define ZEROS129 ZEROS125 "0000"

struct number_case {
    const char *name; /* the text that is sent */
    const char *text; /* the text that is given back; NULL: it is refused */
    enum number_fault fault;
    /* DynamoDB Local takes what only it takes: the digits of other scripts. */
    bool local_takes_it;
};

static const struct number_case number_cases[] = {
    {"1", "1", NUMBER_OK, false},
    {"-0.5", "-0.5", NUMBER_OK, false},
    {"+1", "1", NUMBER_OK, false},
    {".5", "0.5", NUMBER_OK, false},
    {"-.5", "-0.5", NUMBER_OK, false},
    {"5.", "5", NUMBER_OK, false},
    {"1e3", "1000", NUMBER_OK, false},
    {"1E+3", "1000", NUMBER_OK, false},
    {"1e-3", "0.001", NUMBER_OK, false},
    {"1e00005", "100000", NUMBER_OK, false},
    {"00012", "12", NUMBER_OK, false},
    {"0.10", "0.1", NUMBER_OK, false},
    {"100", "100", NUMBER_OK, false},
    {"123456e10", "1234560000000000", NUMBER_OK, false},
    {"0.00001e-3", "0.00000001", NUMBER_OK, false},
    {"10.01", "10.01", NUMBER_OK, false},
    {"-12.50e1", "-125", NUMBER_OK, false},
    {"0", "0", NUMBER_OK, false},
    {"-0", "0", NUMBER_OK, false},
    {"-0.00", "0", NUMBER_OK, false},
    {"0e500", "0", NUMBER_OK, false},
    {"0e-500", "0", NUMBER_OK, false},
    {"1e125", "1" ZEROS125, NUMBER_OK, false},
    {"0.1e126", "1" ZEROS125, NUMBER_OK, false},
    {"-" NINES38 "e88", "-" NINES38 ZEROS88, NUMBER_OK, false},
    {"1E-130", "0." ZEROS129 "1", NUMBER_OK, false},
    {"12e-131", "0." ZEROS129 "12", NUMBER_OK, false},
    {"-1.2345678901234567890123456789012345678e-130", "-0." ZEROS129 "12345678901234567890123456789012345678",
     NUMBER_OK, false},
    {NINES38, NINES38, NUMBER_OK, false},
    {NINES38 "00", NINES38 "00", NUMBER_OK, false},
    {NINES38 ".0", NINES38, NUMBER_OK, false},
    {ZEROS50 "1." ZEROS50, "1", NUMBER_OK, false},
    {NINES38 "9", NULL, NUMBER_TOO_PRECISE, false},
    {"1" ZEROS10 ZEROS10 ZEROS10 "0000000.1", NULL, NUMBER_TOO_PRECISE, false},
    {"1234567890.12345678901234567890123456789", NULL, NUMBER_TOO_PRECISE, false},
    {"1e126", NULL, NUMBER_TOO_LARGE, false},
    {"-10e125", NULL, NUMBER_TOO_LARGE, false},
    {"1" ZEROS125 "0", NULL, NUMBER_TOO_LARGE, false},
    {NINES38 "e89", NULL, NUMBER_TOO_LARGE, false},
    {"1e-131", NULL, NUMBER_TOO_SMALL, false},
    {"-9.9e-131", NULL, NUMBER_TOO_SMALL, false},
    {"0.1e-130", NULL, NUMBER_TOO_SMALL, false},
    {"1e2147483647", NULL, NUMBER_TOO_LARGE, false},
    {"1e2147483648", NULL, NUMBER_NONE, false},
    {"0e2147483648", NULL, NUMBER_NONE, false},
    {"1e99999999999999999999", NULL, NUMBER_NONE, false},
    {"0e99999999999", NULL, NUMBER_NONE, false},
    {"", NULL, NUMBER_NONE, false},
    {"-", NULL, NUMBER_NONE, false},
    {".", NULL, NUMBER_NONE, false},
    {"e5", NULL, NUMBER_NONE, false},
    {"1e", NULL, NUMBER_NONE, false},
    {"1e+", NULL, NUMBER_NONE, false},
    {"1e+-5", NULL, NUMBER_NONE, false},
    {"--1", NULL, NUMBER_NONE, false},
    {"1.2.3", NULL, NUMBER_NONE, false},
    {"1e5.", NULL, NUMBER_NONE, false},
    {" 1", NULL, NUMBER_NONE, false},
    {"1 ", NULL, NUMBER_NONE, false},
    {"1\n", NULL, NUMBER_NONE, false},
    {"1,0", NULL, NUMBER_NONE, false},
    {"0x10", NULL, NUMBER_NONE, false},
    {"1f", NULL, NUMBER_NONE, false},
    {"NaN", NULL, NUMBER_NONE, false},
    {"Infinity", NULL, NUMBER_NONE, false},
    {"\xd9\xa3", NULL, NUMBER_NONE, true},
};

struct sum_case {
    const char *name; /* of one number */
    const char *more;
    const char *sum; /* NULL: there is none */
    enum number_fault fault;
};

static const struct sum_case sum_cases[] = {
    {"1", "2", "3", NUMBER_OK},
    {"0.1", "0.2", "0.3", NUMBER_OK},
    {"5", "-7", "-2", NUMBER_OK},
    {"-1", "0.5", "-0.5", NUMBER_OK},
    {"-3", "-4", "-7", NUMBER_OK},
    {"1000", "-0.001", "999.999", NUMBER_OK},
    {"0", "-0.25", "-0.25", NUMBER_OK},
    {"5", "-5", "0", NUMBER_OK},
    {NINES38, "-" NINES38, "0", NUMBER_OK},
    {NINES38, "1", "1" ZEROS10 ZEROS10 ZEROS10 "00000000", NUMBER_OK},
    {"1e125", "-1e87", NINES38 ZEROS50 ZEROS10 ZEROS10 ZEROS10 "0000000", NUMBER_OK},
    {"5e124", "5e124", "1" ZEROS125, NUMBER_OK},
    {"1.1e-130", "1e-130", "0." ZEROS129 "21", NUMBER_OK},
    {NINES38, "2", NULL, NUMBER_TOO_PRECISE},
    {NINES38, "0.1", NULL, NUMBER_TOO_PRECISE},
    {"1e38", "1", NULL, NUMBER_TOO_PRECISE},
    {"1e125", "-1e-130", NULL, NUMBER_TOO_PRECISE},
    {"9e125", "1e125", NULL, NUMBER_TOO_LARGE},
    {"-9e125", "-9e125", NULL, NUMBER_TOO_LARGE},
    {NINES38 "e88", "1e88", NULL, NUMBER_TOO_LARGE},
    {"1.1e-130", "-1e-130", NULL, NUMBER_TOO_SMALL},
};

#endif
