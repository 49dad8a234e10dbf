/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fake_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORAL  "com.amazon.coral.service#"
#define DYNAMO "com.amazonaws.dynamodb.v20120810#"

/* ------------------------------------------------------------------------------------------------------ lifetime */

/* As zlib's, through a table that is reckoned out bit by bit: another way than the library's. */
static void make_crc_table(uint32_t ret[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        ret[i] = i;
        for (int bit = 0; bit < 8; bit++)
            ret[i] = (ret[i] >> 1) ^ ((ret[i] & 1) != 0 ? 0xedb88320u : 0);
    }
}

static const struct fake_schema *const schemas[] = {[FAKE_DYNAMO_RECORDS] = &fake_records,
                                                    [FAKE_DYNAMO_LEASES] = &fake_leases,
                                                    [FAKE_DYNAMO_LOCKS] = &fake_locks,
                                                    [FAKE_DYNAMO_ENTRIES] = &fake_entries,
                                                    [FAKE_DYNAMO_ROWS] = NULL};

struct fake_dynamo *fake_dynamo_new(const struct fake_dynamo_options *options)
{
    struct fake_dynamo *dynamo = calloc(1, sizeof(*dynamo));
    if (dynamo == NULL)
        return NULL;
    dynamo->options.no_old_on_failure = options->no_old_on_failure;
    dynamo->options.no_crc32 = options->no_crc32;
    dynamo->options.forgets_tokens = options->forgets_tokens;
    dynamo->schema = schemas[options->kind];
    dynamo->rows = options->kind == FAKE_DYNAMO_ROWS ? fake_rows_new() : NULL;
    make_crc_table(dynamo->crc_table);
    dynamo->has_ttl = options->table != NULL;
    dynamo->table = options->table != NULL ? strdup(options->table) : NULL;
    fake_answer_init(&dynamo->answer);
    buf_init(&dynamo->violation, 1024);
    dynamo->sigv4 = fake_sigv4_new(options->region, "dynamodb", FAKE_DYNAMO_SKEW_S);
    if ((options->table != NULL && dynamo->table == NULL) || dynamo->sigv4 == NULL ||
        (options->kind == FAKE_DYNAMO_ROWS && dynamo->rows == NULL) ||
        !fake_dynamo_rotate(dynamo, options->access_key, options->secret_key, options->session_token)) {
        fake_dynamo_free(dynamo);
        return NULL;
    }
    return dynamo;
}

void fake_dynamo_free(struct fake_dynamo *dynamo)
{
    if (dynamo == NULL)
        return;
    for (size_t i = 0; i < dynamo->count; i++)
        json_decref(dynamo->items[i].item);
    free(dynamo->items);
    fake_rows_free(dynamo->rows);
    fake_sigv4_free(dynamo->sigv4);
    fake_answer_free(&dynamo->answer);
    buf_free(&dynamo->violation);
    free(dynamo->table);
    free(dynamo);
}

bool fake_dynamo_rotate(struct fake_dynamo *dynamo, const char *access_key, const char *secret_key,
                        const char *session_token)
{
    return fake_sigv4_rotate(dynamo->sigv4, access_key, secret_key, session_token);
}

const char *fake_dynamo_violation(const struct fake_dynamo *dynamo)
{
    return dynamo->violation.len > 0 ? dynamo->violation.data : NULL;
}

/* ------------------------------------------------------------------------------------------------------- answers */

static uint32_t checksum(const struct fake_dynamo *dynamo, const char *bytes, size_t len)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < len; i++)
        crc = (crc >> 8) ^ dynamo->crc_table[(crc ^ (unsigned char)bytes[i]) & 255];
    return ~crc;
}

static int append(const char *data, size_t len, void *context)
{
    return buf_add(context, data, len) ? 0 : -1;
}

