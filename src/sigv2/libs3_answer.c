/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_answer.h"

#include "base/error.h"
#include "s3/answer_mark.h"

#include <stdio.h>
#include <string.h>

static os_code libs3_answer_failed(os_error *err, os_code code, const struct libs3_subject *subject,
                                   const char *sentence)
{
    return error_set(err, code, "%s of s3://%s%s%.300s through libs3 failed: %s", subject->verb, subject->bucket,
                     subject->key ? "/" : "", subject->key ? subject->key : "", sentence);
}

/* ------------------------------------------------------------------------------------------------ an answer came */

/* A document whose length the answer does not say was read by libs3 alone. */
static void add_libs3_error(const struct libs3_run *run, struct s3_error *ret)
{
    if (run->code[0] == '\0' || ret->code[0])
        return;
    memcpy(ret->code, run->code, sizeof(ret->code));
    memcpy(ret->message, run->message, sizeof(ret->message));
}

static void fill_answer(const struct libs3_run *run, struct libs3_result *ret)
{
    const struct http_response *answer = &run->peek.answer;
    const char *type = http_headers_get(&answer->headers, "content-type");
    ret->status = answer->status;
    ret->marked = s3_mark_of(answer) != S3_MARK_NONE;
    if (answer->status < 500)
        (void)http_response_date(answer, &ret->date_s);
    if (type)
        snprintf(ret->content_type, sizeof(ret->content_type), "%s", type);
    if (answer->status >= 300) {
        s3_parse_error(answer, &ret->error);
        add_libs3_error(run, &ret->error);
    }
}

/* ------------------------------------------------------------------------------------------------ it was missed */

struct known_status {
    S3Status status;
    int http_status;
};

/* What libs3 itself says of a read's answer, as far as it can be relied on: these come from an error document, or from
 * a final status. Success is not among them (libs3_driver.h). A write takes nothing from libs3: a redirect that was
 * missed as well was followed, and the last answer speaks only for the last copy (R8). */
static const struct known_status known[] = {
    {S3StatusErrorAccessDenied, 403},          {S3StatusErrorBadDigest, 400},
    {S3StatusErrorEntityTooLarge, 400},        {S3StatusErrorInvalidAccessKeyId, 403},
    {S3StatusErrorInvalidArgument, 400},       {S3StatusErrorInvalidBucketName, 400},
    {S3StatusErrorMetadataTooLarge, 400},      {S3StatusErrorMissingContentLength, 411},
    {S3StatusErrorNoSuchBucket, 404},          {S3StatusErrorNoSuchKey, 404},
    {S3StatusErrorPreconditionFailed, 412},    {S3StatusErrorRequestTimeTooSkewed, 403},
    {S3StatusErrorSignatureDoesNotMatch, 403}, {S3StatusHttpErrorForbidden, 403},
    {S3StatusHttpErrorNotFound, 404},
};

static int known_status(S3Status status)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].status == status)
            return known[i].http_status;
    return 0;
}

bool libs3_answer_missed(const struct libs3_run *run)
{
    return run->missed || run->peek.overread ||
           (!run->peek.answered && run->ended == OS_OK && run->done &&
            (run->status == S3StatusOK || run->status >= S3StatusErrorAccessDenied));
}

/* ------------------------------------------------------------------------------------------------ none came */

static bool refused_by_libs3(S3Status status)
{
    return status >= S3StatusInvalidBucketNameTooLong && status <= S3StatusUriTooLong;
}

static bool never_connected(S3Status status)
{
    return status == S3StatusNameLookupError || status == S3StatusFailedToConnect;
}

static os_code explain_body(const struct libs3_run *run, const struct libs3_subject *subject, os_error *err)
{
    if (run->body_code == OS_ERR_BODY)
        return libs3_answer_failed(err, OS_ERR_BODY, subject,
                                   "the file grew or shrank while it was sent; write it to a file of its own first.");
    char sentence[200];
    snprintf(sentence, sizeof(sentence), "the file could not be read: %s.", strerror(run->body_errno));
    return libs3_answer_failed(err, OS_ERR_IO, subject, sentence);
}

