/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions over two rows: both are as they were, or both as the transaction was to make them. */
#include "trial.h"

#include "inject.h"
#include "oscommit_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_SIZE = 160 };

static const char schema[] = "{\"title\":\"Row\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
                             "\"value\":{\"type\":\"string\"}},\"required\":[\"id\",\"value\"],\"KEY\":[\"id\"]}";

static const char *value_of(enum state state)
{
    return state == STATE_OLD ? "old" : "new";
}

/* Of a length that jansson 2.14 can bear without memory (docs/verification.md, "What is not covered"). */
static void key_json(const struct trial *trial, bool other, char ret[JSON_SIZE])
{
    (void)snprintf(ret, JSON_SIZE, "{\"id\":\"%s%016lu\"}", other ? "other" : "first", trial->number);
}

static void row_json(const struct trial *trial, bool other, const char *value, char ret[JSON_SIZE])
{
    key_json(trial, other, ret);
    (void)snprintf(ret + strlen(ret) - 1, JSON_SIZE - strlen(ret), ",\"value\":\"%s\"}", value);
}

/* ----------------------------------------------------------------------------------------------------- undisturbed */

static os_verdict transact_calmly(os_client *calm, os_txn_fn function, struct trial *trial, os_error *err)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = FOLLOW_UP_MS;
    return os_transact(calm, NULL, function, trial, &call, NULL, err);
}

static os_code put_before(void *context, os_txn *txn, os_error *err)
{
    const struct trial *trial = context;
    const enum state states[] = {trial->scenario->before, trial->scenario->other_before};
    os_code code = OS_OK;
    for (int i = 0; i < 2 && code == OS_OK; i++) {
        char json[JSON_SIZE];
        row_json(trial, i == 1, value_of(states[i]), json);
        if (states[i] != STATE_NONE)
            code = os_txn_create_or_put(txn, trial->model, json, NULL, err);
    }
    return code;
}

static bool prepare(os_client *calm, struct trial *trial)
{
    os_error err;
    if (os_model_parse(schema, "rows", &trial->model, &err) != OS_OK ||
        (trial->world->services == NULL && os_model_table_create(calm, trial->model, NULL, &err) != OS_OK) ||
        transact_calmly(calm, put_before, trial, &err) != OS_COMMITTED)
        return trial_blame(trial, "the trial could not be prepared: %s", err.message);
    return true;
}

/* The rows as they are; "": there is none. */
struct looking {
    const struct trial *trial;
    os_row *rows[2];
    char values[2][16];
};

static os_code read_both(const struct trial *trial, os_txn *txn, os_row *ret[2], os_error *err)
{
    char json[2][JSON_SIZE];
    os_row_key keys[2];
    for (int i = 0; i < 2; i++) {
        key_json(trial, i == 1, json[i]);
        keys[i] = (os_row_key){trial->model, json[i]};
    }
    return os_txn_get_many(txn, keys, 2, NULL, ret, err);
}

static os_code look(void *context, os_txn *txn, os_error *err)
{
    struct looking *looking = context;
    os_code code = read_both(looking->trial, txn, looking->rows, err);
    for (int i = 0; i < 2 && code == OS_OK; i++) {
        const char *value = "";
        if (looking->rows[i] != NULL)
            code = os_row_get_string(looking->rows[i], "value", &value, err);
        (void)snprintf(looking->values[i], sizeof(looking->values[i]), "%s", code == OS_OK ? value : "");
    }
    return code;
}

static enum state state_of(const char *value)
{
    return value[0] == '\0' ? STATE_NONE : strcmp(value, value_of(STATE_OLD)) == 0 ? STATE_OLD : STATE_NEW;
}

