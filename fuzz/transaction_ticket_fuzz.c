/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ticket of a transaction (X10). What is read has rows that were written, and is written and read again as the same. Rows that
 * are not there are no evidence, one with its token is; what is fenced is a row whose token the ticket names, and the fence is a
 * write that a table takes.
 */
#include "fuzz.h"

#include "client/client.h"
#include "rows/check.h"
#include "transact/row_write.h"
#include "transact/txn_ticket.h"

#include <stdlib.h>
#include <string.h>

static os_client client = {
    .settings = {.ledger_scheme = SETTINGS_DYNAMODB,
                 .table = (char *)"table",
                 .dynamodb_endpoint = {.host = "host:1", .region = "region"}},
};

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void check_same(const struct txn_ticket *a, const struct txn_ticket *b)
{
    FUZZ_CHECK(a->count == b->count && memcmp(&a->tokens, &b->tokens, sizeof(a->tokens)) == 0);
    for (size_t i = 0; i < a->count; i++) {
        const struct row_mark *x = &a->marks[i];
        const struct row_mark *y = &b->marks[i];
        FUZZ_CHECK(strcmp(x->table->name, y->table->name) == 0 && json_equal(x->key, y->key) == 1);
        FUZZ_CHECK(x->part == y->part && same_text(x->read_token, y->read_token));
    }
}

static void check_again(const struct txn_ticket *ticket)
{
    static struct txn_ticket again;
    os_error err;
    char *text = txn_ticket_write(&client, ticket);
    FUZZ_CHECK(text != NULL && strpbrk(text, "\r\n") == NULL);
    FUZZ_CHECK(txn_ticket_read(&client, text, &again, &err) == OS_OK);
    check_same(ticket, &again);
    txn_ticket_free(&again);
    free(text);
}

/* The row as it is, with this token. */
static json_t *item_of(const struct row_mark *mark, const char *token)
{
    json_t *item = json_copy((json_t *)mark->key);
    FUZZ_CHECK(json_object_set_new(item, ROW_TOKEN, json_pack("{s:s}", "S", token)) == 0);
    return item;
}

static enum transaction_finding find(const struct txn_ticket *ticket, size_t at, const char *token, uint32_t *ret_part)
{
    static struct transaction_row rows[ROWS_AT_ONCE_MAX];
    static struct transaction_settings settings;
    json_t *item = token != NULL ? item_of(&ticket->marks[at], token) : NULL;
    settings.count = (uint32_t)ticket->count;
    memset(rows, 0, sizeof(rows));
    for (size_t i = 0; i < ticket->count; i++) {
        settings.parts[i] = (uint8_t)ticket->marks[i].part;
        row_see(&ticket->marks[i], &ticket->tokens, i == at ? item : NULL, &rows[i]);
    }
    json_decref(item);
    return transaction_judge(&settings, rows, ret_part);
}

static void check_fence(const struct row_mark *mark, const char *fence, bool is_key)
{
    struct row_write write;
    os_error err;
    FUZZ_CHECK(row_write_fence(mark, fence, &write, &err) == OS_OK);
    FUZZ_CHECK(!is_key || rows_check_write(&write.write, &err) == OS_OK);
    row_write_free(&write);
}

static void check_rows(const struct txn_ticket *ticket)
{
    for (size_t i = 0; i < ticket->count; i++) {
        uint32_t part = UINT32_MAX;
        const struct row_mark *mark = &ticket->marks[i];
        const struct rows_key key = {mark->table, mark->key};
        enum transaction_finding absent = find(ticket, i, NULL, &part);
        FUZZ_CHECK(absent == TRANSACTION_UNDECIDED || absent == TRANSACTION_MOVED);
        FUZZ_CHECK(find(ticket, i, ticket->tokens.own, &part) == TRANSACTION_APPLIED && part == i);
        FUZZ_CHECK((mark->part == TRANSACTION_WRITE) == (mark->read_token != NULL));
        if (mark->part != TRANSACTION_WRITE)
            continue;
        if (strcmp(mark->read_token, ticket->tokens.own) != 0 && strcmp(mark->read_token, ticket->tokens.fence) != 0)
            FUZZ_CHECK(find(ticket, i, mark->read_token, &part) == TRANSACTION_OPEN && part == i);
        check_fence(mark, ticket->tokens.fence, rows_check_key(&key, NULL) == OS_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct txn_ticket ticket;
    os_error err = {.code = OS_OK};
    char *text = fuzz_string(data, size);
    os_code code = txn_ticket_read(&client, text, &ticket, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || code == OS_ERR_ARGUMENT);
    if (code == OS_OK) {
        FUZZ_CHECK(ticket.count >= 1 && ticket.count <= ROWS_AT_ONCE_MAX);
        check_rows(&ticket);
        check_again(&ticket);
    }
    txn_ticket_free(&ticket);
    free(text);
    return 0;
}
