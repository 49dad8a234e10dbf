/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include "cli/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUICK_MS = 1000, REDRAW_MS = 100 };

static bool on_terminal(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) == 1 && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

void progress_start(struct progress *progress, bool wanted, const char *label)
{
    memset(progress, 0, sizeof(*progress));
    (void)pthread_mutex_init(&progress->mutex, NULL);
    progress->on = wanted && on_terminal();
    progress->label = label;
    progress->started_ms = duration_now_ms();
}

void progress_format(const struct progress *progress, uint64_t now, char *ret, size_t ret_size)
{
    uint64_t seconds = (now - progress->started_ms) / 1000;
    const double mebibyte = 1024.0 * 1024.0;

    if (progress->total == 0 && progress->done > 0 && progress->unit == NULL) { /* of a stream the end is not known */
        (void)snprintf(ret, ret_size, "%s: %.1f MiB, %" PRIu64 " s", progress->label, (double)progress->done / mebibyte,
                       seconds);
    } else if (progress->total == 0) {
        (void)snprintf(ret, ret_size, "%s: waiting, %" PRIu64 " s", progress->label, seconds);
    } else if (progress->unit != NULL) {
        (void)snprintf(ret, ret_size, "%s: %" PRIu64 " of %" PRIu64 " %s, %" PRIu64 " s", progress->label,
                       progress->done, progress->total, progress->unit, seconds);
    } else {
        (void)snprintf(ret, ret_size, "%s: %.1f of %.1f MiB, %" PRIu64 " s", progress->label,
                       (double)progress->done / mebibyte, (double)progress->total / mebibyte, seconds);
    }
}

/* With the mutex held. CSI K takes away the rest of an older, longer line. */
static void progress_draw(struct progress *progress)
{
    char line[160];
    uint64_t now = duration_now_ms();

    if (!progress->on || now - progress->started_ms < QUICK_MS || now - progress->drawn_ms < REDRAW_MS)
        return;
    progress->drawn_ms = now;
    progress_format(progress, now, line, sizeof(line));
    (void)fprintf(stderr, "\r%.78s\033[K", line);
    progress->drawn = true;
}

void progress_update(void *context, uint64_t done, uint64_t total)
{
    struct progress *progress = context;

    (void)pthread_mutex_lock(&progress->mutex);
    progress->done = done;
    progress->total = total;
    progress_draw(progress);
    (void)pthread_mutex_unlock(&progress->mutex);
}

void progress_count(struct progress *progress, const char *unit)
{
    (void)pthread_mutex_lock(&progress->mutex);
    progress->unit = unit;
    progress->done = 0;
    progress->total = 0;
    (void)pthread_mutex_unlock(&progress->mutex);
}

void progress_report(struct progress *progress, const char *unit, uint64_t done, uint64_t total)
{
    (void)pthread_mutex_lock(&progress->mutex);
    (void)snprintf(progress->own_unit, sizeof(progress->own_unit), "%s", unit);
    progress->unit = progress->own_unit;
    progress->done = done;
    progress->total = total;
    progress_draw(progress);
    (void)pthread_mutex_unlock(&progress->mutex);
}

void progress_tick(void *context)
{
    struct progress *progress = context;

    (void)pthread_mutex_lock(&progress->mutex);
    progress_draw(progress);
    (void)pthread_mutex_unlock(&progress->mutex);
}

/* With the mutex held. */
static void progress_erase(struct progress *progress)
{
    if (progress->drawn) {
        (void)fputs("\r\033[K", stderr);
        progress->drawn = false;
    }
}

void progress_clear(struct progress *progress)
{
    (void)pthread_mutex_lock(&progress->mutex);
    progress_erase(progress);
    (void)pthread_mutex_unlock(&progress->mutex);
}

void progress_end(struct progress *progress)
{
    (void)pthread_mutex_lock(&progress->mutex);
    progress_erase(progress);
    progress->on = false;
    (void)pthread_mutex_unlock(&progress->mutex);
}
