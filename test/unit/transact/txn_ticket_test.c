/* SPDX-License-Identifier: Apache-2.0 */
/* X10: a ticket comes back from wherever a program has kept it, and is read as it was written, or refused. */
#include "transact/txn_ticket.h"

#include "model/model_key.h"
#include "support/failing_functions.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define OWN  "0123456789abcdef0123456789abcdef"
#define READ "fedcba9876543210fedcba9876543210"

static os_client client = {
    .settings = {.ledger_scheme = SETTINGS_DYNAMODB,
                 .table = (char *)"table",
                 .dynamodb_endpoint = {.host = "host:1", .region = "region"}},
};

/* What a ticket of one row has; NULL in its place: what is good. */
struct ticket_text {
    const char *name;
    const char *kind;
    const char *version;
    const char *table_of_place;
    const char *token;
    const char *rows;
    const char *sentence;
};

#define ROW(part, rest) "{\"table\":\"t\",\"key\":{\"_id\":{\"S\":\"a\"}},\"part\":" part rest "}"

static void write_text(const struct ticket_text *from, char *ret, size_t ret_size)
{
    snprintf(ret, ret_size,
             "{\"ticket\":%s,\"v\":%s,\"place\":{\"store\":\"\",\"endpoint\":\"\",\"bucket\":\"\",\"prefix\":\"\","
             "\"ledger\":\"dynamodb\",\"ledger_endpoint\":\"host:1\",\"ledger_region\":\"region\",\"table\":%s,"
             "\"record_prefix\":\"\"},\"token\":%s,\"rows\":%s}",
             from->kind != NULL ? from->kind : "\"transaction\"", from->version != NULL ? from->version : "1",
             from->table_of_place != NULL ? from->table_of_place : "\"\"",
             from->token != NULL ? from->token : "\"" OWN "\"",
             from->rows != NULL ? from->rows : "[" ROW("\"create\"", "") "]");
}

static const struct ticket_text good[] = {
    {.name = "a creation"},
    {.name = "a write", .rows = "[" ROW("\"write\"", ",\"read\":\"" READ "\"") "]"},
    {.name = "one of each",
     .rows = "[" ROW("\"create\"", "") "," ROW("\"write\"", ",\"read\":\"" READ
                                                            "\"") "," ROW("\"bare\"", "") "," ROW("\"blind\"", "") "]"},
    {.name = "a sort key",
     .rows = "[{\"table\":\"t\",\"key\":{\"_id\":{\"S\":\"a\\u0000\"},\"_sk\":{\"N\":\"7\"}},\"part\":\"bare\"}]"},
};

TEST_ROWS(good, a_ticket_is_read_as_it_was_written)
{
    char text[2048];
    static struct txn_ticket ticket;
    os_error err;
    write_text(row, text, sizeof(text));
    if (txn_ticket_read(&client, text, &ticket, &err) != OS_OK)
        fail_msg("%s", err.message);
    char *again = txn_ticket_write(&client, &ticket);
    assert_string_equal(again, text);
    free(again);
    txn_ticket_free(&ticket);
}

TEST(what_a_ticket_says_of_a_row_is_what_was_written)
{
    char text[2048];
    static struct txn_ticket ticket;
    os_error err;
    write_text(&good[2], text, sizeof(text));
    assert_int_equal(txn_ticket_read(&client, text, &ticket, &err), OS_OK);
    assert_string_equal(ticket.tokens.own, OWN);
    assert_true(row_token_is(ticket.tokens.fence) && strcmp(ticket.tokens.fence, OWN) != 0);
    assert_int_equal(ticket.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct row_mark *mark = &ticket.marks[i];
        assert_int_equal(mark->part, TRANSACTION_CREATE + i);
        assert_string_equal(mark->table->name, "t");
        assert_string_equal(mark->table->keys.partition, MODEL_PARTITION);
        assert_null(mark->table->keys.sort);
        if (mark->part == TRANSACTION_WRITE)
            assert_string_equal(mark->read_token, READ);
        else
            assert_null(mark->read_token);
    }
    txn_ticket_free(&ticket);
    write_text(&good[3], text, sizeof(text));
    assert_int_equal(txn_ticket_read(&client, text, &ticket, &err), OS_OK);
    assert_string_equal(ticket.marks[0].table->keys.sort, MODEL_SORT);
    txn_ticket_free(&ticket);
}

