/* SPDX-License-Identifier: Apache-2.0 */
/* Rows at DynamoDB behind the asynchronous interface: what is sent, and what is said of what comes back. */
#include "dynamo/response.h"
#include "unit/table/row_dynamo_state.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#define USER(id)         "{'id':{'S':'" id "'}}"
#define USER_OF(id, age) "{'id':{'S':'" id "'},'age':{'N':'" age "'},'name':{'S':'x'}}"

/* So many users by their keys, "u0", "u1" ... */
static struct row_request read_of(struct dynamo_rows *rows, struct rows_get *gets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char key[40];
        snprintf(key, sizeof(key), "{'id':{'S':'u%zu'}}", i);
        gets[i] = (struct rows_get){.of = {&users, tree(&rows->trees, key)}};
    }
    return (struct row_request){.verb = ROW_READ, .gets = gets, .get_count = count};
}

static void check_item(struct dynamo_rows *rows, json_t *item, const char *wanted)
{
    if (wanted == NULL)
        assert_null(item);
    else
        assert_true(json_equal(item, tree(&rows->trees, wanted)));
}

/* ------------------------------------------------------------------------------------------------ reads */

TEST_WITH(dynamo_rows, a_read_of_one_item_asks_for_that)
{
    struct rows_get gets[1];
    const struct row_request request = read_of(dynamo_rows, gets, 1);
    push_with(dynamo_rows, "200 OK", "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n", "{'Item':" USER_OF("u0", "7") "}");
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_OK);
    CHECK_REQUEST(dynamo_rows, 0, "GetItem");
    check_item(dynamo_rows, answer.items.items[0], USER_OF("u0", "7"));
    assert_int_equal(answer.requests, 1);
    assert_true(answer.has_date);
    assert_int_equal(answer.date_s, 1767225600);
    row_answer_free(&answer);
}

/* The first time some, the second time none, the third time the rest. */
TEST_WITH(dynamo_rows, what_a_batch_has_left_is_asked_for_again_and_nothing_else)
{
    struct rows_get gets[3];
    const struct row_request request = read_of(dynamo_rows, gets, 3);
    push(dynamo_rows, "{'Responses':{'users':[" USER_OF("u0", "1") "]},'UnprocessedKeys':{'users':{'Keys':[" USER(
                          "u1") "," USER("u2") "]}}}");
    push(dynamo_rows, "{'Responses':{},'UnprocessedKeys':{'users':{'Keys':[" USER("u1") "," USER("u2") "]}}}");
    push(dynamo_rows, "{'Responses':{'users':[" USER_OF("u2", "3") "]},'UnprocessedKeys':{}}");
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.requests, 3);
    assert_true(has_asked_for(dynamo_rows, 0, "\"u0\""));
    for (size_t i = 1; i < 3; i++) {
        CHECK_REQUEST(dynamo_rows, i, "BatchGetItem");
        assert_false(has_asked_for(dynamo_rows, i, "\"u0\""));
        assert_true(has_asked_for(dynamo_rows, i, "\"u1\""));
        assert_true(has_asked_for(dynamo_rows, i, "\"u2\""));
    }
    check_item(dynamo_rows, answer.items.items[0], USER_OF("u0", "1"));
    check_item(dynamo_rows, answer.items.items[1], NULL);
    check_item(dynamo_rows, answer.items.items[2], USER_OF("u2", "3"));
    assert_int_equal(answer.items.left_count, 0);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_batch_gives_of_each_item_what_was_asked_for)
{
    const struct path age = PATH({.name = "age"});
    struct rows_get gets[2];
    const struct row_request request = read_of(dynamo_rows, gets, 2);
    gets[1].paths = &age;
    gets[1].path_count = 1;
    push(dynamo_rows, "{'Responses':{'users':[" USER_OF("u1", "2") "," USER_OF("u0", "1") "]},'UnprocessedKeys':{}}");
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_OK);
    check_item(dynamo_rows, answer.items.items[0], USER_OF("u0", "1"));
    check_item(dynamo_rows, answer.items.items[1], "{'age':{'N':'2'}}");
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, Q2_a_batch_is_consistent_unless_each_of_its_items_may_be_older)
{
    struct rows_get gets[2];
    const struct row_request request = read_of(dynamo_rows, gets, 2);
    for (size_t older = 0; older <= 2; older++) {
        if (older > 0)
            gets[older - 1].is_eventual = true;
        push(dynamo_rows, "{'Responses':{},'UnprocessedKeys':{}}");
        struct row_answer answer = ask(dynamo_rows, &request);
        CHECK_ANSWER(&answer, TABLE_OK);
        assert_int_equal(has_asked_for(dynamo_rows, older, "\"ConsistentRead\":true"), older < 2);
        row_answer_free(&answer);
    }
}

