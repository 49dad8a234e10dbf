/* Counts up an object ten times without a thread that waits: each completion starts the next operation. */
#include <oscommit_async.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 10 };

struct counter {
    os_client *client;
    char *text; /* what was read */
    size_t length;
    char next[32]; /* what is to be written: it stays until the completion */
    int left;
    int failed;
    pthread_mutex_t mutex; /* of what follows: for the thread that waits for the end of it all */
    pthread_cond_t changed;
    int over;
};

static void read_it(struct counter *counter);

static void end(struct counter *counter, const os_error *why)
{
    if (why)
        fprintf(stderr, "%s\n", why->message);
    pthread_mutex_lock(&counter->mutex);
    counter->failed = why != NULL;
    counter->over = 1;
    pthread_cond_signal(&counter->changed);
    pthread_mutex_unlock(&counter->mutex);
}

/* The client's I/O thread: what is called here must not block. */
static void on_written(void *context, os_operation *operation)
{
    struct counter *counter = context;
    os_verdict verdict = os_operation_verdict(operation);
    os_error err = *os_operation_error(operation);
    if (verdict == OS_UNKNOWN) /* the ticket goes with the operation */
        fprintf(stderr, "ticket: %s\n", os_operation_result(operation)->ticket);
    os_operation_free(operation);
    counter->left -= verdict == OS_COMMITTED;
    if (verdict != OS_COMMITTED && verdict != OS_CONFLICT) /* on a conflict: read again, and decide anew */
        end(counter, &err);
    else if (counter->left == 0)
        end(counter, NULL);
    else
        read_it(counter);
}

static void on_read(void *context, os_operation *operation)
{
    struct counter *counter = context;
    os_code code = os_operation_code(operation);
    os_object object = *os_operation_object(operation);
    os_error err = *os_operation_error(operation);
    os_operation_free(operation);
    if (code != OS_OK && code != OS_ERR_NOT_FOUND) {
        end(counter, &err);
        return;
    }
    snprintf(counter->next, sizeof(counter->next), "%ld\n", code == OS_OK ? strtol(counter->text, NULL, 10) + 1 : 1);
    if (code == OS_OK)
        os_free(counter->text);
    os_body body = OS_BODY_MEMORY(counter->next, strlen(counter->next));
    os_start start = OS_START_INIT;
    start.complete = on_written;
    start.context = counter;
    if (code == OS_OK)
        code = os_start_put_if_match(counter->client, "counter", object.etag, &body, NULL, &start, NULL, &err);
    else
        code = os_start_put_if_absent(counter->client, "counter", &body, NULL, &start, NULL, &err);
    if (code != OS_OK)
        end(counter, &err);
}

static void read_it(struct counter *counter)
{
    os_sink sink = OS_SINK_INIT;
    os_start start = OS_START_INIT;
    os_error err;
    sink.ret_data = (void **)&counter->text; /* what a sink points to stays, too */
    sink.ret_length = &counter->length;
    start.complete = on_read;
    start.context = counter;
    if (os_start_get(counter->client, "counter", &sink, &start, NULL, &err) != OS_OK)
        end(counter, &err);
}

int main(int argc, char **argv)
{
    struct counter counter = {.left = TIMES, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    if (os_options_from_environment(&options, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc > 1)
        options.store_url = argv[1];
    if (options.store_url == NULL)
        return fprintf(stderr, "usage: chain file:///ROOT | s3://BUCKET\n"), 2;
    if (os_client_open(&options, &counter.client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    read_it(&counter);
    pthread_mutex_lock(&counter.mutex);
    while (!counter.over)
        pthread_cond_wait(&counter.changed, &counter.mutex);
    pthread_mutex_unlock(&counter.mutex);
    os_client_close(counter.client);
    return counter.failed;
}
