/* SPDX-License-Identifier: Apache-2.0 */
#include "common/transfer.h"

#include "cli/guarded.h"
#include "common/fencing.h"
#include "common/headers.h"
#include "common/input.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status put_plain(struct session *session, const struct location *to, const struct input *input,
                             const os_body *body, const os_put_options *headers)
{
    os_object made = OS_OBJECT_INIT;
    os_error error = {0};

    if (os_put(session->client, to->key, body, headers, &session->call, &made, &error) != OS_OK) {
        input_explain(input, &error);
        return output_plain_write(&session->output, to->url, &error);
    }
    return output_object(&session->output, to->url, &made, false);
}

static enum status put_body(struct session *session, const struct location *to, const struct input *input,
                            const os_body *body, os_put_options *headers)
{
    const char *etag = options_text(session->options, OPTION_IF_MATCH);
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_verdict verdict;
    enum status status;

    bool guarded = etag != NULL || options_on(session->options, OPTION_IF_ABSENT);

    status = guarded ? fencing_take(session, to->url, &headers->fencing) : fencing_refuse_put(session, to->url);
    if (status != STATUS_DONE)
        return status;
    if (!guarded)
        return put_plain(session, to, input, body, headers);
    if (etag != NULL)
        verdict = os_put_if_match(session->client, to->key, etag, body, headers, &session->call, &result, &error);
    else
        verdict = os_put_if_absent(session->client, to->key, body, headers, &session->call, &result, &error);
    input_explain(input, &error);
    return guarded_finish(session, to->url, verdict, &result, &error);
}

enum status transfer_up(struct session *session, const struct location *to, const char *file)
{
    struct input input;
    os_body body;
    struct headers headers;
    enum status status;

    if (!headers_fill(&headers, session->options))
        return session_fail(session, to->url, OS_ERR_NO_MEMORY, "There is no memory for the metadata.");
    input_body(&input, session, file, &body);
    status = put_body(session, to, &input, &body, &headers.options);
    input_close(&input);
    headers_clear(&headers);
    return status;
}

/* Also by its names as a file: opened by one of those, what it is redirected to would be written from its start. */
static bool is_stdout(const char *file)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(file, names[i]) == 0)
            return true;
    return false;
}

struct stdout_sink {
    const struct interrupt *interrupt;
    int failure; /* errno of a failed write */
};

/* Runs on the library's thread. Pieces of PIPE_BUF fit whenever poll says that a pipe is ready, so that a reader which
 * has stopped reading cannot keep a signal from ending the call. */
static int write_stdout(void *context, const void *data, size_t length)
{
    struct stdout_sink *sink = context;
    const char *next = data;

    while (length > 0) {
        ssize_t written;
        if (!interrupt_wait(sink->interrupt, STDOUT_FILENO, POLLOUT))
            return 1;
        written = write(STDOUT_FILENO, next, length < PIPE_BUF ? length : PIPE_BUF);
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            sink->failure = errno;
            return 1;
        }
        if (written > 0) {
            next += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

static enum status down_to_stdout(struct session *session, const struct location *from, os_sink *sink)
{
    struct stdout_sink out = {.interrupt = &session->interrupt};
    os_error error = {0};
    os_code code;

    sink->write = write_stdout;
    sink->write_context = &out;
    code = os_get(session->client, from->key, sink, &session->call, NULL, &error);
    if (code == OS_ERR_STOPPED && out.failure != 0) {
        (void)session_fail(session, from->url, OS_ERR_IO, "The object could not be written to stdout: %s.",
                           strerror(out.failure));
        return STATUS_OUTPUT;
    }
    if (code == OS_ERR_STOPPED) {
        return session_fail(session, from->url, OS_ERR_CANCELLED,
                            "A signal stopped the command before the whole object was read.");
    }
    if (code != OS_OK)
        return output_outcome(&session->output, from->url, status_of_read(&error), &error);
    progress_end(&session->output.progress);
    return STATUS_DONE; /* the object is the result; a line behind it would spoil it */
}

enum status transfer_down(struct session *session, const struct location *from, const char *file, uint64_t offset,
                          uint64_t count)
{
    os_sink sink = OS_SINK_INIT;
    os_object found = OS_OBJECT_INIT;
    os_error error = {0};
    os_code code;

    sink.offset = offset;
    sink.count = count;
    sink.version_id = options_text(session->options, OPTION_VERSION_ID);
    if (is_stdout(file))
        return down_to_stdout(session, from, &sink);
    sink.file = file;
    code = os_get(session->client, from->key, &sink, &session->call, &found, &error);
    if (code != OS_OK)
        return output_outcome(&session->output, from->url, status_of_read(&error), &error);
    return output_object(&session->output, from->url, &found, true);
}

bool transfer_down_check(const struct options *options, const char *file, struct usage *usage)
{
    if (is_stdout(file) && options_on(options, OPTION_JSON))
        return usage_refuse(usage, "The object and the JSON result cannot both go to stdout: name a file.");
    return true;
}
