/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of writes of documents whose answers are lost, late or strange, by a made-up DynamoDB. */
#include "support/clock_jump.h"
#include "unit/api/client_scratch.h"
#include "unit/api/document_fake.h"

#include "oscommit_document.h"

#include <stdio.h>
#include <string.h>

#define REPORTED "DS#device DSR#pump"
#define DESIRED  "DS#device DSD#pump"

enum { NINE_MINUTES_MS = 9 * 60 * 1000 };

struct lost {
    struct document_fake fake;
    os_client *client;
    os_error error;
};

static void pass_nine_minutes(void)
{
    clock_jump(NINE_MINUTES_MS);
}

static os_client *open_client(const struct lost *lost)
{
    return scratch_services_client("127.0.0.1:1", http_server_host(lost->fake.server), NULL);
}

static void lost_set_up(struct lost *ret)
{
    document_fake_start(&ret->fake);
    ret->fake.pass = pass_nine_minutes;
    ret->client = open_client(ret);
}

static void lost_tear_down(struct lost *lost)
{
    if (lost->client != NULL)
        os_client_close(lost->client);
    document_fake_stop(&lost->fake);
}

static os_document_write write_of(int models)
{
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    write.id = "device";
    write.name = "pump";
    write.reported = "{\"on\":true}";
    write.desired = models == 2 ? "{}" : NULL;
    return write;
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

static os_document_result play(struct lost *lost, const char *script, int models, int keeps_all)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    os_document_write write = write_of(models);
    os_call call = OS_CALL_INIT;
    store.keeps_all = keeps_all;
    call.deadline_ms = HOUR_MS;
    read_first(lost);
    document_fake_play(&lost->fake, script);
    os_code code = os_documents_write(lost->client, &store, &write, 1, &call, &result, &lost->error);
    assert_int_equal(code, result.error.code);
    assert_int_equal(lost->error.code, code);
    assert_int_equal(result.ticket != NULL, result.verdict == OS_UNKNOWN);
    return result;
}

