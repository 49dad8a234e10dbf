/* SPDX-License-Identifier: Apache-2.0 */
/* Tags, versioning and lists of versions as stores answer them, and as none should. Each allocation fails in turn, too.
 */
#include "s3_test.h"
#include "support/failing_alloc.h"

/* after the header that puts itself before their allocations */
#include "base/buf.c"
#include "s3/version_list.c"

#define XML              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define VERSIONS(inside) XML "<ListVersionsResult xmlns=\"x\">" inside "</ListVersionsResult>"
#define TAGS(inside)     XML "<Tagging xmlns=\"x\"><TagSet>" inside "</TagSet></Tagging>"
#define TAG(name, value) "<Tag><Key>" name "</Key><Value>" value "</Value></Tag>"
#define STATE(inside)    XML "<VersioningConfiguration xmlns=\"x\">" inside "</VersioningConfiguration>"
#define VERSION(key)     "<Version><Key>" key "</Key><VersionId>v</VersionId></Version>"
#define MORE             "<IsTruncated>true</IsTruncated>"

static os_error err;

struct seen {
    char text[20000];
    size_t count;
    size_t stop_after; /* 0: never */
};

/* ------------------------------------------------------------------------------------------------ tags */

static bool note_tag(void *context, const char *name, const char *value)
{
    struct seen *seen = context;
    size_t len = strlen(seen->text);
    snprintf(seen->text + len, sizeof(seen->text) - len, "%s=%s|", name, value);
    return ++seen->count != seen->stop_after;
}

static os_code read_tags(const char *body, struct seen *seen, struct s3_error *error)
{
    struct http_response response;
    answer_text(&response, 200, "x-amz-request-id: r1\n", body);
    seen->text[0] = '\0';
    seen->count = 0;
    os_code code = s3_parse_tags(&response, note_tag, seen, error, &err);
    http_response_free(&response);
    return code;
}

TEST(tags_are_given_as_they_are_stored)
{
    struct seen seen = {.stop_after = 0};
    struct s3_error error;
    assert_int_equal(read_tags(TAGS(TAG(" a b", "c &amp; d ") TAG("n", "") "<Tag><Key>o</Key></Tag>"), &seen, &error),
                     OS_OK);
    assert_string_equal(seen.text, " a b=c & d |n=|o=|");
    assert_int_equal(read_tags(TAGS(""), &seen, &error), OS_OK);
    assert_int_equal(read_tags(XML "<Tagging/>", &seen, &error), OS_OK);
    assert_int_equal(seen.count, 0);
    seen.stop_after = 1;
    assert_int_equal(read_tags(TAGS(TAG("a", "b") TAG("c", "d")), &seen, &error), OS_ERR_STOPPED);
    assert_string_equal(seen.text, "a=b|");
}

TEST(tags_that_cannot_be_carried_on_are_no_answer)
{
    struct seen seen = {.stop_after = 0};
    struct s3_error error;
    char body[4096];
    char long_name[S3_TAG_NAME_SIZE + 1];
    char long_value[S3_TAG_VALUE_SIZE + 1];
    memset(long_name, 'n', sizeof(long_name) - 1);
    memset(long_value, 'v', sizeof(long_value) - 1);
    long_name[sizeof(long_name) - 1] = long_value[sizeof(long_value) - 1] = '\0';
    static const char *const bodies[] = {"", "<Tagging>", TAGS(TAG("", "v")), TAGS("<Tag><Value>v</Value></Tag>"),
                                         VERSIONS("")};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        assert_int_equal(read_tags(bodies[i], &seen, &error), OS_ERR_PROTOCOL);
    snprintf(body, sizeof(body), TAGS(TAG("%s", "v")), long_name);
    assert_int_equal(read_tags(body, &seen, &error), OS_ERR_PROTOCOL);
    snprintf(body, sizeof(body), TAGS(TAG("n", "%s")), long_value);
    assert_int_equal(read_tags(body, &seen, &error), OS_ERR_PROTOCOL);
    assert_int_equal(seen.count, 0);
    long_name[sizeof(long_name) - 2] = long_value[sizeof(long_value) - 2] = '\0'; /* just as long as they may be */
    snprintf(body, sizeof(body), TAGS(TAG("%s", "%s")), long_name, long_value);
    assert_int_equal(read_tags(body, &seen, &error), OS_OK);
    assert_int_equal(seen.count, 1);
}

