/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versioned documents in the embedded file, in DynamoDB Local and in dynalite: what one of them answers, all do. dynalite has
 * no transactions, and does not give the item that a condition failed on.
 */
#include "support/data_file.h"
#include "support/raw_service.h"
#include "support/test.h"
#include "unit/api/client_scratch.h"

#include "oscommit_document.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 120, WRITERS = 4, STEPS = 15, BIG = 60 * 1024, BIGS = 30 };

struct kind_of_place {
    const char *name;
    const char *variable; /* NULL: embedded */
    bool has_transactions;
    bool gives_items;
};
static const struct kind_of_place places[] = {
    {"embedded", NULL, true, true},
    {"DynamoDB Local", "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", true, true},
    {"dynalite", "OSCOMMIT_TEST_DYNALITE_ENDPOINT", false, false},
};

struct place {
    const char *endpoint;
    struct scratch scratch; /* of the embedded one */
    char table[64];
    os_client *client;
    os_error error;
};

/* NULL: there is none, and the test is passed over. */
static const char *endpoint_of(const char *variable)
{
    const char *endpoint = getenv(variable);
    if (endpoint == NULL && test_requires_servers())
        fail_msg("%s is not set", variable);
    return endpoint;
}

static os_client *open_service(const char *endpoint, const char *table)
{
    char url[128];
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    os_error error;
    snprintf(url, sizeof(url), "dynamodb://%s", table);
    options.ledger_url = url;
    options.dynamodb_endpoint = endpoint;
    options.dynamodb_region = raw_region();
    options.access_key_id = raw_access_key();
    options.secret_access_key = raw_secret_key();
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}

static void open_place(const struct kind_of_place *kind, struct place *ret)
{
    static int number;
    *ret = (struct place){.endpoint = kind->variable != NULL ? endpoint_of(kind->variable) : NULL};
    if (kind->variable != NULL && ret->endpoint == NULL)
        skip();
    snprintf(ret->table, sizeof(ret->table), "documents-%d-%d", (int)getpid(), ++number);
    if (kind->variable == NULL) {
        scratch_set_up(&ret->scratch);
        ret->client = scratch_table_client(&ret->scratch);
    } else {
        ret->client = open_service(ret->endpoint, ret->table);
    }
    CHECK_CODE(os_documents_table_create(ret->client, NULL, NULL, &ret->error), OS_OK, &ret->error);
}

static void close_place(const struct kind_of_place *kind, struct place *place)
{
    os_client_close(place->client);
    if (kind->variable == NULL)
        scratch_tear_down(&place->scratch);
    else
        (void)raw_dynamo(place->endpoint, "DeleteTable", json_pack("{s:s}", "TableName", place->table), NULL);
}

static os_document_write write_of(const char *name, const char *reported, int64_t version)
{
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    write.id = "device-1";
    write.name = name;
    write.reported = reported;
    write.reported_version = version;
    return write;
}

static os_document_result write_one(struct place *place, os_document_write write)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    (void)os_documents_write(place->client, NULL, &write, 1, NULL, &result, &place->error);
    return result;
}

static os_document_key key_of(const char *name)
{
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    key.id = "device-1";
    key.name = name;
    return key;
}

static void read_one(struct place *place, const os_document_store *store, const char *name, os_documents *ret)
{
    const os_document_key key = key_of(name);
    CHECK_CODE(os_documents_read(place->client, store, &key, 1, NULL, ret, &place->error), OS_OK, &place->error);
    assert_int_equal(ret->count, 1);
}

/* ------------------------------------------------------------------------------------------------ one document */

TEST_ROWS(places, a_version_counts_up_and_another_is_a_conflict)
{
    struct place place;
    os_documents found;
    open_place(row, &place);
    assert_int_equal(write_one(&place, write_of("pump", "{\"a\":[1.5,null,\"\"]}", 0)).reported_version, 1);
    assert_int_equal(write_one(&place, write_of("pump", "{}", 1)).reported_version, 2);
    os_document_result result = write_one(&place, write_of("pump", "{}", 1));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, row->gives_items ? 2 : 0);
    assert_int_equal(write_one(&place, write_of("pump", "{}", 0)).verdict, OS_CONFLICT);
    assert_int_equal(write_one(&place, write_of("none", "{}", 3)).verdict, OS_CONFLICT);
    read_one(&place, NULL, "pump", &found);
    assert_int_equal(found.list[0].reported.version, 2);
    assert_string_equal(found.list[0].reported.json, "{}");
    assert_int_equal(found.list[0].desired.version, 0);
    os_documents_free(&found);
    close_place(row, &place);
}

