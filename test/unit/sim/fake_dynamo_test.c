/* SPDX-License-Identifier: Apache-2.0 */
/* The fake DynamoDB, asked by the library's own requests and read by its own parsers. */
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "dynamo/response.h"
#include "dynamo/table.h"
#include "support/record_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ETAG "\"4b3a6218bb3e3a7303e8a171a60fcf92\""

static const struct record ours = {
    .generation = 281474976710655, .timeout_ms = 20000, .ttl_s = WIRE_S + 3600, .nonce = "0123456789abcdef"};
static const struct record_condition absent = {.kind = RECORD_IF_ABSENT};

static struct fake_dynamo *open_with(void (*change)(struct fake_dynamo_options *))
{
    struct fake_dynamo_options options = wire_dynamo_options();
    if (change != NULL)
        change(&options);
    struct fake_dynamo *dynamo = fake_dynamo_new(&options);
    assert_non_null(dynamo);
    return dynamo;
}

static struct http_response exchange(struct fake_dynamo *dynamo, const struct sigv4_keys *keys, int64_t sign_s,
                                     struct http_request *request, struct buf *body)
{
    wire_sign("dynamodb", keys, sign_s, false, request);
    return wire_dynamo(dynamo, request, body, WIRE_MS);
}

static enum table_outcome put(struct fake_dynamo *dynamo, const char *path, const struct record *record,
                              const struct record_condition *condition, struct record *ret_conflict)
{
    struct http_request request;
    struct buf body;
    assert_int_equal(record_build_put(&wire_dynamo_target, &(struct record_key){path, ETAG},
                                      &(struct record_write){record, NULL, NULL, condition}, &request, &body, NULL),
                     OS_OK);
    struct http_response response = exchange(dynamo, &wire_keys, WIRE_S, &request, &body);
    enum table_outcome outcome =
        record_read_put(&response, &(struct record_about){"table", path, ETAG}, ret_conflict, NULL, NULL, NULL);
    http_response_free(&response);
    return outcome;
}

static bool get(struct fake_dynamo *dynamo, const char *path, struct record *ret)
{
    struct http_request request;
    struct buf body;
    bool found = false;
    assert_int_equal(record_build_get(&wire_dynamo_target, &(struct record_key){path, ETAG}, &request, &body, NULL),
                     OS_OK);
    struct http_response response = exchange(dynamo, &wire_keys, WIRE_S, &request, &body);
    assert_int_equal(
        record_read_get(&response, &(struct record_about){"table", path, ETAG}, &found, ret, NULL, NULL, NULL),
        TABLE_OK);
    http_response_free(&response);
    return found;
}

static void same_record(const struct record *left, const struct record *right)
{
    assert_true(left->generation == right->generation);
    assert_true(left->timeout_ms == right->timeout_ms);
    assert_true(left->ttl_s == right->ttl_s);
    assert_string_equal(left->nonce, right->nonce);
    assert_string_equal(left->saw, right->saw);
    assert_int_equal(left->has_fence, right->has_fence);
    assert_true(!left->has_fence || left->fence_s == right->fence_s);
}

TEST(a_record_is_put_once_and_read_back)
{
    struct fake_dynamo *dynamo = open_with(NULL);
    struct record found;
    struct record second = ours;
    second.has_fence = true;
    second.fence_s = WIRE_S + 5;
    memcpy(second.saw, "aa", 3);
    assert_false(get(dynamo, "p", &found));
    assert_int_equal(put(dynamo, "p", &ours, &absent, &found), TABLE_OK);
    assert_int_equal(put(dynamo, "p", &second, &absent, &found), TABLE_CONFLICT);
    same_record(&found, &ours);
    assert_int_equal(put(dynamo, "q", &second, &absent, &found), TABLE_OK);
    assert_true(get(dynamo, "q", &found));
    same_record(&found, &second);
    assert_int_equal(fake_dynamo_record_count(dynamo), 2);
    assert_string_equal(fake_dynamo_record_at(dynamo, 0).path, "p");
    assert_string_equal(fake_dynamo_record_at(dynamo, 0).etag, ETAG);
    assert_string_equal(fake_dynamo_record_at(dynamo, 0).nonce, ours.nonce);
    assert_true(fake_dynamo_record_at(dynamo, 0).generation == ours.generation);
    assert_null(fake_dynamo_violation(dynamo));
    fake_dynamo_free(dynamo);
}

