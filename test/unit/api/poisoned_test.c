/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of an embedded ledger that no writer has written: a contender says which one is in its way and how to mend it, a
 * person sees it and hands it over by force, and the next write succeeds. (integration/api_poisoned_test.c has more of
 * them, in a table of DynamoDB.)
 */
#include "commit/guard.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *row;    /* behind path and etag */
    bool readable;      /* a record all the same */
    const char *forced; /* what is said to one who would release it without force */
};

static const struct kind kinds[] = {
    {"'seven', 3600000, 4000000000, NULL, NULL, NULL, NULL", false, "--force"},
    {"1.5, 3600000, 4000000000, NULL, NULL, NULL, NULL", false, "--force"},
    {"x'00', 3600000, 4000000000, NULL, NULL, NULL, NULL", false, "--force"},
    {"-1, 3600000, 4000000000, NULL, NULL, NULL, NULL", true, "by force"}, /* 2^64 - 1 */
    {"7, 'long', 4000000000, NULL, NULL, NULL, NULL", false, "--force"},
    {"7, -1, 4000000000, NULL, NULL, NULL, NULL", true, "for ever"},
    {"7, 3600000, 'soon', NULL, NULL, NULL, NULL", false, "--force"},
    {"7, 3600000, -1, NULL, NULL, NULL, NULL", true, "by force"},
    {"7, 3600000, 99999999999999, NULL, NULL, NULL, NULL", true, "by force"},
    {"7, 3600000, 4000000000, -1, 'ab', NULL, NULL", true, "no time (18446744073709551615)"},
    {"7, 3600000, 4000000000, 'soon', NULL, NULL, NULL", false, "--force"},
    {"7, 3600000, 4000000000, NULL, '0123456789abcdef0123456789abcdef0', NULL, NULL", false, "--force"},
    {"7, 3600000, 4000000000, NULL, x'6162', NULL, NULL", false, "--force"},
    {"7, 3600000, 4000000000, NULL, CAST(x'610062' AS TEXT), NULL, NULL", false, "--force"},
    {"7, 3600000, 4000000000, NULL, 'ab', x'00', NULL", false, "--force"},
    {"7, 3600000, 4000000000, NULL, 'ab', NULL, CAST(x'690d0a78' AS TEXT)", true, "by force"},
    {"7, 3600000, 4000000000, NULL, 'ab', NULL, printf('%.*c', 1025, 'u')", false, "--force"},
    {"7, 3600000, 4000000000, NULL, printf('%.*c', 100000, 'n'), NULL, NULL", false, "--force"},
};

static void poison_under(const struct scratch *scratch, const char *key, const char *etag, const struct kind *kind)
{
    char file[160];
    char sql[400];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    snprintf(sql, sizeof(sql),
             "INSERT OR REPLACE INTO records (path, etag, generation, timeout_ms, ttl_s, fence_s, nonce, saw, upload) "
             "VALUES ('%s', '%s', %s)",
             key, etag, kind->row);
    assert_int_equal(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void poison(const struct scratch *scratch, const char *key, const struct kind *kind)
{
    poison_under(scratch, key, "*", kind);
}

struct sight {
    unsigned count;
    int64_t ttl_s;
    char unreadable[200];
};

static int look(void *context, const os_record *record)
{
    struct sight *sight = context;
    sight->count++;
    sight->ttl_s = record->ttl_s;
    snprintf(sight->unreadable, sizeof(sight->unreadable), "%s", record->unreadable);
    return 0;
}

/* A contender that gives up when it has asked for the record again. */
struct contender {
    os_client *client;
    os_cancel *cancel;
    atomic_uint asked;
};

static void count_asked(void *context, const os_metric *metric)
{
    struct contender *contender = context;
    bool asked = metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "GetItem") == 0;
    if (asked && atomic_fetch_add(&contender->asked, 1) == 1)
        os_cancel_trigger(contender->cancel);
}

static os_verdict contend(struct contender *contender, const char *key, os_error *err)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    atomic_store(&contender->asked, 0);
    assert_int_equal(os_cancel_new(&contender->cancel), OS_OK);
    call.cancel = contender->cancel;
    os_verdict verdict = os_put_if_absent(contender->client, key, &body, NULL, &call, NULL, err);
    os_cancel_free(contender->cancel);
    return verdict;
}

static os_verdict create(os_client *client, const char *key, uint64_t deadline_ms, os_error *err)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    return os_put_if_absent(client, key, &body, NULL, &call, NULL, err);
}

