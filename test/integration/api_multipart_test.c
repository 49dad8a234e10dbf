/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that go in parts before they are guarded (R15), without faults: from memory, files and streams; and what is
 * left behind of a call that comes to nothing. */
#include "support/big_body.h"
#include "support/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static os_client *open_small_parts(const struct fixture *f)
{
    os_options options = fixture_options(f);
    options.part_size = 5 * MIB;
    options.release = OS_RELEASE_ALWAYS;
    return fixture_client(&options);
}

/* What the object has, which is what a writer goes on with. */
static void check_etag(const struct fixture *f, os_client *client, const char *key, const char *told, char *ret)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    if (f->backend->features & BACKEND_UPLOAD_ETAGS)
        assert_string_equal(object.etag, told);
    memcpy(ret, object.etag, sizeof(object.etag));
}

static void check_committed(const struct fixture *f, os_client *client, const char *key, const struct outcome *outcome,
                            size_t length)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_VERDICT(*outcome, OS_COMMITTED);
    assert_string_equal(outcome->result.rule, "R9");
    assert_string_equal(outcome->result.request, "CompleteMultipartUpload");
    assert_int_equal(outcome->result.guard, OS_GUARD_RECORD);
    assert_int_equal(outcome->result.attempts, 1);
    check_big(client, key, length);
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(strlen(object.nonce), 32);
    assert_int_equal(open_uploads(f, key), 0);
}

/* ------------------------------------------------------------------------------------------------ committed */

SUITE_TEST(a_large_body_is_created_and_replaced_in_parts, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    size_t length = 20 * MIB + 1;
    void *bytes = big_memory(length);
    const char *key = fixture_key(f, "staged");
    os_body body = OS_BODY_MEMORY(bytes, length);
    CLEARED struct outcome made = put_absent(client, key, &body, NULL);
    check_committed(f, client, key, &made, length);
    char etag[128];
    check_etag(f, client, key, made.result.etag, etag);

    CLEARED struct outcome lost = put_absent(client, key, &body, NULL);
    CHECK_VERDICT(lost, OS_CONFLICT);
    CHECK_ERROR(lost, OS_ERR_CONFLICT);
    assert_string_equal(lost.result.found_etag, etag);
    assert_string_equal(lost.result.rule, "R1");
    assert_int_equal(lost.result.requests, 1); /* no byte was staged */

    body.length = 12 * MIB;
    CLEARED struct outcome replaced = {.result = OS_RESULT_INIT};
    replaced.verdict = os_put_if_match(client, key, etag, &body, NULL, NULL, &replaced.result, &replaced.error);
    check_committed(f, client, key, &replaced, 12 * MIB);
    CLEARED struct outcome stale = {.result = OS_RESULT_INIT};
    stale.verdict = os_put_if_match(client, key, etag, &body, NULL, NULL, &stale.result, &stale.error);
    CHECK_VERDICT(stale, OS_CONFLICT);
    CLEARED struct outcome absent = {.result = OS_RESULT_INIT};
    absent.verdict = os_put_if_match(client, "not/there", etag, &body, NULL, NULL, &absent.result, &absent.error);
    CHECK_VERDICT(absent, OS_CONFLICT);
    assert_string_equal(absent.result.found_etag, "");
    free(bytes);
}

enum { HUNDRED = 100 << 20 };

SUITE_TEST(a_hundred_mib_are_put_from_memory, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    void *bytes = big_memory(HUNDRED);
    const char *key = fixture_key(f, "memory");
    os_body body = OS_BODY_MEMORY(bytes, HUNDRED);
    CLEARED struct outcome outcome = put_absent(client, key, &body, NULL);
    check_committed(f, client, key, &outcome, HUNDRED);
    free(bytes);
}

SUITE_TEST(a_hundred_mib_are_put_from_a_file, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    char path[320];
    const char *key = fixture_key(f, "file");
    fixture_path(f, "hundred", path, sizeof(path));
    big_file(path, HUNDRED);
    os_body body = OS_BODY_FILE(path);
    struct outcome outcome = put_absent(client, key, &body, NULL);
    check_committed(f, client, key, &outcome, HUNDRED);
    outcome_clear(&outcome);
    assert_int_equal(unlink(path), 0);
}

struct heard {
    uint64_t done;
    uint64_t total;
    unsigned calls;
    bool backwards;
};

static void hear(void *context, uint64_t done, uint64_t total)
{
    struct heard *heard = context;
    heard->backwards = heard->backwards || done < heard->done;
    heard->done = done;
    heard->total = total;
    heard->calls++;
}