#define NO_ROWS  "This is no ticket of a transaction: its token or its rows are none of a transaction."
#define NO_TEXT  "This is no ticket of a transaction: it is another text."
#define RELEASE  "This is no ticket of a transaction: it is of another release."
#define NO_TABLE "The ticket does not name its table; give the whole line that the call returned."

static const struct ticket_text bad[] = {
    {.name = "another kind", .kind = "\"document\"", .sentence = NO_TEXT},
    {.name = "a kind with a NUL behind it", .kind = "\"transaction\\u0000\"", .sentence = NO_TEXT},
    {.name = "a kind that is no text", .kind = "7", .sentence = NO_TEXT},
    {.name = "another release", .version = "2", .sentence = RELEASE},
    {.name = "a release that is a text", .version = "\"1\"", .sentence = RELEASE},
    {.name = "a release that is a fraction", .version = "1.5", .sentence = RELEASE},
    {.name = "a place with a NUL behind it", .table_of_place = "\"\\u0000t\"", .sentence = NO_TABLE},
    {.name = "a place that is not escaped", .table_of_place = "\"\xc3\xa9\"", .sentence = NO_TABLE},
    {.name = "a place that is no text", .table_of_place = "null", .sentence = NO_TABLE},
    {.name = "no token", .token = "null", .sentence = NO_ROWS},
    {.name = "a token that is too short", .token = "\"0123456789abcdef\"", .sentence = NO_ROWS},
    {.name = "a token that is too long", .token = "\"" OWN "0\"", .sentence = NO_ROWS},
    {.name = "a token with capital letters", .token = "\"0123456789ABCDEF0123456789abcdef\"", .sentence = NO_ROWS},
    {.name = "a token with a NUL behind it", .token = "\"" OWN "\\u0000\"", .sentence = NO_ROWS},
    {.name = "rows that are no list", .rows = "{}", .sentence = NO_ROWS},
    {.name = "no rows", .rows = "[]", .sentence = NO_ROWS},
    {.name = "a row that is none", .rows = "[7]", .sentence = NO_ROWS},
    {.name = "a row that is none behind one that is", .rows = "[" ROW("\"create\"", "") ",null]", .sentence = NO_ROWS},
    {.name = "no part", .rows = "[" ROW("null", "") "]", .sentence = NO_ROWS},
    {.name = "a check", .rows = "[" ROW("\"check\"", "") "]", .sentence = NO_ROWS},
    {.name = "an empty part", .rows = "[" ROW("\"\"", "") "]", .sentence = NO_ROWS},
    {.name = "a write of what was not read", .rows = "[" ROW("\"write\"", "") "]", .sentence = NO_ROWS},
    {.name = "a write of a strange token", .rows = "[" ROW("\"write\"", ",\"read\":\"x\"") "]", .sentence = NO_ROWS},
    {.name = "a creation of what was read",
     .rows = "[" ROW("\"create\"", ",\"read\":\"" READ "\"") "]",
     .sentence = NO_ROWS},
    {.name = "no table", .rows = "[{\"key\":{\"_id\":{\"S\":\"a\"}},\"part\":\"create\"}]", .sentence = NO_ROWS},
    {.name = "a table with a NUL inside",
     .rows = "[{\"table\":\"t\\u0000\",\"key\":{\"_id\":{\"S\":\"a\"}},\"part\":\"create\"}]",
     .sentence = NO_ROWS},
    {.name = "no key", .rows = "[{\"table\":\"t\",\"part\":\"create\"}]", .sentence = NO_ROWS},
    {.name = "a key that is a list",
     .rows = "[{\"table\":\"t\",\"key\":[\"_id\"],\"part\":\"create\"}]",
     .sentence = NO_ROWS},
    {.name = "a key of another name",
     .rows = "[{\"table\":\"t\",\"key\":{\"id\":{\"S\":\"a\"}},\"part\":\"create\"}]",
     .sentence = NO_ROWS},
    {.name = "a key of two, of which one is another",
     .rows = "[{\"table\":\"t\",\"key\":{\"_id\":{\"S\":\"a\"},\"sk\":{\"S\":\"a\"}},\"part\":\"create\"}]",
     .sentence = NO_ROWS},
    {.name = "a key of three",
     .rows = "[{\"table\":\"t\",\"key\":{\"_id\":{\"S\":\"a\"},\"_sk\":{\"S\":\"a\"},\"x\":{\"S\":\"a\"}},"
             "\"part\":\"create\"}]",
     .sentence = NO_ROWS},
};

