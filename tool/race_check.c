/* SPDX-License-Identifier: Apache-2.0 */
/* What a race does to the store itself: the counter at its start, the reading back, the deletion of what it made. */
#include "guarded.h"
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *race_full_key(const char *prefix, const char *name)
{
    char *key = NULL;

    return asprintf(&key, "%s%s", prefix, name) < 0 ? NULL : key;
}

/* Guarded like the race itself, so that whatever is wrong with the settings is said once, before eight processes start.
 */
bool race_make_counter(struct race *race, enum status *ret_status)
{
    struct session *session = race->session;
    char content[RACE_CONTENT_MAX];
    size_t len = race_counter_body(race->id, 0, 0, 0, content);
    os_body body = OS_BODY_MEMORY(content, len);
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    char *key = race_full_key(race->at->key, RACE_COUNTER_NAME);
    char *url = key == NULL ? NULL : location_url_of(race->at, key);
    os_verdict verdict = OS_NOT_EXECUTED;

    if (url == NULL) {
        *ret_status = session_fail(session, race->at->url, OS_ERR_NO_MEMORY, "There is not enough memory.");
    } else {
        verdict = os_put_if_absent(session->client, key, &body, NULL, &session->call, &result, &error);
        if (verdict == OS_COMMITTED) {
            os_result_clear(&result);
        } else {
            *ret_status = guarded_finish(session, url, verdict, &result, &error);
        }
    }
    free(key);
    free(url);
    return verdict == OS_COMMITTED;
}

/* Whose content is it? RACE_NO_WINNER and false: nobody's. */
static bool find_writer(const struct race *race, uint64_t index, const void *data, size_t len, int32_t *ret)
{
    for (unsigned writer = 0; writer < race->tally.writers; writer++) {
        char content[RACE_CONTENT_MAX];
        if (race_key_body(race->id, index, writer, content) == len && memcmp(content, data, len) == 0) {
            *ret = (int32_t)writer;
            return true;
        }
    }
    return false;
}

/* OS_OK with the bytes, which os_free frees, or the code of the failure, which was said unless nothing is there. */
static os_code read_object(struct race *race, const char *name, void **ret_data, size_t *ret_len)
{
    struct session *session = race->session;
    char *key = race_full_key(race->at->key, name);
    os_sink sink = OS_SINK_INIT;
    os_error error = {.code = OS_ERR_NO_MEMORY, .message = "There is not enough memory."};
    os_code code = OS_ERR_NO_MEMORY;

    sink.ret_data = ret_data;
    sink.ret_length = ret_len;
    sink.max_length = 64 * 1024;
    if (key != NULL) {
        code = os_get(session->client, key, &sink, &session->call, NULL, &error);
    }
    if (code != OS_OK && code != OS_ERR_NOT_FOUND) {
        output_message(&session->output, error.message);
    }
    free(key);
    return code;
}

static bool read_key(struct race *race, uint64_t index)
{
    char name[32];
    void *data = NULL;
    size_t len = 0;
    int32_t writer = RACE_NO_WINNER;
    os_code code;
    bool known;

    race_key_name(index, name, sizeof(name));
    code = read_object(race, name, &data, &len);
    if (code == OS_ERR_NOT_FOUND) {
        race_tally_object(&race->tally, index, RACE_NO_WINNER, false);
        return true;
    }
    if (code != OS_OK) {
        return false;
    }
    known = find_writer(race, index, data, len, &writer);
    race_tally_object(&race->tally, index, writer, !known);
    os_free(data);
    return true;
}

void race_read_back(struct race *race)
{
    struct race_tally *tally = &race->tally;
    void *data = NULL;
    size_t len = 0;
    bool good = true;

    progress_count(&race->session->output.progress, "objects read back");
    for (uint64_t i = 0; i < tally->keys && good && !race->interrupted; i++) {
        progress_update(&race->session->output.progress, i, tally->keys);
        good = read_key(race, i);
        race->interrupted = race->interrupted || interrupt_seen(&race->session->interrupt);
    }
    tally->read_back = good && !race->interrupted;
    if (tally->read_back && read_object(race, RACE_COUNTER_NAME, &data, &len) == OS_OK) {
        tally->counter_read = race_counter_value(race->id, data, len, &tally->counter_found);
        os_free(data);
    }
}

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
        (void)snprintf(sentence, sizeof(sentence), "The objects below %.100s are not all deleted: %s", race->at->url,
                       error.message);
        output_message(&session->output, sentence);
    }
    free(key);
    return good;
}

void race_remove_objects(struct race *race)
{
    bool good = remove_one(race, RACE_COUNTER_NAME);

    progress_count(&race->session->output.progress, "objects deleted");
    for (uint64_t i = 0; i < race->tally.keys && good; i++) {
        char name[32];
        race_key_name(i, name, sizeof(name));
        progress_update(&race->session->output.progress, i, race->tally.keys);
        good = remove_one(race, name);
    }
}