TEST(a_takeover_needs_the_record_as_it_was_seen)
{
    struct fake_dynamo *dynamo = open_with(NULL);
    struct record found;
    struct record next = ours;
    struct record peers = ours;
    struct record_condition seen = {.kind = RECORD_IF_SEEN, .seen = ours};
    next.generation++;
    assert_int_equal(put(dynamo, "p", &next, &seen, &found), TABLE_CONFLICT_BLIND);
    assert_int_equal(put(dynamo, "p", &ours, &absent, &found), TABLE_OK);
    seen.seen.generation++;
    assert_int_equal(put(dynamo, "p", &next, &seen, &found), TABLE_CONFLICT);
    seen.seen = ours;
    seen.seen.ttl_s++;
    assert_int_equal(put(dynamo, "p", &next, &seen, &found), TABLE_CONFLICT);
    seen.seen = ours;
    seen.seen.nonce[0] = '\0';
    assert_int_equal(put(dynamo, "p", &next, &seen, &found), TABLE_CONFLICT);
    seen.seen = ours;
    assert_int_equal(put(dynamo, "p", &next, &seen, &found), TABLE_OK);

    peers.nonce[0] = '\0';
    assert_int_equal(put(dynamo, "q", &peers, &absent, &found), TABLE_OK);
    assert_int_equal(put(dynamo, "q", &next, &seen, &found), TABLE_CONFLICT);
    seen.seen = peers;
    assert_int_equal(put(dynamo, "q", &next, &seen, &found), TABLE_OK);
    fake_dynamo_free(dynamo);
}

TEST(a_release_needs_its_own_generation_and_nonce)
{
    struct fake_dynamo *dynamo = open_with(NULL);
    struct record found;
    struct record released;
    struct record_condition held = {.kind = RECORD_IF_HELD, .seen = ours};
    record_released(&ours, WIRE_S + 7200, &released);
    assert_int_equal(put(dynamo, "p", &ours, &absent, &found), TABLE_OK);
    held.seen.nonce[0] = 'f';
    assert_int_equal(put(dynamo, "p", &released, &held, &found), TABLE_CONFLICT);
    held.seen = ours;
    assert_int_equal(put(dynamo, "p", &released, &held, &found), TABLE_OK);
    assert_true(get(dynamo, "p", &found));
    same_record(&found, &released);
    assert_int_equal(put(dynamo, "p", &released, &held, &found), TABLE_CONFLICT);
    fake_dynamo_free(dynamo);
}

/* R17. */
TEST(a_release_for_a_ticket_needs_every_attribute)
{
    static const char *const paths[RECORD_KINDS] = {"p", "q", "r", "s"};
    struct fake_dynamo *dynamo = open_with(NULL);
    struct record found;
    struct record released;
    for (unsigned kind = 0; kind < RECORD_KINDS; kind++) {
        struct record item = record_of_kind(&ours, kind);
        struct record_condition same = {.kind = RECORD_IF_SAME, .seen = item};
        record_released(&item, WIRE_S + 7200, &released);
        assert_int_equal(put(dynamo, paths[kind], &item, &absent, &found), TABLE_OK);
        for (unsigned change = 0; change < RECORD_CHANGES; change++) {
            same.seen = record_changed(&item, change);
            assert_int_equal(put(dynamo, paths[kind], &released, &same, &found), TABLE_CONFLICT);
        }
        same.seen = item;
        assert_int_equal(put(dynamo, paths[kind], &released, &same, &found), TABLE_OK);
    }
    assert_null(fake_dynamo_violation(dynamo));
    fake_dynamo_free(dynamo);
}

static void give_nothing(struct fake_dynamo_options *options)
{
    options->no_old_on_failure = true;
    options->no_crc32 = true;
}