TEST_ROWS(places, two_models_are_written_and_deleted_together)
{
    struct place place;
    os_document_write write = write_of("pump", "{\"r\":1}", 0);
    os_document_deletion deletion = OS_DOCUMENT_DELETION_INIT;
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    open_place(row, &place);
    write.desired = "{\"d\":1}";
    result = write_one(&place, write);
    assert_int_equal(result.verdict, row->has_transactions ? OS_COMMITTED : OS_NOT_EXECUTED);
    if (row->has_transactions) {
        write.desired_version = 1;
        result = write_one(&place, write);
        assert_int_equal(result.verdict, OS_CONFLICT);
        assert_int_equal(result.reported_version, 1);
        assert_int_equal(result.desired_version, 1);
        deletion.id = write.id;
        deletion.name = write.name;
        deletion.reported = deletion.desired = 1;
        deletion.reported_version = 2;
        deletion.desired_version = 1;
        (void)os_documents_delete(place.client, NULL, &deletion, 1, NULL, &result, &place.error);
        assert_int_equal(result.verdict, OS_CONFLICT);
        assert_int_equal(result.reported_version, 1);
        assert_int_equal(result.desired_version, 1);
        deletion.reported_version = 1;
        CHECK_CODE(os_documents_delete(place.client, NULL, &deletion, 1, NULL, &result, &place.error), OS_OK,
                   &place.error);
        (void)os_documents_delete(place.client, NULL, &deletion, 1, NULL, &result, &place.error);
        assert_int_equal(result.verdict, OS_CONFLICT);
    }
    close_place(row, &place);
}

/* ------------------------------------------------------------------------------------------------ many */

TEST_ROWS(places, many_are_written_in_parallel_and_read_in_batches)
{
    static os_document_write writes[MANY];
    static os_document_result results[MANY];
    static os_document_key keys[MANY];
    static char names[MANY][16];
    struct place place;
    os_documents found;
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    open_place(row, &place);
    store.parallelism = 8;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        writes[i] = write_of(names[i], "{\"x\":12345678901234567890}", 0);
        results[i] = (os_document_result)OS_DOCUMENT_RESULT_INIT;
        keys[i] = key_of(names[i]);
    }
    CHECK_CODE(os_documents_write(place.client, &store, writes, MANY, NULL, results, &place.error), OS_ERR_ARGUMENT,
               &place.error); /* a number that JSON here does not hold */
    for (int i = 0; i < MANY; i++)
        writes[i].reported = "{\"x\":1234567890123456789}";
    CHECK_CODE(os_documents_write(place.client, &store, writes, MANY, NULL, results, &place.error), OS_OK,
               &place.error);
    CHECK_CODE(os_documents_read(place.client, &store, keys, MANY, NULL, &found, &place.error), OS_OK, &place.error);
    for (int i = 0; i < MANY; i++) {
        assert_string_equal(found.list[i].name, names[i]);
        assert_string_equal(found.list[i].reported.json, "{\"x\":1234567890123456789}");
    }
    os_documents_free(&found);
    close_place(row, &place);
}

static int count_bytes(void *context, const os_document_entry *entry)
{
    assert_int_equal(entry->version, 1);
    assert_int_equal(entry->kind, OS_DOCUMENT_REPORTED);
    ++*(int *)context;
    return 0;
}

/* More than a page has. */
TEST_ROWS(places, all_pages_are_listed_and_deleted)
{
    static char text[BIG];
    static char name[BIGS][8];
    static os_document_deletion deletions[BIGS];
    static os_document_result results[BIGS];
    struct place place;
    int count = 0;
    open_place(row, &place);
    snprintf(text, sizeof(text), "{\"t\":\"%0*d\"}", BIG - 10, 0);
    for (int i = 0; i < BIGS; i++) {
        snprintf(name[i], sizeof(name[i]), "n%d", i);
        assert_int_equal(write_one(&place, write_of(name[i], text, 0)).verdict, OS_COMMITTED);
        deletions[i] = (os_document_deletion)OS_DOCUMENT_DELETION_INIT;
        deletions[i].id = "device-1";
        deletions[i].name = name[i];
        deletions[i].reported = 1;
        deletions[i].reported_version = i % 2;
        results[i] = (os_document_result)OS_DOCUMENT_RESULT_INIT;
    }
    for (int all = 0; all < 2; all++)
        CHECK_CODE(
            os_documents_list(place.client, NULL, all ? NULL : "device-1", NULL, count_bytes, &count, &place.error),
            OS_OK, &place.error);
    assert_int_equal(count, 2 * BIGS);
    CHECK_CODE(os_documents_delete(place.client, NULL, deletions, BIGS, NULL, results, &place.error), OS_OK,
               &place.error);
    CHECK_CODE(os_documents_list(place.client, NULL, NULL, NULL, count_bytes, &count, &place.error), OS_OK,
               &place.error);
    assert_int_equal(count, 2 * BIGS);
    close_place(row, &place);
}

