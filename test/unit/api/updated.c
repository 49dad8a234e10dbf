/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/updated.h"

#include <stdio.h>
#include <string.h>

static void note_line(void *context, os_log_level level, const char *line)
{
    struct updated *updated = context;
    (void)level;
    if (strstr(line, "waits for an earlier one"))
        event_set(&updated->waits);
}

static void note_metric(void *context, const os_metric *metric)
{
    struct updated *updated = context;
    if (metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "GET") == 0)
        atomic_fetch_add(&updated->gets, 1);
}

os_client *updated_open(struct updated *updated)
{
    os_options options = OS_OPTIONS_INIT;
    options.log = note_line;
    options.log_context = updated;
    options.log_level = OS_LOG_DEBUG;
    options.metric = note_metric;
    options.metric_context = updated;
    return scratch_client(&updated->scratch, &options);
}

void updated_set_up(struct updated *updated)
{
    scratch_set_up(&updated->scratch);
    updated->waits = (struct event)EVENT_INIT;
    updated->other = scratch_client(&updated->scratch, NULL);
    updated->client = updated_open(updated);
    updated->call = (os_call)OS_CALL_INIT;
    updated->options = (os_update_options)OS_UPDATE_OPTIONS_INIT;
    updated->result = (os_result)OS_RESULT_INIT;
    assert_int_equal(os_cancel_new(&updated->cancel), OS_OK);
    updated->call.cancel = updated->cancel;
}

void updated_tear_down(struct updated *updated)
{
    os_result_clear(&updated->result);
    os_client_close(updated->client);
    os_client_close(updated->other);
    os_cancel_free(updated->cancel);
    scratch_tear_down(&updated->scratch);
}

void updated_write_now(struct updated *updated, const char *bytes)
{
    os_body body = OS_BODY_MEMORY(bytes, strlen(bytes));
    os_error error;
    CHECK_CODE(os_put(updated->other, "key", &body, NULL, NULL, NULL, &error), OS_OK, &error);
}

void updated_check_object(struct updated *updated, const char *bytes)
{
    void *data = NULL;
    size_t length = 0;
    os_object object = OS_OBJECT_INIT;
    os_sink sink = OS_SINK_INIT;
    os_error error;
    sink.ret_data = &data;
    sink.ret_length = &length;
    CHECK_CODE(os_get(updated->other, "key", &sink, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(data, bytes);
    assert_int_equal(length, strlen(bytes));
    os_free(data);
}

void updated_note(struct updated *updated, const os_current *current)
{
    assert_true(updated->runs < 8);
    assert_int_equal(current->size, sizeof(*current));
    assert_string_equal(current->key, "key");
    assert_int_equal(current->length, strlen(current->data));
    snprintf(updated->seen[updated->runs++], sizeof(updated->seen[0]), "%s",
             current->exists ? (const char *)current->data : "absent");
    snprintf(updated->etag, sizeof(updated->etag), "%s", current->etag);
    updated->round = current->round;
}

int updated_add_plus(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    updated_note(updated, current);
    if (updated->runs == updated->stops_at)
        return 7;
    snprintf(updated->bytes, sizeof(updated->bytes), "%.40s+", (const char *)current->data);
    ret->data = updated->gives ? updated->gives : updated->bytes;
    ret->length = strlen(ret->data);
    if (updated->runs <= updated->losses) {
        char other[32];
        snprintf(other, sizeof(other), "other %d", updated->runs);
        updated_write_now(updated, other);
    }
    return 0;
}

os_verdict updated_update(struct updated *updated, os_transform_fn transform)
{
    os_result_clear(&updated->result);
    os_verdict verdict = os_update(updated->client, "key", transform, updated, &updated->options, &updated->call,
                                   &updated->result, &updated->error);
    assert_int_equal(updated->result.final, verdict != OS_UNKNOWN);
    return verdict;
}

void updated_check_verdict(struct updated *updated, os_verdict got, os_verdict wanted, os_code code)
{
    if (got != wanted)
        fail_msg("%s instead of %s: %s", os_verdict_name(got), os_verdict_name(wanted), updated->error.message);
    assert_int_equal(updated->error.code, code);
}
