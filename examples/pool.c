/* Creates two hundred objects and publishes a copy of each, by a pool of threads that share one queue: they may block. */
#include <oscommit_async.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { OBJECTS = 200, THREADS = 4, AT_ONCE = 50 };

struct pool {
    os_client *client;
    os_queue *queue;
    atomic_int left;      /* objects that nobody has done with */
    atomic_int counts[5]; /* by the last verdict on each */
};

static void end(struct pool *pool, os_verdict verdict, const os_error *err)
{
    if (verdict != OS_COMMITTED && verdict != OS_CONFLICT)
        fprintf(stderr, "%s: %s\n", os_verdict_name(verdict), err->message);
    atomic_fetch_add(&pool->counts[verdict], 1);
    atomic_fetch_sub(&pool->left, 1);
}

/* Waits up to two minutes for what is not known yet. If it stays unknown, the ticket that was printed can still decide. */
static os_verdict decide(struct pool *pool, os_verdict verdict, const os_result *result, os_error *err)
{
    if (verdict != OS_UNKNOWN || result->ticket == NULL)
        return verdict;
    fprintf(stderr, "Keep this ticket until it is settled: %s\n", result->ticket);
    return os_settle(pool->client, result->ticket, NULL, NULL, NULL, err);
}

/* A conflict is as good: another run has published it. */
static os_verdict publish(struct pool *pool, int number, os_error *err)
{
    char source[32];
    char key[32];
    os_result result = OS_RESULT_INIT;
    snprintf(source, sizeof(source), "pool/%d", number);
    snprintf(key, sizeof(key), "published/%d", number);
    os_verdict verdict = os_copy_if_not_exists(pool->client, source, key, NULL, NULL, &result, err);
    verdict = decide(pool, verdict, &result, err);
    os_result_clear(&result);
    return verdict;
}

/* What one completion asks for. After a conflict, too: the run that created the object may have ended before its copy. */
static void follow_up(struct pool *pool, os_operation *created)
{
    const int *number = os_operation_context(created);
    os_error err = *os_operation_error(created);
    os_verdict verdict = decide(pool, os_operation_verdict(created), os_operation_result(created), &err);
    os_operation_free(created); /* and its ticket, which nobody needs any more or which was printed */
    if (verdict == OS_COMMITTED || verdict == OS_CONFLICT)
        verdict = publish(pool, *number, &err);
    end(pool, verdict, &err);
}

static void take_one(struct pool *pool)
{
    os_operation *created = os_queue_take(pool->queue, 100); /* then looks whether there is anything left to come */
    if (created)
        follow_up(pool, created);
}

static void *work(void *context)
{
    struct pool *pool = context;
    while (atomic_load(&pool->left) > 0)
        take_one(pool);
    return NULL;
}

static void create_all(struct pool *pool, int numbers[OBJECTS])
{
    for (int i = 0; i < OBJECTS;) {
        char key[32];
        os_error err;
        os_body body = OS_BODY_MEMORY("{}\n", 3); /* its bytes stay until the completion */
        os_start start = OS_START_INIT;
        start.queue = pool->queue;
        start.context = &numbers[i]; /* so does the context */
        numbers[i] = i;
        snprintf(key, sizeof(key), "pool/%d", i); /* the key is copied */
        os_code code = os_start_put_if_absent(pool->client, key, &body, NULL, &start, NULL, &err);
        if (code == OS_ERR_IN_FLIGHT) { /* AT_ONCE are under way: lend a hand, then try again */
            take_one(pool);
            continue;
        }
        if (code != OS_OK) /* nothing was started, so no completion comes */
            end(pool, OS_NOT_EXECUTED, &err);
        i++;
    }
}

int main(int argc, char **argv)
{
    struct pool pool = {.left = OBJECTS};
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    int numbers[OBJECTS];
    pthread_t threads[THREADS];
    int running = 0;
    if (os_options_from_environment(&options, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc > 1)
        options.store_url = argv[1];
    if (options.store_url == NULL)
        return fprintf(stderr, "usage: pool file:///ROOT | s3://BUCKET\n"), 2;
    options.max_in_flight = AT_ONCE;
    if (os_client_open(&options, &pool.client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (os_queue_new(&pool.queue) != OS_OK)
        return fprintf(stderr, "Out of memory.\n"), 1;
    while (running < THREADS && pthread_create(&threads[running], NULL, work, &pool) == 0)
        running++; /* with fewer it takes longer */
    create_all(&pool, numbers);
    work(&pool);
    for (int i = 0; i < running; i++)
        pthread_join(threads[i], NULL);
    os_client_close(pool.client);
    os_queue_free(pool.queue);
    printf("%d published, %d were published, %d not executed, %d unknown\n", pool.counts[OS_COMMITTED],
           pool.counts[OS_CONFLICT], pool.counts[OS_NOT_EXECUTED], pool.counts[OS_UNKNOWN]);
    return pool.counts[OS_NOT_EXECUTED] || pool.counts[OS_UNKNOWN] ? 1 : 0;
}
