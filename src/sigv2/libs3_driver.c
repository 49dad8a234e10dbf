/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_driver.h"

#include "base/digest.h"
#include "base/error.h"
#include "sigv2/libs3_answer.h"
#include "sigv2/libs3_content.h"
#include "sigv2/libs3_list.h"
#include "sigv2/libs3_sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { READ_TRIES = 6 };

/* What every call is made of. */
struct request {
    const struct libs3_config *config;
    S3BucketContext bucket;
    const char *key;
    char encoded_source[3 * S3_KEY_MAX + 1]; /* COPY */
    struct libs3_content content;            /* PUT, COPY */
    char content_md5[32];
    uint64_t length; /* PUT */
    uint64_t offset; /* GET */
    uint64_t count;
    struct libs3_list_request list;
    char copied_etag[256];
};

/* ------------------------------------------------------------------------------------------------ what can be sent */

/* libcurl folds them away (RFC 3986, section 5.2.4), and the signature would be for another path. */
static bool has_dot_segment(const char *key)
{
    struct text rest = text_from(key);
    struct text segment;
    do {
        struct text all = rest;
        if (!text_take_until(&rest, '/', &segment)) {
            segment = all;
            rest = text_of(all.p, 0);
        }
        if (text_is(segment, ".") || text_is(segment, ".."))
            return true;
    } while (rest.len > 0);
    return false;
}

static os_code check_key(const char *key, os_error *err)
{
    os_code code = s3_check_key(key, err);
    if (code != OS_OK)
        return code;
    if (strchr(key, ' ') != NULL)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The object key has a blank, which libs3 would send as a plus sign; choose another key.");
    if (has_dot_segment(key))
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The object key has a segment \".\" or \"..\", which libs3 cannot send; choose another key.");
    return OS_OK;
}

os_code libs3_check_target(const struct s3_target *target, os_error *err)
{
    if (strcmp(target->endpoint->scheme, "http") == 0)
        return OS_OK;
    return error_set(err, OS_ERR_TLS,
                     "https://%s cannot be used with signature=v2: libs3 2.0 does not verify certificates. Run a TLS "
                     "proxy that does (such as stunnel) on this machine and give its http:// address.",
                     target->endpoint->host);
}

/* `key` NULL: the bucket itself. */
static os_code prepare(const struct libs3_config *config, const char *key, struct request *ret,
                       struct libs3_result *result, os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    memset(result, 0, sizeof(*result));
    ret->config = config;
    ret->key = key;
    ret->bucket = (S3BucketContext){
        .hostName = config->target->endpoint->host,
        .bucketName = config->target->bucket,
        .protocol = S3ProtocolHTTP,
        .uriStyle = config->target->virtual_host ? S3UriStyleVirtualHost : S3UriStylePath,
        .accessKeyId = config->access_key_id,
        .secretAccessKey = config->secret_access_key,
    };
    os_code code = libs3_check_target(config->target, err);
    return code == OS_OK && key ? check_key(key, err) : code;
}

/* Keys and headers have passed the builder's checks before libs3 sees them. */
static os_code prepare_content(struct request *request, const struct s3_content *content, os_error *err)
{
    static const struct s3_content none = {0};
    static const struct http_body nothing = {.kind = HTTP_BODY_NONE};
    struct http_request probe;
    if (content == NULL)
        content = &none;
    os_code code = s3_build_put(request->config->target, request->key, &nothing, content, NULL, &probe, err);
    http_request_free(&probe);
    return code == OS_OK ? libs3_content_fill(content, &request->content, err) : code;
}

static struct libs3_subject subject_of(const struct request *request, const char *verb)
{
    return (struct libs3_subject){
        .verb = verb, .bucket = request->bucket.bucketName, .key = request->key, .host = request->bucket.hostName};
}

/* Runs one request; what it leaves in `run` is the caller's to free, also on failure. */
static os_code libs3_driver_perform(struct libs3_run *run, const struct request *request, const char *verb,
                                    libs3_begin_fn begin, struct libs3_result *ret, os_error *err)
{
    struct libs3_subject subject = subject_of(request, verb);
    libs3_run_until_done(run, begin, request);
    return libs3_answer(run, &subject, ret, err);
}

/* ------------------------------------------------------------------------------------------------ HEAD */

static void begin_head(struct libs3_run *run, const void *arguments)
{
    const struct request *request = arguments;
    S3_head_object(&request->bucket, request->key, run->context, &libs3_run_response, run);
}

