/* SPDX-License-Identifier: Apache-2.0 */
/*
 * COPY of sources that no test store holds, up to 5 TiB (R15), played against a store that makes its answers up. What
 * was asked of it is judged afterwards: that the parts are the source, all of it and nothing else, of one version, and
 * that Complete names them. The record is one in an SQLite ledger.
 */
#include "support/http_server.h"
#include "support/suite.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GIB          ((uint64_t)1 << 30)
#define TIB          ((uint64_t)1 << 40)
#define SOURCE       "/bucket/the%20source"
#define TARGET       "/bucket/target"
#define SOURCE_ETAG  "\"0123456789abcdef0123456789abcdef-12\""
#define SOURCE_NONCE "00000000000000000000000000000001"
#define TARGET_ETAG  "\"fedcba9876543210fedcba9876543210-77\""
#define UPLOAD       "an.upload-id_of~48"
#define NONCE_HEADER "x-amz-meta-oscommit-nonce"

static const struct {
    const char *name;
    const char *value;
} carried[] = {
    {"content-type", "text/x-of-its-own; charset=utf-8"},
    {"content-encoding", "zstd"},
    {"content-language", "de, en"},
    {"content-disposition", "attachment; filename=\"a b.txt\""},
    {"cache-control", "max-age=77"},
    {"expires", "Wed, 21 Oct 2043 07:28:00 GMT"},
    {"x-amz-meta-colour", "dark blue"},
    {"x-amz-meta-size", "7"},
};
enum { CARRIED = sizeof(carried) / sizeof(carried[0]) };

enum later { LATER_SAME = 0, LATER_ETAG, LATER_DATE, LATER_LENGTH, LATER_GONE };

struct fake {
    struct http_server *server;
    os_client *client;
    uint64_t source_bytes;
    uint32_t changed_at; /* the source is another one from this part on; 0: never */
    const char *change;  /* the status by which the store says so */
    const char *code;
    bool is_nameless;    /* the source has no ETag */
    bool is_unversioned; /* nor an id */
    enum later later;    /* what a HEAD of the source shows once changed_at was copied, although no part was refused */
    bool is_late;
    pthread_mutex_t mutex;
    bool is_completed;
};

/* ------------------------------------------------------------------------------------------------ the store */

static uint32_t part_number(const struct http_server_record *record)
{
    const char *found = strstr(record->target, "partNumber=");
    unsigned long number = found ? strtoul(found + strlen("partNumber="), NULL, 10) : 0;
    return (uint32_t)number;
}

static bool is_of(const struct http_server_record *record, const char *method, const char *path, const char *query)
{
    size_t len = strlen(path);
    const char *target = record->target;
    return strcmp(record->method, method) == 0 && strncmp(target, path, len) == 0 &&
           (target[len] == '\0' || target[len] == '?') && (query == NULL || strstr(target + len, query) != NULL);
}

