/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded ledger: conditions, values, lists, expiry. */
#include "ledger_state.h"
#include "support/record_changes.h"

/* ---------------------------------------------------------------------------------------------- conditions */

TEST_WITH(state, a_record_is_written_only_where_none_is)
{
    struct record first = make_record(7, "aa");
    struct record second = make_record(8, "bb");
    struct record found;
    check_stored(state, "k", NULL);
    assert_int_equal(put_if(state, "k", &first, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
    check_stored(state, "k", &first);
    assert_int_equal(put_if(state, "k", &second, RECORD_IF_ABSENT, NULL, &found), TABLE_CONFLICT);
    assert_memory_equal(&found, &first, sizeof(found));
    check_stored(state, "k", &first);
}

TEST_WITH(state, a_takeover_needs_generation_ttl_and_nonce_as_seen)
{
    struct record held = make_record(7, "aa");
    struct record next = make_record(8, "bb");
    struct record found;
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &held, &found), TABLE_CONFLICT_BLIND);
    assert_int_equal(put_if(state, "k", &held, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
    for (int field = 0; field < 4; field++) {
        struct record seen = held;
        seen.generation += field == 0;
        seen.ttl_s += field == 1;
        seen.nonce[0] = field == 2 ? 'x' : field == 3 ? '\0' : seen.nonce[0];
        assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &seen, &found), TABLE_CONFLICT);
        assert_memory_equal(&found, &held, sizeof(found));
    }
    struct record seen = held;
    seen.timeout_ms = 1; /* not compared */
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &seen, &found), TABLE_OK);
    check_stored(state, "k", &next);
}

TEST_WITH(state, a_takeover_from_a_writer_without_nonce_needs_its_absence)
{
    struct record peer = make_record(0, "");
    struct record next = make_record(1, "bb");
    struct record seen = make_record(0, "cc");
    struct record found;
    assert_int_equal(put_if(state, "k", &peer, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &seen, &found), TABLE_CONFLICT);
    assert_int_equal(put_if(state, "k", &next, RECORD_IF_SEEN, &peer, &found), TABLE_OK);
}

TEST_WITH(state, a_release_needs_generation_and_nonce_but_not_ttl)
{
    struct record held = make_record(7, "aa");
    struct record released;
    struct record found;
    record_released(&held, 4000000009, &released);
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &held, &found), TABLE_CONFLICT_BLIND);
    assert_int_equal(put_if(state, "k", &held, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
    struct record other = held;
    other.generation = 6;
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &other, &found), TABLE_CONFLICT);
    other = make_record(7, "ab");
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &other, NULL), TABLE_CONFLICT);
    other = held;
    other.ttl_s = 5;
    assert_int_equal(put_if(state, "k", &released, RECORD_IF_HELD, &other, &found), TABLE_OK);
    check_stored(state, "k", &released);
}

