/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/answer.h"

#include "base/crc.h"
#include "base/error.h"
#include "base/text.h"
#include "dynamo/command.h"
#include "syntax/json.h"

#include <stdio.h>
#include <string.h>

/* Lengths in a sentence, so that its end, what to do, is never cut off. */
enum {
    SHOWN_WHERE = 200,
    SHOWN_MESSAGE = 220,
    SHOWN_REQUEST_ID = 70,
    SUBJECT_SIZE = 512,
    SAID_SIZE = 512,
    HINT_SIZE = 256 + DYNAMO_COMMAND_SIZE,
    FINDING_SIZE = SAID_SIZE + HINT_SIZE + 64
};

/* ------------------------------------------------------------------------------------------- the table of codes */

#define MEND_KEYS "Check the access key, the secret key and the region of the DynamoDB credentials."
#define MEND_RIGHTS \
    "Allow these credentials the action on the table, in their IAM policy, the table's policy and its KMS key."
#define MEND_CLOCK "It was not applied; sign it again with the time of the answer's Date header."
#define MEND_DEFECT \
    "Check the table's keys with @check; check that the endpoint is DynamoDB and that no proxy changes requests."

#define FAILED_CONDITION "ConditionalCheckFailedException"

/*
 * Which code means what, at HTTP 4xx, in the answer to any request. From the API Reference (PutItem, GetItem, Query, Scan, DescribeTable,
 * CreateTable, UpdateTimeToLive: "Errors"; "Common Errors") and the Developer Guide ("Error handling with DynamoDB"). A
 * code that is not here decides nothing. E1: throttles come as HTTP 400. RequestTimeoutException and
 * RequestAbortedException are left out on purpose: a request may be applied all the same.
 */