/* `extra`: header lines; `body` of a HEAD is only as long as it says. */
static void say(struct buf *ret, const char *status, const char *extra, const char *body)
{
    char date[64];
    struct tm utc;
    time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    buf_add_f(ret, "HTTP/1.1 %s\r\nDate: %s\r\nx-amz-request-id: 1\r\n%s", status, date, extra);
    if (body)
        buf_add_f(ret, "Content-Type: application/xml\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    else
        buf_add_str(ret, "\r\n");
}

static enum later later_of(struct fake *fake)
{
    pthread_mutex_lock(&fake->mutex);
    enum later later = fake->is_late ? fake->later : LATER_SAME;
    pthread_mutex_unlock(&fake->mutex);
    return later;
}

static void say_source(struct fake *fake, struct buf *ret)
{
    enum later later = later_of(fake);
    char length[64];
    if (later == LATER_GONE) {
        say(ret, "404 Not Found", "Content-Length: 0\r\n", NULL);
        return;
    }
    snprintf(length, sizeof(length), "Content-Length: %" PRIu64 "\r\n", fake->source_bytes + (later == LATER_LENGTH));
    say(ret, "200 OK", length, NULL);
    ret->len -= strlen("\r\n");
    if (!fake->is_nameless)
        buf_add_f(ret, "ETag: %s\r\n", later == LATER_ETAG ? TARGET_ETAG : SOURCE_ETAG);
    if (!fake->is_unversioned)
        buf_add_str(ret, "x-amz-version-id: v/17\r\n");
    buf_add_f(ret, "Last-Modified: Sat, 21 Nov 2026 1%d:00:00 GMT\r\n" NONCE_HEADER ": " SOURCE_NONCE "\r\n",
              later == LATER_DATE);
    for (size_t i = 0; i < CARRIED; i++)
        buf_add_f(ret, "%s: %s\r\n", carried[i].name, carried[i].value);
    buf_add_str(ret, "\r\n");
}

static void say_target(struct fake *fake, struct buf *ret)
{
    pthread_mutex_lock(&fake->mutex);
    bool is_there = fake->is_completed;
    pthread_mutex_unlock(&fake->mutex);
    if (is_there)
        say(ret, "200 OK",
            "Content-Length: 1\r\nETag: " TARGET_ETAG "\r\nLast-Modified: Sun, 22 Nov 2026 10:00:00 GMT\r\n", NULL);
    else
        say(ret, "404 Not Found", "Content-Length: 0\r\n", NULL);
}

static void say_part(struct fake *fake, uint32_t number, struct buf *ret)
{
    char text[256];
    bool is_changed = fake->changed_at > 0 && number >= fake->changed_at;
    pthread_mutex_lock(&fake->mutex);
    fake->is_late = fake->is_late || is_changed;
    pthread_mutex_unlock(&fake->mutex);
    if (is_changed && fake->change) {
        snprintf(text, sizeof(text), "<Error><Code>%s</Code><Message>The source is another one</Message></Error>",
                 fake->code);
        say(ret, fake->change, "", text);
        return;
    }
    snprintf(text, sizeof(text),
             "<CopyPartResult><LastModified>2026-11-22T10:00:00.000Z</LastModified><ETag>&quot;%032" PRIx32
             "&quot;</ETag></CopyPartResult>",
             number);
    say(ret, "200 OK", "", text);
}

static void complete(struct fake *fake, struct buf *ret)
{
    pthread_mutex_lock(&fake->mutex);
    fake->is_completed = true;
    pthread_mutex_unlock(&fake->mutex);
    say(ret, "200 OK", "",
        "<CompleteMultipartUploadResult><ETag>&quot;fedcba9876543210fedcba9876543210-77&quot;</ETag>"
        "</CompleteMultipartUploadResult>");
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct fake *fake = context;
    buf_reset(scratch);
    if (is_of(record, "HEAD", SOURCE, NULL))
        say_source(fake, scratch);
    else if (is_of(record, "HEAD", TARGET, NULL))
        say_target(fake, scratch);
    else if (is_of(record, "GET", SOURCE, "tagging"))
        say(scratch, "200 OK", "",
            "<Tagging><TagSet><Tag><Key>project</Key><Value>x/y</Value></Tag>"
            "<Tag><Key>kept</Key><Value>yes + no=</Value></Tag></TagSet></Tagging>");
    else if (is_of(record, "POST", TARGET, "uploads"))
        say(scratch, "200 OK", "",
            "<InitiateMultipartUploadResult><UploadId>" UPLOAD "</UploadId></InitiateMultipartUploadResult>");
    else if (is_of(record, "PUT", TARGET, "uploadId=" UPLOAD))
        say_part(fake, part_number(record), scratch);
    else if (is_of(record, "POST", TARGET, "uploadId=" UPLOAD))
        complete(fake, scratch);
    else if (is_of(record, "DELETE", TARGET, "uploadId=" UPLOAD))
        say(scratch, "204 No Content", "", NULL);
    else if (is_of(record, "GET", TARGET, "uploadId=" UPLOAD))
        say(scratch, "404 Not Found", "", "<Error><Code>NoSuchUpload</Code><Message>It is gone</Message></Error>");
    else
        say(scratch, strcmp(record->method, "HEAD") == 0 ? "200 OK" : "501 Not Implemented", "Content-Length: 0\r\n",
            NULL);
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void fake_open(struct fake *fake, struct fixture *f, uint64_t source_bytes)
{
    char ledger[512];
    char path[512];
    char endpoint[64];
    os_error error;
    memset(fake, 0, sizeof(*fake));
    fake->source_bytes = source_bytes;
    pthread_mutex_init(&fake->mutex, NULL);
    struct http_server_options server = {.respond = respond, .respond_context = fake};
    fake->server = http_server_start(&server);
    snprintf(endpoint, sizeof(endpoint), "http://%s", http_server_host(fake->server));
    fixture_path(f, fixture_key(f, "ledger"), path, sizeof(path));
    snprintf(ledger, sizeof(ledger), "sqlite://%.500s", path);
    os_options options = fixture_options(f);
    options.store_url = "s3://bucket";
    options.s3_endpoint = endpoint;
    options.s3_region = "us-east-1";
    options.access_key_id = "AKIDEXAMPLE";
    options.secret_access_key = "of-no-store";
    options.ledger_url = ledger;
    options.guard = OS_GUARD_RECORD;
    fake->client = fixture_client(&options);
    CHECK_CODE(os_table_create(fake->client, NULL, &error), OS_OK, &error);
}

static void fake_close(struct fake *fake)
{
    os_client_close(fake->client);
    http_server_stop(fake->server);
    pthread_mutex_destroy(&fake->mutex);
}

static struct outcome copy_source(struct fake *fake)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 600000; /* ten thousand requests, on a machine that may be busy */
    return copy(fake->client, "the source", "target", &call);
}

/* ------------------------------------------------------------------------------------------------ the judgement */

static size_t count(const struct fake *fake, const char *method, const char *path, const char *query)
{
    size_t found = 0;
    for (size_t i = 0; i < http_server_count(fake->server); i++)
        found += is_of(http_server_record(fake->server, i), method, path, query);
    return found;
}

static const struct http_server_record *the_only(const struct fake *fake, const char *method, const char *query)
{
    const struct http_server_record *only = NULL;
    assert_int_equal(count(fake, method, TARGET, query), 1);
    for (size_t i = 0; only == NULL; i++) {
        const struct http_server_record *record = http_server_record(fake->server, i);
        only = is_of(record, method, TARGET, query) ? record : NULL;
    }
    return only;
}

static void check_header(const struct http_server_record *record, const char *name, const char *value)
{
    const char *sent = http_headers_get(&record->headers, name);
    if (sent == NULL || strcmp(sent, value) != 0)
        fail_msg("%s is sent as %s, not %s", name, sent ? sent : "nothing", value);
}

/* A part comes from exactly the version that was looked at, and has the bytes that the plan gives to its number. */
static void check_part(const struct http_server_record *record, uint64_t source_bytes, uint64_t part_bytes)
{
    uint64_t first = (part_number(record) - 1) * part_bytes;
    uint64_t end = first + part_bytes < source_bytes ? first + part_bytes : source_bytes;
    char range[64];
    snprintf(range, sizeof(range), "bytes=%" PRIu64 "-%" PRIu64, first, end - 1);
    check_header(record, "x-amz-copy-source-range", range);
    check_header(record, "x-amz-copy-source", "/bucket/the%20source?versionId=v%2F17");
    check_header(record, "x-amz-copy-source-if-match", SOURCE_ETAG);
}

/* Each of the parts 1 to `parts` once, without a gap, to the last byte of the source. */
static void check_parts(const struct fake *fake, uint32_t parts, uint64_t part_bytes)
{
    static bool seen[10001];
    memset(seen, 0, sizeof(seen));
    assert_true((parts - 1) * part_bytes < fake->source_bytes && fake->source_bytes <= parts * part_bytes);
    for (size_t i = 0; i < http_server_count(fake->server); i++) {
        const struct http_server_record *record = http_server_record(fake->server, i);
        if (!is_of(record, "PUT", TARGET, NULL))
            continue;
        assert_in_range(part_number(record), 1, parts);
        assert_false(seen[part_number(record)]);
        seen[part_number(record)] = true;
        check_part(record, fake->source_bytes, part_bytes);
    }
    assert_int_equal(count(fake, "PUT", TARGET, NULL), parts);
}

static void check_created(const struct fake *fake)
{
    const struct http_server_record *record = the_only(fake, "POST", "uploads");
    for (size_t i = 0; i < CARRIED; i++)
        check_header(record, carried[i].name, carried[i].value);
    check_header(record, "x-amz-tagging", "project=x%2Fy&kept=yes%20%2B%20no%3D");
    const char *nonce = http_headers_get(&record->headers, NONCE_HEADER);
    assert_non_null(nonce);
    assert_int_equal(strlen(nonce), 32);
    assert_string_not_equal(nonce, SOURCE_NONCE);
    size_t nonces = 0;
    for (size_t i = 0; i < record->headers.count; i++)
        nonces += strcmp(record->headers.list[i].name, NONCE_HEADER) == 0;
    assert_int_equal(nonces, 1);
}

/* The ETags as the store gave them, in order; whether a quote is escaped is the writer's choice. */
static void check_completed(const struct fake *fake, uint32_t parts)
{
    const char *at = the_only(fake, "POST", "uploadId")->body;
    char expected[128];
    for (uint32_t number = 1; number <= parts; number++) {
        snprintf(expected, sizeof(expected), "<Part><PartNumber>%" PRIu32 "</PartNumber>", number);
        at = strstr(at, "<Part>");
        if (at == NULL || strncmp(at, expected, strlen(expected)) != 0)
            fail_msg("Complete does not name part %" PRIu32 " behind the one before it", number);
        at += strlen(expected);
        snprintf(expected, sizeof(expected), "%032" PRIx32, number);
        const char *etag = strstr(at, expected);
        if (etag == NULL || etag > strstr(at, "</Part>"))
            fail_msg("Complete names part %" PRIu32 " without its ETag", number);
    }
    assert_null(strstr(at, "<Part>"));
}

static void check_copy(struct fixture *f, uint64_t source_bytes, uint32_t parts, uint64_t part_bytes)
{
    struct fake fake;
    fake_open(&fake, f, source_bytes);
    struct outcome outcome = copy_source(&fake);
    CHECK_VERDICT(outcome, OS_COMMITTED);
    assert_string_equal(outcome.result.etag, TARGET_ETAG);
    assert_string_equal(outcome.result.request, "CompleteMultipartUpload");
    assert_int_equal(outcome.result.guard, OS_GUARD_RECORD);
    assert_int_equal(outcome.result.attempts, 1);
    assert_true(outcome.result.generation > 0);
    check_created(&fake);
    check_parts(&fake, parts, part_bytes);
    check_completed(&fake, parts);
    assert_int_equal(count(&fake, "DELETE", TARGET, NULL), 0);
    outcome_clear(&outcome);
    fake_close(&fake);
}

/* ------------------------------------------------------------------------------------------------ the tests */

SUITE_TEST(a_source_of_six_gib_is_copied_in_parts, 0)
{
    check_copy(f, 6 * GIB, 12, GIB / 2);
}

SUITE_TEST(the_last_part_may_be_one_byte, 0)
{
    check_copy(f, 5 * GIB + 1, 11, GIB / 2);
}

/* 5 TiB / 10,000, rounded up to a whole page. */
SUITE_TEST(five_tib_take_ten_thousand_larger_parts, 0)
{
    check_copy(f, 5 * TIB, 10000, 549756928);
}

SUITE_TEST(a_source_over_five_tib_is_refused_before_anything_is_made, 0)
{
    struct fake fake;
    fake_open(&fake, f, 5 * TIB + 1);
    struct outcome outcome = copy_source(&fake);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_TOO_LARGE);
    assert_int_equal(count(&fake, "POST", TARGET, NULL), 0);
    assert_int_equal(count(&fake, "PUT", TARGET, NULL), 0);
    outcome_clear(&outcome);
    fake_close(&fake);
}

