/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a race with transactions say, as lines of its history. */
#include "history/transaction_line.h"
#include "race/race.h"

#include <string.h>

bool race_transaction_line_is(const char *line)
{
    return strncmp(line, "{\"transaction\":", 15) == 0;
}

/* A process says its own, each once and before it ends. */
static bool may_be_said(const json_t *object, unsigned lane, uint64_t serial, uint64_t origin_us)
{
    json_int_t id = json_integer_value(json_object_get(object, "transaction"));
    const char *verdict = json_string_value(json_object_get(object, "verdict"));

    return id > 0 && (uint64_t)id % RACE_WRITERS_MAX == lane && (uint64_t)id / RACE_WRITERS_MAX > serial &&
           json_integer_value(json_object_get(object, "writer")) == (json_int_t)lane && verdict != NULL &&
           strcmp(verdict, history_verdict_name(OS_UNKNOWN)) == 0 && json_is_null(json_object_get(object, "end_us")) &&
           json_object_get(object, "settled") == NULL &&
           json_integer_value(json_object_get(object, "start_us")) >= (json_int_t)origin_us;
}

static bool add_line(struct race *race, unsigned lane, json_t *object)
{
    struct race_record *record = &race->record;
    uint64_t id = (uint64_t)json_integer_value(json_object_get(object, "transaction"));
    json_int_t start_us = json_integer_value(json_object_get(object, "start_us"));
    json_t *since_begin = json_integer(start_us - (json_int_t)record->origin_us);
    const char *wrong = NULL;

    if (json_object_set_new(object, "start_us", since_begin) != 0 ||
        !transaction_line_take(object, record->history, &wrong)) {
        record->no_memory = record->no_memory || wrong == NULL;
        return false;
    }
    return race_record_transaction(record, lane, id, (uint64_t)start_us,
                                   history_transaction_count(record->history) - 1);
}

bool race_transaction_line_take(struct race *race, unsigned lane, const char *line, uint64_t *serial)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    bool good = object != NULL && may_be_said(object, lane, *serial, race->record.origin_us);

    if (good) {
        *serial = (uint64_t)json_integer_value(json_object_get(object, "transaction")) / RACE_WRITERS_MAX;
        good = add_line(race, lane, object);
    }
    json_decref(object);
    return good;
}