/* ------------------------------------------------------------------------------------------------ races */

static void count_one(struct place *place)
{
    os_document_result result;
    do {
        char text[32];
        os_documents found;
        os_error error;
        const os_document_key key = key_of("counter");
        CHECK_CODE(os_documents_read(place->client, NULL, &key, 1, NULL, &found, &error), OS_OK, &error);
        const os_document_model *model = &found.list[0].reported;
        snprintf(text, sizeof(text), "{\"n\":%d}", model->json != NULL ? atoi(model->json + 5) + 1 : 1);
        os_document_write write = write_of("counter", text, model->version);
        result = (os_document_result)OS_DOCUMENT_RESULT_INIT;
        (void)os_documents_write(place->client, NULL, &write, 1, NULL, &result, NULL);
        os_documents_free(&found);
        assert_true(result.verdict == OS_COMMITTED || result.verdict == OS_CONFLICT);
    } while (result.verdict != OS_COMMITTED);
}

static void *count_some(void *context)
{
    for (int i = 0; i < STEPS; i++)
        count_one(context);
    return NULL;
}

TEST_ROWS(places, no_increment_is_lost_in_a_race)
{
    struct place place;
    pthread_t threads[WRITERS];
    os_documents found;
    char wanted[32];
    open_place(row, &place);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_some, &place), 0);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    read_one(&place, NULL, "counter", &found);
    snprintf(wanted, sizeof(wanted), "{\"n\":%d}", WRITERS * STEPS);
    assert_string_equal(found.list[0].reported.json, wanted);
    assert_int_equal(found.list[0].reported.version, WRITERS * STEPS);
    os_documents_free(&found);
    close_place(row, &place);
}

/* ------------------------------------------------------------------------------------------------ items of Go */

/* A number is the same however it is written. */
static bool is_same(const json_t *a, const json_t *b)
{
    const char *name;
    json_t *member;
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    if (json_is_object(a) && json_is_object(b) && json_object_size(a) == json_object_size(b)) {
        json_object_foreach((json_t *)a, name, member) if (!is_same(member, json_object_get(b, name))) return false;
        return true;
    }
    if (!json_is_array(a) || json_array_size(a) != json_array_size(b))
        return json_equal(a, b) != 0;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!is_same(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static void check_model(const os_document_model *found, const json_t *document, const char *name)
{
    const json_t *wanted = json_object_get(document, name);
    const char *token = json_string_value(json_object_get(document, "clientToken"));
    if (wanted == NULL || json_is_null(wanted)) {
        assert_null(found->json);
        return;
    }
    assert_non_null(found->json);
    json_t *json = json_loads(found->json, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    if (!is_same(json, wanted))
        fail_msg("%s", found->json);
    assert_int_equal(found->version, json_integer_value(json_object_get(document, "version")));
    assert_int_equal(found->timestamp_ns, json_integer_value(json_object_get(document, "timestamp")));
    if (token != NULL && token[0] != '\0')
        assert_string_equal(found->client_token, token);
    else
        assert_null(found->client_token);
    json_decref(json);
}

static void check_fixture(struct place *place, const char *name, os_document_spelling spelling)
{
    char path[DATA_PATH_SIZE];
    os_documents found;
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    snprintf(path, sizeof(path), "document/items/%s", name);
    char *text = data_file(path);
    json_t *fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    const json_t *document = json_object_get(fixture, "document");
    const char *kind = json_string_value(json_object_get(fixture, "kind"));
    json_t *item = json_object_get(fixture, spelling == OS_DOCUMENT_TAGS ? "tags" : "fields");
    assert_true(raw_put_item(place->endpoint, place->table, json_incref(item)));
    store.spelling = spelling;
    store.models = strcmp(kind, "combined") == 0 ? OS_DOCUMENT_COMBINED : OS_DOCUMENT_SEPARATE;
    read_one(place, &store, "shadow", &found);
    if (strcmp(kind, "desired") != 0)
        check_model(&found.list[0].reported, document, "reported");
    if (strcmp(kind, "reported") != 0)
        check_model(&found.list[0].desired, document, "desired");
    os_documents_free(&found);
    json_decref(fixture);
    free(text);
}

TEST(items_of_the_go_sdk_are_read_in_both_spellings)
{
    struct place place;
    char **names = data_names("document/items");
    for (int spelling = OS_DOCUMENT_TAGS; spelling <= OS_DOCUMENT_FIELDS; spelling++) {
        open_place(&places[1], &place);
        for (char **name = names; *name != NULL; name++)
            check_fixture(&place, *name, (os_document_spelling)spelling);
        close_place(&places[1], &place);
    }
    data_names_free(names);
}
