/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What os_gc takes away, and what it spares, of a scripted store whose list of uploads has two pages and of records in
 * an embedded ledger. (integration/api_gc_test.c does it with servers.)
 */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#define OLD   "2026-11-01T10:00:00.000Z"
#define YOUNG "2026-11-21T09:59:00.000Z"
#define UPLOAD(key, id, initiated) \
    "<Upload><Key>" key "</Key><UploadId>" id "</UploadId><Initiated>" initiated "</Initiated></Upload>"

enum { NOW_S = 1795255200 /* 2026-11-21, 10:00 */, DAY_S = 86400 };

static const char first_page[] =
    "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>"
    "<NextUploadIdMarker>of-a</NextUploadIdMarker>" UPLOAD("a", "of-a", OLD) "</ListMultipartUploadsResult>";
static const char second_page[] =
    "<ListMultipartUploadsResult>" UPLOAD("held", "of-held", OLD) UPLOAD("unread", "of-unread", OLD)
        UPLOAD("young", "of-young", YOUNG) UPLOAD("z", "of-z", OLD) "</ListMultipartUploadsResult>";
static const char parts[] =
    "<ListPartsResult><Part><PartNumber>1</PartNumber><ETag>\"p\"</ETag><Size>1</Size></Part></ListPartsResult>";
static const char no_upload[] = "<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>";

struct collected {
    struct http_server *server;
    os_client *client;
    char told[512]; /* "key:fate " of each */
    os_gc_result result;
    os_error error;
};

/* The upload "open" is not listed, and there all the same; of "bare" something in between says 404. */
static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    const char *status = "200 OK";
    const char *body = "";
    (void)context;
    if (strcmp(record->method, "DELETE") == 0) {
        status = "204 No Content";
    } else if (strcmp(record->method, "GET") == 0 && strstr(record->target, "uploadId=")) {
        bool is_open = strstr(record->target, "uploadId=open") != NULL;
        bool is_bare = strstr(record->target, "uploadId=bare") != NULL;
        status = is_open ? "200 OK" : "404 Not Found";
        body = is_open ? parts : is_bare ? "" : no_upload;
    } else if (strcmp(record->method, "GET") == 0) {
        body = strstr(record->target, "key-marker=") ? second_page : first_page;
    }
    buf_reset(scratch);
    buf_add_f(
        scratch,
        "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\nContent-Length: %zu\r\n\r\n%s",
        status, strlen(body), body);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void add_row(sqlite3 *db, const char *key, const char *values)
{
    char sql[400];
    snprintf(sql, sizeof(sql),
             "INSERT INTO records (path, etag, generation, timeout_ms, ttl_s, fence_s, nonce, saw, upload) "
             "VALUES ('%s', '*', %s)",
             key, values);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void add_record(sqlite3 *db, const char *key, int64_t ttl_s, int64_t fence_s, const char *upload)
{
    char values[200];
    snprintf(values, sizeof(values), "7, 20000, %lld, %lld, 'ab', NULL, %s%s%s", (long long)ttl_s, (long long)fence_s,
             upload ? "'" : "", upload ? upload : "NULL", upload ? "'" : "");
    add_row(db, key, values);
}

static void fill_ledger(const struct scratch *scratch)
{
    char file[160];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    add_record(db, "a", NOW_S + 3600, NOW_S - 3600, "of-a"); /* dead */
    add_record(db, "held", NOW_S + 3600, NOW_S + 5, "of-held");
    add_row(db, "unread", "'seven', 20000, 4000000000, NULL, NULL, NULL, NULL");
    add_record(db, "named", NOW_S - 2 * DAY_S, NOW_S - 3 * DAY_S, "open");
    add_record(db, "unsaid", NOW_S - 2 * DAY_S, NOW_S - 3 * DAY_S, "bare");
    add_record(db, "over", NOW_S - 2 * DAY_S, NOW_S - 3 * DAY_S, NULL);
    add_record(db, "today", NOW_S - 3600, NOW_S - 7200, NULL);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static int note(void *context, const os_garbage *garbage)
{
    static const char *const fates[] = {[OS_GARBAGE_FOUND] = "found",
                                        [OS_GARBAGE_REMOVED] = "removed",
                                        [OS_GARBAGE_SPARED] = "spared",
                                        [OS_GARBAGE_FAILED] = "failed"};
    struct collected *collected = context;
    size_t used = strlen(collected->told);
    snprintf(collected->told + used, sizeof(collected->told) - used, "%s:%s ", garbage->key, fates[garbage->fate]);
    return 0;
}

static void collect(struct collected *ret, const struct scratch *scratch)
{
    const struct http_server_options server = {.respond = respond};
    os_gc_options options = OS_GC_OPTIONS_INIT;
    memset(ret, 0, sizeof(*ret));
    ret->result = (os_gc_result)OS_GC_RESULT_INIT;
    ret->server = http_server_start(&server);
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), NULL);
    fill_ledger(scratch);
    options.remove = 1;
    CHECK_CODE(os_gc(ret->client, &options, NULL, note, ret, &ret->result, &ret->error), OS_OK, &ret->error);
}

static void let_go(struct collected *collected)
{
    os_client_close(collected->client);
    http_server_stop(collected->server);
}

