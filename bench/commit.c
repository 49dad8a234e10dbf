/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a guarded commit costs beside a plain write: commits per second and processor time per commit of put_if_absent,
 * put_if_match and copy_if_not_exists, each next to os_put by the same client in the same run. The operations take
 * turns in short rounds, so that whatever else the machine does meets them all alike.
 *
 *   bench_commit [--store URL] [--seconds N] [--bytes N] [--threads N] [--release-always]
 *
 * Without --store a new embedded store below the folder for temporary files. Otherwise s3://bucket/prefix, with
 * OSCOMMIT_LEDGER, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION and credentials as usual. Everything that
 * it writes stays there, below the prefix.
 */
#include <oscommit.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, ROUND_MS = 500, OPERATIONS = 4, KEY_SIZE = 128 };

enum operation { PLAIN_PUT, PUT_IF_ABSENT, PUT_IF_MATCH, COPY };

static const char *const names[OPERATIONS] = {"put (plain)", "put_if_absent", "put_if_match", "copy_if_not_exists"};

struct bench {
    os_client *client;
    const char *store_url;
    char root[64]; /* "": not ours */
    uint64_t seconds;
    size_t bytes;
    unsigned threads;
    bool release_always;
    char run[32]; /* part of every key */
    char *data;
};

struct worker {
    pthread_t thread;
    struct bench *bench;
    enum operation operation;
    unsigned number;
    uint64_t serial; /* of keys and contents; goes on from round to round */
    uint64_t done;
    uint64_t guards;
    char etag[128]; /* PUT_IF_MATCH: what stands there */
    bool failed;
    struct timespec until;
};

struct total {
    uint64_t done;
    uint64_t guards;
    double wall_s;
    double cpu_s;
};

/* ------------------------------------------------------------------------------------------------ time */

static double seconds_of(struct timespec at)
{
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds_of(now);
}

/* Of the whole process, all threads, user and system. */
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return seconds_of(now);
}

/* ------------------------------------------------------------------------------------------------ one commit */

static void fail(struct worker *worker, const char *what, const os_error *err)
{
    fprintf(stderr, "%s: %s: %s\n", names[worker->operation], what, err->message);
    worker->failed = true;
}

static void make_key(const struct worker *worker, char *ret)
{
    snprintf(ret, KEY_SIZE, "%s/%d/%u/%" PRIu64, worker->bench->run, (int)worker->operation, worker->number,
             worker->operation == PUT_IF_MATCH ? 0 : worker->serial);
}

/* The content carries the serial number: no two commits write the same bytes, which would be the same ETag. */
static void make_body(struct worker *worker, char *data, os_body *ret)
{
    memcpy(data, worker->bench->data, worker->bench->bytes);
    snprintf(data, worker->bench->bytes, "%u %" PRIu64 " ", worker->number, worker->serial);
    *ret = (os_body)OS_BODY_MEMORY(data, worker->bench->bytes);
}

static void plain_put(struct worker *worker, const char *key, const os_body *body, os_object *ret)
{
    os_error err;
    if (os_put(worker->bench->client, key, body, NULL, NULL, ret, &err) != OS_OK)
        fail(worker, key, &err);
}

static void guarded(struct worker *worker, const char *key, const os_body *body)
{
    os_result result = OS_RESULT_INIT;
    os_client *client = worker->bench->client;
    os_verdict verdict;
    os_error err;
    char source[KEY_SIZE];

    if (worker->operation == PUT_IF_ABSENT) {
        verdict = os_put_if_absent(client, key, body, NULL, NULL, &result, &err);
    } else if (worker->operation == PUT_IF_MATCH) {
        verdict = os_put_if_match(client, key, worker->etag, body, NULL, NULL, &result, &err);
        memcpy(worker->etag, result.etag, sizeof(worker->etag));
    } else {
        snprintf(source, sizeof(source), "%s/source", worker->bench->run);
        verdict = os_copy_if_not_exists(client, source, key, NULL, NULL, &result, &err);
    }
    if (verdict != OS_COMMITTED)
        fail(worker, os_verdict_name(verdict), &err);
    worker->guards += result.guards;
    os_result_clear(&result);
}

