/* SPDX-License-Identifier: Apache-2.0 */
/* What writers that died have left: uploads and records, made by hand, and what os_gc finds, spares and removes. */
#include "local/file_store.h"
#include "local/file_upload.h"
#include "support/raw_service.h"
#include "support/suite.h"
#include "unit/sqlite/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAY_S = 86400, TOLD_MAX = 8, PAGE = 1000, MANY = PAGE + 7 };

static bool is_embedded(const struct fixture *f)
{
    return (f->backend->features & BACKEND_S3) == 0;
}

/* DynamoDB Local removes what its TTL allows within seconds: the records of each test are in a table without. */
static char table[96];

static os_client *open_client(struct fixture *f)
{
    static char url[128];
    os_options options = fixture_options(f);
    if (!is_embedded(f)) {
        snprintf(table, sizeof(table), "%.60s-%u", f->table, ++f->keys);
        assert_true(raw_make_table(f->ledger_endpoint, table, "path", "S", "etag"));
        snprintf(url, sizeof(url), "dynamodb://%s", table);
        options.ledger_url = url;
    }
    return fixture_client(&options);
}

/* ------------------------------------------------------------------------------------------- what is left behind */

static const char *root_of(const struct fixture *f)
{
    return f->store_url + strlen("file://");
}

static void begin_embedded(struct fixture *f, const char *key, char *ret)
{
    struct file_store *store = NULL;
    os_error error;
    CHECK_CODE(file_store_open(root_of(f), &store, &error), OS_OK, &error);
    CHECK_CODE(file_upload_create(store, key, NULL, ret, &error), OS_OK, &error);
    file_store_close(store);
}

static void begin_upload(struct fixture *f, const char *key, char *ret /* RECORD_UPLOAD_SIZE */)
{
    if (is_embedded(f)) {
        begin_embedded(f, key, ret);
        return;
    }
    struct buf answer;
    char path[256];
    buf_init(&answer, 4096);
    snprintf(path, sizeof(path), "/%s/%s?uploads=", f->bucket, key);
    assert_int_equal(raw_s3(f->store_endpoint, "POST", path, "", &answer), 200);
    const char *begin = strstr(buf_str(&answer), "<UploadId>");
    assert_non_null(begin);
    assert_int_equal(sscanf(begin, "<UploadId>%1024[^<]", ret), 1);
    buf_free(&answer);
}

struct left {
    const char *key;
    const char *upload; /* NULL: none */
    int64_t ttl_s;      /* from now on */
    int64_t fence_s;    /* the same; 0: none */
};

static void leave_in_sqlite(struct fixture *f, const struct left *left, int64_t now_s)
{
    char file[512];
    os_error error;
    struct sqlite_tables *ledger = NULL;
    struct record record;
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", root_of(f));
    memset(&record, 0, sizeof(record));
    record.generation = 7;
    record.timeout_ms = 20000;
    record.ttl_s = (uint64_t)(now_s + left->ttl_s);
    record.has_fence = left->fence_s != 0;
    record.fence_s = record.has_fence ? (uint64_t)(now_s + left->fence_s) : 0;
    record.upload = record_upload_number(left->upload ? left->upload : "");
    CHECK_CODE(sqlite_tables_open(file, NULL, &ledger, &error), OS_OK, &error);
    assert_int_equal(records_put(ledger,
                                 &(struct record_row){.path = left->key,
                                                      .etag = "*",
                                                      .record = &record,
                                                      .upload = left->upload,
                                                      .condition = &absent,
                                                      .now_s = 0},
                                 sqlite_patience_ms(10000), NULL, NULL, &error),
                     TABLE_OK);
    sqlite_tables_close(ledger);
}

static void set_number(json_t *item, const char *name, int64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld", (long long)number);
    json_object_set_new(item, name, json_pack("{s:s}", "N", text));
}

