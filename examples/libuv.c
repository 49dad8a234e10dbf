/* Writes two hundred objects, each exactly once, from a libuv loop. On S3 it takes no thread but this one; a store of files has
 * some for its disk. Needs libuv1-dev, and `pkg-config --cflags --libs oscommit libuv`. */
#include <oscommit_async.h>
#include <stdio.h>
#include <uv.h>

enum { OBJECTS = 200 };

struct commits {
    os_client *client;
    uv_poll_t readable;
    uv_timer_t timer;
    int completed;
    int counts[5]; /* by verdict */
};

static void on_time(uv_timer_t *timer);

static void step(struct commits *commits)
{
    os_error err;
    if (os_client_step(commits->client, &err) != OS_OK)
        fprintf(stderr, "%s\n", err.message);
    int64_t timeout_ms = os_client_timeout_ms(commits->client);
    uv_timer_stop(&commits->timer);
    if (commits->completed == OBJECTS)
        uv_stop(commits->timer.loop);
    else if (timeout_ms >= 0)
        uv_timer_start(&commits->timer, on_time, (uint64_t)timeout_ms, 0);
}

static void on_time(uv_timer_t *timer)
{
    step(timer->data);
}

static void on_readable(uv_poll_t *readable, int status, int events)
{
    (void)status;
    (void)events;
    step(readable->data);
}

static void on_complete(void *context, os_operation *operation)
{
    struct commits *commits = context;
    if (os_operation_verdict(operation) == OS_UNKNOWN)
        fprintf(stderr, "Keep this ticket until it is settled: %s\n", os_operation_result(operation)->ticket);
    commits->counts[os_operation_verdict(operation)]++;
    commits->completed++;
    os_operation_free(operation);
}

static os_code start_all(struct commits *commits, os_error *err)
{
    os_code code = OS_OK;
    for (int i = 0; i < OBJECTS && code == OS_OK; i++) {
        char key[32];
        static const char bytes[] = "{}\n";
        os_body body = OS_BODY_MEMORY(bytes, 3); /* its bytes stay until the completion */
        os_start start = OS_START_INIT;
        start.complete = on_complete;
        start.context = commits;
        snprintf(key, sizeof(key), "libuv/%d", i); /* the key is copied */
        code = os_start_put_if_absent(commits->client, key, &body, NULL, &start, NULL, err);
    }
    return code;
}

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    struct commits commits = {.completed = 0};
    uv_loop_t *loop = uv_default_loop();
    os_error err;
    if (os_options_from_environment(&options, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc > 1)
        options.store_url = argv[1];
    if (options.store_url == NULL)
        return fprintf(stderr, "usage: libuv file:///ROOT | s3://BUCKET\n"), 2;
    options.foreign_loop = 1;
    if (os_client_open(&options, &commits.client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    uv_poll_init(loop, &commits.readable, os_client_fd(commits.client));
    uv_timer_init(loop, &commits.timer);
    commits.readable.data = &commits;
    commits.timer.data = &commits;
    uv_poll_start(&commits.readable, UV_READABLE, on_readable);
    os_code code = start_all(&commits, &err);
    if (code != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    step(&commits);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&commits.readable, NULL); /* before the client closes its descriptor */
    uv_close((uv_handle_t *)&commits.timer, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_loop_close(loop);
    os_client_close(commits.client);
    printf("%d committed, %d were there, %d not executed, %d unknown\n", commits.counts[OS_COMMITTED],
           commits.counts[OS_CONFLICT], commits.counts[OS_NOT_EXECUTED], commits.counts[OS_UNKNOWN]);
    return commits.counts[OS_NOT_EXECUTED] || commits.counts[OS_UNKNOWN] ? 1 : 0;
}