static bool aborted(const struct collected *collected, const char *id)
{
    char wanted[64];
    bool found = false;
    snprintf(wanted, sizeof(wanted), "uploadId=%s", id);
    for (size_t i = 0; i < http_server_count(collected->server); i++) {
        const struct http_server_record *record = http_server_record(collected->server, i);
        found = found || (strcmp(record->method, "DELETE") == 0 && strstr(record->target, wanted));
    }
    return found;
}

static void check_fate(const struct collected *collected, const char *fate)
{
    if (strstr(collected->told, fate) == NULL)
        fail_msg("%s is not in: %s", fate, collected->told);
}

/* R14: whoever holds a record that names an upload may be about to complete it. */
TEST_WITH(scratch, an_upload_that_a_record_may_need_is_spared)
{
    struct collected collected;
    collect(&collected, scratch);
    check_fate(&collected, "held:spared");
    check_fate(&collected, "unread:spared");
    assert_false(aborted(&collected, "of-held"));
    assert_false(aborted(&collected, "of-unread"));
    assert_false(aborted(&collected, "of-young"));
    assert_null(strstr(collected.told, "young"));
    let_go(&collected);
}

TEST_WITH(scratch, what_nobody_needs_goes_whatever_its_page)
{
    struct collected collected;
    collect(&collected, scratch);
    check_fate(&collected, "a:removed");
    check_fate(&collected, "z:removed");
    assert_true(aborted(&collected, "of-a"));
    assert_true(aborted(&collected, "of-z"));
    let_go(&collected);
}

/* T3: not before a whole day behind its ttl, and not while the upload that it names is open. */
TEST_WITH(scratch, only_a_record_that_is_dead_for_long_goes)
{
    struct collected collected;
    collect(&collected, scratch);
    check_fate(&collected, "named:spared");
    check_fate(&collected, "unsaid:spared");
    check_fate(&collected, "over:removed");
    assert_null(strstr(collected.told, "today"));
    let_go(&collected);
}

/* R14: nor is it handed over, except by force. */
TEST_WITH(scratch, a_record_is_not_handed_over_while_its_upload_may_be_open)
{
    struct collected collected;
    collect(&collected, scratch);
    assert_int_equal(os_table_release(collected.client, "named", NULL, 0, NULL, &collected.error), OS_ERR_BUSY);
    CHECK_SAYS(&collected.error, "still open");
    assert_int_equal(os_table_release(collected.client, "unsaid", NULL, 0, NULL, &collected.error), OS_ERR_PROTOCOL);
    CHECK_SAYS(&collected.error, "does not say NoSuchUpload");
    CHECK_CODE(os_table_release(collected.client, "a", NULL, 0, NULL, &collected.error), OS_OK, &collected.error);
    let_go(&collected);
}

/* ------------------------------------------------------------------------------------------------ DynamoDB */

/* A table that refuses without showing what is there (R4): another record by now, or one that TTL has removed. */
struct blind_table {
    const char *stands; /* what a GetItem shows */
};

#define ITEM(generation)                                                                    \
    "{\"path\":{\"S\":\"over\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"" generation \
    "\"},\"timeout\":{\"N\":\"20000\"},\"ttl\":{\"N\":\"1795000000\"},\"nonce\":{\"S\":\"ab\"}}"

static void respond_blindly(void *context, const struct http_server_record *record, struct buf *scratch,
                            struct http_server_step *ret)
{
    static const char refused[] = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\"}";
    static const char listed[] = "{\"Items\":[" ITEM("7") "],\"Count\":1,\"ScannedCount\":1}";
    const struct blind_table *table = context;
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    bool deletes = target && strstr(target, "DeleteItem");
    const char *body = deletes ? refused : target && strstr(target, "GetItem") ? table->stands : listed;
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s",
              deletes ? "400 Bad Request" : "200 OK", strlen(body), body);
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

static void check_blind(const struct scratch *scratch, const char *stands, const char *fate)
{
    struct blind_table table = {stands};
    struct http_server *ledger =
        http_server_start(&(struct http_server_options){.respond = respond_blindly, .respond_context = &table});
    struct collected collected = {.result = OS_GC_RESULT_INIT};
    os_options more = OS_OPTIONS_INIT;
    os_gc_options options = OS_GC_OPTIONS_INIT;
    char endpoint[64];
    snprintf(endpoint, sizeof(endpoint), "http://%s", http_server_host(ledger));
    more.ledger_url = "dynamodb://table";
    more.dynamodb_endpoint = endpoint;
    collected.server = http_server_start(&(struct http_server_options){.respond = respond});
    collected.client = scratch_s3_client(scratch, http_server_host(collected.server), &more);
    options.remove = 1;
    CHECK_CODE(os_gc(collected.client, &options, NULL, note, &collected, &collected.result, &collected.error), OS_OK,
               &collected.error);
    check_fate(&collected, fate);
    let_go(&collected);
    http_server_stop(ledger);
}

TEST_WITH(scratch, what_a_table_does_not_show_is_asked_for)
{
    check_blind(scratch, "{\"Item\":" ITEM("8") "}", "over:spared");
    check_blind(scratch, "{}", "over:removed");
}
