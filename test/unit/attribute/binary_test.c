/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 against the bytes that it was made of. */
#include "attribute/binary.h"

#include "support/test.h"

#include <string.h>

/* Every text of up to three bytes over these, whose bits differ at both ends and in the middle. */
static const unsigned char bytes[] = {0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0xfb, 0xff};
enum { BYTES = sizeof(bytes), SIZE_MAX_TRIED = 3, TRIED = 1 + BYTES + BYTES * BYTES + BYTES * BYTES * BYTES };

struct sample {
    unsigned char raw[SIZE_MAX_TRIED];
    size_t size;
    char base64[8];
};

static struct sample sample_of(size_t at)
{
    struct sample ret = {.size = 0};
    size_t of_this_size = 1;
    for (; at >= of_this_size; of_this_size *= BYTES) {
        at -= of_this_size;
        ret.size++;
    }
    for (size_t i = 0; i < ret.size; i++, at /= BYTES)
        ret.raw[i] = bytes[at % BYTES];
    text_base64(ret.raw, ret.size, ret.base64);
    return ret;
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static int order_of(const struct sample *a, const struct sample *b)
{
    int order = memcmp(a->raw, b->raw, a->size < b->size ? a->size : b->size);
    return order != 0 ? sign(order) : (a->size > b->size) - (a->size < b->size);
}

TEST(bytes_are_counted_compared_and_found_as_they_are)
{
    for (size_t i = 0; i < TRIED; i++)
        for (size_t j = 0; j < TRIED; j++) {
            const struct sample a = sample_of(i);
            const struct sample b = sample_of(j);
            const struct text text_a = text_from(a.base64);
            const struct text text_b = text_from(b.base64);
            bool begins = b.size <= a.size && memcmp(a.raw, b.raw, b.size) == 0;
            assert_true(binary_is_valid(text_a));
            assert_int_equal(binary_size(text_a), a.size);
            assert_int_equal(sign(binary_compare(text_a, text_b)), order_of(&a, &b));
            assert_int_equal(binary_begins_with(text_a, text_b), begins);
            assert_int_equal(binary_contains(text_a, text_b), memmem(a.raw, a.size, b.raw, b.size) != NULL);
        }
}

TEST(bytes_are_decoded_as_they_were)
{
    for (size_t i = 0; i < TRIED; i++) {
        unsigned char raw[SIZE_MAX_TRIED];
        struct sample sample = sample_of(i);
        binary_decode(text_from(sample.base64), raw);
        assert_memory_equal(raw, sample.raw, sample.size);
    }
}

TEST(only_what_is_written_for_some_bytes_is_valid)
{
    static const char letters[] = "AQZaz09+/=g-";
    size_t valid = 0;
    char text[5] = "";
    for (size_t i = 0; i < 12 * 12 * 12 * 12; i++) {
        for (size_t at = 0, left = i; at < 4; at++, left /= 12)
            text[at] = letters[left % 12];
        valid += binary_is_valid(text_from(text)) ? 1 : 0;
    }
    /* Ten of them are letters of base64; the last two bits are zero in A, Q, 0 and g, the last four in A, Q and g. */
    assert_int_equal(valid, 10 * 10 * 10 * 10 + 10 * 10 * 4 + 10 * 3);
}

TEST(a_text_of_another_length_is_not_valid)
{
    assert_true(binary_is_valid(text_from("")));
    static const char *const texts[] = {"A",    "AA",    "AAA",  "AAAAA", "=",        "==",   "===",     "====",
                                        "A===", "AA==A", "AA=A", "A=AA",  "AAA=AAA=", "{AAA", "AAA\x7f", "AAA\xff"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(binary_is_valid(text_from(texts[i])));
}