/* R1.4: each part has the pin. Some stores say what is wrong inside a 200. */
static const struct change {
    const char *status;
    const char *code;
    const char *says;
} changes[] = {
    {"412 Precondition Failed", "PreconditionFailed", "was changed while it was being copied to target"},
    {"200 OK", "PreconditionFailed", "was changed while it was being copied to target"},
    {"404 Not Found", "NoSuchKey", "was removed while it was being copied to target"},
    {"200 OK", "NoSuchKey", "was removed while it was being copied to target"},
};

static void check_changed(struct fixture *f, const struct change *change, uint32_t part)
{
    struct fake fake;
    fake_open(&fake, f, 6 * GIB);
    fake.changed_at = part;
    fake.change = change->status;
    fake.code = change->code;
    struct outcome outcome = copy_source(&fake);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_SOURCE);
    CHECK_SAYS(&outcome.error, change->says);
    assert_int_equal(count(&fake, "POST", TARGET, "uploadId"), 0);
    the_only(&fake, "DELETE", "uploadId=" UPLOAD);
    outcome_clear(&outcome);
    fake_close(&fake);
}

SUITE_TEST(a_source_that_changes_meanwhile_is_not_copied_and_its_upload_is_aborted, 0)
{
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        check_changed(f, &changes[i], 7);
        check_changed(f, &changes[i], 12); /* by the last one alone */
    }
}