/* A read whose answer the tap missed is made again. */
static os_code perform_read(struct libs3_run *run, const struct request *request, const char *verb,
                            libs3_begin_fn begin, struct libs3_result *ret, os_error *err)
{
    run->reads = true;
    os_code code = libs3_driver_perform(run, request, verb, begin, ret, err);
    for (int i = 1; i < READ_TRIES && libs3_answer_missed(run); i++) {
        if (!libs3_run_again(run))
            return error_no_memory(err);
        memset(ret, 0, sizeof(*ret));
        code = libs3_driver_perform(run, request, verb, begin, ret, err);
    }
    return code;
}

/* The answer's headers stay in run->tap.answer. */
static os_code libs3_driver_head(struct libs3_run *run, const struct request *request, struct libs3_result *ret,
                                 os_error *err)
{
    run->peek.no_body = true;
    run->peek.sends_nothing = true;
    os_code code = perform_read(run, request, "HEAD", begin_head, ret, err);
    if (code == OS_OK && (ret->status < 300 || ret->status == 404))
        code = s3_parse_object(&run->peek.answer, &ret->object, err);
    return code;
}

os_code libs3_head(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                   struct libs3_result *ret, os_error *err)
{
    struct request request;
    struct libs3_run run;
    os_code code = prepare(config, key ? key : "", &request, ret, err);
    if (code != OS_OK)
        return code;
    code = libs3_run_init(&run, call) ? libs3_driver_head(&run, &request, ret, err) : error_no_memory(err);
    libs3_run_free(&run);
    return code;
}

/* ------------------------------------------------------------------------------------------------ GET */

static void begin_get(struct libs3_run *run, const void *arguments)
{
    const struct request *request = arguments;
    const S3GetObjectHandler handler = {libs3_run_response, libs3_sink_take};
    S3_get_object(&request->bucket, request->key, NULL, request->offset, request->count, run->context, &handler, run);
}

static os_code get(struct libs3_run *run, const struct request *request, struct libs3_result *ret, os_error *err)
{
    struct libs3_subject subject = subject_of(request, "GET");
    run->peek.sends_nothing = true;
    os_code code = perform_read(run, request, "GET", begin_get, ret, err);
    if (code != OS_OK || ret->status >= 300)
        return code;
    code = libs3_sink_begin(run, err);
    if (code == OS_OK)
        code = s3_parse_object(&run->peek.answer, &ret->object, err);
    if (code == OS_OK)
        code = libs3_answer_body(run, &subject, err);
    return code == OS_OK ? libs3_sink_end(run, &ret->object, err) : code;
}

os_code libs3_get(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                  const struct libs3_reading *reading, struct libs3_result *ret, os_error *err)
{
    struct request request;
    struct libs3_run run;
    os_code code = prepare(config, key ? key : "", &request, ret, err);
    if (code != OS_OK)
        return code;
    request.offset = reading->offset;
    request.count = reading->count > UINT64_MAX - reading->offset ? 0 : reading->count;
    bool ok = libs3_run_init(&run, call);
    run.sink = reading->sink;
    run.sink_context = reading->sink_context;
    run.key = request.key;
    run.offset = request.offset;
    run.count = request.count;
    code = ok ? get(&run, &request, ret, err) : error_no_memory(err);
    libs3_run_free(&run);
    return code;
}

/* ------------------------------------------------------------------------------------------------ PUT */

static int body_failed(struct libs3_run *run, os_code code)
{
    run->body_code = code;
    run->body_errno = errno;
    return -1;
}

/* The last piece of a file goes out only when nothing has grown behind it: a body cut short is never applied. */
static int read_file(struct libs3_run *run, char *buffer, size_t wanted)
{
    int fd = run->body->fd;
    ssize_t got = pread(fd, buffer, wanted, (off_t)run->body_offset);
    if (got < 0)
        return body_failed(run, OS_ERR_IO);
    char behind;
    bool last = run->body_offset + (uint64_t)got == run->body->length;
    if (got == 0 || (last && pread(fd, &behind, 1, (off_t)run->body->length) > 0))
        return body_failed(run, OS_ERR_BODY);
    return (int)got;
}

static int on_body(int size, char *buffer, void *context)
{
    struct libs3_run *run = context;
    uint64_t left = run->body->length - run->body_offset;
    size_t wanted = left < (uint64_t)size ? (size_t)left : (size_t)size;
    if (wanted == 0)
        return 0;
    int got = (int)wanted;
    if (run->body->kind == HTTP_BODY_FILE)
        got = read_file(run, buffer, wanted);
    else
        memcpy(buffer, (const char *)run->body->data + run->body_offset, wanted);
    if (got > 0)
        run->body_offset += (uint64_t)got;
    return got;
}

static void begin_put(struct libs3_run *run, const void *arguments)
{
    const struct request *request = arguments;
    const S3PutObjectHandler handler = {libs3_run_response, on_body};
    S3_put_object(&request->bucket, request->key, request->length, &request->content.properties, run->context, &handler,
                  run);
}

