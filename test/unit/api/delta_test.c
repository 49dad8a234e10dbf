/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_delta.h on an embedded store: what is refused before anything is sent, what others do meanwhile, and
 * a store that does not say what became of a commit. */
#include "base/clock.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include "oscommit_delta.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char schema[] = "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,"
                             "\"metadata\":{}}]}";
static const os_delta_add adds[] = {{"a.parquet", 10, 1, 3}, {"b.parquet", 20, 2, 4}};
static const os_delta_files files = {sizeof(files), schema, adds, 2, NULL};

static void log_path(const struct scratch *scratch, int version, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%s/table/_delta_log/%020d.json", scratch->root, version);
}

static void write_version(const struct scratch *scratch, int version, const char *text)
{
    char path[200];
    log_path(scratch, version, path, sizeof(path));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static bool has_version(const struct scratch *scratch, int version)
{
    char path[200];
    struct stat found;
    log_path(scratch, version, path, sizeof(path));
    return stat(path, &found) == 0;
}

TEST_WITH(scratch, a_commit_makes_the_table_and_the_next_one_adds_to_it)
{
    os_client *client = scratch_client(scratch, NULL);
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_error error;
    for (int version = 0; version < 3; version++) {
        assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, &result, &error), OS_COMMITTED);
        assert_int_equal(error.code, OS_OK);
        assert_int_equal(result.version, version);
        assert_int_equal(result.created, version == 0);
        assert_int_equal(result.files, 2);
        assert_int_equal(result.records, 7);
        assert_null(result.ticket);
        os_delta_result_clear(&result);
    }
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, NULL), OS_COMMITTED);
    assert_true(has_version(scratch, 3));
    os_client_close(client);
}

/* --------------------------------------------------------------------------------------------------------- refused */

static void check_refused(os_client *client, const char *table, const os_delta_files *data,
                          const os_delta_options *options, const char *says)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_error error;
    assert_int_equal(os_delta_commit(client, table, data, options, NULL, &result, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, says);
    assert_int_equal(result.version, -1);
}

TEST_WITH(scratch, what_cannot_be_is_refused_before_anything_is_sent)
{
    static const os_delta_add absolute = {"/a.parquet", 10, 1, 3};
    static const os_delta_add nameless = {"", 10, 1, 3};
    static const os_delta_add huge = {"a.parquet", UINT64_MAX, 1, 3};
    const os_delta_files none = {sizeof(none), schema, adds, 0, NULL};
    const os_delta_files many = {sizeof(many), schema, adds, 10001, NULL};
    const os_delta_files without_schema = {sizeof(none), NULL, adds, 1, NULL};
    const os_delta_files with_another = {sizeof(none), "[]", adds, 1, NULL};
    const os_delta_options negative = {.size = sizeof(negative), .app_id = "x", .app_version = -1};
    os_client *client = scratch_client(scratch, NULL);
    check_refused(client, "table/", &files, NULL, "slash");
    check_refused(client, "/table", &files, NULL, "slash");
    check_refused(client, "table", &none, NULL, "1 to 10000");
    check_refused(client, "table", &many, NULL, "1 to 10000");
    check_refused(client, "table", &without_schema, NULL, "struct type");
    check_refused(client, "table", &with_another, NULL, "struct type");
    check_refused(client, "table", &(os_delta_files){sizeof(none), schema, &absolute, 1, NULL}, NULL, "relative");
    check_refused(client, "table", &(os_delta_files){sizeof(none), schema, &nameless, 1, NULL}, NULL, "relative");
    check_refused(client, "table", &(os_delta_files){sizeof(none), schema, &huge, 1, NULL}, NULL, "63 bits");
    check_refused(client, "table", &files, &negative, "app_version");
    check_refused(client, "table", &files, &(os_delta_options){.size = 1}, "os_delta_options");
    assert_false(has_version(scratch, 0));
    os_client_close(client);
}