static const struct answer_meaning meanings[] = {
    {FAILED_CONDITION, TABLE_CONFLICT, OS_ERR_CONFLICT, false, false, ""},

    {"ProvisionedThroughputExceededException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT " If it goes on, give the table more capacity or on-demand billing."},
    {"ThrottlingException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false, ANSWER_WAIT_AND_REPEAT},
    {"Throttling", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false, ANSWER_WAIT_AND_REPEAT},
    {"RequestLimitExceeded", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT " If it goes on, ask AWS to raise the account's limit."},
    {"TransactionConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT
     " A transaction on the same record was in progress; only this protocol should write to the table."},
    {"ReplicatedWriteConflictException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT " Another region was writing the same record."},
    {"LimitExceededException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT
     " Too many changes of tables were in progress, or the account has as many tables as it may."},
    {"ResourceInUseException", TABLE_THROTTLED, OS_ERR_THROTTLED, false, false,
     ANSWER_WAIT_AND_REPEAT " The table is being created, changed or deleted."},

    {"RequestExpired", TABLE_THROTTLED, OS_ERR_EXPIRED, true, false, MEND_CLOCK},
    {"RequestTimeTooSkewed", TABLE_THROTTLED, OS_ERR_EXPIRED, true, false, MEND_CLOCK},

    {"ExpiredTokenException", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, true,
     "Renew the session token of the DynamoDB credentials."},
    {"ExpiredToken", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, true,
     "Renew the session token of the DynamoDB credentials."},
    {"UnrecognizedClientException", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, false,
     MEND_KEYS " A session token must belong to the keys."},
    {"InvalidClientTokenId", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, false, MEND_KEYS},
    {"InvalidSignatureException", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, false, MEND_KEYS},
    {"MissingAuthenticationTokenException", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, false, MEND_KEYS},
    {"MissingAuthenticationToken", TABLE_REFUSED, OS_ERR_CREDENTIALS, false, false, MEND_KEYS},
    {"IncompleteSignatureException", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_DEFECT},
    {"IncompleteSignature", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_DEFECT},

    {"AccessDeniedException", TABLE_REFUSED, OS_ERR_DENIED, false, false, MEND_RIGHTS},
    {"AccessDenied", TABLE_REFUSED, OS_ERR_DENIED, false, false, MEND_RIGHTS},
    {"NotAuthorized", TABLE_REFUSED, OS_ERR_DENIED, false, false, MEND_RIGHTS},
    {"OptInRequired", TABLE_REFUSED, OS_ERR_DENIED, false, false,
     "The AWS account must be subscribed to DynamoDB, or opted in to this region."},

    {"ResourceNotFoundException", TABLE_REFUSED, OS_ERR_NO_TABLE, false, false,
     "Create the table with @create and wait until it is ACTIVE, or correct its name, the region or the endpoint."},
    {"ItemCollectionSizeLimitExceededException", TABLE_REFUSED, OS_ERR_TABLE, false, false,
     "The table has a local secondary index that is full: use a table without indexes."},
    {"ValidationException", TABLE_REFUSED, OS_ERR_TABLE, false, false, MEND_DEFECT},
    {"ValidationError", TABLE_REFUSED, OS_ERR_TABLE, false, false, MEND_DEFECT},
    {"SerializationException", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_DEFECT},
    {"MalformedHttpRequestException", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_DEFECT},
    {"RequestEntityTooLargeException", TABLE_REFUSED, OS_ERR_REFUSED, false, false, MEND_DEFECT},
    {"UnknownOperationException", TABLE_REFUSED, OS_ERR_UNSUPPORTED, false, false,
     "The server at this endpoint does not know the operation: check the endpoint."},
};

static const struct answer_meaning skewed_signature = {
    "InvalidSignatureException", TABLE_THROTTLED, OS_ERR_EXPIRED, true, false, MEND_CLOCK};

static const struct answer_meaning *find_among(const struct answer_meaning *list, size_t count,
                                               const struct dynamo_error *detail, int status)
{
    for (size_t i = 0; i < count; i++) {
        bool fits = list[i].outcome != TABLE_CONFLICT || status == 400;
        if (fits && strcmp(detail->code, list[i].code) == 0)
            return &list[i];
    }
    return NULL;
}

/* NULL: the code decides nothing. A failed condition is one only as DynamoDB says it, at HTTP 400: a record that is
 * somebody's is no guess. DynamoDB has one code for a wrong signature and for one at a wrong time; only its
 * message tells them apart ("Signature expired: ... is now earlier than ...", "Signature not yet current: ..."). */
static const struct answer_meaning *find_meaning(const struct answer_of *of, const struct dynamo_error *detail,
                                                 int status)
{
    struct text message = text_from(detail->message);
    if (strcmp(detail->code, skewed_signature.code) == 0 &&
        (text_contains_nocase(message, "Signature expired") ||
         text_contains_nocase(message, "Signature not yet current")))
        return &skewed_signature;
    const struct answer_meaning *own = find_among(of->meanings, of->meanings_count, detail, status);
    return own != NULL ? own : find_among(meanings, sizeof(meanings) / sizeof(meanings[0]), detail, status);
}

/* -------------------------------------------------------------------------------------------------- sentences */

static void describe(const struct answer_of *of, char ret[SUBJECT_SIZE])
{
    bool is_of_item = of->item[0] != '\0';
    snprintf(ret, SUBJECT_SIZE, "%s of %s%s%s%.*s", of->operation, is_of_item ? "the " : "", of->item,
             is_of_item ? " in " : "", (int)text_utf8_cut(text_from(of->where), SHOWN_WHERE), of->where);
}

/* " ThrottlingException: Rate exceeded (request id ABC)", as far as there is anything to tell. */
static void quote_service(const struct dynamo_error *detail, char ret[SAID_SIZE])
{
    struct text message = text_trim(text_from(detail->message));
    message.len = text_utf8_cut(message, SHOWN_MESSAGE);
    while (message.len > 0 && message.p[message.len - 1] == '.')
        message.len--;
    char words[SAID_SIZE / 2] = "";
    if (message.len > 0)
        snprintf(words, sizeof(words), ": %.*s", (int)message.len, message.p);
    char id[SHOWN_REQUEST_ID + 32] = "";
    if (detail->request_id[0] != '\0')
        snprintf(id, sizeof(id), " (request id %.*s)",
                 (int)text_utf8_cut(text_from(detail->request_id), SHOWN_REQUEST_ID), detail->request_id);
    snprintf(ret, SAID_SIZE, "%s%s%s%s", detail->code[0] != '\0' ? " " : "", detail->code, words, id);
}

enum table_outcome answer_finding(const struct http_response *response, const struct answer_of *of,
                                  enum table_outcome outcome, os_code code, const char *finding,
                                  const struct dynamo_error *detail, os_error *err)
{
    char subject[SUBJECT_SIZE];
    describe(of, subject);
    error_set(err, code, "%s %s", subject, finding);
    error_service(err, response->status, detail->code, detail->request_id);
    return outcome;
}

/* What is left to do when an answer does not say whether the request was applied. */
static const char *advice(const struct answer_of *of)
{
    return of->writes ? "It may have been applied: send it again, or read what is there."
                      : "It changed nothing: ask again.";
}

static enum table_outcome ambiguous(const struct http_response *response, const struct answer_of *of, os_code code,
                                    const char *what, const struct dynamo_error *detail, os_error *err)
{
    char finding[256];
    char status[24] = "";
    if (response->status != 0)
        snprintf(status, sizeof(status), " (HTTP %d)", response->status);
    snprintf(finding, sizeof(finding), "%s%s. %s", what, status, advice(of));
    return answer_finding(response, of, TABLE_AMBIGUOUS, code, finding, detail, err);
}

/* ------------------------------------------------------------------------------------------------ the answer */

static bool crc_fits(const struct http_response *response)
{
    const char *expected = http_headers_get(&response->headers, "x-amz-crc32");
    uint64_t value;
    return expected == NULL || (text_parse_u64(text_trim(text_from(expected)), &value) &&
                                value == crc32_of(buf_str(&response->body), response->body.len));
}

/* The code stands behind the namespace: "com.amazonaws.dynamodb.v20120810#ThrottlingException". A code that does not
 * fit is none that the table has, and stays cut. */
static void take_code(struct text type, struct dynamo_error *ret)
{
    struct text code = type;
    while (code.len > 0 && code.p[code.len - 1] != '#')
        code.len--;
    text_copy_cut(text_of(type.p + code.len, type.len - code.len), ret->code, sizeof(ret->code));
}

static void read_code(const json_t *root, struct dynamo_error *ret)
{
    const char *type = json_member_string(root, "__type");
    if (type != NULL)
        take_code(text_from(type), ret);
}

/* Of an answer with too much in it to be parsed: DynamoDB's begin with it. */
static void read_code_at_first(struct text body, struct dynamo_error *ret)
{
    static const char *const marks[] = {"{", "\"__type\"", ":", "\""};
    struct text type = body;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (!text_take_str(&body, marks[i]))
            return;
        type = body;
        body = text_trim(body);
    }
    const char *end = memchr(type.p, '"', type.len);
    if (end != NULL && memchr(type.p, '\\', (size_t)(end - type.p)) == NULL)
        take_code(text_of(type.p, (size_t)(end - type.p)), ret);
}

/* Only the first line: behind it InvalidSignatureException repeats the canonical request, with the session token in it.
 */
static void read_message(const json_t *root, struct dynamo_error *ret)
{
    const char *message = json_member_string(root, "message");
    if (message == NULL)
        message = json_member_string(root, "Message");
    if (message != NULL)
        text_copy_cut(text_of(message, strcspn(message, "\r\n")), ret->message, sizeof(ret->message));
}

static void read_request_id(const struct http_response *response, struct dynamo_error *ret)
{
    const char *id = http_headers_get(&response->headers, "x-amzn-requestid");
    if (id != NULL && text_is_utf8(text_from(id)))
        TEXT_COPY_STR_CUT(id, ret->request_id);
}

/* The command that it names, in full. */
static void complete_hint(const char *hint, const struct dynamo_command_about *about, char ret[HINT_SIZE])
{
    const char *mark = strchr(hint, '@');
    char verb[16];
    char command[DYNAMO_COMMAND_SIZE];
    if (mark == NULL) {
        snprintf(ret, HINT_SIZE, "%s", hint);
        return;
    }
    size_t length = strcspn(mark + 1, " ;");
    snprintf(verb, sizeof(verb), "%.*s", (int)length, mark + 1);
    dynamo_command(about, verb, command);
    snprintf(ret, HINT_SIZE, "%.*s%s%s", (int)(mark - hint), hint, command, mark + 1 + length);
}

/* DynamoDB has one code for each request that does not fit; its message alone tells that the table's keys do not. */
static bool is_of_other_keys(const struct dynamo_error *detail)
{
    static const char *const said[] = {"key element does not match", "keys was not given a value", "Missing the key",
                                       "conditions on the keys is invalid", "missed key schema element"};
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        if (text_contains_nocase(text_from(detail->message), said[i]))
            return true;
    return false;
}

static void write_other_keys(const struct dynamo_command_about *about, char ret[HINT_SIZE])
{
    const char *plural = about->words->plural;
    char command[DYNAMO_COMMAND_SIZE];
    dynamo_command_beside(about, command);
    snprintf(ret, HINT_SIZE,
             "This table has other keys than one of %s: another kind of items is in it, perhaps %s. Name a table of "
             "%s, or make one with %s.",
             plural, strcmp(plural, "records") == 0 ? "leases or locks" : "records", plural, command);
}

static void write_hint(const struct answer_meaning *meaning, const struct dynamo_command_about *about,
                       const struct dynamo_error *detail, char ret[HINT_SIZE])
{
    if (meaning->os == OS_ERR_TABLE && is_of_other_keys(detail))
        write_other_keys(about, ret);
    else
        complete_hint(meaning->hint, about, ret);
}

enum table_outcome answer_other_keys(const struct http_response *response, const struct answer_of *of,
                                     const struct dynamo_error *detail, os_error *err)
{
    char hint[HINT_SIZE];
    char finding[FINDING_SIZE];
    write_other_keys(&of->command, hint);
    snprintf(finding, sizeof(finding), "has an item without the keys of one of %s. %s", of->command.words->plural,
             hint);
    return answer_finding(response, of, TABLE_REFUSED, OS_ERR_TABLE, finding, detail, err);
}

static const char *verdict(const struct answer_meaning *meaning)
{
    if (meaning->outcome == TABLE_AMBIGUOUS)
        return "left open";
    return meaning->outcome == TABLE_THROTTLED && !meaning->skewed ? "put off" : "refused";
}

static enum table_outcome judge_refusal(const struct http_response *response, const struct answer_of *of,
                                        struct dynamo_error *detail, os_error *err)
{
    const struct answer_meaning *meaning = find_meaning(of, detail, response->status);
    char said[SAID_SIZE];
    quote_service(detail, said);
    char finding[FINDING_SIZE];
    if (meaning == NULL) {
        snprintf(finding, sizeof(finding), "was answered with HTTP %d%s, which decides nothing. %s", response->status,
                 said, advice(of));
        return answer_finding(response, of, TABLE_AMBIGUOUS, OS_ERR_SERVICE, finding, detail, err);
    }
    detail->skewed = meaning->skewed;
    detail->token_expired = meaning->token_expired;
    if (meaning->outcome == TABLE_CONFLICT)
        return TABLE_CONFLICT;
    char hint[HINT_SIZE];
    write_hint(meaning, &of->command, detail, hint);
    snprintf(finding, sizeof(finding), "was %s:%s. %s", verdict(meaning), said, hint);
    return answer_finding(response, of, meaning->outcome, meaning->os, finding, detail, err);
}

/* 5xx, 408, and whatever is neither DynamoDB's success nor its error: 201, redirects ... */
static enum table_outcome judge_status(const struct http_response *response, const struct answer_of *of,
                                       const struct dynamo_error *detail, os_error *err)
{
    char said[SAID_SIZE];
    quote_service(detail, said);
    char finding[768];
    snprintf(finding, sizeof(finding), "failed with HTTP %d%s. %s", response->status, said, advice(of));
    return answer_finding(response, of, TABLE_AMBIGUOUS, OS_ERR_SERVICE, finding, detail, err);
}

/* Whoever answered has neither DynamoDB's mark nor its form, and says for certain that he is not to be asked: a server
 * in between may pass on what it says in trouble (5xx), when it is asked too often, or waited for too long. */
static bool answer_is_foreign(const struct http_response *response)
{
    int status = response->status;
    bool passing = status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504);
    const char *type = http_headers_get(&response->headers, "content-type");
    bool marked = http_headers_get(&response->headers, "x-amzn-requestid") != NULL ||
                  (type != NULL && text_contains_nocase(text_from(type), "x-amz-json"));
    return !passing && !marked;
}

static enum table_outcome foreign(const struct http_response *response, const struct answer_of *of,
                                  struct dynamo_error *detail, os_error *err)
{
    char finding[256];
    char type[80] = "";
    const char *given = http_headers_get(&response->headers, "content-type");
    if (given != NULL && text_is_utf8(text_from(given)))
        TEXT_COPY_STR_CUT(given, type);
    detail->foreign = true;
    snprintf(finding, sizeof(finding), "was answered with HTTP %d%s%s by something that is not DynamoDB.%s",
             response->status, type[0] != '\0' ? " and " : "", type,
             of->writes ? " Whether it was passed on is not known." : "");
    return answer_finding(response, of, TABLE_AMBIGUOUS, OS_ERR_CONFIG, finding, detail, err);
}

/* No JSON object. With too much in it for one, what it says is to be read in another way: a failed condition comes with
 * the item that is in the way. */
static enum table_outcome judge_unread(const struct http_response *response, const struct answer_of *of,
                                       struct dynamo_error *detail, os_error *err)
{
    if (answer_is_foreign(response))
        return foreign(response, of, detail, err);
    detail->too_large = json_is_too_large(buf_str(&response->body), response->body.len);
    if (detail->too_large)
        read_code_at_first(text_trim(text_of(buf_str(&response->body), response->body.len)), detail);
    if (detail->too_large && of->writes && response->status == 400 && strcmp(detail->code, FAILED_CONDITION) == 0)
        return TABLE_CONFLICT;
    if (detail->too_large)
        return ambiguous(response, of, OS_ERR_PROTOCOL, "got an answer that is larger than the limit", detail, err);
    return ambiguous(response, of, OS_ERR_PROTOCOL, "got an answer that is not a JSON object", detail, err);
}

static enum table_outcome answer_classify(const struct http_response *response, const struct answer_of *of,
                                          const json_t *root, struct dynamo_error *detail, os_error *err)
{
    bool is_refusal = response->status >= 400 && response->status < 500 && response->status != 408;
    bool elsewhere = root == NULL && answer_is_foreign(response);
    if (response->status != 200 && !is_refusal && !elsewhere)
        return judge_status(response, of, detail, err);
    if (root == NULL)
        return judge_unread(response, of, detail, err);
    if (is_refusal)
        return judge_refusal(response, of, detail, err);
    if (detail->code[0] != '\0')
        return ambiguous(response, of, OS_ERR_PROTOCOL, "got an error in an answer with HTTP 200", detail, err);
    if (answer_is_foreign(
            response)) /* E9: an empty object would be a PutItem that is done, and a GetItem that found none */
        return foreign(response, of, detail, err);
    return TABLE_OK;
}

static enum table_outcome read_whole(const struct http_response *response, const struct answer_of *of,
                                     json_t **ret_root, struct dynamo_error *detail, os_error *err)
{
    json_t *root = json_read(buf_str(&response->body), response->body.len);
    read_code(root, detail);
    read_message(root, detail);
    enum table_outcome outcome = answer_classify(response, of, root, detail, err);
    if (outcome == TABLE_OK || outcome == TABLE_CONFLICT)
        *ret_root = root;
    else
        json_decref(root);
    return outcome;
}

enum table_outcome answer_open(const struct http_response *response, const struct answer_of *of, json_t **ret_root,
                               struct dynamo_error *ret_detail, os_error *err)
{
    struct dynamo_error detail;
    enum table_outcome outcome;
    memset(&detail, 0, sizeof(detail));
    error_clear(err);
    read_request_id(response, &detail);
    detail.crc_wrong = response->status != 0 && buf_ok(&response->body) && !crc_fits(response);
    if (response->status == 0) {
        outcome = ambiguous(response, of, OS_ERR_NETWORK, "got no answer", &detail, err);
    } else if (!buf_ok(&response->body) || response->body.len > DYNAMO_ANSWER_MAX) {
        outcome = ambiguous(response, of, OS_ERR_PROTOCOL, "got an answer that is too long", &detail, err);
    } else if (detail.crc_wrong) {
        outcome =
            ambiguous(response, of, OS_ERR_PROTOCOL,
                      "got an answer whose bytes do not have the checksum of its x-amz-crc32 header", &detail, err);
    } else {
        outcome = read_whole(response, of, ret_root, &detail, err);
    }
    if (ret_detail != NULL)
        *ret_detail = detail;
    return outcome;
}

enum table_outcome answer_open_unconditional(const struct http_response *response, const struct answer_of *of,
                                             json_t **ret_root, struct dynamo_error *ret_detail, os_error *err)
{
    json_t *root = NULL;
    struct dynamo_error detail;
    enum table_outcome outcome = answer_open(response, of, &root, &detail, err);
    if (outcome == TABLE_CONFLICT) {
        json_decref(root);
        root = NULL;
        outcome = ambiguous(response, of, OS_ERR_PROTOCOL, "was answered with a failed condition, although it had none",
                            &detail, err);
    }
    if (outcome == TABLE_OK)
        *ret_root = root;
    if (ret_detail != NULL)
        *ret_detail = detail;
    return outcome;
}

bool answer_is_empty(const json_t *member)
{
    return member == NULL || (json_is_object(member) && json_object_size(member) == 0);
}

/* What a batch has left stands beside what it has read. */
static bool is_own_member(const char *name, const char *own)
{
    return own != NULL && strcmp(strcmp(name, "UnprocessedKeys") == 0 ? "Responses" : name, own) == 0;
}

/* A success may be no more than {}, and a read that found nothing, too. So nothing else may stand in it that says
 * something; of what is not known here it may have more. */
enum table_outcome answer_check_members(const struct http_response *response, const struct answer_of *of,
                                        const json_t *root, const char *own, const struct dynamo_error *detail,
                                        os_error *err)
{
    static const char *const members[] = {"Attributes",
                                          "Item",
                                          "Items",
                                          "Responses",
                                          "UnprocessedKeys",
                                          "Table",
                                          "TableDescription",
                                          "TimeToLiveDescription",
                                          "TimeToLiveSpecification",
                                          "Message",
                                          "message",
                                          "Errors",
                                          "CancellationReasons"};
    char finding[256];
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (is_own_member(members[i], own) || answer_is_empty(json_object_get(root, members[i])))
            continue;
        snprintf(finding, sizeof(finding), "got an answer with \"%s\", which is none to this request. %s", members[i],
                 of->writes ? "This one may have been applied: read what is there." : "Ask again.");
        return answer_finding(response, of, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, finding, detail, err);
    }
    return TABLE_OK;
}
