/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/canned.h"

#include "base/crc.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *line;
    const char *code;
    const char *message;
} s3_answers[] = {
    [CANNED_INTERNAL_ERROR] = {"500 Internal Server Error", "InternalError",
                               "We encountered an internal error. Please try again."},
    [CANNED_SLOW_DOWN] = {"503 Slow Down", "SlowDown", "Please reduce your request rate."},
    [CANNED_SKEWED] = {"403 Forbidden", "RequestTimeTooSkewed",
                       "The difference between the request time and the current time is too large."},
    [CANNED_ERROR_200] = {"200 OK", "InternalError", "We encountered an internal error. Please try again."},
};

static const struct {
    const char *line;
    const char *body;
} dynamo_answers[] = {
    [CANNED_SERVER_ERROR] = {"500 Internal Server Error",
                             "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
                             "\"message\":\"The request processing has failed because of an unknown error.\"}"},
    [CANNED_THROTTLED] = {"400 Bad Request",
                          "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
                          "\"message\":\"The level of configured provisioned throughput for the table was "
                          "exceeded.\"}"},
    [CANNED_REQUEST_LIMIT] = {"400 Bad Request",
                              "{\"__type\":\"com.amazonaws.dynamodb.v20120810#RequestLimitExceeded\","
                              "\"message\":\"Throughput exceeds the current throughput limit.\"}"},
    [CANNED_DYNAMO_SKEWED] = {"400 Bad Request", "{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\","
                                                 "\"message\":\"Signature expired: it is now earlier than the time of "
                                                 "the signature.\"}"},
};

static bool add_answer(const char *line, uint64_t now_ms, const char *headers, const char *body, size_t length,
                       bool head, struct buf *ret)
{
    char date[32];
    text_format_http_date((int64_t)(now_ms / 1000), date);
    buf_add_f(ret, "HTTP/1.1 %s\r\nDate: %s\r\n%sContent-Length: %zu\r\n\r\n", line, date, headers, length);
    if (!head)
        buf_add(ret, body, length);
    return buf_ok(ret);
}

bool canned_s3(enum canned_s3 what, bool head, uint64_t now_ms, struct buf *ret)
{
    char body[512];
    int length = snprintf(body, sizeof(body),
                          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message>"
                          "<RequestId>SIM</RequestId><HostId>sim</HostId></Error>",
                          s3_answers[what].code, s3_answers[what].message);
    return add_answer(s3_answers[what].line, now_ms, "Content-Type: application/xml\r\nx-amz-request-id: SIM\r\n", body,
                      (size_t)length, head, ret);
}

bool canned_foreign(uint32_t which, bool to_s3, bool head, uint64_t now_ms, struct buf *ret)
{
    static const int statuses[] = {404, 404, 404, 200, 403, 409, 412, 301};
    int said = statuses[which % 8];
    int status = to_s3 || said == 404 ? said : 200;
    static const char body[] = "{}"; /* of a ledger it would be a PutItem that is done, and a GetItem that found none */
    char line[32];
    snprintf(line, sizeof(line), "%d Foreign", status);
    return add_answer(line, now_ms, "Content-Type: application/json\r\nETag: \"foreign\"\r\n", body, strlen(body), head,
                      ret);
}

void canned_redate(struct buf *answer, uint64_t date_s)
{
    char date[32];
    char *old = strstr(answer->data, "\r\nDate: ");
    text_format_http_date((int64_t)date_s, date);
    if (old != NULL)
        memcpy(old + strlen("\r\nDate: "), date, strlen(date));
}

void canned_unmark(struct buf *answer)
{
    char *mark = strstr(answer->data, "x-amz-request-id: ");
    if (mark != NULL) {
        size_t gone = strcspn(mark, "\n") + 1;
        answer->len -= gone;
        memmove(mark, mark + gone, answer->len + 1 - (size_t)(mark - answer->data));
    }
}

static bool add_dynamo(const char *line, const char *body, uint64_t now_ms, struct buf *ret)
{
    char headers[128];
    snprintf(headers, sizeof(headers),
             "Content-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: SIM\r\nx-amz-crc32: %lu\r\n",
             (unsigned long)crc32_of(body, strlen(body)));
    return add_answer(line, now_ms, headers, body, strlen(body), false, ret);
}

bool canned_dynamo(enum canned_dynamo what, uint64_t now_ms, struct buf *ret)
{
    return add_dynamo(dynamo_answers[what].line, dynamo_answers[what].body, now_ms, ret);
}

bool canned_dynamo_error(const char *body, uint64_t now_ms, struct buf *ret)
{
    return add_dynamo("400 Bad Request", body, now_ms, ret);
}
