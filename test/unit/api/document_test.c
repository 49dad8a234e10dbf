/* SPDX-License-Identifier: Apache-2.0 */
/* Versioned documents by the public functions, in the embedded tables. */
#include "unit/api/client_scratch.h"

#include "oscommit_document.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MANY = 250 };

struct documents {
    struct scratch scratch;
    os_client *client;
    os_error error;
};

static void documents_set_up(struct documents *ret)
{
    scratch_set_up(&ret->scratch);
    ret->client = scratch_table_client(&ret->scratch);
    CHECK_CODE(os_documents_table_create(ret->client, NULL, NULL, &ret->error), OS_OK, &ret->error);
}

static void documents_tear_down(struct documents *documents)
{
    os_client_close(documents->client);
    scratch_tear_down(&documents->scratch);
}

static os_document_write write_of(const char *name, const char *reported, int64_t reported_version, const char *desired,
                                  int64_t desired_version)
{
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    write.id = "device";
    write.name = name;
    write.reported = reported;
    write.reported_version = reported_version;
    write.desired = desired;
    write.desired_version = desired_version;
    return write;
}

static os_document_result write_one(struct documents *documents, const os_document_store *store,
                                    os_document_write write)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_code code = os_documents_write(documents->client, store, &write, 1, NULL, &result, &documents->error);
    assert_int_equal(code, result.error.code);
    assert_null(result.ticket);
    return result;
}

static os_document read_one(struct documents *documents, const os_document_store *store, const char *name,
                            os_documents *ret)
{
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    key.id = "device";
    key.name = name;
    CHECK_CODE(os_documents_read(documents->client, store, &key, 1, NULL, ret, &documents->error), OS_OK,
               &documents->error);
    assert_int_equal(ret->count, 1);
    return ret->list[0];
}

TEST_WITH(documents, a_table_is_made_once_and_others_are_not_there)
{
    os_document_store other = OS_DOCUMENT_STORE_INIT;
    os_document_result result;
    other.table = "others";
    CHECK_CODE(os_documents_table_create(documents->client, NULL, NULL, &documents->error), OS_OK, &documents->error);
    CHECK_CODE(os_documents_table_check(documents->client, NULL, NULL, &documents->error), OS_OK, &documents->error);
    CHECK_CODE(os_documents_table_check(documents->client, &other, NULL, &documents->error), OS_ERR_NO_TABLE,
               &documents->error);
    result = write_one(documents, &other, write_of("pump", "{}", 0, NULL, 0));
    assert_int_equal(result.verdict, OS_NOT_EXECUTED);
    assert_int_equal(result.error.code, OS_ERR_NO_TABLE);
}

static int64_t utc_ns(void)
{
    struct timespec now;
    assert_int_equal(timespec_get(&now, TIME_UTC), TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

TEST_WITH(documents, a_version_counts_up_and_an_older_one_is_a_conflict)
{
    os_documents found;
    os_document_result result = write_one(documents, NULL, write_of("pump", "{\"on\":true}", 0, NULL, 0));
    assert_int_equal(result.verdict, OS_COMMITTED);
    assert_int_equal(result.reported_version, 1);
    int64_t before_ns = utc_ns();
    result = write_one(documents, NULL, write_of("pump", "{\"on\":false}", 1, NULL, 0));
    int64_t after_ns = utc_ns();
    assert_int_equal(result.reported_version, 2);
    result = write_one(documents, NULL, write_of("pump", "{\"on\":null}", 1, NULL, 0));
    assert_int_equal(result.verdict, OS_CONFLICT);
    CHECK_SAYS(&result.error, "document \"pump\" of \"device\" is at another version");
    assert_int_equal(result.reported_version, 2);
    os_document document = read_one(documents, NULL, "pump", &found);
    assert_int_equal(document.reported.version, 2);
    assert_string_equal(document.reported.json, "{\"on\":false}");
    assert_true(before_ns <= document.reported.timestamp_ns && document.reported.timestamp_ns <= after_ns);
    assert_int_equal(document.desired.version, 0);
    assert_null(document.desired.json);
    os_documents_free(&found);
}

TEST_WITH(documents, two_models_are_written_both_or_none)
{
    os_documents found;
    os_document_result result = write_one(documents, NULL, write_of("valve", "{\"r\":1}", 0, NULL, 0));
    result = write_one(documents, NULL, write_of("valve", "{\"r\":2}", 1, "{\"d\":1}", 7));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, 1);
    assert_int_equal(result.desired_version, 0);
    result = write_one(documents, NULL, write_of("valve", "{\"r\":3}", 1, "{\"d\":1}", 0));
    assert_int_equal(result.verdict, OS_COMMITTED);
    assert_int_equal(result.reported_version, 2);
    assert_int_equal(result.desired_version, 1);
    os_document document = read_one(documents, NULL, "valve", &found);
    assert_string_equal(document.reported.json, "{\"r\":3}");
    assert_string_equal(document.desired.json, "{\"d\":1}");
    os_documents_free(&found);
}

TEST_WITH(documents, combined_models_need_both)
{
    os_documents found;
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    store.models = OS_DOCUMENT_COMBINED;
    os_document_result result = write_one(documents, &store, write_of("lamp", "{}", 0, NULL, 0));
    assert_int_equal(result.verdict, OS_NOT_EXECUTED);
    assert_int_equal(result.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&result.error, "both models");
    result = write_one(documents, &store, write_of("lamp", "{}", 0, "{\"a\":[1,{}]}", 0));
    assert_int_equal(result.verdict, OS_COMMITTED);
    os_document document = read_one(documents, &store, "lamp", &found);
    assert_int_equal(document.desired.version, 1);
    assert_string_equal(document.desired.json, "{\"a\":[1,{}]}");
    os_documents_free(&found);
}

TEST_WITH(documents, combined_models_have_one_version)
{
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    store.models = OS_DOCUMENT_COMBINED;
    for (int version = 0; version < 2; version++) {
        os_document_result result = write_one(documents, &store, write_of("lamp", "{}", version, "{}", version));
        assert_int_equal(result.verdict, OS_COMMITTED);
        assert_int_equal(result.reported_version, version + 1);
        assert_int_equal(result.desired_version, version + 1);
    }
    os_document_result result = write_one(documents, &store, write_of("lamp", "{}", 1, "{}", 1));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, 2);
    assert_int_equal(result.desired_version, 2);
}

