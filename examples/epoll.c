/* Writes two hundred objects, each exactly once, from a program's own epoll loop. On S3 it takes no thread but this one; a store of
 * files has some for its disk. */
#include <oscommit_async.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { OBJECTS = 200 };

static int counts[5]; /* by verdict */
static int completed;

static void on_complete(void *context, os_operation *operation)
{
    (void)context;
    if (os_operation_verdict(operation) == OS_UNKNOWN)
        fprintf(stderr, "Keep this ticket until it is settled: %s\n", os_operation_result(operation)->ticket);
    counts[os_operation_verdict(operation)]++;
    completed++;
    os_operation_free(operation);
}

static os_code start_all(os_client *client, os_error *err)
{
    os_code code = OS_OK;
    for (int i = 0; i < OBJECTS && code == OS_OK; i++) {
        char key[32];
        static const char bytes[] = "{}\n";
        os_body body = OS_BODY_MEMORY(bytes, 3); /* its bytes stay until the completion */
        os_start start = OS_START_INIT;
        start.complete = on_complete;
        snprintf(key, sizeof(key), "epoll/%d", i); /* the key is copied */
        code = os_start_put_if_absent(client, key, &body, NULL, &start, NULL, err);
    }
    return code;
}

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client;
    os_error err;
    if (os_options_from_environment(&options, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc > 1)
        options.store_url = argv[1];
    if (options.store_url == NULL)
        return fprintf(stderr, "usage: epoll file:///ROOT | s3://BUCKET\n"), 2;
    options.foreign_loop = 1;
    if (os_client_open(&options, &client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    int loop = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event wanted = {.events = EPOLLIN};
    if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, os_client_fd(client), &wanted) != 0)
        return perror("epoll"), 1;
    os_code code = start_all(client, &err);
    while (code == OS_OK && completed < OBJECTS) {
        struct epoll_event event; /* here the program's own descriptors would be, too */
        int64_t timeout_ms = os_client_timeout_ms(client);
        epoll_wait(loop, &event, 1, timeout_ms < 60000 ? (int)timeout_ms : 60000);
        code = os_client_step(client, &err);
    }
    if (code != OS_OK)
        fprintf(stderr, "%s\n", err.message);
    close(loop);
    os_client_close(client);
    printf("%d committed, %d were there, %d not executed, %d unknown\n", counts[OS_COMMITTED], counts[OS_CONFLICT],
           counts[OS_NOT_EXECUTED], counts[OS_UNKNOWN]);
    return code != OS_OK || counts[OS_NOT_EXECUTED] || counts[OS_UNKNOWN] ? 1 : 0;
}
