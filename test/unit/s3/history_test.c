/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs that an object carries (N4.1): what is written is read again, and nothing else is believed. */
#include "s3/history.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define NONCE_A "000000000000000000000000000000aa"
#define NONCE_B "000000000000000000000000000000bb"
#define HASH_A  "aaaaaaaaaaaaaaaa"
#define HASH_B  "bbbbbbbbbbbbbbbb"
#define PAIR_A  NONCE_A ":" HASH_A
#define PAIR_B  NONCE_B ":" HASH_B

struct pairs {
    unsigned count;
    char text[1024];
};

static void note_pair(void *context, const char *nonce, const char *etag_hash)
{
    struct pairs *pairs = context;
    size_t len = strlen(pairs->text);
    snprintf(pairs->text + len, sizeof(pairs->text) - len, "%s=%s ", nonce, etag_hash);
    pairs->count++;
}

static unsigned count_of(const char *value, const char *place)
{
    struct pairs pairs = {0};
    s3_history_read(value, place, note_pair, &pairs);
    return pairs.count;
}

TEST(what_is_written_is_read_in_its_order)
{
    char place[S3_HISTORY_HASH_SIZE];
    char first[S3_HISTORY_SIZE];
    char second[S3_HISTORY_SIZE];
    struct pairs pairs = {0};
    assert_true(s3_history_place("bucket", "some/key", place));
    s3_history_write(place, NONCE_A, HASH_A, NULL, first);
    s3_history_write(place, NONCE_B, HASH_B, first, second);
    s3_history_read(second, place, note_pair, &pairs);
    assert_string_equal(pairs.text, NONCE_B "=" HASH_B " " NONCE_A "=" HASH_A " ");
    s3_history_shorten(second);
    assert_int_equal(count_of(second, place), 1);
}

TEST(eight_pairs_are_kept_and_the_oldest_go)
{
    char place[S3_HISTORY_HASH_SIZE];
    char value[S3_HISTORY_SIZE] = "";
    char nonce[33];
    assert_true(s3_history_place("b", "k", place));
    for (unsigned i = 0; i < 12; i++) {
        char longer[S3_HISTORY_SIZE];
        snprintf(nonce, sizeof(nonce), "%032x", i);
        s3_history_write(place, nonce, HASH_A, value, longer);
        memcpy(value, longer, sizeof(value));
    }
    struct pairs pairs = {0};
    s3_history_read(value, place, note_pair, &pairs);
    assert_int_equal(pairs.count, S3_HISTORY_PAIRS);
    assert_int_equal(strncmp(pairs.text, nonce, 32), 0);
    assert_true(strlen(value) < S3_HISTORY_SIZE);
}

/* A copy by another tool takes the metadata of its source along. */
TEST(the_pairs_of_another_object_count_as_absent)
{
    char here[S3_HISTORY_HASH_SIZE];
    char elsewhere[S3_HISTORY_HASH_SIZE];
    char value[S3_HISTORY_SIZE];
    assert_true(s3_history_place("bucket", "a", here));
    assert_true(s3_history_place("bucket", "b", elsewhere));
    assert_string_not_equal(here, elsewhere);
    s3_history_write(elsewhere, NONCE_A, HASH_A, NULL, value);
    assert_int_equal(count_of(value, elsewhere), 1);
    assert_int_equal(count_of(value, here), 0);
    char own[S3_HISTORY_SIZE];
    s3_history_write(here, NONCE_B, HASH_B, value, own);
    assert_int_equal(count_of(own, here), 1);
}

TEST(the_parts_of_a_place_cannot_be_moved)
{
    char one[S3_HISTORY_HASH_SIZE];
    char two[S3_HISTORY_HASH_SIZE];
    assert_true(s3_history_place("bucket", "a/b", one));
    assert_true(s3_history_place("bucket2", "b", two));
    assert_string_not_equal(one, two);
    char key[2100];
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    assert_false(s3_history_place("bucket", key, one)); /* longer than any key */
}

TEST(a_hash_is_of_the_etag_as_it_stands)
{
    char one[S3_HISTORY_HASH_SIZE];
    char two[S3_HISTORY_HASH_SIZE];
    assert_true(s3_history_hash("\"a\"", one));
    assert_true(s3_history_hash("*", two));
    assert_int_equal(strlen(one), S3_HISTORY_HASH_SIZE - 1);
    assert_string_not_equal(one, two);
}

TEST(what_is_not_formed_so_counts_as_absent)
{
    static const char place[] = "0123456789abcdef";
    static const char *const values[] = {
        "",
        "0123456789abcdef",
        "0123456789abcdef;",
        "0123456789abcdef," PAIR_A,
        "0123456789abcde;" PAIR_A,
        "0123456789abcdef;" NONCE_A,
        "0123456789abcdef;" NONCE_A ":"
        "aaaaaaaaaaaaaaa",
        "0123456789abcdef;" NONCE_A "-" HASH_A,
        "0123456789abcdef;" NONCE_A ":AAAAAAAAAAAAAAAA",
        "0123456789abcdef;x00000000000000000000000000000aa:" HASH_A,
        "0123456789abcdef;" PAIR_A ",",
        "0123456789abcdef;" PAIR_A ";" PAIR_B,
        "0123456789abcdef;" PAIR_A "," NONCE_B,
        "0123456789abcdef;" PAIR_A " ",
        "0123456789abcdef;" PAIR_A "," PAIR_A "," PAIR_A "," PAIR_A "," PAIR_A "," PAIR_A "," PAIR_A "," PAIR_A
        "," PAIR_A,
    };
    assert_int_equal(count_of(NULL, place), 0);
    assert_int_equal(count_of("0123456789abcdef;" PAIR_A "," PAIR_B, place), 2);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (count_of(values[i], place) != 0)
            fail_msg("%s was believed", values[i]);
}
