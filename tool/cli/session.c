/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session.h"

#include "cli/metrics.h"
#include "cli/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void log_line(void *context, os_log_level level, const char *line)
{
    output_log(context, level, line);
}

static os_log_level log_level(const struct options *options)
{
    if (options_on(options, OPTION_QUIET))
        return OS_LOG_ERROR;
    switch (options->given[OPTION_VERBOSE]) {
    case 0: return OS_LOG_WARN;
    case 1: return OS_LOG_INFO;
    default: return OS_LOG_DEBUG;
    }
}

/* "Not executed" would be said of the write that a ticket is of. */
static enum status session_report(struct session *session, const char *url, const os_error *error)
{
    enum status status = status_of_read(error);

    if (session->options->command->settles && status != STATUS_USAGE)
        status = STATUS_UNKNOWN;
    return output_outcome(&session->output, url, status, error);
}

enum status session_fail(struct session *session, const char *url, os_code code, const char *format, ...)
{
    os_error error = {.code = code};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(error.message, sizeof(error.message), format, args);
    va_end(args);
    return session_report(session, url, &error);
}

static enum status session_start(struct session *session, const struct options *options, int peer)
{
    static const os_call plain = OS_CALL_INIT;

    memset(session, 0, sizeof(*session));
    session->options = options;
    output_start(&session->output, options);
    if (!interrupt_start(&session->interrupt, peer, session->output.progress.on ? progress_tick : NULL,
                         &session->output.progress)) {
        return session_fail(session, NULL, OS_ERR_IO, "The thread that waits for signals could not be started: %s.",
                            strerror(errno));
    }
    session->call = plain;
    session->call.deadline_ms = options_number(options, OPTION_DEADLINE_MS);
    session->call.cancel = session->interrupt.cancel;
    session->call.progress = session->output.progress.on ? progress_update : NULL;
    session->call.progress_context = &session->output.progress;
    return STATUS_DONE;
}

/* `ledger_url` NULL: that of the options. */
static enum status connect_to(struct session *session, const char *store_url, const char *ledger_url, os_client **ret)
{
    struct usage usage = {0};
    os_options settings;
    os_error error = {0};
    os_code code;

    if (!settings_fill(session->options, store_url, &settings, &usage))
        return output_usage(session->options, &usage);
    if (ledger_url != NULL)
        settings.ledger_url = ledger_url;
    settings.log = log_line;
    settings.log_context = &session->output;
    settings.log_level = log_level(session->options);
    if (metrics_on())
        settings.metric = metrics_take;
    code = os_client_open(&settings, ret, &error);
    if (code != OS_OK)
        return session_report(session, store_url != NULL ? store_url : ledger_url, &error);
    return STATUS_DONE;
}

enum status session_connect_table(struct session *session, const char *ledger_url, os_client **ret)
{
    return connect_to(session, NULL, ledger_url, ret);
}

enum status session_open_peered(struct session *session, const struct options *options, const char *store_url, int peer)
{
    enum status status = session_start(session, options, peer);

    return status == STATUS_DONE ? connect_to(session, store_url, NULL, &session->client) : status;
}

enum status session_open(struct session *session, const struct options *options, const char *store_url)
{
    return session_open_peered(session, options, store_url, -1);
}

enum status session_close(struct session *session, enum status status)
{
    interrupt_settle(&session->interrupt, (int)status);
    os_client_close(session->client); /* before the token that its calls use */
    session->client = NULL;
    interrupt_stop(&session->interrupt);
    progress_end(&session->output.progress);
    return status;
}