static const struct {
    const char *name;
    const char *script;
    int models;
    int keeps_all;
    os_verdict verdict;
    os_code code;
    int version;
    size_t writes; /* requests */
} ends[] = {
    {"an answer", "a", 1, 0, OS_COMMITTED, OS_OK, 1, 1},
    {"applied, and the answer is lost", "l", 1, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"twice", "ll", 1, 0, OS_COMMITTED, OS_OK, 1, 3},
    {"the request is lost", "x", 1, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"a failure of the service", "b", 1, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"another was first, and the answer is lost", "o", 1, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"the same where nothing is deleted", "o", 1, 1, OS_CONFLICT, OS_ERR_CONFLICT, 1, 2},
    {"applied, lost, and written over", "p", 1, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"applied, lost, and written over where nothing is deleted", "p", 1, 1, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"throttled", "tt", 1, 0, OS_COMMITTED, OS_OK, 1, 3},
    {"applied, lost, throttled", "lt", 1, 0, OS_COMMITTED, OS_OK, 1, 3},
    {"denied", "r", 1, 0, OS_NOT_EXECUTED, OS_ERR_DENIED, 0, 1},
    {"a key that is not known", "k", 1, 0, OS_NOT_EXECUTED, OS_ERR_CREDENTIALS, 0, 1},
    {"a web server, which may have passed it on", "hhh", 1, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"applied, lost, then denied", "lr", 1, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"the request is lost, then denied", "xr", 1, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"the request is lost, then denied, where nothing is deleted", "xr", 1, 1, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"late", "tj", 1, 0, OS_COMMITTED, OS_OK, 1, 3},
    {"both models, an answer", "a", 2, 0, OS_COMMITTED, OS_OK, 1, 1},
    {"both models, applied and lost", "l", 2, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"both models, the request is lost", "x", 2, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"both models, another transaction is under way", "cc", 2, 0, OS_COMMITTED, OS_OK, 1, 3},
    {"both models, another was first, and the answer is lost", "o", 2, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    {"both models, the same where nothing is deleted", "o", 2, 1, OS_CONFLICT, OS_ERR_CONFLICT, 1, 2},
    {"both models, applied, lost, then denied", "lr", 2, 0, OS_COMMITTED, OS_OK, 1, 2},
    {"both models, applied, lost and written over", "p", 2, 0, OS_COMMITTED, OS_OK, 1, 2}, /* by its token */
    {"both models, applied, lost, written over, then denied", "pr", 2, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
    /* Its token may be forgotten. */
    {"both models, late", "tj", 2, 0, OS_UNKNOWN, OS_ERR_UNDECIDED, 0, 2},
};

TEST_ROWS_WITH(lost, ends, a_write_ends_with_the_truth)
{
    os_document_result result = play(lost, row->script, row->models, row->keeps_all);
    if (result.verdict != row->verdict)
        fail_msg("%s instead of %s: %s", os_verdict_name(result.verdict), os_verdict_name(row->verdict),
                 result.error.message);
    assert_int_equal(result.error.code, row->code);
    assert_int_equal(result.reported_version, row->version);
    assert_int_equal(result.desired_version, row->models == 2 ? row->version : 0);
    assert_int_equal(document_fake_writes(&lost->fake), row->writes);
    os_free(result.ticket);
}

/* ------------------------------------------------------------------------------------------------ deletions */

static const struct {
    const char *name;
    const char *script;
    int models;
    int version; /* 3 is there; 0: any */
    os_verdict verdict;
    size_t writes;
    bool is_gone;
} deletions[] = {
    {"an answer", "a", 1, 3, OS_COMMITTED, 1, true},
    {"of whatever is there", "a", 1, 0, OS_COMMITTED, 1, true},
    {"another version", "a", 1, 2, OS_CONFLICT, 1, false},
    {"done, and the answer is lost", "l", 1, 3, OS_UNKNOWN, 1, true},
    {"whatever was there, and the answer is lost", "l", 1, 0, OS_UNKNOWN, 1, true},
    {"the request is lost", "x", 1, 3, OS_UNKNOWN, 1, false},
    {"throttled", "tt", 1, 3, OS_COMMITTED, 3, true},
    {"denied", "r", 1, 3, OS_NOT_EXECUTED, 1, false},
    {"throttled, done, and the answer is lost", "tl", 1, 3, OS_UNKNOWN, 2, true},
    {"both models", "a", 2, 3, OS_COMMITTED, 1, true},
    {"both models, another version", "a", 2, 2, OS_CONFLICT, 1, false},
    {"both models, done, and the answer is lost", "l", 2, 3, OS_COMMITTED, 2, true},
    {"both models, the request is lost", "x", 2, 3, OS_COMMITTED, 2, true},
    {"both models, another transaction is under way", "c", 2, 3, OS_COMMITTED, 2, true},
    {"both models, done, lost, then denied", "lr", 2, 3, OS_UNKNOWN, 2, true},
    {"both models, lost, then denied", "xr", 2, 3, OS_UNKNOWN, 2, false},
    {"both models, late", "tj", 2, 3, OS_UNKNOWN, 2, false},
};

static void put_both(struct lost *lost)
{
    document_fake_set(&lost->fake, REPORTED,
                      "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'3'},'reported':{'M':{}}}");
    document_fake_set(&lost->fake, DESIRED,
                      "{'PK':{'S':'DS#device'},'SK':{'S':'DSD#pump'},'version':{'N':'3'},'desired':{'M':{}}}");
}

TEST_ROWS_WITH(lost, deletions, a_deletion_ends_with_the_truth)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_deletion deletion = OS_DOCUMENT_DELETION_INIT;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = HOUR_MS;
    deletion.id = "device";
    deletion.name = "pump";
    deletion.reported = 1;
    deletion.desired = row->models == 2;
    deletion.reported_version = deletion.desired_version = row->version;
    put_both(lost);
    read_first(lost);
    document_fake_play(&lost->fake, row->script);
    os_code code = os_documents_delete(lost->client, NULL, &deletion, 1, &call, &result, &lost->error);
    assert_int_equal(code, result.error.code);
    if (result.verdict != row->verdict)
        fail_msg("%s instead of %s: %s", os_verdict_name(result.verdict), os_verdict_name(row->verdict),
                 result.error.message);
    assert_null(result.ticket);
    assert_int_equal(result.reported_version, row->verdict == OS_CONFLICT ? 3 : 0);
    assert_int_equal(document_fake_writes(&lost->fake), row->writes);
    assert_int_equal(document_fake_has(&lost->fake, REPORTED), !row->is_gone);
    assert_int_equal(document_fake_has(&lost->fake, DESIRED), !(row->is_gone && row->models == 2));
}

/* ------------------------------------------------------------------------------------------------ lists */

static int count_entry(void *context, const os_document_entry *entry)
{
    assert_int_equal(entry->version, 3);
    assert_null(entry->client_token);
    ++*(int *)context;
    return 0;
}

/* A page has one item each, and one in the midst is none of ours. */
TEST_WITH(lost, every_page_of_a_list_is_read)
{
    int count = 0;
    document_fake_set(&lost->fake, "a b", "{'PK':{'S':'a'},'SK':{'S':'b'}}");
    put_both(lost);
    document_fake_set(&lost->fake, "DS#z DSC#", "{'PK':{'S':'DS#z'},'SK':{'S':'DSC#'},'version':{'N':'3'}}");
    document_fake_set(&lost->fake, "DS#z DSC#n", "{'PK':{'S':'DS#z'},'SK':{'S':'DSC#n'},'version':{'N':'3'}}");
    CHECK_CODE(os_documents_list(lost->client, NULL, NULL, NULL, count_entry, &count, &lost->error), OS_OK,
               &lost->error);
    assert_int_equal(count, 3);
    assert_int_equal(http_server_count(lost->fake.server), 6);
}

/* ------------------------------------------------------------------------------------------------ strange items */

/* As other programs may have left it: a model that is null, and one that is not of this item. */
TEST_WITH(lost, a_model_that_is_null_has_a_version_and_can_be_written)
{
    os_documents found;
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    os_document_write write = write_of(1);
    key.id = "device";
    key.name = "pump";
    document_fake_set(&lost->fake, REPORTED,
                      "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'3'},'reported':{'NULL':true},"
                      "'desired':{'M':{}},'clientToken':{'S':'go'}}");
    document_fake_set(
        &lost->fake, DESIRED,
        "{'PK':{'S':'DS#device'},'SK':{'S':'DSD#pump'},'version':{'N':'7'},'desired':{'M':{'a':{'S':''}}}}");
    CHECK_CODE(os_documents_read(lost->client, NULL, &key, 1, NULL, &found, &lost->error), OS_OK, &lost->error);
    assert_int_equal(found.list[0].reported.version, 3);
    assert_null(found.list[0].reported.json);
    assert_string_equal(found.list[0].reported.client_token, "go");
    assert_int_equal(found.list[0].desired.version, 7);
    assert_string_equal(found.list[0].desired.json, "{\"a\":\"\"}");
    os_documents_free(&found);
    write.reported_version = 3;
    CHECK_CODE(os_documents_write(lost->client, NULL, &write, 1, NULL, &result, &lost->error), OS_OK, &lost->error);
    assert_int_equal(result.reported_version, 4);
}

/* ------------------------------------------------------------------------------------------------ ended under way */

enum { THREE = 3 };

struct several {
    struct lost *lost;
    os_call call;
    os_document_write writes[THREE];
    os_document_result results[THREE];
    os_code code;
};

static void make_several(struct lost *lost, struct several *ret)
{
    static const char *const names[THREE] = {"pump", "valve", "fan"};
    *ret = (struct several){.lost = lost, .call = OS_CALL_INIT};
    ret->call.deadline_ms = HOUR_MS;
    for (int i = 0; i < THREE; i++) {
        ret->writes[i] = write_of(1);
        ret->writes[i].name = names[i];
        ret->results[i] = (os_document_result)OS_DOCUMENT_RESULT_INIT;
    }
}

static void *write_several(void *context)
{
    struct several *several = context;
    several->code =
        os_documents_write(several->lost->client, NULL, several->writes, THREE, &several->call, several->results, NULL);
    return NULL;
}

static void check_ends(const struct several *several, os_verdict first, os_code why)
{
    assert_int_equal(several->code, several->results[0].error.code);
    assert_int_equal(several->results[0].verdict, first);
    for (int i = 1; i < THREE; i++) {
        assert_int_equal(several->results[i].verdict, OS_NOT_EXECUTED);
        assert_int_equal(several->results[i].error.code, why);
        CHECK_SAYS(&several->results[i].error, "was not begun");
        assert_null(several->results[i].ticket);
    }
}

/* The ticket of a write that was done, and whose answer never came. */
static char *lose_one(struct lost *lost, const char *script)
{
    struct several several;
    pthread_t thread;
    os_cancel *cancel = NULL;
    make_several(lost, &several);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    several.call.cancel = cancel;
    document_fake_play(&lost->fake, script);
    assert_int_equal(pthread_create(&thread, NULL, write_several, &several), 0);
    assert_true(http_server_wait_held(lost->fake.server, 1));
    os_cancel_trigger(cancel);
    assert_int_equal(pthread_join(thread, NULL), 0);
    os_cancel_free(cancel);
    check_ends(&several, OS_UNKNOWN, OS_ERR_CANCELLED);
    assert_int_equal(document_fake_writes(&lost->fake), strlen(script));
    assert_non_null(several.results[0].ticket);
    assert_int_equal(several.results[0].reported_version, 0);
    return several.results[0].ticket;
}

TEST_WITH(lost, what_is_cancelled_before_it_is_sent_was_not_executed)
{
    struct several several;
    os_cancel *cancel = NULL;
    make_several(lost, &several);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    os_cancel_trigger(cancel);
    several.call.cancel = cancel;
    write_several(&several);
    os_cancel_free(cancel);
    check_ends(&several, OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    assert_int_equal(document_fake_writes(&lost->fake), 0);
}

TEST_WITH(lost, one_deadline_is_that_of_all_writes)
{
    struct several several;
    make_several(lost, &several);
    several.call.deadline_ms = NINE_MINUTES_MS - 60000;
    document_fake_play(&lost->fake, "j");
    write_several(&several);
    check_ends(&several, OS_UNKNOWN, OS_ERR_DEADLINE);
    assert_int_equal(document_fake_writes(&lost->fake), 1);
    os_free(several.results[0].ticket);
}

static os_document_result resolve(struct lost *lost, const os_document_store *store, const char *ticket)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    result.verdict = OS_COMMITTED; /* of an earlier call */
    os_verdict verdict = os_document_resolve(lost->client, store, ticket, NULL, &result, &lost->error);
    assert_int_equal(result.verdict, verdict);
    assert_int_equal(result.error.code, lost->error.code);
    return result;
}

static const struct {
    const char *name;
    const char *found; /* NULL: as the write left it; "": none */
    int keeps_all;
    os_verdict verdict;
    int version;
} findings[] = {
    {"ours", NULL, 0, OS_COMMITTED, 1},
    {"none", "", 0, OS_UNKNOWN, 0},
    {"none where nothing is deleted", "", 1, OS_UNKNOWN, 0},
    {"another's", "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'1'}}", 0, OS_UNKNOWN, 0},
    {"another's where nothing is deleted", "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'1'}}", 1,
     OS_CONFLICT, 1},
    {"a later one where nothing is deleted", "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'2'}}", 1,
     OS_UNKNOWN, 0},
    {"what is no document", "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'}}", 1, OS_UNKNOWN, 0},
};

TEST_ROWS_WITH(lost, findings, a_ticket_is_decided_by_what_is_there)
{
    os_document_store store = OS_DOCUMENT_STORE_INIT;
    char *ticket = lose_one(lost, "n");
    store.keeps_all = row->keeps_all;
    if (row->found != NULL)
        document_fake_set(&lost->fake, REPORTED, row->found[0] != '\0' ? row->found : NULL);
    os_document_result result = resolve(lost, &store, ticket);
    assert_int_equal(result.verdict, row->verdict);
    assert_int_equal(result.reported_version, row->version);
    assert_int_equal(result.desired_version, 0);
    if (row->verdict == OS_UNKNOWN) {
        assert_string_equal(result.ticket, ticket); /* it can be asked again */
        CHECK_SAYS(&result.error, "not known whether");
    } else {
        assert_null(result.ticket);
    }
    os_free(result.ticket);
    os_free(ticket);
}

/* ------------------------------------------------------------------------------------------------ strangers' tickets */

static const struct {
    const char *name;
    const char *from; /* what of a ticket is replaced; NULL: all of it */
    const char *to;
} strangers[] = {
    {"nothing", NULL, ""},
    {"no JSON", NULL, "{"},
    {"a list", NULL, "[1]"},
    {"an empty object", NULL, "{}"},
    {"a ticket of another kind", "\"document\"", "\"guard\""},
    {"a kind that is no text", "\"document\"", "7"},
    {"another release", "\"v\":1", "\"v\":2"},
    {"a release that is no number", "\"v\":1", "\"v\":\"1\""},
    {"another table", "\"records\"", "\"others\""},
    {"no place", "\"place\"", "\"plaice\""},
    {"another spelling", "\"tags\"", "\"fields\""},
    {"a spelling that is none", "\"tags\"", "[]"},
    {"a spelling of nobody", "\"tags\"", "\"tag\""},
    {"no items", "\"items\"", "\"item\""},
    {"an item that is none", "\"items\":[", "\"items\":[7,"},
    {"items without end", "\"items\":[", "\"items\":[{},{},"},
    {"a version that is no number", "\"version\":1", "\"version\":\"1\""},
    {"a version that cannot be", "\"version\":1", "\"version\":0"},
    {"a kind that is not the key's", "\"reported\"", "\"desired\""},
    {"a token that is none", "\"token\"", "\"tokens\""},
    {"a key of another item", "DS#device", "device"},
    {"a key that is a number", "\"PK\":{\"S\"", "\"PK\":{\"N\""},
    {"a key of more", "\"PK\"", "\"PK2\":{\"S\":\"\"},\"PK\""},
};

static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = from != NULL ? strstr(text, from) : text;
    assert_non_null(at);
    size_t size = strlen(text) + strlen(to) + 1;
    char *ret = malloc(size);
    assert_non_null(ret);
    snprintf(ret, size, "%.*s%s%s", (int)(at - text), text, to, from != NULL ? at + strlen(from) : "");
    return ret;
}

static void check_refused(struct lost *lost, const char *ticket)
{
    size_t count = http_server_count(lost->fake.server);
    os_document_result result = resolve(lost, NULL, ticket);
    assert_int_equal(result.verdict, OS_UNKNOWN);
    assert_int_equal(result.error.code, OS_ERR_ARGUMENT);
    assert_null(result.ticket);
    assert_int_equal(http_server_count(lost->fake.server), count);
}

TEST_ROWS_WITH(lost, strangers, a_ticket_of_a_stranger_is_refused_and_nothing_is_asked)
{
    char *ticket = lose_one(lost, "n");
    char *theirs = replaced(ticket, row->from, row->to);
    check_refused(lost, theirs);
    free(theirs);
    os_free(ticket);
}

TEST_WITH(lost, a_ticket_has_a_bound_and_is_not_null)
{
    enum { SIZE = 100 * 1024 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, ' ', SIZE);
    memcpy(text, "{}", 2);
    text[SIZE - 1] = '\0';
    check_refused(lost, text);
    check_refused(lost, NULL);
    free(text);
}
