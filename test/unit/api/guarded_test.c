/* SPDX-License-Identifier: Apache-2.0 */
/* What a guarded call leaves in the ledger, and what it takes: T4, R15, and E7 against a store that takes expired
 * requests. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static os_verdict create(os_client *client, const char *key, const void *data, size_t length, os_result *ret,
                         os_error *err)
{
    os_body body = OS_BODY_MEMORY(data, length);
    memset(err, 0, sizeof(*err));
    return os_put_if_absent(client, key, &body, NULL, NULL, ret, err);
}

/* The number of records that `sql` counts in the ledger. */
static int count_records(const char *ledger, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(ledger, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return count;
}

TEST_WITH(scratch, the_record_prefix_stands_before_the_path_of_a_record)
{
    os_options options = OS_OPTIONS_INIT;
    options.record_prefix = "fleet-7/";
    os_client *client = scratch_client(scratch, &options);
    os_error error;
    assert_int_equal(create(client, "a/b", "x", 1, NULL, &error), OS_COMMITTED);
    os_client_close(client);
    char ledger[160];
    snprintf(ledger, sizeof(ledger), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(count_records(ledger, "SELECT count(*) FROM records WHERE path = 'fleet-7/a/b'"), 1);
    assert_int_equal(count_records(ledger, "SELECT count(*) FROM records"), 1);
}

TEST_WITH(scratch, a_body_of_eight_mib_goes_in_one_request)
{
    os_client *client = scratch_client(scratch, NULL);
    size_t most = (size_t)8 << 20;
    char *data = calloc(1, most + 1);
    assert_non_null(data);
    os_error error;
    assert_int_equal(create(client, "just-right", data, most, NULL, &error), OS_COMMITTED);
    free(data);
    os_client_close(client);
}

static void answer_with(const char *status, struct buf *scratch, struct http_server_step *ret)
{
    buf_reset(scratch);
    buf_add_f(scratch,
              "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\nContent-Length: 0\r\n\r\n",
              status);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

/* A store that looks at no signature: what it was asked an hour too late it answers too. */
static void answer_anything(void *context, const struct http_server_record *record, struct buf *scratch,
                            struct http_server_step *ret)
{
    (void)context;
    const char *status = strcmp(record->method, "PUT") == 0 || strstr(record->target, "absent") == NULL
                             ? "200 OK\r\nETag: \"9dd4e461268c8034f5c8564e155c67a6\""
                             : "404 Not Found";
    answer_with(status, scratch, ret);
}

/* The number that follows `name` in a request target. */
static unsigned long number_after(const char *target, const char *name)
{
    const char *found = strstr(target, name);
    return found ? strtoul(found + strlen(name), NULL, 10) : 0;
}

/* A store at 10:00:00 that looks at the expiry of what is presigned and forgives `*context` seconds. */
static void answer_with_grace(void *context, const struct http_server_record *record, struct buf *scratch,
                              struct http_server_step *ret)
{
    const unsigned long *grace_s = context;
    const char *day = strstr(record->target, "X-Amz-Date=20261121T");
    unsigned long at = number_after(record->target, "X-Amz-Date=20261121T");
    unsigned long signed_s = at / 10000 * 3600 + at / 100 % 100 * 60 + at % 100;
    unsigned long ends_s = signed_s + number_after(record->target, "X-Amz-Expires=");
    if (day == NULL || ends_s + *grace_s >= 10 * 3600)
        answer_anything(NULL, record, scratch, ret);
    else
        answer_with("403 Forbidden", scratch, ret);
}

static bool is_fenced(const struct scratch *scratch, const struct http_server_options *store)
{
    struct http_server *server = http_server_start(store);
    os_client *client = scratch_s3_client(scratch, http_server_host(server), NULL);
    os_error error;
    os_result result = OS_RESULT_INIT;
    assert_int_equal(create(client, "absent", "x", 1, &result, &error), OS_COMMITTED);
    bool fenced = result.fenced;
    os_result_clear(&result);
    os_client_close(client);
    http_server_stop(server);
    char ledger[160];
    snprintf(ledger, sizeof(ledger), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(count_records(ledger, "SELECT count(*) FROM records WHERE fence_s IS NULL"), fenced ? 0 : 1);
    return fenced;
}

TEST_WITH(scratch, a_store_that_takes_expired_requests_gets_no_fences)
{
    struct http_server_options lenient = {.respond = answer_anything};
    assert_false(is_fenced(scratch, &lenient));
}

/* A fence is passed at the margin, not an hour later. */
TEST_WITH(scratch, a_store_that_forgives_minutes_gets_no_fences)
{
    unsigned long grace_s = 300;
    struct http_server_options forgiving = {.respond = answer_with_grace, .respond_context = &grace_s};
    assert_false(is_fenced(scratch, &forgiving));
}

TEST_WITH(scratch, a_store_that_forgives_no_more_than_the_margin_gets_fences)
{
    unsigned long grace_s = 2;
    struct http_server_options strict = {.respond = answer_with_grace, .respond_context = &grace_s};
    assert_true(is_fenced(scratch, &strict));
}

/* A strict store that answers only 503 to its first `unavailable` presigned HEADs. */
struct unsteady {
    unsigned unavailable;
    atomic_uint probes; /* each connection has a thread */
};

static void answer_unsteadily(void *context, const struct http_server_record *record, struct buf *scratch,
                              struct http_server_step *ret)
{
    struct unsteady *unsteady = context;
    unsigned long grace_s = 0;
    bool probe = strcmp(record->method, "HEAD") == 0 && strstr(record->target, "X-Amz-Date=");
    if (!probe || atomic_fetch_add(&unsteady->probes, 1) >= unsteady->unavailable)
        answer_with_grace(&grace_s, record, scratch, ret);
    else
        answer_with("503 Slow Down", scratch, ret);
}

TEST_WITH(scratch, a_pair_without_an_answer_is_asked_again)
{
    struct unsteady unsteady = {.unavailable = 3};
    struct http_server_options store = {.respond = answer_unsteadily, .respond_context = &unsteady};
    assert_true(is_fenced(scratch, &store));
    assert_int_equal(atomic_load(&unsteady.probes), 6); /* the third pair was answered */
}

TEST_WITH(scratch, a_pair_that_is_never_answered_is_asked_five_times)
{
    struct unsteady unsteady = {.unavailable = 100};
    struct http_server_options store = {.respond = answer_unsteadily, .respond_context = &unsteady};
    assert_false(is_fenced(scratch, &store));
    assert_int_equal(atomic_load(&unsteady.probes), 10);
}

/* Something between us and a strict store refuses the first request of all, and knows no Date. */
static void refuse_once_without_date(void *context, const struct http_server_record *record, struct buf *scratch,
                                     struct http_server_step *ret)
{
    static const char refusal[] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    unsigned long grace_s = 0;
    if (atomic_fetch_add((atomic_uint *)context, 1) == 0)
        *ret = (struct http_server_step){.answer = refusal, .answer_length = strlen(refusal)};
    else
        answer_with_grace(&grace_s, record, scratch, ret);
}

TEST_WITH(scratch, a_bucket_that_a_middlebox_refused_is_asked_again)
{
    atomic_uint asked = 0;
    struct http_server_options store = {.respond = refuse_once_without_date, .respond_context = &asked};
    assert_true(is_fenced(scratch, &store));
}

/* ------------------------------------------------------------------------------------------------ allowance */

enum { SMALL_TIMEOUT_MS = 20000, SMALL_FENCE_S = 10, LARGE_TIMEOUT_MS = 79000, LARGE_FENCE_S = 77 };

/* A create of an own key by an own client; the header is its Content-Disposition. */
struct size_case {
    const char *key;
    size_t body_bytes;
    size_t header_bytes;
    size_t token_bytes;
    size_t tags;
    bool at_once;
};

static char *filled(size_t bytes)
{
    char *text = calloc(1, bytes + 1);
    assert_non_null(text);
    memset(text, 'x', bytes);
    return text;
}

static void create_sized(os_client *client, const struct size_case *each)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    char value[3 * 256 + 1] = "";
    for (size_t i = 0; i < 256; i++)
        memcpy(value + 3 * i, "\xe2\x82\xac", 3); /* a character that takes nine bytes in a header */
    os_metadata tags[10];
    for (size_t i = 0; i < 10; i++)
        tags[i] = (os_metadata){names[i], value};
    char *data = filled(each->body_bytes);
    char *header = filled(each->header_bytes);
    os_body body = OS_BODY_MEMORY(data, each->body_bytes);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_error error = {0};
    options.content_disposition = header;
    options.tags = tags;
    options.tag_count = each->tags;
    os_verdict verdict = os_put_if_absent(client, each->key, &body, &options, NULL, NULL, &error);
    if (verdict != OS_COMMITTED)
        fail_msg("%s: %s", each->key, error.message);
    free(header);
    free(data);
}

static void check_allowance(const struct scratch *scratch, struct http_server *server, const struct size_case *each)
{
    os_options options = OS_OPTIONS_INIT;
    char *token = filled(each->token_bytes);
    options.ca_file = http_server_ca_file(server);
    options.session_token = each->token_bytes ? token : NULL;
    options.stage_above = 1 << 20; /* nothing goes in parts */
    os_client *client = scratch_s3_client(scratch, http_server_host(server), &options);
    create_sized(client, each);
    os_client_close(client);
    free(token);
    char ledger[160];
    char sql[256];
    snprintf(ledger, sizeof(ledger), "%s/.oscommit/ledger.db", scratch->root);
    snprintf(sql, sizeof(sql), "SELECT timeout_ms FROM records WHERE path = '%s'", each->key);
    int timeout_ms = count_records(ledger, sql);
    snprintf(sql, sizeof(sql),
             "SELECT fence_s - CAST(strftime('%%s', '2026-11-21 10:00:00') AS INTEGER) FROM records WHERE path = '%s'",
             each->key);
    int fence_s = count_records(ledger, sql);
    if (timeout_ms != (each->at_once ? SMALL_TIMEOUT_MS : LARGE_TIMEOUT_MS) ||
        fence_s != (each->at_once ? SMALL_FENCE_S : LARGE_FENCE_S))
        fail_msg("%s: timeout %d ms, fence after %d s", each->key, timeout_ms, fence_s);
}

static void check_allowances(const struct scratch *scratch, bool tls, const struct size_case *cases, size_t count)
{
    unsigned long grace_s = 0;
    struct http_server_options store = {.tls = tls, .respond = answer_with_grace, .respond_context = &grace_s};
    struct http_server *server = http_server_start(&store);
    for (size_t i = 0; i < count; i++)
        check_allowance(scratch, server, &cases[i]);
    http_server_stop(server);
}

/* F3: over TLS a record of 16 KiB arrives at once, and the head is a part of it, signature and token too. */
TEST_WITH(scratch, over_tls_head_and_body_decide_the_allowance_together)
{
    static const struct size_case cases[] = {
        {"absent-small", .body_bytes = 100, .at_once = true},
        {"absent-of-8000", .body_bytes = 8000, .at_once = true},
        {"absent-just-right", .body_bytes = 14500, .at_once = true},
        {"absent-of-a-record", .body_bytes = 16384},
        {"absent-header", .body_bytes = 8000, .header_bytes = 12 << 10},
        {"absent-header-alone", .body_bytes = 1, .header_bytes = 16 << 10},
        {"absent-header-fits", .body_bytes = 1, .header_bytes = 12 << 10, .at_once = true},
        {"absent-tags", .body_bytes = 100, .tags = 10},
        {"absent-token", .body_bytes = 8000, .token_bytes = 12 << 10},
        {"absent-token-fits", .body_bytes = 100, .token_bytes = 12 << 10, .at_once = true},
    };
    check_allowances(scratch, true, cases, sizeof(cases) / sizeof(cases[0]));
}

/* Loopback's segments have 32 KiB and more. */
TEST_WITH(scratch, in_the_clear_a_segment_decides_the_allowance)
{
    static const struct size_case cases[] = {
        {"absent-small", .body_bytes = 100, .at_once = true},
        {"absent-of-16000", .body_bytes = 16000, .header_bytes = 8 << 10, .at_once = true},
        {"absent-of-64-kib", .body_bytes = 65536},
    };
    check_allowances(scratch, false, cases, sizeof(cases) / sizeof(cases[0]));
}

/* ------------------------------------------------------------------------------------------------ ETags */

static void answer_always(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    (void)record;
    answer_with(context, scratch, ret);
}

static void replace_what_has_no_etag(const struct scratch *scratch, char *answer, bool staged)
{
    static const char data[2000];
    struct http_server_options store = {.respond = answer_always, .respond_context = answer};
    struct http_server *server = http_server_start(&store);
    os_options options = OS_OPTIONS_INIT;
    options.stage_above = staged ? 1000 : 0;
    os_client *client = scratch_s3_client(scratch, http_server_host(server), &options);
    os_body body = OS_BODY_MEMORY(data, sizeof(data));
    os_call call = OS_CALL_INIT;
    os_error error;
    call.deadline_ms = staged ? 3000 : 10000; /* for one answer at least */
    os_verdict verdict = os_put_if_match(client, "there", "\"e\"", &body, NULL, &call, NULL, &error);
    assert_int_equal(verdict, OS_NOT_EXECUTED);
    CHECK_SAYS(&error, staged ? "while its parts were sent" : "without an ETag"); /* R15: the parts come first */
    os_client_close(client);
    http_server_stop(server);
}

/* Nobody can tell then whether the expected version is there: that is no conflict, and nothing is written. */
TEST_WITH(scratch, a_store_that_names_no_etag_is_no_conflict)
{
    static char nothing[] = "200 OK";
    static char empty[] = "200 OK\r\nETag: \"\"";
    char *const answers[] = {nothing, empty};
    for (size_t i = 0; i < 4; i++)
        replace_what_has_no_etag(scratch, answers[i / 2], i % 2 == 1);
}

/* Of no length; and nothing else is there. */
static void answer_without_length(void *context, const struct http_server_record *record, struct buf *scratch,
                                  struct http_server_step *ret)
{
    bool is_destination = strstr(record->target, "/to") != NULL;
    (void)context;
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\n\r\n",
              is_destination ? "404 Not Found\r\nContent-Length: 0" : "200 OK\r\nETag: \"e\"");
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

/* The fence counts on how long the copy takes. */
TEST_WITH(scratch, a_source_of_which_nobody_knows_the_length_is_not_copied)
{
    struct http_server_options store = {.respond = answer_without_length};
    struct http_server *server = http_server_start(&store);
    os_client *client = scratch_s3_client(scratch, http_server_host(server), NULL);
    os_error error;
    assert_int_equal(os_copy_if_not_exists(client, "from", "to", NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "without a Content-Length");
    os_client_close(client);
    http_server_stop(server);
}
