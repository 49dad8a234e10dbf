/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent for documents: how many requests, of which kind, and how many at once. */
#include "unit/api/client_scratch.h"
#include "unit/api/document_fake.h"

#include "oscommit_document.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 250, SEVERAL = 5 };

struct sent {
    struct document_fake fake;
    os_client *client;
    os_error error;
};

static void sent_set_up(struct sent *ret)
{
    document_fake_start(&ret->fake);
    ret->client = scratch_services_client("127.0.0.1:1", http_server_host(ret->fake.server), NULL);
}

static void sent_tear_down(struct sent *sent)
{
    os_client_close(sent->client);
    document_fake_stop(&sent->fake);
}

/* The body of a request, which is to this operation; json_decref. */
static json_t *request(const struct sent *sent, size_t index, const char *operation)
{
    const struct http_server_record *record = http_server_record(sent->fake.server, index);
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    assert_non_null(target);
    assert_string_equal(strchr(target, '.') + 1, operation);
    json_t *body = json_loads(record->body, 0, NULL);
    assert_non_null(body);
    return body;
}

/* ------------------------------------------------------------------------------------------------ one write */

static const struct {
    const char *name;
    os_document_models models;
    const char *reported;
    const char *desired;
    const char *operation;
    const char *sort_keys[2];
} writes[] = {
    {"a reported model alone", OS_DOCUMENT_SEPARATE, "{}", NULL, "PutItem", {"DSR#pump", NULL}},
    {"a desired model alone", OS_DOCUMENT_SEPARATE, NULL, "{}", "PutItem", {"DSD#pump", NULL}},
    {"both apart", OS_DOCUMENT_SEPARATE, "{}", "{}", "TransactWriteItems", {"DSR#pump", "DSD#pump"}},
    {"both combined", OS_DOCUMENT_COMBINED, "{}", "{}", "PutItem", {"DSC#pump", NULL}},
};

static const char *text_at(const json_t *item, const char *name, const char *type)
{
    const char *text = json_string_value(json_object_get(json_object_get(item, name), type));
    assert_non_null(text);
    return text;
}

static const json_t *put_of(const json_t *body, size_t index)
{
    const json_t *list = json_object_get(body, "TransactItems");
    return list == NULL ? body : json_object_get(json_array_get(list, index), "Put");
}

static void check_put(const json_t *put, const char *sort_key, const char *timestamp)
{
    const json_t *item = json_object_get(put, "Item");
    assert_string_equal(text_at(item, "PK", "S"), "DS#device");
    assert_string_equal(text_at(item, "SK", "S"), sort_key);
    assert_string_equal(text_at(item, "version", "N"), "1");
    assert_string_equal(text_at(item, "timestamp", "N"), timestamp);
    assert_non_null(json_object_get(put, "ConditionExpression"));
}

TEST_ROWS_WITH(sent, writes, a_write_is_one_conditional_request)
{
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    size_t count = row->sort_keys[1] != NULL ? 2 : 1;
    store.models = row->models;
    write.id = "device";
    write.name = "pump";
    write.reported = row->reported;
    write.desired = row->desired;
    CHECK_CODE(os_documents_write(sent->client, &store, &write, 1, NULL, &result, &sent->error), OS_OK, &sent->error);
    assert_int_equal(http_server_count(sent->fake.server), 1);
    json_t *body = request(sent, 0, row->operation);
    assert_int_equal(json_array_size(json_object_get(body, "TransactItems")), count == 2 ? 2 : 0);
    for (size_t i = 0; i < count; i++)
        check_put(put_of(body, i), row->sort_keys[i],
                  text_at(json_object_get(put_of(body, 0), "Item"), "timestamp", "N"));
    json_decref(body);
}

/* ------------------------------------------------------------------------------------------------ reads */

static const struct {
    const char *name;
    os_document_models models;
    uint32_t max_read_batch;
    size_t largest;
    size_t requests;
} reads[] = {
    {"by default", OS_DOCUMENT_COMBINED, 0, 100, 3},
    {"of 30", OS_DOCUMENT_COMBINED, 30, 30, 9},
    {"of two models each", OS_DOCUMENT_SEPARATE, 0, 100, 5},
};