TEST_WITH(scratch, every_kind_is_told_shown_and_mended)
{
    struct contender contender = {.client = NULL};
    os_options options = OS_OPTIONS_INIT;
    options.metric = count_asked;
    options.metric_context = &contender;
    os_client *client = scratch_client(scratch, NULL);
    contender.client = scratch_client(scratch, &options);
    os_error error = {0};
    assert_int_equal(create(client, "the first call takes longer", 60000, &error), OS_COMMITTED);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char key[32];
        struct sight sight = {0};
        snprintf(key, sizeof(key), "key-%zu", i);
        poison(scratch, key, &kinds[i]);
        assert_int_equal(contend(&contender, key, &error), OS_NOT_EXECUTED);
        CHECK_SAYS(&error, key);
        CHECK_SAYS(&error, "(etag *");
        CHECK_SAYS(&error, "oscommit table release");
        CHECK_CODE(os_table_list(client, key, NULL, look, &sight, &error), OS_OK, &error);
        assert_int_equal(sight.count, 1);
        assert_int_equal(sight.unreadable[0] == '\0', kinds[i].readable);
        assert_int_not_equal(os_table_release(client, key, NULL, 0, NULL, &error), OS_OK);
        CHECK_SAYS(&error, key);
        CHECK_SAYS(&error, kinds[i].forced);
        CHECK_CODE(os_table_release(client, key, NULL, 1, NULL, &error), OS_OK, &error);
        assert_int_equal(create(client, key, 60000, &error), OS_COMMITTED);
    }
    os_client_close(contender.client);
    os_client_close(client);
}

/* The whole table is listed, with those that are none among the others. */
TEST_WITH(scratch, a_row_that_is_no_record_hides_no_other)
{
    os_client *client = scratch_client(scratch, NULL);
    struct sight sight = {0};
    os_error error = {0};
    assert_int_equal(create(client, "a", 30000, &error), OS_COMMITTED);
    poison(scratch, "b", &kinds[0]);
    assert_int_equal(create(client, "c", 30000, &error), OS_COMMITTED);
    CHECK_CODE(os_table_list(client, NULL, NULL, look, &sight, &error), OS_OK, &error);
    assert_int_equal(sight.count, 3);
    os_client_close(client);
}

TEST_WITH(scratch, a_released_record_whose_ttl_never_comes_gets_another_by_force)
{
    static const struct kind far = {"7, 0, 99999999999999, NULL, 'ab', NULL, NULL", true, NULL};
    os_client *client = scratch_client(scratch, NULL);
    os_error error = {0};
    poison(scratch, "k", &far);
    CHECK_CODE(os_table_release(client, "k", NULL, 0, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_table_release(client, "k", NULL, 1, NULL, &error), OS_OK, &error);
    struct sight sight = {0};
    CHECK_CODE(os_table_list(client, "k", NULL, look, &sight, &error), OS_OK, &error);
    assert_int_equal(sight.count, 1);
    assert_true(sight.ttl_s < 4000000000);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ as a lock */

static void say_absent(void *context, const struct http_server_record *record, struct buf *scratch,
                       struct http_server_step *ret)
{
    static const char absent[] = "HTTP/1.1 404 Not Found\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: "
                                 "1\r\nContent-Length: 0\r\n\r\n";
    (void)context;
    (void)record;
    (void)scratch;
    *ret = (struct http_server_step){.answer = absent};
}

/* It may be the record under which our version was deleted. */
TEST_WITH(scratch, R13_a_row_that_cannot_be_read_locks_every_etag)
{
    const struct http_server_options say = {.respond = say_absent};
    struct http_server *server = http_server_start(&say);
    os_options options = OS_OPTIONS_INIT;
    options.margin_s = 1;
    os_client *client = scratch_s3_client(scratch, http_server_host(server), &options);
    char *ticket = scratch_dead_create(scratch, http_server_host(server), &(struct guard_ticket){.native = false});
    os_call call = OS_CALL_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    call.deadline_ms = 20000;
    assert_int_equal(os_resolve(client, ticket, &call, &result, &error), OS_NOT_EXECUTED);
    assert_string_equal(result.rule, "R13.D");
    os_result_clear(&result);
    poison_under(scratch, "key", "\"11111111111111111111111111111111\"", &kinds[0]);
    assert_int_equal(os_resolve(client, ticket, &call, &result, &error), OS_UNKNOWN);
    assert_string_equal(result.rule, "R13.F");
    os_result_clear(&result);
    free(ticket);
    os_client_close(client);
    http_server_stop(server);
}