static void *work(void *context)
{
    struct worker *worker = context;
    char *data = malloc(worker->bench->bytes + 1);
    double until = seconds_of(worker->until);
    os_body body;
    char key[KEY_SIZE];

    if (data == NULL)
        worker->failed = true;
    while (!worker->failed && wall_s() < until) {
        worker->serial++;
        make_key(worker, key);
        make_body(worker, data, &body);
        if (worker->operation == PLAIN_PUT)
            plain_put(worker, key, &body, NULL);
        else
            guarded(worker, key, &body);
        worker->done++;
    }
    free(data);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ rounds */

/* Runs one operation on all threads for one round. False when a commit failed. */
static bool run_round(struct bench *bench, struct worker *workers, struct total *total)
{
    double wall = wall_s();
    double cpu = cpu_s();
    double until = wall + ROUND_MS / 1000.0;
    unsigned started = 0;
    bool ok = true;

    for (; started < bench->threads; started++) {
        struct worker *worker = &workers[started];
        worker->done = 0;
        worker->guards = 0;
        worker->until.tv_sec = (time_t)until;
        worker->until.tv_nsec = (long)((until - (double)worker->until.tv_sec) * 1e9);
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            break;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        total->done += workers[i].done;
        total->guards += workers[i].guards;
        ok = ok && !workers[i].failed;
    }
    total->wall_s += wall_s() - wall;
    total->cpu_s += cpu_s() - cpu;
    return ok && started == bench->threads;
}

/* What put_if_match replaces, and what is copied. */
static bool prepare(struct bench *bench, struct worker workers[OPERATIONS][THREADS_MAX])
{
    char key[KEY_SIZE];
    os_body body = OS_BODY_MEMORY(bench->data, bench->bytes);
    os_object object = OS_OBJECT_INIT;

    memset(workers, 0, sizeof(struct worker) * OPERATIONS * THREADS_MAX);
    for (int operation = 0; operation < OPERATIONS; operation++) {
        for (unsigned i = 0; i < bench->threads; i++) {
            workers[operation][i].bench = bench;
            workers[operation][i].operation = (enum operation)operation;
            workers[operation][i].number = i;
        }
    }
    snprintf(key, sizeof(key), "%s/source", bench->run);
    plain_put(&workers[COPY][0], key, &body, NULL);
    for (unsigned i = 0; i < bench->threads && !workers[PUT_IF_MATCH][i].failed; i++) {
        struct worker *worker = &workers[PUT_IF_MATCH][i];
        make_key(worker, key);
        plain_put(worker, key, &body, &object);
        memcpy(worker->etag, object.etag, sizeof(worker->etag));
        if (worker->failed)
            return false;
    }
    return !workers[COPY][0].failed;
}

static bool measure(struct bench *bench, struct total totals[OPERATIONS])
{
    static struct worker workers[OPERATIONS][THREADS_MAX];
    struct total warm[OPERATIONS] = {{0}};

    if (!prepare(bench, workers))
        return false;
    for (int operation = 0; operation < OPERATIONS; operation++) /* connections, keys of the day, E7's two requests */
        if (!run_round(bench, workers[operation], &warm[operation]))
            return false;
    double until = wall_s() + (double)bench->seconds * OPERATIONS;
    while (wall_s() < until) {
        for (int operation = 0; operation < OPERATIONS; operation++)
            if (!run_round(bench, workers[operation], &totals[operation]))
                return false;
    }
    return true;
}

static void report(const struct bench *bench, const struct total totals[OPERATIONS])
{
    const struct total *plain = &totals[PLAIN_PUT];
    double plain_rate = (double)plain->done / plain->wall_s;
    double plain_cpu_us = plain->cpu_s * 1e6 / (double)plain->done;

    printf("oscommit %s, %s, %zu bytes, %u threads, release %s\n\n", os_version(),
           bench->root[0] ? "embedded store" : bench->store_url, bench->bytes, bench->threads,
           bench->release_always ? "always" : "on_failure");
    printf("%-20s %10s %10s %8s %12s %8s %8s\n", "", "count", "per s", "ratio", "CPU us each", "ratio", "guards");
    for (int operation = 0; operation < OPERATIONS; operation++) {
        const struct total *total = &totals[operation];
        double rate = (double)total->done / total->wall_s;
        double each_us = total->cpu_s * 1e6 / (double)total->done;
        printf("%-20s %10" PRIu64 " %10.1f %8.2f %12.1f %8.2f %8.3f\n", names[operation], total->done, rate,
               rate / plain_rate, each_us, each_us / plain_cpu_us, (double)total->guards / (double)total->done);
    }
    printf("\nratio: to the plain put of the same run. guards: runs of the protocol for each commit.\n");
}

/* ------------------------------------------------------------------------------------------------ main */

static int usage(void)
{
    fprintf(stderr, "usage: bench_commit [--store URL] [--seconds N] [--bytes N] [--threads N] [--release-always]\n");
    return 2;
}

static bool number(const char *text, uint64_t most, uint64_t *ret)
{
    char *end;
    uint64_t value = text ? strtoull(text, &end, 10) : 0;
    if (text == NULL || *end != '\0' || value == 0 || value > most)
        return false;
    *ret = value;
    return true;
}

static bool parse(int argc, char **argv, struct bench *bench)
{
    uint64_t bytes = 4096;
    uint64_t threads = 1;
    bool ok = true;

    bench->seconds = 10;
    for (int i = 1; i < argc && ok; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--release-always") == 0) {
            bench->release_always = true;
            continue;
        }
        i++;
        if (strcmp(argv[i - 1], "--store") == 0)
            ok = (bench->store_url = value) != NULL;
        else if (strcmp(argv[i - 1], "--seconds") == 0)
            ok = number(value, 3600, &bench->seconds);
        else if (strcmp(argv[i - 1], "--bytes") == 0)
            ok = number(value, 8 << 20, &bytes) && bytes >= 64; /* room for the serial number */
        else if (strcmp(argv[i - 1], "--threads") == 0)
            ok = number(value, THREADS_MAX, &threads);
        else
            ok = false;
    }
    bench->bytes = bytes;
    bench->threads = (unsigned)threads;
    return ok;
}

