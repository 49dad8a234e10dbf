/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of one subject share, split over several programs. */
#ifndef OSCOMMIT_TEST_UNIT_SQLITE_LEDGER_STATE_H
#define OSCOMMIT_TEST_UNIT_SQLITE_LEDGER_STATE_H

#include "scratch.h"
#include "unit/sqlite/records.h"
#include <time.h>

enum { PATIENT_MS = 60000, PROCESSES = 8, KEYS = 50 };

struct state {
    char *folder;
    char file[1024];
    struct sqlite_tables *ledger;
};

static os_error error;

static inline void state_set_up(struct state *state)
{
    state->folder = scratch_make();
    (void)snprintf(state->file, sizeof(state->file), "%s/ledger.db", state->folder);
    CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    CHECK_OK(sqlite_tables_open(state->file, NULL, &state->ledger, &error));
}

static inline void state_tear_down(struct state *state)
{
    sqlite_tables_close(state->ledger);
    scratch_remove(state->folder);
}

static inline struct record make_record(uint64_t generation, const char *nonce)
{
    struct record record;
    memset(&record, 0, sizeof(record));
    record.generation = generation;
    record.timeout_ms = 20000;
    record.ttl_s = 4000000000;
    (void)snprintf(record.nonce, sizeof(record.nonce), "%s", nonce);
    return record;
}

static inline enum table_outcome put_if(struct state *state, const char *path, const struct record *record,
                                        enum record_condition_kind kind, const struct record *seen,
                                        struct record *found)
{
    struct record_condition condition = {.kind = kind};
    if (seen != NULL)
        condition.seen = *seen;
    return records_put(
        state->ledger,
        &(struct record_row){.path = path, .etag = "*", .record = record, .condition = &condition, .now_s = 1000},
        sqlite_patience_ms(PATIENT_MS), found, NULL, &error);
}

static inline void check_stored(struct state *state, const char *path, const struct record *expected)
{
    struct record found;
    bool is_there = false;
    memset(&found, 0xff, sizeof(found));
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){path, "*"}, sqlite_patience_ms(PATIENT_MS),
                                 &is_there, &found, NULL, &error),
                     TABLE_OK);
    assert_int_equal(is_there, expected != NULL);
    if (expected != NULL)
        assert_memory_equal(&found, expected, sizeof(found));
}

#endif