TEST_WITH(scratch, a_log_store_is_a_table_of_dynamodb_and_its_tables_lie_in_s3)
{
    os_client *client = scratch_client(scratch, NULL);
    os_client *local = scratch_table_client(scratch);
    os_client *remote = scratch_services_client("127.0.0.1:1", "127.0.0.1:1", NULL);
    os_delta_options options = OS_DELTA_OPTIONS_INIT;
    os_error error;
    options.log_store = local;
    assert_int_equal(os_delta_commit(client, "table", &files, &options, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "A log store is a table of DynamoDB");
    options.log_store = remote;
    assert_int_equal(os_delta_commit(client, "table", &files, &options, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "a store of files needs none");
    static const char *const misnamed[] = {"", "a b", "\xc3\xa9"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(os_delta_commit(remote, misnamed[i], &files, &options, NULL, NULL, &error), OS_NOT_EXECUTED);
        CHECK_SAYS(&error, "cannot be named in a log store");
    }
    CHECK_CODE(os_delta_log_store_create(local, NULL, &error), OS_ERR_CONFIG, &error);
    CHECK_CODE(os_delta_log_store_check(local, NULL, &error), OS_ERR_CONFIG, &error);
    os_client_close(remote);
    os_client_close(local);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------------ partitions */

static const os_delta_partition by_day[] = {{"day", "2026-11-28", "date"}, {"n", NULL, "long"}};
static const os_delta_options daily = {.size = sizeof(daily), .partitions = by_day, .partition_count = 2};

static void read_version(const struct scratch *scratch, int version, char *ret, size_t size)
{
    char path[200];
    log_path(scratch, version, path, sizeof(path));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t length = fread(ret, 1, size - 1, in);
    ret[length] = '\0';
    assert_int_equal(fclose(in), 0);
}

TEST_WITH(scratch, files_are_added_to_partitions)
{
    static const char *const several[] = {"2026-11-29", "1", NULL, "2"};
    const os_delta_files mixed = {sizeof(mixed), schema, adds, 2, several};
    os_client *client = scratch_client(scratch, NULL);
    char text[4096];
    os_error error;
    assert_int_equal(os_delta_commit(client, "table", &files, &daily, NULL, NULL, &error), OS_COMMITTED);
    read_version(scratch, 0, text, sizeof(text));
    assert_non_null(strstr(text, "\"partitionColumns\":[\"day\",\"n\"]"));
    assert_non_null(strstr(text, "\"partitionValues\":{\"day\":\"2026-11-28\",\"n\":null}"));
    assert_int_equal(os_delta_commit(client, "table", &mixed, &daily, NULL, NULL, &error), OS_COMMITTED);
    read_version(scratch, 1, text, sizeof(text));
    assert_non_null(strstr(text, "\"partitionValues\":{\"day\":\"2026-11-29\",\"n\":\"1\"}"));
    assert_non_null(strstr(text, "\"partitionValues\":{\"day\":null,\"n\":\"2\"}"));
    os_client_close(client);
}

TEST_WITH(scratch, files_of_another_partitioning_are_refused)
{
    static const char *const wrong[] = {"2026-11-29", "1", "2026-11-29", "x"};
    static const os_delta_partition by_id[] = {{"id", "7", NULL}};
    const os_delta_files mixed = {sizeof(mixed), schema, adds, 2, wrong};
    const os_delta_options own = {.size = sizeof(own), .partitions = by_id, .partition_count = 1};
    const os_delta_options many = {.size = sizeof(many), .partitions = by_day, .partition_count = 33};
    os_client *client = scratch_client(scratch, NULL);
    os_error error;
    check_refused(client, "table", &mixed, &daily, "\"x\" is no value of the partition column \"n\"");
    check_refused(client, "table", &files, &many, "up to 32 partition columns");
    assert_int_equal(os_delta_commit(client, "table", &files, &own, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
    CHECK_SAYS(&error, "\"id\" stands in the file, too");
    assert_false(has_version(scratch, 0));
    assert_int_equal(os_delta_commit(client, "table", &files, &daily, NULL, NULL, &error), OS_COMMITTED);
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
    CHECK_SAYS(&error, "is partitioned by \"day\" and other columns, and no value is given for \"day\"");
    assert_false(has_version(scratch, 1));
    os_client_close(client);
}

/* ----------------------------------------------------------------------------------------------- others, meanwhile */

/* Another writer, who takes the next version between the list of the log and the commit. */
struct other {
    struct scratch *scratch;
    const char *text;
    atomic_bool has_come;
};

static void come_after_the_list(void *context, const os_metric *metric)
{
    struct other *other = context;
    if (metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "LIST") == 0 &&
        !atomic_exchange(&other->has_come, true))
        write_version(other->scratch, 1, other->text);
}

static os_verdict commit_beside(struct scratch *scratch, const char *text, os_delta_result *ret, os_error *err)
{
    struct other other = {.scratch = scratch, .text = text};
    os_options settings = OS_OPTIONS_INIT;
    os_delta_options options = {.size = sizeof(options), .app_id = "app", .app_version = 5};
    os_client *before = scratch_client(scratch, NULL);
    assert_int_equal(os_delta_commit(before, "table", &files, NULL, NULL, NULL, err), OS_COMMITTED);
    os_client_close(before);
    settings.metric = come_after_the_list;
    settings.metric_context = &other;
    os_client *client = scratch_client(scratch, &settings);
    os_verdict verdict = os_delta_commit(client, "table", &files, &options, NULL, ret, err);
    os_client_close(client);
    assert_true(atomic_load(&other.has_come));
    return verdict;
}

static const struct {
    const char *name;
    const char *text;
    os_verdict verdict;
    const char *says;
} meanwhile[] = {
    {"an append", "{\"add\":{\"path\":\"c.parquet\"}}\n", OS_COMMITTED, ""},
    {"a commit that removes", "{\"remove\":{\"path\":\"a.parquet\"}}\n", OS_COMMITTED, ""},
    {"an append of another application", "{\"txn\":{\"appId\":\"other\",\"version\":9}}\n", OS_COMMITTED, ""},
    {"a change of the schema", "{\"metaData\":{\"id\":\"x\"}}\n", OS_CONFLICT, "changed its schema or protocol"},
    {"a change of the protocol", "{\"protocol\":{\"minWriterVersion\":7}}\n", OS_CONFLICT,
     "changed its schema or protocol"},
    {"the same application", "{\"txn\":{\"appId\":\"app\",\"version\":5}}\n", OS_CONFLICT, "application"},
    {"an earlier version of the application", "{\"txn\":{\"appId\":\"app\",\"version\":4}}\n", OS_COMMITTED, ""},
    {"what is no entry", "no entry\n", OS_NOT_EXECUTED, "Version 1 of the table"},
};

TEST_ROWS_WITH(scratch, meanwhile, what_another_commits_meanwhile)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_error error;
    assert_int_equal(commit_beside(scratch, row->text, &result, &error), row->verdict);
    CHECK_SAYS(&error, row->says);
    assert_int_equal(result.conflicts, 1);
    assert_int_equal(result.version, row->verdict == OS_COMMITTED ? 2 : -1);
    assert_int_equal(has_version(scratch, 2), row->verdict == OS_COMMITTED);
}

/* ---------------------------------------------------------------------------------------------- numbers without end */

static void name_version(const struct scratch *scratch, const char *number, const char *text)
{
    char path[200];
    (void)snprintf(path, sizeof(path), "%s/table/_delta_log/%s.json", scratch->root, number);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int count_findings(void *context, const os_delta_finding *finding)
{
    int *counts = context;
    counts[finding->kind]++;
    return 0;
}

#define LARGEST "09223372036854775807"

TEST_WITH(scratch, there_is_nothing_behind_the_largest_version)
{
    os_client *client = scratch_client(scratch, NULL);
    os_error error;
    char hint[200];
    int counts[16] = {0};
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, &error), OS_COMMITTED);
    name_version(scratch, LARGEST, "{\"add\":{\"path\":\"far.parquet\"}}\n");
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_PROTOCOL, &error);
    CHECK_SAYS(&error, "damaged");
    CHECK_CODE(os_delta_check(client, "table", NULL, NULL, count_findings, counts, &error), OS_OK, &error);
    assert_int_equal(counts[OS_DELTA_VERSION_MISSING], 1);
    name_version(
        scratch, LARGEST,
        "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n"
        "{\"metaData\":{\"id\":\"x\",\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[{"
        "\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true}]}\",\"partitionColumns\":[]}}\n");
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "damaged"); /* a hole, whatever stands behind it */
    (void)snprintf(hint, sizeof(hint), "%s/table/_delta_log/_last_checkpoint", scratch->root);
    FILE *out = fopen(hint, "w");
    assert_non_null(out);
    assert_true(fputs("{\"version\":9223372036854775807}", out) >= 0);
    assert_int_equal(fclose(out), 0);
    name_version(scratch, LARGEST ".checkpoint", "");
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "largest version");
    os_client_close(client);
}