static bool open_store(struct bench *bench)
{
    static char url[96];
    os_options options = OS_OPTIONS_INIT;
    os_error err = {.code = OS_OK};

    if (bench->store_url == NULL) {
        snprintf(bench->root, sizeof(bench->root), "/tmp/oscommit-bench-XXXXXX");
        if (mkdtemp(bench->root) == NULL || os_init(bench->root, &err) != OS_OK) {
            fprintf(stderr, "No store could be made at %s. %s\n", bench->root, err.message);
            return false;
        }
        snprintf(url, sizeof(url), "file://%s", bench->root);
        bench->store_url = url;
    }
    options.store_url = bench->store_url;
    options.ledger_url = bench->root[0] ? NULL : getenv("OSCOMMIT_LEDGER");
    options.release = bench->release_always ? OS_RELEASE_ALWAYS : OS_RELEASE_ON_FAILURE;
    if (os_client_open(&options, &bench->client, &err) != OS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct total totals[OPERATIONS] = {{0}};
    bool ok = parse(argc, argv, &bench);

    if (!ok)
        return usage();
    bench.data = calloc(1, bench.bytes);
    snprintf(bench.run, sizeof(bench.run), "bench-%ld-%ld", (long)time(NULL), (long)getpid());
    ok = bench.data != NULL && open_store(&bench) && measure(&bench, totals);
    os_client_close(bench.client);
    if (ok)
        report(&bench, totals);
    if (bench.root[0])
        printf("The store is left at %s.\n", bench.root);
    free(bench.data);
    return ok ? 0 : 1;
}