/* R15.8: a store that ignores the pin of a part. */
static void check_ignored(struct fixture *f, enum later later, bool is_unversioned, os_verdict verdict)
{
    struct fake fake;
    fake_open(&fake, f, 6 * GIB);
    fake.changed_at = 7;
    fake.later = later;
    fake.is_unversioned = is_unversioned;
    struct outcome outcome = copy_source(&fake);
    CHECK_VERDICT(outcome, verdict);
    if (verdict != OS_COMMITTED) {
        CHECK_ERROR(outcome, OS_ERR_SOURCE);
        CHECK_SAYS(&outcome.error, "while it was being copied to target; nothing was written");
        the_only(&fake, "DELETE", "uploadId=" UPLOAD);
    }
    assert_int_equal(count(&fake, "POST", TARGET, "uploadId"), verdict == OS_COMMITTED);
    outcome_clear(&outcome);
    fake_close(&fake);
}

SUITE_TEST(a_source_that_nobody_pins_is_looked_at_once_more, 0)
{
    for (enum later later = LATER_ETAG; later <= LATER_GONE; later++)
        check_ignored(f, later, true, OS_NOT_EXECUTED);
    check_ignored(f, LATER_SAME, true, OS_COMMITTED);
    check_ignored(f, LATER_ETAG, false, OS_COMMITTED); /* another version: this one is named by its id */
}

