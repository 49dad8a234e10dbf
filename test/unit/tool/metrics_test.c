/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/metrics.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct metrics *metrics, enum metrics_family family, const char *labels, uint64_t value)
{
    struct metrics_series *series = metrics_series(metrics, family, labels);

    assert_non_null(series);
    if (family == METRICS_GUARDED_TIME || family == METRICS_REQUEST_TIME)
        metrics_observe(series, value);
    else
        series->value += value;
}

static void fill(struct metrics *ret)
{
    add(ret, METRICS_REQUESTS, "code=\"200\",operation=\"HEAD\",service=\"store\"", 3);
    add(ret, METRICS_RUNS, "command=\"put\",status=\"0\"", 1);
    add(ret, METRICS_LAST_SUCCESS, "command=\"put\"", 1795865246);
    add(ret, METRICS_REQUEST_TIME, "operation=\"HEAD\",service=\"store\"", 5000);
    add(ret, METRICS_REQUEST_TIME, "operation=\"HEAD\",service=\"store\"", 5001);
    add(ret, METRICS_REQUEST_TIME, "operation=\"HEAD\",service=\"store\"", 61000000);
    add(ret, METRICS_RUNS, "command=\"put\",status=\"3\"", 2);
}

static char *text_of(const struct metrics *metrics)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    metrics_write(out, metrics);
    assert_int_equal(fclose(out), 0);
    return text;
}

static const char expected[] =
    "# HELP oscommit_runs_total Commands that have ended, by exit status.\n"
    "# TYPE oscommit_runs_total counter\n"
    "oscommit_runs_total{command=\"put\",status=\"0\"} 1\n"
    "oscommit_runs_total{command=\"put\",status=\"3\"} 2\n"
    "# HELP oscommit_last_success_timestamp_seconds When a command last ended with status 0.\n"
    "# TYPE oscommit_last_success_timestamp_seconds gauge\n"
    "oscommit_last_success_timestamp_seconds{command=\"put\"} 1795865246\n"
    "# HELP oscommit_requests_total Requests that have ended, by HTTP status; none: no answer, or not by HTTP.\n"
    "# TYPE oscommit_requests_total counter\n"
    "oscommit_requests_total{code=\"200\",operation=\"HEAD\",service=\"store\"} 3\n"
    "# HELP oscommit_request_duration_seconds Time that requests took.\n"
    "# TYPE oscommit_request_duration_seconds histogram\n"
    "oscommit_request_duration_seconds_bucket{operation=\"HEAD\",service=\"store\",le=\"0.005\"} 1\n"
    "oscommit_request_duration_seconds_bucket{operation=\"HEAD\",service=\"store\",le=\"0.01\"} 2\n";

TEST(the_text_is_that_of_prometheus)
{
    struct metrics metrics = {.list = NULL};

    fill(&metrics);
    char *text = text_of(&metrics);
    assert_memory_equal(text, expected, strlen(expected));
    assert_non_null(strstr(text, ",le=\"60\"} 2\n"));
    assert_non_null(strstr(text, ",le=\"+Inf\"} 3\n"));
    assert_non_null(strstr(text, "_sum{operation=\"HEAD\",service=\"store\"} 61.010001\n"));
    assert_non_null(strstr(text, "_count{operation=\"HEAD\",service=\"store\"} 3\n"));
    free(text);
    metrics_clear(&metrics);
}

TEST(what_is_written_is_read_as_the_same_and_added)
{
    struct metrics metrics = {.list = NULL};
    struct metrics read = {.list = NULL};

    fill(&metrics);
    char *text = text_of(&metrics);
    char *again = strdup(text);
    assert_true(metrics_read(again, &read));
    free(again);
    again = text_of(&read);
    assert_string_equal(again, text);
    assert_true(metrics_merge(&read, &metrics));
    assert_int_equal(metrics_series(&read, METRICS_RUNS, "command=\"put\",status=\"3\"")->value, 4);
    assert_int_equal(metrics_series(&read, METRICS_LAST_SUCCESS, "command=\"put\"")->value, 1795865246);
    const struct metrics_series *time =
        metrics_series(&read, METRICS_REQUEST_TIME, "operation=\"HEAD\",service=\"store\"");
    assert_int_equal(time->value, 6);
    assert_int_equal(time->sum_us, 122020002);
    assert_int_equal(time->buckets[0], 2);
    assert_int_equal(time->buckets[METRICS_BUCKETS - 1], 4);
    free(again);
    free(text);
    metrics_clear(&read);
    metrics_clear(&metrics);
}

