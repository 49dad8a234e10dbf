/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's fake DynamoDB against DynamoDB Local, with tables of rows: the same random requests, built and signed by
 * the library, go to both. Their answers must say the same, and in the end the same rows must be there.
 */
#include "random_tables.h"

#include "attribute/canonical.h"

#include <stdlib.h>

enum { REQUESTS = 1500, WRITES = 4, MISMATCHES_MAX = 50 };

static struct fake_dynamo *fake;
static size_t said_ok;
static size_t said_no;

/* ------------------------------------------------------------------------------------------------ both are asked */

struct said {
    int status;
    char code[64];
    json_t *body;
};

static struct said take_answer(struct http_response *response)
{
    struct said said = {.status = response->status};
    said.body = json_loadb(buf_str(&response->body), response->body.len, JSON_ALLOW_NUL, NULL);
    const char *type = json_string_value(json_object_get(said.body, "__type"));
    const char *code = type != NULL ? strchr(type, '#') : NULL;
    snprintf(said.code, sizeof(said.code), "%s", code != NULL ? code + 1 : "");
    http_response_free(response);
    return said;
}

/* DynamoDB Local says at random that a request which is the same has other parameters (aws-sdk-go-v2 #1900). */
static struct said ask_real(struct http_request *request, bool may_mismatch)
{
    for (size_t i = 0;; i++) {
        real_sign(&server, &server.keys, 0, false, request);
        struct http_response response = real_answer(&server, request);
        struct said said = take_answer(&response);
        if (may_mismatch || strcmp(said.code, "IdempotentParameterMismatchException") != 0 || i == MISMATCHES_MAX)
            return said;
        json_decref(said.body);
    }
}

/* Takes the request and its body. */
static void ask_both(struct http_request *request, struct buf *body, bool may_mismatch, struct said ret[2])
{
    ret[0] = ask_real(request, may_mismatch);
    struct http_response response = wire_dynamo(fake, request, body, real_now_ms());
    ret[1] = take_answer(&response);
    *(ret[1].status == 200 ? &said_ok : &said_no) += 1;
}

static bool same_value(const json_t *a, const json_t *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || case_items_equal((json_t *)a, (json_t *)b));
}

static bool same_reasons(const json_t *a, const json_t *b)
{
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same && i < json_array_size(a); i++) {
        const json_t *one = json_array_get(a, i);
        const json_t *other = json_array_get(b, i);
        same = json_equal(json_object_get(one, "Code"), json_object_get(other, "Code")) != 0 &&
               same_value(json_object_get(one, "Item"), json_object_get(other, "Item"));
    }
    return same;
}

/* Of TransactGetItems an array of places; of BatchGetItem the items of each table, in any order. */
static bool same_responses(json_t *a, json_t *b)
{
    const char *name;
    json_t *items;
    bool same =
        json_is_array(a) ? json_array_size(a) == json_array_size(b) : json_object_size(a) == json_object_size(b);
    for (size_t i = 0; same && i < json_array_size(a); i++)
        same = same_value(json_object_get(json_array_get(a, i), "Item"), json_object_get(json_array_get(b, i), "Item"));
    json_object_foreach(a, name, items)
    {
        same = same && same_items(items, json_object_get(b, name), false);
    }
    return same;
}

/* Where an item has no place for a change DynamoDB Local refuses the whole transaction, and the API Reference has a reason
 * (TransactWriteItems, "TransactionCanceledException"). */
static bool is_refused_whole(const struct said said[2])
{
    size_t index;
    json_t *reason;
    if (strcmp(said[0].code, "ValidationException") != 0)
        return false;
    json_array_foreach(json_object_get(said[1].body, "CancellationReasons"), index, reason)
    {
        if (strcmp(json_string_value(json_object_get(reason, "Code")), "ValidationError") == 0)
            return true;
    }
    return false;
}

static bool is_same(const struct said said[2])
{
    static const char *const items[] = {"Item", "Attributes"};
    bool same = said[0].status == said[1].status && strcmp(said[0].code, said[1].code) == 0;
    for (size_t i = 0; i < 2; i++)
        same = same && same_value(json_object_get(said[0].body, items[i]), json_object_get(said[1].body, items[i]));
    return same &&
           same_reasons(json_object_get(said[0].body, "CancellationReasons"),
                        json_object_get(said[1].body, "CancellationReasons")) &&
           same_responses(json_object_get(said[0].body, "Responses"), json_object_get(said[1].body, "Responses"));
}