/* R17. */
TEST_WITH(state, a_release_for_a_ticket_needs_every_attribute)
{
    static const char *const keys[RECORD_KINDS] = {"k0", "k1", "k2", "k3"};
    const struct record plain = make_record(7, "aa");
    struct record released;
    struct record found;
    for (unsigned kind = 0; kind < RECORD_KINDS; kind++) {
        struct record held = record_of_kind(&plain, kind);
        record_released(&held, 4000000009, &released);
        assert_int_equal(put_if(state, keys[kind], &released, RECORD_IF_SAME, &held, &found), TABLE_CONFLICT_BLIND);
        assert_int_equal(put_if(state, keys[kind], &held, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
        for (unsigned change = 0; change < RECORD_CHANGES; change++) {
            struct record other = record_changed(&held, change);
            assert_int_equal(put_if(state, keys[kind], &released, RECORD_IF_SAME, &other, &found), TABLE_CONFLICT);
        }
        assert_int_equal(put_if(state, keys[kind], &released, RECORD_IF_SAME, &held, &found), TABLE_OK);
        check_stored(state, keys[kind], &released);
    }
}

/* -------------------------------------------------------------------------------------------------- values */

TEST_WITH(state, every_unsigned_value_survives)
{
    static const uint64_t values[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char path[32];
        struct record found;
        struct record record = make_record(values[i], "0123456789abcdef0123456789abcdef");
        record.timeout_ms = values[i];
        record.ttl_s = values[i] == 0 ? UINT64_MAX : values[i];
        record.has_fence = true;
        record.fence_s = values[i];
        (void)snprintf(record.saw, sizeof(record.saw), "fedcba9876543210fedcba9876543210");
        (void)snprintf(path, sizeof(path), "k%zu", i);
        assert_int_equal(put_if(state, path, &record, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
        check_stored(state, path, &record);
        assert_int_equal(put_if(state, path, &record, RECORD_IF_SEEN, &record, &found), TABLE_OK);
    }
}

TEST_WITH(state, paths_and_etags_are_compared_as_bytes)
{
    char longest[1025];
    memset(longest, 'x', 1024);
    longest[1024] = '\0';
    const char *paths[] = {"K", "k", "k ", "\xc3\xa4", "a\xcc\x88", longest, "'; DROP TABLE records; --"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct record record = make_record(i, "");
        struct record found;
        assert_int_equal(put_if(state, paths[i], &record, RECORD_IF_ABSENT, NULL, &found), TABLE_OK);
    }
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct record record = make_record(i, "");
        check_stored(state, paths[i], &record);
    }
    struct record record = make_record(99, "");
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){.path = "k", .etag = "\"e\"", .record = &record, .condition = &absent, .now_s = 1000},
            sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
        TABLE_OK);
}

struct listed {
    size_t count;
    size_t stop_at;
    char text[4096];
};

static bool list_one(void *context, const struct item *item, bool readable)
{
    struct listed *listed = context;
    const char *path = item_text_of(item, RECORD_AT_PATH);
    const char *etag = item_text_of(item, RECORD_AT_ETAG);
    size_t len = strlen(listed->text);
    if (!readable) {
        (void)snprintf(listed->text + len, sizeof(listed->text) - len, "%s %s none;", path, etag);
        return ++listed->count != listed->stop_at;
    }
    struct record record;
    char upload[RECORD_UPLOAD_SIZE];
    record_from_item(item, &record, upload, NULL);
    (void)snprintf(listed->text + len, sizeof(listed->text) - len, "%s %s %llu %s%s;", path, etag,
                   (unsigned long long)record.generation, record.nonce, upload);
    assert_int_equal(record.upload, record_upload_number(upload));
    return ++listed->count != listed->stop_at;
}

static enum table_outcome list(struct state *state, const char *path, struct listed *listed)
{
    size_t stop_at = listed->stop_at;
    *listed = (struct listed){.stop_at = stop_at};
    return sqlite_tables_list(state->ledger, &record_schema, path, sqlite_patience_ms(PATIENT_MS), list_one, listed,
                              &error);
}

TEST_WITH(state, records_are_listed_by_path_and_etag)
{
    struct listed listed = {.stop_at = 0};
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    const char *keys[][2] = {{"b", "*"}, {"a", "\"2\""}, {"a", "*"}, {"a", "\"1\""}};
    for (size_t i = 0; i < 4; i++) {
        struct record record = make_record(i == 0 ? UINT64_MAX : i, "n");
        assert_int_equal(
            records_put(
                state->ledger,
                &(struct record_row){
                    .path = keys[i][0], .etag = keys[i][1], .record = &record, .condition = &absent, .now_s = 1000},
                sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
            TABLE_OK);
    }
    assert_int_equal(list(state, NULL, &listed), TABLE_OK);
    assert_string_equal(listed.text, "a \"1\" 3 n;a \"2\" 1 n;a * 2 n;b * 18446744073709551615 n;");
    assert_int_equal(list(state, "b", &listed), TABLE_OK);
    assert_int_equal(listed.count, 1);
    assert_int_equal(list(state, "c", &listed), TABLE_OK);
    assert_int_equal(listed.count, 0);
    listed.stop_at = 2;
    assert_int_equal(list(state, NULL, &listed), TABLE_OK);
    assert_int_equal(listed.count, 2);
}

static enum table_outcome hint(struct state *state, const char *path, const struct record *record)
{
    return records_replace(state->ledger, &(struct record_row_key){path, "*"}, record, sqlite_patience_ms(PATIENT_MS),
                           &error);
}

TEST_WITH(state, a_row_that_is_no_record_is_unreadable_and_only_overwritten_to_mend_it)
{
    static const char *const rows[] = {
        "('k', '*', 'seven', 1, 4000000000, NULL, NULL, NULL, NULL)",
        "('k', '*', 7, 1.5, 4000000000, NULL, NULL, NULL, NULL)",
        "('k', '*', 7, 1, 4000000000, 'soon', NULL, NULL, NULL)",
        "('k', '*', 7, 1, 4000000000, NULL, '0123456789abcdef0123456789abcdef0', NULL, NULL)",
        "('k', '*', 7, 1, 4000000000, NULL, NULL, x'00', NULL)",
        "('k', '*', 7, 1, 4000000000, NULL, CAST(x'610062' AS TEXT), NULL, NULL)",
        "('k', '*', 7, 1, 4000000000, NULL, NULL, NULL, x'61')",
        "('k', '*', 7, 1, 4000000000, NULL, NULL, NULL, printf('%.*c', 1025, 'u'))",
    };
    struct record record = make_record(1, "aa");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char sql[256];
        bool is_there = false;
        struct record found;
        (void)snprintf(sql, sizeof(sql), "INSERT OR REPLACE INTO records VALUES %s", rows[i]);
        execute(state->file, sql);
        assert_int_equal(records_get(state->ledger, &(struct record_row_key){"k", "*"}, sqlite_patience_ms(PATIENT_MS),
                                     &is_there, &found, NULL, &error),
                         TABLE_UNREADABLE);
        assert_int_equal(error.code, OS_ERR_TABLE);
        assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, &found), TABLE_UNREADABLE);
        assert_int_equal(put_if(state, "k", &record, RECORD_IF_HELD, &record, &found), TABLE_UNREADABLE);
    }
    struct listed listed = {.stop_at = 0};
    assert_int_equal(put_if(state, "l", &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
    assert_int_equal(list(state, NULL, &listed), TABLE_OK);
    assert_string_equal(listed.text, "k * none;l * 1 aa;");
    record.generation = 5;
    assert_int_equal(hint(state, "absent", &record), TABLE_CONFLICT_BLIND);
    assert_int_equal(hint(state, "l", &record), TABLE_CONFLICT);
    assert_int_equal(hint(state, "k", &record), TABLE_OK);
    assert_int_equal(hint(state, "k", &record), TABLE_CONFLICT);
    assert_int_equal(list(state, NULL, &listed), TABLE_OK);
    assert_string_equal(listed.text, "k * 5 aa;l * 1 aa;");
}

TEST_WITH(state, R14_an_upload_is_kept_while_the_record_is_held)
{
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct record held = make_record(5, "aa");
    struct record found;
    struct record released;
    bool is_there = false;
    char upload[RECORD_UPLOAD_SIZE] = "";
    held.upload = record_upload_number("an-id");
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){
                .path = "k", .etag = "*", .record = &held, .upload = "an-id", .condition = &absent, .now_s = 1000},
            sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
        TABLE_OK);
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){
                .path = "k", .etag = "*", .record = &held, .upload = "an-id", .condition = &absent, .now_s = 1000},
            sqlite_patience_ms(PATIENT_MS), &found, upload, &error),
        TABLE_CONFLICT);
    assert_string_equal(upload, "an-id");
    assert_memory_equal(&found, &held, sizeof(held));
    struct listed listed = {.stop_at = 0};
    assert_int_equal(list(state, NULL, &listed), TABLE_OK);
    assert_string_equal(listed.text, "k * 5 aaan-id;");
    struct record_condition ours = {.kind = RECORD_IF_HELD, .seen = held};
    record_released(&held, held.ttl_s, &released); /* T3 */
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){
                .path = "k", .etag = "*", .record = &released, .upload = "an-id", .condition = &ours, .now_s = 1000},
            sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
        TABLE_OK);
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){"k", "*"}, sqlite_patience_ms(PATIENT_MS),
                                 &is_there, &found, upload, &error),
                     TABLE_OK);
    assert_string_equal(upload, "");
    assert_memory_equal(&found, &released, sizeof(found));
}

