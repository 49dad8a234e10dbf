/* SPDX-License-Identifier: Apache-2.0 */
/* W9: a ticket comes back from wherever a program has kept it, and is read as it was written, or refused. */
#include "client/client.h"
#include "persistence/writing.h"
#include "support/failing_functions.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static os_client client = {
    .settings = {.ledger_scheme = SETTINGS_DYNAMODB,
                 .table = (char *)"table",
                 .dynamodb_endpoint = {.host = "host:1", .region = "region"}},
};

static struct persistence call_of(enum document_spelling spelling)
{
    struct persistence call = {.client = &client};
    call.store.table = (struct rows_table){.name = "table", .keys = {DOCUMENT_PARTITION, DOCUMENT_SORT}};
    call.store.spelling = spelling;
    return call;
}

#define PLACE                                                                                                        \
    "{\"store\":\"\",\"endpoint\":\"\",\"bucket\":\"\",\"prefix\":\"\",\"ledger\":\"dynamodb\",\"ledger_endpoint\":" \
    "\"host:1\",\"ledger_region\":\"region\",\"table\":\"table\",\"record_prefix\":\"\"}"
#define TICKET(spelling, items) \
    "{\"ticket\":\"document\",\"v\":1,\"place\":" PLACE ",\"spelling\":" spelling ",\"items\":" items "}"
#define KEY(sort)     "{\"PK\":{\"S\":\"DS#a\"},\"SK\":{\"S\":\"" sort "\"}}"
#define ITEM(members) "{" members ",\"key\":" KEY("DSR#n") "}"
#define REPORTED      ITEM("\"kind\":\"reported\",\"version\":1,\"token\":\"x\"")
#define DESIRED       "{\"kind\":\"desired\",\"version\":9223372036854775807,\"token\":\"\\u0001\",\"key\":" KEY("DSD#n") "}"

static const struct {
    const char *name;
    enum document_spelling spelling;
    size_t count;
} good[] = {
    {TICKET("\"tags\"", "[" REPORTED "]"), DOCUMENT_TAGS, 1},
    {TICKET("\"fields\"", "[" REPORTED "]"), DOCUMENT_FIELDS, 1},
    {TICKET("\"tags\"", "[" REPORTED "," DESIRED "]"), DOCUMENT_TAGS, 2},
};

TEST_ROWS(good, a_ticket_is_read_as_it_was_written)
{
    struct persistence call = call_of(row->spelling);
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    struct written written;
    json_t *root;
    os_error err;
    if (writing_read_ticket(&call, row->name, &written, &root, &err) != OS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(written.count, row->count);
    assert_false(written.is_deletion);
    assert_int_equal(written.items[0].kind, DOCUMENT_REPORTED);
    assert_int_equal(written.items[0].mark.version, 1);
    assert_int_equal(written.items[0].mark.spelling, row->spelling);
    assert_true(text_is(written.items[0].mark.client_token, "x"));
    writing_add_ticket(&call, &written, &result);
    assert_string_equal(result.ticket, row->name);
    free(result.ticket);
    written_free(&written);
    json_decref(root);
}

#define NO_ITEMS "This is no ticket of a document: its items are none of a document."
#define NO_TEXT  "This is no ticket of a document: it is another text."

static const struct {
    const char *name;
    const char *sentence;
} bad[] = {
    {"", "This is no ticket of a document: it is no JSON object, or too long."},
    {"[]", "This is no ticket of a document: it is no JSON object, or too long."},
    {"{}", NO_TEXT},
    {"{\"ticket\":\"document\"}", "This is no ticket of a document: it is of another release."},
    {"{\"ticket\":\"document\",\"v\":1}",
     "The ticket does not name its kind of store; give the whole line that the call returned."},
    {TICKET("null", "[" REPORTED "]"), NO_TEXT},
    {TICKET("\"tags\\u0000\"", "[" REPORTED "]"), NO_TEXT},
    {TICKET("\"fields\"", "[" REPORTED "]"),
     "This is no ticket of a document: it is of a table whose items are spelled in the other way."},
    {TICKET("\"tag\"", "[" REPORTED "]"),
     "This is no ticket of a document: it is of a table whose items are spelled in the other way."},
    {TICKET("\"tags\"", "{}"), NO_ITEMS},
    {TICKET("\"tags\"", "[]"), NO_ITEMS},
    {TICKET("\"tags\"", "[7]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" REPORTED ",{}]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" REPORTED "," REPORTED "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" REPORTED "," DESIRED "," DESIRED "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"version\":1,\"token\":\"x\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"desired\",\"version\":1,\"token\":\"x\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":1") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":1,\"token\":\"\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":1,\"token\":\"x\\u0000\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":0,\"token\":\"x\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":-1,\"token\":\"x\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":1.5,\"token\":\"x\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[" ITEM("\"kind\":\"reported\",\"version\":\"1\",\"token\":\"x\"") "]"), NO_ITEMS},
    {TICKET("\"tags\"", "[{\"kind\":\"reported\",\"version\":1,\"token\":\"x\"}]"), NO_ITEMS},
    {TICKET("\"tags\"", "[{\"kind\":\"reported\",\"version\":1,\"token\":\"x\",\"key\":" KEY("DSR#") "}]"), NO_ITEMS},
    {TICKET("\"tags\"", "[{\"kind\":\"reported\",\"version\":1,\"token\":\"x\",\"key\":{\"PK\":{\"S\":\"DS#a\"}}}]"),
     NO_ITEMS},
};

TEST_ROWS(bad, a_ticket_that_is_none_is_refused)
{
    struct persistence call = call_of(DOCUMENT_TAGS);
    struct written written;
    json_t *root;
    os_error err;
    assert_int_equal(writing_read_ticket(&call, row->name, &written, &root, &err), OS_ERR_ARGUMENT);
    assert_string_equal(err.message, row->sentence);
    written_free(&written);
    json_decref(root);
}

/* Nothing decides later whose deletion it was. */
TEST(a_deletion_has_no_ticket)
{
    struct persistence call = call_of(DOCUMENT_TAGS);
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    const struct written written = {.count = 1, .is_deletion = true};
    writing_add_ticket(&call, &written, &result);
    assert_null(result.ticket);
    assert_string_equal(result.error.message, "");
}

TEST(without_memory_there_is_no_ticket_and_a_sentence_says_so)
{
    struct persistence call = call_of(DOCUMENT_TAGS);
    struct written written;
    json_t *root;
    const char *text = good[2].name;
    assert_int_equal(writing_read_ticket(&call, text, &written, &root, NULL), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            os_document_result result = OS_DOCUMENT_RESULT_INIT;
            alloc_fail_from(number, failures);
            json_set_alloc_funcs(failing_malloc, free);
            writing_add_ticket(&call, &written, &result);
            json_set_alloc_funcs(malloc, free);
            alloc_fail_none();
            if (result.ticket != NULL)
                assert_string_equal(result.ticket, text);
            else
                assert_non_null(strstr(result.error.message, "There was no memory for a ticket"));
            free(result.ticket);
        }
    written_free(&written);
    json_decref(root);
}