TEST_WITH(documents, the_other_spelling_is_refused_and_not_written_over)
{
    os_documents found;
    os_document_store fields = OS_DOCUMENT_STORE_INIT;
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    fields.spelling = OS_DOCUMENT_FIELDS;
    key.id = "device";
    key.name = "fan";
    assert_int_equal(write_one(documents, NULL, write_of("fan", "{}", 0, NULL, 0)).verdict, OS_COMMITTED);
    assert_int_equal(write_one(documents, &fields, write_of("fan", "{}", 0, NULL, 0)).verdict, OS_CONFLICT);
    os_document_result result = write_one(documents, &fields, write_of("fan", "{}", 1, NULL, 0));
    assert_int_equal(result.verdict, OS_CONFLICT);
    CHECK_SAYS(&result.error, "its document is spelled by json tags");
    CHECK_CODE(os_documents_read(documents->client, &fields, &key, 1, NULL, &found, &documents->error), OS_ERR_PROTOCOL,
               &documents->error);
    assert_int_equal(found.count, 0);
    CHECK_SAYS(&documents->error, "Document \"fan\" of \"device\"");
}

TEST_WITH(documents, many_are_written_and_read_in_batches)
{
    static os_document_write writes[MANY];
    static os_document_result results[MANY];
    static os_document_key keys[MANY];
    static char names[MANY][16];
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    os_documents found;
    store.parallelism = 7;
    store.max_read_batch = 30;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "name-%d", i);
        writes[i] = write_of(names[i], "{\"n\":1.5}", 0, i % 2 == 0 ? "{}" : NULL, 0);
        results[i] = (os_document_result)OS_DOCUMENT_RESULT_INIT;
        keys[i] = (os_document_key)OS_DOCUMENT_KEY_INIT;
        keys[i].id = "device";
        keys[i].name = names[i];
    }
    CHECK_CODE(os_documents_write(documents->client, &store, writes, MANY, NULL, results, &documents->error), OS_OK,
               &documents->error);
    CHECK_CODE(os_documents_read(documents->client, &store, keys, MANY, NULL, &found, &documents->error), OS_OK,
               &documents->error);
    assert_int_equal(found.count, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(results[i].verdict, OS_COMMITTED);
        assert_string_equal(found.list[i].name, names[i]);
        assert_string_equal(found.list[i].reported.json, "{\"n\":1.5}");
        assert_int_equal(found.list[i].desired.version, i % 2 == 0 ? 1 : 0);
    }
    os_documents_free(&found);
}

