/* Writes two hundred objects, each exactly once, from one thread: a queue brings the verdicts as they come. */
#include <oscommit_async.h>
#include <stdio.h>

enum { OBJECTS = 200 };

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client;
    os_queue *queue;
    os_error err;
    int counts[5] = {0}; /* by verdict */
    if (os_options_from_environment(&options, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc > 1)
        options.store_url = argv[1];
    if (options.store_url == NULL)
        return fprintf(stderr, "usage: many file:///ROOT | s3://BUCKET\n"), 2;
    if (os_client_open(&options, &client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (os_queue_new(&queue) != OS_OK)
        return fprintf(stderr, "Out of memory.\n"), 1;
    for (int started = 0, taken = 0; taken < OBJECTS;) {
        char key[32];
        os_body body = OS_BODY_MEMORY("{}\n", 3); /* its bytes stay until the completion */
        os_start start = OS_START_INIT;
        start.queue = queue;
        snprintf(key, sizeof(key), "many/%d", started); /* the key is copied */
        os_code code = OS_ERR_IN_FLIGHT;
        if (started < OBJECTS)
            code = os_start_put_if_absent(client, key, &body, NULL, &start, NULL, &err);
        started += code == OS_OK;
        if (code != OS_OK && code != OS_ERR_IN_FLIGHT)
            return fprintf(stderr, "%s\n", err.message), 1;
        os_operation *done = os_queue_take(queue, code == OS_OK ? 0 : 1000); /* waits when no more can be started */
        if (done == NULL)
            continue;
        if (os_operation_verdict(done) == OS_UNKNOWN)
            fprintf(stderr, "Keep this ticket until it is settled: %s\n", os_operation_result(done)->ticket);
        counts[os_operation_verdict(done)]++;
        taken++;
        os_operation_free(done);
    }
    os_client_close(client);
    os_queue_free(queue);
    printf("%d committed, %d were there, %d not executed, %d unknown\n", counts[OS_COMMITTED], counts[OS_CONFLICT],
           counts[OS_NOT_EXECUTED], counts[OS_UNKNOWN]);
    return counts[OS_NOT_EXECUTED] || counts[OS_UNKNOWN] ? 1 : 0;
}