/* ---------------------------------------------------------------------------------------------------- no clear answer */

struct silent {
    struct scratch scratch;
    struct http_server *server;
    os_client *client;
    struct clock_reading begun;
    atomic_uint puts;
};

static const char no_objects[] = "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>"
                                 "<Prefix></Prefix><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false"
                                 "</IsTruncated></ListBucketResult>";

/* Nothing is there until the first PUT, which is not answered; then nothing can be looked at any more. */
static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct silent *silent = context;
    struct clock_reading now;
    clock_read(&now);
    unsigned second = (unsigned)(clock_elapsed_max(&silent->begun, &now) / 1000);
    bool is_put = strcmp(record->method, "PUT") == 0;
    bool lists = strstr(record->target, "list-type") != NULL;
    const char *body = lists ? no_objects : "";
    bool is_key = strstr(record->target, "/table/") != NULL;
    const char *status = lists || !is_key ? "200 OK" : "404 Not Found";
    if (is_put)
        atomic_fetch_add(&silent->puts, 1);
    if (is_put || atomic_load(&silent->puts) > 0)
        status = is_put ? "500 Internal Server Error" : "403 Forbidden";
    if (strcmp(record->method, "GET") == 0 && !lists)
        body = "<Error><Code>NoSuchKey</Code></Error>";
    buf_reset(scratch);
    buf_add_f(scratch,
              "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:%02u GMT\r\nx-amz-request-id: 1\r\nContent-Length: "
              "%zu\r\n\r\n%s",
              status, second, strlen(body), body);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void silent_set_up(struct silent *silent)
{
    scratch_set_up(&silent->scratch);
    clock_read(&silent->begun);
    const struct http_server_options server = {.respond = respond, .respond_context = silent};
    silent->server = http_server_start(&server);
    silent->client = scratch_s3_client(&silent->scratch, http_server_host(silent->server), NULL);
}

