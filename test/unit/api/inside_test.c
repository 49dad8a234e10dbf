/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from within the caller's own functions. Where those run on a thread of the client, the call would wait for
 * itself: it is refused at once. Where they run on the calling thread, it is a call like any other. A hang ends the
 * program (alarm).
 */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"
#include "unit/loop/on_loop.h"

#include "oscommit_lease.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANG_S = 1500 };

/* What a callback does, once, and what came of it. Its checks are made by the test, on the test's own thread. */
struct within {
    os_client *client;
    int tried;
    int wrong;
    char first_wrong[1200];
};

static void note(struct within *within, const char *name, bool refused, const os_error *error)
{
    if (refused && error->code == OS_ERR_ARGUMENT && strstr(error->message, "callback"))
        return;
    if (within->wrong++ == 0)
        snprintf(within->first_wrong, sizeof(within->first_wrong), "%s: %s", name, error->message);
}

static int no_object(void *context, const os_object *object)
{
    (void)context;
    (void)object;
    return 0;
}

static int no_record(void *context, const os_record *record)
{
    (void)context;
    (void)record;
    return 0;
}

static void try_plain(struct within *within)
{
    os_client *client = within->client;
    os_error error = {0};
    os_body body = OS_BODY_MEMORY("x", 1);
    void *data = NULL;
    size_t length = 0;
    char *profile = NULL;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    note(within, "os_head", os_head(client, "k", NULL, NULL, &error) != OS_OK, &error);
    note(within, "os_head_version", os_head_version(client, "k", "v", NULL, NULL, &error) != OS_OK, &error);
    note(within, "os_get", os_get(client, "k", &sink, NULL, NULL, &error) != OS_OK, &error);
    note(within, "os_put", os_put(client, "k", &body, NULL, NULL, NULL, &error) != OS_OK, &error);
    note(within, "os_delete", os_delete(client, "k", NULL, &error) != OS_OK, &error);
    note(within, "os_list", os_list(client, NULL, NULL, no_object, NULL, &error) != OS_OK, &error);
    note(within, "os_table_create", os_table_create(client, NULL, &error) != OS_OK, &error);
    note(within, "os_table_check", os_table_check(client, NULL, &error) != OS_OK, &error);
    note(within, "os_table_list", os_table_list(client, NULL, NULL, no_record, NULL, &error) != OS_OK, &error);
    note(within, "os_table_release", os_table_release(client, "k", NULL, 1, NULL, &error) != OS_OK, &error);
    note(within, "os_lease_table_create", os_lease_table_create(client, NULL, &error) != OS_OK, &error);
    note(within, "os_lease_table_check", os_lease_table_check(client, NULL, &error) != OS_OK, &error);
    note(within, "os_lock_table_create", os_lock_table_create(client, NULL, &error) != OS_OK, &error);
    note(within, "os_lock_table_check", os_lock_table_check(client, NULL, &error) != OS_OK, &error);
    note(within, "os_gc", os_gc(client, NULL, NULL, NULL, NULL, NULL, &error) != OS_OK, &error);
    note(within, "os_store_probe", os_store_probe(client, NULL, NULL, &profile, &error) != OS_OK, &error);
}

static int no_change(void *context, const os_current *current, os_body *ret)
{
    (void)context;
    (void)current;
    (void)ret;
    return 0;
}

static void try_guarded(struct within *within)
{
    os_client *client = within->client;
    os_error error = {0};
    os_body body = OS_BODY_MEMORY("x", 1);
    const os_verdict no = OS_NOT_EXECUTED;
    note(within, "put_if_absent", os_put_if_absent(client, "k", &body, NULL, NULL, NULL, &error) == no, &error);
    note(within, "put_if_match", os_put_if_match(client, "k", "\"e\"", &body, NULL, NULL, NULL, &error) == no, &error);
    note(within, "copy", os_copy_if_not_exists(client, "a", "b", NULL, NULL, NULL, &error) == no, &error);
    note(within, "copy_if_match", os_copy_if_match(client, "a", "b", "\"e\"", NULL, NULL, NULL, &error) == no, &error);
    note(within, "rename", os_rename_if_not_exists(client, "a", "b", NULL, NULL, NULL, &error) == no, &error);
    note(within, "delete_if_match", os_delete_if_match(client, "k", "\"e\"", NULL, NULL, &error) == no, &error);
    note(within, "update", os_update(client, "k", no_change, NULL, NULL, NULL, NULL, &error) == no, &error);
    note(within, "resolve", os_resolve(client, "{}", NULL, NULL, &error) == OS_UNKNOWN, &error);
}

