/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's fake DynamoDB against DynamoDB Local: the same requests, built and signed by the library, go to both,
 * and the answers must say the same: status, error code, and what the library's parsers read in them.
 */
#include "support/test.h"
#include "unit/sim/real.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "dynamo/request.h"
#include "dynamo/response.h"
#include "dynamo/table.h"
#include "holding/lease_item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct real_service server;

struct dynamo_pair {
    struct fake_dynamo *fake;
    struct dynamo_target target;
    char table[48];
};

/* Takes the request, frees the body. */
static void ask_both(struct dynamo_pair *pair, struct http_request *request, struct buf *body,
                     struct http_response *ret_real, struct http_response *ret_fake)
{
    real_sign(&server, &server.keys, 0, false, request);
    *ret_real = real_answer(&server, request);
    *ret_fake = wire_dynamo(pair->fake, request, body, real_now_ms());
    assert_int_equal(ret_real->status, ret_fake->status);
}

static void same_detail(const struct dynamo_error *real, const struct dynamo_error *fake)
{
    assert_string_equal(fake->code, real->code);
    assert_false(real->crc_wrong || fake->crc_wrong);
    assert_true(real->request_id[0] != '\0' && fake->request_id[0] != '\0');
}

static void both_put_record(struct dynamo_pair *pair, const struct record *record,
                            const struct record_condition *condition, enum table_outcome outcome)
{
    struct http_request request;
    struct buf body;
    struct http_response real;
    struct http_response fake;
    struct dynamo_error details[2];
    struct record found[2];
    memset(found, 0, sizeof(found));
    assert_int_equal(record_build_put(&pair->target, &(struct record_key){"path/\xc3\xa4\"", "\"etag\""},
                                      &(struct record_write){record, NULL, NULL, condition}, &request, &body, NULL),
                     OS_OK);
    ask_both(pair, &request, &body, &real, &fake);
    assert_int_equal(
        record_read_put(&real, &(struct record_about){"real", "p", "e"}, &found[0], NULL, &details[0], NULL), outcome);
    assert_int_equal(
        record_read_put(&fake, &(struct record_about){"fake", "p", "e"}, &found[1], NULL, &details[1], NULL), outcome);
    same_detail(&details[0], &details[1]);
    assert_memory_equal(&found[0], &found[1], sizeof(found[0]));
    http_response_free(&real);
    http_response_free(&fake);
}

static void both_get_record(struct dynamo_pair *pair, enum table_outcome outcome, bool is_there)
{
    struct http_request request;
    struct buf body;
    struct http_response real;
    struct http_response fake;
    struct dynamo_error details[2];
    struct record found[2];
    bool there[2] = {false, false};
    memset(found, 0, sizeof(found));
    assert_int_equal(
        record_build_get(&pair->target, &(struct record_key){"path/\xc3\xa4\"", "\"etag\""}, &request, &body, NULL),
        OS_OK);
    ask_both(pair, &request, &body, &real, &fake);
    assert_int_equal(
        record_read_get(&real, &(struct record_about){"real", "p", "e"}, &there[0], &found[0], NULL, &details[0], NULL),
        outcome);
    assert_int_equal(
        record_read_get(&fake, &(struct record_about){"fake", "p", "e"}, &there[1], &found[1], NULL, &details[1], NULL),
        outcome);
    same_detail(&details[0], &details[1]);
    assert_int_equal(there[0], is_there);
    assert_int_equal(there[1], is_there);
    assert_memory_equal(&found[0], &found[1], sizeof(found[0]));
    http_response_free(&real);
    http_response_free(&fake);
}

typedef os_code (*build_fn)(const struct dynamo_target *, struct http_request *, struct buf *, os_error *);

