/* SPDX-License-Identifier: Apache-2.0 */
/* The text format of Prometheus, version 0.0.4, as far as it is written here. */
#include "cli/metrics.h"

#include "cli/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 100, LOCK_PAUSE_MS = 20, MICROSECONDS = 1000000 };

static const char *const bounds[METRICS_BUCKETS + 1] = {"0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5",
                                                        "1",     "2.5",  "5",     "10",   "30",  "60",   "+Inf"};

static const struct {
    const char *name;
    const char *type;
    const char *help;
} families[METRICS_FAMILIES] = {
    [METRICS_RUNS] = {"oscommit_runs_total", "counter", "Commands that have ended, by exit status."},
    [METRICS_LAST_SUCCESS] = {"oscommit_last_success_timestamp_seconds", "gauge",
                              "When a command last ended with status 0."},
    [METRICS_GUARDED] = {"oscommit_guarded_calls_total", "counter", "Guarded calls that have ended, by verdict."},
    [METRICS_RETRIES] = {"oscommit_guard_retries_total", "counter", "Guards of a call behind its first one."},
    [METRICS_GUARDED_TIME] = {"oscommit_guarded_call_duration_seconds", "histogram", "Time that guarded calls took."},
    [METRICS_REQUESTS] = {"oscommit_requests_total", "counter",
                          "Requests that have ended, by HTTP status; none: no answer, or not by HTTP."},
    [METRICS_REQUEST_TIME] = {"oscommit_request_duration_seconds", "histogram", "Time that requests took."},
};

static bool is_histogram(size_t family)
{
    return strcmp(families[family].type, "histogram") == 0;
}

/* ------------------------------------------------------------------------------------------------------ writing */

static void write_histogram(FILE *out, const char *name, const struct metrics_series *series)
{
    for (size_t i = 0; i <= METRICS_BUCKETS; i++)
        (void)fprintf(out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, series->labels, bounds[i],
                      i == METRICS_BUCKETS ? series->value : series->buckets[i]);
    (void)fprintf(out, "%s_sum{%s} %" PRIu64 ".%06" PRIu64 "\n", name, series->labels, series->sum_us / MICROSECONDS,
                  series->sum_us % MICROSECONDS);
    (void)fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, series->labels, series->value);
}

static void write_family(FILE *out, const struct metrics *metrics, size_t family)
{
    bool begun = false;

    for (size_t i = 0; i < metrics->count; i++) {
        const struct metrics_series *series = &metrics->list[i];
        if ((size_t)series->family != family)
            continue;
        if (!begun)
            (void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", families[family].name, families[family].help,
                          families[family].name, families[family].type);
        begun = true;
        if (is_histogram(family))
            write_histogram(out, families[family].name, series);
        else
            (void)fprintf(out, "%s{%s} %" PRIu64 "\n", families[family].name, series->labels, series->value);
    }
}

void metrics_write(FILE *out, const struct metrics *metrics)
{
    for (size_t family = 0; family < METRICS_FAMILIES; family++)
        write_family(out, metrics, family);
}

/* ------------------------------------------------------------------------------------------------------ reading */

/* Digits; and of a sum six more behind a dot, which makes it microseconds. */
static bool read_number(const char *text, bool is_sum, uint64_t *ret)
{
    uint64_t number = 0;
    size_t digits = strspn(text, "0123456789");
    bool has_dot = text[digits] == '.';

    if (digits == 0 || has_dot != is_sum || (has_dot && strspn(text + digits + 1, "0123456789") != 6) ||
        text[digits + (has_dot ? 7 : 0)] != '\0')
        return false;
    for (; *text != '\0'; text++)
        if (*text != '.' && (__builtin_mul_overflow(number, 10, &number) ||
                             __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number)))
            return false;
    *ret = number;
    return true;
}

/* `name` is what stands before the labels. Its end behind the family's, "_sum", or NULL. */
static const char *suffix_of(const char *name, size_t *ret_family)
{
    for (size_t family = 0; family < METRICS_FAMILIES; family++) {
        size_t length = strlen(families[family].name);
        const char *suffix = name + length;
        if (strncmp(name, families[family].name, length) != 0)
            continue;
        *ret_family = family;
        if (is_histogram(family)
                ? strcmp(suffix, "_bucket") == 0 || strcmp(suffix, "_sum") == 0 || strcmp(suffix, "_count") == 0
                : suffix[0] == '\0')
            return suffix;
    }
    return NULL;
}

static char *last_bound(char *labels)
{
    char *last = NULL;

    for (char *bound = labels; (bound = strstr(bound, ",le=\"")) != NULL; bound++)
        last = bound;
    return last;
}

/* Cuts the label of the bucket off; METRICS_BUCKETS is that of all. A value before it may look like one. */
static bool cut_bound(char *labels, size_t *ret)
{
    char *bound = last_bound(labels);
    size_t length = bound == NULL ? 0 : strlen(bound);

    if (length < 7 || bound[length - 1] != '"')
        return false;
    bound[length - 1] = '\0';
    for (*ret = 0; *ret <= METRICS_BUCKETS; ++*ret)
        if (strcmp(bound + 5, bounds[*ret]) == 0) {
            *bound = '\0';
            return true;
        }
    return false;
}

