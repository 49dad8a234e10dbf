/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No stall without a fault, on every backend: a record that stands in the way of the next write, and protects nothing any
 * more, is taken over at once (R12.9, R12.10, T3.10). Nothing of this needs release = always.
 */
#include "support/suite.h"

#include <string.h>

enum { ROUND_TRIPS_MS = 5000 /* of a loaded machine; a fence takes twelve seconds and more */ };

static os_client *open_plain(const struct fixture *f)
{
    os_options options = fixture_options(f);
    return fixture_client(&options);
}

#define CHECK_AT_ONCE(outcome)                                            \
    do {                                                                  \
        CHECK_VERDICT((outcome), OS_COMMITTED);                           \
        assert_in_range((outcome).result.waited_ms, 0, ROUND_TRIPS_MS);   \
        assert_in_range((outcome).result.duration_ms, 0, ROUND_TRIPS_MS); \
    } while (0)

SUITE_TEST(a_key_is_created_again_after_a_delete, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "again");
    for (int i = 0; i < 3; i++) {
        CLEARED struct outcome created = create(client, key, "text", NULL);
        CHECK_AT_ONCE(created);
        CLEARED struct outcome deleted = delete_version(client, key, created.result.etag, NULL);
        CHECK_AT_ONCE(deleted);
    }
}

SUITE_TEST(another_client_creates_it_again, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "again-elsewhere");
    for (int i = 0; i < 2; i++) {
        CLOSED os_client *other = open_plain(f);
        CLEARED struct outcome created = create(other, key, "text", NULL);
        CHECK_AT_ONCE(created);
        CLEARED struct outcome deleted = delete_version(client, key, created.result.etag, NULL);
        CHECK_AT_ONCE(deleted);
    }
}

SUITE_TEST(a_key_is_deleted_and_created_after_a_replacement, 0)
{
    CLOSED os_client *client = open_plain(f);
    static const char *const texts[] = {"one", "other", "third"};
    const char *key = fixture_key(f, "replaced");
    for (size_t i = 0; i < 3; i++) {
        CLEARED struct outcome created = create(client, key, texts[i], NULL);
        CHECK_AT_ONCE(created);
        CLEARED struct outcome replaced = replace(client, key, created.result.etag, "two", NULL);
        CHECK_AT_ONCE(replaced);
        CLEARED struct outcome deleted = delete_version(client, key, replaced.result.etag, NULL);
        CHECK_AT_ONCE(deleted);
    }
}

SUITE_TEST(content_returns, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "returns");
    char etag[128];
    CLEARED struct outcome created = create(client, key, "A", NULL);
    CHECK_AT_ONCE(created);
    memcpy(etag, created.result.etag, sizeof(etag));
    for (int i = 0; i < 5; i++) {
        CLEARED struct outcome replaced = replace(client, key, etag, i % 2 ? "A" : "B", NULL);
        CHECK_AT_ONCE(replaced);
        memcpy(etag, replaced.result.etag, sizeof(etag));
    }
}

SUITE_TEST(the_same_bytes_are_written_again, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *key = fixture_key(f, "same");
    CLEARED struct outcome created = create(client, key, "A", NULL);
    CHECK_AT_ONCE(created);
    for (int i = 0; i < 3; i++) {
        CLEARED struct outcome replaced = replace(client, key, created.result.etag, "A", NULL);
        CHECK_AT_ONCE(replaced);
        assert_string_equal(replaced.result.etag, created.result.etag);
    }
}

SUITE_TEST(a_copy_over_the_same_bytes_is_made_again, 0)
{
    CLOSED os_client *client = open_plain(f);
    const char *source = fixture_key(f, "same-source");
    const char *key = fixture_key(f, "same-target");
    put_plain(client, source, "A", NULL);
    CLEARED struct outcome first = copy(client, source, key, NULL);
    CHECK_AT_ONCE(first);
    for (int i = 0; i < 3; i++) {
        CLEARED struct outcome again = copy_over(client, source, key, first.result.etag, NULL);
        CHECK_AT_ONCE(again);
    }
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "stalls"};
    return suite_main(&suite, argc, argv);
}
