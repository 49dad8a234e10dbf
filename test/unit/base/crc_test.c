/* SPDX-License-Identifier: Apache-2.0 */
/* Sums against published ones. Sources: RFC 3720, appendix B.4 (CRC-32C); NVM Command Set Specification 1.0, section
 * 5.2.1.3.5 (CRC-64/NVME); the "check" column of the CRC catalogue at reveng.sourceforge.io for "123456789". */

#include "base/crc.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "123456789";

/* cmocka's compare is of 64 bits. */
#define CHECK_SUM(sum, expected) assert_true((uint64_t)(sum) == (uint64_t)(expected))

/* ------------------------------------------------------------------------------------------------ CRC-32 */

TEST(the_check_value_of_crc32_comes_out)
{
    CHECK_SUM(crc32_of(digits, 9), 0xcbf43926);
    CHECK_SUM(crc32_of("", 0), 0);
}

/* Sent by DynamoDB Local 2.6.1 in x-amz-crc32. */
TEST(an_empty_object_has_the_sum_that_dynamodb_sends)
{
    CHECK_SUM(crc32_of("{}", 2), 2745614147U);
}

TEST(every_single_bit_changes_each_sum)
{
    unsigned char bytes[64] = {0};
    uint32_t crc32 = crc32_of(bytes, sizeof(bytes));
    uint32_t crc32c = crc32c_add(0, bytes, sizeof(bytes));
    uint64_t crc64 = crc64nvme_add(0, bytes, sizeof(bytes));
    for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1U << (bit % 8));
        assert_true(crc32_of(bytes, sizeof(bytes)) != crc32);
        assert_true(crc32c_add(0, bytes, sizeof(bytes)) != crc32c);
        assert_true(crc64nvme_add(0, bytes, sizeof(bytes)) != crc64);
        bytes[bit / 8] ^= (unsigned char)(1U << (bit % 8));
    }
}

/* ------------------------------------------------------------------------------------------------ CRC-32C */

