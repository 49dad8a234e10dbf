/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fake_s3_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ lifetime */

static char *copy_or_null(const char *str)
{
    return str != NULL ? strdup(str) : NULL;
}

static bool copy_options(struct fake_s3_options *ret, const struct fake_s3_options *from)
{
    *ret = *from;
    ret->bucket = copy_or_null(from->bucket);
    ret->region = copy_or_null(from->region);
    ret->access_key = NULL; /* SigV4 has them */
    ret->secret_key = NULL;
    ret->session_token = NULL;
    return ret->bucket != NULL && ret->region != NULL;
}

struct fake_s3 *fake_s3_new(const struct fake_s3_options *options)
{
    struct fake_s3 *s3 = calloc(1, sizeof(*s3));
    if (s3 == NULL)
        return NULL;
    bool copied = copy_options(&s3->options, options);
    fake_answer_init(&s3->answer);
    buf_init(&s3->key, FAKE_HEAD_MAX);
    buf_init(&s3->scratch, FAKE_HEAD_MAX);
    s3->sigv4 = fake_sigv4_new(options->region, "s3", FAKE_S3_SKEW_S);
    s3->md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    s3->md5_hash = EVP_MD_CTX_new();
    if (!copied || s3->sigv4 == NULL || s3->md5 == NULL || s3->md5_hash == NULL ||
        !fake_s3_rotate(s3, options->access_key, options->secret_key, options->session_token)) {
        fake_s3_free(s3);
        return NULL;
    }
    return s3;
}

void fake_s3_free(struct fake_s3 *s3)
{
    if (s3 == NULL)
        return;
    fake_store_free(s3);
    fake_uploads_free(s3);
    fake_sigv4_free(s3->sigv4);
    EVP_MD_CTX_free(s3->md5_hash);
    EVP_MD_free(s3->md5);
    fake_answer_free(&s3->answer);
    buf_free(&s3->key);
    buf_free(&s3->scratch);
    free((char *)(uintptr_t)s3->options.bucket);
    free((char *)(uintptr_t)s3->options.region);
    free(s3);
}

bool fake_s3_rotate(struct fake_s3 *s3, const char *access_key, const char *secret_key, const char *session_token)
{
    return fake_sigv4_rotate(s3->sigv4, access_key, secret_key, session_token);
}

/* ------------------------------------------------------------------------------------------------------- answers */

void fake_s3_begin(struct fake_s3 *s3, int status)
{
    char text[64];
    fake_answer_reset(&s3->answer, status);
    s3->answer.is_head = text_is(s3->request.method, "HEAD");
    fake_format_http_date((int64_t)(s3->applied_ms / 1000), text);
    fake_answer_header(&s3->answer, "Date", text);
    snprintf(text, sizeof(text), "%016" PRIX64, s3->requests);
    fake_answer_header(&s3->answer, "x-amz-request-id", text);
    fake_answer_header(&s3->answer, "Server", "AmazonS3");
}

void fake_s3_escape(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': buf_add_str(out, "&amp;"); break;
        case '<': buf_add_str(out, "&lt;"); break;
        case '>': buf_add_str(out, "&gt;"); break;
        case '"': buf_add_str(out, "&quot;"); break;
        case '\r': buf_add_str(out, "&#13;"); break;
        default: buf_add_char(out, *text); break;
        }
    }
}

void fake_s3_fail(struct fake_s3 *s3, int status, const char *code, const char *message, const char *extra)
{
    fake_s3_begin(s3, status);
    if (s3->answer.is_head)
        return; /* a HEAD is told the status and nothing else */
    struct buf *body = &s3->answer.body;
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    buf_add_f(body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message>", code,
              message);
    if (extra != NULL)
        buf_add_str(body, extra);
    if (s3->key.len > 0) {
        buf_add_str(body, "<Key>");
        fake_s3_escape(body, buf_str(&s3->key));
        buf_add_str(body, "</Key>");
    }
    buf_add_f(body, "<RequestId>%016" PRIX64 "</RequestId><HostId>fake</HostId></Error>", s3->requests);
}

void fake_s3_no_such_key(struct fake_s3 *s3)
{
    const struct fake_key *found = fake_store_find(s3, buf_str(&s3->key));
    fake_s3_fail(s3, 404, "NoSuchKey", "The specified key does not exist.", NULL);
    if (s3->options.versioned && found != NULL && found->count > 0) {
        fake_answer_header(&s3->answer, "x-amz-delete-marker", "true");
        fake_s3_version_header(s3, found->versions[found->count - 1].serial);
    }
}