TEST(a_server_may_give_no_item_and_no_checksum)
{
    struct fake_dynamo *dynamo = open_with(give_nothing);
    struct record found;
    struct http_request request;
    struct buf body;
    assert_int_equal(put(dynamo, "p", &ours, &absent, &found), TABLE_OK);
    assert_int_equal(put(dynamo, "p", &ours, &absent, &found), TABLE_CONFLICT_BLIND);
    assert_int_equal(record_build_get(&wire_dynamo_target, &(struct record_key){"p", ETAG}, &request, &body, NULL),
                     OS_OK);
    struct http_response response = exchange(dynamo, &wire_keys, WIRE_S, &request, &body);
    assert_null(http_headers_get(&response.headers, "x-amz-crc32"));
    http_response_free(&response);
    fake_dynamo_free(dynamo);
}

/* ------------------------------------------------------------------------------------------------ other requests */

/* A request as somebody else might make it. */
static void other_is(struct fake_dynamo *dynamo, const char *operation, const char *json, int status, const char *code)
{
    char target[64];
    struct http_request request;
    struct buf body;
    struct buf empty;
    os_error err;
    buf_init(&empty, 1);
    snprintf(target, sizeof(target), "DynamoDB_20120810.%s", operation);
    assert_int_equal(record_build_get(&wire_dynamo_target, &(struct record_key){"p", ETAG}, &request, &body, &err),
                     OS_OK);
    buf_free(&body);
    assert_true(http_headers_set(&request.headers, "x-amz-target", target));
    request.body.data = json;
    request.body.length = strlen(json);
    struct http_response response = exchange(dynamo, &wire_keys, WIRE_S, &request, &empty);
    struct dynamo_error detail;
    struct record found;
    (void)record_read_put(&response, &(struct record_about){"table", "p", ETAG}, &found, NULL, &detail, NULL);
    assert_int_equal(response.status, status);
    assert_string_equal(detail.code, code);
    assert_false(detail.crc_wrong);
    http_response_free(&response);
}

#define KEY    "\"path\":{\"S\":\"p\"},\"etag\":{\"S\":\"e\"}"
#define RECORD KEY ",\"generation\":{\"N\":\"1\"},\"timeout\":{\"N\":\"2\"},\"ttl\":{\"N\":\"3\"}"
#define PUT_IF_ABSENT(item)                                                                                \
    "{\"TableName\":\"records\",\"Item\":{" item "},\"ConditionExpression\":\"attribute_not_exists(#p)\"," \
    "\"ExpressionAttributeNames\":{\"#p\":\"path\"},\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"}"

TEST(an_item_that_the_peer_could_not_read_is_refused_and_noted)
{
    static const char *const bad[] = {
        PUT_IF_ABSENT(KEY ",\"generation\":{\"N\":\"1\"},\"timeout\":{\"N\":\"2\"}"),
        PUT_IF_ABSENT(KEY ",\"generation\":{\"N\":\"-1\"},\"timeout\":{\"N\":\"2\"},\"ttl\":{\"N\":\"3\"}"),
        PUT_IF_ABSENT(KEY ",\"generation\":{\"N\":\"1\"},\"timeout\":{\"N\":\"2.5\"},\"ttl\":{\"N\":\"3\"}"),
        PUT_IF_ABSENT(KEY ",\"generation\":{\"N\":\"1\"},\"timeout\":{\"N\":\"2e3\"},\"ttl\":{\"N\":\"3\"}"),
        PUT_IF_ABSENT(KEY ",\"generation\":{\"S\":\"1\"},\"timeout\":{\"N\":\"2\"},\"ttl\":{\"N\":\"3\"}"),
        PUT_IF_ABSENT(KEY ",\"generation\":{\"N\":\"18446744073709551616\"},\"timeout\":{\"N\":\"2\"},\"ttl\":{\"N\":"
                          "\"3\"}"),
        PUT_IF_ABSENT(RECORD ",\"more\":{\"BOOL\":true}"),
        PUT_IF_ABSENT(RECORD ",\"more\":{\"NULL\":true}"),
        PUT_IF_ABSENT(RECORD ",\"fence\":{\"S\":\"5\"}"),
        PUT_IF_ABSENT(RECORD ",\"nonce\":{\"N\":\"5\"}"),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fake_dynamo *dynamo = open_with(NULL);
        other_is(dynamo, "PutItem", bad[i], 400, "ValidationException");
        assert_non_null(strstr(fake_dynamo_violation(dynamo), "T1"));
        assert_int_equal(fake_dynamo_record_count(dynamo), 0);
        fake_dynamo_free(dynamo);
    }
    struct fake_dynamo *dynamo = open_with(NULL);
    other_is(dynamo, "PutItem", PUT_IF_ABSENT(RECORD ",\"other\":{\"S\":\"x\"}"), 200, "");
    other_is(dynamo, "PutItem", PUT_IF_ABSENT(RECORD), 400, "ConditionalCheckFailedException");
    assert_null(fake_dynamo_violation(dynamo));
    fake_dynamo_free(dynamo);
}