SUITE_TEST(a_hundred_mib_are_put_from_a_stream_and_progress_is_told, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    struct big_stream stream = {.length = HUNDRED};
    struct heard heard = {0};
    os_call call = OS_CALL_INIT;
    const char *key = fixture_key(f, "stream");
    os_body body = big_stream_body(&stream);
    call.progress = hear;
    call.progress_context = &heard;
    CLEARED struct outcome outcome = put_absent(client, key, &body, &call);
    check_committed(f, client, key, &outcome, HUNDRED);
    assert_true(heard.calls > 0);
    assert_false(heard.backwards);
    assert_int_equal(heard.done, HUNDRED);
    assert_int_equal(heard.total, HUNDRED);
}

/* On both sides of what fits into one request, and of what fits into whole parts. */
SUITE_TEST(a_stream_of_any_length_is_put, 0)
{
    static const struct {
        size_t length;
        const char *request;
    } cases[] = {
        {0, "PutObject"},
        {1, "PutObject"},
        {6 * MIB, "PutObject"},
        {6 * MIB + 1, "CompleteMultipartUpload"},
        {10 * MIB, "CompleteMultipartUpload"},
        {10 * MIB + 1, "CompleteMultipartUpload"},
    };
    os_options options = fixture_options(f);
    options.part_size = 5 * MIB;
    options.stage_above = 6 * MIB;
    options.parts_at_once = 1;
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct big_stream stream = {.length = cases[i].length};
        os_body body = big_stream_body(&stream);
        const char *key = fixture_key(f, "any");
        CLEARED struct outcome outcome = put_absent(client, key, &body, NULL);
        CHECK_VERDICT(outcome, OS_COMMITTED);
        assert_string_equal(outcome.result.request, cases[i].request);
        check_big(client, key, cases[i].length);
        assert_int_equal(open_uploads(f, key), 0);
    }
}

SUITE_TEST(content_headers_and_metadata_go_with_the_upload, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    void *bytes = big_memory(9 * MIB);
    os_body body = OS_BODY_MEMORY(bytes, 9 * MIB);
    os_metadata metadata[] = {{"colour", "blue"}};
    os_put_options put = OS_PUT_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error error;
    const char *key = fixture_key(f, "headers");
    put.content_type = "text/x-test";
    put.metadata = metadata;
    put.metadata_count = 1;
    assert_int_equal(os_put_if_absent(client, key, &body, &put, NULL, &result, &error), OS_COMMITTED);
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(object.content_type, "text/x-test");
    assert_int_equal(object.length, 9 * MIB);
    os_result_clear(&result);
    free(bytes);
}

SUITE_TEST(a_stream_is_put_without_a_guard, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    static const size_t lengths[] = {0, 1000, 12 * MIB};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct big_stream stream = {.length = lengths[i]};
        os_body body = big_stream_body(&stream);
        os_object made = OS_OBJECT_INIT;
        os_object found = OS_OBJECT_INIT;
        os_error error;
        const char *key = fixture_key(f, "plain");
        CHECK_CODE(os_put(client, key, &body, NULL, NULL, &made, &error), OS_OK, &error);
        check_big(client, key, lengths[i]);
        char etag[128];
        check_etag(f, client, key, made.etag, etag);
        CHECK_CODE(os_head(client, key, NULL, &found, &error), OS_OK, &error);
        assert_int_equal(made.length, lengths[i]);
        assert_string_equal(found.nonce, "");
        assert_int_equal(open_uploads(f, key), 0);
    }
}

/* ------------------------------------------------------------------------------------------------ nothing left behind
 */

struct rival {
    os_client *client;
    const char *key;
};

static void create_first(void *context)
{
    const struct rival *rival = context;
    CLEARED struct outcome outcome = create(rival->client, rival->key, "first", NULL);
    CHECK_VERDICT(outcome, OS_COMMITTED);
}

SUITE_TEST(a_race_that_is_lost_while_parts_are_sent_leaves_no_upload, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    const char *key = fixture_key(f, "lost");
    struct rival rival = {open_small_parts(f), key};
    struct big_stream stream = {.length = 15 * MIB, .at = 12 * MIB, .meanwhile = create_first, .context = &rival};
    os_body body = big_stream_body(&stream);
    struct outcome outcome = put_absent(client, key, &body, NULL);
    CHECK_VERDICT(outcome, OS_CONFLICT);
    assert_int_equal(outcome.result.attempts, 0);
    CHECK_OBJECT(client, key, "first");
    assert_int_equal(open_uploads(f, key), 0);
    outcome_clear(&outcome);
    os_client_close(rival.client);
}

static void trigger(void *context)
{
    os_cancel_trigger(context);
}