void fake_s3_version_header(struct fake_s3 *s3, uint64_t serial)
{
    char text[32];
    if (s3->options.versioned) {
        snprintf(text, sizeof(text), "v%" PRIu64, serial);
        fake_answer_header(&s3->answer, "x-amz-version-id", text);
    }
}

/* ----------------------------------------------------------------------------------------------------- signatures */

struct refusal {
    enum fake_sigv4_verdict verdict;
    int status;
    const char *code;
    const char *message;
};

static const struct refusal refusals[] = {
    {FAKE_SIGV4_MISSING, 403, "AccessDenied", "Access Denied."},
    {FAKE_SIGV4_UNKNOWN_KEY, 403, "InvalidAccessKeyId",
     "The AWS Access Key Id you provided does not exist in our records."},
    {FAKE_SIGV4_INVALID_TOKEN, 400, "InvalidToken", "The provided token is malformed or otherwise invalid."},
    {FAKE_SIGV4_EXPIRED_TOKEN, 400, "ExpiredToken", "The provided token has expired."},
    {FAKE_SIGV4_UNSIGNED, 403, "AccessDenied", "There were headers present in the request which were not signed"},
    {FAKE_SIGV4_SKEWED, 403, "RequestTimeTooSkewed",
     "The difference between the request time and the current time is too large."},
    {FAKE_SIGV4_EXPIRED, 403, "AccessDenied", "Request has expired"},
    {FAKE_SIGV4_NOT_YET, 403, "AccessDenied", "Request is not valid yet"},
    {FAKE_SIGV4_MISMATCH, 403, "SignatureDoesNotMatch",
     "The request signature we calculated does not match the signature you provided. Check your key and signing "
     "method."},
    {FAKE_SIGV4_PAYLOAD, 400, "XAmzContentSHA256Mismatch",
     "The provided 'x-amz-content-sha256' header does not match what was computed."},
};

static void refuse(struct fake_s3 *s3, enum fake_sigv4_verdict verdict)
{
    char extra[160];
    char now[32];
    bool in_query = fake_request_param(&s3->request, "X-Amz-Signature") != NULL;
    if (verdict == FAKE_SIGV4_MALFORMED) {
        snprintf(extra, sizeof(extra), "<Region>%.63s</Region>", s3->options.region);
        fake_s3_fail(s3, 400, in_query ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed",
                     "The authorization of the request is malformed, or for another region or service", extra);
        return;
    }
    fake_format_iso_date(s3->applied_ms, now);
    snprintf(extra, sizeof(extra), "<ServerTime>%s</ServerTime>", now);
    bool of_time = verdict == FAKE_SIGV4_SKEWED || verdict == FAKE_SIGV4_EXPIRED;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (refusals[i].verdict == verdict)
            fake_s3_fail(s3, refusals[i].status, refusals[i].code, refusals[i].message, of_time ? extra : NULL);
}

static bool admits(struct fake_s3 *s3, uint64_t admitted_ms)
{
    struct fake_sigv4_times times;
    bool ignores = s3->options.ignores_expiry;
    enum fake_sigv4_verdict verdict = fake_sigv4_judge(s3->sigv4, &s3->request, admitted_ms, ignores, &times);
    if (verdict == FAKE_SIGV4_OK && s3->options.checks_expiry_at_end && !ignores && s3->applied_ms > times.ends_ms)
        verdict = FAKE_SIGV4_EXPIRED;
    if (verdict == FAKE_SIGV4_NO_MEMORY)
        s3->no_memory = true;
    else if (verdict != FAKE_SIGV4_OK)
        refuse(s3, verdict);
    return verdict == FAKE_SIGV4_OK;
}

/* -------------------------------------------------------------------------------------------------------- routing */

/* "bucket.host" with the key as path, or "/bucket/key". False: another bucket, or a path that is none. */
static bool find_key(struct fake_s3 *s3, bool *ret_bad)
{
    const struct text *host = fake_request_header(&s3->request, "host");
    struct text path = text_of(s3->request.path.p + 1, s3->request.path.len - 1);
    size_t bucket_len = strlen(s3->options.bucket);
    bool is_virtual = host != NULL && host->len > bucket_len && host->p[bucket_len] == '.' &&
                      memcmp(host->p, s3->options.bucket, bucket_len) == 0;
    *ret_bad = false;
    buf_reset(&s3->key);
    if (!is_virtual) {
        const char *slash = path.len > 0 ? memchr(path.p, '/', path.len) : NULL;
        size_t len = slash != NULL ? (size_t)(slash - path.p) : path.len;
        if (!text_is(text_of(path.p, len), s3->options.bucket))
            return false;
        size_t skip = slash != NULL ? len + 1 : len;
        path = text_of(path.p + skip, path.len - skip);
    }
    *ret_bad = !fake_decode(&s3->key, path) || memchr(buf_str(&s3->key), '\0', s3->key.len) != NULL;
    return true;
}

