/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/document_fake.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define ERROR_OF "com.amazonaws.dynamodb.v20120810#"
enum { WRITES_MAX = 2 };

struct asked {
    json_t *body;
    json_t *writes[WRITES_MAX]; /* borrowed: what Put, Delete or the request itself has in it */
    size_t count;
};

/* ------------------------------------------------------------------------------------------------ items */

static const char *key_of(const json_t *item, char ret[256])
{
    snprintf(ret, 256, "%s %s", json_string_value(json_object_get(json_object_get(item, "PK"), "S")),
             json_string_value(json_object_get(json_object_get(item, "SK"), "S")));
    return ret;
}

static long long version_of(const json_t *item)
{
    const char *digits = json_string_value(json_object_get(json_object_get(item, "version"), "N"));
    return digits != NULL ? atoll(digits) : 0;
}

static const json_t *key_in(const json_t *write)
{
    const json_t *item = json_object_get(write, "Item");
    return item != NULL ? item : json_object_get(write, "Key");
}

static json_t *there(const struct document_fake *fake, const json_t *key)
{
    char text[256];
    return json_object_get(fake->items, key_of(key, text));
}

/* The version that the condition names; 0: none. */
static long long expected_by(const json_t *write)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(write, "ExpressionAttributeValues"), name, value)
    {
        const char *digits = json_string_value(json_object_get(value, "N"));
        if (digits != NULL)
            return atoll(digits);
    }
    return 0;
}

static bool holds(const struct document_fake *fake, const json_t *write)
{
    long long version = version_of(there(fake, key_in(write)));
    long long expected = expected_by(write);
    bool is_any = expected == 0 && json_object_get(write, "Item") == NULL;
    return is_any || version == expected;
}

static void apply(struct document_fake *fake, const json_t *write)
{
    char text[256];
    json_t *item = json_object_get(write, "Item");
    key_of(key_in(write), text);
    if (item != NULL)
        assert_int_equal(json_object_set(fake->items, text, item), 0);
    else
        (void)json_object_del(fake->items, text);
}

static void write_of_another(struct document_fake *fake, const json_t *write, long long version)
{
    char text[256];
    char digits[24];
    json_t *item = json_deep_copy(key_in(write));
    snprintf(digits, sizeof(digits), "%lld", version);
    assert_int_equal(json_object_set_new(item, "version", json_pack("{s:s}", "N", digits)), 0);
    assert_int_equal(json_object_set_new(item, "clientToken", json_pack("{s:s}", "S", "theirs")), 0);
    assert_int_equal(json_object_set_new(fake->items, key_of(item, text), item), 0);
}

void document_fake_set(struct document_fake *fake, const char *key, const char *item)
{
    char text[512];
    snprintf(text, sizeof(text), "%s", item != NULL ? item : "");
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    pthread_mutex_lock(&fake->mutex);
    if (item == NULL)
        (void)json_object_del(fake->items, key);
    else
        assert_int_equal(json_object_set_new(fake->items, key, json_loads(text, 0, NULL)), 0);
    pthread_mutex_unlock(&fake->mutex);
}

bool document_fake_has(struct document_fake *fake, const char *key)
{
    pthread_mutex_lock(&fake->mutex);
    bool has = json_object_get(fake->items, key) != NULL;
    pthread_mutex_unlock(&fake->mutex);
    return has;
}

/* ------------------------------------------------------------------------------------------------ requests */

static void read_asked(const struct http_server_record *record, struct asked *ret)
{
    *ret = (struct asked){.body = json_loads(record->body, 0, NULL)};
    json_t *list = json_object_get(ret->body, "TransactItems");
    if (list == NULL)
        ret->writes[ret->count++] = ret->body;
    for (size_t i = 0; i < json_array_size(list) && i < WRITES_MAX; i++)
        ret->writes[ret->count++] = json_object_iter_value(json_object_iter(json_array_get(list, i)));
}

static bool all_hold(const struct document_fake *fake, const struct asked *asked)
{
    bool hold = true;
    for (size_t i = 0; i < asked->count; i++)
        hold = hold && holds(fake, asked->writes[i]);
    return hold;
}

static const char *token_of(const struct asked *asked)
{
    return json_string_value(json_object_get(asked->body, "ClientRequestToken"));
}

/* Returns whether it is done, now or under its token before. */
static bool perform(struct document_fake *fake, const struct asked *asked)
{
    const char *token = token_of(asked);
    if (token != NULL && json_object_get(fake->tokens, token) != NULL)
        return true;
    if (!all_hold(fake, asked))
        return false;
    for (size_t i = 0; i < asked->count; i++)
        apply(fake, asked->writes[i]);
    if (token != NULL)
        assert_int_equal(json_object_set_new(fake->tokens, token, json_true()), 0);
    return true;
}

/* ------------------------------------------------------------------------------------------------ answers */

