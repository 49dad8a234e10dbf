/* SPDX-License-Identifier: Apache-2.0 */
#include "store/answer.h"

#include "base/error.h"
#include "commit/version.h"

#include <stdio.h>
#include <string.h>

struct meaning {
    const char *code; /* the service's; NULL: by status alone */
    int status;       /* 0: any */
    os_code ours;
    const char *hint;
};

#define UNKNOWN_KEY                                                                                              \
    "The service does not know this access key: it was removed, is temporary and has expired, or is of another " \
    "service. `oscommit credentials` says where it comes from."
#define CHECK_KEYS "Check the credentials: `oscommit credentials` says whose they are, and whether they have expired."

/* Which error of S3 is which of ours, and what to do. The first that fits. Source: Amazon S3 API Reference, "Error
 * responses". */
static const struct meaning meanings[] = {
    {"NoSuchBucket", 0, OS_ERR_NO_BUCKET, "Check the bucket's name and the endpoint."},
    {"InvalidBucketName", 0, OS_ERR_REFUSED, "Check the bucket's name: S3 takes " BUCKET_NAME_FORM "."},
    {"NoSuchKey", 0, OS_ERR_NOT_FOUND, "There is no such object."},
    {"InvalidAccessKeyId", 0, OS_ERR_CREDENTIALS, UNKNOWN_KEY},
    {"XAdminUserNotFound", 0, OS_ERR_CREDENTIALS, UNKNOWN_KEY},
    {"ExpiredToken", 0, OS_ERR_CREDENTIALS,
     "The session token has expired; renew the credentials. `oscommit credentials` says where they come from."},
    {"InvalidToken", 0, OS_ERR_CREDENTIALS, "The session token is not valid; renew the credentials."},
    {"SignatureDoesNotMatch", 0, OS_ERR_DENIED,
     "Check the secret key and the region, and that no proxy changes requests."},
    {"RequestTimeTooSkewed", 0, OS_ERR_SERVICE, "Set this machine's clock."},
    {"AuthorizationHeaderMalformed", 0, OS_ERR_REGION, "Set the region of the bucket."},
    {"PermanentRedirect", 0, OS_ERR_REGION, "Set the region of the bucket."},
    {"TemporaryRedirect", 0, OS_ERR_REGION, "Set the region of the bucket, or try again later."},
    {"SlowDown", 0, OS_ERR_THROTTLED, "Try again later."},
    {"NoSuchUpload", 0, OS_ERR_NOT_FOUND, "There is no such upload: it was completed or aborted, or has expired."},
    {"NoSuchVersion", 0, OS_ERR_NOT_FOUND, "There is no such version of the object."},
    {"IdempotencyParameterMismatch", 0, OS_ERR_REFUSED, "The same client token was sent with another rename."},
    {"ExcessHeaderValues", 0, OS_ERR_UNSUPPORTED,
     "This store accepts no x-goog- condition together with x-amz- headers."},
    {"InvalidStorageClass", 0, OS_ERR_REFUSED, "This store has no such storage class."},
    {"InvalidTag", 0, OS_ERR_REFUSED, "The store takes no such tag."},
    {"InvalidPart", 0, OS_ERR_REFUSED, "A part is missing, or differs from what was sent: upload the parts again."},
    {"InvalidPartOrder", 0, OS_ERR_REFUSED, "The parts must be named in the order of their numbers."},
    {"EntityTooSmall", 0, OS_ERR_REFUSED, "The store wants larger parts: set a larger part size."},
    {"BadDigest", 0, OS_ERR_REFUSED, "The bytes were changed on the path: send them again."},
    {"XAmzContentChecksumMismatch", 0, OS_ERR_REFUSED, "The bytes were changed on the path: send them again."},
    {"EntityTooLarge", 0, OS_ERR_TOO_LARGE, "The store does not accept an object of this size in one request."},
    {"KeyTooLongError", 0, OS_ERR_ARGUMENT, "Use a shorter key."},
    {"PreconditionFailed", 0, OS_ERR_CONFLICT, "The condition did not hold."},
    {"InternalError", 0, OS_ERR_SERVICE, "Try again later."},
    {"NotImplemented", 0, OS_ERR_UNSUPPORTED,
     "This store does not support it; `oscommit probe` shows what it supports."},
    {NULL, 301, OS_ERR_REGION, "Set the region of the bucket."},
    {NULL, 307, OS_ERR_REGION, "Set the region of the bucket, or try again later."},
    {NULL, 401, OS_ERR_DENIED, CHECK_KEYS},
    {NULL, 403, OS_ERR_DENIED,
     CHECK_KEYS
     " Check that they allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket (without the last "
     "one, an absent key gets this answer too)."},
    {NULL, 404, OS_ERR_NOT_FOUND, "There is no such object."},
    {NULL, 409, OS_ERR_CONFLICT, "Another request for this key was in progress."},
    {NULL, 412, OS_ERR_CONFLICT, "The condition did not hold."},
    {NULL, 413, OS_ERR_TOO_LARGE, "The store does not accept an object of this size in one request."},
    {NULL, 416, OS_ERR_ARGUMENT, "The range lies outside the object."},
    {NULL, 429, OS_ERR_THROTTLED, "Try again later."},
    {NULL, 501, OS_ERR_UNSUPPORTED, "This store does not support it."},
    {NULL, 503, OS_ERR_THROTTLED, "Try again later."},
    {NULL, 507, OS_ERR_NO_SPACE, "The store is full."},
};

