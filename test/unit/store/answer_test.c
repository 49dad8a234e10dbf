/* SPDX-License-Identifier: Apache-2.0 */
/* From what a store said to a code and a sentence. */
#include "store/answer.h"
#include "unit/api/client_scratch.h"

#include <string.h>

struct said {
    int status;
    const char *code;
    enum store_verb verb;
    os_code wanted;
};

TEST(the_stores_words_become_codes)
{
    static const struct said cases[] = {
        {404, "NoSuchBucket", STORE_PUT, OS_ERR_NO_BUCKET},
        {404, "NoSuchKey", STORE_GET, OS_ERR_NOT_FOUND},
        {404, "", STORE_HEAD, OS_ERR_NOT_FOUND},
        {404, "", STORE_HEAD_BUCKET, OS_ERR_NO_BUCKET},
        {403, "", STORE_HEAD, OS_ERR_DENIED},
        {403, "AccessDenied", STORE_PUT, OS_ERR_DENIED},
        {403, "InvalidAccessKeyId", STORE_PUT, OS_ERR_CREDENTIALS},
        {400, "ExpiredToken", STORE_PUT, OS_ERR_CREDENTIALS},
        {301, "PermanentRedirect", STORE_GET, OS_ERR_REGION},
        {301, "", STORE_HEAD, OS_ERR_REGION},
        {503, "SlowDown", STORE_PUT, OS_ERR_THROTTLED},
        {503, "", STORE_PUT, OS_ERR_THROTTLED},
        {429, "", STORE_PUT, OS_ERR_THROTTLED},
        {412, "PreconditionFailed", STORE_PUT, OS_ERR_CONFLICT},
        {412, "", STORE_PUT, OS_ERR_CONFLICT},
        {500, "InternalError", STORE_PUT, OS_ERR_SERVICE},
        {502, "", STORE_PUT, OS_ERR_SERVICE},
        {200, "InternalError", STORE_COPY, OS_ERR_SERVICE},
        {200, "SomethingNew", STORE_COPY, OS_ERR_SERVICE},
        {400, "SomethingNew", STORE_PUT, OS_ERR_REFUSED},
        {416, "", STORE_GET, OS_ERR_ARGUMENT},
        {501, "", STORE_PUT, OS_ERR_UNSUPPORTED},
        {507, "", STORE_PUT, OS_ERR_NO_SPACE},
        {404, "NoSuchUpload", STORE_COMPLETE, OS_ERR_NOT_FOUND},
        {404, "NoSuchUpload", STORE_ABORT_UPLOAD, OS_ERR_NOT_FOUND},
        {400, "InvalidPart", STORE_COMPLETE, OS_ERR_REFUSED},
        {400, "EntityTooSmall", STORE_COMPLETE, OS_ERR_REFUSED},
        {400, "BadDigest", STORE_UPLOAD_PART, OS_ERR_REFUSED},
        {200, "InternalError", STORE_COMPLETE, OS_ERR_SERVICE},
        {501, "NotImplemented", STORE_CREATE_UPLOAD, OS_ERR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store_answer answer = {.status = cases[i].status, .complete = true};
        strcpy(answer.service.code, cases[i].code);
        strcpy(answer.service.request_id, "req-7");
        store_answer_explain(&answer, cases[i].verb, "bucket", "the/key");
        CHECK_CODE(answer.code, cases[i].wanted, &answer.error);
        CHECK_SAYS(&answer.error, "s3://bucket/the/key");
        CHECK_SAYS(&answer.error, store_verb_name(cases[i].verb));
        assert_string_equal(answer.error.service_code, cases[i].code);
        assert_string_equal(answer.error.request_id, "req-7");
        assert_int_equal(answer.error.http_status, cases[i].status);
    }
}

/* What a person wants to know comes first. */
static const struct fact_row {
    const char *name;
    int status;
    const char *code;
    enum store_verb verb;
    const char *sentence;
} fact_rows[] = {
    {"a bucket", 404, "NoSuchBucket", STORE_PUT,
     "The bucket bucket does not exist: PUT of s3://bucket/the/key failed: NoSuchBucket (HTTP 404). Check the bucket's "
     "name and the endpoint."},
    {"the HEAD of a bucket", 404, "", STORE_HEAD_BUCKET,
     "The bucket bucket does not exist: HEAD of s3://bucket/the/key failed without a reason (HTTP 404). Check the "
     "bucket's name and the endpoint."},
    {"an object", 404, "NoSuchKey", STORE_GET,
     "There is no such object: GET of s3://bucket/the/key failed: NoSuchKey (HTTP 404)."},
    {"the HEAD of an object", 404, "", STORE_HEAD,
     "There is no such object: HEAD of s3://bucket/the/key failed without a reason (HTTP 404)."},
    {"a version", 404, "NoSuchVersion", STORE_GET,
     "There is no such version of the object: GET of s3://bucket/the/key failed: NoSuchVersion (HTTP 404)."},
};

TEST_ROWS(fact_rows, what_is_not_there_is_said_first)
{
    struct store_answer answer = {.status = row->status};
    strcpy(answer.service.code, row->code);
    store_answer_explain(&answer, row->verb, "bucket", "the/key");
    assert_string_equal(answer.error.message, row->sentence);
}

TEST(who_is_denied_is_told_how_to_look_at_the_keys)
{
    static const struct said cases[] = {{403, "", STORE_HEAD, OS_ERR_DENIED},
                                        {403, "AccessDenied", STORE_PUT, OS_ERR_DENIED},
                                        {401, "", STORE_GET, OS_ERR_DENIED},
                                        {403, "InvalidAccessKeyId", STORE_PUT, OS_ERR_CREDENTIALS},
                                        {400, "ExpiredToken", STORE_PUT, OS_ERR_CREDENTIALS}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store_answer answer = {.status = cases[i].status};
        strcpy(answer.service.code, cases[i].code);
        store_answer_explain(&answer, cases[i].verb, "bucket", "the/key");
        CHECK_CODE(answer.code, cases[i].wanted, &answer.error);
        CHECK_SAYS(&answer.error, "`oscommit credentials`");
        CHECK_SAYS(&answer.error, "expired");
    }
}

TEST(the_longest_names_leave_a_sentence)
{
    char bucket[256];
    char key[1025];
    struct store_answer answer = {.status = 403};
    memset(bucket, 'b', sizeof(bucket) - 1);
    bucket[sizeof(bucket) - 1] = '\0';
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    memset(answer.service.message, 'm', sizeof(answer.service.message) - 1);
    store_answer_explain(&answer, STORE_PUT, bucket, key);
    assert_true(strlen(answer.error.message) < sizeof(answer.error.message));
    CHECK_SAYS(&answer.error, "403");
    CHECK_SAYS(&answer.error, "Check the credentials");
}

TEST(no_answer_is_told_with_its_cause)
{
    struct store_answer answer = {.status = 0};
    store_answer_transport(&answer, STORE_GET, NULL, "k", OS_ERR_NETWORK, "could not connect to h");
    CHECK_CODE(answer.code, OS_ERR_NETWORK, &answer.error);
    CHECK_SAYS(&answer.error, "GET of k got no answer: could not connect to h");
}

TEST(a_long_content_type_is_cut)
{
    struct store_answer answer = {.status = 200};
    char type[400];
    memset(type, 't', sizeof(type) - 1);
    type[sizeof(type) - 1] = '\0';
    store_answer_content_type(&answer, NULL);
    assert_string_equal(answer.content_type, "");
    store_answer_content_type(&answer, type);
    assert_int_equal(strlen(answer.content_type), sizeof(answer.content_type) - 1);
}
