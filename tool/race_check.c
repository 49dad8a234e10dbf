/* SPDX-License-Identifier: Apache-2.0 */
/* What a race does to the store itself: a first write, the reading back, the deletion of what it made. */
#include "guarded.h"
#include "race.h"
#include "race_work.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_S = 5, ALLOWANCE_S = 5, MARGIN_S = 2 }; /* docs/rules.md, F1 */

char *race_full_key(const char *prefix, const char *name)
{
    char *key = NULL;

    return asprintf(&key, "%s%s", prefix, name) < 0 ? NULL : key;
}

uint64_t race_attempt_us(const struct options *options)
{
    uint64_t length_s = options_number(options, OPTION_LENGTH_S);
    uint64_t allowance_s = options_number(options, OPTION_ALLOWANCE_S);
    uint64_t margin_s = options_number(options, OPTION_MARGIN_S);

    return ((length_s == 0 ? LENGTH_S : length_s) + (allowance_s == 0 ? ALLOWANCE_S : allowance_s) +
            (margin_s == 0 ? MARGIN_S : margin_s)) *
           1000000;
}

/* ------------------------------------------------------------------------------------------------ the first write */

static bool record_probe(struct race *race, const char *name, const char *value, uint64_t start_us,
                         const os_result *result)
{
    struct race_message message = {.kind = RACE_MESSAGE_CALL,
                                   .call = RACE_FIRST_SERIAL * RACE_WRITERS_MAX,
                                   .operation = HISTORY_PUT_IF_ABSENT,
                                   .start_us = start_us};

    (void)snprintf(message.key, sizeof(message.key), "%s", name);
    (void)snprintf(message.value, sizeof(message.value), "%s", value);
    if (!race_record_hear(&race->record, 0, &message)) {
        return false;
    }
    message.kind = RACE_MESSAGE_END;
    message.verdict = OS_COMMITTED;
    message.end_us = race_now_us();
    message.generation = result->generation;
    message.attempts = result->attempts;
    message.requests = result->requests;
    message.guards = result->guards;
    message.waited_ms = result->waited_ms;
    (void)snprintf(message.rule, sizeof(message.rule), "%s", result->rule);
    (void)snprintf(message.guard, sizeof(message.guard), "%s", guarded_name(result->guard));
    return race_record_hear(&race->record, 0, &message);
}

/* Guarded like the race itself, so that whatever is wrong with the settings is said once, before eight processes start.
 * Writes the counter, with which the race begins. */
bool race_probe(struct race *race, enum status *ret_status)
{
    struct session *session = race->session;
    char name[RACE_NAME_SIZE];
    char content[RACE_CONTENT_MAX];
    char value[RACE_VALUE_SIZE];
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    uint64_t start_us = race_now_us();
    os_verdict verdict = OS_NOT_EXECUTED;
    char *key;
    char *url;
    size_t len;

    race_name(RACE_UPDATE, 0, name);
    len = race_body(race->id, name, 0, RACE_FIRST_SERIAL * RACE_WRITERS_MAX, content);
    key = race_full_key(race->at->key, name);
    url = key == NULL ? NULL : location_url_of(race->at, key);
    if (url == NULL) {
        *ret_status = session_fail(session, race->at->url, OS_ERR_NO_MEMORY, "There is not enough memory.");
    } else if (!race_value(content, len, value)) {
        *ret_status = session_fail(session, race->at->url, OS_ERR_UNSUPPORTED,
                                   "A race compares contents by their MD5, but this machine's OpenSSL has none.");
    } else {
        os_body body = OS_BODY_MEMORY(content, len);
        verdict = os_put_if_absent(session->client, key, &body, NULL, &session->call, &result, &error);
        if (verdict == OS_COMMITTED) {
            race->etags_are_md5 = strcmp(result.etag, value) == 0;
            race->versioned = result.version_id[0] != '\0';
            if (!record_probe(race, name, value, start_us, &result)) {
                *ret_status = session_fail(session, race->at->url, OS_ERR_NO_MEMORY, "There is not enough memory.");
                verdict = OS_NOT_EXECUTED;
            }
            os_result_clear(&result);
        } else {
            *ret_status = guarded_finish(session, url, verdict, &result, &error);
        }
    }
    free(key);
    free(url);
    return verdict == OS_COMMITTED;
}

