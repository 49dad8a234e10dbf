/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of rows share: a file with a table "things" (p S, s N), two indexes and a TTL, and words for calls. JSON
 * is written with ' in place of ". */
#ifndef OSCOMMIT_TEST_UNIT_SQLITE_ROWS_STATE_H
#define OSCOMMIT_TEST_UNIT_SQLITE_ROWS_STATE_H

#include "attribute/value.h"
#include "scratch.h"
#include "sqlite/rows.h"
#include "sqlite/tables.h"
#include "unit/attribute/case_reading.h"

#include <stdatomic.h>
#include <unistd.h>

enum { PATIENT_MS = 60000, NOW_S = 2000000000 };

static os_error error;

struct state {
    char *folder;
    char file[1024];
    struct sqlite_rows *rows;
};

static const char *const included[] = {"x"};
static const struct rows_index things_indexes[] = {
    {.name = "by_g",
     .keys = {.partition = {"g", VALUE_S}, .sort = {"h", VALUE_S}},
     .projection = ROWS_PROJECT_INCLUDE,
     .names = included,
     .name_count = 1},
    {.name = "all_g", .keys = {.partition = {"g", VALUE_S}}, .projection = ROWS_PROJECT_ALL},
};
static const struct rows_definition things = {.keys = {.partition = {"p", VALUE_S}, .sort = {"s", VALUE_N}},
                                              .indexes = things_indexes,
                                              .index_count = 2,
                                              .ttl = "ttl"};
static const struct rows_table things_table = {"things", {"p", "s"}};
static const struct rows_table plain_table = {"plain", {"id", NULL}};
#define BY_G  .index = "by_g", .index_keys = {"g", "h"}
#define ALL_G .index = "all_g", .index_keys = {"g", NULL}
static const struct rows_definition plain = {.keys = {.partition = {"id", VALUE_B}}};

static inline struct sqlite_patience patient(void)
{
    return sqlite_patience_ms(PATIENT_MS);
}

static inline void state_set_up(struct state *state)
{
    state->folder = scratch_make();
    (void)snprintf(state->file, sizeof(state->file), "%s/ledger.db", state->folder);
    CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    CHECK_OK(sqlite_rows_open(state->file, NULL, &state->rows, &error));
    CHECK_OK(sqlite_rows_create(state->rows, "things", &things, patient(), &error));
    CHECK_OK(sqlite_rows_create(state->rows, "plain", &plain, patient(), &error));
}

static inline void state_tear_down(struct state *state)
{
    sqlite_rows_close(state->rows);
    scratch_remove(state->folder);
}

#define CHECK_OUTCOME(expression, wanted) check_outcome((expression), (wanted), __LINE__)
MAYBE_UNUSED static void check_outcome(enum table_outcome outcome, enum table_outcome wanted, int line)
{
    if (outcome != wanted)
        fail_msg("line %d: outcome %d instead of %d: %s", line, (int)outcome, (int)wanted, error.message);
    if (outcome == TABLE_OK)
        assert_int_equal(error.code, OS_OK);
    if (outcome == TABLE_REFUSED || outcome == TABLE_UNREADABLE)
        assert_true(error.code != OS_OK && error.message[0] != '\0');
}

/* `text` NULL: none. Takes `found`. */
#define CHECK_ITEM(found, text) check_json((found), (text), __LINE__)
MAYBE_UNUSED static void check_json(json_t *found, const char *text, int line)
{
    json_t *wanted = case_json(text);
    char *shown = found != NULL ? json_dumps(found, JSON_COMPACT) : NULL;
    if (wanted == NULL ? found != NULL : !json_equal(found, wanted))
        fail_msg("line %d: %s instead of %s", line, shown != NULL ? shown : "none", text != NULL ? text : "none");
    free(shown);
    json_decref(found);
    json_decref(wanted);
}

MAYBE_UNUSED static json_t *get_item(struct state *state, const struct rows_table *table, const char *key)
{
    struct rows_items found;
    json_t *json = case_json(key);
    const struct rows_get get = {.of = {table, json}};
    CHECK_OUTCOME(sqlite_rows_get(state->rows, &get, 1, patient(), &found, &error), TABLE_OK);
    json_t *item = json_incref(found.items[0]);
    rows_items_free(&found);
    json_decref(json);
    return item;
}

/* A write as a test has it. */
struct asked {
    enum rows_write_kind kind;
    const char *item;
    const char *if_path; /* a condition on it: if_test, if_value */
    enum condition_test if_test;
    const char *if_value;
    const char *path; /* a change: `change`, `value` */
    enum change_kind change;
    const char *value;
    bool returns_item;
    const struct rows_table *table; /* NULL: "things" */
};

struct asked_room {
    struct case_path if_path;
    struct case_path path;
    struct condition_term term;
    struct change change;
};