static void silent_tear_down(struct silent *silent)
{
    os_client_close(silent->client);
    http_server_stop(silent->server);
    scratch_tear_down(&silent->scratch);
}

TEST_WITH(silent, a_commit_that_nobody_can_decide_is_unknown_and_is_not_made_again)
{
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_call call = OS_CALL_INIT;
    os_error error;
    call.deadline_ms = 4000;
    os_verdict verdict = os_delta_commit(silent->client, "table", &files, NULL, &call, &result, &error);
    if (verdict != OS_UNKNOWN)
        fail_msg("%s: %s", os_verdict_name(verdict), error.message);
    assert_int_equal(atomic_load(&silent->puts), 1);
    assert_int_equal(result.version, 0);
    assert_non_null(result.ticket);
    os_delta_result again = OS_DELTA_RESULT_INIT;
    call.deadline_ms = 1000;
    assert_int_equal(os_delta_resolve(silent->client, "table", result.ticket, NULL, &call, &again, &error), OS_UNKNOWN);
    assert_int_equal(atomic_load(&silent->puts), 1);
    assert_int_equal(again.version, 0);
    os_delta_result_clear(&again);
    os_delta_result_clear(&result);
}

#define SHA256 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TABLE  "\"table\":\"s3://bucket/table\","
#define TEMP   ",\"temp\":\"_commit_x.json.tmp\""

