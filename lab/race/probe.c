/* SPDX-License-Identifier: Apache-2.0 */
/* The first write of a race, by the parent. */
#include "cli/guarded.h"
#include "cli/verdict.h"
#include "race/clock.h"
#include "race/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool record_probe(struct race *race, const char *name, const char *value, uint64_t start_us,
                         const os_result *result)
{
    struct race_message message = {.kind = RACE_MESSAGE_CALL,
                                   .call = RACE_FIRST_SERIAL * RACE_WRITERS_MAX,
                                   .operation = HISTORY_PUT_IF_ABSENT,
                                   .start_us = start_us};

    (void)snprintf(message.key, sizeof(message.key), "%s", name);
    (void)snprintf(message.value, sizeof(message.value), "%s", value);
    if (!race_record_message(&race->record, 0, &message))
        return false;
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
    return race_record_message(&race->record, 0, &message);
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