enum { ASKED_MAX = 8 };

static inline struct rows_write asked_write(const struct asked *asked, struct asked_room *room)
{
    struct rows_write write = {.kind = asked->kind,
                               .returns_item = asked->returns_item,
                               .table = asked->table != NULL ? asked->table : &things_table,
                               .item = case_json(asked->item)};
    if (asked->if_path != NULL) {
        room->term = (struct condition_term){.path = *case_path(asked->if_path, &room->if_path),
                                             .test = asked->if_test,
                                             .value = case_json(asked->if_value)};
        write.condition = (struct condition){&room->term, 1};
    }
    if (asked->path != NULL) {
        room->change = (struct change){
            .path = *case_path(asked->path, &room->path), .kind = asked->change, .value = case_json(asked->value)};
        write.changes = &room->change;
        write.change_count = 1;
    }
    return write;
}

static inline void asked_free(const struct asked *asked, const struct rows_write *write, struct asked_room *room)
{
    json_decref((json_t *)write->item);
    if (asked->if_path != NULL)
        json_decref((json_t *)room->term.value);
    if (asked->path != NULL)
        json_decref((json_t *)room->change.value);
}

MAYBE_UNUSED static enum table_outcome write_alone(struct state *state, const struct asked *asked, int64_t now_s,
                                                   json_t **ret_item)
{
    struct asked_room room;
    const struct rows_write write = asked_write(asked, &room);
    enum table_outcome outcome = sqlite_rows_write(state->rows, &write, patient(), now_s, ret_item, &error);
    asked_free(asked, &write, &room);
    return outcome;
}

MAYBE_UNUSED static enum table_outcome transact_at(struct state *state, const struct asked *asked, size_t count,
                                                   const char *token, int64_t now_s, struct rows_answer *answers)
{
    struct asked_room rooms[ASKED_MAX];
    struct rows_write writes[ASKED_MAX];
    assert_true(count <= ASKED_MAX);
    for (size_t i = 0; i < count; i++)
        writes[i] = asked_write(&asked[i], &rooms[i]);
    const struct rows_transaction transaction = {.writes = writes, .count = count, .token = token};
    enum table_outcome outcome = sqlite_rows_transact(state->rows, &transaction, patient(), now_s, answers, &error);
    for (size_t i = 0; i < count; i++)
        asked_free(&asked[i], &writes[i], &rooms[i]);
    return outcome;
}

/* Of this process, and of all others. */
static inline const char *new_token(char ret[ROWS_TOKEN_MAX + 1])
{
    static _Atomic unsigned serial;
    (void)snprintf(ret, ROWS_TOKEN_MAX + 1, "%d-%u", (int)getpid(), serial++);
    return ret;
}

/* One alone, several under a token that nobody else has; nothing is returned. */
#define WRITE_ALL(state, ...)                                \
    write_some((state), (const struct asked[]){__VA_ARGS__}, \
               sizeof((const struct asked[]){__VA_ARGS__}) / sizeof(struct asked))
MAYBE_UNUSED static enum table_outcome write_some(struct state *state, const struct asked *asked, size_t count)
{
    struct rows_answer answers[ASKED_MAX];
    char token[ROWS_TOKEN_MAX + 1];
    json_t *item = NULL;
    if (count == 1 && asked->kind != ROWS_CHECK) {
        enum table_outcome alone = write_alone(state, asked, NOW_S, &item);
        json_decref(item);
        return alone;
    }
    enum table_outcome outcome = transact_at(state, asked, count, new_token(token), NOW_S, answers);
    rows_answers_free(answers, count);
    return outcome;
}

MAYBE_UNUSED static void put_item(struct state *state, const char *item)
{
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = item}), TABLE_OK);
}

/* Everything that a query or a scan gives, page by page; for json_decref. */
MAYBE_UNUSED static json_t *query_all(struct state *state, struct rows_list list, size_t *ret_pages)
{
    json_t *all = json_array();
    struct rows_page page = {.items = NULL};
    size_t pages = 0;
    list.table = list.table != NULL ? list.table : &things_table;
    do {
        json_t *start = json_incref(page.last_key);
        rows_page_free(&page);
        list.start_key = start;
        CHECK_OUTCOME(sqlite_rows_list(state->rows, &list, patient(), &page, &error), TABLE_OK);
        assert_int_equal(json_array_extend(all, page.items), 0);
        json_decref(start);
        pages++;
    } while (page.last_key != NULL);
    rows_page_free(&page);
    if (ret_pages != NULL)
        *ret_pages = pages;
    return all;
}

MAYBE_UNUSED static size_t count_all(struct state *state, struct rows_list list)
{
    json_t *all = query_all(state, list, NULL);
    size_t count = json_array_size(all);
    json_decref(all);
    return count;
}

#endif
