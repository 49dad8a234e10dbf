/* SPDX-License-Identifier: Apache-2.0 */
/* ListParts and ListMultipartUploads as stores answer them, and as none should. Each allocation fails in turn, too. */
#include "s3_test.h"
#include "support/failing_alloc.h"

/* after the header that puts itself before their allocations */
#include "base/buf.c"
#include "s3/multipart_list.c"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define PARTS(inside) \
    XML "<ListPartsResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" inside "</ListPartsResult>"
#define UPLOADS(inside) XML "<ListMultipartUploadsResult xmlns=\"x\">" inside "</ListMultipartUploadsResult>"
#define PART(number)    "<Part><PartNumber>" number "</PartNumber><ETag>e</ETag></Part>"
#define UPLOAD(key)     "<Upload><Key>" key "</Key><UploadId>u</UploadId></Upload>"
#define MORE            "<IsTruncated>true</IsTruncated>"

static os_error err;

/* Uploads and parts as lines of text. */
struct seen {
    char text[1024];
    size_t count;
    size_t stop_after; /* 0: never */
};

static bool note_part(void *context, const struct s3_part *part)
{
    struct seen *seen = context;
    size_t len = strlen(seen->text);
    snprintf(seen->text + len, sizeof(seen->text) - len, "%u|%s|%llu|%lld|%d|%s\n", (unsigned)part->number, part->etag,
             (unsigned long long)part->length, (long long)part->last_modified_s, (int)part->sum.checksum,
             part->sum.text);
    return ++seen->count != seen->stop_after;
}

static bool note_upload(void *context, const struct s3_listed_upload *upload)
{
    struct seen *seen = context;
    size_t len = strlen(seen->text);
    snprintf(seen->text + len, sizeof(seen->text) - len, "%s|%s|%lld\n", upload->key, upload->id.text,
             (long long)upload->initiated_s);
    return ++seen->count != seen->stop_after;
}

static os_code read_parts(const char *body, size_t length, uint32_t after, struct seen *seen,
                          struct s3_parts_page *page)
{
    struct http_response response;
    seen->text[0] = '\0';
    seen->count = 0;
    answer_bytes(&response, 200, "", body, length);
    *page = (struct s3_parts_page){.next_after = 77};
    os_code code = s3_parse_parts(&response, after, note_part, seen, page, &err);
    if (code != OS_OK)
        assert_int_equal(page->next_after, 77);
    http_response_free(&response);
    return code;
}

static void check_parts(const char *body, uint32_t after, const char *expected, uint32_t next)
{
    struct seen seen = {.stop_after = 0};
    struct s3_parts_page page;
    assert_int_equal(read_parts(body, strlen(body), after, &seen, &page), OS_OK);
    assert_string_equal(seen.text, expected);
    assert_int_equal(page.truncated, next > 0);
    assert_int_equal(page.next_after, next);
}

static void refuse_parts(const char *body, uint32_t after)
{
    struct seen seen = {.stop_after = 0};
    struct s3_parts_page page;
    if (read_parts(body, strlen(body), after, &seen, &page) != OS_ERR_PROTOCOL)
        fail_msg("this was taken for parts: %s", body);
    assert_non_null(strstr(err.message, "list of parts"));
}

/* ------------------------------------------------------------------------------------------------ parts */

TEST(parts_are_given_in_their_order)
{
    check_parts(PARTS("<Bucket>b</Bucket><Key>k</Key><UploadId>u</UploadId><PartNumberMarker>0</PartNumberMarker>"
                      "<NextPartNumberMarker>10000</NextPartNumberMarker><MaxParts>1000</MaxParts>"
                      "<IsTruncated>false</IsTruncated><Initiator><ID>i</ID></Initiator>"
                      "<Part><PartNumber>1</PartNumber><LastModified>2006-02-03T16:45:09.000Z</LastModified>"
                      "<ETag>&quot;e&quot;</ETag><Size>5368709120</Size><ChecksumCRC32C>c=</ChecksumCRC32C></Part>"
                      "<Part><PartNumber> 10000 </PartNumber><LastModified>?</LastModified><ETag>f</ETag></Part>"),
                0, "1|\"e\"|5368709120|1138985109|2|c=\n10000|f|0|0|0|\n", 0);
}

TEST(an_upload_without_parts_is_still_open)
{
    check_parts(PARTS(""), 0, "", 0);
    check_parts("\n  <ListPartsResult/>", 5, "", 0);
    check_parts(PARTS("<NextPartNumberMarker/>"), 0, "", 0);
}

TEST(a_page_of_parts_says_where_the_next_begins)
{
    check_parts(PARTS(MORE "<NextPartNumberMarker>3</NextPartNumberMarker>" PART("3")), 2, "3|e|0|0|0|\n", 3);
    check_parts(PARTS(PART("7") "<NextPartNumberMarker>10000</NextPartNumberMarker>" MORE), 9999, "7|e|0|0|0|\n",
                10000);
}