TEST(the_examples_of_rfc_3720_come_out)
{
    static const unsigned char read_command[48] = {
        0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
        0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    unsigned char bytes[32];
    memset(bytes, 0, sizeof(bytes));
    CHECK_SUM(crc32c_add(0, bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    CHECK_SUM(crc32c_add(0, bytes, 32), 0x62a8ab43);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    CHECK_SUM(crc32c_add(0, bytes, 32), 0x46dd794e);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (unsigned char)(31 - i);
    CHECK_SUM(crc32c_add(0, bytes, 32), 0x113fdb5c);
    CHECK_SUM(crc32c_add(0, read_command, sizeof(read_command)), 0xd9963a56);
    CHECK_SUM(crc32c_add(0, digits, 9), 0xe3069283);
}

/* ------------------------------------------------------------------------------------------------ CRC-64/NVME */

TEST(the_examples_of_the_nvm_command_set_come_out)
{
    unsigned char bytes[4096];
    memset(bytes, 0, sizeof(bytes));
    CHECK_SUM(crc64nvme_add(0, bytes, 4096), UINT64_C(0x6482d367eb22b64e));
    memset(bytes, 0xff, sizeof(bytes));
    CHECK_SUM(crc64nvme_add(0, bytes, 4096), UINT64_C(0xc0ddba7302eca3ac));
    for (size_t i = 0; i < 4096; i++)
        bytes[i] = (unsigned char)i;
    CHECK_SUM(crc64nvme_add(0, bytes, 4096), UINT64_C(0x3e729f5f6750449c));
    for (size_t i = 0; i < 4096; i++)
        bytes[i] = (unsigned char)(255 - i);
    CHECK_SUM(crc64nvme_add(0, bytes, 4096), UINT64_C(0x9a2df64b8e9e517e));
    CHECK_SUM(crc64nvme_add(0, digits, 9), UINT64_C(0xae8b14860a799888));
}

/* ------------------------------------------------------------------------------------------------ both */

/* Bit by bit from the definition: knows no table. */
static uint64_t slowly(uint64_t polynomial, uint64_t ones, const unsigned char *bytes, size_t len)
{
    uint64_t crc = ones;
    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 1) != 0 ? (crc >> 1) ^ polynomial : crc >> 1;
    }
    return crc ^ ones;
}

enum { LENGTH = 300 };

static void fill(unsigned char *bytes)
{
    uint32_t x = 1;
    for (size_t i = 0; i < LENGTH; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

TEST(any_start_and_length_agrees_with_the_definition)
{
    unsigned char bytes[LENGTH];
    fill(bytes);
    for (size_t start = 0; start < 9; start++) {
        for (size_t len = 0; len <= 64; len++) {
            CHECK_SUM(crc32c_add(0, bytes + start, len), slowly(0x82f63b78, 0xffffffff, bytes + start, len));
            CHECK_SUM(crc64nvme_add(0, bytes + start, len),
                      slowly(UINT64_C(0x9a6c9329ac4bc9b5), UINT64_MAX, bytes + start, len));
        }
    }
}

TEST(bytes_may_be_added_in_any_pieces_or_joined_afterwards)
{
    unsigned char bytes[LENGTH];
    fill(bytes);
    uint32_t crc32c = crc32c_add(0, bytes, LENGTH);
    uint64_t crc64 = crc64nvme_add(0, bytes, LENGTH);
    for (size_t cut = 0; cut <= LENGTH; cut++) {
        size_t rest = LENGTH - cut;
        CHECK_SUM(crc32c_add(crc32c_add(0, bytes, cut), bytes + cut, rest), crc32c);
        CHECK_SUM(crc64nvme_add(crc64nvme_add(0, bytes, cut), bytes + cut, rest), crc64);
        CHECK_SUM(crc32c_combine(crc32c_add(0, bytes, cut), crc32c_add(0, bytes + cut, rest), rest), crc32c);
        CHECK_SUM(crc64nvme_combine(crc64nvme_add(0, bytes, cut), crc64nvme_add(0, bytes + cut, rest), rest), crc64);
    }
}

/* A length of which only squaring gets to the end: 5 TiB in two unlike halves is the same as in two other ones. */
TEST(joining_does_not_depend_on_where_a_long_object_is_cut)
{
    static const unsigned char zeros[4096];
    uint32_t block32 = crc32c_add(0, zeros, sizeof(zeros));
    uint64_t block64 = crc64nvme_add(0, zeros, sizeof(zeros));
    uint64_t len = sizeof(zeros);
    uint32_t left32 = block32;
    uint64_t left64 = block64;
    for (int doubling = 0; doubling < 20; doubling++, len *= 2) {
        left32 = crc32c_combine(left32, left32, len);
        left64 = crc64nvme_combine(left64, left64, len);
    }
    CHECK_SUM(crc32c_combine(left32, block32, 4096), crc32c_combine(block32, left32, len));
    CHECK_SUM(crc64nvme_combine(left64, block64, 4096), crc64nvme_combine(block64, left64, len));
}

TEST(no_bytes_change_nothing)
{
    CHECK_SUM(crc32c_add(0, NULL, 0), 0);
    CHECK_SUM(crc64nvme_add(0, NULL, 0), 0);
    CHECK_SUM(crc32c_combine(0xe3069283, 0, 0), 0xe3069283);
    CHECK_SUM(crc64nvme_combine(UINT64_C(0xae8b14860a799888), 0, 0), UINT64_C(0xae8b14860a799888));
    CHECK_SUM(crc32c_combine(0, 0xe3069283, 9), 0xe3069283);
    CHECK_SUM(crc64nvme_combine(0, UINT64_C(0xae8b14860a799888), 9), UINT64_C(0xae8b14860a799888));
}

TEST(a_sum_is_written_in_base64_with_its_highest_byte_first)
{
    char text32[CRC32C_TEXT_SIZE];
    char text64[CRC64NVME_TEXT_SIZE];
    crc32c_text(0xe3069283, text32);
    assert_string_equal(text32, "4waSgw==");
    crc64nvme_text(UINT64_C(0xae8b14860a799888), text64);
    assert_string_equal(text64, "rosUhgp5mIg=");
    crc32c_text(0, text32);
    assert_string_equal(text32, "AAAAAA==");
    crc64nvme_text(0, text64);
    assert_string_equal(text64, "AAAAAAAAAAA=");
}
