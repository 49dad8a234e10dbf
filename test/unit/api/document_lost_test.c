/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of writes and deletions of documents whose answers are lost or late. */
#include "client/client.h"
#include "support/clock_jump.h"
#include "unit/api/client_scratch.h"
#include "unit/api/document_lost.h"

#include <stdio.h>
#include <string.h>

/* Room for requests; for the look there is no memory. */
static bool fails_look;
struct row_call;
struct row_call *__real_persistence_calls(void *call, size_t count, const char *name);
struct row_call *__wrap_persistence_calls(void *call, size_t count, const char *name);
struct row_call *__wrap_persistence_calls(void *call, size_t count, const char *name)
{
    return fails_look && strstr(name, "look") != NULL ? NULL : __real_persistence_calls(call, count, name);
}

/* The connection is kept from here on: what is sent on it next could be sent again by whatever keeps it. */
static void read_first(struct lost *lost)
{
    os_documents found;
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    key.id = "device";
    key.name = "pump";
    os_document_store combined = OS_DOCUMENT_STORE_INIT;
    combined.models = OS_DOCUMENT_COMBINED;
    CHECK_CODE(os_documents_read(lost->client, &combined, &key, 1, NULL, &found, &lost->error), OS_OK, &lost->error);
    os_documents_free(&found);
}

/* As AWS does; a made-up service is not believed to. */
static void believe_memory(const struct lost *lost)
{
    lost->client->settings.dynamodb_endpoint.is_aws = true;
}

struct playing {
    const char *script;
    int models;
    enum { REMEMBERS = 1, TOGETHER = 2, KEEPS_ALL = 4 } how; /* of the service, and of the store */
    int minutes;                                             /* of FAKE_LATER; 0: nine */
};

static void begin_play(struct lost *lost, const struct playing *playing, os_document_store *ret)
{
    *ret = (os_document_store)OS_DOCUMENT_STORE_INIT;
    ret->keeps_all = (playing->how & KEEPS_ALL) != 0;
    ret->together = (playing->how & TOGETHER) != 0;
    if ((playing->how & REMEMBERS) != 0)
        believe_memory(lost);
    if (playing->minutes > 0)
        document_lost_minutes = playing->minutes;
    read_first(lost);
    document_fake_play(&lost->fake, playing->script);
}

static os_document_result play(struct lost *lost, const struct playing *playing)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_store store;
    os_document_write write = document_lost_write(playing->models);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = HOUR_MS;
    begin_play(lost, playing, &store);
    os_code code = os_documents_write(lost->client, &store, &write, 1, &call, &result, &lost->error);
    assert_int_equal(code, result.error.code);
    assert_int_equal(lost->error.code, code);
    assert_int_equal(result.ticket != NULL, result.verdict == OS_UNKNOWN);
    return result;
}