static void write_answer(struct fake_dynamo *dynamo, int status, json_t *body)
{
    char text[64];
    struct fake_answer *answer = &dynamo->answer;
    fake_answer_reset(answer, status);
    if (body == NULL || json_dump_callback(body, append, &answer->body, JSON_COMPACT) != 0) {
        dynamo->no_memory = true;
        json_decref(body);
        return;
    }
    json_decref(body);
    fake_answer_header(answer, "Server", "Server");
    fake_format_http_date((int64_t)(dynamo->now_ms / 1000), text);
    fake_answer_header(answer, "Date", text);
    fake_answer_header(answer, "Content-Type", "application/x-amz-json-1.0");
    fake_answer_header(answer, "Connection", "keep-alive");
    snprintf(text, sizeof(text), "%032" PRIX64 "VV4KQNSO5AEMVJF66Q9A", dynamo->requests);
    fake_answer_header(answer, "x-amzn-RequestId", text);
    if (!dynamo->options.no_crc32) {
        snprintf(text, sizeof(text), "%" PRIu32, checksum(dynamo, buf_str(&answer->body), answer->body.len));
        fake_answer_header(answer, "x-amz-crc32", text);
    }
}

void fake_dynamo_answer(struct fake_dynamo *dynamo, json_t *body)
{
    write_answer(dynamo, 200, body);
}

void fake_dynamo_fail(struct fake_dynamo *dynamo, const char *type, const char *message, json_t *item)
{
    json_t *body = json_pack("{s:s, s:s}", "__type", type, "message", message);
    if (body != NULL && item != NULL && json_object_set(body, "Item", item) != 0) {
        json_decref(body);
        body = NULL;
    }
    write_answer(dynamo, 400, body);
}

void fake_dynamo_cancel(struct fake_dynamo *dynamo, json_t *reasons)
{
    write_answer(dynamo, 400,
                 json_pack("{s:s, s:s, s:o}", "__type", DYNAMO "TransactionCanceledException", "Message",
                           "Transaction cancelled, please refer cancellation reasons for specific reasons",
                           "CancellationReasons", reasons));
}

void fake_dynamo_invalid(struct fake_dynamo *dynamo, const char *message)
{
    fake_dynamo_fail(dynamo, "com.amazon.coral.validate#ValidationException", message, NULL);
}

void fake_dynamo_violate(struct fake_dynamo *dynamo, const char *message)
{
    if (dynamo->violation.len == 0)
        buf_add_f(&dynamo->violation, "request %" PRIu64 ": %s", dynamo->requests, message);
    fake_dynamo_invalid(dynamo, message);
}

