/* SPDX-License-Identifier: Apache-2.0 */
#include "store/answer.h"
#include "store/s3_http.h"

#include "base/error.h"

#include <string.h>

static void read_copy(const struct http_response *response, struct store_answer *answer)
{
    answer->code = s3_parse_copy(response, &answer->object, &answer->service, &answer->error);
    answer->result_document = answer->code == OS_OK;
}

static void read_complete(const struct http_response *response, struct store_answer *answer)
{
    struct s3_completed completed;
    answer->code = s3_parse_completed(response, &completed, &answer->service, &answer->error);
    answer->result_document = answer->code == OS_OK;
    if (answer->code != OS_OK)
        return;
    _Static_assert(sizeof(answer->object.etag) == sizeof(completed.etag), "");
    _Static_assert(sizeof(answer->object.version_id) == sizeof(completed.version_id), "");
    memcpy(answer->object.etag, completed.etag, sizeof(completed.etag));
    memcpy(answer->object.version_id, completed.version_id, sizeof(completed.version_id));
}

static void read_object(const struct store_request *request, const struct http_response *response,
                        struct store_answer *answer)
{
    answer->code = s3_parse_object(response, &answer->object, &answer->error);
    store_answer_content_type(answer, http_headers_get(&response->headers, "content-type"));
    if (request->verb == STORE_HEAD && answer->code == OS_OK && answer->status != 200)
        answer->code = error_set(&answer->error, OS_ERR_PROTOCOL,
                                 "HEAD of %.300s was answered with HTTP %d, which says nothing about an object. "
                                 "Connect to the store without a proxy that changes answers.",
                                 request->key, answer->status);
}

static void read_page(const struct store_request *request, const struct http_response *response,
                      struct store_answer *answer)
{
    const struct store_upload *upload = &request->upload;
    os_error *err = &answer->error;
    switch (request->verb) {
    case STORE_LIST_PARTS:
        answer->code = s3_parse_parts(response, upload->after_part, upload->each_part, upload->each_context,
                                      upload->parts_page, err);
        break;
    case STORE_LIST_UPLOADS:
        answer->code = s3_parse_uploads(response, upload->listed, upload->each_upload, upload->each_context,
                                        upload->uploads_page, err);
        break;
    case STORE_LIST_VERSIONS:
        answer->code = s3_parse_versions(response, request->versions, request->each_version, request->each_context,
                                         request->versions_page, err);
        break;
    default: answer->code = s3_parse_list(response, request->each, request->each_context, request->page, err); break;
    }
    if (answer->code == OS_ERR_PROTOCOL)
        s3_parse_error(response, &answer->service); /* an <Error> inside a 200 */
}

static void read_upload(const struct store_request *request, const struct http_response *response,
                        struct store_answer *answer)
{
    os_error *err = &answer->error;
    switch (request->verb) {
    case STORE_CREATE_UPLOAD:
        answer->code = s3_parse_create_upload(response, &answer->upload_id, &answer->service, err);
        break;
    case STORE_UPLOAD_PART: answer->code = s3_parse_part(response, &answer->part, err); break;
    case STORE_UPLOAD_PART_COPY:
        answer->code = s3_parse_part_copy(response, &answer->part, &answer->service, err);
        break;
    case STORE_COMPLETE: read_complete(response, answer); break;
    default: break;
    }
    answer->part.number = request->upload.part_number;
}

static void read_success(const struct store_request *request, const struct http_response *response,
                         struct store_answer *answer)
{
    os_error *err = &answer->error;
    switch (request->verb) {
    case STORE_HEAD:
    case STORE_GET:
    case STORE_PUT: read_object(request, response, answer); break;
    case STORE_DELETE: /* is done, whatever else the answer says */
        (void)s3_parse_object(response, &answer->object, NULL);
        break;
    case STORE_COPY: read_copy(response, answer); break;
    case STORE_LIST:
    case STORE_LIST_PARTS:
    case STORE_LIST_UPLOADS:
    case STORE_LIST_VERSIONS: read_page(request, response, answer); break;
    case STORE_GET_TAGS:
        answer->code = s3_parse_tags(response, request->each_tag, request->each_context, &answer->service, err);
        break;
    case STORE_GET_VERSIONING:
        answer->code = s3_parse_versioning(response, &answer->versioning, &answer->service, err);
        break;
    default: read_upload(request, response, answer); break;
    }
    answer->response = request->verb == STORE_HEAD || request->verb == STORE_GET ? response : NULL;
}