#define PUT_WITH(expression, names, values)                                                  \
    "{\"TableName\":\"records\",\"Item\":{" RECORD "},\"ConditionExpression\":\"" expression \
    "\",\"ExpressionAttributeNames\":{" names "},\"ExpressionAttributeValues\":{" values "}}"

TEST(conditions_that_the_protocol_does_not_have_are_refused)
{
    static const char *const bad[] = {
        "{\"TableName\":\"records\",\"Item\":{" RECORD "}}",
        PUT_WITH("attribute_not_exists(path)", "", ""),
        PUT_WITH("attribute_not_exists(#p)", "\"#p\":\"path\"", ""),
        PUT_WITH("#g = :g OR #g = :g", "\"#g\":\"generation\"", "\":g\":{\"N\":\"1\"}"),
        PUT_WITH("#g < :g", "\"#g\":\"generation\"", "\":g\":{\"N\":\"1\"}"),
        PUT_WITH("#g = :g AND ", "\"#g\":\"generation\"", "\":g\":{\"N\":\"1\"}"),
        PUT_WITH("#g = :g", "\"#g\":\"generation\",\"#t\":\"ttl\"", "\":g\":{\"N\":\"1\"}"),
        PUT_WITH("#g = :g", "\"#g\":\"generation\"", "\":g\":{\"N\":\"1\"},\":h\":{\"N\":\"1\"}"),
        PUT_WITH("#g = :h", "\"#g\":\"generation\"", "\":g\":{\"N\":\"1\"}"),
        PUT_WITH("#h = :g", "\"#g\":\"generation\"", "\":g\":{\"N\":\"1\"}"),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fake_dynamo *dynamo = open_with(NULL);
        other_is(dynamo, "PutItem", bad[i], 400, "ValidationException");
        assert_non_null(fake_dynamo_violation(dynamo));
        fake_dynamo_free(dynamo);
    }
    struct fake_dynamo *dynamo = open_with(NULL);
    other_is(dynamo, "PutItem", PUT_IF_ABSENT(RECORD), 200, "");
    other_is(
        dynamo, "PutItem",
        PUT_WITH("attribute_exists(#n) AND #g = :g", "\"#g\":\"generation\",\"#n\":\"nonce\"", "\":g\":{\"N\":\"1\"}"),
        400, "ConditionalCheckFailedException");
    other_is(
        dynamo, "PutItem",
        PUT_WITH("attribute_exists(#n) AND #g = :g", "\"#g\":\"generation\",\"#n\":\"ttl\"", "\":g\":{\"N\":\"1\"}"),
        200, "");
    other_is(dynamo, "DeleteItem", "{}", 400, "UnknownOperationException");
    other_is(dynamo, "GetItem", "[]", 400, "SerializationException");
    other_is(dynamo, "GetItem", "{\"TableName\":\"others\"}", 400, "ResourceNotFoundException");
    fake_dynamo_free(dynamo);
}

