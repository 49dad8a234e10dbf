/* SPDX-License-Identifier: Apache-2.0 */
/* The answers to a multipart upload, each input given to every reader: a 200 is a success only with a whole document of
 * the right root (V2), what is given can be sent back, pages advance, stopping is obeyed, and nothing is set on
 * failure. What was read of parts is written as a completion that XML can carry. */
#include "fuzz.h"

#include "s3/multipart_response.h"
#include "syntax/xml.h"

#include <string.h>

static void check_sum(const struct s3_sum *sum)
{
    FUZZ_CHECK_ARRAY(sum->text);
    FUZZ_CHECK(sum->checksum < S3_CHECKSUM_END);
    FUZZ_CHECK(sum->checksum != S3_CHECKSUM_NONE || sum->text[0] == '\0');
}

/* A part that was read can be named in a Complete, and is read there as it was. */
static bool same_etag(void *context, const char *path, struct text text)
{
    const struct s3_part *part = context;
    if (strcmp(path, "CompleteMultipartUpload/Part/ETag") == 0)
        FUZZ_CHECK(text_is(text, part->etag));
    return true;
}

static void check_part(const struct s3_part *part)
{
    struct buf body;
    FUZZ_CHECK_ARRAY(part->etag);
    FUZZ_CHECK(part->etag[0] != '\0');
    check_sum(&part->sum);
    struct s3_part copy = *part;
    const struct s3_part_name name = {part->number > 0 ? part->number : 1, part->etag, NULL};
    FUZZ_CHECK(s3_write_completion(&name, 1, S3_CHECKSUM_NONE, &body, NULL) == OS_OK);
    FUZZ_CHECK(xml_read(text_of(buf_str(&body), body.len), same_etag, &copy) == XML_OK);
    buf_free(&body);
}

static void read_documents(const struct http_response *response)
{
    static struct s3_upload_id id;
    static struct s3_part part;
    static struct s3_completed completed;
    static struct s3_error said;
    os_error err = {.code = OS_OK};

    memset(&id, 0x55, sizeof(id));
    os_code code = s3_parse_create_upload(response, &id, &said, &err);
    FUZZ_CHECK(code != OS_OK || (s3_is_upload_id(id.text) && fuzz_body_has(response, "InitiateMultipartUpload")));
    if (code != OS_OK)
        fuzz_check_failure(code, &err, &id, sizeof(id));

    memset(&part, 0x55, sizeof(part));
    code = s3_parse_part_copy(response, &part, &said, &err);
    FUZZ_CHECK(code != OS_OK || fuzz_body_has(response, "CopyPartResult") ||
               fuzz_body_has(response, "CopyObjectResult"));
    if (code == OS_OK)
        check_part(&part);
    else
        fuzz_check_failure(code, &err, &part, sizeof(part));

    memset(&part, 0x55, sizeof(part));
    code = s3_parse_part(response, &part, &err);
    if (code == OS_OK)
        check_part(&part);
    else
        fuzz_check_failure(code, &err, &part, sizeof(part));

    memset(&completed, 0x55, sizeof(completed));
    code = s3_parse_completed(response, &completed, &said, &err);
    FUZZ_CHECK(code != OS_OK || fuzz_body_has(response, "CompleteMultipartUploadResult"));
    FUZZ_CHECK_ARRAY(said.code);
    FUZZ_CHECK_ARRAY(said.message);
    if (code == OS_OK) {
        FUZZ_CHECK_ARRAY(completed.etag);
        FUZZ_CHECK_ARRAY(completed.version_id);
        check_sum(&completed.sum);
    } else {
        fuzz_check_failure(code, &err, &completed, sizeof(completed));
    }
}

static bool each_part(void *context, const struct s3_part *part)
{
    FUZZ_CHECK(part->number >= 1 && part->number <= S3_PART_NUMBER_MAX);
    check_part(part);
    return fuzz_goes_on(context);
}

static unsigned read_parts_after(const struct http_response *response, uint32_t after, unsigned stop_after,
                                 os_code *ret)
{
    struct fuzz_listener listener = {.stop_after = stop_after};
    struct s3_parts_page page;
    os_error err = {.code = OS_OK};
    memset(&page, 0x55, sizeof(page));
    *ret = s3_parse_parts(response, after, each_part, &listener, &page, &err);
    if (*ret == OS_OK)
        FUZZ_CHECK(page.truncated ? page.next_after > after : page.next_after == 0);
    else if (*ret != OS_ERR_STOPPED)
        fuzz_check_failure(*ret, &err, &page, sizeof(page));
    return listener.entries;
}

static unsigned read_parts(const struct http_response *response, unsigned stop_after, os_code *ret)
{
    return read_parts_after(response, 0, stop_after, ret);
}

static bool each_upload(void *context, const struct s3_listed_upload *upload)
{
    FUZZ_CHECK(upload->key != NULL && upload->key[0] != '\0');
    FUZZ_CHECK(s3_is_upload_id(upload->id.text));
    return fuzz_goes_on(context);
}

static unsigned read_uploads(const struct http_response *response, unsigned stop_after, os_code *ret)
{
    const struct s3_list_uploads_options options = {.key_marker = "k", .upload_id_marker = "u"};
    struct fuzz_listener listener = {.stop_after = stop_after};
    struct s3_uploads_page page;
    os_error err = {.code = OS_OK};
    memset(&page, 0x55, sizeof(page));
    *ret = s3_parse_uploads(response, &options, each_upload, &listener, &page, &err);
    if (*ret == OS_OK) {
        fuzz_check_page(page.truncated, (const char *[]){options.key_marker, options.upload_id_marker},
                        (char *[]){page.next_key_marker, page.next_upload_id_marker});
    } else if (*ret != OS_ERR_STOPPED) {
        fuzz_check_failure(*ret, &err, &page, sizeof(page));
    }
    return listener.entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_response response;
    os_code code;

    fuzz_response(data, size, &response);
    read_documents(&response);
    fuzz_check_list(read_parts, &response);
    (void)read_parts_after(&response, 5000, 0, &code);
    fuzz_check_list(read_uploads, &response);
    http_response_free(&response);
    return 0;
}