static void try_all(struct within *within)
{
    if (within->client == NULL || within->tried++ > 0)
        return;
    try_plain(within);
    try_guarded(within);
    os_client_close(within->client); /* does nothing: the call that this one is in goes on */
}

static void check_refused(const struct within *within)
{
    assert_true(within->tried > 0);
    if (within->wrong > 0)
        fail_msg("%d were not refused; %s", within->wrong, within->first_wrong);
}

/* ------------------------------------------------------------------------------------------------ the callbacks */

static void on_log(void *context, os_log_level level, const char *line)
{
    (void)level;
    (void)line;
    try_all(context);
}

static void on_request(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_REQUEST)
        try_all(context);
}

static void on_guarded(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_GUARDED)
        try_all(context);
}

static void on_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    (void)done_bytes;
    (void)total_bytes;
    try_all(context);
}

static int on_bytes(void *context, const void *data, size_t length)
{
    (void)data;
    (void)length;
    try_all(context);
    return 0;
}

static int on_credentials(void *context, os_credentials *ret)
{
    try_all(context);
    ret->access_key_id = "key";
    ret->secret_access_key = "secret";
    return 0;
}

struct kind {
    const char *name;
    os_log_fn log;
    os_metric_fn metric;
    os_credentials_fn credentials;
    os_progress_fn progress;
    os_sink_fn sink;
};
static const struct kind kinds[] = {
    {.name = "log", .log = on_log},
    {.name = "metric of a request", .metric = on_request},
    {.name = "metric of a guarded call", .metric = on_guarded},
    {.name = "progress", .progress = on_progress},
    {.name = "sink", .sink = on_bytes},
    {.name = "credentials", .credentials = on_credentials},
};

static void options_of(const struct kind *kind, struct within *within, os_options *ret)
{
    *ret = (os_options)OS_OPTIONS_INIT;
    ret->log = kind->log;
    ret->log_context = within;
    ret->log_level = OS_LOG_DEBUG;
    ret->metric = kind->metric;
    ret->metric_context = within;
    ret->credentials = kind->credentials;
    ret->credentials_context = within;
}

/* A guarded write and a read with callbacks of this kind; both succeed. */
static void use_with(os_client *client, const struct kind *kind, struct within *within)
{
    os_call call = OS_CALL_INIT;
    os_sink sink = OS_SINK_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error = {0};
    void *data = NULL;
    size_t length = 0;
    call.progress = kind->progress;
    call.progress_context = within;
    sink.write = kind->sink;
    sink.write_context = within;
    sink.ret_data = kind->sink ? NULL : &data;
    sink.ret_length = kind->sink ? NULL : &length;
    within->client = client;
    assert_int_equal(os_put_if_absent(client, "k", &body, NULL, &call, NULL, &error), OS_COMMITTED);
    CHECK_CODE(os_get(client, "k", &sink, NULL, NULL, &error), OS_OK, &error);
    os_free(data);
    os_client_close(client);
    check_refused(within);
}

TEST(a_call_from_a_callback_of_an_embedded_client_is_refused_at_once)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct within within = {0};
        os_options options;
        if (kinds[i].credentials)
            continue; /* it needs none */
        print_message("%s\n", kinds[i].name);
        struct scratch scratch;
        scratch_set_up(&scratch);
        options_of(&kinds[i], &within, &options);
        use_with(scratch_client(&scratch, &options), &kinds[i], &within);
        scratch_tear_down(&scratch);
    }
}

/* ------------------------------------------------------------------------------------------------ over S3 */

