/* SPDX-License-Identifier: Apache-2.0 */
/* What is the embedded default's own: a dead holder's record, a process killed while it writes, a full disk, a root
 * made twice. */
#include "support/suite.h"

#include "commit/record.h"
#include "unit/sqlite/records.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 12, VERSION_BYTES = 700000 };

SUITE_TEST(a_root_can_be_made_twice_and_moved, 0)
{
    char root[300];
    char moved[300];
    char url[320];
    fixture_path(f, "twice", root, sizeof(root));
    fixture_path(f, "moved", moved, sizeof(moved));
    os_error error;
    CHECK_CODE(os_init(root, &error), OS_OK, &error);
    CHECK_CODE(os_init(root, &error), OS_OK, &error);
    struct stat status;
    assert_int_equal(stat(root, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    snprintf(url, sizeof(url), "file://%s", root);
    os_options options = OS_OPTIONS_INIT;
    options.store_url = url;
    os_client *client = fixture_client(&options);
    CLEARED struct outcome done = create(client, "a/b", "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    os_client_close(client);
    assert_int_equal(rename(root, moved), 0);
    snprintf(url, sizeof(url), "file://%s", moved);
    client = fixture_client(&options);
    CHECK_OBJECT(client, "a/b", "x");
    CLEARED struct outcome again = create(client, "a/b", "y", NULL);
    CHECK_VERDICT(again, OS_CONFLICT);
    os_client_close(client);
}

SUITE_TEST(objects_are_plain_files, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    CLEARED struct outcome done = create(client, "plain/file.txt", "readable", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    char path[400];
    snprintf(path, sizeof(path), "%s/plain/file.txt", f->store_url + strlen("file://"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char text[32] = "";
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_string_equal(text, "readable");
}

/* A record as a process leaves it that dies between record and rename. */
static void leave_record(const struct fixture *f, const char *key, bool has_fence, uint64_t timeout_ms)
{
    char file[400];
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", f->store_url + strlen("file://"));
    struct sqlite_tables *ledger = NULL;
    os_error error;
    CHECK_CODE(sqlite_tables_open(file, NULL, &ledger, &error), OS_OK, &error);
    int64_t now_s = (int64_t)time(NULL);
    struct record record = {.generation = 41,
                            .timeout_ms = timeout_ms,
                            .ttl_s = (uint64_t)now_s + 3600,
                            .has_fence = has_fence,
                            .fence_s = has_fence ? (uint64_t)now_s + 2 : 0};
    snprintf(record.nonce, sizeof(record.nonce), "%s", "0123456789abcdef0123456789abcdef");
    struct record_condition condition = {.kind = RECORD_IF_ABSENT};
    struct record conflict;
    assert_int_equal(
        records_put(
            ledger,
            &(struct record_row){.path = key, .etag = "*", .record = &record, .condition = &condition, .now_s = now_s},
            sqlite_patience_ms(5000), &conflict, NULL, &error),
        TABLE_OK);
    sqlite_tables_close(ledger);
}

SUITE_TEST(a_dead_holders_record_is_taken_over_after_its_fence, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    uint64_t start = now_ms();
    leave_record(f, "dead-with-fence", true, 60000);
    CLEARED struct outcome done = create(client, "dead-with-fence", "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_in_range(now_ms() - start, 3000, 60000); /* fence in 1 to 2 s, margin; its lease times rate: 180 s */
    assert_true(done.result.took_over);
    assert_int_equal(done.result.generation, 42);
}

SUITE_TEST(a_dead_holders_record_without_fence_is_taken_over_after_lease_times_rate, 0)
{
    os_options options = fixture_fast_options(f); /* rate 2 */
    options.timeout_ms = 60000;                   /* were it waited for instead: two minutes */
    CLOSED os_client *client = fixture_client(&options);
    leave_record(f, "dead-without-fence", false, 1000);
    uint64_t start = now_ms();
    CLEARED struct outcome done = create(client, "dead-without-fence", "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_in_range(now_ms() - start, 2000, 60000);
    assert_true(done.result.took_over);
}

/* --------------------------------------------------------------------------------------------------- SIGKILL */

/* Replaces one object for ever: each version is one letter, many times, in a length of its own. */
static int rewrite_role(struct fixture *fixture, int argc, char **argv)
{
    os_options options = fixture_options(fixture);
    options.release = OS_RELEASE_ALWAYS;
    os_client *client = NULL;
    os_error error;
    char *data = malloc(VERSION_BYTES);
    if (argc != 1 || data == NULL || os_client_open(&options, &client, &error) != OS_OK)
        return 1;
    printf("ready\n");
    fflush(stdout);
    for (unsigned i = 0;; i++) {
        os_object object = OS_OBJECT_INIT;
        bool there = os_head(client, argv[0], NULL, &object, &error) == OS_OK;
        memset(data, 'a' + (int)(i % 26), VERSION_BYTES);
        os_body body = OS_BODY_MEMORY(data, VERSION_BYTES - i % 1000);
        os_call call = OS_CALL_INIT;
        if (there)
            os_put_if_match(client, argv[0], object.etag, &body, NULL, &call, NULL, &error);
        else
            os_put_if_absent(client, argv[0], &body, NULL, &call, NULL, &error);
    }
}

static void check_whole(os_client *client, const char *key)
{
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    os_object got = OS_OBJECT_INIT;
    os_object headed = OS_OBJECT_INIT;
    os_error error;
    os_code code = os_get(client, key, &sink, NULL, &got, &error);
    if (code == OS_ERR_NOT_FOUND)
        return; /* killed before its first version */
    CHECK_CODE(code, OS_OK, &error);
    CHECK_CODE(os_head(client, key, NULL, &headed, &error), OS_OK, &error);
    assert_true(length > VERSION_BYTES - 1000);
    assert_int_equal(got.length, length);
    const char *bytes = data;
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] != bytes[0]) {
            print_error("the object is torn at byte %zu of %zu\n", i, length);
            fail();
        }
    }
    assert_string_equal(got.etag, headed.etag);
    assert_string_equal(got.nonce, headed.nonce);
    /* The ETag is of these bytes: written again elsewhere they get the same. */
    os_body body = OS_BODY_MEMORY(data, length);
    os_object copy = OS_OBJECT_INIT;
    CHECK_CODE(os_put(client, "same-bytes", &body, NULL, NULL, &copy, &error), OS_OK, &error);
    assert_string_equal(copy.etag, got.etag);
    os_free(data);
}

SUITE_TEST(a_process_killed_at_any_instant_leaves_a_whole_object, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const char *key = fixture_key(f, "rewritten"); /* each round its own: its record need not be waited for */
        struct child child;
        const char *const arguments[] = {key, NULL};
        char line[16];
        assert_true(child_start(&child, "rewrite", arguments));
        assert_true(child_hear(&child, line, sizeof(line), 60000));
        struct timespec pause = {.tv_nsec =
                                     (long)(5 + round * 13) * 1000000L}; /* some other instant of its work each time */
        nanosleep(&pause, NULL);
        child_kill(&child);
        check_whole(client, key);
    }
}

/* ------------------------------------------------------------------------------------------------- a full disk */

static bool mount_small(const char *path)
{
    char size[] = "size=3m";
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    return mount("tmpfs", path, "tmpfs", 0, size) == 0;
}

static void say_outcome(const char *what, const struct outcome *outcome)
{
    printf("%s: %s %s\n", what, os_verdict_name(outcome->verdict), os_code_name(outcome->error.code));
    fflush(stdout);
}

static int count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.' ? 1 : 0;
    if (dir != NULL)
        closedir(dir);
    return count;
}

/* In a mount namespace of its own: a store on a file system of 3 MiB. */
static int full_disk_role(struct fixture *fixture, int argc, char **argv)
{
    (void)fixture;
    if (argc != 1 || !mount_small(argv[0])) {
        printf("no mount: %s\n", strerror(errno));
        return 0;
    }
    os_error error;
    os_client *client = NULL;
    char url[400];
    snprintf(url, sizeof(url), "file://%s/store", argv[0]);
    os_options options = OS_OPTIONS_INIT;
    options.store_url = url;
    char *data = calloc(1, 6 << 20);
    if (data == NULL || os_init(url + strlen("file://"), &error) != OS_OK ||
        os_client_open(&options, &client, &error) != OS_OK) {
        printf("no store: %s\n", error.message);
        return 1;
    }
    os_body body = OS_BODY_MEMORY(data, 6 << 20);
    struct outcome full = {.result = OS_RESULT_INIT};
    full.verdict = os_put_if_absent(client, "too-big-for-the-disk", &body, NULL, NULL, &full.result, &full.error);
    say_outcome("full", &full);
    printf("says: %s\n", full.error.message);
    printf("files: %d\n", count_files(url + strlen("file://")));
    struct outcome small = create(client, "small", "fits", NULL);
    say_outcome("small", &small);
    struct outcome next = create(client, "too-big-for-the-disk", "fits", NULL);
    say_outcome("next", &next);
    outcome_clear(&full);
    outcome_clear(&small);
    outcome_clear(&next);
    os_client_close(client);
    free(data);
    return 0;
}

SUITE_TEST(a_full_disk_is_not_executed_and_leaves_nothing, 0)
{
    char path[300];
    fixture_path(f, "small-disk", path, sizeof(path));
    assert_int_equal(mkdir(path, 0700), 0);
    struct child child;
    const char *const arguments[] = {path, NULL};
    char line[1200];
    assert_true(child_start(&child, "full-disk", arguments));
    assert_true(child_hear(&child, line, sizeof(line), 60000));
    if (strncmp(line, "no mount", 8) == 0) {
        child_wait(&child);
        fprintf(stderr, "SKIPPED: %s on embedded: %s\n", __func__, line);
        skip();
    }
    assert_string_equal(line, "full: not executed OS_ERR_NO_SPACE");
    assert_true(child_hear(&child, line, sizeof(line), 60000));
    assert_non_null(strstr(line, "too-big-for-the-disk"));
    assert_true(child_hear(&child, line, sizeof(line), 60000));
    assert_string_equal(line, "files: 0");
    assert_true(child_hear(&child, line, sizeof(line), 60000));
    assert_string_equal(line, "small: committed OS_OK");
    assert_true(child_hear(&child, line, sizeof(line), 60000));
    assert_string_equal(line, "next: committed OS_OK");
    assert_int_equal(child_wait(&child), 0);
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"rewrite", rewrite_role}, {"full-disk", full_disk_role}, {0}};
    static const struct suite suite = {.name = "embedded", .roles = roles, .only = "embedded"};
    return suite_main(&suite, argc, argv);
}
