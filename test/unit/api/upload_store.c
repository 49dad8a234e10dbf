/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/upload_store.h"
#include "support/test.h"

#include "store/dates.h"

#include <stdio.h>
#include <string.h>

/* The answer to one request, as it is put together. */
struct answer {
    const char *status;
    const char *headers;
    const char *body;
    bool lost;
    unsigned length; /* of the object that a HEAD shows */
    bool unsized;
};

static const struct answer done = {.status = "200 OK", .headers = "", .body = ""};

static struct answer failure(const char *status, const char *body)
{
    return (struct answer){.status = status, .headers = "", .body = body};
}

#define FAILURE(code) "<Error><Code>" code "</Code><Message>As the script says.</Message></Error>"

static struct answer no_upload(void)
{
    return failure("404 Not Found", FAILURE("NoSuchUpload"));
}

/* `good` is for what is done. */
static struct answer answer_by(enum upload_store_reply reply, struct answer good)
{
    switch (reply) {
    case REPLY_DONE:
    case REPLY_STAYS: break;
    case REPLY_LOST: good.lost = true; break;
    case REPLY_UNAVAILABLE: return failure("503 Slow Down", FAILURE("ServiceUnavailable"));
    case REPLY_DENIED: return failure("403 Forbidden", FAILURE("AccessDenied"));
    case REPLY_NO_UPLOAD: return no_upload();
    case REPLY_BARE_404: return failure("404 Not Found", "");
    case REPLY_INVALID_PART: return failure("400 Bad Request", FAILURE("InvalidPart"));
    }
    return good;
}

/* ------------------------------------------------------------------------------------------------ the object */

#define MODIFIED(at) "Last-Modified: Sat, 21 Nov 2026 " at " GMT\r\n"

/* A HEAD's error has no body. */
static struct answer look(struct upload_store *store, char *ret_headers, size_t size)
{
    struct answer answer = done;
    if (store->seen.aborts > 0)
        store->seen.looks++;
    if (store->seen.looks == 2 && store->script.at_last != OBJECT_ABSENT)
        store->object = store->script.at_last;
    if (store->seen.aborts > 0 && store->script.look != REPLY_DONE) {
        answer = answer_by(store->script.look, done);
        answer.body = "";
        return answer;
    }
    answer.headers = ret_headers;
    answer.length = UPLOAD_STORE_OURS - (store->object == OBJECT_CUT ? 1 : 0);
    answer.unsized = store->object == OBJECT_UNSIZED;
    switch (store->object) {
    case OBJECT_ABSENT: return failure("404 Not Found", "");
    case OBJECT_FIRST: snprintf(ret_headers, size, "ETag: %s\r\n" MODIFIED("09:00:00"), UPLOAD_STORE_FIRST_ETAG); break;
    case OBJECT_TOUCHED:
        snprintf(ret_headers, size, "ETag: %s\r\n" MODIFIED("09:01:00"), UPLOAD_STORE_FIRST_ETAG);
        break;
    case OBJECT_TORN:
        snprintf(ret_headers, size, "ETag: %s\r\n" MODIFIED("09:00:00") "x-amz-meta-oscommit-nonce: %s\r\n",
                 UPLOAD_STORE_FIRST_ETAG, store->nonce);
        break;
    case OBJECT_OTHER: snprintf(ret_headers, size, "ETag: %s\r\n" MODIFIED("10:00:00"), UPLOAD_STORE_OTHER_ETAG); break;
    case OBJECT_REPLACING:
        snprintf(ret_headers, size,
                 "ETag: %s\r\n" MODIFIED("10:00:00") "x-amz-meta-oscommit-nonce: fedcba9876543210fedcba9876543210\r\n"
                                                     "x-amz-meta-oscommit-replaced: %s\r\n",
                 UPLOAD_STORE_OTHER_ETAG, store->nonce);
        break;
    case OBJECT_UNSIZED:
    case OBJECT_OURS:
    case OBJECT_CUT:
        snprintf(ret_headers, size,
                 "ETag: %s\r\n" MODIFIED("10:00:00") "x-amz-version-id: %s\r\nx-amz-meta-oscommit-nonce: %s\r\n",
                 UPLOAD_STORE_OURS_ETAG, UPLOAD_STORE_OURS_ID, store->nonce);
        break;
    }
    return answer;
}

/* ------------------------------------------------------------------------------------------------ the upload */

static struct answer create(struct upload_store *store, const struct http_server_record *record)
{
    const char *nonce = http_headers_get(&record->headers, "x-amz-meta-oscommit-nonce");
    assert_non_null(nonce);
    snprintf(store->nonce, sizeof(store->nonce), "%s", nonce);
    store->seen.creations++;
    store->seen.open = true;
    struct answer answer = done;
    answer.body = "<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>";
    return answer;
}

static struct answer complete(struct upload_store *store)
{
    struct answer answer = done;
    store->seen.completes++;
    if (store->seen.completes == 1) {
        store->object = store->script.at_complete;
        store->seen.open = !store->script.closed;
        if (store->cancel)
            os_cancel_trigger(store->cancel);
        answer.lost = store->script.first == REPLY_DONE;
        return answer_by(store->script.first, answer);
    }
    if (!store->seen.open)
        return no_upload();
    if (store->seen.completes == 2 && store->script.complete != REPLY_DONE)
        return answer_by(store->script.complete, done);
    store->object = OBJECT_OURS;
    store->seen.open = false;
    answer.headers = "x-amz-version-id: " UPLOAD_STORE_OURS_ID "\r\n";
    answer.body =
        "<CompleteMultipartUploadResult><ETag>" UPLOAD_STORE_OURS_ETAG "</ETag></CompleteMultipartUploadResult>";
    return answer;
}