/* ------------------------------------------------------------------------------------------------- expiry */

TEST_WITH(state, expired_records_go_with_later_writes_a_few_at_a_time)
{
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct listed listed = {.stop_at = 0};
    const int64_t now = 1000000;
    for (int i = 0; i < 10; i++) {
        char path[32];
        struct record record = make_record(1, "aa");
        record.ttl_s = (uint64_t)(now - 61 - i);
        (void)snprintf(path, sizeof(path), "old%d", i);
        /* written long before they expire */
        assert_int_equal(
            records_put(
                state->ledger,
                &(struct record_row){.path = path, .etag = "*", .record = &record, .condition = &absent, .now_s = 1},
                sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
            TABLE_OK);
    }
    static const uint64_t living[] = {1000000 - 60, 1000000, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        char path[32];
        struct record record = make_record(1, "aa");
        record.ttl_s = living[i];
        (void)snprintf(path, sizeof(path), "live%zu", i);
        assert_int_equal(
            records_put(
                state->ledger,
                &(struct record_row){.path = path, .etag = "*", .record = &record, .condition = &absent, .now_s = now},
                sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
            TABLE_OK);
        assert_int_equal(list(state, NULL, &listed), TABLE_OK);
        assert_int_equal(listed.count, i == 0 ? 7 : i == 1 ? 4 : i + 1);
    }
    assert_null(strstr(listed.text, "old"));
}

TEST_WITH(state, a_write_never_removes_its_own_record_and_a_refused_one_removes_nothing)
{
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct record expired = make_record(1, "aa");
    struct record found;
    expired.ttl_s = 5;
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){.path = "k", .etag = "*", .record = &expired, .condition = &absent, .now_s = 1000000},
            sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
        TABLE_OK);
    check_stored(state, "k", &expired);
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){.path = "k", .etag = "*", .record = &expired, .condition = &absent, .now_s = 1000000},
            sqlite_patience_ms(PATIENT_MS), &found, NULL, &error),
        TABLE_CONFLICT);
    check_stored(state, "k", &expired);
    struct record fresh = make_record(1, "bb");
    assert_int_equal(
        records_put(
            state->ledger,
            &(struct record_row){.path = "l", .etag = "*", .record = &fresh, .condition = &absent, .now_s = 1000000},
            sqlite_patience_ms(PATIENT_MS), &found, NULL, &error),
        TABLE_OK);
    check_stored(state, "k", NULL);
}

