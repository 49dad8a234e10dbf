/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are staged, or removed, where a service does not answer or refuses. */
#include "unit/api/lake.h"
#include "unit/api/model_wire.h"

#include <string.h>

/* The next request comes on a connection of its own: on this one it could meet the server's close. */
#define DATED     "\r\nConnection: close\r\nx-amz-request-id: 1\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n"
#define WAS_PUT   "HTTP/1.1 200 OK" DATED "ETag: \"0cc175b9c0f1b6a831c399e269772661\"\r\nContent-Length: 0\r\n\r\n"
#define IS_GONE   "HTTP/1.1 204 No Content" DATED "\r\n"
#define NO_RIGHTS "<Error><Code>AccessDenied</Code><Message>made up</Message></Error>"
#define DENIED    "HTTP/1.1 403 Forbidden" DATED "Content-Length: 66\r\n\r\n" NO_RIGHTS

/* ------------------------------------------------------------------------------------------------ a store that fails */

/* The lake's tables, beside a scripted store. */
struct shore {
    struct lake lake;
    struct http_server *server;
};

static void shore_set_up(struct shore *ret)
{
    lake_set_up(&ret->lake);
    os_client_close(ret->lake.client);
    ret->server = http_server_start(NULL);
    ret->lake.client = scratch_s3_client(&ret->lake.scratch, http_server_host(ret->server), NULL);
}

static void shore_tear_down(struct shore *shore)
{
    lake_tear_down(&shore->lake);
    http_server_stop(shore->server);
}

static void answer_next(struct shore *shore, const char *answer)
{
    http_server_push(shore->server, &(struct http_server_step){.answer = answer, .leave = HTTP_SERVER_CLOSE});
}

static void check_last(struct shore *shore, size_t count, const char *method)
{
    assert_int_equal(http_server_count(shore->server), count);
    assert_string_equal(http_server_record(shore->server, count - 1)->method, method);
}

/* Its object can be found by a gc. */
static void check_has_intent(struct shore *shore)
{
    assert_int_equal(lake_collect(&shore->lake, 1, 0, NULL).found, 1);
}

static void check_collects(struct shore *shore, size_t count)
{
    answer_next(shore, IS_GONE);
    assert_int_equal(lake_collect(&shore->lake, 1, 1, NULL).removed, 1);
    check_last(shore, count, "DELETE");
    lake_check_nothing_left(&shore->lake);
}

TEST_WITH(shore, O5_an_object_whose_put_was_lost_stays_for_a_gc)
{
    struct lake_plan plan = {.lake = &shore->lake, .names = {"a"}, .text = "late"};
    answer_next(shore, NULL);
    assert_int_equal(lake_transact(&plan), OS_NOT_EXECUTED);
    CHECK_SAYS(&shore->lake.error, "may be there, for a gc");
    check_last(shore, 1, "PUT");
    check_has_intent(shore);
    check_collects(shore, 2);
}

TEST_WITH(shore, O4_an_object_that_cannot_be_taken_back_keeps_its_intent)
{
    struct lake_plan plan = {.lake = &shore->lake, .names = {"a"}, .text = "never", .ends_with = OS_ERR_SOURCE};
    answer_next(shore, WAS_PUT);
    answer_next(shore, DENIED);
    assert_int_equal(lake_transact(&plan), OS_NOT_EXECUTED);
    assert_int_equal(shore->lake.error.code, OS_ERR_SOURCE);
    check_last(shore, 2, "DELETE");
    check_has_intent(shore);
    check_collects(shore, 3);
}

TEST_WITH(shore, O4_an_object_that_a_gc_cannot_delete_keeps_its_intent)
{
    struct lake *lake = &shore->lake;
    struct lake_plan plan = {.lake = lake, .names = {"a"}, .text = "late"};
    struct lake_heard heard = {.count = 0};
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    answer_next(shore, NULL);
    assert_int_equal(lake_transact(&plan), OS_NOT_EXECUTED);
    answer_next(shore, DENIED);
    options.intents = lake->intents;
    options.of_any_age = 1;
    options.remove = 1;
    CHECK_CODE(os_txn_gc(lake->client, &options, NULL, lake_hear, &heard, &result, &lake->error), OS_OK, &lake->error);
    assert_true(result.failed == 1 && result.removed == 0 && heard.fate == OS_GARBAGE_FAILED);
    check_last(shore, 2, "DELETE");
    check_has_intent(shore);
    check_collects(shore, 3);
}