static void leave_all(void *context, const struct http_server_record *record, struct buf *scratch,
                      struct http_server_step *ret)
{
    static const char body[] = "{\"Responses\":{},\"UnprocessedKeys\":{\"users\":{\"Keys\":[{\"id\":{\"S\":\"u0\"}},{"
                               "\"id\":{\"S\":\"u1\"}}]}}}";
    (void)context;
    (void)record;
    buf_add_f(scratch, "HTTP/1.1 200 OK\r\nx-amzn-requestid: A\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

static void never_done_set_up(struct dynamo_rows *rows)
{
    rows->server = http_server_start(&(struct http_server_options){.respond = leave_all});
    dynamo_rows_open(rows, http_server_host(rows->server));
}

TEST_WITH_AS(dynamo_rows, never_done_set_up, a_batch_that_is_never_done_ends_at_its_deadline)
{
    struct rows_get gets[2];
    const struct row_request request = read_of(dynamo_rows, gets, 2);
    struct row_answer answer = row_ask_until_a_pause(&dynamo_rows->on, dynamo_rows->service, &request, 300);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_THROTTLED);
    CHECK_SAYS(&answer, "has left 2 of 2 items until the deadline");
    assert_true(answer.requests > 1);
    row_answer_free(&answer);
}

TEST_WITH_AS(dynamo_rows, never_done_set_up, a_batch_can_be_cancelled_between_its_requests)
{
    struct rows_get gets[2];
    struct row_asking asking;
    const struct row_request request = read_of(dynamo_rows, gets, 2);
    row_asking_begin(&asking, &dynamo_rows->on, dynamo_rows->service, &request);
    assert_true(http_server_wait_count(dynamo_rows->server, 4)); /* the pause is 100 ms or more then */
    on_loop_call(&dynamo_rows->on, row_asking_cancel, &asking);
    on_loop_settle(&dynamo_rows->on);
    assert_int_equal(asking.told, 0);
}

/* ------------------------------------------------------------------------------------------------ too long */

static void push_endless(struct dynamo_rows *rows)
{
    struct buf text;
    buf_init(&text, 16 << 20);
    buf_add_f(&text, "HTTP/1.1 200 OK\r\nx-amzn-requestid: A\r\nContent-Length: %d\r\n\r\n{", DYNAMO_ANSWER_MAX + 2);
    assert_true(buf_reserve(&text, DYNAMO_ANSWER_MAX + 1));
    for (int i = 0; i <= DYNAMO_ANSWER_MAX; i++)
        buf_add_char(&text, ' ');
    assert_true(buf_ok(&text));
    http_server_push(rows->server, &(struct http_server_step){.answer = buf_str(&text), .leave = HTTP_SERVER_CLOSE});
    buf_free(&text);
}

TEST_WITH(dynamo_rows, a_batch_of_too_many_bytes_is_asked_for_in_halves)
{
    struct rows_get gets[5];
    const struct row_request request = read_of(dynamo_rows, gets, 5);
    push_endless(dynamo_rows);
    push(dynamo_rows,
         "{'Responses':{'users':[" USER_OF("u0", "1") "]},'UnprocessedKeys':{'users':{'Keys':[" USER("u1") "]}}}");
    push(dynamo_rows, "{'Responses':{'users':[" USER_OF("u1", "2") "]},'UnprocessedKeys':{}}");
    push(dynamo_rows, "{'Responses':{'users':[" USER_OF("u4", "5") "]},'UnprocessedKeys':{}}");
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.requests, 4);
    assert_true(has_asked_for(dynamo_rows, 1, "\"u1\"") && !has_asked_for(dynamo_rows, 1, "\"u2\""));
    assert_true(has_asked_for(dynamo_rows, 2, "\"u2\"") && !has_asked_for(dynamo_rows, 2, "\"u3\""));
    assert_true(has_asked_for(dynamo_rows, 3, "\"u4\"") && !has_asked_for(dynamo_rows, 3, "\"u2\""));
    check_item(dynamo_rows, answer.items.items[0], USER_OF("u0", "1"));
    check_item(dynamo_rows, answer.items.items[1], USER_OF("u1", "2"));
    check_item(dynamo_rows, answer.items.items[2], NULL);
    check_item(dynamo_rows, answer.items.items[4], USER_OF("u4", "5"));
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, an_item_of_too_many_bytes_cannot_be_read)
{
    struct rows_get gets[1];
    const struct row_request request = read_of(dynamo_rows, gets, 1);
    push_endless(dynamo_rows);
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_UNREADABLE);
    assert_int_equal(answer.error.code, OS_ERR_TOO_LARGE);
    CHECK_SAYS(&answer, "Ask for a part of the item.");
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_page_of_too_many_bytes_is_asked_for_with_fewer_items)
{
    const struct rows_list list = {.table = &users};
    push_endless(dynamo_rows);
    push_endless(dynamo_rows);
    push(dynamo_rows, "{'Items':[" USER_OF("u0", "1") "],'LastEvaluatedKey':" USER("u0") "}");
    struct row_answer answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_LIST, .list = &list});
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.requests, 3);
    assert_true(has_asked_for(dynamo_rows, 0, "\"Limit\":4000"));
    assert_true(has_asked_for(dynamo_rows, 1, "\"Limit\":1000"));
    assert_true(has_asked_for(dynamo_rows, 2, "\"Limit\":250"));
    check_item(dynamo_rows, json_array_get(answer.page.items, 0), USER_OF("u0", "1"));
    check_item(dynamo_rows, answer.page.last_key, USER("u0"));
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, one_item_of_too_many_bytes_cannot_be_listed)
{
    const struct rows_list list = {.table = &users, .limit = 7};
    push_endless(dynamo_rows);
    push_endless(dynamo_rows);
    struct row_answer answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_LIST, .list = &list});
    CHECK_ANSWER(&answer, TABLE_UNREADABLE);
    assert_int_equal(answer.requests, 2);
    assert_true(has_asked_for(dynamo_rows, 1, "\"Limit\":1}"));
    CHECK_SAYS(&answer, "or for parts of them.");
    row_answer_free(&answer);
}