TEST(a_page_that_would_never_end_is_refused)
{
    refuse_parts(PARTS(MORE), 0);
    refuse_parts(PARTS(MORE "<NextPartNumberMarker>0</NextPartNumberMarker>"), 0);
    refuse_parts(PARTS(MORE "<NextPartNumberMarker>3</NextPartNumberMarker>"), 3);
    refuse_parts(PARTS(MORE "<NextPartNumberMarker>2</NextPartNumberMarker>"), 3);
    refuse_parts(PARTS(MORE "<NextPartNumberMarker>10001</NextPartNumberMarker>"), 3);
    refuse_parts(PARTS(MORE "<NextPartNumberMarker>18446744073709551617</NextPartNumberMarker>"), 0);
    refuse_parts(PARTS(MORE "<NextPartNumberMarker>x</NextPartNumberMarker>"), 0);
}

TEST(parts_that_cannot_be_read_are_refused)
{
    static const char *const bodies[] = {
        "",
        "<ListParts/>",
        "<ListPartsResults/>",
        "<Error><Code>NoSuchUpload</Code></Error>",
        PARTS(PART("0")),
        PARTS(PART("10001")),
        PARTS(PART("-1")),
        PARTS(PART("4294967297")),
        PARTS(PART("")),
        PARTS("<Part/>"),
        PARTS("<Part><PartNumber>1</PartNumber></Part>"),
        PARTS("<Part><ETag>e</ETag></Part>"),
        PARTS("<Part><PartNumber>1</PartNumber><ETag/></Part>"),
        PARTS("<Part><PartNumber>1</PartNumber><ETag>e</ETag><Size>-1</Size></Part>"),
        PARTS("<Part><PartNumber>1</PartNumber><ETag>e</ETag><ChecksumSHA256>"
              "01234567890123456789012345678901234567890123456789012345</ChecksumSHA256></Part>"),
        PARTS(PART("1") "<Part><PartNumber>2</PartNumber></Part>"),
        PARTS("<Part><Part><PartNumber>1</PartNumber><ETag>e</ETag></Part></Part>"),
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        refuse_parts(bodies[i], 0);
}

TEST(half_a_list_gives_no_part)
{
    static const char body[] = PARTS(PART("1") PART("2"));
    struct seen seen = {.stop_after = 0};
    struct s3_parts_page page;
    for (size_t len = 0; len < strlen(body); len++) {
        assert_int_equal(read_parts(body, len, 0, &seen, &page), OS_ERR_PROTOCOL);
        assert_int_equal(seen.count, 0);
    }
    seen.stop_after = 1;
    assert_int_equal(read_parts(body, strlen(body), 0, &seen, &page), OS_ERR_STOPPED);
    assert_int_equal(seen.count, 1);
}

TEST(a_page_of_a_thousand_parts_with_every_field_fits)
{
    struct http_response response;
    struct s3_parts_page page;
    static struct seen seen;
    struct buf body;
    buf_init(&body, 8 << 20);
    buf_add_str(&body, "<ListPartsResult>");
    for (int i = 1; i <= 1000; i++)
        buf_add_f(&body,
                  "<Part><PartNumber>%d</PartNumber><LastModified>2006-02-03T16:45:09.000Z</LastModified><ETag>e</ETag>"
                  "<Size>1</Size><ChecksumCRC32>c</ChecksumCRC32><ChecksumCRC32C>c</ChecksumCRC32C>"
                  "<ChecksumCRC64NVME>c</ChecksumCRC64NVME><ChecksumSHA1>c</ChecksumSHA1>"
                  "<ChecksumSHA256>c</ChecksumSHA256></Part>",
                  i);
    buf_add_str(&body, "</ListPartsResult>");
    answer_text(&response, 200, "", buf_str(&body));
    assert_int_equal(s3_parse_parts(&response, 0, note_part, &seen, &page, &err), OS_OK);
    assert_int_equal(seen.count, 1000);
    http_response_free(&response);
    buf_free(&body);
}

/* ------------------------------------------------------------------------------------------------ uploads */

static os_code read_list(const char *body, size_t length, const struct s3_list_uploads_options *options,
                         struct seen *seen, struct s3_uploads_page *page)
{
    static char untouched;
    struct http_response response;
    seen->text[0] = '\0';
    seen->count = 0;
    answer_bytes(&response, 200, "", body, length);
    *page = (struct s3_uploads_page){.next_key_marker = &untouched};
    os_code code = s3_parse_uploads(&response, options, note_upload, seen, page, &err);
    if (code != OS_OK)
        assert_ptr_equal(page->next_key_marker, &untouched);
    http_response_free(&response);
    return code;
}

static const struct s3_list_uploads_options from_the_start = {.prefix = NULL};

static void check_uploads(const char *body, const char *expected, const char *next_key, const char *next_id)
{
    struct seen seen = {.stop_after = 0};
    struct s3_uploads_page page;
    assert_int_equal(read_list(body, strlen(body), &from_the_start, &seen, &page), OS_OK);
    assert_string_equal(seen.text, expected);
    assert_int_equal(page.truncated, next_key != NULL);
    if (next_key) {
        assert_string_equal(page.next_key_marker, next_key);
        assert_string_equal(page.next_upload_id_marker, next_id);
    } else {
        assert_null(page.next_key_marker);
        assert_null(page.next_upload_id_marker);
    }
    free(page.next_key_marker);
    free(page.next_upload_id_marker);
}

static void refuse_uploads(const char *body, const struct s3_list_uploads_options *options)
{
    struct seen seen = {.stop_after = 0};
    struct s3_uploads_page page;
    if (read_list(body, strlen(body), options, &seen, &page) != OS_ERR_PROTOCOL)
        fail_msg("this was taken for uploads: %s", body);
    assert_non_null(strstr(err.message, "list of uploads"));
}

TEST(uploads_are_given_with_key_id_and_age)
{
    check_uploads(UPLOADS("<Bucket>b</Bucket><KeyMarker/><UploadIdMarker/><NextKeyMarker/><NextUploadIdMarker/>"
                          "<EncodingType>url</EncodingType><MaxUploads>1000</MaxUploads>"
                          "<IsTruncated>false</IsTruncated>"
                          "<Upload><Key>a+b%2Bc%2F%C3%BC</Key><UploadId>2~x/=</UploadId><Initiator><ID>i</ID>"
                          "</Initiator><Owner><ID>i</ID></Owner><StorageClass>STANDARD</StorageClass>"
                          "<Initiated>2006-02-03T16:45:09.000Z</Initiated></Upload>"
                          "<Upload><Key>k</Key><UploadId>y</UploadId><Initiated>long ago</Initiated></Upload>"
                          "<Upload><Key>k</Key><UploadId>z</UploadId></Upload>"
                          "<CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>"),
                  "a b+c/\xc3\xbc|2~x/=|1138985109\nk|y|0\nk|z|0\n", NULL, NULL);
    check_uploads(UPLOADS(UPLOAD("a+b%2B")), "a+b%2B|u|0\n", NULL, NULL);
    check_uploads("<ListMultipartUploadsResult/>", "", NULL, NULL);
}

TEST(a_page_of_uploads_says_where_the_next_begins)
{
    check_uploads(UPLOADS("<NextKeyMarker>a+%2B</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>" MORE
                          "<EncodingType>url</EncodingType>" UPLOAD("k")),
                  "k|u|0\n", "a +", "u");
    check_uploads(UPLOADS("<NextKeyMarker>old</NextKeyMarker><NextKeyMarker>a+%2B</NextKeyMarker>" MORE), "", "a+%2B",
                  "");
}

/* As MinIO gives it. */
TEST(a_page_without_a_next_key_goes_on_behind_its_last_upload)
{
    check_uploads(UPLOADS("<NextKeyMarker/><NextUploadIdMarker>u</NextUploadIdMarker>" MORE
                          "<EncodingType>url</EncodingType>" UPLOAD("j") UPLOAD("k%2B")),
                  "j|u|0\nk+|u|0\n", "k+", "u");
}

TEST(a_page_of_uploads_that_would_never_end_is_refused)
{
    const struct s3_list_uploads_options asked = {.key_marker = "k", .upload_id_marker = "u"};
    const struct s3_list_uploads_options key_only = {.key_marker = "k"};
    static const char same[] =
        UPLOADS(MORE "<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>");
    struct seen seen = {.stop_after = 0};
    struct s3_uploads_page page;
    refuse_uploads(UPLOADS(MORE), &from_the_start);
    refuse_uploads(UPLOADS(MORE "<NextUploadIdMarker>u</NextUploadIdMarker>"), &from_the_start);
    refuse_uploads(UPLOADS(MORE "<NextKeyMarker>%0</NextKeyMarker><EncodingType>url</EncodingType>"), &from_the_start);
    refuse_uploads(same, &asked);
    refuse_uploads(UPLOADS(MORE "<NextKeyMarker>k</NextKeyMarker>"), &key_only);
    assert_int_equal(read_list(same, strlen(same), &key_only, &seen, &page), OS_OK);
    free(page.next_key_marker);
    free(page.next_upload_id_marker);
}

TEST(uploads_that_cannot_be_read_are_refused)
{
    static const char *const bodies[] = {
        "",
        "<ListMultipartUploads/>",
        "<ListBucketResult/>",
        UPLOADS("<Upload/>"),
        UPLOADS("<Upload><Key>k</Key></Upload>"),
        UPLOADS("<Upload><UploadId>u</UploadId></Upload>"),
        UPLOADS(UPLOAD("")),
        UPLOADS("<EncodingType>url</EncodingType>" UPLOAD("%00")),
        UPLOADS("<EncodingType>url</EncodingType>" UPLOAD("%")),
        UPLOADS("<Upload><Key>k</Key><UploadId>a b</UploadId></Upload>"),
        UPLOADS("<Upload><Key>k</Key><UploadId/></Upload>"),
        UPLOADS(UPLOAD("k") "<Upload><Key>k</Key></Upload>"),
        UPLOADS("<Upload><Upload><Key>k</Key><UploadId>u</UploadId></Upload></Upload>"),
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        refuse_uploads(bodies[i], &from_the_start);
}

TEST(keys_ids_and_markers_are_bounded)
{
    static const struct {
        const char *element;
        size_t most;
        const char *unit;
    } cases[] = {{"Key", LISTED_KEY_MAX, "x"},
                 {"Key", LISTED_KEY_MAX, "%78"},
                 {"UploadId", S3_UPLOAD_ID_MAX, "x"},
                 {"NextUploadIdMarker", S3_UPLOAD_ID_MAX, "x"},
                 {"NextKeyMarker", LISTED_KEY_MAX, "x"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t over = 0; over < 2; over++) {
            bool is_frame = strncmp(cases[i].element, "Next", 4) == 0;
            struct seen seen = {.stop_after = 0};
            struct s3_uploads_page page = {0};
            struct buf body;
            buf_init(&body, 1 << 20);
            buf_add_f(&body, "<ListMultipartUploadsResult>%s%s<%s>",
                      cases[i].unit[0] == '%' ? "<EncodingType>url</EncodingType>" : "",
                      is_frame ? MORE "<NextKeyMarker>k</NextKeyMarker>" : "<Upload><Key>k</Key><UploadId>u</UploadId>",
                      cases[i].element);
            for (size_t n = 0; n < cases[i].most + over; n++)
                buf_add_str(&body, cases[i].unit);
            buf_add_f(&body, "</%s>%s</ListMultipartUploadsResult>", cases[i].element, is_frame ? "" : "</Upload>");
            struct http_response response;
            answer_text(&response, 200, "", buf_str(&body));
            assert_int_equal(s3_parse_uploads(&response, &from_the_start, note_upload, &seen, &page, &err),
                             over ? OS_ERR_PROTOCOL : OS_OK);
            free(page.next_key_marker);
            free(page.next_upload_id_marker);
            http_response_free(&response);
            buf_free(&body);
        }
    }
}

TEST(half_a_list_gives_no_upload)
{
    static const char body[] = UPLOADS(MORE "<NextKeyMarker>k</NextKeyMarker>" UPLOAD("j") UPLOAD("k"));
    struct seen seen = {.stop_after = 0};
    struct s3_uploads_page page;
    for (size_t len = 0; len < strlen(body); len++) {
        assert_int_equal(read_list(body, len, &from_the_start, &seen, &page), OS_ERR_PROTOCOL);
        assert_int_equal(seen.count, 0);
    }
    seen.stop_after = 1;
    assert_int_equal(read_list(body, strlen(body), &from_the_start, &seen, &page), OS_ERR_STOPPED);
    assert_int_equal(seen.count, 1);
}

/* ------------------------------------------------------------------------------------------------ memory */

TEST(a_page_without_memory_is_no_page)
{
    static const char body[] = UPLOADS("<EncodingType>url</EncodingType>" MORE "<NextKeyMarker>k%201</NextKeyMarker>"
                                       "<NextUploadIdMarker>u</NextUploadIdMarker>" UPLOAD("k%201") UPLOAD("k2"));
    struct http_response response;
    bool failed = true;
    answer_text(&response, 200, "", body);
    for (size_t number = 0; failed; number++) {
        struct s3_uploads_page page = {.truncated = false};
        struct seen seen = {.stop_after = 0};
        os_code code = OS_OK;
        alloc_fail_at(number);
        code = s3_parse_uploads(&response, &from_the_start, note_upload, &seen, &page, &err);
        alloc_fail_none();
        failed = alloc_failed;
        if (code == OS_OK) {
            assert_string_equal(page.next_key_marker, "k 1");
            assert_int_equal(seen.count, 2);
        } else {
            assert_true(failed);
            assert_int_equal(code, OS_ERR_NO_MEMORY);
            assert_null(page.next_key_marker);
        }
        free(page.next_key_marker);
        free(page.next_upload_id_marker);
    }
    http_response_free(&response);
}
