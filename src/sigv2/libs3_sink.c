/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_sink.h"

#include "base/error.h"
#include "s3/answer_mark.h"

static bool is_anothers(const struct libs3_run *run)
{
    return run->call->marks && s3_mark_of(&run->peek.answer) == S3_MARK_NONE;
}

/* Before a byte is given on: a caller's function cannot give it back. */
static bool libs3_sink_begin_data(struct libs3_run *run)
{
    if (is_anothers(run))
        error_set(&run->read_error, OS_ERR_NETWORK, "The answer to GET of %.300s does not come from the store.",
                  run->key);
    else if (!run->read.begun)
        (void)s3_read_begin(&run->read, run->key, &run->peek.answer, run->offset, run->count, &run->read_error);
    return run->read_error.code == OS_OK;
}

S3Status libs3_sink_take(int length, const char *data, void *context)
{
    struct libs3_run *run = context;
    if (!run->peek.answered) {
        run->missed = true;
        return S3StatusAbortedByCallback;
    }
    if (length <= 0)
        return S3StatusOK;
    if (!libs3_sink_begin_data(run))
        return S3StatusAbortedByCallback;
    libs3_run_gave(run);
    s3_read_add(&run->read, data, (size_t)length);
    if (run->sink(run->sink_context, data, (size_t)length) == 0)
        return S3StatusOK;
    run->sink_stopped = true;
    return S3StatusAbortedByCallback;
}

os_code libs3_sink_begin(struct libs3_run *run, os_error *err)
{
    if (libs3_sink_begin_data(run))
        return OS_OK;
    if (err)
        *err = run->read_error;
    return run->read_error.code;
}

os_code libs3_sink_end(struct libs3_run *run, struct s3_object *object, os_error *err)
{
    os_code code = s3_read_end(&run->read, run->key, err);
    if (code == OS_OK && !run->read.has_length)
        object->length = run->read.received;
    return code;
}