TEST_WITH(documents, nothing_is_sent_where_one_write_is_bad)
{
    os_document_result results[2] = {OS_DOCUMENT_RESULT_INIT, OS_DOCUMENT_RESULT_INIT};
    const os_document_write twice[] = {write_of("a", "{}", 0, NULL, 0), write_of("a", "{}", 0, NULL, 0)};
    const os_document_write no_object[] = {write_of("a", "{}", 0, NULL, 0), write_of("b", "[]", 0, NULL, 0)};
    os_documents found;
    CHECK_CODE(os_documents_write(documents->client, NULL, twice, 2, NULL, results, &documents->error), OS_ERR_ARGUMENT,
               &documents->error);
    CHECK_SAYS(&documents->error, "same model");
    CHECK_CODE(os_documents_write(documents->client, NULL, no_object, 2, NULL, results, &documents->error),
               OS_ERR_ARGUMENT, &documents->error);
    CHECK_SAYS(&documents->error,
               "Document \"b\" of \"device\": The reported model is no strict JSON object: it is no object.");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(results[i].verdict, OS_NOT_EXECUTED);
        assert_int_equal(results[i].error.code, OS_ERR_ARGUMENT);
    }
    assert_int_equal(read_one(documents, NULL, "a", &found).reported.version, 0);
    os_documents_free(&found);
}

/* ------------------------------------------------------------------------------------------------ deletions */

static os_document_deletion deletion_of(const char *name, int64_t reported, int64_t desired)
{
    os_document_deletion deletion = OS_DOCUMENT_DELETION_INIT;
    deletion.id = "device";
    deletion.name = name;
    deletion.reported = reported >= 0;
    deletion.reported_version = reported >= 0 ? reported : 0;
    deletion.desired = desired >= 0;
    deletion.desired_version = desired >= 0 ? desired : 0;
    return deletion;
}

static os_document_result delete_one(struct documents *documents, const os_document_store *store,
                                     os_document_deletion deletion)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_code code = os_documents_delete(documents->client, store, &deletion, 1, NULL, &result, &documents->error);
    assert_int_equal(code, result.error.code);
    assert_null(result.ticket);
    return result;
}

TEST_WITH(documents, a_deletion_is_of_a_version_or_of_whatever_is_there)
{
    os_document_result result = write_one(documents, NULL, write_of("pump", "{}", 0, "{}", 0));
    result = delete_one(documents, NULL, deletion_of("pump", 2, -1));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, 1);
    result = delete_one(documents, NULL, deletion_of("pump", 1, -1));
    assert_int_equal(result.verdict, OS_COMMITTED);
    assert_int_equal(result.reported_version, 0);
    result = delete_one(documents, NULL, deletion_of("pump", 1, -1));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, 0);
    assert_int_equal(delete_one(documents, NULL, deletion_of("pump", 0, -1)).verdict, OS_COMMITTED);
    assert_int_equal(delete_one(documents, NULL, deletion_of("pump", -1, 0)).verdict, OS_COMMITTED);
    os_documents found;
    assert_int_equal(read_one(documents, NULL, "pump", &found).desired.version, 0);
    os_documents_free(&found);
}

TEST_WITH(documents, two_models_are_deleted_both_or_none)
{
    os_documents found;
    os_document_result result = write_one(documents, NULL, write_of("pump", "{}", 0, "{}", 0));
    result = delete_one(documents, NULL, deletion_of("pump", 1, 2));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.desired_version, 1);
    assert_int_equal(read_one(documents, NULL, "pump", &found).reported.version, 1);
    os_documents_free(&found);
    assert_int_equal(delete_one(documents, NULL, deletion_of("pump", 1, 1)).verdict, OS_COMMITTED);
    assert_int_equal(read_one(documents, NULL, "pump", &found).reported.version, 0);
    os_documents_free(&found);
}

TEST_WITH(documents, combined_models_are_deleted_together)
{
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    store.models = OS_DOCUMENT_COMBINED;
    assert_int_equal(write_one(documents, &store, write_of("pump", "{}", 0, "{}", 0)).verdict, OS_COMMITTED);
    os_document_result result = delete_one(documents, &store, deletion_of("pump", 1, -1));
    assert_int_equal(result.verdict, OS_NOT_EXECUTED);
    CHECK_SAYS(&result.error, "deleted together");
    assert_int_equal(delete_one(documents, &store, deletion_of("pump", 1, 1)).verdict, OS_COMMITTED);
}

TEST_WITH(documents, a_deletion_that_is_wrong_is_refused)
{
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    os_document_result result = delete_one(documents, NULL, deletion_of("pump", -1, -1));
    assert_int_equal(result.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&result.error, "no model");
    os_document_deletion below = deletion_of("pump", 0, -1);
    below.reported_version = -1;
    result = delete_one(documents, NULL, below);
    assert_int_equal(result.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&result.error, "Document \"pump\" of \"device\"");
    store.keeps_all = 1;
    result = delete_one(documents, &store, deletion_of("pump", 0, -1));
    assert_int_equal(result.verdict, OS_NOT_EXECUTED);
    CHECK_SAYS(&result.error, "keeps_all");
}