/* ------------------------------------------------------------------------------------------------ snapshots, pages */

TEST_WITH(dynamo_rows, a_snapshot_is_one_transaction)
{
    const struct path age = PATH({.name = "age"});
    struct rows_get gets[3];
    struct row_request request = read_of(dynamo_rows, gets, 3);
    request.is_snapshot = true;
    gets[2].paths = &age;
    gets[2].path_count = 1;
    push(dynamo_rows, "{'Responses':[{'Item':" USER_OF("u0", "1") "},{},{'Item':{'age':{'N':'3'}}}]}");
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_OK);
    CHECK_REQUEST(dynamo_rows, 0, "TransactGetItems");
    check_item(dynamo_rows, answer.items.items[0], USER_OF("u0", "1"));
    check_item(dynamo_rows, answer.items.items[1], NULL);
    check_item(dynamo_rows, answer.items.items[2], "{'age':{'N':'3'}}");
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_page_has_where_the_next_one_starts)
{
    const struct rows_list list = {.table = &users, .limit = 1};
    push(dynamo_rows,
         "{'Items':[" USER_OF("u0", "1") "],'Count':1,'ScannedCount':1,'LastEvaluatedKey':" USER("u0") "}");
    struct row_answer answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_LIST, .list = &list});
    CHECK_ANSWER(&answer, TABLE_OK);
    CHECK_REQUEST(dynamo_rows, 0, "Scan");
    check_item(dynamo_rows, answer.page.last_key, USER("u0"));
    assert_int_equal(json_array_size(answer.page.items), 1);
    row_answer_free(&answer);
}

/* ------------------------------------------------------------------------------------------------ writes */

static const struct path_step id_step = {.name = "id"};
static const struct condition_term is_new = {.path = {&id_step, 1}, .test = CONDITION_IS_ABSENT};

static struct rows_write put_of(struct dynamo_rows *rows, const char *item)
{
    return (struct rows_write){
        .kind = ROWS_PUT, .table = &users, .item = tree(&rows->trees, item), .condition = {&is_new, 1}};
}