/* R1.4: nothing would keep the parts of two versions apart, or tell how long it takes to copy another one. */
SUITE_TEST(a_source_that_nothing_can_pin_is_not_copied, 0)
{
    static const uint64_t lengths[] = {5, 6 * GIB};
    for (size_t i = 0; i < 2; i++) {
        struct fake fake;
        fake_open(&fake, f, lengths[i]);
        fake.is_nameless = true;
        struct outcome outcome = copy_source(&fake);
        CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
        CHECK_ERROR(outcome, OS_ERR_PROTOCOL);
        CHECK_SAYS(&outcome.error, "without an ETag");
        assert_int_equal(count(&fake, "POST", TARGET, NULL), 0);
        assert_int_equal(count(&fake, "PUT", TARGET, NULL), 0);
        outcome_clear(&outcome);
        fake_close(&fake);
    }
}

SUITE_TEST(what_is_there_already_costs_no_upload, 0)
{
    struct fake fake;
    fake_open(&fake, f, 6 * GIB);
    fake.is_completed = true;
    struct outcome outcome = copy_source(&fake);
    CHECK_VERDICT(outcome, OS_CONFLICT);
    assert_string_equal(outcome.result.found_etag, TARGET_ETAG);
    assert_int_equal(count(&fake, "POST", TARGET, NULL), 0);
    outcome_clear(&outcome);
    fake_close(&fake);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "copies of large sources", .only = "embedded"};
    return suite_main(&suite, argc, argv);
}