static void read_failure(const struct http_response *response, struct store_answer *answer)
{
    s3_parse_error(response, &answer->service);
    store_answer_content_type(answer, http_headers_get(&response->headers, "content-type"));
}

/* Some stores say so of an object that was given no tags, and of a bucket that has seen no upload (gofakes3); AWS
 * answers with an empty list. */
static bool lists_nothing(const struct store_request *request, const struct store_answer *answer)
{
    bool no_tags = request->verb == STORE_GET_TAGS && strcmp(answer->service.code, "NoSuchTagSet") == 0;
    bool no_uploads = request->verb == STORE_LIST_UPLOADS && strcmp(answer->service.code, "NoSuchUpload") == 0;
    if (no_uploads && request->upload.uploads_page)
        *request->upload.uploads_page = (struct s3_uploads_page){.truncated = false};
    return no_tags || no_uploads;
}

/* The 404 of a key whose last version is a delete marker names that. */
static void read_marker(const struct store_request *request, const struct http_response *response,
                        struct store_answer *answer)
{
    if (request->verb == STORE_HEAD && answer->status == 404)
        (void)s3_parse_object(response, &answer->object, NULL);
}

/* S3 answers 405 to who asks for a version that is one ("Working with delete markers", S3 user guide). */
static void explain_marker(const struct store_request *request, const struct http_response *response,
                           struct store_answer *answer)
{
    const char *marker = http_headers_get(&response->headers, "x-amz-delete-marker");
    if (request->version_id == NULL || answer->status != 405 || marker == NULL || strcmp(marker, "true") != 0)
        return;
    answer->object.delete_marker = true;
    answer->code = error_set(&answer->error, OS_ERR_NOT_FOUND,
                             "Version %.60s of %.300s is a delete marker: it says that the object was deleted.",
                             request->version_id, request->key);
    error_service(&answer->error, answer->status, answer->service.code, answer->service.request_id);
}

/* E9: all that it says is that another answered. */
static bool s3_answer_is_foreign(const struct http_response *response, enum store_marks marks)
{
    return marks != STORE_MARKS_NONE && response && s3_status_is_definite(response->status) &&
           s3_mark_of(response) == S3_MARK_NONE;
}

/* The store's clock, not that of a gateway that answers for it (5xx). */
static void read_date(const struct http_response *response, struct store_answer *answer)
{
    int64_t date_s;
    if (response->status >= 500 || !http_response_date(response, &date_s) || date_s <= 0)
        return;
    answer->has_date = true;
    answer->date_s = (uint64_t)date_s;
}

void s3_store_read(const struct store_request *request, const char *bucket, const struct http_result *result,
                   enum store_marks marks, struct store_answer *ret)
{
    const struct http_response *response = result->response;
    memset(ret, 0, sizeof(*ret));
    ret->tried = true;
    ret->sent = result->sent;
    ret->sent_ms = result->sent_us / 1000;
    ret->tail_kept = result->tail_kept;
    ret->tail_rate = result->sent_us > 0 ? result->acknowledged_bytes * 1000000 / result->sent_us : 0;
    if (s3_answer_is_foreign(response, marks)) {
        const struct store_stranger stranger = {.status = response->status,
                                                .type = http_headers_get(&response->headers, "content-type"),
                                                .server = http_headers_get(&response->headers, "server")};
        store_answer_foreign(ret, request->verb, bucket, request->key, &stranger, marks);
        return;
    }
    ret->complete = result->code == OS_OK;
    ret->status = response ? response->status : 0;
    if (response) {
        ret->mark = s3_mark_of(response);
        ret->dateless = http_headers_get(&response->headers, "date") == NULL;
        read_date(response, ret);
    }
    if (result->code != OS_OK) {
        store_answer_transport(ret, request->verb, bucket, request->key, result->code, result->message);
        return;
    }
    bool is_success = ret->status >= 200 && ret->status < 300;
    if (is_success)
        read_success(request, response, ret);
    else
        read_failure(response, ret);
    bool error_inside = ret->code != OS_OK && ret->service.code[0] != '\0';
    if ((!is_success || error_inside) && !lists_nothing(request, ret))
        store_answer_explain(ret, request->verb, bucket, request->key);
    read_marker(request, response, ret);
    explain_marker(request, response, ret);
}