/* ------------------------------------------------------------------------------------------------ reading back */

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool race_list_names(struct race *race)
{
    const struct race_record *record = &race->record;

    free(race->name);
    race->name_count = 0;
    race->name = calloc(record->count == 0 ? 1 : record->count, sizeof(race->name[0]));
    if (race->name == NULL) {
        return false;
    }
    for (size_t i = 0; i < record->count; i++) {
        race->name[i] = record->entry[i].call.key;
    }
    qsort(race->name, record->count, sizeof(race->name[0]), by_name);
    for (size_t i = 0; i < record->count; i++) {
        if (race->name_count == 0 || race->name[race->name_count - 1] != race->name[i]) {
            race->name[race->name_count++] = race->name[i];
        }
    }
    return true;
}

void race_await_the_dead(struct race *race)
{
    uint64_t until_us = race->last_kill_us + race_attempt_us(race->session->options);
    uint64_t now = race_now_us();
    struct pollfd fd = {.fd = race->session->interrupt.seen, .events = POLLIN};

    /* In a folder nothing is under way: what a process has not done when it dies is not done. */
    if (race->last_kill_us == 0 || race->interrupted || strncmp(race->at->store, "file:", 5) == 0 || now >= until_us) {
        return;
    }
    race->interrupted = poll(&fd, 1, (int)((until_us - now) / 1000 + 1)) > 0;
}

/* False: it could not be read, which was said. */
static bool read_one(struct race *race, const char *name)
{
    struct session *session = race->session;
    char *key = race_full_key(race->at->key, name);
    struct history_final final = {.key = name, .value = "", .versions = -1};
    char value[RACE_VALUE_SIZE];
    void *data = NULL;
    size_t len = 0;
    uint64_t count = 0;
    os_sink sink = OS_SINK_INIT;
    os_error error = {.code = OS_ERR_NO_MEMORY, .message = "There is not enough memory."};
    os_code code = OS_ERR_NO_MEMORY;
    bool good;

    sink.ret_data = &data;
    sink.ret_length = &len;
    sink.max_length = RACE_OBJECT_MAX;
    if (key != NULL) {
        code = os_get(session->client, key, &sink, &session->call, NULL, &error);
    }
    free(key);
    good = code == OS_ERR_NOT_FOUND || (code == OS_OK && race_value(data, len, value));
    if (code == OS_OK && good) {
        final.value = value;
        if (race_kind_of(name) == RACE_UPDATE && race_body_count(race->id, name, data, len, &count)) {
            race->progress.counters_found += count;
        }
    }
    os_free(data);
    if (!good) {
        output_message(&session->output, error.message);
        return false;
    }
    final.at_us = race_now_us() - race->record.origin_us;
    return history_add_final(race->record.history, &final);
}

void race_read_back(struct race *race)
{
    struct progress *progress = &race->session->output.progress;
    bool good = true;

    progress_count(progress, "objects read back");
    for (size_t i = 0; i < race->name_count && good && !race->interrupted; i++) {
        progress_update(progress, i, race->name_count);
        good = read_one(race, race->name[i]);
        race->interrupted = race->interrupted || interrupt_seen(&race->session->interrupt);
    }
    race->progress.read_back = good && !race->interrupted;
}

/* ------------------------------------------------------------------------------------------------ deleting */

static bool remove_one(struct race *race, const char *name)
{
    struct session *session = race->session;
    char *key = race_full_key(race->at->key, name);
    os_call call = OS_CALL_INIT; /* without the token: what a stopped race has made is removed too */
    os_error error = {.message = "There is not enough memory."};
    os_code code = key == NULL ? OS_ERR_NO_MEMORY : os_delete(session->client, key, &call, &error);
    bool good = code == OS_OK || code == OS_ERR_NOT_FOUND;

    if (!good) {
        char sentence[1200];
        (void)snprintf(sentence, sizeof(sentence), "Not all objects below %.100s could be deleted: %s", race->at->url,
                       error.message);
        output_message(&session->output, sentence);
    }
    free(key);
    return good;
}

void race_remove_objects(struct race *race)
{
    struct progress *progress = &race->session->output.progress;
    bool good = true;

    progress_count(progress, "objects deleted");
    for (size_t i = 0; i < race->name_count && good; i++) {
        progress_update(progress, i, race->name_count);
        good = remove_one(race, race->name[i]);
    }
}