static bool find_states(os_client *calm, struct trial *trial, enum state ret[2])
{
    struct looking looking = {.trial = trial};
    os_error err;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = FOLLOW_UP_MS;
    if (os_transact(calm, NULL, look, &looking, &call, NULL, &err) != OS_COMMITTED)
        return trial_blame(trial, "the rows cannot be read by an undisturbed client: %s", err.message);
    for (int i = 0; i < 2; i++)
        ret[i] = state_of(looking.values[i]);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- disturbed */

static os_code set_both(struct trial *trial, os_txn *txn, os_error *err)
{
    os_row *rows[2] = {NULL, NULL};
    os_code code = read_both(trial, txn, rows, err);
    for (int i = 0; i < 2 && code == OS_OK; i++)
        code = os_row_set_string(rows[i], "value", value_of(STATE_NEW), err);
    return code;
}

/* The one goes, the other comes. */
static os_code move(struct trial *trial, os_txn *txn, os_error *err)
{
    os_row *rows[2] = {NULL, NULL};
    char json[JSON_SIZE];
    os_code code = read_both(trial, txn, rows, err);
    if (code == OS_OK)
        code = os_txn_delete(txn, rows[0], err);
    row_json(trial, true, value_of(STATE_NEW), json);
    return code == OS_OK ? os_txn_create(txn, trial->model, json, NULL, err) : code;
}

static os_code create(struct trial *trial, os_txn *txn, os_error *err)
{
    char json[JSON_SIZE];
    row_json(trial, false, value_of(STATE_NEW), json);
    return os_txn_create(txn, trial->model, json, NULL, err);
}

static os_code put(struct trial *trial, os_txn *txn, os_error *err)
{
    char json[JSON_SIZE];
    row_json(trial, false, value_of(STATE_NEW), json);
    return os_txn_create_or_put(txn, trial->model, json, NULL, err);
}

static os_code set_one(struct trial *trial, os_txn *txn, os_error *err)
{
    char json[JSON_SIZE];
    os_row *row = NULL;
    key_json(trial, false, json);
    os_code code = os_txn_get(txn, trial->model, json, NULL, &row, err);
    return code == OS_OK ? os_row_set_string(row, "value", value_of(STATE_NEW), err) : code;
}

static os_code do_it(void *context, os_txn *txn, os_error *err)
{
    struct trial *trial = context;
    return trial->scenario->change(trial, txn, err);
}

static void transact(os_client *client, struct trial *trial)
{
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    os_txn_result result = OS_TXN_RESULT_INIT;
    options.no_retries = 1;
    inject_pause(false);
    trial->verdict = os_transact(client, &options, do_it, trial, &trial->call, &result, &trial->err);
    inject_pause(true);
    trial->code = trial->err.code;
    trial->result.ticket = result.ticket; /* for os_result_clear */
}

static void read_rows(os_client *client, struct trial *trial)
{
    struct looking looking = {.trial = trial};
    inject_pause(false);
    trial->verdict = os_transact(client, NULL, look, &looking, &trial->call, NULL, &trial->err);
    inject_pause(true);
    trial->code = trial->err.code;
    trial->state = state_of(looking.values[0]);
    trial->other_state = state_of(looking.values[1]);
}

/* --------------------------------------------------------------------------------------------------------- checks */

static bool is_as(const struct trial *trial, bool after)
{
    const struct scenario *scenario = trial->scenario;
    return trial->state == (after ? scenario->after : scenario->before) &&
           trial->other_state == (after ? scenario->other_after : scenario->other_before);
}

static bool lie(struct trial *trial)
{
    return trial_blame(trial, "told \"%s\" (%s), and the rows are in the states %d and %d",
                       os_verdict_name(trial->verdict), trial->err.message, (int)trial->state, (int)trial->other_state);
}

static bool is_true(struct trial *trial)
{
    bool stale = trial->scenario->stale;
    switch (trial->verdict) {
    case OS_COMMITTED: return !stale && is_as(trial, true) ? true : lie(trial);
    case OS_CONFLICT: return stale && is_as(trial, false) ? true : lie(trial);
    case OS_NOT_EXECUTED: return is_as(trial, false) ? true : lie(trial);
    case OS_UNKNOWN: return is_as(trial, false) || (!stale && is_as(trial, true)) ? true : lie(trial);
    default: return trial_blame(trial, "no verdict was given");
    }
}

static bool find_now(os_client *calm, struct trial *trial)
{
    enum state states[2];
    if (!find_states(calm, trial, states))
        return false;
    trial->state = states[0];
    trial->other_state = states[1];
    return true;
}

static bool check(os_client *calm, struct trial *trial)
{
    return find_now(calm, trial) && is_true(trial);
}

static bool check_read(os_client *calm, struct trial *trial)
{
    (void)calm;
    if (trial->verdict == OS_COMMITTED)
        return is_as(trial, true) ? true : lie(trial);
    return trial->verdict == OS_NOT_EXECUTED ? true : lie(trial);
}

/* A write alone that was lost may stay unknown where nothing in the row tells (docs/transactions.md). */
static bool resolve(os_client *calm, struct trial *trial)
{
    os_call call = OS_CALL_INIT;
    os_error err;
    call.deadline_ms = FOLLOW_UP_MS;
    os_verdict verdict = os_txn_resolve(calm, trial->result.ticket, &call, &err);
    if (verdict == OS_UNKNOWN)
        return trial->scenario->may_stay_unknown ? true
                                                 : trial_blame(trial, "an unknown is not settled: %s", err.message);
    trial->verdict = verdict;
    trial->err = err;
    return find_now(calm, trial) && is_true(trial);
}

static os_code write_after(void *context, os_txn *txn, os_error *err)
{
    const struct trial *trial = context;
    os_row *rows[2] = {NULL, NULL};
    os_code code = read_both(trial, txn, rows, err);
    for (int i = 0; i < 2 && code == OS_OK; i++) {
        char json[JSON_SIZE];
        row_json(trial, i == 1, "who came after", json);
        code = rows[i] != NULL ? os_row_set_string(rows[i], "value", "who came after", err)
                               : os_txn_create(txn, trial->model, json, NULL, err);
    }
    return code;
}

/* It is still so when nothing is in flight any more, an unknown can be settled, and the next writer gets through. */
static bool settle(os_client *calm, struct trial *trial)
{
    os_error err;
    if (!find_now(calm, trial) || (trial->scenario->check == check && trial->opened == OS_OK && !is_true(trial)))
        return false;
    if (trial->verdict == OS_UNKNOWN && trial->result.ticket != NULL && !resolve(calm, trial))
        return false;
    return transact_calmly(calm, write_after, trial, &err) == OS_COMMITTED
               ? true
               : trial_blame(trial, "the next writer was told: %s", err.message);
}

#define ROWS   .kind = SCENARIO_ROWS, .calm_at_first = true, .prepare = prepare, .settle = settle
#define WRITES ROWS, .run = transact, .check = check
static const struct scenario scenarios[] = {
    {WRITES, .name = "txn_create", .after = STATE_NEW, .change = create, .may_stay_unknown = true},
    {WRITES, .name = "txn_create_of_there", .before = STATE_OLD, .stale = true, .wanted = OS_ERR_BUSY, .change = create,
     .may_stay_unknown = true},
    {WRITES, .name = "txn_put", .before = STATE_OLD, .after = STATE_NEW, .change = put, .may_stay_unknown = true},
    {WRITES, .name = "txn_set", .before = STATE_OLD, .after = STATE_NEW, .change = set_one},
    {WRITES, .name = "txn_set_both", .before = STATE_OLD, .after = STATE_NEW, .other_before = STATE_OLD,
     .other_after = STATE_NEW, .change = set_both},
    {WRITES, .name = "txn_move", .before = STATE_OLD, .other_after = STATE_NEW, .change = move},
    {ROWS, .name = "txn_read", .before = STATE_OLD, .after = STATE_OLD, .run = read_rows, .check = check_read},
};
const struct scenarios row_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
