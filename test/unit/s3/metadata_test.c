/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/metadata.h"

#include "s3/request.h"
#include "support/test.h"

#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"

TEST(without_metadata_there_is_room)
{
    assert_true(s3_content_has_room(NULL, NONCE, NONCE, NULL));
    assert_true(s3_content_has_room(NULL, NULL, NULL, NULL));
}

/* Names and values count, 2 KiB of them. A value may be missing. */
TEST(all_metadata_counts)
{
    char value[S3_METADATA_MAX + 1];
    os_metadata metadata[] = {{"empty", NULL}, {"full", value}};
    struct s3_content content = {.metadata = metadata, .metadata_count = 2};
    size_t most = S3_METADATA_MAX - strlen("empty") - strlen("full") - strlen(S3_NONCE_METADATA) - strlen(NONCE);
    memset(value, 'v', sizeof(value));
    value[most] = '\0';
    assert_true(s3_content_has_room(&content, NONCE, NULL, NULL));
    assert_false(s3_content_has_room(&content, NONCE, NONCE, NULL));
    memset(value, 'v', sizeof(value));
    value[most + 1] = '\0';
    assert_false(s3_content_has_room(&content, NONCE, NULL, NULL));
}

TEST(a_fencing_token_takes_its_room)
{
    struct s3_content content = {.fencing = "123"};
    char value[S3_METADATA_MAX + 1];
    const os_metadata entry = {"m", value};
    size_t most = S3_METADATA_MAX - strlen("m") - strlen(S3_FENCING_METADATA) - strlen(content.fencing);
    content.metadata = &entry;
    content.metadata_count = 1;
    memset(value, 'v', sizeof(value));
    value[most] = '\0';
    assert_true(s3_content_has_room(&content, NULL, NULL, NULL));
    value[most] = 'v';
    value[most + 1] = '\0';
    assert_false(s3_content_has_room(&content, NULL, NULL, NULL));
}

TEST(the_entries_of_a_guard_are_reserved)
{
    static const char *const reserved[] = {"oscommit-nonce", "oscommit-replaced", "Oscommit-History",
                                           "oscommit-fencing"};
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        assert_true(metadata_is_reserved(reserved[i]));
    assert_false(metadata_is_reserved("oscommit"));
    assert_false(metadata_is_reserved("oscommit-history2"));
}