static void compare(const char *what, struct said said[2])
{
    if (!is_same(said) && !is_refused_whole(said))
        report_difference(seed, what, NULL, NULL, said[1].body, said[0].body, said[0].code);
    json_decref(said[0].body);
    json_decref(said[1].body);
}

/* ------------------------------------------------------------------------------------------------ random requests */

struct random_write {
    struct random_condition condition;
    struct random_changes changes;
    json_t *item;
};

static struct many *random_table(uint64_t *random)
{
    return &tables[random_below(random, TABLES)];
}

/* Few rows, so that most requests meet one. */
static json_t *likely_key(uint64_t *random, struct many *many)
{
    const json_t *item = json_array_get(many->items, random_below(random, json_array_size(many->items) + 1));
    return item == NULL ? random_key(random, many)
                        : json_pack("{s:O,s:O}", "pk", json_object_get(item, "pk"), "sk", json_object_get(item, "sk"));
}

static void make_write(uint64_t *random, bool is_alone, struct random_write *made, struct rows_write *write)
{
    struct many *many = random_table(random);
    memset(made, 0, sizeof(*made));
    memset(write, 0, sizeof(*write));
    write->kind = ROWS_PUT + (unsigned)random_below(random, is_alone ? ROWS_DELETE : ROWS_CHECK);
    write->table = &many->table;
    made->item = write->kind == ROWS_PUT ? random_row(random, many) : likely_key(random, many);
    write->item = made->item;
    if (write->kind == ROWS_CHECK || random_below(random, 3) == 0)
        random_condition(random, made->item, &made->condition);
    if (write->kind == ROWS_UPDATE)
        random_changes(random, made->item, &made->changes);
    write->condition = made->condition.condition;
    write->changes = made->changes.changes;
    write->change_count = made->changes.count;
    write->returns_item = is_alone && random_below(random, 2) == 0;
    if (write->kind == ROWS_PUT)
        json_array_append(many->items, made->item); /* a key that may be there */
}

static void write_free(struct random_write *made)
{
    random_condition_free(&made->condition);
    random_changes_free(&made->changes);
    json_decref(made->item);
}

static void ask_write(uint64_t *random)
{
    struct random_write made;
    struct rows_write write;
    struct http_request request;
    struct buf body;
    struct said said[2];
    make_write(random, true, &made, &write);
    if (rows_build_write(&server.endpoint, &write, &request, &body, NULL) == OS_OK) {
        ask_both(&request, &body, true, said);
        compare("a write", said);
    }
    write_free(&made);
}

/* Once more under its token, when it can be built at all; then another one under that. */
static void ask_transaction(uint64_t *random)
{
    static size_t number;
    char token[37];
    struct random_write made[WRITES];
    struct rows_write writes[WRITES];
    struct http_request request;
    struct buf body;
    size_t count = 1 + random_below(random, WRITES);
    size_t again = 1 + random_below(random, 3);
    snprintf(token, sizeof(token), "%.24s-%zu", server.unique, number++);
    for (size_t i = 0; i < count; i++)
        make_write(random, false, &made[i], &writes[i]);
    for (size_t i = 0; i < again; i++) {
        struct said said[2];
        const struct rows_transaction transaction = {writes, i == 2 && count > 1 ? count - 1 : count, token};
        bool differs = i == 2 && count > 1;
        if (rows_build_transact_write(&server.endpoint, &transaction, &request, &body, NULL) != OS_OK)
            break;
        ask_both(&request, &body, differs, said);
        compare(differs ? "another transaction under a token"
                : i > 0 ? "a transaction once more"
                        : "a transaction",
                said);
    }
    for (size_t i = 0; i < count; i++)
        write_free(&made[i]);
}

static void ask_get(uint64_t *random)
{
    struct many *many = random_table(random);
    struct random_paths made = {.count = 0};
    struct http_request request;
    struct buf body;
    struct said said[2];
    json_t *key = likely_key(random, many);
    const json_t *item = json_array_get(many->items, random_below(random, json_array_size(many->items) + 1));
    if (item != NULL && random_below(random, 2) == 0)
        random_paths(random, item, &made);
    const struct rows_get get = {.of = {&many->table, key}, .paths = made.paths, .path_count = made.count};
    if (rows_build_get(&server.endpoint, &get, &request, &body, NULL) == OS_OK) {
        ask_both(&request, &body, true, said);
        compare("a read", said);
    }
    json_decref(key);
}