TEST_WITH(dynamo_rows, a_condition_that_failed_gives_what_is_in_the_way)
{
    const struct rows_write write = put_of(dynamo_rows, USER("u0"));
    push_refusal(dynamo_rows, "{'__type':'x#ConditionalCheckFailedException','Item':" USER_OF("u0", "9") "}");
    push_refusal(dynamo_rows, "{'__type':'x#ConditionalCheckFailedException'}");
    struct row_answer answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_WRITE, .write = &write});
    CHECK_ANSWER(&answer, TABLE_CONFLICT);
    check_item(dynamo_rows, answer.item, USER_OF("u0", "9"));
    row_answer_free(&answer);
    answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_WRITE, .write = &write});
    CHECK_ANSWER(&answer, TABLE_CONFLICT_BLIND);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_cancelled_transaction_says_which_write_is_why)
{
    const struct rows_write writes[] = {put_of(dynamo_rows, USER("u0")), put_of(dynamo_rows, USER("u1"))};
    const struct rows_transaction transaction = {writes, 2, "token"};
    push_refusal(dynamo_rows, "{'__type':'x#TransactionCanceledException','CancellationReasons':[{'Code':'None'},{"
                              "'Code':'ConditionalCheckFailed','Item':" USER_OF("u1", "9") "}]}");
    struct row_answer answer =
        ask(dynamo_rows, &(struct row_request){.verb = ROW_TRANSACT, .transaction = &transaction});
    CHECK_ANSWER(&answer, TABLE_CONFLICT);
    assert_int_equal(answer.answer_count, 2);
    assert_int_equal(answer.answers[0].verdict, ROWS_NOT_IN_THE_WAY);
    assert_int_equal(answer.answers[1].verdict, ROWS_CONDITION_FAILED);
    check_item(dynamo_rows, answer.answers[1].item, USER_OF("u1", "9"));
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, a_transaction_that_is_in_progress_is_left_open)
{
    const struct rows_write write = put_of(dynamo_rows, USER("u0"));
    const struct rows_transaction transaction = {&write, 1, "token"};
    push_refusal(dynamo_rows, REFUSAL("TransactionInProgressException", "wait"));
    struct row_answer answer =
        ask(dynamo_rows, &(struct row_request){.verb = ROW_TRANSACT, .transaction = &transaction});
    CHECK_ANSWER(&answer, TABLE_AMBIGUOUS);
    CHECK_SAYS(&answer, "send it again under its token");
    assert_int_equal(answer.requests, 1);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, an_answer_that_is_lost_decides_nothing)
{
    struct rows_get gets[1];
    const struct row_request read = read_of(dynamo_rows, gets, 1);
    const struct rows_write write = put_of(dynamo_rows, USER("u0"));
    const struct rows_transaction transaction = {&write, 1, "token"};
    const struct row_request requests[] = {
        read, {.verb = ROW_WRITE, .write = &write}, {.verb = ROW_TRANSACT, .transaction = &transaction}};
    static const char *const words[] = {"could not be asked", "It may have been applied: read what is there.",
                                        "It may have been applied: send it again under its token."};
    for (size_t i = 0; i < 3; i++) {
        push_nothing(dynamo_rows);
        struct row_answer answer = ask(dynamo_rows, &requests[i]);
        CHECK_ANSWER(&answer, TABLE_AMBIGUOUS);
        assert_int_equal(answer.error.code, OS_ERR_NETWORK);
        CHECK_SAYS(&answer, words[i]);
        row_answer_free(&answer);
    }
}

/* libcurl sends a request again when a kept connection ends before the first byte of an answer: the second would find the
 * first in its way. */
TEST_WITH(dynamo_rows, a_write_alone_does_not_go_twice)
{
    struct rows_get gets[1];
    const struct row_request read = read_of(dynamo_rows, gets, 1);
    const struct rows_write write = put_of(dynamo_rows, USER("u0"));
    push(dynamo_rows, "{}");
    push_nothing(dynamo_rows);
    push_refusal(dynamo_rows, "{'__type':'x#ConditionalCheckFailedException','Item':" USER("u0") "}");
    struct row_answer answer = ask(dynamo_rows, &read);
    CHECK_ANSWER(&answer, TABLE_OK);
    row_answer_free(&answer);
    answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_WRITE, .write = &write});
    CHECK_ANSWER(&answer, TABLE_AMBIGUOUS);
    assert_int_equal(http_server_count(dynamo_rows->server), 2);
    row_answer_free(&answer);
}

static void nobody_set_up(struct dynamo_rows *rows)
{
    (void)rows;
}

TEST_WITH_AS(dynamo_rows, nobody_set_up, what_never_left_may_be_sent_again)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    char host[32];
    int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* a port that nobody can listen at meanwhile */
    assert_int_equal(bind(taken, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &length), 0);
    snprintf(host, sizeof(host), "127.0.0.1:%d", ntohs(address.sin_port));
    dynamo_rows_open(dynamo_rows, host);
    const struct rows_write write = put_of(dynamo_rows, USER("u0"));
    struct row_answer answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_WRITE, .write = &write});
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_NETWORK);
    row_answer_free(&answer);
    close(taken);
}