static void leave_record(struct fixture *f, const struct left *left)
{
    int64_t now_s = (int64_t)time(NULL);
    if (is_embedded(f)) {
        leave_in_sqlite(f, left, now_s);
        return;
    }
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", left->key, "etag", "S", "*",
                             "generation", "N", "7", "timeout", "N", "20000");
    set_number(item, "ttl", now_s + left->ttl_s);
    if (left->fence_s != 0)
        set_number(item, "fence", now_s + left->fence_s);
    if (left->upload)
        json_object_set_new(item, "upload", json_pack("{s:s}", "S", left->upload));
    assert_true(raw_put_item(f->ledger_endpoint, table, item));
}

/* -------------------------------------------------------------------------------------------------------- searches */

struct told {
    size_t count;
    struct {
        os_garbage_kind kind;
        os_garbage_fate fate;
        char key[128];
        char upload[1100];
        char reason[256];
    } list[TOLD_MAX];
};

static int tell(void *context, const os_garbage *garbage)
{
    struct told *told = context;
    assert_true(told->count < TOLD_MAX);
    told->list[told->count].kind = garbage->kind;
    told->list[told->count].fate = garbage->fate;
    snprintf(told->list[told->count].key, sizeof(told->list[0].key), "%s", garbage->key);
    snprintf(told->list[told->count].upload, sizeof(told->list[0].upload), "%s", garbage->upload);
    snprintf(told->list[told->count].reason, sizeof(told->list[0].reason), "%s", garbage->reason);
    told->count++;
    return 0;
}

static os_gc_result search(os_client *client, const char *prefix, uint64_t older_than_s, bool remove, struct told *told)
{
    os_gc_options options = OS_GC_OPTIONS_INIT;
    os_gc_result result = OS_GC_RESULT_INIT;
    os_error error;
    options.prefix = prefix;
    options.older_than_s = older_than_s;
    options.remove = remove;
    told->count = 0;
    CHECK_CODE(os_gc(client, &options, NULL, tell, told, &result, &error), OS_OK, &error);
    assert_true(result.date_s > (int64_t)time(NULL) - 60);
    return result;
}

/* Until the store's clock has gone on so far that what was begun just now is a second old. */
static void wait_until_old(os_client *client, const char *key)
{
    struct told told;
    os_gc_result result = {0};
    while (result.found + result.spared == 0)
        result = search(client, key, 1, false, &told);
}

static void check_told(const struct told *told, size_t index, os_garbage_kind kind, os_garbage_fate fate,
                       const char *key)
{
    assert_true(index < told->count);
    assert_string_equal(told->list[index].key, key);
    assert_int_equal(told->list[index].kind, kind);
    if (told->list[index].fate != fate)
        fail_msg("%s: fate %d: %s", key, (int)told->list[index].fate, told->list[index].reason);
    assert_int_equal(told->list[index].reason[0] == '\0', fate == OS_GARBAGE_FOUND || fate == OS_GARBAGE_REMOVED);
}

SUITE_TEST(an_abandoned_upload_is_removed_when_it_is_old_and_that_is_wanted, 0)
{
    CLOSED os_client *client = open_client(f);
    struct told told;
    char id[RECORD_UPLOAD_SIZE];
    const char *key = fixture_key(f, "abandoned");
    begin_upload(f, key, id);
    os_gc_result result = search(client, key, 0, true, &told); /* a day by default */
    assert_int_equal(result.uploads, 1);
    assert_int_equal(told.count, 0);
    wait_until_old(client, key);
    for (int twice = 0; twice < 2; twice++) { /* a dry run removes nothing */
        result = search(client, key, 1, false, &told);
        assert_int_equal(result.found, 1);
        check_told(&told, 0, OS_GARBAGE_UPLOAD, OS_GARBAGE_FOUND, key);
        assert_string_equal(told.list[0].upload, id);
    }
    result = search(client, key, 1, true, &told);
    check_told(&told, 0, OS_GARBAGE_UPLOAD, OS_GARBAGE_REMOVED, key);
    result = search(client, key, 1, true, &told);
    assert_int_equal(result.uploads, 0);
    assert_int_equal(told.count, 0);
}