TEST_WITH(scratch, a_ticket_of_a_log_store_needs_it)
{
    os_client *client = scratch_client(scratch, NULL);
    os_delta_result result = OS_DELTA_RESULT_INIT;
    os_error error;
    static const char ticket[] =
        "{\"delta_log_store\":1," TABLE "\"version\":7,\"temp\":\"_commit_x.json.tmp\",\"sha256\":\"" SHA256 "\"}";
    assert_int_equal(os_delta_resolve(client, "table", ticket, NULL, NULL, &result, &error), OS_UNKNOWN);
    CHECK_SAYS(&error, "name it");
    assert_int_equal(result.version, 7);
    assert_string_equal(result.ticket, ticket);
    os_delta_result_clear(&result);
    static const char *const others[] = {
        "",
        "{}",
        "{\"delta_log_store\":1," TABLE "\"version\":-1" TEMP ",\"sha256\":\"" SHA256 "\"}",
        "{\"delta_log_store\":1," TABLE "\"version\":7,\"temp\":\"../x\",\"sha256\":\"" SHA256 "\"}",
        "{\"delta_log_store\":1," TABLE "\"version\":7,\"temp\":\"_commit_\\\"x.json.tmp\",\"sha256\":\"" SHA256 "\"}",
        "{\"delta_log_store\":1," TABLE "\"version\":7,\"sha256\":\"" SHA256 "\"}",
        "{\"delta_log_store\":1," TABLE "\"version\":7" TEMP "}",
        "{\"delta_log_store\":1,\"version\":7" TEMP ",\"sha256\":\"" SHA256 "\"}",
        "{\"delta_log_store\":1," TABLE "\"version\":7" TEMP ",\"sha256\":\"0123\"}",
        "{\"delta_log_store\":1," TABLE "\"version\":7" TEMP ",\"sha256\":\"G" SHA256 "\"}",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(os_delta_resolve(client, "table", others[i], NULL, NULL, &result, &error), OS_UNKNOWN);
        assert_int_equal(error.code, OS_ERR_ARGUMENT);
        os_delta_result_clear(&result);
    }
    os_client_close(client);
}

/* ----------------------------------------------------------------------------------------------------------- check */

static int stop(void *context, const os_delta_finding *finding)
{
    assert_int_equal(finding->kind, OS_DELTA_FILE_MISSING);
    assert_int_equal(finding->version, 0);
    (*(int *)context)++;
    return 1;
}

TEST_WITH(scratch, a_check_ends_when_it_is_told_to)
{
    os_client *client = scratch_client(scratch, NULL);
    os_error error;
    int told = 0;
    CHECK_CODE(os_delta_check(client, "table", NULL, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_delta_check(client, "table", NULL, NULL, stop, &told, &error), OS_ERR_NOT_FOUND, &error);
    assert_int_equal(os_delta_commit(client, "table", &files, NULL, NULL, NULL, &error), OS_COMMITTED);
    CHECK_CODE(os_delta_check(client, "table", NULL, NULL, stop, &told, &error), OS_ERR_STOPPED, &error);
    assert_int_equal(told, 1);
    os_client_close(client);
}
