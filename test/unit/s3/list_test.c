/* SPDX-License-Identifier: Apache-2.0 */
/* ListObjectsV2 as stores answer it. */
#include "s3_test.h"

#include "s3/response.h"

#define HEAD \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
#define URL  "<EncodingType>url</EncodingType>"
#define TAIL "</ListBucketResult>"

struct seen {
    struct buf text;
    size_t count;
    size_t stop_after; /* 0: never */
};

static bool note(void *context, const struct s3_list_entry *entry)
{
    struct seen *seen = context;
    buf_add_f(&seen->text, "%s|%s|%s|%llu|%lld\n", entry->key, entry->is_prefix ? "prefix" : "key", entry->etag,
              (unsigned long long)entry->length, (long long)entry->last_modified_s);
    return ++seen->count != seen->stop_after;
}

static os_code list_bytes(const char *body, size_t length, struct seen *seen, struct s3_list_page *page)
{
    struct http_response response;
    os_error err;
    buf_init(&seen->text, 8 << 20);
    seen->count = 0;
    answer_bytes(&response, 200, "", body, length);
    os_code code = s3_parse_list(&response, note, seen, page, &err);
    http_response_free(&response);
    return code;
}

static void check_list(const char *body, const char *expected, const char *token)
{
    struct seen seen = {.stop_after = 0};
    struct s3_list_page page;
    assert_int_equal(list_bytes(body, strlen(body), &seen, &page), OS_OK);
    assert_string_equal(buf_str(&seen.text), expected);
    assert_int_equal(page.truncated, token != NULL);
    if (token)
        assert_string_equal(page.next_token, token);
    else
        assert_null(page.next_token);
    free(page.next_token);
    buf_free(&seen.text);
}

static void refuse_list(const char *body)
{
    struct seen seen = {.stop_after = 0};
    struct s3_list_page page;
    if (list_bytes(body, strlen(body), &seen, &page) != OS_ERR_PROTOCOL)
        fail_msg("this was taken for a list: %s", body);
    buf_free(&seen.text);
}

#define ONE                                                                                                 \
    "<Contents><Key>a</Key><LastModified>2006-02-03T16:45:09.000Z</LastModified><ETag>&quot;e&quot;</ETag>" \
    "<Size>5</Size><StorageClass>STANDARD</StorageClass><Owner><ID>i</ID></Owner></Contents>"

TEST(keys_and_prefixes_are_given_in_their_order)
{
    check_list(HEAD "<Name>b</Name><Prefix>x</Prefix><KeyCount>3</KeyCount><IsTruncated>false</IsTruncated>" URL ONE
                    "<Contents><Key>b</Key><Size>0</Size></Contents>"
                    "<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>"
                    "<CommonPrefixes><Prefix>d/</Prefix><Prefix>e/</Prefix></CommonPrefixes>" TAIL,
               "a|key|\"e\"|5|1138985109\nb|key||0|0\nc/|prefix||0|0\nd/|prefix||0|0\ne/|prefix||0|0\n", NULL);
}

TEST(an_empty_list_is_a_list)
{
    check_list(HEAD TAIL, "", NULL);
    check_list("<ListBucketResult/>", "", NULL);
    check_list(" \n" HEAD "<IsTruncated>false</IsTruncated>" TAIL, "", NULL);
}

TEST(keys_are_decoded_when_the_store_says_that_they_are_encoded)
{
    check_list(HEAD "<Contents><Key>a+b%2Bc%25d%2f%C3%BC%01%0A</Key></Contents>" URL TAIL,
               "a b+c%d/\xc3\xbc\x01\n|key||0|0\n", NULL);
    check_list(HEAD "<CommonPrefixes><Prefix>a%20b/</Prefix></CommonPrefixes>" URL TAIL, "a b/|prefix||0|0\n", NULL);
}

TEST(keys_are_left_alone_when_the_store_ignored_the_wish)
{
    check_list(HEAD "<Contents><Key>a+b%2Bc&amp;&lt;\xc3\xbc</Key></Contents>" TAIL, "a+b%2Bc&<\xc3\xbc|key||0|0\n",
               NULL);
}

TEST(a_page_that_is_not_the_last_has_a_token)
{
    check_list(
        HEAD
        "<IsTruncated>true</IsTruncated><NextContinuationToken>1ueGcxLPRx1Tr/XY+==</NextContinuationToken>" ONE TAIL,
        "a|key|\"e\"|5|1138985109\n", "1ueGcxLPRx1Tr/XY+==");
    check_list(HEAD "<NextContinuationToken>unused</NextContinuationToken><IsTruncated>false</IsTruncated>" TAIL, "",
               NULL);
    refuse_list(HEAD "<IsTruncated>true</IsTruncated>" ONE TAIL);
    refuse_list(HEAD "<IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken>" TAIL);
}

