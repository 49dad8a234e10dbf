/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of a buffer fails in turn while a page of a list is read. */
#include "s3_test.h"
#include "support/failing_alloc.h"

/* after the header that puts itself before their allocations */
#include "base/buf.c"
#include "s3/list_response.c"

static bool count_one(void *context, const struct s3_list_entry *entry)
{
    assert_true(entry->key != NULL && entry->key[0] == 'k');
    ++*(size_t *)context;
    return true;
}

TEST(a_page_without_memory_is_no_page)
{
    static const char body[] = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
                               "<NextContinuationToken>token</NextContinuationToken>"
                               "<Contents><Key>k%201</Key><Size>1</Size><ETag>\"e\"</ETag>"
                               "<LastModified>2026-11-21T12:00:00.000Z</LastModified></Contents></ListBucketResult>";
    struct http_response response;
    bool failed = true;
    answer_text(&response, 200, "", body);
    for (size_t number = 0; failed; number++) {
        struct s3_list_page page = {.truncated = false, .next_token = NULL};
        size_t entries = 0;
        os_error err = {0};
        alloc_fail_at(number);
        os_code code = s3_parse_list(&response, count_one, &entries, &page, &err);
        alloc_fail_none();
        failed = alloc_failed;
        assert_true(entries <= 1);
        if (code == OS_OK) {
            assert_int_equal(entries, 1);
            assert_string_equal(page.next_token, "token");
        } else {
            assert_true(failed);
            assert_int_equal(code, OS_ERR_NO_MEMORY);
            assert_null(page.next_token);
        }
        free(page.next_token);
    }
    http_response_free(&response);
}