/* An object that is there once it was put. */
static void answer(void *context, const struct http_server_record *record, struct buf *scratch,
                   struct http_server_step *ret)
{
    static const char there[] =
        "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 18:00:00 GMT\r\nETag: "
        "\"9dd4e461268c8034f5c8564e155c67a6\"\r\nx-amz-request-id: A\r\nContent-Length: 1\r\n\r\n";
    int *put = context;
    bool is_object = strcmp(record->target, "/bucket/k") == 0 || strncmp(record->target, "/bucket/k?", 10) == 0;
    (void)scratch;
    *ret = (struct http_server_step){.answer = "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 18:00:00 GMT\r\n"
                                               "x-amz-request-id: A\r\nContent-Length: 0\r\n\r\n"};
    if (is_object && strcmp(record->method, "PUT") == 0)
        *put = 1;
    else if (is_object && !*put)
        ret->answer = "HTTP/1.1 404 Not Found\r\nDate: Sat, 21 Nov 2026 18:00:00 GMT\r\nx-amz-request-id: A\r\n"
                      "Content-Length: 0\r\n\r\n";
    else if (is_object && strcmp(record->method, "HEAD") == 0)
        ret->answer = there;
    else if (is_object) {
        buf_add_f(scratch, "%sx", there);
        ret->answer = buf_str(scratch);
    }
}

TEST(a_call_from_a_callback_of_a_client_over_s3_is_refused_at_once)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct within within = {0};
        os_options options;
        int put = 0;
        struct http_server *server =
            http_server_start(&(struct http_server_options){.respond = answer, .respond_context = &put});
        print_message("%s\n", kinds[i].name);
        struct scratch scratch;
        scratch_set_up(&scratch);
        options_of(&kinds[i], &within, &options);
        options.fences = OS_OFF;
        use_with(scratch_s3_client(&scratch, http_server_host(server), &options), &kinds[i], &within);
        scratch_tear_down(&scratch);
        http_server_stop(server);
    }
}

/* ------------------------------------------------------------------------------------------------ calling thread */

static int within_list(void *context, const os_object *object)
{
    struct within *within = context;
    os_error error = {0};
    within->tried++;
    within->wrong += os_head(within->client, object->key, NULL, NULL, &error) != OS_OK;
    within->wrong += os_delete_if_match(within->client, object->key, object->etag, NULL, NULL, &error) != OS_COMMITTED;
    os_client_close(within->client); /* would wait for the list, which is at this very place */
    return 0;
}

static int within_table_list(void *context, const os_record *record)
{
    struct within *within = context;
    os_error error = {0};
    within->tried++;
    within->wrong += os_table_release(within->client, record->path, record->etag, 1, NULL, &error) != OS_OK;
    os_client_close(within->client);
    return 0;
}

static int64_t within_read(void *context, void *ret_data, size_t size)
{
    struct within *within = context;
    os_error error = {0};
    (void)size;
    if (within->tried++ > 0)
        return 0;
    within->wrong += os_head(within->client, "none", NULL, NULL, &error) != OS_ERR_NOT_FOUND;
    os_client_close(within->client);
    memcpy(ret_data, "x", 1);
    return 1;
}

TEST_WITH(scratch, a_call_from_a_function_on_the_calling_thread_is_a_call_like_any_other)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_body stream = {.size = sizeof(stream), .read = within_read};
    os_error error = {0};
    struct within listing = {.client = scratch_client(scratch, NULL)};
    struct within records = listing;
    struct within reading = listing;
    os_client *client = listing.client;
    stream.read_context = &reading;
    assert_int_equal(os_put_if_absent(client, "a", &body, NULL, NULL, NULL, &error), OS_COMMITTED);
    assert_int_equal(os_put_if_absent(client, "b", &stream, NULL, NULL, NULL, &error), OS_COMMITTED);
    CHECK_CODE(os_list(client, NULL, NULL, within_list, &listing, &error), OS_OK, &error);
    os_client_close(client); /* the deletions release records in the background (T3) */
    client = records.client = scratch_client(scratch, NULL);
    CHECK_CODE(os_table_list(client, NULL, NULL, within_table_list, &records, &error), OS_OK, &error);
    assert_int_equal(listing.tried, 2);
    assert_int_equal(listing.wrong, 0);
    assert_int_equal(records.tried, 4); /* two creations, two deletions */
    assert_int_equal(records.wrong, 0);
    assert_int_equal(reading.tried, 2);
    assert_int_equal(reading.wrong, 0);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ others */

static void on_other(void *context, const os_metric *metric)
{
    struct within *within = context;
    os_error error = {0};
    if (metric->kind == OS_METRIC_GUARDED)
        within->wrong += os_head(within->client, "k", NULL, NULL, &error) != OS_ERR_NOT_FOUND;
    within->tried += metric->kind == OS_METRIC_GUARDED;
}

