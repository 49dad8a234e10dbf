/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include "inject.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_TEXT = 300 * 1024, SHORT_TEXT = 700 };

static const char *const content_types[] = {"", "text/x-old", "text/x-new", ""};

bool trial_blame(struct trial *trial, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(trial->why, sizeof(trial->why), format, values);
    va_end(values);
    return false;
}

/* Long enough for two blocks of the embedded store where a file is sent, short otherwise. */
void trial_text(const struct trial *trial, enum state state, const char **ret, size_t *ret_length)
{
    static char texts[2][LONG_TEXT];
    int new = state == STATE_NEW;
    if (texts[new][0] == '\0')
        for (size_t i = 0; i < LONG_TEXT; i++)
            texts[new][i] = (char)((new ? 'A' : 'a') + (int)(i * 7 % 23));
    bool is_long = new &&strstr(trial->scenario->name, "file") != NULL;
    *ret = texts[new];
    *ret_length = is_long ? LONG_TEXT : new ? SHORT_TEXT : SHORT_TEXT / 2;
}

/* ------------------------------------------------------------------------------------------------------- before */

static bool put_state(struct trial *trial, os_client *calm, const char *key, enum state state, char *ret_etag)
{
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_metadata metadata = {"which", content_types[state]};
    os_object object = OS_OBJECT_INIT;
    os_result result = OS_RESULT_INIT;
    const char *text;
    size_t length;
    if (state == STATE_NONE)
        return true;
    trial_text(trial, state, &text, &length);
    os_body body = OS_BODY_MEMORY(text, length);
    options.content_type = content_types[state];
    options.metadata = &metadata;
    options.metadata_count = 1;
    options.fencing = key == trial->key ? trial->scenario->fencing_before : 0;
    bool guarded = trial->scenario->guarded_before && key == trial->key;
    bool there = guarded ? os_put_if_absent(calm, key, &body, &options, NULL, &result, &trial->err) == OS_COMMITTED
                         : os_put(calm, key, &body, &options, NULL, &object, &trial->err) == OS_OK;
    strcpy(ret_etag, guarded ? result.etag : object.etag);
    os_result_clear(&result);
    return there ? true : trial_blame(trial, "The trial could not be prepared: %s", trial->err.message);
}

static bool write_file(struct trial *trial)
{
    const char *text;
    size_t length;
    trial_text(trial, STATE_NEW, &text, &length);
    FILE *file = fopen(trial->file, "w");
    bool written = file != NULL && fwrite(text, 1, length, file) == length;
    if (file != NULL && fclose(file) != 0)
        written = false;
    return written ? true : trial_blame(trial, "%s could not be written", trial->file);
}

bool trial_is_of_table(const struct trial *trial)
{
    return trial->scenario->kind == SCENARIO_LEASE || trial->scenario->kind == SCENARIO_LOCK ||
           trial->scenario->kind == SCENARIO_ROWS;
}

bool trial_prepare(struct trial *trial, os_client *calm)
{
    char other_etag[128] = "";
    const char *name = trial->scenario->name;
    snprintf(trial->key, sizeof(trial->key), "t/%s/%lu", name, trial->number);
    snprintf(trial->other, sizeof(trial->other), "o/%s/%lu", name, trial->number);
    snprintf(trial->file, sizeof(trial->file), "%s-file", trial->world->root);
    trial->call = (os_call)OS_CALL_INIT;
    trial->call.deadline_ms = trial->scenario->deadline_ms ? trial->scenario->deadline_ms : 250;
    if (trial->undisturbed)
        trial->call.deadline_ms = FOLLOW_UP_MS;
    trial->result = (os_result)OS_RESULT_INIT;
    trial->object = (os_object)OS_OBJECT_INIT;
    if (trial_is_of_table(trial))
        return trial->scenario->prepare == NULL || trial->scenario->prepare(calm, trial);
    if (!put_state(trial, calm, trial->key, trial->scenario->before, trial->etag) ||
        !put_state(trial, calm, trial->other, trial->scenario->other_before, other_etag) ||
        (strstr(name, "file") != NULL && !write_file(trial)))
        return false;
    if (trial->scenario->stale && !trial->scenario->etag_is_true)
        strcpy(trial->etag, "\"00000000000000000000000000000000\"");
    memset(&trial->err, 0, sizeof(trial->err));
    return true;
}

void trial_run(struct trial *trial)
{
    os_client *client = NULL;
    os_options options = *world_options(trial->world, trial->scenario->kind);
    options.stage_above = trial->scenario->in_parts ? 1 : 0;
    options.metric = trial->scenario->metric;
    options.metric_context = trial;
    inject_pause(trial->scenario->calm_at_first);
    inject_set_opening(true);
    trial->opened = os_client_open(&options, &client, &trial->err);
    inject_set_opening(false);
    if (trial->opened == OS_OK) {
        trial->scenario->run(client, trial);
        inject_pause(false);
        os_client_close(client);
    }
}