static const char *const verb_names[] = {
    [STORE_HEAD] = "HEAD",
    [STORE_GET] = "GET",
    [STORE_PUT] = "PUT",
    [STORE_COPY] = "COPY",
    [STORE_DELETE] = "DELETE",
    [STORE_LIST] = "LIST",
    [STORE_HEAD_BUCKET] = "HEAD",
    [STORE_CREATE_UPLOAD] = "CreateMultipartUpload",
    [STORE_UPLOAD_PART] = "UploadPart",
    [STORE_UPLOAD_PART_COPY] = "UploadPartCopy",
    [STORE_COMPLETE] = "CompleteMultipartUpload",
    [STORE_ABORT_UPLOAD] = "AbortMultipartUpload",
    [STORE_LIST_PARTS] = "ListParts",
    [STORE_LIST_UPLOADS] = "ListMultipartUploads",
    [STORE_RENAME] = "RenameObject",
    [STORE_GET_TAGS] = "GetObjectTagging",
    [STORE_LIST_VERSIONS] = "ListObjectVersions",
    [STORE_GET_VERSIONING] = "GetBucketVersioning",
};

const char *store_verb_name(enum store_verb verb)
{
    return verb_names[verb];
}

bool store_answer_is_of_request(const struct store_answer *answer)
{
    return answer->tried || answer->sent || answer->status != 0;
}

bool store_answer_names_version(const struct store_answer *answer)
{
    return version_is_own_id(answer->object.version_id);
}

/* "s3://bucket/key", cut so that a sentence around it fits. */
static void name_object(const char *bucket, const char *key, char *ret, size_t ret_size)
{
    snprintf(ret, ret_size, "%s%s%s%.300s", bucket ? "s3://" : "", bucket ? bucket : "", bucket && key ? "/" : "",
             key ? key : "");
}

static const struct meaning *meaning_of(const struct store_answer *answer)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        const struct meaning *m = &meanings[i];
        if (m->code ? strcmp(m->code, answer->service.code) == 0 : m->status == answer->status)
            return m;
    }
    return NULL;
}

/* What is not there comes first: "There is no such object: ". True: that was the hint. */
static bool describe_fact(const struct meaning *m, const char *bucket, char *ret, size_t ret_size)
{
    ret[0] = '\0';
    if (m->ours == OS_ERR_NO_BUCKET)
        snprintf(ret, ret_size, "The bucket %.255s does not exist: ", bucket ? bucket : "");
    if (m->ours == OS_ERR_NOT_FOUND)
        snprintf(ret, ret_size, "%.*s: ", (int)strlen(m->hint) - 1, m->hint);
    return m->ours == OS_ERR_NOT_FOUND;
}