static os_code explain_status(const struct libs3_run *run, const struct libs3_subject *subject,
                              struct libs3_result *ret, os_error *err)
{
    char sentence[200];
    const char *name = S3_get_status_name(run->status);
    if (run->peek.no_memory || run->status == S3StatusOutOfMemory)
        return libs3_answer_failed(err, OS_ERR_NO_MEMORY, subject, "there is not enough memory.");
    if (refused_by_libs3(run->status)) {
        ret->sent = false;
        snprintf(sentence, sizeof(sentence), "libs3 cannot send this request (%s).", name);
        return libs3_answer_failed(err, OS_ERR_ARGUMENT, subject, sentence);
    }
    if (never_connected(run->status)) {
        ret->sent = run->stood;
        snprintf(sentence, sizeof(sentence), "the server %.80s cannot be reached (%s); check the endpoint%s.",
                 subject->host, name,
                 run->status == S3StatusNameLookupError ? ", and this machine's name resolution" : "");
        return libs3_answer_failed(err, OS_ERR_NETWORK, subject, sentence);
    }
    if (libs3_answer_missed(run))
        return libs3_answer_failed(err, OS_ERR_NETWORK, subject, "the answer was not seen before libs3 read it.");
    snprintf(sentence, sizeof(sentence), "the connection ended without an answer that can be used (%s).", name);
    return libs3_answer_failed(err, OS_ERR_NETWORK, subject, sentence);
}

static os_code explain_end(const struct libs3_run *run, const struct libs3_subject *subject, os_error *err)
{
    switch (run->ended) {
    case OS_ERR_DEADLINE:
        return libs3_answer_failed(err, OS_ERR_DEADLINE, subject, "the deadline passed before an answer came.");
    case OS_ERR_CANCELLED: return libs3_answer_failed(err, OS_ERR_CANCELLED, subject, "it was cancelled.");
    case OS_ERR_NO_MEMORY: return libs3_answer_failed(err, OS_ERR_NO_MEMORY, subject, "there is not enough memory.");
    case OS_ERR_PROTOCOL:
        return libs3_answer_failed(err, OS_ERR_PROTOCOL, subject,
                                   "the server sent more bytes than its answer can have.");
    default: return libs3_answer_failed(err, OS_ERR_NETWORK, subject, "libs3 could not go on with it.");
    }
}

os_code libs3_answer(const struct libs3_run *run, const struct libs3_subject *subject, struct libs3_result *ret,
                     os_error *err)
{
    ret->sent = libs3_run_sent(run);
    snprintf(ret->detail, sizeof(ret->detail), "%s", S3_get_status_name(run->status));
    if (run->peek.answered) {
        ret->sent = true;
        fill_answer(run, ret);
        return OS_OK;
    }
    if (run->ended != OS_OK)
        return explain_end(run, subject, err);
    if (run->body_code != OS_OK)
        return explain_body(run, subject, err);
    ret->status = run->peek.no_memory || !run->reads ? 0 : known_status(run->status);
    if (ret->status != 0) {
        add_libs3_error(run, &ret->error);
        return OS_OK;
    }
    return explain_status(run, subject, ret, err);
}

/* libs3 takes CURLE_PARTIAL_FILE for a success, so that the end of the answer is checked here. */
static bool came_whole(const struct libs3_run *run)
{
    if (run->sink && run->read.has_length)
        return run->read.received >= run->read.length;
    return run->peek.whole_body || (run->kept && !run->closed);
}

os_code libs3_answer_body(const struct libs3_run *run, const struct libs3_subject *subject, os_error *err)
{
    if (run->sink_stopped)
        return libs3_answer_failed(err, OS_ERR_STOPPED, subject, "its receiver stopped it.");
    if (run->ended != OS_OK)
        return explain_end(run, subject, err);
    if (run->status == S3StatusOutOfMemory)
        return libs3_answer_failed(err, OS_ERR_NO_MEMORY, subject, "there is not enough memory.");
    if (run->status != S3StatusOK || !came_whole(run))
        return libs3_answer_failed(err, OS_ERR_NETWORK, subject, "the answer was cut short.");
    return OS_OK;
}