SUITE_TEST(uploads_below_a_prefix_are_found_or_the_doubt_is_told, 0)
{
    bool whole = strcmp(f->backend->name, "minio") != 0;
    CLOSED os_client *client = open_client(f);
    struct told told;
    char key[96];
    char id[RECORD_UPLOAD_SIZE];
    const char *folder = fixture_key(f, "below");
    snprintf(key, sizeof(key), "%s/object", folder);
    begin_upload(f, key, id);
    wait_until_old(client, key);
    os_gc_result result = search(client, folder, 1, false, &told);
    assert_int_equal(result.listing, whole ? OS_GC_LISTING_WHOLE : OS_GC_LISTING_UNPROVEN);
    assert_int_equal(result.found, whole ? 1 : 0);
    result = search(client, "nothing/here", 1, true, &told);
    assert_int_equal(result.uploads, 0);
    assert_int_equal(result.listing, is_embedded(f) ? OS_GC_LISTING_WHOLE : OS_GC_LISTING_UNPROVEN);
}

SUITE_TEST(an_upload_is_spared_while_its_holder_may_complete_it, 0)
{
    CLOSED os_client *client = open_client(f);
    static const struct {
        const char *name;
        int64_t ttl_s, fence_s;
        bool spared;
    } cases[] = {{"fence-ahead", 7200, 3600, true},
                 {"fence-past", 3600, -60, false},
                 {"lease-ahead", 3600, 0, true},
                 {"lease-past", -60, 0, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct told told;
        char key[96];
        char id[RECORD_UPLOAD_SIZE];
        const char *folder = fixture_key(f, cases[i].name);
        snprintf(key, sizeof(key), "%s/object", folder);
        begin_upload(f, key, id);
        leave_record(f, &(struct left){key, id, cases[i].ttl_s, cases[i].fence_s});
        wait_until_old(client, key);
        os_gc_result result =
            search(client, folder, 1, true, &told); /* found by its record where lists name no prefix */
        assert_int_equal(result.uploads, 1);
        assert_int_equal(result.spared, cases[i].spared);
        assert_int_equal(result.removed, !cases[i].spared);
        check_told(&told, 0, OS_GARBAGE_UPLOAD, cases[i].spared ? OS_GARBAGE_SPARED : OS_GARBAGE_REMOVED, key);
    }
}

SUITE_TEST(a_record_that_is_long_dead_goes, 0)
{
    CLOSED os_client *client = open_client(f);
    struct told told;
    char keys[3][96];
    const char *folder = fixture_key(f, "records");
    static const int64_t ttls_s[] = {-2 * DAY_S, -DAY_S + 600, 600};
    for (size_t i = 0; i < 3; i++) {
        snprintf(keys[i], sizeof(keys[i]), "%s/%zu", folder, i);
        leave_record(f, &(struct left){keys[i], NULL, ttls_s[i], -3 * DAY_S});
    }
    os_gc_result result = search(client, folder, 0, false, &told);
    assert_int_equal(result.records, 3);
    assert_int_equal(result.found, 1);
    check_told(&told, 0, OS_GARBAGE_RECORD, OS_GARBAGE_FOUND, keys[0]);
    result = search(client, folder, 0, true, &told);
    check_told(&told, 0, OS_GARBAGE_RECORD, OS_GARBAGE_REMOVED, keys[0]);
    result = search(client, folder, 0, true, &told);
    assert_int_equal(result.records, 2);
    assert_int_equal(told.count, 0);
}

SUITE_TEST(a_dead_record_stays_while_its_upload_is_open, 0)
{
    CLOSED os_client *client = open_client(f);
    struct told told;
    char id[RECORD_UPLOAD_SIZE];
    const char *key = fixture_key(f, "open");
    begin_upload(f, key, id);
    leave_record(f, &(struct left){key, id, -2 * DAY_S, -3 * DAY_S});
    os_gc_result result = search(client, key, 0, true, &told);
    assert_int_equal(result.spared, 1); /* the upload is young */
    check_told(&told, 0, OS_GARBAGE_RECORD, OS_GARBAGE_SPARED, key);
    do { /* a dry run says of both what would become of them */
        result = search(client, key, 1, false, &told);
    } while (told.count == 1);
    assert_int_equal(result.found, 2);
    result = search(client, key, 1, true, &told);
    check_told(&told, 0, OS_GARBAGE_UPLOAD, OS_GARBAGE_REMOVED, key);
    check_told(&told, 1, OS_GARBAGE_RECORD, OS_GARBAGE_REMOVED, key);
    result = search(client, key, 1, true, &told);
    assert_int_equal(result.uploads + result.records, 0);
}

/* More than a page, and more of one key than that. */
SUITE_TEST(more_uploads_than_a_store_lists_at_once_are_removed_in_the_end, 0)
{
    if (strcmp(f->backend->name, "versitygw") != 0)
        return; /* the others take their own markers */
    CLOSED os_client *client = open_client(f);
    os_gc_options options = OS_GC_OPTIONS_INIT;
    os_gc_result result = OS_GC_RESULT_INIT;
    os_error error;
    char key[96];
    char id[RECORD_UPLOAD_SIZE];
    const char *folder = fixture_key(f, "many");
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof(key), "%s/%c", folder, i == 0 ? 'a' : i == 1 ? 'c' : 'b');
        begin_upload(f, key, id);
    }
    options.prefix = folder;
    options.older_than_s = 1;
    do {
        CHECK_CODE(os_gc(client, &options, NULL, NULL, NULL, &result, &error), OS_OK, &error);
    } while (result.found < PAGE + 2); /* that of a, a page of b, that of c */
    assert_int_equal(result.uploads, PAGE + 2);
    assert_int_equal(result.listing, OS_GC_LISTING_PARTIAL);
    options.remove = 1;
    CHECK_CODE(os_gc(client, &options, NULL, NULL, NULL, &result, &error), OS_OK, &error);
    assert_int_equal(result.removed, PAGE + 2);
    CHECK_CODE(os_gc(client, &options, NULL, NULL, NULL, &result, &error), OS_OK, &error);
    assert_int_equal(result.removed, MANY - PAGE - 2);
    assert_int_equal(result.listing, OS_GC_LISTING_WHOLE);
}