static void not_allowed(struct fake_s3 *s3)
{
    fake_s3_fail(s3, 405, "MethodNotAllowed", "The specified method is not allowed against this resource.", NULL);
}

static void handle_bucket(struct fake_s3 *s3)
{
    if (text_is(s3->request.method, "HEAD")) {
        fake_s3_begin(s3, 200);
        fake_answer_header(&s3->answer, "x-amz-bucket-region", s3->options.region);
        fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    } else if (text_is(s3->request.method, "GET") && fake_request_param(&s3->request, "versioning") != NULL) {
        fake_s3_get_versioning(s3);
    } else if (text_is(s3->request.method, "GET") && fake_request_param(&s3->request, "versions") != NULL) {
        fake_s3_list_versions(s3);
    } else if (text_is(s3->request.method, "GET") && fake_request_param(&s3->request, "uploads") != NULL) {
        fake_s3_list_uploads(s3);
    } else if (text_is(s3->request.method, "GET")) {
        fake_s3_list(s3);
    } else {
        not_allowed(s3);
    }
}

static void handle_upload(struct fake_s3 *s3, struct text id)
{
    struct text method = s3->request.method;
    const struct text *number = fake_request_param(&s3->request, "partNumber");
    if (text_is(method, "PUT") && number != NULL)
        fake_s3_upload_part(s3, id, *number);
    else if (text_is(method, "POST"))
        fake_s3_complete_upload(s3, id);
    else if (text_is(method, "DELETE"))
        fake_s3_abort_upload(s3, id);
    else if (text_is(method, "GET"))
        fake_s3_list_parts(s3, id);
    else
        not_allowed(s3);
}

static void handle_whole(struct fake_s3 *s3)
{
    struct text method = s3->request.method;
    const struct text *source = fake_request_header(&s3->request, "x-amz-copy-source");
    if (fake_request_param(&s3->request, "tagging") != NULL)
        if (text_is(method, "GET"))
            fake_s3_get_tags(s3);
        else
            not_allowed(s3);
    else if (text_is(method, "GET") || text_is(method, "HEAD"))
        fake_s3_get(s3, text_is(method, "HEAD"));
    else if (text_is(method, "PUT") && source != NULL)
        fake_s3_copy(s3, *source);
    else if (text_is(method, "PUT"))
        fake_s3_put(s3);
    else if (text_is(method, "DELETE"))
        fake_s3_delete(s3);
    else if (text_is(method, "POST") && fake_request_param(&s3->request, "uploads") != NULL)
        fake_s3_create_upload(s3);
    else
        not_allowed(s3);
}

static void handle_object(struct fake_s3 *s3)
{
    const struct text *id = fake_request_param(&s3->request, "uploadId");
    if (s3->key.len > FAKE_S3_KEY_MAX)
        fake_s3_fail(s3, 400, "KeyTooLongError", "Your key is too long", NULL);
    else if (id != NULL)
        handle_upload(s3, *id);
    else
        handle_whole(s3);
}

static void route(struct fake_s3 *s3)
{
    bool bad = false;
    if (!find_key(s3, &bad)) {
        fake_s3_fail(s3, 404, "NoSuchBucket", "The specified bucket does not exist", NULL);
    } else if (bad) {
        buf_reset(&s3->key);
        fake_s3_fail(s3, 400, "InvalidURI", "Couldn't parse the specified URI.", NULL);
    } else if (s3->request.cut_short) {
        fake_s3_fail(s3, 400, "IncompleteBody",
                     "You did not provide the number of bytes specified by the Content-Length HTTP header", NULL);
    } else if (s3->key.len == 0) {
        handle_bucket(s3);
    } else {
        handle_object(s3);
    }
}

bool fake_s3_handle(struct fake_s3 *s3, const char *request, size_t length, uint64_t admitted_ms, uint64_t applied_ms,
                    bool contended, struct buf *ret_answer)
{
    s3->requests++;
    s3->applied_ms = applied_ms;
    s3->contended = contended;
    s3->no_memory = false;
    buf_reset(&s3->key);
    if (!fake_request_parse(request, length, &s3->request)) {
        s3->request.method = text_from("");
        fake_s3_fail(s3, 400, "BadRequest", "An error occurred when parsing the HTTP request.", NULL);
    } else if (admits(s3, admitted_ms)) {
        route(s3);
    }
    return !s3->no_memory && fake_answer_write(&s3->answer, ret_answer);
}
