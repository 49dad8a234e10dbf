/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/trade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PURPOSE_KIND_OF_TRADE = 640, PURPOSE_KEY_OF_TRADE, PURPOSE_AMOUNT, PURPOSE_CHOICE };
enum { JSON_SIZE = 128 };

/* ------------------------------------------------------------------------------------------------ plan */

static uint64_t draw(const struct world *world, uint64_t purpose, uint64_t occasion, uint64_t least, uint64_t most)
{
    return fault_number(&world->faults, purpose, occasion, least, most);
}

/* Two of one kind differ. */
static void choose_keys(const struct world *world, struct trade *trade, uint32_t first, uint32_t count)
{
    uint32_t one = (uint32_t)draw(world, PURPOSE_KEY_OF_TRADE, trade->call, 0, count - 1);
    uint32_t step = count > 1 ? (uint32_t)draw(world, PURPOSE_KEY_OF_TRADE + 1000, trade->call, 1, count - 1) : 0;
    trade->keys[0] = first + one;
    trade->keys[1] = first + (one + step) % count;
    trade->key_count = count > 1 ? 2 : 1;
}

static void plan_keys(const struct world *world, struct trade *trade)
{
    const struct books *books = world->books;
    switch (trade->kind) {
    case TRADE_TRANSFER:
    case TRADE_TOUCH: choose_keys(world, trade, 0, books->accounts); break;
    case TRADE_COUNT: trade->keys[0] = BOOKS_COUNTER; break;
    case TRADE_MOVE:
        choose_keys(world, trade, BOOKS_ACCOUNTS, books->notes);
        trade->keys[trade->key_count++] =
            (uint32_t)draw(world, PURPOSE_KEY_OF_TRADE + 2000, trade->call, 0, books->accounts - 1);
        break;
    default: choose_keys(world, trade, BOOKS_ACCOUNTS, books->notes); break;
    }
}

void trade_plan(const struct world *world, uint64_t call, struct trade *ret)
{
    static const enum trade_kind kinds[] = {
        TRADE_TRANSFER, TRADE_TRANSFER, TRADE_TRANSFER, TRADE_TOUCH,    TRADE_TOUCH, TRADE_AUDIT, TRADE_AUDIT_APART,
        TRADE_MAKE,     TRADE_MAKE,     TRADE_MAKE_TWO, TRADE_MAKE_TWO, TRADE_PUT,   TRADE_ALTER, TRADE_REPLACE,
        TRADE_REPLACE,  TRADE_ERASE,    TRADE_MOVE,     TRADE_MOVE,     TRADE_COUNT};
    static const enum trade_kind of_long[] = {TRADE_TRANSFER, TRADE_TOUCH,   TRADE_MAKE_TWO, TRADE_MAKE_TWO,
                                              TRADE_ERASE,    TRADE_REPLACE, TRADE_MOVE,     TRADE_MOVE};
    enum { COUNT = sizeof(kinds) / sizeof(kinds[0]), COUNT_OF_LONG = sizeof(of_long) / sizeof(of_long[0]) };
    /* Half of the seeds have few kinds, which meet more often. */
    bool few = draw(world, PURPOSE_KIND_OF_TRADE, 0, 0, 1) == 0;
    uint64_t pick = few ? draw(world, PURPOSE_KIND_OF_TRADE + 1000, call, 0, 2) : UINT64_MAX;
    uint64_t at = few ? draw(world, PURPOSE_KIND_OF_TRADE, 10 + pick, 0, COUNT - 1)
                      : draw(world, PURPOSE_KIND_OF_TRADE, call + 1000, 0, COUNT - 1);
    *ret = (struct trade){.call = call, .kind = kinds[at]};
    if (world->books->is_long)
        ret->kind = of_long[draw(world, PURPOSE_KIND_OF_TRADE + 2000, call, 0, COUNT_OF_LONG - 1)];
    plan_keys(world, ret);
    ret->amount = (int64_t)draw(world, PURPOSE_AMOUNT, call, 1, 9);
    ret->choice = (uint32_t)draw(world, PURPOSE_CHOICE, call, 0, 3);
    ret->is_careless = draw(world, PURPOSE_CHOICE + 1000, call, 0, 3) == 0;
}

/* ------------------------------------------------------------------------------------------------ rows */

/* One run of a trade. */
struct running {
    struct trade *trade;
    struct run *run;
    os_txn *txn;
    os_error *err;
    char value[BOOKS_VALUE_SIZE]; /* that it writes */
    os_row *rows[BOOKS_KEYS];     /* that it has read; NULL: there is none */
};

static const os_model *model_of(const struct running *running, uint32_t key)
{
    return running->trade->worker->models[key < BOOKS_ACCOUNTS ? 0 : 1];
}