static void answer(struct buf *scratch, int status, json_t *body, struct http_server_step *ret)
{
    char head[200];
    char *text = json_dumps(body, JSON_COMPACT);
    snprintf(head, sizeof(head),
             "HTTP/1.1 %d X\r\nContent-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: R\r\n"
             "Content-Length: %zu\r\n\r\n",
             status, strlen(text));
    buf_reset(scratch);
    assert_true(buf_add_str(scratch, head) && buf_add_str(scratch, text));
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
    free(text);
    json_decref(body);
}

static json_t *error_body(const char *code)
{
    char type[128];
    snprintf(type, sizeof(type), ERROR_OF "%s", code);
    return json_pack("{s:s, s:s}", "__type", type, "message", "made up");
}

static json_t *cancellation(const struct document_fake *fake, const struct asked *asked, bool contends)
{
    json_t *reasons = json_array();
    for (size_t i = 0; i < asked->count; i++) {
        bool failed = !contends && !holds(fake, asked->writes[i]);
        const char *code = failed ? "ConditionalCheckFailed" : contends && i == 0 ? "TransactionConflict" : "None";
        json_t *reason = json_pack("{s:s, s:s}", "Code", code, "Message", "made up");
        json_t *item = there(fake, key_in(asked->writes[i]));
        if (failed && item != NULL)
            assert_int_equal(json_object_set(reason, "Item", item), 0);
        assert_int_equal(json_array_append_new(reasons, reason), 0);
    }
    json_t *body = error_body("TransactionCanceledException");
    assert_int_equal(json_object_set_new(body, "CancellationReasons", reasons), 0);
    return body;
}

static json_t *failure(const struct document_fake *fake, const struct asked *asked)
{
    if (token_of(asked) != NULL)
        return cancellation(fake, asked, false);
    json_t *body = error_body("ConditionalCheckFailedException");
    json_t *item = there(fake, key_in(asked->body));
    if (item != NULL)
        assert_int_equal(json_object_set(body, "Item", item), 0);
    return body;
}

static void answer_write(struct document_fake *fake, const struct asked *asked, struct buf *scratch,
                         struct http_server_step *ret)
{
    if (perform(fake, asked))
        answer(scratch, 200, json_object(), ret);
    else
        answer(scratch, 400, failure(fake, asked), ret);
}

static void disturb(struct document_fake *fake, char letter, const struct asked *asked)
{
    static const char doing[] = {FAKE_LOSES, FAKE_OTHER_LATER, FAKE_DELETED_LATER, FAKE_MADE_AGAIN, FAKE_HOLDS, '\0'};
    bool is_done = strchr(doing, letter) != NULL && perform(fake, asked);
    for (size_t i = 0; i < asked->count; i++) {
        char key[256];
        const json_t *write = asked->writes[i];
        if (letter == FAKE_OTHER_FIRST)
            write_of_another(fake, write, expected_by(write) + 1);
        if (letter == FAKE_OTHER_LATER && is_done)
            write_of_another(fake, write, expected_by(write) + 2);
        if (letter == FAKE_DELETED_LATER)
            (void)json_object_del(fake->items, key_of(key_in(write), key));
        if (letter == FAKE_MADE_AGAIN && is_done)
            write_of_another(fake, write, expected_by(write));
    }
    if (letter == FAKE_LATER)
        fake->pass();
}

static void respond_to_write(struct document_fake *fake, const struct asked *asked, struct buf *scratch,
                             struct http_server_step *ret)
{
    char letter = *fake->script != '\0' ? *fake->script++ : FAKE_ANSWERS;
    fake->writes++;
    switch (letter) {
    case FAKE_ANSWERS: answer_write(fake, asked, scratch, ret); break;
    case FAKE_THROTTLES: answer(scratch, 400, error_body("ProvisionedThroughputExceededException"), ret); break;
    case FAKE_CONTENDS: answer(scratch, 400, cancellation(fake, asked, true), ret); break;
    case FAKE_DENIES: answer(scratch, 400, error_body("AccessDeniedException"), ret); break;
    case FAKE_KNOWS_NO_KEY: answer(scratch, 400, error_body("UnrecognizedClientException"), ret); break;
    case FAKE_MISTAKES: answer(scratch, 400, error_body("IdempotentParameterMismatchException"), ret); break;
    case FAKE_DONE_TWICE:
        (void)perform(fake, asked);
        answer(scratch, 400, failure(fake, asked), ret);
        break;
    case FAKE_BREAKS: answer(scratch, 500, error_body("InternalServerError"), ret); break;
    case FAKE_IS_ANOTHER:
        *ret = (struct http_server_step){.answer = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n"
                                                   "Content-Length: 6\r\n\r\n<html>"};
        break;
    default:
        disturb(fake, letter, asked);
        *ret = (struct http_server_step){.hold = letter == FAKE_HOLDS, .leave = HTTP_SERVER_CLOSE};
    }
}