bool fake_dynamo_table_is_there(struct fake_dynamo *dynamo, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "TableName"));
    const char *arn = name != NULL && strncmp(name, "arn:", 4) == 0 ? strrchr(name, '/') : NULL;
    if (name == NULL) {
        fake_dynamo_invalid(dynamo, "The parameter 'TableName' is required but was not present in the request");
        return false;
    }
    name = arn != NULL ? arn + 1 : name;
    if (dynamo->table == NULL || strcmp(dynamo->table, name) != 0) {
        fake_dynamo_fail(dynamo, DYNAMO "ResourceNotFoundException", "Requested resource not found", NULL);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- PutItem, GetItem */

void fake_dynamo_check_failed(struct fake_dynamo *dynamo, const json_t *request, json_t *item)
{
    const char *wanted = json_string_value(json_object_get(request, "ReturnValuesOnConditionCheckFailure"));
    bool gives = wanted != NULL && strcmp(wanted, "ALL_OLD") == 0 && !dynamo->options.no_old_on_failure;
    fake_dynamo_fail(dynamo, DYNAMO "ConditionalCheckFailedException", "The conditional request failed",
                     gives ? item : NULL);
}

static void put_item(struct fake_dynamo *dynamo, const json_t *request)
{
    struct fake_item item;
    bool is_there = false;
    bool holds = false;
    if (!fake_dynamo_table_is_there(dynamo, request))
        return;
    const char *fault = dynamo->schema->read(json_object_get(request, "Item"), &item);
    if (fault != NULL) {
        fake_dynamo_violate(dynamo, fault);
        return;
    }
    size_t at = fake_items_position(dynamo, item.path, item.etag, &is_there);
    json_t *old = is_there ? dynamo->items[at].item : NULL;
    fault = fake_condition_holds(dynamo->schema, request, old, &holds);
    if (fault != NULL || !holds) {
        json_decref(item.item);
        if (fault != NULL)
            fake_dynamo_violate(dynamo, fault);
        else
            fake_dynamo_check_failed(dynamo, request, old);
        return;
    }
    if (!fake_items_put(dynamo, &item)) {
        dynamo->no_memory = true;
        return;
    }
    fake_dynamo_answer(dynamo, json_object());
}

static void get_item(struct fake_dynamo *dynamo, const json_t *request)
{
    const char *path;
    const char *etag;
    bool is_there;
    if (!fake_dynamo_table_is_there(dynamo, request))
        return;
    if (!fake_key_read(dynamo->schema, json_object_get(request, "Key"), &path, &etag)) {
        fake_dynamo_invalid(dynamo, "The provided key element does not match the schema");
        return;
    }
    if (!json_is_true(json_object_get(request, "ConsistentRead"))) {
        fake_dynamo_violate(dynamo, "An item must be read with ConsistentRead");
        return;
    }
    if (!fake_projects_all(dynamo->schema, request, 0)) {
        fake_dynamo_violate(dynamo, "An item must be read with all of its attributes");
        return;
    }
    size_t at = fake_items_position(dynamo, path, etag, &is_there);
    fake_dynamo_answer(dynamo, is_there ? json_pack("{s:O}", "Item", dynamo->items[at].item) : json_object());
}

/* -------------------------------------------------------------------------------------------------------- routing */

static void refuse(struct fake_dynamo *dynamo, enum fake_sigv4_verdict verdict, const struct fake_sigv4_times *times)
{
    char message[160];
    char signed_at[17];
    char now[17];
    bool is_late = verdict == FAKE_SIGV4_EXPIRED || times->signed_ms < dynamo->now_ms;
    switch (verdict) {
    case FAKE_SIGV4_MISSING:
        fake_dynamo_fail(dynamo, CORAL "MissingAuthenticationTokenException", "Missing Authentication Token", NULL);
        break;
    case FAKE_SIGV4_UNKNOWN_KEY:
    case FAKE_SIGV4_INVALID_TOKEN:
        fake_dynamo_fail(dynamo, CORAL "UnrecognizedClientException",
                         "The security token included in the request is invalid.", NULL);
        break;
    case FAKE_SIGV4_EXPIRED_TOKEN:
        fake_dynamo_fail(dynamo, CORAL "ExpiredTokenException", "The security token included in the request is expired",
                         NULL);
        break;
    case FAKE_SIGV4_EXPIRED:
    case FAKE_SIGV4_NOT_YET:
    case FAKE_SIGV4_SKEWED:
        fake_format_amz_date((int64_t)(times->signed_ms / 1000), signed_at);
        fake_format_amz_date((int64_t)(dynamo->now_ms / 1000), now);
        snprintf(message, sizeof(message),
                 is_late ? "Signature expired: %s is now earlier than %s (%s - 5 min.)"
                         : "Signature not yet current: %s is still later than %s (%s + 5 min.)",
                 signed_at, now, now);
        fake_dynamo_fail(dynamo, CORAL "InvalidSignatureException", message, NULL);
        break;
    case FAKE_SIGV4_MALFORMED:
        fake_dynamo_fail(dynamo, CORAL "IncompleteSignatureException",
                         "The authorization of the request cannot be read, or is for another region or service", NULL);
        break;
    default:
        fake_dynamo_fail(dynamo, CORAL "InvalidSignatureException",
                         "The request signature we calculated does not match the signature you provided. Check your "
                         "AWS Secret Access Key and signing method. Consult the service documentation for details.",
                         NULL);
        break;
    }
}

static bool admits(struct fake_dynamo *dynamo)
{
    struct fake_sigv4_times times = {0};
    enum fake_sigv4_verdict verdict = fake_sigv4_judge(dynamo->sigv4, &dynamo->request, dynamo->now_ms, false, &times);
    if (verdict == FAKE_SIGV4_NO_MEMORY)
        dynamo->no_memory = true;
    else if (verdict != FAKE_SIGV4_OK)
        refuse(dynamo, verdict, &times);
    return verdict == FAKE_SIGV4_OK;
}

static void unknown_operation(struct fake_dynamo *dynamo)
{
    fake_dynamo_fail(dynamo, CORAL "UnknownOperationException", "Unknown operation", NULL);
}

static json_t *body_of(struct fake_dynamo *dynamo, size_t flags)
{
    struct text body = dynamo->request.body;
    json_t *root = json_loadb(body.p, body.len, JSON_REJECT_DUPLICATES | flags, NULL);
    if (!json_is_object(root))
        fake_dynamo_fail(dynamo, CORAL "SerializationException", "The body is no JSON object", NULL);
    return root;
}

static void route_rows(struct fake_dynamo *dynamo)
{
    const struct text *target = fake_request_header(&dynamo->request, "x-amz-target");
    char operation[64] = "";
    struct text rest = target != NULL ? *target : (struct text){NULL, 0};
    if (!text_take_str(&rest, "DynamoDB_20120810.") || !text_copy(rest, operation, sizeof(operation))) {
        unknown_operation(dynamo);
        return;
    }
    json_t *root = body_of(dynamo, JSON_ALLOW_NUL);
    if (json_is_object(root) && !fake_rows_route(dynamo, operation, root))
        unknown_operation(dynamo);
    json_decref(root);
}

static void route(struct fake_dynamo *dynamo)
{
    static const struct {
        const char *target;
        void (*answer)(struct fake_dynamo *, const json_t *);
        bool updates; /* only where the schema has updates */
    } operations[] = {
        {"DynamoDB_20120810.PutItem", put_item, false},
        {"DynamoDB_20120810.GetItem", get_item, false},
        {"DynamoDB_20120810.UpdateItem", fake_dynamo_update_item, true},
        {"DynamoDB_20120810.DeleteItem", fake_dynamo_delete_item, true},
        {"DynamoDB_20120810.Query", fake_dynamo_query, false},
        {"DynamoDB_20120810.Scan", fake_dynamo_scan, false},
        {"DynamoDB_20120810.DescribeTable", fake_dynamo_describe_table, false},
        {"DynamoDB_20120810.CreateTable", fake_dynamo_create_table, false},
        {"DynamoDB_20120810.UpdateTimeToLive", fake_dynamo_update_ttl, false},
        {"DynamoDB_20120810.DescribeTimeToLive", fake_dynamo_describe_ttl, false},
    };
    const struct text *target = fake_request_header(&dynamo->request, "x-amz-target");
    for (size_t i = 0; target != NULL && i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (!text_is(*target, operations[i].target) || (operations[i].updates && !dynamo->schema->updates))
            continue;
        json_t *root = body_of(dynamo, 0);
        if (json_is_object(root))
            operations[i].answer(dynamo, root);
        json_decref(root);
        return;
    }
    unknown_operation(dynamo);
}

static bool has_text(const char *request, size_t length, const char *before, const char *table, const char *behind)
{
    char named[320];
    int size = snprintf(named, sizeof(named), "%s\"%s\"%s", before, table, behind);
    return size > 0 && (size_t)size < sizeof(named) && memmem(request, length, named, (size_t)size) != NULL;
}

bool fake_dynamo_is_asked(const struct fake_dynamo *dynamo, const char *request, size_t length)
{
    const char *table = dynamo->table != NULL ? dynamo->table : "";
    return has_text(request, length, "\"TableName\":", table, "") ||
           has_text(request, length, "\"RequestItems\":{", table, ":{");
}

bool fake_dynamo_handle(struct fake_dynamo *dynamo, const char *request, size_t length, uint64_t now_ms,
                        struct buf *ret_answer)
{
    dynamo->requests++;
    dynamo->now_ms = now_ms;
    dynamo->no_memory = false;
    if (dynamo->rows != NULL)
        dynamo->rows->effect = FAKE_DYNAMO_NOTHING;
    if (!fake_request_parse(request, length, &dynamo->request) || dynamo->request.cut_short ||
        !text_is(dynamo->request.method, "POST") || !text_is(dynamo->request.path, "/"))
        fake_dynamo_fail(dynamo, CORAL "MalformedHttpRequestException", "The request cannot be read", NULL);
    else if (admits(dynamo))
        (dynamo->rows != NULL ? route_rows : route)(dynamo);
    return !dynamo->no_memory && fake_answer_write(&dynamo->answer, ret_answer);
}