/* ------------------------------------------------------------------------------------------------ a table that fails */

#define INTENT_OF(key) "{\"_id\":{\"S\":\"" key "\"},\"bucket\":{\"S\":\"bucket\"},\"since\":{\"N\":\"1000000000\"}}"
#define PAGE_OF(item)  "{\"Items\":[" item "],\"Count\":1,\"ScannedCount\":1}"
#define DENIAL         WIRE_FAULT("AccessDeniedException", "")

struct staging {
    struct wire *wire;
    os_model *intents;
};

static os_code stage_one(void *context, os_txn *txn, os_error *err)
{
    const struct staging *staging = context;
    const os_body body = OS_BODY_MEMORY("x", 1);
    const char *key = NULL;
    os_stage of = OS_STAGE_INIT;
    of.intents = staging->intents;
    of.body = &body;
    os_code code = os_txn_stage(txn, &of, &key, err);
    assert_true(code != OS_OK);
    return code;
}

static void staging_begin(struct staging *ret, struct wire *wire)
{
    *ret = (struct staging){.wire = wire};
    CHECK_CODE(os_stage_model("Intents", &ret->intents, &wire->bank.error), OS_OK, &wire->bank.error);
}

/* The look, too, tells nothing: it is refused. */
TEST_WITH(wire, O1_nothing_is_put_while_its_intent_may_come_late)
{
    struct staging staging;
    staging_begin(&staging, wire);
    WIRE_SCRIPT(wire, {.json = NULL}, {.json = DENIAL, .status = 400});
    assert_int_equal(bank_transact(&wire->bank, stage_one, &staging), OS_NOT_EXECUTED);
    CHECK_SAYS(&wire->bank.error, "The intent of ");
    CHECK_SAYS(&wire->bank.error, "may be there, for a gc");
    wire_check_all_came(wire);
    json_decref(wire_request(wire, 0, "PutItem"));
    json_decref(wire_request(wire, 1, "GetItem"));
    os_model_free(staging.intents);
}

static os_txn_gc_result collect(const struct staging *staging, struct lake_heard *heard, int removes)
{
    struct bank *bank = &staging->wire->bank;
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    options.intents = staging->intents;
    options.remove = removes;
    CHECK_CODE(os_txn_gc(bank->client, &options, &bank->call, lake_hear, heard, &result, &bank->error), OS_OK,
               &bank->error);
    wire_check_all_came(staging->wire);
    return result;
}

TEST_WITH(wire, O3_what_cannot_be_marked_is_not_deleted)
{
    struct staging staging;
    struct lake_heard heard = {.count = 0};
    staging_begin(&staging, wire);
    WIRE_SCRIPT(wire, {.json = PAGE_OF(INTENT_OF("meta/1"))}, {.json = WIRE_FOUND(INTENT_OF("meta/1"))},
                {.json = DENIAL, .status = 400});
    os_txn_gc_result result = collect(&staging, &heard, 1);
    assert_true(result.failed == 1 && result.removed == 0 && heard.fate == OS_GARBAGE_FAILED);
    json_decref(wire_request(wire, 2, "UpdateItem"));
    os_model_free(staging.intents);
}

TEST_WITH(wire, a_gc_reads_every_page_of_intents)
{
    struct staging staging;
    struct lake_heard heard = {.count = 0};
    staging_begin(&staging, wire);
    WIRE_SCRIPT(
        wire,
        {.json = "{\"Items\":[],\"Count\":0,\"ScannedCount\":1,\"LastEvaluatedKey\":{\"_id\":{\"S\":\"meta/1\"}}}"},
        {.json = PAGE_OF(INTENT_OF("meta/2"))});
    os_txn_gc_result result = collect(&staging, &heard, 0);
    assert_true(result.seen == 1 && result.found == 1);
    assert_string_equal(heard.key, "meta/2");
    os_model_free(staging.intents);
}