/* Who does not find it free says so before: that it is released is not judged here. */
void trial_close_calm(struct trial *trial)
{
    (void)os_lease_release(trial->of_another, NULL, NULL);
    trial->of_another = NULL;
    os_client_close(trial->calm);
    trial->calm = NULL;
}

void trial_clear(struct trial *trial)
{
    os_result_clear(&trial->result);
    os_free(trial->data);
    trial->data = NULL;
    os_model_free(trial->model);
    trial->model = NULL;
}

/* -------------------------------------------------------------------------------------------------------- after */

/* Bytes, headers and ETag must be of one version. */
static bool read_state(struct trial *trial, os_client *calm, const char *key, enum state *ret)
{
    os_sink sink = OS_SINK_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error err;
    void *data = NULL;
    size_t length = 0;
    sink.ret_data = &data;
    sink.ret_length = &length;
    os_code code = os_get(calm, key, &sink, NULL, &object, &err);
    if (code != OS_OK && code != OS_ERR_NOT_FOUND)
        return trial_blame(trial, "%s cannot be read by an undisturbed client: %s", key, err.message);
    *ret = code == OS_ERR_NOT_FOUND ? STATE_NONE : STATE_TORN;
    for (enum state state = STATE_OLD; code == OS_OK && state <= STATE_NEW; state++) {
        const char *text;
        size_t text_length;
        trial_text(trial, state, &text, &text_length);
        if (length == text_length && memcmp(data, text, length) == 0 &&
            strcmp(object.content_type, content_types[state]) == 0)
            *ret = state;
    }
    if (*ret == STATE_TORN)
        trial_blame(trial, "%s is torn: %zu bytes, content type %s", key, length, object.content_type);
    os_free(data);
    return *ret != STATE_TORN;
}

static bool read_states(struct trial *trial, os_client *calm, enum state *ret, enum state *ret_other)
{
    return read_state(trial, calm, trial->key, ret) && read_state(trial, calm, trial->other, ret_other);
}

static const char *const state_names[] = {"nothing", "the old version", "the new version", "a mixture"};

static bool lie(struct trial *trial, const char *told)
{
    return trial_blame(trial, "told \"%s\" (%s %s), but there is %s at the key, %s at the other", told,
                       os_code_name(trial->err.code), trial->err.message, state_names[trial->state],
                       state_names[trial->other_state]);
}

static bool is_before(const struct trial *trial)
{
    return trial->state == trial->scenario->before && trial->other_state == trial->scenario->other_before;
}

/* A rename may end between its two halves: both are there then, never neither, and the error says so. */
static bool is_after(const struct trial *trial, bool whole)
{
    const struct scenario *scenario = trial->scenario;
    return trial->state == scenario->after &&
           (trial->other_state == scenario->other_after || (!whole && trial->other_state == scenario->other_before));
}

static bool check_guarded(struct trial *trial)
{
    const struct scenario *scenario = trial->scenario;
    switch (trial->verdict) {
    case OS_COMMITTED:
        return !scenario->stale && is_after(trial, trial->err.code == OS_OK && !trial->resolved)
                   ? true
                   : lie(trial, "committed");
    case OS_CONFLICT: return scenario->stale && is_before(trial) ? true : lie(trial, "conflict");
    case OS_NOT_EXECUTED: return is_before(trial) && trial->err.code != OS_OK ? true : lie(trial, "not executed");
    case OS_UNKNOWN:
        return is_before(trial) || (!scenario->stale && is_after(trial, false)) ? true : lie(trial, "unknown");
    default: return trial_blame(trial, "no verdict was given");
    }
}

static bool check_plain(struct trial *trial)
{
    if (trial->code == OS_OK)
        return is_after(trial, true) ? true : lie(trial, "OS_OK");
    if (trial->code == OS_ERR_UNDECIDED)
        return is_before(trial) || is_after(trial, true) ? true : lie(trial, "OS_ERR_UNDECIDED");
    return is_before(trial) ? true : lie(trial, os_code_name(trial->code));
}

static bool check_error(struct trial *trial, os_code code)
{
    if (trial->scenario->kind == SCENARIO_GUARDED && trial->opened == OS_OK) {
        bool wants = trial->verdict != OS_COMMITTED;
        return !wants || (trial->err.code != OS_OK && trial->err.message[0] != '\0')
                   ? true
                   : trial_blame(trial, "verdict %s without a sentence", os_verdict_name(trial->verdict));
    }
    if (trial->err.code != code || (code != OS_OK && trial->err.message[0] == '\0')) {
        return trial_blame(trial, "%s was returned, and the error says %s \"%s\"", os_code_name(code),
                           os_code_name(trial->err.code), trial->err.message);
    }
    return true;
}