TEST(an_entry_that_cannot_be_read_spoils_the_list)
{
    refuse_list(HEAD "<Contents><Size>1</Size></Contents>" TAIL);
    refuse_list(HEAD ONE "<Contents><Size>1</Size></Contents>" TAIL); /* not the key before it again */
    refuse_list(HEAD "<Contents><Key></Key></Contents>" TAIL);
    refuse_list(HEAD "<Contents><Key>a%2</Key></Contents>" URL TAIL);
    refuse_list(HEAD "<Contents><Key>a%zz</Key></Contents>" URL TAIL);
    refuse_list(HEAD "<Contents><Key>a%00b</Key></Contents>" URL TAIL);
    refuse_list(HEAD "<Contents><Key>a</Key><Size>-1</Size></Contents>" TAIL);
    refuse_list(HEAD "<Contents><Key>a</Key><Size>1.5</Size></Contents>" TAIL);
    refuse_list(HEAD "<CommonPrefixes><Prefix/></CommonPrefixes>" TAIL);
}

TEST(texts_that_are_too_long_spoil_the_list)
{
    static const char *const frames[][2] = {
        {HEAD "<Contents><Key>", "</Key></Contents>" TAIL},
        {HEAD "<Contents><Key>k</Key><ETag>", "</ETag></Contents>" TAIL},
        {HEAD "<IsTruncated>true</IsTruncated><NextContinuationToken>", "</NextContinuationToken>" TAIL},
    };
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
        struct buf body;
        buf_init(&body, 65536);
        buf_add_str(&body, frames[i][0]);
        for (int n = 0; n < 4097; n++)
            buf_add_char(&body, 'x');
        buf_add_str(&body, frames[i][1]);
        refuse_list(buf_str(&body));
        buf_free(&body);
    }
}

TEST(what_is_no_list_is_refused)
{
    refuse_list("");
    refuse_list("<html><body>Welcome</body></html>");
    refuse_list("<Error><Code>AccessDenied</Code></Error>");
    refuse_list("<ListBucketResults/>");
    refuse_list("<ListAllMyBucketsResult/>");
    refuse_list("<Answer>" HEAD TAIL "</Answer>");
    refuse_list("<!DOCTYPE x>" HEAD TAIL);
    refuse_list(HEAD ONE TAIL "<more/>");
}

TEST(a_list_cut_at_any_byte_gives_nothing)
{
    static const char body[] = HEAD ONE "<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>" URL TAIL;
    for (size_t len = 0; len < sizeof(body) - 1; len++) {
        struct seen seen = {.stop_after = 0};
        struct s3_list_page page = {.truncated = true};
        assert_int_equal(list_bytes(body, len, &seen, &page), OS_ERR_PROTOCOL);
        assert_int_equal(seen.count, 0);
        assert_true(page.truncated);
        buf_free(&seen.text);
    }
}

TEST(a_caller_can_stop)
{
    static const char body[] =
        HEAD "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>" ONE
             "<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>" ONE TAIL;
    for (size_t after = 1; after <= 3; after++) {
        struct seen seen = {.stop_after = after};
        struct s3_list_page page = {0};
        assert_int_equal(list_bytes(body, strlen(body), &seen, &page), OS_ERR_STOPPED);
        assert_int_equal(seen.count, after);
        assert_null(page.next_token);
        buf_free(&seen.text);
    }
}

TEST(a_full_page_of_the_longest_keys_is_read)
{
    struct seen seen = {.stop_after = 0};
    struct s3_list_page page;
    struct buf body;
    buf_init(&body, 8 << 20);
    buf_add_str(&body, HEAD);
    for (int i = 0; i < 1000; i++) {
        buf_add_f(&body, "<Contents><Key>%04d", i);
        for (int n = 4; n < 1024; n++)
            buf_add_str(&body, "%25");
        buf_add_str(&body, "</Key><LastModified>2006-02-03T16:45:09.000Z</LastModified><ETag>\"e\"</ETag>"
                           "<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType>"
                           "<Size>5</Size><Owner><ID>i</ID><DisplayName>d</DisplayName></Owner>"
                           "<StorageClass>STANDARD</StorageClass></Contents>");
    }
    buf_add_str(&body, URL TAIL);
    assert_true(buf_ok(&body));
    assert_int_equal(list_bytes(body.data, body.len, &seen, &page), OS_OK);
    assert_int_equal(seen.count, 1000);
    assert_memory_equal(buf_str(&seen.text), "0000%%%", 7);
    buf_free(&seen.text);
    buf_free(&body);
}

TEST(a_whole_document_that_is_no_list_is_a_broken_answer)
{
    static const char body[] = "<ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>";
    struct s3_list_page page = {.truncated = true};
    struct seen seen;
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(list_bytes(body, sizeof(body) - 1, &seen, &page), OS_ERR_PROTOCOL);
    assert_true(page.truncated);
}