static void both_prepare(struct dynamo_pair *pair, build_fn build)
{
    struct http_request request;
    struct buf body;
    struct http_response real;
    struct http_response fake;
    struct dynamo_error details[2];
    assert_int_equal(build(&pair->target, &request, &body, NULL), OS_OK);
    ask_both(pair, &request, &body, &real, &fake);
    assert_int_equal(dynamo_read_done(&real, &about_table, &details[0], NULL), TABLE_OK);
    assert_int_equal(dynamo_read_done(&fake, &about_table, &details[1], NULL), TABLE_OK);
    same_detail(&details[0], &details[1]);
    http_response_free(&real);
    http_response_free(&fake);
}

static os_code judged(const struct http_response *table, const struct http_response *ttl)
{
    struct dynamo_table found;
    char status[DYNAMO_TTL_STATUS_SIZE];
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE];
    bool exists = false;
    assert_int_equal(dynamo_read_table(table, &about_table, &exists, &found, NULL, NULL), TABLE_OK);
    if (!exists)
        return OS_ERR_NO_TABLE;
    assert_int_equal(dynamo_read_ttl(ttl, &about_table, status, attribute, NULL, NULL), TABLE_OK);
    return dynamo_judge_table(&about_table, &found, status, attribute, NULL);
}

static void both_judge(struct dynamo_pair *pair, os_code code)
{
    struct http_request request;
    struct buf body;
    struct http_response tables[2];
    struct http_response ttls[2];
    assert_int_equal(dynamo_build_describe_table(&pair->target, &request, &body, NULL), OS_OK);
    ask_both(pair, &request, &body, &tables[0], &tables[1]);
    assert_int_equal(dynamo_build_describe_ttl(&pair->target, &request, &body, NULL), OS_OK);
    ask_both(pair, &request, &body, &ttls[0], &ttls[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(judged(&tables[i], &ttls[i]), code);
        http_response_free(&tables[i]);
        http_response_free(&ttls[i]);
    }
}

/* Without a table, which each test makes for itself on both. */
static void open_fake_of(struct dynamo_pair *pair, const struct item_schema *schema)
{
    static unsigned tables;
    const struct fake_dynamo_options options = {.kind =
                                                    schema == &lease_schema ? FAKE_DYNAMO_LEASES : FAKE_DYNAMO_RECORDS,
                                                .region = server.endpoint.region,
                                                .access_key = server.keys.access_key_id,
                                                .secret_key = server.keys.secret_access_key};
    snprintf(pair->table, sizeof(pair->table), "%s-%u", server.unique, tables++);
    pair->target = (struct dynamo_target){.endpoint = &server.endpoint, .table = pair->table, .schema = schema};
    pair->fake = fake_dynamo_new(&options);
    assert_non_null(pair->fake);
}

static void open_fake(struct dynamo_pair *pair)
{
    open_fake_of(pair, &record_schema);
}

TEST(records_of_dynamodb_local_and_of_the_fake_agree)
{
    struct dynamo_pair pair;
    const uint64_t ttl_s = real_now_ms() / 1000 + 3600;
    const struct record peers = {.generation = 1, .timeout_ms = 20000, .ttl_s = ttl_s};
    struct record ours = {
        .generation = 281474976710655, .timeout_ms = 20000, .ttl_s = ttl_s, .nonce = "0123456789abcdef"};
    struct record released;
    struct record_condition condition = {.kind = RECORD_IF_ABSENT};
    open_fake(&pair);
    both_judge(&pair, OS_ERR_NO_TABLE);
    both_get_record(&pair, TABLE_REFUSED, false);
    both_prepare(&pair, dynamo_build_create_table);
    both_prepare(&pair, dynamo_build_create_table);
    both_judge(&pair, OS_ERR_TABLE);
    both_prepare(&pair, dynamo_build_update_ttl);
    both_prepare(&pair, dynamo_build_update_ttl);
    both_judge(&pair, OS_OK);

    both_get_record(&pair, TABLE_OK, false);
    both_put_record(&pair, &peers, &condition, TABLE_OK);
    both_put_record(&pair, &ours, &condition, TABLE_CONFLICT);
    condition = (struct record_condition){.kind = RECORD_IF_SEEN, .seen = ours};
    both_put_record(&pair, &ours, &condition, TABLE_CONFLICT);
    condition.seen = peers;
    condition.seen.ttl_s++;
    both_put_record(&pair, &ours, &condition, TABLE_CONFLICT);
    condition.seen = peers;
    ours.has_fence = true;
    ours.fence_s = ttl_s;
    both_put_record(&pair, &ours, &condition, TABLE_OK);
    both_put_record(&pair, &ours, &condition, TABLE_CONFLICT);
    both_get_record(&pair, TABLE_OK, true);
    record_released(&ours, ttl_s + 1, &released);
    condition = (struct record_condition){.kind = RECORD_IF_SAME, .seen = ours}; /* R17 */
    condition.seen.fence_s++;
    both_put_record(&pair, &released, &condition, TABLE_CONFLICT);
    condition.seen = ours;
    memcpy(condition.seen.saw, "seen", sizeof("seen"));
    both_put_record(&pair, &released, &condition, TABLE_CONFLICT);
    condition.seen = ours;
    both_put_record(&pair, &ours, &condition, TABLE_OK);
    condition = (struct record_condition){.kind = RECORD_IF_HELD, .seen = ours};
    both_put_record(&pair, &released, &condition, TABLE_OK);
    both_put_record(&pair, &released, &condition, TABLE_CONFLICT);
    both_get_record(&pair, TABLE_OK, true);
    assert_null(fake_dynamo_violation(pair.fake));
    fake_dynamo_free(pair.fake);
}

static bool note_row(void *context, const struct dynamo_row *row)
{
    return buf_add_f(context, "%s ", item_text_of(&row->item, RECORD_AT_PATH));
}

/* Page by page: their ends must be alike too. */
static void both_list(struct dynamo_pair *pair, const char *path, size_t wanted_pages)
{
    char *last = NULL;
    size_t pages = 0;
    do {
        struct dynamo_page page = {
            .partition = path, .start_key = last, .attributes = DYNAMO_KNOWN_ATTRIBUTES, .limit = 100};
        struct http_request request;
        struct buf body;
        struct http_response answers[2];
        struct buf rows[2];
        char *next[2] = {NULL, NULL};
        assert_int_equal(dynamo_build_list(&pair->target, &page, &request, &body, NULL), OS_OK);
        ask_both(pair, &request, &body, &answers[0], &answers[1]);
        for (int i = 0; i < 2; i++) {
            buf_init(&rows[i], 1 << 20);
            assert_int_equal(dynamo_read_list(&answers[i], &about_table, note_row, &rows[i], &next[i], NULL, NULL),
                             TABLE_OK);
            http_response_free(&answers[i]);
        }
        assert_int_equal(rows[0].len, rows[1].len); /* a table has an order of its own */
        assert_true(path == NULL || strcmp(buf_str(&rows[0]), buf_str(&rows[1])) == 0);
        assert_int_equal(next[0] == NULL, next[1] == NULL);
        buf_free(&rows[0]);
        buf_free(&rows[1]);
        free(last);
        last = path != NULL ? next[0] : NULL; /* a scan's key says nothing to the other */
        free(path != NULL ? NULL : next[0]);
        free(next[1]);
        pages++;
    } while (last != NULL);
    assert_int_equal(pages, wanted_pages);
}

TEST(pages_of_dynamodb_local_and_of_the_fake_agree)
{
    struct dynamo_pair pair;
    const struct record record = {.generation = 1, .timeout_ms = 20000, .ttl_s = real_now_ms() / 1000 + 3600};
    const struct record_condition condition = {.kind = RECORD_IF_ABSENT};
    open_fake(&pair);
    both_prepare(&pair, dynamo_build_create_table);
    for (int i = 0; i < 200; i++) {
        char etag[32];
        struct http_request request;
        struct buf body;
        struct http_response answers[2];
        snprintf(etag, sizeof(etag), "\"%d\"", i);
        assert_int_equal(record_build_put(&pair.target, &(struct record_key){"listed", etag},
                                          &(struct record_write){&record, NULL, NULL, &condition}, &request, &body,
                                          NULL),
                         OS_OK);
        ask_both(&pair, &request, &body, &answers[0], &answers[1]);
        assert_int_equal(answers[0].status, 200);
        http_response_free(&answers[0]);
        http_response_free(&answers[1]);
    }
    both_list(&pair, "listed", 3); /* the second page is full: a third one, without records, follows */
    both_list(&pair, "absent", 1);
    fake_dynamo_free(pair.fake);
}

/* ------------------------------------------------------------------------------------------------ leases */

static const struct lease_holder plain = {"job/\xc3\xa4\"", "job#fencing-epoch", "me", false};
static const struct lease_holder fenced = {"job/\xc3\xa4\"", "job#fencing-epoch", "me", true};

static os_code build(const struct dynamo_target *target, const struct table_request *wanted, struct http_request *ret,
                     struct buf *ret_body)
{
    struct dynamo_write write = {wanted->item, wanted->condition, wanted->changes, wanted->change_count};
    switch (wanted->verb) {
    case TABLE_PUT: return dynamo_build_put(target, &write, ret, ret_body, NULL);
    case TABLE_UPDATE: return dynamo_build_update(target, &write, ret, ret_body, NULL);
    case TABLE_DELETE: return dynamo_build_delete(target, &write, ret, ret_body, NULL);
    default: return dynamo_build_get(target, wanted->item, ret, ret_body, NULL);
    }
}

static enum table_outcome read_answer(const struct http_response *response, enum table_verb verb,
                                      struct dynamo_reading *ret)
{
    const struct dynamo_about about = {.where = "table", .schema = &lease_schema};
    static const enum dynamo_write_kind kinds[] = {
        [TABLE_PUT] = DYNAMO_PUT, [TABLE_UPDATE] = DYNAMO_UPDATE, [TABLE_DELETE] = DYNAMO_DELETE};
    return verb == TABLE_GET ? dynamo_read_get(response, &about, ret, NULL)
                             : dynamo_read_write(response, &about, kinds[verb], ret, NULL);
}

/* One request of a lease: outcome, error and item are the same, and the item has this version and token. */
static void both_ask(struct dynamo_pair *pair, const struct lease_holder *holder, struct lease_request request,
                     enum table_outcome outcome, const char *version, uint64_t token)
{
    struct lease_wire wire;
    struct http_request http;
    struct buf body;
    struct http_response answers[2];
    struct dynamo_reading readings[2];
    struct lease_item items[2];
    request.ttl_ms = 60000;
    request.expiry_s = real_now_ms() / 1000 + 3600;
    lease_wire_fill(&request, holder, &wire);
    assert_int_equal(build(&pair->target, &wire.table, &http, &body), OS_OK);
    ask_both(pair, &http, &body, &answers[0], &answers[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_answer(&answers[i], wire.table.verb, &readings[i]), outcome);
        lease_item_of(readings[i].found ? &readings[i].item : NULL, &items[i]);
        assert_string_equal(items[i].version, version);
        assert_true(items[i].token == token);
    }
    same_detail(&readings[0].detail, &readings[1].detail);
    assert_memory_equal(&items[0], &items[1], sizeof(items[0]));
    for (int i = 0; i < 2; i++) {
        dynamo_reading_free(&readings[i]);
        http_response_free(&answers[i]);
    }
}

#define TAKE(...)   ((struct lease_request){.kind = LEASE_TAKE, __VA_ARGS__})
#define EXTEND(...) ((struct lease_request){.kind = LEASE_EXTEND, __VA_ARGS__})
#define DROP(on)    ((struct lease_request){.kind = LEASE_DROP, .on_version = on})
#define READ        ((struct lease_request){.kind = LEASE_READ})

TEST(leases_of_dynamodb_local_and_of_the_fake_agree)
{
    struct dynamo_pair pair;
    open_fake_of(&pair, &lease_schema);
    both_ask(&pair, &plain, READ, TABLE_REFUSED, "", 0);
    both_prepare(&pair, dynamo_build_create_table);
    both_prepare(&pair, dynamo_build_update_ttl);
    both_ask(&pair, &plain, READ, TABLE_OK, "", 0);
    both_ask(&pair, &plain, EXTEND(.version = "a-2", .on_version = "a-1"), TABLE_CONFLICT_BLIND, "", 0);
    both_ask(&pair, &plain, DROP("a-1"), TABLE_CONFLICT_BLIND, "", 0);
    both_ask(&pair, &plain, TAKE(.version = "a-1", .now_s = 1), TABLE_OK, "", 0);
    both_ask(&pair, &plain, TAKE(.version = "b-1", .now_s = INT64_MAX), TABLE_CONFLICT, "a-1", 0);
    both_ask(&pair, &plain, TAKE(.version = "b-1", .on_version = "a-0"), TABLE_CONFLICT, "a-1", 0);
    both_ask(&pair, &plain, EXTEND(.version = "a-2", .on_version = "a-1"), TABLE_OK, "a-2", 0);
    both_ask(&pair, &plain, EXTEND(.version = "a-3", .on_version = "a-1"), TABLE_CONFLICT, "a-2", 0);
    both_ask(&pair, &plain, DROP("a-1"), TABLE_CONFLICT, "a-2", 0);
    both_ask(&pair, &plain, TAKE(.version = "b-1", .now_s = 1, .on_version = "a-2"), TABLE_OK, "", 0);
    both_ask(&pair, &plain, READ, TABLE_OK, "b-1", 0);
    both_ask(&pair, &plain, DROP("b-1"), TABLE_OK, "", 0);
    both_ask(&pair, &plain, READ, TABLE_OK, "", 0);
    assert_null(fake_dynamo_violation(pair.fake));
    fake_dynamo_free(pair.fake);
}

/* L8: the item stays, and its token grows. */
TEST(tokens_of_dynamodb_local_and_of_the_fake_agree)
{
    struct dynamo_pair pair;
    const uint64_t token = UINT64_C(1) << 32 | 1;
    struct lease_request write_token = {.kind = LEASE_TOKEN, .on_version = "a-1", .token = token};
    struct lease_request epoch = {.kind = LEASE_EPOCH};
    open_fake_of(&pair, &lease_schema);
    both_prepare(&pair, dynamo_build_create_table);
    both_ask(&pair, &fenced, TAKE(.version = "a-1"), TABLE_OK, "a-1", 1);
    both_ask(&pair, &fenced, epoch, TABLE_OK, "", 1);
    both_ask(&pair, &fenced, epoch, TABLE_OK, "", 2);
    both_ask(&pair, &fenced, write_token, TABLE_OK, "a-1", token);
    both_ask(&pair, &fenced, write_token, TABLE_OK, "a-1", token);
    write_token.token--;
    both_ask(&pair, &fenced, write_token, TABLE_CONFLICT, "a-1", token);
    both_ask(&pair, &fenced, TAKE(.version = "b-1"), TABLE_CONFLICT, "a-1", token);
    both_ask(&pair, &fenced, TAKE(.version = "b-1", .on_version = "a-1"), TABLE_OK, "b-1", token + 1);
    both_ask(&pair, &fenced, write_token, TABLE_CONFLICT, "b-1", token + 1);
    both_ask(&pair, &fenced, EXTEND(.version = "b-2", .on_version = "b-1"), TABLE_OK, "b-2", token + 1);
    both_ask(&pair, &fenced, DROP("b-1"), TABLE_CONFLICT, "b-2", token + 1);
    both_ask(&pair, &fenced, DROP("b-2"), TABLE_OK, "", token + 1);
    both_ask(&pair, &fenced, DROP("b-2"), TABLE_CONFLICT, "", token + 1);
    both_ask(&pair, &fenced, TAKE(.version = "c-1", .now_s = 1), TABLE_OK, "c-1", token + 2);
    both_ask(&pair, &plain, TAKE(.version = "d-1", .on_version = "c-1"), TABLE_OK, "", 0);
    both_ask(&pair, &plain, READ, TABLE_OK, "d-1", 0);
    assert_null(fake_dynamo_violation(pair.fake));
    fake_dynamo_free(pair.fake);
}

static void both_refuse(struct dynamo_pair *pair, const char *operation, const char *json, const char *code)
{
    char target[64];
    struct http_request request;
    struct buf body;
    struct http_response answers[2];
    snprintf(target, sizeof(target), "DynamoDB_20120810.%s", operation);
    assert_int_equal(dynamo_build_describe_table(&pair->target, &request, &body, NULL), OS_OK);
    assert_true(http_headers_set(&request.headers, "x-amz-target", target));
    request.body.data = json;
    request.body.length = strlen(json);
    ask_both(pair, &request, &body, &answers[0], &answers[1]);
    for (int i = 0; i < 2; i++) {
        struct dynamo_error detail;
        struct record found;
        (void)record_read_put(&answers[i], &(struct record_about){"table", "p", "e"}, &found, NULL, &detail, NULL);
        assert_int_equal(answers[i].status, 400);
        assert_string_equal(detail.code, code);
        http_response_free(&answers[i]);
    }
}

#define PUT_WITH(key, expression, names, values)                                                                     \
    "{\"TableName\":\"%s\",\"Item\":{\"path\":{\"S\":\"p\"}" key ",\"generation\":{\"N\":\"1\"},\"timeout\":{\"N\":" \
    "\"1\"},\"ttl\":{\"N\":\"1\"}},\"ConditionExpression\":\"" expression "\",\"ExpressionAttributeNames\":{" names  \
    "}" values "}"
#define ETAG           ",\"etag\":{\"S\":\"e\"}"
#define VALUES(values) ",\"ExpressionAttributeValues\":{" values "}"

TEST(invalid_requests_are_refused_by_dynamodb_local_and_by_the_fake)
{
    static const char *const bad[] = {
        PUT_WITH(ETAG, "attribute_not_exists(#p)", "\"#q\":\"path\"", ""),
        PUT_WITH(ETAG, "attribute_not_exists(#p)", "\"#p\":\"path\",\"#q\":\"path\"", ""),
        PUT_WITH(ETAG, "attribute_not_exists(#p)", "\"#p\":\"path\"", VALUES("")),
        PUT_WITH(ETAG, "#p = :p AND ", "\"#p\":\"path\"", VALUES("\":p\":{\"S\":\"p\"}")),
        PUT_WITH(ETAG, "#p = :p", "\"#p\":\"path\"", VALUES("\":q\":{\"S\":\"p\"}")),
        PUT_WITH(ETAG, "#p = :p", "\"#p\":\"path\"", VALUES("\":p\":{\"S\":\"p\"},\":q\":{\"S\":\"p\"}")),
        PUT_WITH("", "attribute_not_exists(#p)", "\"#p\":\"path\"", ""),
        PUT_WITH(",\"etag\":{\"S\":\"\"}", "attribute_not_exists(#p)", "\"#p\":\"path\"", ""),
        PUT_WITH(",\"etag\":{\"N\":\"1\"}", "attribute_not_exists(#p)", "\"#p\":\"path\"", ""),
    };
    struct dynamo_pair pair;
    open_fake(&pair);
    both_prepare(&pair, dynamo_build_create_table);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct buf json;
        buf_init(&json, 4096);
        const char *at = strstr(bad[i], "%s"); /* the table's name */
        buf_add(&json, bad[i], (size_t)(at - bad[i]));
        buf_add_str(&json, pair.table);
        assert_true(buf_add_str(&json, at + 2));
        both_refuse(&pair, "PutItem", json.data, "ValidationException");
        buf_free(&json);
    }
    both_refuse(&pair, "GetItem", "{\"TableName\":\"no-such-table\",\"Key\":{\"path\":{\"S\":\"p\"}}}",
                "ResourceNotFoundException");
    both_refuse(&pair, "NoSuchOperation", "{}", "UnknownOperationException");
    fake_dynamo_free(pair.fake);
}

int main(int argc, char **argv)
{
    real_open(&server, "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "dynamodb");
    int status = test_main(argc, argv);
    real_close(&server);
    return status;
}
