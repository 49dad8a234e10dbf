/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

uint64_t measure_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t us_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

void measure_wait_for_go(void)
{
    char line[16];
    printf("ready\n");
    fflush(stdout);
    (void)!fgets(line, sizeof(line), stdin);
}

struct measure measure_begin(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct measure){measure_now_us(), us_of(usage.ru_utime) + us_of(usage.ru_stime)};
}

void measure_end(struct measure *measure)
{
    struct measure now = measure_begin();
    measure->wall_us = now.wall_us - measure->wall_us;
    measure->cpu_us = now.cpu_us - measure->cpu_us;
}

static void samples_reserve(struct samples *samples, size_t more)
{
    if (samples->count + more <= samples->size)
        return;
    samples->size = 2 * samples->size + more;
    samples->us = realloc(samples->us, samples->size * sizeof(*samples->us));
    if (samples->us == NULL)
        abort();
}

void samples_add(struct samples *samples, uint64_t us)
{
    samples_reserve(samples, 1);
    samples->us[samples->count++] = us;
}

void samples_merge(struct samples *to, struct samples *from)
{
    samples_reserve(to, from->count);
    if (from->count > 0)
        memcpy(to->us + to->count, from->us, from->count * sizeof(*from->us));
    to->count += from->count;
    free(from->us);
    *from = (struct samples){0};
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static uint64_t at_share(const struct samples *samples, double share)
{
    return samples->count > 0 ? samples->us[(size_t)((double)(samples->count - 1) * share)] : 0;
}

/* The most that was in memory. getrusage would tell that of the program that started this one, if that was more. */
static long rss_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kb;
}

/* Without what would end a string of JSON. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? '\'' : *text);
}

void measure_report(const struct measure *measure, struct samples *samples, unsigned failed, const char *error)
{
    if (samples->count > 0)
        qsort(samples->us, samples->count, sizeof(*samples->us), compare);
    printf("{\"operations\": %zu, \"failed\": %u, \"wall_s\": %.4f, \"cpu_us\": %" PRIu64 ", \"p50_us\": %" PRIu64
           ", \"p90_us\": %" PRIu64 ", \"p99_us\": %" PRIu64 ", \"max_us\": %" PRIu64
           ", \"rss_kb\": %ld, \"error\": \"",
           samples->count, failed, (double)measure->wall_us / 1e6, measure->cpu_us, at_share(samples, 0.5),
           at_share(samples, 0.9), at_share(samples, 0.99), at_share(samples, 1), rss_kb());
    print_text(error);
    printf("\"}\n");
    fflush(stdout);
}
