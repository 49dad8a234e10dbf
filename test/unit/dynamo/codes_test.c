/* SPDX-License-Identifier: Apache-2.0 */
/* The table of error codes, row by row, and the sentences that come of it. */
#include "answers.h"

struct row {
    const char *code;
    enum table_outcome outcome;
    os_code os;
    const char *hint; /* a part of what the sentence says must be done */
};

static const struct row rows[] = {
    {"ProvisionedThroughputExceededException", TABLE_THROTTLED, OS_ERR_THROTTLED, "more capacity"},
    {"ThrottlingException", TABLE_THROTTLED, OS_ERR_THROTTLED, "sent again after a pause"},
    {"Throttling", TABLE_THROTTLED, OS_ERR_THROTTLED, "sent again after a pause"},
    {"RequestLimitExceeded", TABLE_THROTTLED, OS_ERR_THROTTLED, "raise the account's limit"},
    {"TransactionConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, "transaction"},
    {"ReplicatedWriteConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, "Another region"},
    {"LimitExceededException", TABLE_THROTTLED, OS_ERR_THROTTLED, "as many tables"},
    {"ResourceInUseException", TABLE_THROTTLED, OS_ERR_THROTTLED, "being created"},
    {"RequestExpired", TABLE_THROTTLED, OS_ERR_EXPIRED, "Date header"},
    {"RequestTimeTooSkewed", TABLE_THROTTLED, OS_ERR_EXPIRED, "Date header"},
    {"ExpiredTokenException", TABLE_REFUSED, OS_ERR_CREDENTIALS, "Renew the session token"},
    {"ExpiredToken", TABLE_REFUSED, OS_ERR_CREDENTIALS, "Renew the session token"},
    {"UnrecognizedClientException", TABLE_REFUSED, OS_ERR_CREDENTIALS, "Check the access key"},
    {"InvalidClientTokenId", TABLE_REFUSED, OS_ERR_CREDENTIALS, "Check the access key"},
    {"InvalidSignatureException", TABLE_REFUSED, OS_ERR_CREDENTIALS, "the secret key"},
    {"MissingAuthenticationTokenException", TABLE_REFUSED, OS_ERR_CREDENTIALS, "Check the access key"},
    {"MissingAuthenticationToken", TABLE_REFUSED, OS_ERR_CREDENTIALS, "Check the access key"},
    {"IncompleteSignatureException", TABLE_REFUSED, OS_ERR_REFUSED, "no proxy changes requests"},
    {"IncompleteSignature", TABLE_REFUSED, OS_ERR_REFUSED, "no proxy changes requests"},
    {"AccessDeniedException", TABLE_REFUSED, OS_ERR_DENIED, "IAM policy"},
    {"AccessDenied", TABLE_REFUSED, OS_ERR_DENIED, "IAM policy"},
    {"NotAuthorized", TABLE_REFUSED, OS_ERR_DENIED, "IAM policy"},
    {"OptInRequired", TABLE_REFUSED, OS_ERR_DENIED, "subscribed"},
    {"ResourceNotFoundException", TABLE_REFUSED, OS_ERR_NO_TABLE, "oscommit table create"},
    {"ItemCollectionSizeLimitExceededException", TABLE_REFUSED, OS_ERR_TABLE, "local secondary index"},
    {"ValidationException", TABLE_REFUSED, OS_ERR_TABLE, "oscommit table check"},
    {"ValidationError", TABLE_REFUSED, OS_ERR_TABLE, "oscommit table check"},
    {"SerializationException", TABLE_REFUSED, OS_ERR_REFUSED, "oscommit table check"},
    {"MalformedHttpRequestException", TABLE_REFUSED, OS_ERR_REFUSED, "no proxy changes requests"},
    {"RequestEntityTooLargeException", TABLE_REFUSED, OS_ERR_REFUSED, "no proxy changes requests"},
    {"UnknownOperationException", TABLE_REFUSED, OS_ERR_UNSUPPORTED, "check the endpoint"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void assert_row(const struct row *row, int status, const char *space, const char *message_member)
{
    char body[256];
    struct dynamo_error detail;
    os_error err;
    snprintf(body, sizeof(body), "{\"__type\":\"%s%s\",\"%s\":\"Some words.\"}", space, row->code, message_member);
    assert_int_equal(put_outcome(status, body, &detail, &err), row->outcome);
    assert_int_equal(err.code, row->os);
    assert_string_equal(detail.code, row->code);
    assert_string_equal(detail.message, "Some words.");
    assert_string_equal(err.service_code, row->code);
    assert_string_equal(err.request_id, "REQ1");
    assert_int_equal(err.http_status, status);
    assert_says(err, "PutItem of the record of key \"dir/k\" (etag *) in " WHERE " was ");
    assert_says(err, row->code);
    assert_says(err, ": Some words (request id REQ1). ");
    assert_says(err, row->hint);
    assert_int_equal(err.message[strlen(err.message) - 1], '.');
    assert_int_equal(detail.skewed, row->os == OS_ERR_EXPIRED);
    assert_int_equal(detail.token_expired, strncmp(row->code, "ExpiredToken", 12) == 0);
}

TEST(every_code_of_the_table_has_its_outcome_error_and_mend)
{
    for (size_t i = 0; i < ROWS; i++)
        assert_row(&rows[i], 400, SPACE, "message");
}

TEST(a_table_of_other_keys_has_no_records)
{
    static const char body[] =
        "{\"__type\":\"" SPACE "ValidationException\",\"message\":\"The provided key element does "
        "not match the schema\"}";
    os_error err;
    assert_int_equal(put_outcome(400, body, NULL, &err), TABLE_REFUSED);
    assert_int_equal(err.code, OS_ERR_TABLE);
    assert_says(err, "This table has other keys than one of records: another kind of items is in it, perhaps leases or "
                     "locks. Name a table of ");
}

/* R4: a conflict is a record of somebody's; who says so at another status is no DynamoDB. */
TEST(a_failed_condition_is_one_at_400_alone)
{
    static const int others[] = {401, 403, 404, 409, 412, 429, 499};
    const char *body = CONFLICT_HEAD ",\"Item\":" ITEM "}";
    os_error err;
    assert_int_equal(put_outcome(400, body, NULL, &err), TABLE_CONFLICT);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(put_outcome(others[i], body, NULL, &err), TABLE_AMBIGUOUS);
}

TEST(namespace_status_and_spelling_of_the_message_do_not_matter)
{
    static const int statuses[] = {400, 401, 403, 404, 413, 429};
    static const char *const spaces[] = {"", "com.amazon.coral.service#", "com.amazon.coral.validate#", "a#b#"};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t s = 0; s < sizeof(statuses) / sizeof(statuses[0]); s++)
            assert_row(&rows[i], statuses[s], spaces[s % 4], s % 2 == 0 ? "Message" : "message");
}

TEST(no_code_is_definite_with_5xx_or_408)
{
    static const int statuses[] = {408, 500, 503};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t s = 0; s < 3; s++) {
            char body[256];
            snprintf(body, sizeof(body), "{\"__type\":\"%s\"}", rows[i].code);
            assert_int_equal(put_outcome(statuses[s], body, NULL, NULL), TABLE_AMBIGUOUS);
        }
    }
}

TEST(E2_a_signature_at_the_wrong_time_is_to_be_signed_again)
{
    static const char *const messages[] = {
        "Signature expired: 20261121T000000Z is now earlier than 20261121T001000Z (20261121T001500Z - 5 min.)",
        "Signature not yet current: 20261121T010000Z is still later than 20261121T001000Z (20261121T000500Z + 5 min.)"};
    for (size_t i = 0; i < 2; i++) {
        char body[512];
        struct dynamo_error detail;
        os_error err;
        snprintf(body, sizeof(body),
                 "{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\",\"message\":\"%s\"}", messages[i]);
        assert_int_equal(put_outcome(400, body, &detail, &err), TABLE_THROTTLED);
        assert_true(detail.skewed);
        assert_int_equal(err.code, OS_ERR_EXPIRED);
        assert_says(err, "was refused: InvalidSignatureException: Signature");
        assert_says(err, "It was not applied");
    }
}

TEST(a_wrong_signature_is_refused_and_its_canonical_request_is_not_repeated)
{
    struct dynamo_error detail;
    os_error err;
    assert_int_equal(
        put_outcome(
            400,
            "{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\",\"message\":\"The request signature we "
            "calculated does not match the signature you provided.\\n\\nThe Canonical String for this request should "
            "have been\\n'POST\\n/\\n\\nx-amz-security-token:TOPSECRET\\n'\\n\"}",
            &detail, &err),
        TABLE_REFUSED);
    assert_false(detail.skewed);
    assert_int_equal(err.code, OS_ERR_CREDENTIALS);
    assert_null(strstr(detail.message, "TOPSECRET"));
    assert_null(strstr(err.message, "TOPSECRET"));
    assert_says(err, "does not match the signature you provided (request id REQ1). Check the access key");
}

TEST(an_error_without_words_or_request_id_still_makes_a_sentence)
{
    struct http_response response;
    struct record record;
    os_error err;
    answer(&response, 400, "{\"__type\":\"ThrottlingException\"}");
    http_headers_remove(&response.headers, "x-amzn-requestid");
    assert_int_equal(record_read_put(&response, &(struct record_about){WHERE, "k", "*"}, &record, NULL, NULL, &err),
                     TABLE_THROTTLED);
    assert_string_equal(err.message,
                        "PutItem of the record of key \"k\" (etag *) in " WHERE
                        " was put off: ThrottlingException. It was not applied and may be sent again after a pause.");
    http_response_free(&response);
}

TEST(messages_that_are_no_text_are_left_out)
{
    static const char *const members[] = {"null", "7",      "{}",      "[\"x\"]", "\"a\\u0000b\"",
                                          "\"\"", "\"  \"", "\"...\"", "\"\\n\""};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        char body[256];
        os_error err;
        snprintf(body, sizeof(body), "{\"__type\":\"AccessDeniedException\",\"message\":%s}", members[i]);
        assert_int_equal(put_outcome(400, body, NULL, &err), TABLE_REFUSED);
        assert_says(err, "was refused: AccessDeniedException (request id REQ1). Allow");
    }
}