SUITE_TEST(a_call_that_is_cancelled_while_parts_are_sent_leaves_no_upload, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    os_cancel *cancel = NULL;
    os_call call = OS_CALL_INIT;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    const char *key = fixture_key(f, "cancelled");
    struct big_stream stream = {.length = UINT64_C(1) << 50, .at = 12 * MIB, .meanwhile = trigger, .context = cancel};
    os_body body = big_stream_body(&stream);
    call.cancel = cancel;
    struct outcome outcome = put_absent(client, key, &body, &call);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_CANCELLED);
    CHECK_SAYS(&outcome.error, key);
    CHECK_ABSENT(client, key);
    assert_int_equal(open_uploads(f, key), 0);
    outcome_clear(&outcome);
    os_cancel_free(cancel);
}

SUITE_TEST(a_deadline_that_passes_while_parts_are_sent_leaves_no_upload, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    os_call call = OS_CALL_INIT;
    const char *key = fixture_key(f, "deadline");
    struct big_stream endless = {.length = UINT64_C(1) << 50};
    os_body body = big_stream_body(&endless);
    call.deadline_ms = 1500;
    uint64_t start = now_ms();
    CLEARED struct outcome outcome = put_absent(client, key, &body, &call);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_DEADLINE);
    assert_in_range(now_ms() - start, 1500, 60000);
    CHECK_ABSENT(client, key);
    assert_int_equal(open_uploads(f, key), 0);
}

SUITE_TEST(a_stream_that_breaks_off_is_not_executed_and_leaves_no_upload, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    static const size_t lengths[] = {1 * MIB, 12 * MIB};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct big_stream stream = {.length = lengths[i], .breaks = true};
        os_body body = big_stream_body(&stream);
        os_error error;
        const char *key = fixture_key(f, "broken");
        struct outcome outcome = put_absent(client, key, &body, NULL);
        CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
        CHECK_ERROR(outcome, OS_ERR_BODY);
        outcome_clear(&outcome);
        stream.offset = 0;
        CHECK_CODE(os_put(client, key, &body, NULL, NULL, NULL, &error), OS_ERR_BODY, &error);
        CHECK_ABSENT(client, key);
        assert_int_equal(open_uploads(f, key), 0);
    }
}

struct cut {
    char path[320];
    bool done;
};

static void cut_file(void *context, uint64_t done, uint64_t total)
{
    struct cut *cut = context;
    (void)done;
    (void)total;
    if (!cut->done)
        assert_int_equal(truncate(cut->path, 17 * (off_t)MIB), 0);
    cut->done = true;
}

SUITE_TEST(a_file_that_shrinks_while_it_is_read_is_not_executed, BACKEND_S3)
{
    os_options options = fixture_options(f);
    options.part_size = 5 * MIB;
    options.parts_at_once = 1; /* one part is sent, one is read ahead: the third is cut */
    CLOSED os_client *client = fixture_client(&options);
    os_call call = OS_CALL_INIT;
    struct cut cut = {.done = false};
    const char *key = fixture_key(f, "shrinks");
    fixture_path(f, "shrinks", cut.path, sizeof(cut.path));
    big_file(cut.path, 40 * MIB);
    os_body body = OS_BODY_FILE(cut.path);
    call.progress = cut_file;
    call.progress_context = &cut;
    CLEARED struct outcome outcome = put_absent(client, key, &body, &call);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_BODY);
    CHECK_SAYS(&outcome.error, cut.path);
    CHECK_ABSENT(client, key);
    assert_int_equal(open_uploads(f, key), 0);
}

/* ------------------------------------------------------------------------------------------------ killed */

static void die(void *context)
{
    (void)context;
    raise(SIGKILL);
}

static int die_role(struct fixture *f, int argc, char **argv)
{
    struct big_stream stream = {.length = 40 * MIB, .at = 30 * MIB, .meanwhile = die};
    os_body body = big_stream_body(&stream);
    if (argc != 1)
        return 1;
    os_client *client = open_small_parts(f);
    os_put_if_absent(client, argv[0], &body, NULL, NULL, NULL, NULL);
    return 1;
}

SUITE_TEST(a_writer_that_is_killed_leaves_an_upload_that_hinders_nobody, 0)
{
    CLOSED os_client *client = open_small_parts(f);
    struct child child;
    const char *key = fixture_key(f, "killed");
    const char *const arguments[] = {key, NULL};
    fixture_export(f);
    assert_true(child_start(&child, "die", arguments));
    assert_int_equal(child_wait(&child), 128 + SIGKILL);
    assert_int_equal(open_uploads(f, key), 1);
    CHECK_ABSENT(client, key);
    CLEARED struct outcome outcome = create(client, key, "alive", NULL);
    CHECK_VERDICT(outcome, OS_COMMITTED);
    assert_int_equal(outcome.result.guards, 1);
    CHECK_OBJECT(client, key, "alive");
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"die", die_role}, {0}};
    static const struct suite suite = {.name = "multipart uploads", .roles = roles, .needs = BACKEND_UPLOADS};
    return suite_main(&suite, argc, argv);
}