/* --------------------------------------------------------------------------------------------- pages, table, time */

static bool note_row(void *context, const struct dynamo_row *row)
{
    assert_true(row->readable);
    return buf_add_f(context, "%s ", item_text_of(&row->item, RECORD_AT_PATH));
}

static void list_is(struct fake_dynamo *dynamo, const char *path, size_t wanted_pages, size_t wanted)
{
    char *last = NULL;
    size_t pages = 0;
    struct buf out;
    buf_init(&out, 1 << 20);
    do {
        struct dynamo_page page = {
            .partition = path, .start_key = last, .attributes = DYNAMO_KNOWN_ATTRIBUTES, .limit = 100};
        struct http_request request;
        struct buf body;
        char *next = NULL;
        assert_int_equal(dynamo_build_list(&wire_dynamo_target, &page, &request, &body, NULL), OS_OK);
        struct http_response response = exchange(dynamo, &wire_keys, WIRE_S, &request, &body);
        assert_int_equal(dynamo_read_list(&response, &about_table, note_row, &out, &next, NULL, NULL), TABLE_OK);
        http_response_free(&response);
        free(last);
        last = next;
        pages++;
    } while (last != NULL);
    size_t rows = 0;
    for (const char *at = buf_str(&out); *at != '\0'; at++)
        rows += *at == ' ' ? 1 : 0;
    assert_int_equal(rows, wanted);
    assert_int_equal(pages, wanted_pages);
    buf_free(&out);
}

TEST(records_are_listed_in_pages)
{
    struct fake_dynamo *dynamo = open_with(NULL);
    struct record found;
    for (int i = 0; i < 250; i++) {
        char path[16];
        snprintf(path, sizeof(path), "p%d", (i * 7) % 250);
        assert_int_equal(put(dynamo, path, &ours, &absent, &found), TABLE_OK);
    }
    list_is(dynamo, NULL, 3, 250);
    list_is(dynamo, "p17", 1, 1);
    list_is(dynamo, "absent", 1, 0);
    fake_dynamo_free(dynamo);
}

static void no_table(struct fake_dynamo_options *options)
{
    options->table = NULL;
}

typedef os_code (*build_fn)(const struct dynamo_target *, struct http_request *, struct buf *, os_error *);

static struct http_response ask(struct fake_dynamo *dynamo, build_fn build)
{
    struct http_request request;
    struct buf body;
    assert_int_equal(build(&wire_dynamo_target, &request, &body, NULL), OS_OK);
    return exchange(dynamo, &wire_keys, WIRE_S, &request, &body);
}

static void done_is(struct fake_dynamo *dynamo, build_fn build)
{
    struct http_response response = ask(dynamo, build);
    assert_int_equal(dynamo_read_done(&response, &about_table, NULL, NULL), TABLE_OK);
    http_response_free(&response);
}

static void table_is(struct fake_dynamo *dynamo, bool exists, os_code judgement)
{
    struct dynamo_table table;
    char status[DYNAMO_TTL_STATUS_SIZE];
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE];
    bool found = false;
    struct http_response response = ask(dynamo, dynamo_build_describe_table);
    assert_int_equal(dynamo_read_table(&response, &about_table, &found, &table, NULL, NULL), TABLE_OK);
    http_response_free(&response);
    assert_int_equal(found, exists);
    if (exists) {
        response = ask(dynamo, dynamo_build_describe_ttl);
        assert_int_equal(dynamo_read_ttl(&response, &about_table, status, attribute, NULL, NULL), TABLE_OK);
        http_response_free(&response);
        assert_int_equal(dynamo_judge_table(&about_table, &table, status, attribute, NULL), judgement);
    }
}

TEST(a_table_is_made_and_given_its_ttl)
{
    struct fake_dynamo *dynamo = open_with(no_table);
    table_is(dynamo, false, OS_OK);
    done_is(dynamo, dynamo_build_create_table);
    done_is(dynamo, dynamo_build_create_table);
    table_is(dynamo, true, OS_ERR_TABLE);
    done_is(dynamo, dynamo_build_update_ttl);
    done_is(dynamo, dynamo_build_update_ttl);
    table_is(dynamo, true, OS_OK);
    fake_dynamo_free(dynamo);
    dynamo = open_with(NULL);
    table_is(dynamo, true, OS_OK);
    fake_dynamo_free(dynamo);
}