TEST(an_object_has_ten_tags_at_most)
{
    struct seen seen = {.stop_after = 0};
    struct s3_error error;
#define FIVE TAG("a", "1") TAG("b", "2") TAG("c", "3") TAG("d", "4") TAG("e", "5")
    assert_int_equal(read_tags(TAGS(FIVE FIVE), &seen, &error), OS_OK);
    assert_int_equal(seen.count, 10);
    assert_int_equal(read_tags(TAGS(FIVE FIVE TAG("k", "v")), &seen, &error), OS_ERR_PROTOCOL);
    assert_int_equal(seen.count, 0);
}

TEST(an_error_inside_the_200_is_told)
{
    struct seen seen = {.stop_after = 0};
    struct s3_error error;
    struct http_response response;
    enum s3_versioning versioning = S3_VERSIONING_UNKNOWN;
    assert_int_equal(read_tags("<Error><Code>SlowDown</Code></Error>", &seen, &error), OS_ERR_SERVICE);
    assert_string_equal(error.code, "SlowDown");
    assert_string_equal(error.request_id, "r1");
    answer_text(&response, 200, "", "<Error><Code>SlowDown</Code></Error>");
    assert_int_equal(s3_parse_versioning(&response, &versioning, &error, &err), OS_ERR_SERVICE);
    assert_int_equal(versioning, S3_VERSIONING_UNKNOWN);
    http_response_free(&response);
}

/* ------------------------------------------------------------------------------------------------ versioning */

