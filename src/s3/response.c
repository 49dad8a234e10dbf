/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/response.h"

#include "base/error.h"
#include "s3/answer_document.h"
#include "s3/metadata.h"
#include "s3/request.h"

#include <stddef.h>
#include <string.h>

/* Copies as much as fits, cut between characters; control characters become blanks, because these texts end in messages
 * and log lines. */
static void copy_printable(struct text text, char *ret, size_t ret_size)
{
    size_t len = text.len < ret_size - 1 ? text.len : ret_size - 1;
    while (len < text.len && len > 0 && ((unsigned char)text.p[len] & 0xc0) == 0x80)
        len--;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        ret[i] = c < 0x20 || c == 0x7f ? ' ' : text.p[i];
    }
    ret[len] = '\0';
}

static void copy_header(const struct http_response *response, const char *name, char *ret, size_t ret_size)
{
    const char *value = http_headers_get(&response->headers, name);
    if (value)
        copy_printable(text_from(value), ret, ret_size);
}

bool http_response_date(const struct http_response *response, int64_t *ret_epoch_s)
{
    const char *date = http_headers_get(&response->headers, "date");
    return date && text_parse_http_date(text_from(date), ret_epoch_s);
}

static struct text body_of(const struct http_response *response)
{
    return text_of(buf_str(&response->body), response->body.len);
}

/* ------------------------------------------------------------------------------------------------ errors */

struct error_state {
    struct s3_error *error;
    bool is_error; /* the root is <Error> */
};

struct error_field {
    const char *path;
    size_t offset;
    size_t size;
};

#define ERROR_FIELD(name, member)                                                                \
    {                                                                                            \
        "Error/" name, offsetof(struct s3_error, member), sizeof(((struct s3_error *)0)->member) \
    }

static const struct error_field error_fields[] = {
    ERROR_FIELD("Code", code),           ERROR_FIELD("Message", message),   ERROR_FIELD("Condition", condition),
    ERROR_FIELD("Region", region),       ERROR_FIELD("Endpoint", endpoint), ERROR_FIELD("ServerTime", server_time),
    ERROR_FIELD("RequestId", request_id)};

/* The first of each name counts, and a header before the body. */
static bool error_element(void *context, const char *path, struct text text)
{
    struct error_state *state = context;
    if (strncmp(path, "Error", 5) != 0 || (path[5] != '/' && path[5] != '\0'))
        return false;
    state->is_error = true;
    for (size_t i = 0; i < sizeof(error_fields) / sizeof(error_fields[0]); i++) {
        const struct error_field *field = &error_fields[i];
        char *member = (char *)state->error + field->offset;
        if (strcmp(path, field->path) == 0 && member[0] == '\0')
            copy_printable(text_trim(text), member, field->size);
    }
    return true;
}

/* Older stores name the right region in the message only: "... the region 'us-east-1' is wrong; expecting 'eu-west-1'".
 */
static void region_of_message(struct s3_error *error)
{
    const char *said = strstr(error->message, "expecting '");
    struct text rest = text_from(said);
    struct text region;
    if (strcmp(error->code, "AuthorizationHeaderMalformed") == 0 && error->region[0] == '\0' &&
        text_take_str(&rest, "expecting '") && text_take_until(&rest, '\'', &region))
        (void)text_copy(region, error->region, sizeof(error->region));
}

/* It ends in a host name and in a signature: letters, digits and hyphens only, or it is none. */
static void check_region(struct s3_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (strspn(error->region, letters) != strlen(error->region))
        error->region[0] = '\0';
}

static void error_headers(const struct http_response *response, struct s3_error *ret)
{
    memset(ret, 0, sizeof(*ret));
    copy_header(response, "x-amz-request-id", ret->request_id, sizeof(ret->request_id));
    copy_header(response, "x-amz-bucket-region", ret->region, sizeof(ret->region));
    check_region(ret);
}

void s3_parse_error(const struct http_response *response, struct s3_error *ret)
{
    error_headers(response, ret);
    struct text body = text_trim(body_of(response));
    if (body.len == 0)
        return;
    struct error_state state = {.error = ret};
    if (xml_read(body, error_element, &state) == XML_OK && state.is_error) {
        region_of_message(ret);
        check_region(ret);
        return;
    }
    error_headers(response, ret); /* half a document is no evidence */
    ret->unreadable = true;
}

/* ------------------------------------------------------------------------------------------------ objects */

os_code answer_unusable(os_error *err, const char *what)
{
    return error_set(err, OS_ERR_PROTOCOL, "The store's answer cannot be used: %s.", what);
}