TEST(ttl_removes_what_has_expired_and_nothing_else)
{
    struct fake_dynamo *dynamo = open_with(NULL);
    struct record found;
    struct record later = ours;
    later.ttl_s++;
    assert_int_equal(put(dynamo, "a", &later, &absent, &found), TABLE_OK);
    assert_int_equal(put(dynamo, "b", &ours, &absent, &found), TABLE_OK);
    assert_int_equal(put(dynamo, "c", &ours, &absent, &found), TABLE_OK);
    const uint64_t end_ms = ours.ttl_s * 1000;
    assert_int_equal(fake_dynamo_expired_count(dynamo, end_ms + 999), 0);
    assert_int_equal(fake_dynamo_expired_count(dynamo, end_ms + 1000), 2);
    const uint64_t before = fake_dynamo_digest(dynamo);
    fake_dynamo_expire(dynamo, end_ms + 1000, 2);
    assert_true(fake_dynamo_digest(dynamo) == before);
    fake_dynamo_expire(dynamo, end_ms + 1000, 1);
    assert_true(fake_dynamo_digest(dynamo) != before);
    assert_false(get(dynamo, "c", &found));
    assert_true(get(dynamo, "a", &found) && get(dynamo, "b", &found));
    fake_dynamo_expire(dynamo, end_ms + 1000, 0);
    assert_int_equal(fake_dynamo_expired_count(dynamo, end_ms + 1000), 0);
    assert_int_equal(fake_dynamo_record_count(dynamo), 1);
    fake_dynamo_free(dynamo);
}

static struct dynamo_error refusal(struct fake_dynamo *dynamo, const struct sigv4_keys *keys, int64_t sign_s)
{
    struct http_request request;
    struct buf body;
    struct record found;
    struct dynamo_error detail;
    assert_int_equal(record_build_put(&wire_dynamo_target, &(struct record_key){"p", ETAG},
                                      &(struct record_write){&ours, NULL, NULL, &absent}, &request, &body, NULL),
                     OS_OK);
    struct http_response response = exchange(dynamo, keys, sign_s, &request, &body);
    assert_int_not_equal(
        record_read_put(&response, &(struct record_about){"table", "p", ETAG}, &found, NULL, &detail, NULL), TABLE_OK);
    assert_int_equal(response.status, 400);
    http_response_free(&response);
    return detail;
}

TEST(wrong_times_and_credentials_are_told_apart)
{
    struct fake_dynamo *dynamo = open_with(NULL);
    const struct sigv4_keys wrong = {WIRE_ACCESS, "wrong", NULL};
    const struct sigv4_keys unknown = {"AKIDOTHER", WIRE_SECRET, NULL};
    struct dynamo_error detail = refusal(dynamo, &wire_keys, WIRE_S - 301);
    assert_string_equal(detail.code, "InvalidSignatureException");
    assert_true(detail.skewed);
    detail = refusal(dynamo, &wire_keys, WIRE_S + 301);
    assert_string_equal(detail.code, "InvalidSignatureException");
    assert_true(detail.skewed);
    detail = refusal(dynamo, &wrong, WIRE_S);
    assert_string_equal(detail.code, "InvalidSignatureException");
    assert_false(detail.skewed);
    detail = refusal(dynamo, &unknown, WIRE_S);
    assert_string_equal(detail.code, "UnrecognizedClientException");
    assert_true(fake_dynamo_rotate(dynamo, WIRE_ACCESS, "new", "token"));
    detail = refusal(dynamo, &wire_keys, WIRE_S);
    assert_string_equal(detail.code, "ExpiredTokenException");
    assert_true(detail.token_expired);
    assert_int_equal(fake_dynamo_record_count(dynamo), 0);
    fake_dynamo_free(dynamo);
}