static void key_json(uint32_t key, char ret[JSON_SIZE])
{
    char name[BOOKS_VALUE_SIZE];
    books_name(key, name);
    snprintf(ret, JSON_SIZE, "{\"id\":\"%s\"}", name);
}

static void fields_json(uint32_t key, const char *value, int64_t number, char ret[JSON_SIZE])
{
    char name[BOOKS_VALUE_SIZE];
    books_name(key, name);
    if (key < BOOKS_ACCOUNTS || key == BOOKS_COUNTER)
        snprintf(ret, JSON_SIZE, "{\"id\":\"%s\",\"value\":\"%s\",\"%s\":%lld}", name, value,
                 key < BOOKS_ACCOUNTS ? "balance" : "count", (long long)number);
    else
        snprintf(ret, JSON_SIZE, "{\"id\":\"%s\",\"value\":\"%s\"}", name, value);
}

/* Tells the books what stands there. */
static os_code see(struct running *running, uint32_t key, os_row *row)
{
    struct run_key *read = &running->run->keys[key];
    const char *text = "";
    os_code code = OS_OK;
    running->rows[key] = row;
    if (row != NULL)
        code = os_row_get_string(row, "value", &text, running->err);
    if (code == OS_OK && row != NULL && key < BOOKS_ACCOUNTS)
        code = os_row_get_int(row, "balance", &read->seen_amount, running->err);
    if (code != OS_OK)
        return code;
    read->reads = true;
    snprintf(read->seen, sizeof(read->seen), "%s", text);
    return OS_OK;
}

static os_code read_one(struct running *running, uint32_t key)
{
    char json[JSON_SIZE];
    os_row *row = NULL;
    key_json(key, json);
    os_code code = os_txn_get(running->txn, model_of(running, key), json, NULL, &row, running->err);
    return code == OS_OK ? see(running, key, row) : code;
}

static os_code read_several(struct running *running, const uint32_t *keys, uint32_t count)
{
    char json[BOOKS_KEYS][JSON_SIZE];
    os_row_key asked[BOOKS_KEYS] = {{NULL, NULL}};
    os_row *rows[BOOKS_KEYS] = {NULL};
    for (uint32_t i = 0; i < count; i++) {
        key_json(keys[i], json[i]);
        asked[i] = (os_row_key){model_of(running, keys[i]), json[i]};
    }
    os_code code = os_txn_get_many(running->txn, asked, count, NULL, rows, running->err);
    for (uint32_t i = 0; i < count && code == OS_OK; i++)
        code = see(running, keys[i], rows[i]);
    return code;
}

static void will_write(struct running *running, uint32_t key, const char *value, int64_t amount)
{
    struct run_key *written = &running->run->keys[key];
    written->writes = true;
    written->amount = amount;
    snprintf(written->value, sizeof(written->value), "%s", value);
}

static os_code make(struct running *running, uint32_t key, int64_t number)
{
    char json[JSON_SIZE];
    fields_json(key, running->value, number, json);
    will_write(running, key, running->value, number);
    return os_txn_create(running->txn, model_of(running, key), json, NULL, running->err);
}

/* Of a row that it has read. */
static os_code change(struct running *running, uint32_t key, int64_t amount)
{
    os_code code = os_row_set_string(running->rows[key], "value", running->value, running->err);
    if (code == OS_OK && key < BOOKS_ACCOUNTS)
        code = os_row_set_int(running->rows[key], "balance", amount, running->err);
    will_write(running, key, running->value, amount);
    return code;
}

static os_code make_or_change(struct running *running, uint32_t key, int64_t by)
{
    if (running->rows[key] == NULL)
        return make(running, key, BOOKS_BALANCE + by);
    return change(running, key, running->run->keys[key].seen_amount + by);
}

static os_code delete (struct running *running, uint32_t key)
{
    will_write(running, key, "", 0);
    return os_txn_delete(running->txn, running->rows[key], running->err);
}

/* ------------------------------------------------------------------------------------------------ kinds */

static os_code transfer(struct running *running)
{
    const struct trade *trade = running->trade;
    os_code code = read_several(running, trade->keys, trade->key_count);
    if (code == OS_OK)
        code = make_or_change(running, trade->keys[0], -trade->amount);
    return code == OS_OK ? make_or_change(running, trade->keys[1], trade->amount) : code;
}

static os_code touch(struct running *running)
{
    os_code code = read_one(running, running->trade->keys[0]);
    return code == OS_OK ? make_or_change(running, running->trade->keys[0], 0) : code;
}

static os_code audit(struct running *running)
{
    uint32_t keys[BOOKS_KEYS];
    uint32_t count = 0;
    os_code code = OS_OK;
    for (uint32_t key = 0; key < BOOKS_COUNTER; key++)
        if (books_has(running->trade->worker->world->books, key))
            keys[count++] = key;
    if (running->trade->kind == TRADE_AUDIT)
        return read_several(running, keys, count);
    for (uint32_t i = 0; i < count && code == OS_OK; i++)
        code = read_one(running, keys[i]);
    return code;
}

