/* SPDX-License-Identifier: Apache-2.0 */
/* R7, R8, R10, E2, V2: the one table of the store's answers to an attempt. */
#include "commit/verdict.h"
#include "support/test.h"

/* A PUT's answer that came whole. */
static struct attempt_reply answer_of(int status, const char *code)
{
    return (struct attempt_reply){.sent = true, .complete = true, .status = status, .code = code, .message = ""};
}

static enum attempt_answer classify(int status, const char *code)
{
    struct attempt_reply reply = answer_of(status, code);
    return verdict_classify(&reply);
}

static enum attempt_answer classify_saying(int status, const char *code, const char *message)
{
    struct attempt_reply reply = answer_of(status, code);
    reply.message = message;
    return verdict_classify(&reply);
}

/* R6: nothing left this machine, whatever else is said. */
TEST(what_was_not_sent_is_not_sent)
{
    struct attempt_reply reply = answer_of(200, "");
    reply.sent = false;
    reply.complete = false;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_NOT_SENT);
}

/* R6: whose tail never left is never whole; it was too slow (E6). */
TEST(what_kept_its_tail_has_expired)
{
    struct attempt_reply reply = answer_of(0, "");
    reply.sent = true;
    reply.complete = false;
    reply.tail_kept = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_EXPIRED);
}

/* R10: an answer cut short says nothing, not even its status. */
TEST(an_answer_cut_short_is_ambiguous)
{
    static const int statuses[] = {0, 200, 403, 409, 412, 500};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct attempt_reply reply = answer_of(statuses[i], "AccessDenied");
        reply.complete = false;
        assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    }
}

/* V2 */
TEST(a_2xx_is_a_success)
{
    assert_int_equal(classify(200, ""), ATTEMPT_OK);
    assert_int_equal(classify(204, ""), ATTEMPT_OK);
    assert_int_equal(classify(299, ""), ATTEMPT_OK);
    assert_int_equal(classify(300, ""), ATTEMPT_AMBIGUOUS);
    assert_int_equal(classify(199, ""), ATTEMPT_AMBIGUOUS);
}

/* V2: of a COPY only with its result document; an error inside a 200 means what it says. */
TEST(a_copys_200_needs_its_result_document)
{
    static const struct {
        const char *code;
        enum attempt_answer answer;
    } inside[] = {
        {"", ATTEMPT_AMBIGUOUS},
        {"InternalError", ATTEMPT_AMBIGUOUS},
        {"SlowDown", ATTEMPT_AMBIGUOUS},
        {"OperationAborted", ATTEMPT_AMBIGUOUS},
        {"AccessDenied", ATTEMPT_DENIED},
        {"NoSuchKey", ATTEMPT_REFUSED},
        {"PreconditionFailed", ATTEMPT_PRECONDITION},
    };
    struct attempt_reply reply = answer_of(200, "");
    reply.is_copy = true;
    reply.result_document = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_OK);
    reply.result_document = false;
    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        reply.code = inside[i].code;
        assert_int_equal(verdict_classify(&reply), inside[i].answer);
    }
}

/* V2: and so of a Complete, which is answered before it is done. */
TEST(a_completes_200_needs_its_result_document)
{
    struct attempt_reply reply = answer_of(200, "");
    reply.is_complete = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    reply.code = "InternalError";
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    reply.code = "PreconditionFailed";
    assert_int_equal(verdict_classify(&reply), ATTEMPT_PRECONDITION);
    reply.result_document = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_OK);
}

/* R8: another copy may have completed it, or somebody aborted it: under If-Match, too. */
TEST(a_missing_upload_is_never_definite)
{
    struct attempt_reply reply = answer_of(404, "NoSuchUpload");
    reply.is_complete = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    reply.has_if_match = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    reply.code = "NoSuchKey"; /* of the object that If-Match names */
    assert_int_equal(verdict_classify(&reply), ATTEMPT_PRECONDITION);
    reply.has_if_match = false;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    reply.status = 200;
    reply.code = "NoSuchUpload";
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
}

/* R10: 5xx are ambiguous, whatever code stands in them; 501 says that nothing of it is implemented. */
TEST(a_5xx_is_ambiguous_but_for_501)
{
    for (int status = 500; status < 600; status++)
        if (status != 501)
            assert_int_equal(classify(status, "AccessDenied"), ATTEMPT_AMBIGUOUS);
    assert_int_equal(classify(501, "NotImplemented"), ATTEMPT_REFUSED);
    assert_int_equal(classify(501, ""), ATTEMPT_REFUSED);
}

/* R7: 412 is definite with any code that does not say otherwise; 409 is the profile's affair. */
TEST(conditions_are_told_by_code_and_by_status)
{
    assert_int_equal(classify(412, "PreconditionFailed"), ATTEMPT_PRECONDITION);
    assert_int_equal(classify(412, ""), ATTEMPT_PRECONDITION);
    assert_int_equal(classify(412, "InvalidRequest"), ATTEMPT_DENIED); /* Swift: the condition is not supported */
    assert_int_equal(classify(409, ""), ATTEMPT_409);
    assert_int_equal(classify(409, "ConditionalRequestConflict"), ATTEMPT_409);
    assert_int_equal(classify(409, "OperationAborted"), ATTEMPT_409);
    assert_int_equal(classify(409, "FileAlreadyExists"), ATTEMPT_409);
    assert_int_equal(classify(409, "SomethingNew"), ATTEMPT_409);
    assert_int_equal(classify(409, "InvalidBucketState"), ATTEMPT_REFUSED);
}

