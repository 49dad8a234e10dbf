/* SPDX-License-Identifier: Apache-2.0 */
/* What a COPY takes along from its source. */
#include "store/source_metadata.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"

TEST(a_source_is_carried_without_its_nonces_and_outlives_its_answer)
{
    struct source_metadata *source_metadata = calloc(1, sizeof(*source_metadata));
    struct http_response head;
    os_error error = {0};
    assert_non_null(source_metadata);
    http_response_init(&head, 0);
    assert_true(http_headers_add(&head.headers, "Content-Type", "text/x"));
    assert_true(http_headers_add(&head.headers, "cache-control", "no-store"));
    assert_true(http_headers_add(&head.headers, "x-amz-meta-owner", "me"));
    assert_true(http_headers_add(&head.headers, "x-amz-meta-" S3_NONCE_METADATA, NONCE));
    assert_true(http_headers_add(&head.headers, "x-amz-meta-" S3_REPLACED_METADATA, NONCE));
    CHECK_CODE(source_metadata_take(source_metadata, &head, &error), OS_OK, &error);
    http_response_free(&head);
    assert_string_equal(source_metadata->content.content_type, "text/x");
    assert_string_equal(source_metadata->content.cache_control, "no-store");
    assert_null(source_metadata->content.content_encoding);
    assert_null(source_metadata->content.nonce);
    assert_null(source_metadata->content.replaced);
    assert_int_equal(source_metadata->content.metadata_count, 1);
    assert_string_equal(source_metadata->content.metadata[0].name, "owner");
    assert_string_equal(source_metadata->content.metadata[0].value, "me");
    source_metadata_free(source_metadata);
    source_metadata_free(source_metadata); /* twice is fine */
    free(source_metadata);
}

static void check_room(size_t most, const char *nonce, const char *replaced)
{
    struct source_metadata *source_metadata = calloc(1, sizeof(*source_metadata));
    char value[S3_METADATA_MAX + 1];
    assert_non_null(source_metadata);
    for (size_t over = 0; over < 2; over++) {
        struct http_response head;
        os_error error = {0};
        memset(value, 'v', sizeof(value));
        value[most + over - 1] = '\0';
        http_response_init(&head, 0);
        assert_true(http_headers_add(&head.headers, "x-amz-meta-m", value));
        CHECK_CODE(source_metadata_take(source_metadata, &head, &error), OS_OK,
                   &error); /* the second in the first one's place */
        assert_int_equal(s3_content_has_room(&source_metadata->content, nonce, replaced, NULL), over == 0);
        http_response_free(&head);
    }
    source_metadata_free(source_metadata);
    free(source_metadata);
}

TEST(the_nonces_are_left_out_where_the_metadata_is_full)
{
    size_t nonce = S3_METADATA_MAX - strlen(S3_NONCE_METADATA) - strlen(NONCE);
    check_room(nonce, NONCE, NULL);
    check_room(nonce - strlen(S3_REPLACED_METADATA) - strlen(NONCE), NONCE, NONCE);
    check_room(S3_METADATA_MAX, NULL, NULL);
}

TEST(more_entries_than_can_be_carried_are_refused)
{
    struct source_metadata *source_metadata = calloc(1, sizeof(*source_metadata));
    struct http_response head;
    os_error error = {0};
    assert_non_null(source_metadata);
    http_response_init(&head, 0);
    for (int i = 0; i <= SOURCE_METADATA_MAX; i++) {
        char name[32];
        snprintf(name, sizeof(name), "x-amz-meta-m%d", i);
        assert_true(http_headers_add(&head.headers, name, "v"));
    }
    CHECK_CODE(source_metadata_take(source_metadata, &head, &error), OS_ERR_UNSUPPORTED, &error);
    CHECK_SAYS(&error, "100");
    http_response_free(&head);
    source_metadata_free(source_metadata);
    free(source_metadata);
}