static bool check_of_table(struct trial *trial, os_client *calm)
{
    os_code code = trial->opened == OS_OK ? trial->code : trial->opened;
    if (trial->undisturbed && code != trial->scenario->wanted)
        return trial_blame(trial, "undisturbed, and told %s: %s", os_code_name(code), trial->err.message);
    return trial->opened != OS_OK || trial->scenario->check == NULL || trial->scenario->check(calm, trial);
}

bool trial_check(struct trial *trial, os_client *calm)
{
    bool ran = trial->opened == OS_OK;
    if (!check_error(trial, ran ? trial->code : trial->opened))
        return false;
    if (trial_is_of_table(trial))
        return check_of_table(trial, calm);
    if (!read_states(trial, calm, &trial->state, &trial->other_state))
        return false;
    if (!ran)
        return is_before(trial) ? true : lie(trial, "not even opened");
    switch (trial->scenario->kind) {
    case SCENARIO_GUARDED: return check_guarded(trial);
    case SCENARIO_PLAIN: return check_plain(trial);
    default:
        if (!is_before(trial))
            return lie(trial, "a read");
        return trial->scenario->check == NULL || trial->scenario->check(calm, trial);
    }
}

/* ------------------------------------------------------------------------------------------------------- settle */

static bool settle_unknown(struct trial *trial, os_client *calm)
{
    os_result result = OS_RESULT_INIT;
    os_error err;
    os_verdict verdict = os_resolve(calm, trial->result.ticket, NULL, &result, &err);
    bool for_good = strcmp(result.rule, "R13.F") == 0;
    os_result_clear(&result);
    /* R13: a deletion leaves no trace, and the attempt may have made the very version that it found, where that has no
     * nonce and is no older than the attempt: what os_put has just written. */
    bool was_bare = trial->scenario->before == STATE_OLD && !trial->scenario->guarded_before;
    bool may_stay = trial->scenario->after == STATE_NONE || was_bare;
    if (verdict == OS_UNKNOWN)
        return for_good && may_stay ? true : trial_blame(trial, "an unknown is not settled: %s", err.message);
    trial->verdict = verdict;
    trial->err = err;
    trial->resolved = true;
    return check_guarded(trial);
}

/* L10: who comes with an older token cannot write over what was committed. */
static bool is_fenced(struct trial *trial, os_client *calm, const char *etag)
{
    os_body body = OS_BODY_MEMORY("too late", 8);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_result result = OS_RESULT_INIT;
    os_error err;
    uint64_t token = trial->scenario->fencing;
    options.fencing = token - 1;
    call.deadline_ms = FOLLOW_UP_MS;
    if (token == 0 || trial->state != STATE_NEW)
        return true;
    os_verdict verdict = os_put_if_match(calm, trial->key, etag, &body, &options, &call, &result, &err);
    bool held_back = verdict == OS_CONFLICT && result.found_fencing == token;
    os_result_clear(&result);
    return held_back ? true
                     : trial_blame(trial, "a writer with an older token was told %s: %s", os_verdict_name(verdict),
                                   err.message);
}

/* The next writer of the key, who expects what is there. */
static bool follow_up(struct trial *trial, os_client *calm)
{
    static const char text[] = "who came after";
    os_body body = OS_BODY_MEMORY(text, sizeof(text) - 1);
    os_call call = OS_CALL_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error err;
    call.deadline_ms = FOLLOW_UP_MS;
    os_verdict verdict;
    if (trial->state == STATE_NONE) {
        verdict = os_put_if_absent(calm, trial->key, &body, NULL, &call, NULL, &err);
    } else {
        (void)os_head(calm, trial->key, NULL, &object, &err);
        if (!is_fenced(trial, calm, object.etag))
            return false;
        verdict = os_put_if_match(calm, trial->key, object.etag, &body, NULL, &call, NULL, &err);
    }
    return verdict == OS_COMMITTED
               ? true
               : trial_blame(trial, "the next writer was told %s: %s", os_verdict_name(verdict), err.message);
}

bool trial_settle(struct trial *trial, os_client *calm)
{
    enum state state, other;
    if (trial_is_of_table(trial))
        return trial->scenario->settle == NULL || trial->scenario->settle(calm, trial);
    if (!read_states(trial, calm, &state, &other))
        return false;
    bool unknown = trial->verdict == OS_UNKNOWN || trial->code == OS_ERR_UNDECIDED;
    if (!unknown && (state != trial->state || other != trial->other_state)) {
        return trial_blame(trial, "told %s, and later there was %s where %s had been",
                           trial->verdict ? os_verdict_name(trial->verdict) : os_code_name(trial->code),
                           state_names[state], state_names[trial->state]);
    }
    trial->state = state;
    trial->other_state = other;
    if (trial->verdict == OS_UNKNOWN && trial->result.ticket != NULL && !settle_unknown(trial, calm))
        return false;
    return follow_up(trial, calm);
}
