/* Writes a hundred objects and then a mark for each. Four threads share one queue and do what may block. */
#include <oscommit_async.h>
#include <pthread.h>
#include <stdio.h>

enum { OBJECTS = 100, THREADS = 4 };

struct item {
    int number;
    int is_marked; /* its second write is under way */
};

static struct pool {
    os_client *client;
    os_queue *queue;
    pthread_mutex_t mutex; /* of the rest */
    int left;              /* items that are not finished */
    int counts[5];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .left = OBJECTS};

static void finish(const char *trouble)
{
    if (trouble != NULL)
        fprintf(stderr, "%s\n", trouble);
    pthread_mutex_lock(&pool.mutex);
    pool.left--;
    pthread_mutex_unlock(&pool.mutex);
}

static void write_next(struct item *item)
{
    char key[32];
    os_body body = OS_BODY_MEMORY("{}\n", 3); /* its bytes stay until the completion */
    os_start start = OS_START_INIT;
    os_error err;
    start.queue = pool.queue;
    start.context = item;
    snprintf(key, sizeof(key), "pool/%s/%d", item->is_marked ? "marks" : "data", item->number);
    if (os_start_put_if_absent(pool.client, key, &body, NULL, &start, NULL, &err) != OS_OK)
        finish(err.message);
}

/* A worker's part: it may take its time, and may call the client. */
static void go_on(struct item *item, const os_operation *done)
{
    os_verdict verdict = os_operation_verdict(done);
    pthread_mutex_lock(&pool.mutex);
    pool.counts[verdict]++;
    pthread_mutex_unlock(&pool.mutex);
    if (verdict == OS_UNKNOWN)
        fprintf(stderr, "Keep this ticket until it is settled: %s\n", os_operation_result(done)->ticket);
    if (verdict == OS_UNKNOWN || verdict == OS_NOT_EXECUTED) {
        finish(os_operation_error(done)->message); /* without its object there is no mark */
    } else if (item->is_marked) {
        finish(NULL);
    } else {
        item->is_marked = 1;
        write_next(item);
    }
}

static int is_over(void)
{
    pthread_mutex_lock(&pool.mutex);
    int over = pool.left == 0;
    pthread_mutex_unlock(&pool.mutex);
    return over;
}

static void *work(void *unused)
{
    while (!is_over()) {
        os_operation *done = os_queue_take(pool.queue, 100);
        if (done == NULL)
            continue;
        go_on(os_operation_context(done), done);
        os_operation_free(done);
    }
    return unused;
}

int main(int argc, char **argv)
{
    static struct item items[OBJECTS];
    pthread_t threads[THREADS];
    int thread_count = 0;
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    if (os_options_from_environment(&options, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc > 1)
        options.store_url = argv[1];
    if (os_client_open(&options, &pool.client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (os_queue_new(&pool.queue) != OS_OK)
        return fprintf(stderr, "Out of memory.\n"), 1;
    while (thread_count < THREADS && pthread_create(&threads[thread_count], NULL, work, NULL) == 0)
        thread_count++;
    if (thread_count == 0)
        return fprintf(stderr, "No thread could be started.\n"), 1;
    for (int i = 0; i < OBJECTS; i++) {
        items[i].number = i;
        write_next(&items[i]);
    }
    while (thread_count > 0)
        pthread_join(threads[--thread_count], NULL);
    os_client_close(pool.client);
    os_queue_free(pool.queue);
    printf("%d committed, %d were there, %d not executed, %d unknown\n", pool.counts[OS_COMMITTED],
           pool.counts[OS_CONFLICT], pool.counts[OS_NOT_EXECUTED], pool.counts[OS_UNKNOWN]);
    return pool.counts[OS_COMMITTED] + pool.counts[OS_CONFLICT] == 2 * OBJECTS ? 0 : 1;
}