void store_answer_explain(struct store_answer *answer, enum store_verb verb, const char *bucket, const char *key)
{
    static const struct meaning server = {NULL, 0, OS_ERR_SERVICE, "Try again later."};
    static const struct meaning other = {NULL, 0, OS_ERR_REFUSED, "The request will not be accepted as it is."};
    const struct meaning *m = meaning_of(answer);
    if (m == NULL)
        m = answer->status >= 500 || answer->status < 300 ? &server : &other;
    if (verb == STORE_HEAD_BUCKET && answer->status == 404)
        m = &meanings[0];
    char object[640];
    name_object(bucket, key, object, sizeof(object));
    const struct s3_error *said = &answer->service;
    char region[128] = "";
    if (said->region[0] && m->ours == OS_ERR_REGION)
        snprintf(region, sizeof(region), " The service names the region \"%s\".", said->region);
    char reason[384] = " without a reason";
    if (said->unreadable)
        snprintf(reason, sizeof(reason), " with an answer that is no error of S3's%s%s",
                 answer->content_type[0] ? ", but " : "", answer->content_type);
    char fact[320];
    bool begins_with_hint = describe_fact(m, bucket, fact, sizeof(fact));
    answer->code =
        error_set(&answer->error, m->ours, "%s%s of %s failed%s%s%s%.200s (HTTP %d%s%s).%s%s%s", fact,
                  store_verb_name(verb), object, said->code[0] ? ": " : reason, said->code,
                  said->message[0] ? ": " : "", said->message, answer->status, said->request_id[0] ? ", request " : "",
                  said->request_id, region, begins_with_hint ? "" : " ", begins_with_hint ? "" : m->hint);
    error_service(&answer->error, answer->status, said->code, said->request_id);
}

void store_answer_transport(struct store_answer *answer, enum store_verb verb, const char *bucket, const char *key,
                            os_code code, const char *detail)
{
    char object[640];
    name_object(bucket, key, object, sizeof(object));
    answer->code = error_set(&answer->error, code, "%s of %s got no answer: %s", store_verb_name(verb), object, detail);
    error_service(&answer->error, answer->status, NULL, NULL);
}

/* "HTTP 404 and text/html from nginx" */
static void describe_stranger(const struct store_stranger *stranger, char ret[256])
{
    bool has_type = stranger->type != NULL && stranger->type[0] != '\0';
    bool has_server = stranger->server != NULL && stranger->server[0] != '\0';
    (void)snprintf(ret, 256, "HTTP %d%s%.80s%s%.80s", stranger->status, has_type ? " and " : "",
                   has_type ? stranger->type : "", has_server ? " from " : "", has_server ? stranger->server : "");
}

void store_answer_foreign(struct store_answer *answer, enum store_verb verb, const char *bucket, const char *key,
                          const struct store_stranger *stranger, enum store_marks marks)
{
    static const char between[] =
        "which this store puts on every answer, so something in between made this one up. Check the proxy, ingress or "
        "load balancer in between. If it removes the mark, set answer_mark \"none\" in a store profile.";
    static const char elsewhere[] =
        "and nothing shows yet that a store sent it: it may be another kind of server, or a proxy, ingress or load "
        "balancer "
        "in between. If the store sends no marks, set answer_mark \"none\" in a store profile.";
    char object[640];
    char what[256];
    name_object(bucket, key, object, sizeof(object));
    describe_stranger(stranger, what);
    answer->foreign = true;
    answer->code = error_set(&answer->error, OS_ERR_NETWORK,
                             "%s of %s got no answer from the store: %s came without a mark (x-amz-request-id), %s",
                             store_verb_name(verb), object, what, marks == STORE_MARKS_ALL ? between : elsewhere);
    error_service(&answer->error, stranger->status, NULL, NULL);
}

void store_answer_name_setting(struct store_answer *answer, const struct endpoint *endpoint)
{
    char hint[ENDPOINT_HINT_SIZE];
    if (answer->code != OS_ERR_NETWORK && answer->code != OS_ERR_DEADLINE && answer->code != OS_ERR_TLS)
        return;
    endpoint_hint("s3", endpoint, hint);
    error_add(&answer->error, hint);
}

static bool is_given(const char *text)
{
    return text && text[0];
}

os_code store_answer_refuse_extras(const struct store_request *request, const char *store, os_error *err)
{
    const struct s3_attributes *wanted = request->attributes;
    const char *what = NULL;
    if (is_given(request->version_id) || is_given(request->source_version_id))
        what = "old versions";
    else if (wanted && wanted->tag_count > 0)
        what = "tags";
    else if (wanted && is_given(wanted->storage_class))
        what = "storage classes";
    else if (wanted && (is_given(wanted->encryption) || is_given(wanted->kms_key_id)))
        what = "encryption";
    if (what == NULL)
        return OS_OK;
    return error_set(err, OS_ERR_UNSUPPORTED, "%s has no %s: leave it out, or use another store.", store, what);
}

void store_answer_content_type(struct store_answer *answer, const char *content_type)
{
    if (content_type == NULL)
        return;
    size_t len = strnlen(content_type, sizeof(answer->content_type) - 1);
    memcpy(answer->content_type, content_type, len);
    answer->content_type[len] = '\0';
}
