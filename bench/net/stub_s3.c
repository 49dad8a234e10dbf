/* SPDX-License-Identifier: Apache-2.0 */
/* The stub's store: conditions, expiry of signatures and user metadata as S3 has them; signatures are not looked at. */
#include "stub.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char no_key[] = "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>";
static const char unmet[] = "<Error><Code>PreconditionFailed</Code><Message>unmet</Message></Error>";
static const char expired[] = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>";

static struct slice path_of(struct slice target)
{
    const char *query = memchr(target.p, '?', target.len);
    return (struct slice){target.p, query != NULL ? (size_t)(query - target.p) : target.len};
}

/* "/bucket" or "/bucket/": no key. */
static bool is_bucket(struct slice path)
{
    const char *slash = memchr(path.p + 1, '/', path.len - 1);
    return slash == NULL || slash + 1 == path.p + path.len;
}

static bool is_there(const struct stub_entry *entry)
{
    return entry != NULL && entry->etag[0] != '\0';
}

static bool is_expired(struct slice target)
{
    struct slice date = query_value(target, "X-Amz-Date");
    struct tm parts = {0};
    if (date.len != strlen("20260101T000000Z") || strptime(date.p, "%Y%m%dT%H%M%SZ", &parts) == NULL)
        return false;
    return time(NULL) > timegm(&parts) + (time_t)slice_number(query_value(target, "X-Amz-Expires"));
}

static void error_answer(const struct stub_request *request, const char *status, const char *document,
                         struct bytes *out)
{
    struct slice body = {document, slice_is(request->method, "HEAD") ? 0 : strlen(document)};
    stub_answer(out, status, "Content-Type: application/xml\r\n", body);
}

static bool condition_holds(const struct stub_request *request, const struct stub_entry *entry)
{
    struct slice etag = message_header(request->head, "if-match");
    if (message_header(request->head, "if-none-match").len > 0 && is_there(entry))
        return false;
    return etag.len == 0 || (is_there(entry) && slice_is(etag, entry->etag));
}

/* ------------------------------------------------------------------------------------------------------- writing */

static void keep_metadata(struct slice head, struct bytes *ret)
{
    const char *end = head.p + head.len;
    ret->len = 0;
    for (const char *line = head.p; line < end; line++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        struct slice whole = {line, (size_t)(stop - line) + 1};
        if (slice_starts(whole, "x-amz-meta-") || slice_starts(whole, "content-type:"))
            bytes_add_slice(ret, whole);
        line = stop;
    }
}

static void set_etag(struct stub_entry *entry)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    static EVP_MD *md5 = NULL;
    if (md5 == NULL)
        md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    if (EVP_Digest(entry->body.p, entry->body.len, sum, NULL, md5, NULL) != 1)
        abort();
    static const char digits[] = "0123456789abcdef";
    char *at = entry->etag;
    *at++ = '"';
    for (int i = 0; i < 16; i++) {
        *at++ = digits[sum[i] >> 4];
        *at++ = digits[sum[i] & 15];
    }
    *at++ = '"';
    *at = '\0';
}

static void written(const struct stub_entry *entry, bool is_copy, struct bytes *out)
{
    char headers[128];
    char document[160] = "";
    snprintf(headers, sizeof(headers), "ETag: %s\r\n", entry->etag);
    if (is_copy) {
        snprintf(document, sizeof(document),
                 "<CopyObjectResult><ETag>%s</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                 "</CopyObjectResult>",
                 entry->etag);
    }
    stub_answer(out, "200 OK", is_copy ? "Content-Type: application/xml\r\n" : headers, slice_of(document));
}

static void put_body(const struct stub_request *request, struct stub_entry *entry, struct bytes *out)
{
    entry->body.len = 0;
    bytes_add_slice(&entry->body, request->body);
    keep_metadata(request->head, &entry->metadata);
    set_etag(entry);
    written(entry, false, out);
}

static void put_copy(const struct stub_request *request, struct slice from, struct stub_entry *entry, struct bytes *out)
{
    char name[1200];
    snprintf(name, sizeof(name), "%s%.*s", from.p[0] == '/' ? "" : "/", (int)from.len, from.p);
    const struct stub_entry *source = stub_find(slice_of(name));
    struct slice wanted = message_header(request->head, "x-amz-copy-source-if-match");
    if (!is_there(source)) {
        error_answer(request, "404 Not Found", no_key, out);
        return;
    }
    if (wanted.len > 0 && !slice_is(wanted, source->etag)) {
        error_answer(request, "412 Precondition Failed", unmet, out);
        return;
    }
    bool replaces = slice_is(message_header(request->head, "x-amz-metadata-directive"), "REPLACE");
    entry->body.len = 0;
    bytes_add(&entry->body, source->body.p, source->body.len);
    if (replaces) {
        keep_metadata(request->head, &entry->metadata);
    } else {
        entry->metadata.len = 0;
        bytes_add(&entry->metadata, source->metadata.p, source->metadata.len);
    }
    set_etag(entry);
    written(entry, true, out);
}

static void put(const struct stub_request *request, struct slice path, struct bytes *out)
{
    struct slice from = message_header(request->head, "x-amz-copy-source");
    struct stub_entry *entry = stub_find(path);
    if (!condition_holds(request, entry)) {
        error_answer(request, "412 Precondition Failed", unmet, out);
        return;
    }
    if (entry == NULL)
        entry = stub_add(path);
    if (from.len > 0)
        put_copy(request, from, entry, out);
    else
        put_body(request, entry, out);
}

/* ------------------------------------------------------------------------------------------------------- reading */

static void get(const struct stub_request *request, struct slice path, struct bytes *out)
{
    struct stub_entry *entry = stub_find(path);
    if (is_bucket(path)) {
        stub_answer(out, "200 OK", "", slice_of(""));
        return;
    }
    if (!is_there(entry)) {
        error_answer(request, "404 Not Found", no_key, out);
        return;
    }
    struct bytes headers = {0};
    bytes_add_f(&headers, "ETag: %s\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nAccept-Ranges: bytes\r\n",
                entry->etag);
    bytes_add(&headers, entry->metadata.p, entry->metadata.len);
    bool is_head = slice_is(request->method, "HEAD");
    if (is_head)
        bytes_add_f(&headers, "Content-Length: %zu\r\n", entry->body.len);
    bytes_add(&headers, "", 1);
    stub_answer(out, "200 OK", headers.p,
                (struct slice){is_head ? NULL : entry->body.p, is_head ? 0 : entry->body.len});
    bytes_free(&headers);
}

static void remove_object(const struct stub_request *request, struct slice path, struct bytes *out)
{
    struct stub_entry *entry = stub_find(path);
    if (!condition_holds(request, entry)) {
        error_answer(request, "412 Precondition Failed", unmet, out);
        return;
    }
    if (entry != NULL)
        entry->etag[0] = '\0';
    stub_answer(out, "204 No Content", "", (struct slice){NULL, 0});
}

void stub_s3(const struct stub_request *request, struct bytes *out)
{
    struct slice path = path_of(request->target);
    if (is_expired(request->target))
        error_answer(request, "403 Forbidden", expired, out);
    else if (slice_is(request->method, "PUT") && is_bucket(path))
        stub_answer(out, "200 OK", "", slice_of(""));
    else if (slice_is(request->method, "PUT"))
        put(request, path, out);
    else if (slice_is(request->method, "DELETE"))
        remove_object(request, path, out);
    else if (slice_is(request->method, "GET") || slice_is(request->method, "HEAD"))
        get(request, path, out);
    else
        stub_answer(out, "501 Not Implemented", "", slice_of(""));
}