/* Only a 409 is a 409: the same codes elsewhere decide nothing. */
TEST(a_409s_code_outside_a_409_is_ambiguous)
{
    assert_int_equal(classify(400, "OperationAborted"), ATTEMPT_AMBIGUOUS);
    assert_int_equal(classify(503, "ConditionalRequestConflict"), ATTEMPT_AMBIGUOUS);
    assert_int_equal(classify(400, "FileAlreadyExists"), ATTEMPT_AMBIGUOUS);
}

/* R7: If-Match on an absent key is 404 on AWS, MinIO, versitygw and others. */
TEST(a_missing_key_under_if_match_is_a_failed_condition)
{
    struct attempt_reply reply = answer_of(404, "NoSuchKey");
    assert_int_equal(verdict_classify(&reply), ATTEMPT_AMBIGUOUS);
    reply.has_if_match = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_PRECONDITION);
    reply.is_copy = true;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_PRECONDITION);
    reply.has_if_match = false;
    assert_int_equal(verdict_classify(&reply), ATTEMPT_REFUSED); /* the source */
}

/* E2 */
TEST(skew_and_expired_tokens_have_answers_of_their_own)
{
    assert_int_equal(classify(403, "RequestTimeTooSkewed"), ATTEMPT_SKEWED);
    assert_int_equal(classify_saying(400, "ExpiredToken", "The provided token has expired."), ATTEMPT_TOKEN_EXPIRED);
    assert_int_equal(classify(400, "TokenRefreshRequired"), ATTEMPT_TOKEN_EXPIRED);
    assert_int_equal(classify(403, "RequestExpired"), ATTEMPT_EXPIRED);
}

/* R8: "signature expired" is never definite, under whichever code it comes. */
TEST(an_expired_signature_is_told_from_a_bad_one_by_its_message)
{
    static const char *const codes[] = {
        "AccessDenied", "SignatureDoesNotMatch", "InvalidRequest", "AuthorizationQueryParametersError", "", "Unknown"};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_int_equal(classify(403, codes[i]), ATTEMPT_DENIED);
        assert_int_equal(classify_saying(403, codes[i], "Request has expired"), ATTEMPT_EXPIRED);
        assert_int_equal(classify_saying(403, codes[i], "Expired"), ATTEMPT_EXPIRED);
    }
    assert_int_equal(classify(401, ""), ATTEMPT_DENIED);
    assert_int_equal(classify_saying(403, "InvalidAccessKeyId", "This key has expired"), ATTEMPT_REFUSED);
    assert_int_equal(classify_saying(412, "", "expired"), ATTEMPT_PRECONDITION);
}

/* R8: refusals by code come with the status that each store likes. */
TEST(refusals_are_definite)
{
    static const char *const codes[] = {
        "AccountProblem",
        "AllAccessDisabled",
        "AuthorizationHeaderMalformed",
        "BadDigest",
        "DirectoryObjectContainsData",
        "EntityTooLarge",
        "EntityTooSmall",
        "ExistingObjectIsDirectory",
        "IncompleteBody",
        "InvalidAccessKeyId",
        "InvalidArgument",
        "InvalidBucketName",
        "InvalidBucketState",
        "InvalidDigest",
        "InvalidEncryptionAlgorithmError",
        "InvalidObjectName",
        "InvalidObjectState",
        "InvalidSecurity",
        "InvalidStorageClass",
        "InvalidTag",
        "InvalidToken",
        "InvalidURI",
        "KeyTooLongError",
        "LocalFailure",
        "MalformedXML",
        "MaxMessageLengthExceeded",
        "MetadataTooLarge",
        "MethodNotAllowed",
        "MissingContentLength",
        "MissingSecurityHeader",
        "NoSuchBucket",
        "NotImplemented",
        "NotSignedUp",
        "ObjectParentIsFile",
        "PermanentRedirect",
        "QuotaExceeded",
        "Redirect",
        "TemporaryRedirect",
        "UserKeyMustBeSpecified",
        "XAdminUserNotFound",
        "XAmzContentSHA256Mismatch",
        "XMinioInvalidObjectName",
        "XMinioInvalidResourceName",
        "XMinioObjectExistsAsDirectory",
        "XMinioParentIsObject",
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_int_equal(classify(400, codes[i]), ATTEMPT_REFUSED);
        assert_int_equal(classify(403, codes[i]), ATTEMPT_REFUSED);
        assert_int_equal(classify(500, codes[i]), ATTEMPT_AMBIGUOUS);
    }
}

TEST(without_a_known_code_the_status_decides)
{
    for (int status = 300; status < 500; status++) {
        enum attempt_answer expected = ATTEMPT_AMBIGUOUS;
        switch (status) {
        case 301:
        case 302:
        case 307:
        case 308:
        case 405:
        case 411:
        case 413:
        case 414:
        case 415:
        case 431: expected = ATTEMPT_REFUSED; break;
        case 401:
        case 403: expected = ATTEMPT_DENIED; break;
        case 409: expected = ATTEMPT_409; break;
        case 412: expected = ATTEMPT_PRECONDITION; break;
        default: break;
        }
        assert_int_equal(classify(status, ""), expected);
        assert_int_equal(classify(status, "ACodeOfTomorrow"), expected);
    }
}

/* R8, R10: codes that are never definite. */
TEST(what_may_have_been_applied_is_ambiguous)
{
    static const char *const codes[] = {"NoSuchUpload",       "RequestTimeout", "InternalError", "SlowDown",
                                        "ServiceUnavailable", "NoSuchKey",      "Throttling"};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_int_equal(classify(400, codes[i]), ATTEMPT_AMBIGUOUS);
        assert_int_equal(classify(404, codes[i]), ATTEMPT_AMBIGUOUS);
        assert_int_equal(classify(503, codes[i]), ATTEMPT_AMBIGUOUS);
    }
}