TEST_WITH(scratch, a_callback_may_call_another_client)
{
    struct within within = {0};
    os_options options = OS_OPTIONS_INIT;
    os_error error = {0};
    struct scratch other;
    os_body body = OS_BODY_MEMORY("x", 1);
    scratch_set_up(&other);
    options.metric = on_other;
    options.metric_context = &within;
    within.client = scratch_client(&other, NULL);
    os_client *client = scratch_client(scratch, &options);
    assert_int_equal(os_put_if_absent(client, "k", &body, NULL, NULL, NULL, &error), OS_COMMITTED);
    os_client_close(client);
    os_client_close(within.client);
    scratch_tear_down(&other);
    assert_int_equal(within.tried, 1);
    assert_int_equal(within.wrong, 0);
}

static void trigger(void *context, const os_metric *metric)
{
    (void)metric;
    os_cancel_trigger(context);
}

TEST_WITH(scratch, a_callback_may_cancel)
{
    os_options options = OS_OPTIONS_INIT;
    os_cancel *cancel = NULL;
    os_call call = OS_CALL_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error = {0};
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    options.metric = trigger;
    options.metric_context = cancel;
    call.cancel = cancel;
    os_client *client = scratch_client(scratch, &options);
    assert_int_equal(os_put_if_absent(client, "k", &body, NULL, &call, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_CANCELLED, &error);
    os_client_close(client);
    os_cancel_free(cancel);
}

/* By exec: what the threads of the parent held is not reachable in a forked child, and a leak checker that looks there
 * would count it. */
static void end_child(bool passed)
{
    const char *program = passed ? "true" : "false";
    execlp(program, program, (char *)NULL);
    _exit(127);
}

/* Its threads are not in the child, so nobody would ever answer there. */
TEST_WITH(scratch, a_call_from_a_forked_child_is_refused_at_once)
{
    os_client *client = scratch_client(scratch, NULL);
    os_error error = {0};
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        os_body body = OS_BODY_MEMORY("x", 1);
        alarm(120);
        bool plain =
            os_head(client, "k", NULL, NULL, &error) == OS_ERR_ARGUMENT && strstr(error.message, "fork") != NULL;
        bool guarded = os_put_if_absent(client, "k", &body, NULL, NULL, NULL, &error) == OS_NOT_EXECUTED &&
                       error.code == OS_ERR_ARGUMENT;
        struct completions completions = COMPLETIONS_INIT;
        os_start start = completions_start(&completions);
        plain = plain && os_start_put(client, "k", &body, NULL, &start, NULL, &error) == OS_ERR_ARGUMENT &&
                strstr(error.message, "fork") != NULL;
        os_options options = OS_OPTIONS_INIT;
        options.store_url = ((struct scratch *)scratch)->url;
        os_client *another = NULL;
        guarded = guarded && os_client_open(&options, &another, &error) == OS_ERR_ARGUMENT && another == NULL &&
                  strstr(error.message, "SQLite") != NULL;
        os_client_close(client);
        end_child(plain && guarded);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(os_head(client, "k", NULL, NULL, &error), OS_ERR_NOT_FOUND);
    os_client_close(client);
}

struct completed {
    os_client *client;
    struct event told;
    os_code code;
    os_error error;
};

static void call_within_completion(void *context, os_operation *operation)
{
    struct completed *completed = context;
    completed->code = os_head(completed->client, "k", NULL, NULL, &completed->error);
    os_operation_free(operation);
    event_set(&completed->told);
}

TEST_WITH(scratch, a_completion_function_is_named_where_its_call_is_refused)
{
    os_client *client = scratch_client(scratch, NULL);
    struct completed completed = {.client = client, .told = EVENT_INIT};
    os_start start = OS_START_INIT;
    os_error error;
    start.complete = call_within_completion;
    start.context = &completed;
    CHECK_CODE(os_start_head(client, "k", NULL, &start, NULL, &error), OS_OK, &error);
    event_wait(&completed.told);
    CHECK_CODE(completed.code, OS_ERR_ARGUMENT, &completed.error);
    CHECK_SAYS(&completed.error, "completion function");
    CHECK_SAYS(&completed.error, "os_start_");
    os_client_close(client);
}

int main(int argc, char **argv)
{
    alarm(HANG_S);
    return test_main(argc, argv);
}