static os_code make_notes(struct running *running)
{
    const struct trade *trade = running->trade;
    os_code code = make(running, trade->keys[0], 0);
    if (code == OS_OK && trade->kind == TRADE_MAKE_TWO && trade->key_count > 1)
        code = make(running, trade->keys[1], 0);
    return code;
}

static os_code put(struct running *running)
{
    char json[JSON_SIZE];
    uint32_t key = running->trade->keys[0];
    fields_json(key, running->value, 0, json);
    will_write(running, key, running->value, 0);
    return os_txn_create_or_put(running->txn, model_of(running, key), json, NULL, running->err);
}

/* Its caller has heard from somebody what stands there. */
static os_code alter(struct running *running)
{
    char original[JSON_SIZE];
    char updated[JSON_SIZE];
    uint32_t key = running->trade->keys[0];
    struct run_key *heard = &running->run->keys[key];
    memcpy(heard->seen, running->trade->worker->world->books->now[key], sizeof(heard->seen));
    if (heard->seen[0] == '\0')
        return put(running);
    heard->reads = true;
    fields_json(key, heard->seen, 0, original);
    snprintf(updated, sizeof(updated), "{\"value\":\"%s\"}", running->value);
    will_write(running, key, running->value, 0);
    return os_txn_update(running->txn, model_of(running, key), original, updated, running->err);
}

static os_code replace(struct running *running)
{
    uint32_t key = running->trade->keys[0];
    os_code code = read_one(running, key);
    if (code != OS_OK)
        return code;
    if (running->rows[key] == NULL)
        return make(running, key, 0);
    return running->trade->choice < 2 ? delete (running, key) : change(running, key, 0);
}

static os_code erase(struct running *running)
{
    char json[JSON_SIZE];
    uint32_t key = running->trade->keys[0];
    key_json(key, json);
    will_write(running, key, "", 0);
    return os_txn_delete_key(running->txn, model_of(running, key), json, running->err);
}

/* One note goes, another comes; both that are read are conditions, also where nothing is to be done with them. */
static os_code move(struct running *running)
{
    const struct trade *trade = running->trade;
    uint32_t account = trade->keys[trade->key_count - 1];
    os_code code = read_several(running, trade->keys, trade->key_count);
    if (code == OS_OK && running->rows[trade->keys[0]] != NULL)
        code = delete (running, trade->keys[0]);
    if (code == OS_OK && trade->key_count > 2 && running->rows[trade->keys[1]] == NULL)
        code = make(running, trade->keys[1], 0);
    if (code == OS_OK && trade->choice < 3)
        code = make_or_change(running, account, 0);
    return code;
}

/* Without reading it: others may add at the same time. */
static os_code count(struct running *running)
{
    char json[JSON_SIZE];
    os_row *row = NULL;
    key_json(BOOKS_COUNTER, json);
    os_code code = os_txn_get(running->txn, model_of(running, BOOKS_COUNTER), json, NULL, &row, running->err);
    if (code != OS_OK)
        return code;
    if (row == NULL)
        return make(running, BOOKS_COUNTER, 1);
    will_write(running, BOOKS_COUNTER, running->value, 0);
    return os_row_increment(row, "count", 1, running->err);
}

os_code trade_run(void *context, os_txn *txn, os_error *err)
{
    static os_code (*const kinds[TRADE_KINDS])(struct running *) = {
        [TRADE_TRANSFER] = transfer, [TRADE_TOUCH] = touch,         [TRADE_AUDIT] = audit, [TRADE_AUDIT_APART] = audit,
        [TRADE_MAKE] = make_notes,   [TRADE_MAKE_TWO] = make_notes, [TRADE_PUT] = put,     [TRADE_ALTER] = alter,
        [TRADE_REPLACE] = replace,   [TRADE_ERASE] = erase,         [TRADE_MOVE] = move,   [TRADE_COUNT] = count};
    struct trade *trade = context;
    struct world *world = trade->worker->world;
    struct running running = {.trade = trade, .txn = txn, .err = err};
    if (trade->run_count == TRADE_RUNS_MAX)
        abort();
    running.run = books_begin(world, trade->worker->process->lane, trade->call, trade->kind);
    trade->runs[trade->run_count++] = running.run;
    trade->worker->process->call = books_number(world->books, running.run);
    snprintf(running.value, sizeof(running.value), "%llu", (unsigned long long)trade->worker->process->call);
    os_code code = kinds[trade->kind](&running);
    running.run->failed = code != OS_OK && trade->is_careless;
    return trade->is_careless ? OS_OK : code;
}
