/* SPDX-License-Identifier: Apache-2.0 */
/* What a race does to the store itself: the reading back, the deletion of what it made. */
#include "race/clock.h"
#include "race/race.h"
#include "race/settings.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (race->name == NULL)
        return false;
    for (size_t i = 0; i < record->count; i++)
        race->name[i] = record->entry[i].call.key;
    qsort(race->name, record->count, sizeof(race->name[0]), by_name);
    for (size_t i = 0; i < record->count; i++)
        if (race->name_count == 0 || race->name[race->name_count - 1] != race->name[i])
            race->name[race->name_count++] = race->name[i];
    return true;
}

void race_await_the_dead(struct race *race)
{
    uint64_t until_us = race->last_kill_us + race_attempt_us(race->session->options);
    uint64_t now = race_now_us();
    struct pollfd fd = {.fd = race->session->interrupt.seen, .events = POLLIN};

    /* In a folder nothing is under way: what a process has not done when it dies is not done. */
    if (race->last_kill_us == 0 || race->interrupted || strncmp(race->at->store, "file:", 5) == 0 || now >= until_us)
        return;
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
    if (key != NULL)
        code = os_get(session->client, key, &sink, &session->call, NULL, &error);
    free(key);
    good = code == OS_ERR_NOT_FOUND || (code == OS_OK && race_value(data, len, value));
    if (code == OS_OK && good) {
        final.value = value;
        if (race_kind_of(name) == RACE_UPDATE && race_body_count(race->id, name, data, len, &count))
            race->progress.counters_found += count;
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