static const struct {
    const char *name;
    const char *text;
} bad[] = {
    {"words", "hello\n"},
    {"another metric", "node_load1{a=\"b\"} 1\n"},
    {"no labels", "oscommit_runs_total 1\n"},
    {"no end of the labels", "oscommit_runs_total{a=\"b\" 1\n"},
    {"no blank", "oscommit_runs_total{a=\"b\"}1\n"},
    {"empty labels", "oscommit_runs_total{} 1\n"},
    {"labels without quotes", "oscommit_runs_total{a=b} 1\n"},
    {"an escape", "oscommit_runs_total{a=\"\\n\"} 1\n"},
    {"a label without an end", "oscommit_runs_total{a=\"b} 1\n"},
    {"a comma at the end", "oscommit_runs_total{a=\"b\",} 1\n"},
    {"something between", "oscommit_runs_total{a=\"b\";c=\"d\"} 1\n"},
    {"a fraction", "oscommit_runs_total{a=\"b\"} 1.5\n"},
    {"no number", "oscommit_runs_total{a=\"b\"} x\n"},
    {"nothing", "oscommit_runs_total{a=\"b\"} \n"},
    {"a time behind it", "oscommit_runs_total{a=\"b\"} 1 2\n"},
    {"a number that is too large", "oscommit_runs_total{a=\"b\"} 18446744073709551616\n"},
    {"another ending", "oscommit_runs_total_sum{a=\"b\"} 1\n"},
    {"a histogram without one", "oscommit_request_duration_seconds{a=\"b\"} 1\n"},
    {"a bucket without a bound", "oscommit_request_duration_seconds_bucket{a=\"b\"} 1\n"},
    {"another bound", "oscommit_request_duration_seconds_bucket{a=\"b\",le=\"7\"} 1\n"},
    {"a bound alone", "oscommit_request_duration_seconds_bucket{le=\"5\"} 1\n"},
    {"a bound of what has none", "oscommit_request_duration_seconds_count{a=\"b\",le=\"5\"} 1\n"},
    {"two bounds", "oscommit_request_duration_seconds_bucket{a=\"b\",le=\"5\",le=\"5\"} 1\n"},
    {"a bound without an end", "oscommit_request_duration_seconds_bucket{a=\"b\",le=\"5} 1\n"},
    {"a sum without a fraction", "oscommit_request_duration_seconds_sum{a=\"b\"} 1\n"},
    {"a sum of five digits", "oscommit_request_duration_seconds_sum{a=\"b\"} 1.00000\n"},
    {"a sum that is too large", "oscommit_request_duration_seconds_sum{a=\"b\"} 18446744073709.551616\n"},
};

TEST_ROWS(bad, a_file_of_others_is_not_read)
{
    struct metrics metrics = {.list = NULL};
    char *text = strdup(row->text);

    assert_false(metrics_read(text, &metrics));
    assert_null(metrics.list);
    free(text);
}

TEST(there_are_so_many_series_at_most)
{
    struct metrics metrics = {.list = NULL};
    char labels[METRICS_LABELS_SIZE + 1];

    for (int i = 0; i < METRICS_SERIES_MAX; i++) {
        (void)snprintf(labels, sizeof(labels), "command=\"%d\"", i);
        add(&metrics, METRICS_RUNS, labels, 1);
    }
    assert_null(metrics_series(&metrics, METRICS_RUNS, "command=\"x\""));
    metrics_clear(&metrics);
    memset(labels, 'a', sizeof(labels));
    labels[METRICS_LABELS_SIZE] = '\0';
    assert_null(metrics_series(&metrics, METRICS_RUNS, labels));
}

struct place {
    char path[64];
    struct metrics metrics;
    os_error err;
};

static void place_set_up(struct place *place)
{
    (void)snprintf(place->path, sizeof(place->path), "/tmp/oscommit-metrics-%ld.prom", (long)getpid());
    (void)unlink(place->path);
    fill(&place->metrics);
}

static void place_tear_down(struct place *place)
{
    metrics_clear(&place->metrics);
    (void)unlink(place->path);
}

TEST_WITH(place, each_run_is_added_to_the_file)
{
    char *text = calloc(1, METRICS_SIZE_MAX);
    struct usage usage = {0};

    assert_non_null(text);
    for (int runs = 0; runs < 3; runs++) {
        assert_true(metrics_check_file(place->path, &usage));
        assert_true(metrics_add_to_file(place->path, &place->metrics, &place->err));
    }
    FILE *file = fopen(place->path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, METRICS_SIZE_MAX - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(text, "oscommit_runs_total{command=\"put\",status=\"3\"} 6\n"));
    free(text);
}

TEST_WITH(place, a_file_that_is_none_of_ours_stays)
{
    struct usage usage = {0};
    struct stat info;
    FILE *file = fopen(place->path, "w");

    assert_non_null(file);
    assert_true(fputs("precious\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_false(metrics_check_file(place->path, &usage));
    assert_non_null(strstr(usage.message, "is not one of oscommit"));
    assert_false(metrics_add_to_file(place->path, &place->metrics, &place->err));
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_size, 9);
    assert_int_equal(unlink(place->path), 0);
    assert_int_equal(mkfifo(place->path, 0600), 0);
    usage.message[0] = '\0';
    assert_false(metrics_check_file(place->path, &usage));
    assert_non_null(strstr(usage.message, "is no regular file"));
    usage.message[0] = '\0';
    assert_false(metrics_check_file("/nowhere/x.prom", &usage));
    assert_non_null(strstr(usage.message, "cannot be written"));
}

TEST_WITH(place, a_file_that_stays_locked_is_given_up)
{
    int fd = open(place->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_false(metrics_add_to_file(place->path, &place->metrics, &place->err));
    assert_non_null(strstr(place->err.message, "is in use by another process"));
    assert_int_equal(close(fd), 0);
    assert_true(metrics_add_to_file(place->path, &place->metrics, &place->err));
}