static void count_look(struct document_fake *fake)
{
    if (++fake->looks == FAKE_LOOKS && fake->pass_at_last != NULL)
        fake->pass_at_last();
}

static void respond_to_read(struct document_fake *fake, const struct asked *asked, const char *operation,
                            struct buf *scratch, struct http_server_step *ret)
{
    json_t *found = json_array();
    count_look(fake);
    for (size_t i = 0; i < asked->count; i++) {
        json_t *item = there(fake, json_object_get(asked->writes[i], "Key"));
        json_t *one = item != NULL ? json_pack("{s:O}", "Item", item) : json_object();
        assert_int_equal(json_array_append_new(found, one), 0);
    }
    bool is_one = strcmp(operation, "GetItem") == 0;
    answer(scratch, 200, is_one ? json_incref(json_array_get(found, 0)) : json_pack("{s:O}", "Responses", found), ret);
    json_decref(found);
}

static void respond_to_batch(struct document_fake *fake, const struct asked *asked, struct buf *scratch,
                             struct http_server_step *ret)
{
    count_look(fake);
    const char *table;
    json_t *of_table;
    json_t *responses = json_object();
    json_object_foreach(json_object_get(asked->body, "RequestItems"), table, of_table)
    {
        json_t *found = json_array();
        json_t *keys = json_object_get(of_table, "Keys");
        for (size_t i = 0; i < json_array_size(keys); i++) {
            json_t *item = there(fake, json_array_get(keys, i));
            if (item != NULL)
                assert_int_equal(json_array_append(found, item), 0);
        }
        assert_int_equal(json_object_set_new(responses, table, found), 0);
    }
    answer(scratch, 200, json_pack("{s:o, s:{}}", "Responses", responses, "UnprocessedKeys"), ret);
}

/* A page has one item, and the last one has none. */
static void respond_to_list(const struct document_fake *fake, const struct asked *asked, struct buf *scratch,
                            struct http_server_step *ret)
{
    char text[256];
    json_t *start = json_object_get(asked->body, "ExclusiveStartKey");
    void *at = json_object_iter(fake->items);
    if (start != NULL)
        at = json_object_iter_next(fake->items, json_object_iter_at(fake->items, key_of(start, text)));
    if (at == NULL) {
        answer(scratch, 200, json_pack("{s:[]}", "Items"), ret);
        return;
    }
    json_t *item = json_object_iter_value(at);
    answer(scratch, 200,
           json_pack("{s:[O], s:{s:O, s:O}}", "Items", item, "LastEvaluatedKey", "PK", json_object_get(item, "PK"),
                     "SK", json_object_get(item, "SK")),
           ret);
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct document_fake *fake = context;
    struct asked asked;
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    const char *operation = target != NULL && strchr(target, '.') != NULL ? strchr(target, '.') + 1 : "";
    pthread_mutex_lock(&fake->mutex);
    read_asked(record, &asked);
    if (strstr(operation, "Batch") != NULL) {
        respond_to_batch(fake, &asked, scratch, ret);
    } else if (strcmp(operation, "Scan") == 0 || strcmp(operation, "Query") == 0) {
        respond_to_list(fake, &asked, scratch, ret);
    } else if (strstr(operation, "Get") != NULL) {
        respond_to_read(fake, &asked, operation, scratch, ret);
    } else {
        snprintf(fake->operation, sizeof(fake->operation), "%s", operation);
        respond_to_write(fake, &asked, scratch, ret);
    }
    json_decref(asked.body);
    pthread_mutex_unlock(&fake->mutex);
}

/* ------------------------------------------------------------------------------------------------ the whole */

void document_fake_start(struct document_fake *fake)
{
    const struct http_server_options options = {.respond = respond, .respond_context = fake};
    assert_int_equal(pthread_mutex_init(&fake->mutex, NULL), 0);
    fake->script = "";
    fake->items = json_object();
    fake->tokens = json_object();
    fake->server = http_server_start(&options);
}

void document_fake_stop(struct document_fake *fake)
{
    http_server_stop(fake->server);
    json_decref(fake->items);
    json_decref(fake->tokens);
    pthread_mutex_destroy(&fake->mutex);
}

void document_fake_play(struct document_fake *fake, const char *script)
{
    pthread_mutex_lock(&fake->mutex);
    fake->script = script;
    fake->writes = 0;
    fake->looks = 0;
    pthread_mutex_unlock(&fake->mutex);
}

size_t document_fake_writes(struct document_fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    size_t writes = fake->writes;
    pthread_mutex_unlock(&fake->mutex);
    return writes;
}

size_t document_fake_looks(struct document_fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    size_t looks = fake->looks;
    pthread_mutex_unlock(&fake->mutex);
    return looks;
}
