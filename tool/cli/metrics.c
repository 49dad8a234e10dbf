/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/metrics.h"

#include "cli/clean.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

/* Of the process: a command has one client, and metrics come from its threads. */
static struct {
    pthread_mutex_t mutex;
    const char *file; /* NULL: none is wanted */
    const char *command;
    struct metrics metrics;
} run = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Also of SQLite, whose operations have DynamoDB's names. */
static const char *service_of(const char *operation)
{
    static const char *const of_ledger[] = {"PutItem", "UpdateItem",  "DeleteItem",    "GetItem", "Query",
                                            "Scan",    "CreateTable", "DescribeTable", "table"};

    for (size_t i = 0; i < sizeof(of_ledger) / sizeof(of_ledger[0]); i++)
        if (strcmp(operation, of_ledger[i]) == 0)
            return "ledger";
    return "store";
}

static void count(enum metrics_family family, const char *labels, uint64_t by)
{
    struct metrics_series *series = metrics_series(&run.metrics, family, labels);

    if (series != NULL)
        series->value += by;
}

static void observe(enum metrics_family family, const char *labels, uint64_t duration_us)
{
    struct metrics_series *series = metrics_series(&run.metrics, family, labels);

    if (series != NULL)
        metrics_observe(series, duration_us);
}

static void take_request(const os_metric *metric)
{
    const char *service = service_of(metric->operation);
    char labels[METRICS_LABELS_SIZE];
    char code[16] = "none";

    if (metric->http_status != 0)
        (void)snprintf(code, sizeof(code), "%d", metric->http_status);
    (void)snprintf(labels, sizeof(labels), "code=\"%s\",operation=\"%.64s\",service=\"%s\"", code, metric->operation,
                   service);
    count(METRICS_REQUESTS, labels, 1);
    (void)snprintf(labels, sizeof(labels), "operation=\"%.64s\",service=\"%s\"", metric->operation, service);
    observe(METRICS_REQUEST_TIME, labels, metric->duration_us);
}

static void take_guarded(const os_metric *metric)
{
    char labels[METRICS_LABELS_SIZE];

    (void)snprintf(labels, sizeof(labels), "operation=\"%.64s\",verdict=\"%s\"", metric->operation,
                   os_verdict_name(metric->verdict));
    count(METRICS_GUARDED, labels, 1);
    (void)snprintf(labels, sizeof(labels), "operation=\"%.64s\"", metric->operation);
    count(METRICS_RETRIES, labels, metric->guards > 1 ? metric->guards - 1 : 0);
    observe(METRICS_GUARDED_TIME, labels, metric->duration_us);
}

void metrics_take(void *context, const os_metric *metric)
{
    (void)context;
    (void)pthread_mutex_lock(&run.mutex);
    if (metric->kind == OS_METRIC_REQUEST)
        take_request(metric);
    else if (metric->kind == OS_METRIC_GUARDED)
        take_guarded(metric);
    (void)pthread_mutex_unlock(&run.mutex);
}

bool metrics_on(void)
{
    return run.file != NULL;
}

bool metrics_begin(const struct options *options, struct usage *usage)
{
    const char *file = options_text(options, OPTION_METRICS);

    if (file == NULL)
        return true;
    if (!metrics_check_file(file, usage))
        return false;
    run.file = file;
    run.command = options->command->name;
    return true;
}

void metrics_finish(int status)
{
    char labels[METRICS_LABELS_SIZE];
    os_error error = {0};

    if (run.file == NULL)
        return;
    (void)snprintf(labels, sizeof(labels), "command=\"%.32s\",status=\"%d\"", run.command, status);
    count(METRICS_RUNS, labels, 1);
    (void)snprintf(labels, sizeof(labels), "command=\"%.32s\"", run.command);
    if (status == STATUS_DONE)
        count(METRICS_LAST_SUCCESS, labels, (uint64_t)time(NULL));
    if (!metrics_add_to_file(run.file, &run.metrics, &error)) {
        (void)fputs("oscommit: The metrics of this run are lost: ", stderr);
        clean_print(stderr, error.message);
        (void)fputc('\n', stderr);
    }
    metrics_clear(&run.metrics);
    run.file = NULL;
}
