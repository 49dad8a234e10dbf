/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/verdict.h"

#include <stddef.h>
#include <string.h>

struct code_meaning {
    const char *code;
    enum attempt_answer answer;
};

/*
 * By the store's error code. Sources: Amazon S3 API Reference, "Error responses"; MinIO's and Garage's own codes as
 * measured. What is not here, and has no status below, is ambiguous (R10): InternalError, SlowDown, ServiceUnavailable,
 * RequestTimeout, NoSuchUpload, OperationAborted outside 409 ... A code is looked at only in a complete answer below
 * 500, in a 501, or in an error document inside a 200. The codes of a 409 (ConditionalRequestConflict,
 * OperationAborted, FileAlreadyExists) are the profile's affair (R7).
 */
static const struct code_meaning codes[] = {
    {"PreconditionFailed", ATTEMPT_PRECONDITION},
    /* E2 */
    {"RequestTimeTooSkewed", ATTEMPT_SKEWED},
    {"ExpiredToken", ATTEMPT_TOKEN_EXPIRED},
    {"TokenRefreshRequired", ATTEMPT_TOKEN_EXPIRED},
    {"RequestExpired", ATTEMPT_EXPIRED},
    /* what an expired signature is called too (Garage: InvalidRequest) */
    {"AccessDenied", ATTEMPT_DENIED},
    {"SignatureDoesNotMatch", ATTEMPT_DENIED},
    {"InvalidRequest", ATTEMPT_DENIED},
    {"AuthorizationQueryParametersError", ATTEMPT_DENIED},
    /* R8 */
    {"AccountProblem", ATTEMPT_REFUSED},
    {"AllAccessDisabled", ATTEMPT_REFUSED},
    {"AuthorizationHeaderMalformed", ATTEMPT_REFUSED},
    {"BadDigest", ATTEMPT_REFUSED},
    {"DirectoryObjectContainsData", ATTEMPT_REFUSED}, /* versitygw, with the two below */
    {"EntityTooLarge", ATTEMPT_REFUSED},
    {"EntityTooSmall", ATTEMPT_REFUSED},
    {"ExistingObjectIsDirectory", ATTEMPT_REFUSED},
    {"IncompleteBody", ATTEMPT_REFUSED},
    {"InvalidAccessKeyId", ATTEMPT_REFUSED},
    {"InvalidArgument", ATTEMPT_REFUSED},
    {"InvalidBucketName", ATTEMPT_REFUSED},
    {"InvalidBucketState", ATTEMPT_REFUSED},
    {"InvalidDigest", ATTEMPT_REFUSED},
    {"InvalidEncryptionAlgorithmError", ATTEMPT_REFUSED},
    {"InvalidObjectName", ATTEMPT_REFUSED},
    {"InvalidObjectState", ATTEMPT_REFUSED},
    {"InvalidPart", ATTEMPT_REFUSED},
    {"InvalidPartOrder", ATTEMPT_REFUSED},
    {"InvalidSecurity", ATTEMPT_REFUSED},
    {"InvalidStorageClass", ATTEMPT_REFUSED},
    {"InvalidTag", ATTEMPT_REFUSED},
    {"InvalidToken", ATTEMPT_REFUSED},
    {"InvalidURI", ATTEMPT_REFUSED},
    {"KeyTooLongError", ATTEMPT_REFUSED},
    {"LocalFailure", ATTEMPT_REFUSED}, /* the embedded store: what it refuses it has not done */
    {"MalformedXML", ATTEMPT_REFUSED},
    {"MaxMessageLengthExceeded", ATTEMPT_REFUSED},
    {"MetadataTooLarge", ATTEMPT_REFUSED},
    {"MethodNotAllowed", ATTEMPT_REFUSED},
    {"MissingContentLength", ATTEMPT_REFUSED},
    {"MissingSecurityHeader", ATTEMPT_REFUSED},
    {"NoSuchBucket", ATTEMPT_REFUSED},
    {"NotImplemented", ATTEMPT_REFUSED},
    {"NotSignedUp", ATTEMPT_REFUSED},
    {"ObjectParentIsFile", ATTEMPT_REFUSED},
    {"PermanentRedirect", ATTEMPT_REFUSED},
    {"QuotaExceeded", ATTEMPT_REFUSED},
    {"Redirect", ATTEMPT_REFUSED},
    {"TemporaryRedirect", ATTEMPT_REFUSED},
    {"UserKeyMustBeSpecified", ATTEMPT_REFUSED},
    {"XAdminUserNotFound", ATTEMPT_REFUSED}, /* versitygw: an unknown access key */
    {"XAmzContentSHA256Mismatch", ATTEMPT_REFUSED},
    {"XMinioInvalidObjectName", ATTEMPT_REFUSED},
    {"XMinioInvalidResourceName", ATTEMPT_REFUSED},
    {"XMinioObjectExistsAsDirectory", ATTEMPT_REFUSED},
    {"XMinioParentIsObject", ATTEMPT_REFUSED},
};

/* Where the code says nothing: by status. */
static enum attempt_answer by_status(int status)
{
    switch (status) {
    case 412: return ATTEMPT_PRECONDITION;
    case 409: return ATTEMPT_409;
    case 401:
    case 403: return ATTEMPT_DENIED;
    case 301:
    case 302:
    case 307:
    case 308:
    case 405:
    case 411:
    case 413:
    case 414:
    case 415:
    case 431:
    case 501: return ATTEMPT_REFUSED;
    default: return ATTEMPT_AMBIGUOUS;
    }
}

static bool says_expired(const char *message)
{
    return strstr(message, "expired") != NULL || strstr(message, "Expired") != NULL;
}

static enum attempt_answer by_code(const struct attempt_reply *reply)
{
    if (strcmp(reply->code, "NoSuchKey") == 0) {
        if (reply->has_if_match)
            return ATTEMPT_PRECONDITION; /* an absent key (AWS); of a COPY perhaps the source: R13 tells them apart */
        return reply->is_copy ? ATTEMPT_REFUSED : ATTEMPT_AMBIGUOUS;
    }
    enum attempt_answer answer = by_status(reply->status);
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (strcmp(reply->code, codes[i].code) == 0)
            answer = codes[i].answer;
    return answer == ATTEMPT_DENIED && says_expired(reply->message) ? ATTEMPT_EXPIRED : answer;
}

enum attempt_answer verdict_classify(const struct attempt_reply *reply)
{
    if (!reply->sent)
        return ATTEMPT_NOT_SENT;
    if (!reply->complete)
        return reply->tail_kept ? ATTEMPT_EXPIRED : ATTEMPT_AMBIGUOUS;
    if (reply->status >= 200 && reply->status < 300) {
        bool has_document = reply->is_copy || reply->is_complete;
        if (!has_document || reply->result_document)
            return ATTEMPT_OK;
        return reply->code[0] ? by_code(reply) : ATTEMPT_AMBIGUOUS; /* V2 */
    }
    if (reply->status >= 500 && reply->status != 501)
        return ATTEMPT_AMBIGUOUS;
    return by_code(reply);
}