/* The store compares it with what arrived. */
static void add_md5(struct request *request, const struct http_body *body)
{
    unsigned char digest[MD5_SIZE];
    struct buf text;
    buf_init(&text, sizeof(request->content_md5) - 1);
    if (body->kind == HTTP_BODY_MEMORY && md5_digest(body->data, (size_t)body->length, digest) &&
        text_base64_encode(&text, digest, sizeof(digest)) && TEXT_COPY_STR(buf_str(&text), request->content_md5))
        request->content.properties.md5 = request->content_md5;
    buf_free(&text);
}

os_code libs3_put(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                  const struct http_body *body, const struct s3_content *content, struct libs3_result *ret,
                  os_error *err)
{
    struct request request;
    struct libs3_run run;
    os_code code = prepare(config, key ? key : "", &request, ret, err);
    if (code == OS_OK)
        code = prepare_content(&request, content, err);
    if (code != OS_OK)
        return code;
    bool ok = libs3_run_init(&run, call);
    run.body = body;
    request.length = body->kind == HTTP_BODY_NONE ? 0 : body->length;
    run.peek.sends_nothing = request.length == 0;
    add_md5(&request, body);
    code = ok ? libs3_driver_perform(&run, &request, "PUT", begin_put, ret, err) : error_no_memory(err);
    if (code == OS_OK && ret->status < 300)
        code = s3_parse_object(&run.peek.answer, &ret->object, err);
    libs3_run_free(&run);
    return code;
}

/* ------------------------------------------------------------------------------------------------ COPY */

static void begin_copy(struct libs3_run *run, const void *arguments)
{
    struct request *request = (struct request *)arguments; /* libs3 writes the ETag into it */
    S3_copy_object(&request->bucket, request->encoded_source, NULL, request->key, &request->content.properties, NULL,
                   (int)sizeof(request->copied_etag), request->copied_etag, run->context, &libs3_run_response, run);
}

/* V2: a 2xx is a success only with the result document. One whose length is not said was read by libs3, which gives an
 * ETag from nothing but the <CopyObjectResult> of a 2xx. */
static os_code read_copy(const struct libs3_run *run, const struct request *request, struct libs3_result *ret,
                         os_error *err)
{
    if (run->peek.whole_body)
        return s3_parse_copy(&run->peek.answer, &ret->object, &ret->error, err);
    if (run->status != S3StatusOK || run->closed || request->copied_etag[0] == '\0' ||
        !TEXT_COPY_STR(request->copied_etag, ret->object.etag))
        return error_set(err, OS_ERR_PROTOCOL, "The store's answer to the copy to %.300s has no readable result.",
                         request->key);
    return OS_OK;
}

/* What the source carries, and the guard's own entries. */
static os_code carry(const struct libs3_run *source, struct request *request, const struct libs3_copy_request *wanted,
                     os_error *err)
{
    os_metadata list[LIBS3_METADATA_MAX];
    struct s3_content content;
    if (!s3_content_of(&source->peek.answer, list, LIBS3_METADATA_MAX, &content))
        return error_set(err, OS_ERR_UNSUPPORTED, "The source of the copy has more than %d metadata entries.",
                         LIBS3_METADATA_MAX);
    /* One that does not fit is the store's to refuse. */
    content.fencing = s3_copied_fencing(&source->peek.answer.headers, wanted->fencing);
    if (s3_content_has_room(&content, wanted->nonce, NULL, NULL))
        content.nonce = wanted->nonce;
    if (content.nonce && s3_content_has_room(&content, wanted->nonce, wanted->replaced, NULL))
        content.replaced = wanted->replaced;
    return prepare_content(request, &content, err);
}

static os_code encode_source(struct request *request, const char *source_key, os_error *err)
{
    struct buf text;
    buf_init(&text, sizeof(request->encoded_source) - 1);
    bool ok = text_percent_encode(&text, text_from(source_key), true) &&
              TEXT_COPY_STR(buf_str(&text), request->encoded_source);
    buf_free(&text);
    return ok ? OS_OK : error_no_memory(err);
}

/* It rests on the answer of the HEAD, and is the store's if that was (E9). */
static void answer_changed(struct libs3_result *ret)
{
    bool marked = ret->marked;
    memset(ret, 0, sizeof(*ret));
    ret->marked = marked;
    ret->status = 412;
    memcpy(ret->error.code, "PreconditionFailed", sizeof("PreconditionFailed"));
    memcpy(ret->error.condition, "x-amz-copy-source-If-Match", sizeof("x-amz-copy-source-If-Match"));
    memcpy(ret->error.message, "The source is not the expected version.",
           sizeof("The source is not the expected version."));
}