/* Are they labels as they are written here? `a="b",c="d"`. The label `le` is a bucket's, and no series has it. */
static bool are_labels(const char *text)
{
    while (true) {
        size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
        if (name == 0 || text[name] != '=' || text[name + 1] != '"' || (name == 2 && memcmp(text, "le", 2) == 0))
            return false;
        text += name + 2;
        text += strcspn(text, "\"\\");
        if (*text != '"')
            return false;
        if (*++text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

static bool read_sample(struct metrics *metrics, const char *name, char *labels, const char *number)
{
    size_t family = 0;
    const char *suffix = suffix_of(name, &family);
    size_t bound = METRICS_BUCKETS;
    struct metrics_series *series;
    uint64_t value;

    if (suffix == NULL || !read_number(number, strcmp(suffix, "_sum") == 0, &value) ||
        (strcmp(suffix, "_bucket") == 0 && !cut_bound(labels, &bound)) || !are_labels(labels))
        return false;
    series = metrics_series(metrics, (enum metrics_family)family, labels);
    if (series == NULL)
        return false;
    if (strcmp(suffix, "_sum") == 0)
        series->sum_us = value;
    else if (bound < METRICS_BUCKETS)
        series->buckets[bound] = value;
    else
        series->value = value;
    return true;
}

static bool read_line(struct metrics *metrics, char *line)
{
    char *labels = strchr(line, '{');
    char *end = labels == NULL ? NULL : strchr(labels, '}');

    if (line[0] == '#' || line[0] == '\0')
        return true;
    if (end == NULL || end[1] != ' ')
        return false;
    *labels = '\0';
    *end = '\0';
    return read_sample(metrics, line, labels + 1, end + 2);
}

bool metrics_read(char *text, struct metrics *ret)
{
    struct metrics read = {.list = NULL};
    char *rest = text;

    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
        if (!read_line(&read, line)) {
            metrics_clear(&read);
            return false;
        }
    *ret = read;
    return true;
}

/* --------------------------------------------------------------------------------------------------------- the file */

static bool fail(const char *name, const char *why, os_error *err)
{
    err->code = OS_ERR_IO;
    (void)snprintf(err->message, sizeof(err->message), "The metrics file %.300s %s.", name, why);
    return false;
}

static bool read_file(int fd, const char *name, struct metrics *ret, os_error *err)
{
    char *text = malloc(METRICS_SIZE_MAX + 1);
    ssize_t length = text == NULL ? -1 : pread(fd, text, METRICS_SIZE_MAX, 0);
    bool good = length >= 0 && length < METRICS_SIZE_MAX;

    if (good) {
        text[length] = '\0';
        good = strlen(text) == (size_t)length && metrics_read(text, ret);
        if (!good)
            (void)fail(name, "is not one of oscommit: name another file, or remove it", err);
    } else {
        (void)fail(name, length < 0 ? strerror(errno) : "is too long", err);
    }
    free(text);
    return good;
}

/* -1 for ENOENT without `make`. */
static int open_file(const char *name, bool make, os_error *err)
{
    int fd = open(name, (make ? O_RDWR | O_CREAT : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    struct stat info;

    if (fd < 0) {
        if (make || errno != ENOENT)
            (void)fail(name, errno == ELOOP ? "is a symbolic link" : strerror(errno), err);
        return -1;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        return fd;
    (void)close(fd);
    (void)fail(name, "is no regular file", err);
    return -1;
}

/* Another run may have given the name to a new file since it was opened. */
static bool has_name(int fd, const char *name)
{
    struct stat here;
    struct stat there;

    return fstat(fd, &here) == 0 && lstat(name, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

static int lock_file(const char *name, os_error *err)
{
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        int fd = open_file(name, true, err);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && has_name(fd, name))
            return fd;
        (void)close(fd);
        (void)poll(NULL, 0, LOCK_PAUSE_MS); /* nothing tells when it is free, and a run must not wait for ever */
    }
    (void)fail(name, "is in use by another process", err);
    return -1;
}

bool metrics_add_to_file(const char *name, const struct metrics *metrics, os_error *err)
{
    struct metrics sum = {.list = NULL};
    struct result_file file = {.stream = NULL};
    int fd = lock_file(name, err);
    bool good;

    if (fd < 0)
        return false;
    good = read_file(fd, name, &sum, err);
    if (good && !metrics_merge(&sum, metrics))
        good = fail(name, "has too many series", err);
    if (good && result_file_open(name, &file, err)) {
        metrics_write(file.stream, &sum);
        good = result_file_close(&file, true, err);
    } else {
        good = false;
    }
    metrics_clear(&sum);
    (void)close(fd);
    return good;
}

static bool folder_is_writable(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(name, slash == name ? 1 : (size_t)(slash - name));
    bool good = folder != NULL && access(folder, W_OK | X_OK) == 0;

    free(folder);
    return good;
}

bool metrics_check_file(const char *name, struct usage *usage)
{
    struct metrics there = {.list = NULL};
    os_error err = {0};
    int fd;

    if (!folder_is_writable(name))
        return usage_refuse_file(usage, errno, "The metrics file %.300s cannot be written", name);
    fd = open_file(name, false, &err);
    if (fd >= 0) {
        if (read_file(fd, name, &there, &err))
            metrics_clear(&there);
        (void)close(fd);
    }
    return err.code == OS_OK || usage_refuse(usage, "%s", err.message);
}