TEST(a_bucket_has_versions_or_had_them_or_never)
{
    static const struct {
        const char *body;
        os_code code;
        enum s3_versioning versioning;
    } cases[] = {
        {STATE(""), OS_OK, S3_VERSIONING_NEVER},
        {XML "<VersioningConfiguration/>", OS_OK, S3_VERSIONING_NEVER},
        {STATE("<MfaDelete>Disabled</MfaDelete><Status> Enabled\n</Status>"), OS_OK, S3_VERSIONING_ENABLED},
        {STATE("<Status>Suspended</Status>"), OS_OK, S3_VERSIONING_SUSPENDED},
        {STATE("<Status>Perhaps</Status>"), OS_ERR_PROTOCOL, S3_VERSIONING_UNKNOWN},
        {STATE("<Status></Status>"), OS_ERR_PROTOCOL, S3_VERSIONING_UNKNOWN},
        {"<VersioningConfiguration>", OS_ERR_PROTOCOL, S3_VERSIONING_UNKNOWN},
        {"", OS_ERR_PROTOCOL, S3_VERSIONING_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct http_response response;
        struct s3_error error;
        enum s3_versioning versioning = S3_VERSIONING_UNKNOWN;
        answer_text(&response, 200, "", cases[i].body);
        assert_int_equal(s3_parse_versioning(&response, &versioning, &error, &err), cases[i].code);
        assert_int_equal(versioning, cases[i].versioning);
        http_response_free(&response);
    }
}

/* ------------------------------------------------------------------------------------------------ versions */

static bool note_version(void *context, const struct s3_listed_version *version)
{
    struct seen *seen = context;
    size_t len = strlen(seen->text);
    snprintf(seen->text + len, sizeof(seen->text) - len, "%s|%s|%s|%llu|%lld|%s%s\n", version->key, version->version_id,
             version->etag, (unsigned long long)version->length, (long long)version->last_modified_s,
             version->is_latest ? "latest" : "", version->is_delete_marker ? " deleted" : "");
    return ++seen->count != seen->stop_after;
}

static os_code read_page(const char *body, const struct s3_list_versions_options *options, struct seen *seen,
                         struct s3_versions_page *page)
{
    struct http_response response;
    answer_text(&response, 200, "", body);
    seen->text[0] = '\0';
    seen->count = 0;
    *page = (struct s3_versions_page){.truncated = true, .next_key_marker = (char *)"untouched"};
    os_code code = s3_parse_versions(&response, options, note_version, seen, page, &err);
    if (code != OS_OK)
        assert_string_equal(page->next_key_marker, "untouched");
    http_response_free(&response);
    return code;
}

static const struct s3_list_versions_options from_start;
static const struct s3_list_versions_options from_k = {.key_marker = "k", .version_id_marker = "v"};

static void check_page(const char *body, const char *expected)
{
    struct seen seen = {.stop_after = 0};
    struct s3_versions_page page;
    os_code code = read_page(body, &from_start, &seen, &page);
    if (code != OS_OK)
        fail_msg("%s", err.message);
    assert_string_equal(seen.text, expected);
    assert_false(page.truncated);
    assert_null(page.next_key_marker);
}

static void refuse(const char *body, const struct s3_list_versions_options *options)
{
    struct seen seen = {.stop_after = 0};
    struct s3_versions_page page;
    if (read_page(body, options, &seen, &page) != OS_ERR_PROTOCOL)
        fail_msg("this was taken for versions: %s", body);
    assert_non_null(strstr(err.message, "list of versions"));
}

TEST(versions_and_delete_markers_are_given_in_their_order)
{
    check_page(VERSIONS("<Name>b</Name><Prefix/><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>"
                        "<DeleteMarker><Key>a%2Fb+c</Key><VersionId>v3</VersionId><IsLatest>true</IsLatest>"
                        "<LastModified>1970-01-01T00:00:09.000Z</LastModified><Owner><ID>o</ID></Owner></DeleteMarker>"
                        "<Version><Key>a%2Fb+c</Key><VersionId>null</VersionId><IsLatest>false</IsLatest>"
                        "<LastModified>1970-01-01T00:00:08.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>5</Size>"
                        "<Owner><ID>o</ID></Owner></Version>" VERSION("b")),
               "a/b c|v3||0|9|latest deleted\na/b c|null|\"e\"|5|8|\nb|v||0|0|\n");
    check_page(VERSIONS(""), "");
    check_page(VERSIONS(VERSION("a+%2F")), "a+%2F|v||0|0|\n"); /* not encoded, although that was asked for */
}

TEST(a_version_id_too_long_to_keep_is_told_by_its_hash)
{
    char body[2000];
    char id[S3_VERSION_ID_SIZE + 1];
    struct seen seen = {.stop_after = 0};
    struct s3_versions_page page;
    memset(id, 'i', sizeof(id) - 1);
    id[sizeof(id) - 1] = '\0';
    snprintf(body, sizeof(body), VERSIONS("<Version><Key>k</Key><VersionId>%s</VersionId></Version>"), id);
    assert_int_equal(read_page(body, &from_start, &seen, &page), OS_OK);
    assert_non_null(strstr(seen.text, "k|sha256:"));
}

TEST(more_versions_follow_where_the_page_says)
{
    struct seen seen = {.stop_after = 0};
    struct s3_versions_page page;
    assert_int_equal(read_page(VERSIONS(MORE "<EncodingType>url</EncodingType><NextKeyMarker>k%2B</NextKeyMarker>"
                                             "<NextVersionIdMarker>w</NextVersionIdMarker>" VERSION("k")),
                               &from_k, &seen, &page),
                     OS_OK);
    assert_string_equal(page.next_key_marker, "k+");
    assert_string_equal(page.next_version_id_marker, "w");
    free(page.next_key_marker);
    free(page.next_version_id_marker);
    assert_int_equal(read_page(VERSIONS(MORE "<NextKeyMarker>l</NextKeyMarker>" VERSION("k")), &from_k, &seen, &page),
                     OS_OK);
    assert_string_equal(page.next_version_id_marker, "");
    free(page.next_key_marker);
    free(page.next_version_id_marker);
    assert_int_equal(read_page(VERSIONS(MORE "<NextKeyMarker>k</NextKeyMarker><NextVersionIdMarker>w"
                                             "</NextVersionIdMarker>" VERSION("k")),
                               &from_k, &seen, &page),
                     OS_OK); /* further on among the versions of one key */
    assert_string_equal(page.next_version_id_marker, "w");
    free(page.next_key_marker);
    free(page.next_version_id_marker);
}

TEST(a_list_of_versions_that_would_never_end_is_refused)
{
    refuse(VERSIONS(MORE VERSION("k")), &from_start);
    refuse(VERSIONS(MORE "<NextVersionIdMarker>v</NextVersionIdMarker>" VERSION("k")), &from_start);
    refuse(VERSIONS(MORE "<NextKeyMarker>k</NextKeyMarker><NextVersionIdMarker>v</NextVersionIdMarker>"), &from_k);
}

TEST(what_is_no_list_of_versions_gives_no_version)
{
    static const char *const bodies[] = {
        "",
        "<ListVersionsResult>" VERSION("k"),
        XML "<ListBucketResult>" VERSION("k") "</ListBucketResult>",
        VERSIONS("<Version><Key>k</Key></Version>"),
        VERSIONS("<Version><VersionId>v</VersionId></Version>"),
        VERSIONS("<DeleteMarker><Key>k</Key></DeleteMarker>"),
        VERSIONS("<Version><Key></Key><VersionId>v</VersionId></Version>"),
        VERSIONS("<Version><Key>k</Key><VersionId>v</VersionId><Size>-1</Size></Version>"),
        VERSIONS("<EncodingType>url</EncodingType>" VERSION("%zz")),
        VERSIONS("<EncodingType>url</EncodingType>" VERSION("a%00")),
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        refuse(bodies[i], &from_start);
}

TEST(an_etag_that_does_not_fit_makes_no_version)
{
    char body[1000];
    snprintf(body, sizeof(body), VERSIONS("<Version><Key>k</Key><VersionId>v</VersionId><ETag>%0200d</ETag></Version>"),
             0);
    refuse(body, &from_start);
}

TEST(a_caller_that_says_stop_gets_no_more_versions)
{
    struct seen seen = {.stop_after = 1};
    struct s3_versions_page page;
    assert_int_equal(read_page(VERSIONS(VERSION("a") VERSION("b")), &from_start, &seen, &page), OS_ERR_STOPPED);
    assert_int_equal(seen.count, 1);
    assert_int_equal(
        read_page(VERSIONS(MORE "<NextKeyMarker>c</NextKeyMarker>" VERSION("a")), &from_start, &seen, &page),
        OS_ERR_STOPPED);
}

static void try_without_memory(const char *body)
{
    size_t failures = 0;
    for (;; failures++) {
        struct http_response response;
        struct seen seen = {.stop_after = 0};
        struct s3_versions_page page = {.truncated = false};
        answer_text(&response, 200, "", body);
        alloc_fail_at(failures);
        os_code code = s3_parse_versions(&response, &from_start, note_version, &seen, &page, &err);
        alloc_fail_none();
        http_response_free(&response);
        assert_int_equal(code, alloc_failed ? OS_ERR_NO_MEMORY : OS_OK);
        free(page.next_key_marker);
        free(page.next_version_id_marker);
        if (!alloc_failed)
            break;
        assert_null(page.next_key_marker);
    }
    assert_true(failures >= 3);
}

TEST(without_memory_there_is_no_list)
{
    try_without_memory(VERSIONS(MORE "<EncodingType>url</EncodingType><NextKeyMarker>k%2B</NextKeyMarker>"
                                     "<NextVersionIdMarker>w</NextVersionIdMarker>" VERSION("a%2Bb") VERSION("k")));
    try_without_memory(VERSIONS(MORE "<NextKeyMarker>k</NextKeyMarker>" VERSION("a")));
}