/* Path, etag, table and message at their longest: the sentence still ends with what to do, and is UTF-8. */
TEST(long_names_and_messages_leave_room_for_the_mend)
{
    char path[2049];
    char etag[1025];
    char where[1100];
    char body[8300];
    for (size_t i = 0; i < 1024; i++)
        memcpy(path + 2 * i, "\xc3\xbc", 2);
    path[2048] = '\0';
    memset(etag, 'e', sizeof(etag) - 1);
    etag[1024] = '\0';
    memset(where, 'w', sizeof(where) - 1);
    where[sizeof(where) - 1] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        struct http_response response;
        struct record record;
        struct dynamo_error detail;
        os_error err;
        int at = snprintf(body, sizeof(body), "{\"__type\":\"%s%s\",\"message\":\"", SPACE, rows[i].code);
        for (; at < 8200; at += 2)
            memcpy(body + at, "\xc3\xb6", 2);
        memcpy(body + at, "\"}", 3);
        answer(&response, 400, body);
        assert_true(http_headers_set(&response.headers, "x-amzn-requestid",
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        assert_int_equal(
            record_read_put(&response, &(struct record_about){where, path, etag}, &record, NULL, &detail, &err),
            rows[i].outcome);
        assert_says(err, rows[i].hint);
        assert_int_equal(err.message[strlen(err.message) - 1], '.');
        assert_true(text_is_utf8(text_from(err.message)));
        assert_true(text_is_utf8(text_from(detail.message)));
        http_response_free(&response);
    }
}

TEST(control_characters_do_not_reach_the_sentence)
{
    struct http_response response;
    struct record record;
    struct dynamo_error detail;
    os_error err;
    answer(&response, 400, "{\"__type\":\"AccessDenied\\u001bException\",\"message\":\"a\\u001b[31mb\\u0007\"}");
    assert_int_equal(
        record_read_put(&response, &(struct record_about){WHERE, "k\n\x1b[2J", "*"}, &record, NULL, &detail, &err),
        TABLE_AMBIGUOUS);
    for (const char *c = err.message; *c != '\0'; c++)
        assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
    assert_non_null(strstr(err.message, "a\\x1b[31mb\\x07"));
    http_response_free(&response);
}
