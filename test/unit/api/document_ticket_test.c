/* SPDX-License-Identifier: Apache-2.0 */
/* Writes of documents that are ended under way, their tickets, and strange items. */
#include "support/clock_jump.h"
#include "unit/api/client_scratch.h"
#include "unit/api/document_lost.h"

#include <stdio.h>
#include <string.h>

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
    document_lost_put_both(lost);
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
    os_document_write write = document_lost_write(1);
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
        ret->writes[i] = document_lost_write(1);
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

/* W6: what it expects is there all the time. */
TEST_WITH(lost, a_write_that_is_looked_for_is_ended_by_its_caller)
{
    struct several several;
    pthread_t thread;
    os_cancel *cancel = NULL;
    make_several(lost, &several);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    several.call.cancel = cancel;
    lost->fake.pass_at_last = NULL;
    document_fake_play(&lost->fake, "x");
    assert_int_equal(pthread_create(&thread, NULL, write_several, &several), 0);
    assert_true(http_server_wait_count(lost->fake.server, THREE + FAKE_LOOKS));
    os_cancel_trigger(cancel);
    assert_int_equal(pthread_join(thread, NULL), 0);
    os_cancel_free(cancel);
    assert_int_equal(several.results[0].verdict, OS_UNKNOWN);
    CHECK_SAYS(&several.results[0].error, "What it expects is there");
    assert_non_null(several.results[0].ticket);
    os_free(several.results[0].ticket);
    for (int i = 1; i < THREE; i++)
        assert_int_equal(several.results[i].verdict, OS_COMMITTED);
    assert_int_equal(document_fake_writes(&lost->fake), THREE);
}

TEST_WITH(lost, one_deadline_is_that_of_all_writes)
{
    struct several several;
    make_several(lost, &several);
    several.call.deadline_ms = 8 * 60 * 1000;
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
    {"an empty token", "\"token\":\"", "\"token\":\"\",\"tokens\":\""},
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
