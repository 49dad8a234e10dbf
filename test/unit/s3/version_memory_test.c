/* SPDX-License-Identifier: Apache-2.0 */
/* A version id is too long to be kept as it is, and there is no memory to digest it. */
#include "base/digest.h"
#include "s3_test.h"

static bool no_digest(const void *data, size_t len, char *ret_hex)
{
    (void)data;
    (void)len;
    (void)ret_hex;
    return false;
}
#define sha256_hex no_digest

/* after the definition, which they are to use */
#include "s3/metadata.c"
#include "s3/response.c"

static void answer_with_long_version(struct http_response *ret, const char *body)
{
    char headers[700] = "x-amz-version-id: ";
    size_t begin = strlen(headers);
    memset(headers + begin, 'v', 600);
    strcpy(headers + begin + 600, "\n");
    answer_text(ret, 200, headers, body);
}

TEST(an_object_whose_version_cannot_be_told_is_no_object)
{
    struct http_response response;
    struct s3_object object = {.length = 77};
    struct s3_error error;
    os_error err;
    answer_with_long_version(&response, "");
    assert_int_equal(s3_parse_object(&response, &object, &err), OS_ERR_NO_MEMORY);
    http_response_free(&response);
    answer_with_long_version(&response, "<CopyObjectResult><ETag>\"e\"</ETag></CopyObjectResult>");
    assert_int_equal(s3_parse_copy(&response, &object, &error, &err), OS_ERR_NO_MEMORY);
    assert_int_equal(object.length, 77);
    http_response_free(&response);
}