static void check_refused(const char *text, const char *sentence)
{
    static struct txn_ticket ticket;
    os_error err;
    assert_int_equal(txn_ticket_read(&client, text, &ticket, &err), OS_ERR_ARGUMENT);
    assert_int_equal(err.code, OS_ERR_ARGUMENT);
    assert_string_equal(err.message, sentence);
    txn_ticket_free(&ticket);
}

TEST_ROWS(bad, a_ticket_that_is_none_is_refused)
{
    char text[2048];
    write_text(row, text, sizeof(text));
    check_refused(text, row->sentence);
}

/* os_txn_resolve has no same_store. */
TEST(a_ticket_of_another_place_is_for_the_client_that_wrote_it)
{
    static struct txn_ticket ticket;
    char text[2048];
    os_error err;
    static os_client other = {
        .settings = {.ledger_scheme = SETTINGS_DYNAMODB, .dynamodb_endpoint = {.host = "host:2", .region = "region"}}};
    write_text(&good[0], text, sizeof(text));
    assert_int_equal(txn_ticket_read(&other, text, &ticket, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "its ledger is \"host:1\", the client's is \"host:2\". Resolve it with"));
    txn_ticket_free(&ticket);
}

TEST(what_is_no_json_object_or_too_long_is_refused)
{
    enum { SIZE = 2 * 1024 * 1024 + 2 };
    static const char sentence[] = "This is no ticket of a transaction: it is no JSON object, or too long.";
    char text[2048];
    check_refused("", sentence);
    check_refused("[]", sentence);
    check_refused("{\"ticket\":\"transaction\"", sentence);
    check_refused("{\"v\":1,\"v\":1}", sentence);
    char *longest = malloc(SIZE);
    assert_non_null(longest);
    write_text(&good[0], text, sizeof(text));
    snprintf(longest, SIZE, "%*s", SIZE - 1, text);
    check_refused(longest, sentence);
    static struct txn_ticket ticket;
    assert_int_equal(txn_ticket_read(&client, longest + 1, &ticket, NULL), OS_OK);
    txn_ticket_free(&ticket);
    free(longest);
}

TEST(a_ticket_has_room_for_as_many_rows_as_a_transaction)
{
    static char text[64 * 1024];
    for (size_t count = ROWS_AT_ONCE_MAX; count <= ROWS_AT_ONCE_MAX + 1; count++) {
        static char rows[32 * 1024];
        size_t len = 0;
        for (size_t i = 0; i < count; i++)
            len += (size_t)snprintf(rows + len, sizeof(rows) - len, "%s%s", i > 0 ? "," : "[", ROW("\"create\"", ""));
        snprintf(rows + len, sizeof(rows) - len, "]");
        const struct ticket_text ticket_text = {.rows = rows};
        write_text(&ticket_text, text, sizeof(text));
        if (count > ROWS_AT_ONCE_MAX) {
            check_refused(text, NO_ROWS);
        } else {
            static struct txn_ticket ticket;
            assert_int_equal(txn_ticket_read(&client, text, &ticket, NULL), OS_OK);
            assert_int_equal(ticket.count, count);
            txn_ticket_free(&ticket);
        }
    }
}

TEST(a_ticket_is_written_without_memory_as_with_it_or_not_at_all)
{
    char text[2048];
    static struct txn_ticket ticket;
    write_text(&good[2], text, sizeof(text));
    assert_int_equal(txn_ticket_read(&client, text, &ticket, NULL), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            alloc_fail_from(number, failures);
            json_set_alloc_funcs(failing_malloc, free);
            char *written = txn_ticket_write(&client, &ticket);
            json_set_alloc_funcs(malloc, free);
            alloc_fail_none();
            if (written != NULL)
                assert_string_equal(written, text);
            free(written);
        }
    txn_ticket_free(&ticket);
}