static const struct {
    const char *name;
    struct playing playing;
    os_verdict verdict;
    os_code code;
    int version;
    size_t writes; /* requests */
    size_t looks;
} ends[] = {
    {"an answer", {"a", 1, 0, 0}, OS_COMMITTED, OS_OK, 1, 1, 0},
    {"applied, and the answer is lost", {"l", 1, 0, 0}, OS_COMMITTED, OS_OK, 1, 1, 1},
    {"the request is lost", {"x", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, FAKE_LOOKS},
    {"a failure of the service", {"b", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, FAKE_LOOKS},
    {"another was first, and the answer is lost", {"o", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, 1},
    {"applied, lost, and written over", {"p", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, 1},
    {"applied, lost, and deleted", {"d", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, FAKE_LOOKS},
    {"throttled", {"tt", 1, 0, 0}, OS_COMMITTED, OS_OK, 1, 3, 0},
    {"throttled, applied, and the answer is lost", {"tl", 1, 0, 0}, OS_COMMITTED, OS_OK, 1, 2, 1},
    {"something on the way sends it twice", {"e", 1, 0, 0}, OS_COMMITTED, OS_OK, 1, 1, 0},
    {"denied", {"r", 1, 0, 0}, OS_NOT_EXECUTED, OS_ERR_DENIED, 0, 1, 0},
    {"a key that is not known", {"k", 1, 0, 0}, OS_NOT_EXECUTED, OS_ERR_CREDENTIALS, 0, 1, 0},
    {"a web server, which may have passed it on", {"h", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, FAKE_LOOKS},
    {"late", {"tj", 1, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, FAKE_LOOKS},

    {"kept: applied, and the answer is lost", {"l", 1, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 2, 1},
    {"kept: twice", {"ll", 1, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 3, 1},
    {"kept: the request is lost", {"x", 1, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"kept: another was first, and the answer is lost", {"o", 1, KEEPS_ALL, 0}, OS_CONFLICT, OS_ERR_CONFLICT, 1, 2, 1},
    {"kept: applied, lost, and written over", {"p", 1, KEEPS_ALL, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, 1},
    {"kept: applied, lost, throttled", {"lt", 1, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 3, 1},
    {"kept: applied, lost, then denied", {"lr", 1, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 2, 1},
    {"kept: the request is lost, then denied", {"xr", 1, KEEPS_ALL, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, FAKE_LOOKS},
    {"kept: a web server", {"hh", 1, KEEPS_ALL, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, FAKE_LOOKS},
    {"kept: late", {"tj", 1, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 3, 0},

    {"together: an answer", {"a", 1, TOGETHER | REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 1, 0},
    {"together: applied, lost, and deleted", {"d", 1, TOGETHER | REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"together: the request is lost", {"x", 1, TOGETHER | REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"together: not remembered", {"l", 1, TOGETHER, 0}, OS_COMMITTED, OS_OK, 1, 1, 1},
    {"together: late", {"tj", 1, TOGETHER | REMEMBERS, 3}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, FAKE_LOOKS},
    {"together: not too late", {"tj", 1, TOGETHER | REMEMBERS, 2}, OS_COMMITTED, OS_OK, 1, 3, 0},

    {"both models, an answer", {"a", 2, 0, 0}, OS_COMMITTED, OS_OK, 1, 1, 0},
    {"both models, applied and lost", {"l", 2, 0, 0}, OS_COMMITTED, OS_OK, 1, 1, 1},
    {"both models, the request is lost", {"x", 2, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, FAKE_LOOKS},
    {"both models, another transaction is under way", {"cc", 2, 0, 0}, OS_COMMITTED, OS_OK, 1, 3, 0},
    {"both models, a mistake about the token", {"i", 2, 0, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 1, FAKE_LOOKS},
    {"both models, something on the way sends it twice", {"e", 2, 0, 0}, OS_COMMITTED, OS_OK, 1, 1, 0},
    {"both models kept, another was first", {"o", 2, KEEPS_ALL, 0}, OS_CONFLICT, OS_ERR_CONFLICT, 1, 2, 1},
    {"both models kept, late", {"tj", 2, KEEPS_ALL, 0}, OS_COMMITTED, OS_OK, 1, 3, 0},
    {"both models, remembered, applied and lost", {"l", 2, REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"both models, remembered, the request is lost", {"x", 2, REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"both models, remembered, another was first", {"o", 2, REMEMBERS, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, 1},
    {"both models, remembered, written over", {"p", 2, REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"both models, remembered, deleted", {"d", 2, REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 0},
    {"both models, remembered, lost, then denied", {"lr", 2, REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 2, 1},
    {"both models, remembered, written over, denied", {"pr", 2, REMEMBERS, 0}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, 1},
    {"both models, remembered, a mistake", {"ci", 2, REMEMBERS, 0}, OS_COMMITTED, OS_OK, 1, 3, 0},
    /* A copy that is sent now could come when its token is forgotten. */
    {"both models, remembered, late", {"tj", 2, REMEMBERS, 3}, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2, FAKE_LOOKS},
    {"both models, remembered, not too late", {"tj", 2, REMEMBERS, 2}, OS_COMMITTED, OS_OK, 1, 3, 0},
};

TEST_ROWS_WITH(lost, ends, a_write_ends_with_the_truth)
{
    bool is_together = row->playing.models == 2 || row->playing.how == (TOGETHER | REMEMBERS);
    os_document_result result = play(lost, &row->playing);
    if (result.verdict != row->verdict)
        fail_msg("%s instead of %s: %s", os_verdict_name(result.verdict), os_verdict_name(row->verdict),
                 result.error.message);
    assert_int_equal(result.error.code, row->code);
    assert_int_equal(result.reported_version, row->version);
    assert_int_equal(result.desired_version, row->playing.models == 2 ? row->version : 0);
    assert_int_equal(document_fake_writes(&lost->fake), row->writes);
    assert_int_equal(document_fake_looks(&lost->fake), row->looks);
    assert_string_equal(lost->fake.operation, is_together ? "TransactWriteItems" : "PutItem");
    os_free(result.ticket);
}

/* W4: a second copy would make it once more, and what others have done would be undone. */
static const struct {
    const char *name;
    struct playing playing;
} applied_once[] = {
    {"one model", {"d", 1, 0, 0}},
    {"one model, together", {"d", 1, TOGETHER | REMEMBERS, 0}},
    {"one model, together, where that is not remembered", {"d", 1, TOGETHER, 0}},
    {"both models", {"d", 2, 0, 0}},
    {"both models, remembered", {"d", 2, REMEMBERS, 0}},
};

TEST_ROWS_WITH(lost, applied_once, what_was_deleted_is_not_made_again)
{
    os_document_result result = play(lost, &row->playing);
    assert_false(document_fake_has(&lost->fake, REPORTED));
    assert_false(document_fake_has(&lost->fake, DESIRED));
    os_free(result.ticket);
}

TEST_WITH(lost, what_was_deleted_and_made_again_is_not_written_over)
{
    os_documents found;
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_write write = document_lost_write(1);
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = HOUR_MS;
    key.id = write.id;
    key.name = write.name;
    write.reported_version = 3;
    document_fake_set(&lost->fake, REPORTED,
                      "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'3'},'reported':{'M':{}}}");
    document_fake_play(&lost->fake, "m");
    (void)os_documents_write(lost->client, NULL, &write, 1, &call, &result, &lost->error);
    assert_int_equal(result.verdict, OS_UNKNOWN);
    CHECK_SAYS(&result.error, "What it expects is there");
    CHECK_CODE(os_documents_read(lost->client, NULL, &key, 1, NULL, &found, &lost->error), OS_OK, &lost->error);
    assert_int_equal(found.list[0].reported.version, 3);
    assert_string_equal(found.list[0].reported.client_token, "theirs");
    os_documents_free(&found);
    os_free(result.ticket);
}

/* Of a list of so many numbers: two such models have more values than are read of one answer. */
static char *large_model(void)
{
    struct buf text;
    buf_init(&text, 1024 * 1024);
    buf_add_str(&text, "{\"a\":[1");
    for (int i = 0; i < 40000; i++)
        buf_add_str(&text, ",1");
    assert_true(buf_add_str(&text, "]}"));
    char *copy = strdup(buf_str(&text));
    buf_free(&text);
    return copy;
}

TEST_WITH(lost, two_models_that_are_no_answer_together_are_looked_at_one_by_one)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_write write = document_lost_write(2);
    char *model = large_model();
    write.reported = write.desired = model;
    lost->fake.pass_at_last = NULL;
    document_fake_play(&lost->fake, "l");
    CHECK_CODE(os_documents_write(lost->client, NULL, &write, 1, NULL, &result, &lost->error), OS_OK, &lost->error);
    assert_int_equal(result.verdict, OS_COMMITTED);
    free(model);
}

TEST_WITH(lost, what_may_have_been_done_is_unknown_without_memory_for_a_look)
{
    fails_look = true;
    os_document_result result = play(lost, &(struct playing){"lr", 1, KEEPS_ALL, 0});
    fails_look = false;
    assert_int_equal(result.verdict, OS_UNKNOWN);
    assert_int_equal(result.error.code, OS_ERR_UNDECIDED);
    os_document_result later = OS_DOCUMENT_RESULT_INIT;
    assert_int_equal(os_document_resolve(lost->client, NULL, result.ticket, NULL, &later, NULL), OS_COMMITTED);
    os_free(result.ticket);
}

/* ------------------------------------------------------------------------------------------------ deletions */

static const struct {
    const char *name;
    struct playing playing;
    int version; /* 3 is there; 0: any */
    os_verdict verdict;
    size_t writes;
    bool is_gone;
} deletions[] = {
    {"an answer", {"a", 1, 0, 0}, 3, OS_COMMITTED, 1, true},
    {"of whatever is there", {"a", 1, 0, 0}, 0, OS_COMMITTED, 1, true},
    {"another version", {"a", 1, 0, 0}, 2, OS_CONFLICT, 1, false},
    {"done, and the answer is lost", {"l", 1, 0, 0}, 3, OS_UNKNOWN, 1, true},
    {"whatever was there, and the answer is lost", {"l", 1, 0, 0}, 0, OS_UNKNOWN, 1, true},
    {"the request is lost", {"x", 1, 0, 0}, 3, OS_UNKNOWN, 1, false},
    {"throttled", {"tt", 1, 0, 0}, 3, OS_COMMITTED, 3, true},
    {"denied", {"r", 1, 0, 0}, 3, OS_NOT_EXECUTED, 1, false},
    {"throttled, done, and the answer is lost", {"tl", 1, 0, 0}, 3, OS_UNKNOWN, 2, true},
    {"together, done, and the answer is lost", {"l", 1, TOGETHER | REMEMBERS, 0}, 3, OS_COMMITTED, 2, true},
    {"together, not remembered", {"x", 1, TOGETHER, 0}, 3, OS_UNKNOWN, 1, false},
    {"both models", {"a", 2, 0, 0}, 3, OS_COMMITTED, 1, true},
    {"both models, another version", {"a", 2, 0, 0}, 2, OS_CONFLICT, 1, false},
    {"both models, another transaction is under way", {"c", 2, 0, 0}, 3, OS_COMMITTED, 2, true},
    {"both models, done, and the answer is lost", {"l", 2, 0, 0}, 3, OS_UNKNOWN, 1, true},
    {"both models, the request is lost", {"x", 2, 0, 0}, 3, OS_UNKNOWN, 1, false},
    {"both models, remembered, done, lost", {"l", 2, REMEMBERS, 0}, 3, OS_COMMITTED, 2, true},
    {"both models, remembered, the request is lost", {"x", 2, REMEMBERS, 0}, 3, OS_COMMITTED, 2, true},
    {"both models, remembered, done, lost, denied", {"lr", 2, REMEMBERS, 0}, 3, OS_UNKNOWN, 2, true},
    {"both models, remembered, lost, then denied", {"xr", 2, REMEMBERS, 0}, 3, OS_UNKNOWN, 2, false},
    {"both models, remembered, late", {"tj", 2, REMEMBERS, 3}, 3, OS_UNKNOWN, 2, false},
};

TEST_ROWS_WITH(lost, deletions, a_deletion_ends_with_the_truth)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_deletion deletion = OS_DOCUMENT_DELETION_INIT;
    os_document_store store;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = HOUR_MS;
    deletion.id = "device";
    deletion.name = "pump";
    deletion.reported = 1;
    deletion.desired = row->playing.models == 2;
    deletion.reported_version = deletion.desired_version = row->version;
    document_lost_put_both(lost);
    begin_play(lost, &row->playing, &store);
    os_code code = os_documents_delete(lost->client, &store, &deletion, 1, &call, &result, &lost->error);
    assert_int_equal(code, result.error.code);
    if (result.verdict != row->verdict)
        fail_msg("%s instead of %s: %s", os_verdict_name(result.verdict), os_verdict_name(row->verdict),
                 result.error.message);
    assert_null(result.ticket);
    assert_int_equal(result.reported_version, row->verdict == OS_CONFLICT ? 3 : 0);
    assert_int_equal(document_fake_writes(&lost->fake), row->writes);
    assert_int_equal(document_fake_has(&lost->fake, REPORTED), !row->is_gone);
    assert_int_equal(document_fake_has(&lost->fake, DESIRED), !(row->is_gone && row->playing.models == 2));
}
