/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 2048 };

int log_init(struct log *log, os_log_fn fn, void *context, os_log_level level)
{
    *log = (struct log){.fn = fn, .context = context, .level = level};
    return pthread_mutex_init(&log->mutex, NULL);
}

void log_destroy(struct log *log)
{
    pthread_mutex_destroy(&log->mutex);
}

void log_line(struct log *log, os_log_level level, const char *format, ...)
{
    if (log == NULL || log->fn == NULL || level > log->level)
        return;
    char line[LINE_MAX_BYTES + 1];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (len < 0)
        return;
    char shown[LINE_MAX_BYTES];
    os_escape_text(line, text_utf8_cut(text_from(line), LINE_MAX_BYTES - 1), shown, sizeof(shown));
    pthread_mutex_lock(&log->mutex);
    log->fn(log->context, level, shown);
    pthread_mutex_unlock(&log->mutex);
}