static os_code copy_from(struct libs3_run *source, const struct libs3_call *call, struct request *request,
                         const struct libs3_copy_request *wanted, struct libs3_result *ret, os_error *err)
{
    struct libs3_run run;
    memset(ret, 0, sizeof(*ret));
    os_code code = carry(source, request, wanted, err);
    if (code != OS_OK)
        return code;
    bool ok = libs3_run_init(&run, call);
    run.peek.want_body = true;
    run.peek.sends_nothing = true;
    code = ok ? libs3_driver_perform(&run, request, "COPY", begin_copy, ret, err) : error_no_memory(err);
    if (code == OS_OK && ret->status < 300)
        code = read_copy(&run, request, ret, err);
    libs3_run_free(&run);
    return code;
}

os_code libs3_copy(const struct libs3_config *config, const struct libs3_call *call,
                   const struct libs3_copy_request *wanted, struct libs3_result *ret, os_error *err)
{
    struct request source_request;
    struct request request;
    struct libs3_run source_run;
    os_code code = prepare(config, wanted->source_key ? wanted->source_key : "", &source_request, ret, err);
    if (code == OS_OK)
        code = prepare(config, wanted->key ? wanted->key : "", &request, ret, err);
    if (code == OS_OK)
        code = encode_source(&request, wanted->source_key, err);
    if (code != OS_OK)
        return code;
    code = libs3_run_init(&source_run, call) ? libs3_driver_head(&source_run, &source_request, ret, err)
                                             : error_no_memory(err);
    ret->sent = false; /* of the copy */
    if (code == OS_OK && ret->status < 300 && wanted->source_etag && wanted->source_etag[0] &&
        strcmp(wanted->source_etag, ret->object.etag) != 0)
        answer_changed(ret);
    if (code == OS_OK && ret->status < 300)
        code = copy_from(&source_run, call, &request, wanted, ret, err);
    libs3_run_free(&source_run);
    return code;
}

/* ------------------------------------------------------------------------------------------------ DELETE */

static void begin_delete(struct libs3_run *run, const void *arguments)
{
    const struct request *request = arguments;
    S3_delete_object(&request->bucket, request->key, run->context, &libs3_run_response, run);
}

os_code libs3_delete(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                     struct libs3_result *ret, os_error *err)
{
    struct request request;
    struct libs3_run run;
    os_code code = prepare(config, key ? key : "", &request, ret, err);
    if (code != OS_OK)
        return code;
    bool ok = libs3_run_init(&run, call);
    run.peek.sends_nothing = true;
    code = ok ? libs3_driver_perform(&run, &request, "DELETE", begin_delete, ret, err) : error_no_memory(err);
    libs3_run_free(&run);
    return code;
}

/* ------------------------------------------------------------------------------------------------ LIST */

static void begin_list(struct libs3_run *run, const void *arguments)
{
    const struct request *request = arguments;
    libs3_page_empty(run->page); /* of what a try that was missed left in it */
    libs3_list_begin(run, &request->bucket, &request->list);
}

static os_code list(const struct libs3_config *config, const struct libs3_call *call,
                    const struct libs3_list_request *wanted, struct libs3_page *page, struct libs3_result *ret,
                    os_error *err)
{
    struct request request;
    struct libs3_run run;
    os_code code = prepare(config, NULL, &request, ret, err);
    if (code != OS_OK)
        return code;
    struct libs3_subject subject = subject_of(&request, "LIST");
    request.list = *wanted;
    bool ok = libs3_run_init(&run, call);
    run.page = page;
    run.peek.sends_nothing = true;
    run.peek.wait_for_body = true;
    code = ok ? perform_read(&run, &request, "LIST", begin_list, ret, err) : error_no_memory(err);
    if (code == OS_OK && ret->status < 300)
        code = libs3_answer_body(&run, &subject, err);
    if (code == OS_OK && ret->status < 300)
        code = libs3_page_check(page, &run.peek.answer, err);
    libs3_run_free(&run);
    return code;
}

os_code libs3_list(const struct libs3_config *config, const struct libs3_call *call,
                   const struct libs3_list_request *wanted, struct s3_list_page *page, struct libs3_result *ret,
                   os_error *err)
{
    struct libs3_page collected;
    libs3_page_init(&collected);
    os_code code = list(config, call, wanted, &collected, ret, err);
    if (code == OS_OK && ret->status < 300)
        code = libs3_page_give(&collected, wanted->each, wanted->each_context, page, err);
    libs3_page_free(&collected);
    return code;
}

os_code libs3_head_bucket(const struct libs3_config *config, const struct libs3_call *call, struct libs3_result *ret,
                          os_error *err)
{
    struct libs3_list_request wanted = {.max_keys = 1};
    struct libs3_page collected;
    libs3_page_init(&collected);
    os_code code = list(config, call, &wanted, &collected, ret, err);
    libs3_page_free(&collected);
    return code;
}