TEST_ROWS_WITH(sent, reads, reads_are_batches_of_at_most_so_many_keys)
{
    static char names[MANY][16];
    static os_document_key keys[MANY];
    os_documents found;
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    size_t left = row->models == OS_DOCUMENT_COMBINED ? MANY : 2 * MANY;
    if (row->max_read_batch != 0)
        store.max_read_batch = row->max_read_batch;
    store.models = row->models;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "name-%d", i);
        keys[i] = (os_document_key)OS_DOCUMENT_KEY_INIT;
        keys[i].id = "device";
        keys[i].name = names[i];
    }
    CHECK_CODE(os_documents_read(sent->client, &store, keys, MANY, NULL, &found, &sent->error), OS_OK, &sent->error);
    os_documents_free(&found);
    assert_int_equal(http_server_count(sent->fake.server), row->requests);
    for (size_t i = 0; i < row->requests; i++) {
        json_t *body = request(sent, i, "BatchGetItem");
        const json_t *of_table = json_object_iter_value(json_object_iter(json_object_get(body, "RequestItems")));
        size_t count = json_array_size(json_object_get(of_table, "Keys"));
        assert_int_equal(count, left < row->largest ? left : row->largest);
        assert_true(json_is_true(json_object_get(of_table, "ConsistentRead")));
        left -= count;
        json_decref(body);
    }
    assert_int_equal(left, 0);
}

/* ------------------------------------------------------------------------------------------------ at once */

struct several {
    struct sent *sent;
    os_document_store store;
    os_call call;
    os_document_write writes[SEVERAL];
    os_document_result results[SEVERAL];
};

static const struct {
    const char *name;
    uint32_t parallelism; /* 0: the default */
    size_t at_once;
    os_document_models models;
} parallels[] = {
    {"one by default", 0, 1, OS_DOCUMENT_SEPARATE},
    {"three transactions", 3, 3, OS_DOCUMENT_SEPARATE},
    {"three combined", 3, 3, OS_DOCUMENT_COMBINED},
    {"more than there are", 9, SEVERAL, OS_DOCUMENT_COMBINED},
};

static void *write_several(void *context)
{
    struct several *several = context;
    (void)os_documents_write(several->sent->client, &several->store, several->writes, SEVERAL, &several->call,
                             several->results, NULL);
    return NULL;
}

/* When the answers of so many are awaited, the call is given up: no other was sent, and each has its verdict. */
TEST_ROWS_WITH(sent, parallels, so_many_writes_are_under_way_at_once_and_all_end_before_the_call)
{
    static const char *const names[SEVERAL] = {"a", "b", "c", "d", "e"};
    struct several several = {.sent = sent, .store = OS_DOCUMENT_STORE_INIT, .call = OS_CALL_INIT};
    pthread_t thread;
    size_t unknown = 0;
    several.store.models = row->models;
    if (row->parallelism != 0)
        several.store.parallelism = row->parallelism;
    several.call.deadline_ms = 60000;
    assert_int_equal(os_cancel_new(&several.call.cancel), OS_OK);
    for (int i = 0; i < SEVERAL; i++) {
        several.results[i] = (os_document_result)OS_DOCUMENT_RESULT_INIT;
        several.writes[i] = (os_document_write)OS_DOCUMENT_WRITE_INIT;
        several.writes[i].id = "device";
        several.writes[i].name = names[i];
        several.writes[i].reported = several.writes[i].desired = "{}";
    }
    document_fake_play(&sent->fake, "nnnnn"); /* the answers never come */
    assert_int_equal(pthread_create(&thread, NULL, write_several, &several), 0);
    assert_true(http_server_wait_held(sent->fake.server, row->at_once));
    os_cancel_trigger(several.call.cancel);
    assert_int_equal(pthread_join(thread, NULL), 0);
    os_cancel_free(several.call.cancel);
    assert_int_equal(document_fake_writes(&sent->fake), row->at_once);
    for (int i = 0; i < SEVERAL; i++) {
        assert_true(several.results[i].verdict == OS_UNKNOWN || several.results[i].verdict == OS_NOT_EXECUTED);
        unknown += several.results[i].verdict == OS_UNKNOWN;
        os_free(several.results[i].ticket);
    }
    assert_int_equal(unknown, row->at_once);
}
