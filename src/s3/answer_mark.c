/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/answer_mark.h"

#include <assert.h>

static const char *const headers[S3_MARK_END] = {
    [S3_MARK_NONE] = "",
    [S3_MARK_AMZ] = "x-amz-request-id",
    [S3_MARK_ALIBABA] = "x-oss-request-id",
    [S3_MARK_TENCENT] = "x-cos-request-id",
    [S3_MARK_GOOGLE] = "x-guploader-uploadid",
};

enum s3_mark s3_mark_of(const struct http_response *response)
{
    for (int mark = S3_MARK_NONE + 1; mark < S3_MARK_END; mark++) {
        const char *value = http_headers_get(&response->headers, headers[mark]);
        if (value && value[0] != '\0')
            return (enum s3_mark)mark;
    }
    return S3_MARK_NONE;
}

const char *s3_mark_header(enum s3_mark mark)
{
    assert((unsigned)mark < S3_MARK_END);
    return headers[mark];
}

bool s3_status_is_definite(int status)
{
    return (status > 0 && status < 500) || status == 501;
}