/* W4: what is said of a transaction of one is what is said of a write. */
TEST_WITH(documents, one_model_is_written_and_deleted_as_a_transaction)
{
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    store.together = 1;
    assert_int_equal(write_one(documents, &store, write_of("pump", "{}", 0, NULL, 0)).reported_version, 1);
    os_document_result result = write_one(documents, &store, write_of("pump", "{}", 0, NULL, 0));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, 1);
    assert_int_equal(write_one(documents, &store, write_of("pump", "{}", 1, NULL, 0)).reported_version, 2);
    result = delete_one(documents, &store, deletion_of("pump", 1, -1));
    assert_int_equal(result.verdict, OS_CONFLICT);
    assert_int_equal(result.reported_version, 2);
    assert_int_equal(delete_one(documents, &store, deletion_of("pump", 2, -1)).verdict, OS_COMMITTED);
}

/* ------------------------------------------------------------------------------------------------ lists */

struct listed {
    char text[1024]; /* a line for each */
    int stop_after;  /* 0: never */
    int count;
};

static int take_entry(void *context, const os_document_entry *entry)
{
    static const char *const kinds[] = {"", "reported", "desired", "both"};
    struct listed *listed = context;
    size_t len = strlen(listed->text);
    assert_true(entry->timestamp_ns > INT64_C(1700000000000000000));
    snprintf(listed->text + len, sizeof(listed->text) - len, "%s %s %s %lld %.4s\n", entry->id, entry->name,
             kinds[entry->kind], (long long)entry->version, entry->client_token);
    return ++listed->count == listed->stop_after;
}

static void write_some(struct documents *documents)
{
    os_document_store combined = OS_DOCUMENT_STORE_INIT;
    os_document_write write = write_of("pump", "{}", 0, "{}", 0);
    combined.models = OS_DOCUMENT_COMBINED;
    write.client_token = "me, again";
    assert_int_equal(write_one(documents, NULL, write).verdict, OS_COMMITTED);
    write.desired = NULL;
    write.reported_version = 1;
    assert_int_equal(write_one(documents, NULL, write).verdict, OS_COMMITTED);
    write = write_of("lamp", "{}", 0, "{}", 0);
    write.client_token = "me, again";
    assert_int_equal(write_one(documents, &combined, write).verdict, OS_COMMITTED);
    write.id = "other";
    assert_int_equal(write_one(documents, &combined, write).verdict, OS_COMMITTED);
}

TEST_WITH(documents, what_is_stored_is_listed)
{
    struct listed of_id = {.stop_after = 0};
    struct listed all = {.stop_after = 0};
    struct listed first = {.stop_after = 1};
    struct listed none = {.stop_after = 0};
    write_some(documents);
    CHECK_CODE(os_documents_list(documents->client, NULL, "device", NULL, take_entry, &of_id, &documents->error), OS_OK,
               &documents->error);
    assert_string_equal(of_id.text,
                        "device lamp both 1 me, \ndevice pump desired 1 me, \ndevice pump reported 2 me, \n");
    CHECK_CODE(os_documents_list(documents->client, NULL, NULL, NULL, take_entry, &all, &documents->error), OS_OK,
               &documents->error);
    assert_int_equal(all.count, 4);
    assert_non_null(strstr(all.text, "other lamp both 1"));
    CHECK_CODE(os_documents_list(documents->client, NULL, "device", NULL, take_entry, &first, &documents->error),
               OS_ERR_STOPPED, &documents->error);
    assert_int_equal(first.count, 1);
    CHECK_CODE(os_documents_list(documents->client, NULL, "nobody", NULL, take_entry, &none, &documents->error), OS_OK,
               &documents->error);
    assert_int_equal(none.count, 0);
}

TEST_WITH(documents, items_of_the_other_spelling_are_told_of_behind_the_list)
{
    struct listed listed = {.stop_after = 0};
    os_document_store fields = OS_DOCUMENT_STORE_INIT;
    fields.spelling = OS_DOCUMENT_FIELDS;
    write_some(documents);
    CHECK_CODE(os_documents_list(documents->client, &fields, "device", NULL, take_entry, &listed, &documents->error),
               OS_ERR_PROTOCOL, &documents->error);
    CHECK_SAYS(&documents->error, "3 more items");
    assert_int_equal(listed.count, 0);
}

TEST_WITH(documents, a_list_without_a_function_is_refused)
{
    CHECK_CODE(os_documents_list(documents->client, NULL, NULL, NULL, NULL, NULL, &documents->error), OS_ERR_ARGUMENT,
               &documents->error);
    CHECK_CODE(os_documents_list(documents->client, NULL, "", NULL, take_entry, NULL, &documents->error),
               OS_ERR_ARGUMENT, &documents->error);
}