static enum table_outcome remove_as(struct state *state, const struct record *seen, struct record *ret)
{
    struct record_condition condition = {.kind = RECORD_IF_SEEN, .seen = *seen};
    return records_delete(state->ledger, &(struct record_row_key){"k", "*"}, &condition, sqlite_patience_ms(PATIENT_MS),
                          ret, &error);
}

TEST_WITH(state, a_record_is_removed_only_as_it_was_seen)
{
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct record held = make_record(7, "aaaa");
    struct record found;
    bool is_there = false;
    assert_int_equal(
        records_put(state->ledger,
                    &(struct record_row){.path = "k", .etag = "*", .record = &held, .condition = &absent, .now_s = 0},
                    sqlite_patience_ms(PATIENT_MS), NULL, NULL, &error),
        TABLE_OK);
    struct record others[] = {held, held, held};
    others[0].generation++;
    others[1].ttl_s++;
    memset(others[2].nonce, 0, sizeof(others[2].nonce));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(remove_as(state, &others[i], &found), TABLE_CONFLICT);
        assert_memory_equal(&found, &held, sizeof(held));
    }
    assert_int_equal(remove_as(state, &held, NULL), TABLE_OK);
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){"k", "*"}, sqlite_patience_ms(PATIENT_MS),
                                 &is_there, &found, NULL, &error),
                     TABLE_OK);
    assert_false(is_there);
    assert_int_equal(remove_as(state, &held, &found), TABLE_CONFLICT_BLIND);
}