static os_code parse_length(const struct http_response *response, struct s3_object *ret, os_error *err)
{
    const char *length = http_headers_get(&response->headers, "content-length");
    if (length && (!text_parse_u64(text_from(length), &ret->length) || ret->length > INT64_MAX))
        return answer_unusable(err, "its Content-Length is not a number");
    const char *range =
        http_headers_get(&response->headers, "content-range"); /* "bytes 0-9/100": the whole object's length */
    const char *slash = range ? strrchr(range, '/') : NULL;
    if (slash)
        (void)text_parse_u64(text_from(slash + 1), &ret->length);
    ret->has_length = length != NULL;
    return OS_OK;
}

os_code s3_parse_object(const struct http_response *response, struct s3_object *ret, os_error *err)
{
    struct s3_object object;
    memset(&object, 0, sizeof(object));
    const struct http_headers *headers = &response->headers;
    const char *etag = http_headers_get(headers, "etag");
    const char *marker = http_headers_get(headers, "x-amz-delete-marker");
    const char *modified = http_headers_get(headers, "last-modified");
    if (etag && !TEXT_COPY_STR(etag, object.etag))
        return answer_unusable(err, "its ETag is longer than 127 bytes");
    object.delete_marker = marker && text_is_nocase(text_from(marker), "true");
    if (modified)
        (void)text_parse_http_date(text_from(modified), &object.last_modified_s);
    (void)text_parse_u64(text_trim(text_from(http_headers_get(headers, S3_FENCING_HEADER))), &object.fencing);
    copy_header(response, S3_NONCE_HEADER, object.nonce, sizeof(object.nonce));
    copy_header(response, S3_REPLACED_HEADER, object.replaced, sizeof(object.replaced));
    os_code code = metadata_version_id(http_headers_get(headers, "x-amz-version-id"), object.version_id,
                                       sizeof(object.version_id), err);
    if (code == OS_OK)
        code = parse_length(response, &object, err);
    if (code == OS_OK)
        *ret = object;
    return code;
}

/* ------------------------------------------------------------------------------------------------ 200 with a body */

struct document_state {
    const struct answer_document *document;
    struct error_state error;
    bool refused;
};

const char *answer_below(const char *path, const char *root)
{
    size_t len = strlen(root);
    if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return NULL;
    return path[len] == '/' ? path + len + 1 : path + len;
}

static bool document_element(void *context, const char *path, struct text text)
{
    struct document_state *state = context;
    const char *below = answer_below(path, state->document->root);
    if (below == NULL && state->document->other_root)
        below = answer_below(path, state->document->other_root);
    if (below == NULL)
        return error_element(&state->error, path, text);
    state->refused = below[0] != '\0' && !state->document->each(state->document->context, below, text);
    return !state->refused;
}

os_code answer_document_read(const struct http_response *response, const struct answer_document *document,
                             struct s3_error *ret_error, os_error *err)
{
    error_headers(response, ret_error);
    struct document_state state = {.document = document, .error = {.error = ret_error}};
    enum xml_outcome outcome = xml_read(text_trim(body_of(response)), document_element, &state);
    if (outcome == XML_NO_MEMORY)
        return error_no_memory(err);
    if (outcome == XML_OK && state.error.is_error)
        return error_set(err, OS_ERR_SERVICE, "The store answered %s with 200 and the error %s inside: %s.",
                         document->of, ret_error->code, ret_error->message);
    if (outcome == XML_OK) /* of any other root document_element has refused its end */
        return OS_OK;
    error_headers(response, ret_error);
    ret_error->unreadable = true;
    return error_set(err, OS_ERR_PROTOCOL, "The store's answer cannot be used: %s must be answered by a whole <%s>%s.",
                     document->of, document->root, state.refused ? " in which all can be read" : "");
}

/* ------------------------------------------------------------------------------------------------ copy */

static bool copy_element(void *context, const char *path, struct text text)
{
    struct s3_object *object = context;
    if (strcmp(path, "ETag") == 0)
        return text_copy(text_trim(text), object->etag, sizeof(object->etag));
    if (strcmp(path, "LastModified") == 0)
        (void)text_parse_iso8601(text_trim(text), &object->last_modified_s);
    return true;
}

os_code s3_parse_copy(const struct http_response *response, struct s3_object *ret, struct s3_error *ret_error,
                      os_error *err)
{
    struct s3_object object;
    memset(&object, 0, sizeof(object));
    const struct answer_document document = {
        .root = "CopyObjectResult", .each = copy_element, .context = &object, .of = "the copy"};
    os_code code = answer_document_read(response, &document, ret_error, err);
    if (code == OS_OK)
        code = metadata_version_id(http_headers_get(&response->headers, "x-amz-version-id"), object.version_id,
                                   sizeof(object.version_id), err);
    if (code == OS_OK)
        *ret = object;
    return code;
}