static struct answer list_parts(const struct upload_store *store)
{
    struct answer good = done;
    good.body = "<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>";
    if (!store->seen.open)
        return no_upload();
    return answer_by(store->seen.aborts == 0 ? store->script.parts : REPLY_DONE, good);
}

static struct answer abort_upload(struct upload_store *store)
{
    bool was_open = store->seen.open;
    if (store->seen.aborts++ == 0)
        store->object = store->script.at_abort;
    enum upload_store_reply reply = store->script.abort;
    bool ends = reply == REPLY_DONE || reply == REPLY_LOST || reply == REPLY_NO_UPLOAD;
    if (ends || (reply == REPLY_STAYS && store->seen.aborts > 1))
        store->seen.open = false;
    struct answer good = done;
    good.status = "204 No Content";
    return answer_by(reply, was_open ? good : no_upload());
}

/* ------------------------------------------------------------------------------------------------ requests */

static struct answer answer_to(struct upload_store *store, const struct http_server_record *record, char *ret_headers,
                               size_t size)
{
    const char *method = record->method;
    bool of_upload = strstr(record->target, "uploadId=an-upload") != NULL;
    if (!of_upload && strstr(record->target, "uploadId=") != NULL) { /* of an upload that is not here */
        store->seen.aborts += strcmp(method, "DELETE") == 0;
        return no_upload();
    }
    if (strcmp(method, "HEAD") == 0)
        return strncmp(record->target, "/bucket/key", 11) == 0 ? look(store, ret_headers, size) : done;
    if (strcmp(method, "POST") == 0)
        return of_upload ? complete(store) : create(store, record);
    if (strcmp(method, "GET") == 0)
        return of_upload ? list_parts(store) : failure("501 Not Implemented", FAILURE("NotImplemented"));
    if (strcmp(method, "DELETE") == 0 && of_upload)
        return abort_upload(store);
    assert_string_equal(method, "PUT");
    assert_true(of_upload && store->seen.open);
    struct answer part = done;
    part.headers = "ETag: \"44444444444444444444444444444444\"\r\n";
    part.lost = store->seen.parts++ == 0 && store->script.part_lost;
    return part;
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct upload_store *store = context;
    char headers[512];
    pthread_mutex_lock(&store->mutex);
    struct answer answer = answer_to(store, record, headers, sizeof(headers));
    unsigned minutes = store->seen.completes;
    pthread_mutex_unlock(&store->mutex);
    if (answer.lost) {
        *ret = (struct http_server_step){.leave = HTTP_SERVER_CLOSE};
        return;
    }
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:%02u:00 GMT\r\nx-amz-request-id: 1\r\n%s",
              answer.status, minutes, answer.headers);
    if (!answer.unsized)
        buf_add_f(scratch, "Content-Length: %zu\r\n", strlen(answer.body) + answer.length);
    buf_add_f(scratch, "\r\n%s", answer.body);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

/* In front of dates_judge, for who has minutes pass with each Complete: this store's clock is always right. */
enum date_belief __wrap_dates_judge(struct dates *dates, uint64_t date_s, const struct clock_reading *sent,
                                    const struct clock_reading *now, uint32_t margin_s);

enum date_belief __wrap_dates_judge(struct dates *dates, uint64_t date_s, const struct clock_reading *sent,
                                    const struct clock_reading *now, uint32_t margin_s)
{
    (void)now;
    (void)margin_s;
    if (!dates->known || date_s >= dates->date_s)
        *dates = (struct dates){.known = true, .date_s = date_s, .clock = *sent};
    return DATE_BELIEVED;
}

void upload_store_start(struct upload_store *ret, const struct upload_script *script, os_cancel *cancel)
{
    memset(ret, 0, sizeof(*ret));
    ret->script = *script;
    ret->cancel = cancel;
    ret->object = script->at_first;
    assert_int_equal(pthread_mutex_init(&ret->mutex, NULL), 0);
    const struct http_server_options options = {.respond = respond, .respond_context = ret};
    ret->server = http_server_start(&options);
}

void upload_store_stop(struct upload_store *store)
{
    http_server_stop(store->server);
    pthread_mutex_destroy(&store->mutex);
}

struct upload_store_seen upload_store_seen(struct upload_store *store)
{
    pthread_mutex_lock(&store->mutex);
    struct upload_store_seen seen = store->seen;
    pthread_mutex_unlock(&store->mutex);
    return seen;
}

void upload_store_allow_aborts(struct upload_store *store)
{
    pthread_mutex_lock(&store->mutex);
    store->script.abort = REPLY_DONE;
    pthread_mutex_unlock(&store->mutex);
}

void upload_store_refuse_looks(struct upload_store *store)
{
    pthread_mutex_lock(&store->mutex);
    store->script.look = REPLY_DENIED;
    pthread_mutex_unlock(&store->mutex);
}