/* ------------------------------------------------------------------------------------------------ table release */

/* R14: the fence has passed, but the store may still be at the Complete; a released record would name no upload. */
SUITE_TEST(a_record_is_released_only_once_its_upload_is_gone, 0)
{
    CLOSED os_client *client = open_client(f);
    struct told told;
    os_error error;
    char id[RECORD_UPLOAD_SIZE];
    const char *key = fixture_key(f, "completing");
    begin_upload(f, key, id);
    leave_record(f, &(struct left){key, id, DAY_S, -60});
    CHECK_CODE(os_table_release(client, key, NULL, 0, NULL, &error), OS_ERR_BUSY, &error);
    CHECK_SAYS(&error, "upload");
    wait_until_old(client, key);
    assert_int_equal(search(client, key, 1, true, &told).removed, 1);
    CHECK_CODE(os_table_release(client, key, NULL, 0, NULL, &error), OS_OK, &error);

    key = fixture_key(f, "completing-forced");
    begin_upload(f, key, id);
    leave_record(f, &(struct left){key, id, DAY_S, -60});
    CHECK_CODE(os_table_release(client, key, NULL, 1, NULL, &error), OS_OK, &error);
}

static int stop(void *context, const os_garbage *garbage)
{
    (void)garbage;
    ++*(int *)context;
    return 1;
}

SUITE_TEST(the_caller_can_end_it, 0)
{
    CLOSED os_client *client = open_client(f);
    os_gc_options options = OS_GC_OPTIONS_INIT;
    os_gc_result result = OS_GC_RESULT_INIT;
    os_error error;
    int count = 0;
    char key[96];
    const char *folder = fixture_key(f, "stopped");
    for (int i = 0; i < 2; i++) {
        snprintf(key, sizeof(key), "%s/%d", folder, i);
        leave_record(f, &(struct left){key, NULL, -2 * DAY_S, 0});
    }
    options.prefix = folder;
    CHECK_CODE(os_gc(client, &options, NULL, stop, &count, &result, &error), OS_ERR_STOPPED, &error);
    assert_int_equal(count, 1);
    assert_int_equal(result.records, 2);
    options.size = 4;
    CHECK_CODE(os_gc(client, &options, NULL, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "gc", .only = "minio,versitygw,embedded"};
    return suite_main(&suite, argc, argv);
}
