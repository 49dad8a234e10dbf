/* SPDX-License-Identifier: Apache-2.0 */
#include "client/known_versions.h"

#include "s3/history.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define NONCE "00000000000000000000000000000001"

TEST(nothing_is_known_in_the_beginning)
{
    struct known_versions known = {0};
    assert_null(known_versions_nonce(&known, "key", "\"a\""));
    known_versions_free(&known);
}

TEST(the_newest_etag_of_a_key_is_known_with_its_nonce)
{
    struct known_versions known = {0};
    known_versions_note(&known, "key", "\"a\"", NONCE);
    known_versions_note(&known, "other", "\"a\"", "");
    assert_string_equal(known_versions_nonce(&known, "key", "\"a\""), NONCE);
    assert_string_equal(known_versions_nonce(&known, "other", "\"a\""), "");
    assert_null(known_versions_nonce(&known, "key", "\"b\""));
    assert_null(known_versions_nonce(&known, "ke", "\"a\""));
    known_versions_note(&known, "key", "\"b\"", "");
    assert_null(known_versions_nonce(&known, "key", "\"a\""));
    assert_string_equal(known_versions_nonce(&known, "key", "\"b\""), "");
    known_versions_free(&known);
}

/* It would be another one when it is cut. */
TEST(what_is_too_long_is_not_remembered)
{
    struct known_versions known = {0};
    char etag[VERSION_ETAG_SIZE + 1];
    memset(etag, 'e', sizeof(etag) - 1);
    etag[sizeof(etag) - 1] = '\0';
    known_versions_note(&known, "key", etag, NONCE);
    assert_null(known_versions_nonce(&known, "key", etag));
    known_versions_note(&known, "key", "\"a\"", NONCE "0");
    assert_null(known_versions_nonce(&known, "key", "\"a\""));
    known_versions_note(&known, "key", "", NONCE);
    assert_null(known_versions_nonce(&known, "key", ""));
    known_versions_free(&known);
}

/* Whatever it was before, the last one stays, and so does one that is asked for now and then. */
TEST(what_was_not_used_for_longest_is_forgotten)
{
    struct known_versions known = {0};
    char key[32];
    unsigned still = 0;
    known_versions_note(&known, "kept", "\"a\"", NONCE);
    for (int i = 0; i < 20000; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        known_versions_note(&known, key, "\"a\"", NONCE);
        assert_non_null(known_versions_nonce(&known, key, "\"a\""));
        assert_non_null(known_versions_nonce(&known, "kept", "\"a\""));
    }
    for (int i = 0; i < 20000; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        still += known_versions_nonce(&known, key, "\"a\"") != NULL;
    }
    assert_in_range(still, KNOWN_VERSIONS_SETS, KNOWN_VERSIONS_SETS * KNOWN_VERSIONS_WAYS);
    known_versions_free(&known);
}

/* N4.1: of one version, and gone with it. */
TEST(what_led_to_a_version_is_known_as_long_as_it)
{
    struct known_versions known = {0};
    known_versions_note_history(&known, "key", "\"a\"", "pairs"); /* of nothing that is known */
    assert_null(known_versions_history(&known, "key", "\"a\""));
    known_versions_note(&known, "key", "\"a\"", NONCE);
    assert_null(known_versions_history(&known, "key", "\"a\""));
    known_versions_note_history(&known, "key", "\"a\"", "pairs");
    known_versions_note(&known, "key", "\"a\"", NONCE); /* seen once more */
    assert_string_equal(known_versions_history(&known, "key", "\"a\""), "pairs");
    assert_null(known_versions_history(&known, "key", "\"b\""));
    known_versions_note_history(&known, "key", "\"a\"", "others");
    assert_string_equal(known_versions_history(&known, "key", "\"a\""), "others");
    char longer[S3_HISTORY_SIZE + 1];
    memset(longer, 'p', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    known_versions_note_history(&known, "key", "\"a\"", longer);
    assert_null(known_versions_history(&known, "key", "\"a\""));
    longer[sizeof(longer) - 2] = '\0';
    known_versions_note_history(&known, "key", "\"a\"", longer);
    assert_string_equal(known_versions_history(&known, "key", "\"a\""), longer);
    known_versions_note_history(&known, "key", "\"a\"", NULL);
    assert_null(known_versions_history(&known, "key", "\"a\""));
    known_versions_note_history(&known, "key", "\"a\"", "pairs");
    known_versions_note(&known, "key", "\"a\"", ""); /* the same bytes of another write */
    assert_null(known_versions_history(&known, "key", "\"a\""));
    known_versions_free(&known);
}