static void ask_several(uint64_t *random)
{
    struct rows_get gets[WRITES] = {{.path_count = 0}};
    struct rows_key keys[WRITES];
    struct http_request request;
    struct buf body;
    struct said said[2];
    size_t count = 1 + random_below(random, WRITES);
    bool together = random_below(random, 2) == 0;
    for (size_t i = 0; i < count; i++) {
        struct many *many = random_table(random);
        keys[i] = (struct rows_key){&many->table, likely_key(random, many)};
        gets[i].of = keys[i];
    }
    os_code code = together ? rows_build_transact_get(&server.endpoint, gets, count, &request, &body, NULL)
                            : rows_build_batch(&server.endpoint, keys, count, false, &request, &body, NULL);
    if (code == OS_OK) {
        ask_both(&request, &body, true, said);
        compare(together ? "reads of one instant" : "a batch", said);
    }
    for (size_t i = 0; i < count; i++)
        json_decref((json_t *)keys[i].key);
}

/* ------------------------------------------------------------------------------------------------ all of it */

/* Every key that was ever named. */
static void compare_rows(struct many *many)
{
    for (size_t i = 0; i < json_array_size(many->items); i++) {
        struct http_request request;
        struct buf body;
        struct said said[2];
        const json_t *item = json_array_get(many->items, i);
        json_t *key = json_pack("{s:O,s:O}", "pk", json_object_get(item, "pk"), "sk", json_object_get(item, "sk"));
        const struct rows_get get = {.of = {&many->table, key}};
        assert_int_equal(rows_build_get(&server.endpoint, &get, &request, &body, NULL), OS_OK);
        ask_both(&request, &body, true, said);
        compare("what is in the table", said);
        json_decref(key);
    }
}

TEST(rows_of_dynamodb_local_and_of_the_fake_agree)
{
    static void (*const asks[])(uint64_t * random) = {ask_write,       ask_write, ask_transaction,
                                                      ask_transaction, ask_get,   ask_several};
    uint64_t random = seed;
    for (size_t i = 0; i < REQUESTS; i++)
        asks[random_below(&random, sizeof(asks) / sizeof(asks[0]))](&random);
    for (size_t i = 0; i < TABLES; i++)
        compare_rows(&tables[i]);
    assert_no_differences();
    assert_null(fake_dynamo_violation(fake));
    printf("%zu were done by both, %zu refused by both\n", said_ok, said_no);
    assert_true(said_ok > REQUESTS / 4 && said_no > REQUESTS / 20);
}

static void make_both(struct many *many, enum value_type sort_type)
{
    char code[64];
    many->sort_type = sort_type;
    snprintf(many->name, sizeof(many->name), "%s-%s", server.unique, value_type_name(sort_type));
    many->table = (struct rows_table){many->name, {"pk", "sk"}};
    many->items = json_array();
    json_t *request = json_pack("{s:s,s:s,s:o,s:[o,o]}", "TableName", many->name, "BillingMode", "PAY_PER_REQUEST",
                                "KeySchema", keys_of("pk", "sk"), "AttributeDefinitions", attribute_of("pk", "S"),
                                attribute_of("sk", value_type_name(sort_type)));
    assert_int_equal(ask("CreateTable", request, code), 200);
    assert_true(fake_dynamo_make_table(fake, many->name, "pk", "sk"));
}

int main(int argc, char **argv)
{
    const char *first = getenv("OSCOMMIT_TEST_SEED");
    real_open(&server, "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "dynamodb");
    const struct fake_dynamo_options options = {.kind = FAKE_DYNAMO_ROWS,
                                                .region = server.endpoint.region,
                                                .access_key = server.keys.access_key_id,
                                                .secret_key = server.keys.secret_access_key};
    fake = fake_dynamo_new(&options);
    seed = first != NULL ? strtoull(first, NULL, 10) : seed;
    for (size_t i = 0; i < TABLES; i++)
        make_both(&tables[i], sort_types[i]);
    int status = test_main(argc, argv);
    for (size_t i = 0; i < TABLES; i++)
        json_decref(tables[i].items);
    fake_dynamo_free(fake);
    real_close(&server);
    return status;
}
