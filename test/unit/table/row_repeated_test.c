/* SPDX-License-Identifier: Apache-2.0 */
/* Rows at DynamoDB: the one quiet repetition, deadlines, cancellation, and what is refused before anything is sent. */
#include "support/clock_jump.h"
#include "unit/credentials/sources.h"
#include "unit/table/row_dynamo_state.h"

#include <time.h>

#define SKEWED  REFUSAL("InvalidSignatureException", "Signature expired: 2026 is now earlier than 2030")
#define EXPIRED REFUSAL("ExpiredTokenException", "token expired")
#define DATE    "Date: Tue, 01 Jan 2030 00:00:00 GMT\r\n"

static const struct path_step id_step = {.name = "id"};
static const struct condition_term is_new = {.path = {&id_step, 1}, .test = CONDITION_IS_ABSENT};

/* A request of each kind, and what it borrows. */
struct requests {
    struct rows_get get;
    struct rows_write write;
    struct rows_transaction transaction;
    struct row_request read;
    struct row_request alone;
    struct row_request together;
};

static void requests_make(struct trees *trees, struct requests *ret)
{
    json_t *key = tree(trees, "{'id':{'S':'u0'}}");
    ret->get = (struct rows_get){.of = {&users, key}};
    ret->write = (struct rows_write){.kind = ROWS_PUT, .table = &users, .item = key, .condition = {&is_new, 1}};
    ret->transaction = (struct rows_transaction){&ret->write, 1, "token"};
    ret->read = (struct row_request){.verb = ROW_READ, .gets = &ret->get, .get_count = 1};
    ret->alone = (struct row_request){.verb = ROW_WRITE, .write = &ret->write};
    ret->together = (struct row_request){.verb = ROW_TRANSACT, .transaction = &ret->transaction};
}

/* ------------------------------------------------------------------------------------------------ repetitions */

TEST_WITH(dynamo_rows, a_clock_that_is_wrong_is_mended_and_the_request_sent_again)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    push_with(dynamo_rows, "400 Bad Request", DATE, SKEWED);
    push(dynamo_rows, "{}");
    struct row_answer answer = ask(dynamo_rows, &requests.alone);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.error.code, OS_OK);
    assert_int_equal(answer.requests, 2);
    assert_memory_equal(header_of(dynamo_rows, 1, "x-amz-date"), "20300101T0000", 13);
    row_answer_free(&answer);
}

/* The Date of a service whose clock shows `seconds` more than ours. */
static const char *date_after(time_t seconds, char ret[64])
{
    time_t then = time(NULL) + seconds;
    struct tm utc;
    assert_non_null(gmtime_r(&then, &utc));
    assert_true(strftime(ret, 64, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc) > 0);
    return ret;
}

static time_t signed_at(struct dynamo_rows *dynamo_rows, size_t number)
{
    struct tm utc = {0};
    assert_non_null(strptime(header_of(dynamo_rows, number, "x-amz-date"), "%Y%m%dT%H%M%SZ", &utc));
    return timegm(&utc);
}

static void write_twice(struct dynamo_rows *dynamo_rows)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    for (int i = 0; i < 2; i++) {
        struct row_answer answer = ask(dynamo_rows, &requests.alone);
        CHECK_ANSWER(&answer, TABLE_OK);
        row_answer_free(&answer);
    }
}

TEST_WITH(dynamo_rows, a_clock_that_is_right_again_is_believed)
{
    char date[64];
    push_with(dynamo_rows, "400 Bad Request", DATE, SKEWED);
    push_with(dynamo_rows, "200 OK", date_after(0, date), "{}");
    push(dynamo_rows, "{}");
    write_twice(dynamo_rows);
    assert_memory_equal(header_of(dynamo_rows, 1, "x-amz-date"), "2030", 4);
    assert_memory_not_equal(header_of(dynamo_rows, 2, "x-amz-date"), "2030", 4);
}

TEST_WITH(dynamo_rows, a_clock_that_is_ahead_is_mended_before_it_is_refused)
{
    char date[64];
    push_with(dynamo_rows, "200 OK", date_after(-240, date), "{}");
    push(dynamo_rows, "{}");
    write_twice(dynamo_rows);
    assert_in_range(signed_at(dynamo_rows, 0), time(NULL) - 60, time(NULL));
    assert_in_range(signed_at(dynamo_rows, 1), time(NULL) - 300, time(NULL) - 235);
}

TEST_WITH(dynamo_rows, no_answer_alone_makes_a_signature_live_longer)
{
    char date[64];
    push_with(dynamo_rows, "200 OK", date_after(240, date), "{}");
    push(dynamo_rows, "{}");
    write_twice(dynamo_rows);
    assert_in_range(signed_at(dynamo_rows, 1), time(NULL) - 60, time(NULL));
}

TEST_WITH(dynamo_rows, a_clock_that_is_wrong_again_is_the_answer)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    push_with(dynamo_rows, "400 Bad Request", DATE, SKEWED);
    push_with(dynamo_rows, "400 Bad Request", DATE, SKEWED);
    struct row_answer answer = ask(dynamo_rows, &requests.together);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_EXPIRED);
    assert_int_equal(http_server_count(dynamo_rows->server), 2);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, an_expired_token_is_followed_by_one_repetition_with_new_keys)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    push_refusal(dynamo_rows, EXPIRED);
    push_refusal(dynamo_rows, "{'__type':'x#TransactionCanceledException','CancellationReasons':[{'Code':"
                              "'ConditionalCheckFailed'}]}");
    struct row_answer answer = ask(dynamo_rows, &requests.together);
    CHECK_ANSWER(&answer, TABLE_CONFLICT_BLIND);
    assert_int_equal(answer.requests, 2);
    assert_int_equal(answer.answers[0].verdict, ROWS_CONDITION_FAILED);
    assert_non_null(strstr(header_of(dynamo_rows, 0, "authorization"), "Credential=KEY1/"));
    assert_non_null(strstr(header_of(dynamo_rows, 1, "authorization"), "Credential=KEY2/"));
    row_answer_free(&answer);
}

/* What was read before is kept over the repetition, which is of the request that was refused. */
TEST_WITH(dynamo_rows, a_token_that_expires_between_two_batches_is_renewed)
{
    struct rows_get gets[] = {{.of = {&users, tree(&dynamo_rows->trees, "{'id':{'S':'u0'}}")}},
                              {.of = {&users, tree(&dynamo_rows->trees, "{'id':{'S':'u1'}}")}}};
    push(dynamo_rows, "{'Responses':{'users':[{'id':{'S':'u0'}}]},'UnprocessedKeys':{'users':{'Keys':[{'id':{'S':"
                      "'u1'}}]}}}");
    push_refusal(dynamo_rows, EXPIRED);
    push(dynamo_rows, "{'Responses':{'users':[{'id':{'S':'u1'}}]},'UnprocessedKeys':{}}");
    struct row_answer answer = ask(dynamo_rows, &(struct row_request){.verb = ROW_READ, .gets = gets, .get_count = 2});
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.requests, 3);
    assert_non_null(answer.items.items[0]);
    assert_non_null(answer.items.items[1]);
    assert_null(strstr(http_server_record(dynamo_rows->server, 2)->body, "\"u0\""));
    row_answer_free(&answer);
}

enum { LATE_MS = 31 * 1000 };

static void give_first_keys_late(unsigned number)
{
    clock_jump(number == 1 ? LATE_MS : 0);
}

static struct row_answer ask_for_long(struct dynamo_rows *rows, struct row_request request)
{
    request.deadline_monotonic_ms = now_ms() + HOUR_MS;
    return ask(rows, &request);
}

TEST_WITH(dynamo_rows, a_transaction_whose_keys_come_late_is_not_sent)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    dynamo_rows->give_keys = give_first_keys_late;
    struct row_answer answer = ask_for_long(dynamo_rows, requests.together);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_CREDENTIALS);
    assert_int_equal(answer.requests, 0);
    row_answer_free(&answer);
    push(dynamo_rows, "{}");
    answer = ask_for_long(dynamo_rows, requests.together);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(http_server_count(dynamo_rows->server), 1);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, what_has_no_token_waits_for_its_keys)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    dynamo_rows->give_keys = give_first_keys_late;
    push(dynamo_rows, "{}");
    struct row_answer answer = ask_for_long(dynamo_rows, requests.alone);
    CHECK_ANSWER(&answer, TABLE_OK);
    row_answer_free(&answer);
}

static void renew_keys_late(unsigned number)
{
    clock_jump(number == 2 ? LATE_MS : 0);
}

TEST_WITH(dynamo_rows, a_transaction_whose_token_has_expired_is_not_repeated_late)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    dynamo_rows->give_keys = renew_keys_late;
    push_refusal(dynamo_rows, EXPIRED);
    struct row_answer answer = ask_for_long(dynamo_rows, requests.together);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_CREDENTIALS);
    assert_int_equal(http_server_count(dynamo_rows->server), 1);
    row_answer_free(&answer);
}

/* ------------------------------------------------------------------------------------------------ time */

TEST_WITH(dynamo_rows, who_is_not_answered_ends_at_the_deadline)
{
    struct requests requests;
    struct row_asking asking[3];
    requests_make(&dynamo_rows->trees, &requests);
    const struct row_request asked[] = {requests.read, requests.alone, requests.together};
    for (size_t i = 0; i < 3; i++) {
        struct row_request request = asked[i];
        request.deadline_monotonic_ms = now_ms() + 1500; /* time enough to be sent */
        http_server_push(dynamo_rows->server, &(struct http_server_step){.leave = HTTP_SERVER_DRAIN});
        row_asking_begin(&asking[i], &dynamo_rows->on, dynamo_rows->service, &request);
    }
    for (size_t i = 0; i < 3; i++) {
        row_asking_end(&asking[i]);
        CHECK_ANSWER(&asking[i].answer, TABLE_AMBIGUOUS);
        assert_int_equal(asking[i].answer.error.code, OS_ERR_DEADLINE);
        row_asking_free(&asking[i]);
    }
}

TEST_WITH(dynamo_rows, a_deadline_that_has_passed_lets_nothing_leave)
{
    struct requests requests;
    requests_make(&dynamo_rows->trees, &requests);
    struct row_request request = requests.alone;
    request.deadline_monotonic_ms = 1;
    struct row_answer answer = ask(dynamo_rows, &request);
    CHECK_ANSWER(&answer, TABLE_THROTTLED);
    assert_int_equal(answer.error.code, OS_ERR_DEADLINE);
    assert_int_equal(http_server_count(dynamo_rows->server), 0);
    row_answer_free(&answer);
}

/* ------------------------------------------------------------------------------------------------ refused at home */

enum { TOO_MANY = ROWS_AT_ONCE_MAX + 1 };

static void check_refused(struct dynamo_rows *rows, const struct row_request *request, const char *words)
{
    struct row_answer answer = ask(rows, request);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&answer, words);
    assert_int_equal(answer.requests, 0);
    assert_int_equal(http_server_connections(rows->server), 0);
    row_answer_free(&answer);
}

TEST_WITH(dynamo_rows, none_and_too_many_are_refused_before_anything_is_sent)
{
    static struct rows_get gets[TOO_MANY];
    static struct rows_write writes[TOO_MANY];
    for (size_t i = 0; i < TOO_MANY; i++) {
        json_t *key = keep(&dynamo_rows->trees, json_pack("{s:{s:o}}", "id", "S", json_sprintf("u%zu", i)));
        gets[i] = (struct rows_get){.of = {&users, key}};
        writes[i] = (struct rows_write){.kind = ROWS_DELETE, .table = &users, .item = key};
    }
    const size_t counts[] = {0, TOO_MANY};
    for (size_t i = 0; i < 2; i++) {
        const struct rows_transaction transaction = {writes, counts[i], "token"};
        const char *words = counts[i] == 0 ? "would name 0" : "would name 101";
        for (int snapshot = 0; snapshot < 2; snapshot++)
            check_refused(dynamo_rows,
                          &(struct row_request){
                              .verb = ROW_READ, .gets = gets, .get_count = counts[i], .is_snapshot = snapshot != 0},
                          words);
        check_refused(dynamo_rows, &(struct row_request){.verb = ROW_TRANSACT, .transaction = &transaction}, words);
    }
}

/* ------------------------------------------------------------------------------------------------ cancellation */

/* Its failure is on its way then. */
TEST_WITH(dynamo_rows, what_is_refused_can_be_cancelled_before_it_is_told)
{
    struct rows_transaction *transaction = calloc(1, sizeof(*transaction));
    struct row_asking asking = {.on = &dynamo_rows->on, .service = dynamo_rows->service, .done = EVENT_INIT};
    assert_non_null(transaction);
    *transaction = (struct rows_transaction){NULL, 0, "token"};
    asking.request = (struct row_request){.verb = ROW_TRANSACT, .transaction = transaction};
    on_loop_call(&dynamo_rows->on, row_asking_start_and_cancel, &asking);
    on_loop_settle(&dynamo_rows->on);
    assert_int_equal(asking.told, 0);
    free(transaction);
}

TEST_WITH(dynamo_rows, what_is_under_way_can_be_cancelled)
{
    struct requests requests;
    struct row_asking asking;
    requests_make(&dynamo_rows->trees, &requests);
    http_server_push(dynamo_rows->server, &(struct http_server_step){.hold = true, .leave = HTTP_SERVER_CLOSE});
    row_asking_begin(&asking, &dynamo_rows->on, dynamo_rows->service, &requests.together);
    assert_true(http_server_wait_held(dynamo_rows->server, 1));
    on_loop_call(&dynamo_rows->on, row_asking_cancel, &asking);
    http_server_release(dynamo_rows->server, 1);
    on_loop_settle(&dynamo_rows->on);
    assert_int_equal(asking.told, 0);
    assert_false(asking.is_untouched);
}

/* Keys that are searched for at a server of their own. */
struct searched {
    struct sources sources;
    struct dynamo_rows rows;
};

static void open_searched(void *context)
{
    static const struct credentials_source source = {.region = "eu-west-1"};
    struct searched *searched = context;
    struct dynamo_rows *rows = &searched->rows;
    struct table_config config = {.loop = rows->on.loop, .endpoint = &rows->endpoint, .stall_ms = ROW_PATIENCE_MS};
    assert_int_equal(credentials_new(&source, &rows->credentials, NULL), OS_OK);
    assert_int_equal(credentials_attach(rows->credentials, rows->on.loop, &searched->sources.http, NULL), OS_OK);
    config.credentials = rows->credentials;
    assert_int_equal(row_dynamo_new(&config, &rows->service, NULL), OS_OK);
}

static void searched_set_up(struct searched *ret)
{
    char url[64];
    sources_set_up(&ret->sources);
    sources_name_server(&ret->sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "");
    ret->rows.server = http_server_start(NULL);
    snprintf(url, sizeof(url), "http://%s", http_server_host(ret->rows.server));
    assert_int_equal(endpoint_parse("dynamodb", url, "eu-west-1", &ret->rows.endpoint, NULL), OS_OK);
    on_loop_set_up(&ret->rows.on);
    on_loop_call(&ret->rows.on, open_searched, ret);
}

static void stop_keys(void *context)
{
    credentials_stop(context);
}

static void searched_tear_down(struct searched *searched)
{
    if (searched->rows.on.loop != NULL)
        on_loop_call(&searched->rows.on, stop_keys, searched->rows.credentials);
    dynamo_rows_tear_down(&searched->rows);
    sources_tear_down(&searched->sources);
}

TEST_WITH(searched, what_waits_for_keys_can_be_cancelled)
{
    struct requests requests;
    struct row_asking asking;
    requests_make(&searched->rows.trees, &requests);
    sources_give_keys(&searched->sources, "one", 3600, true);
    row_asking_begin(&asking, &searched->rows.on, searched->rows.service, &requests.together);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    on_loop_call(&searched->rows.on, row_asking_cancel, &asking);
    assert_true(asking.is_untouched);
    http_server_release(searched->sources.server, 1);
    push(&searched->rows, "{}");
    struct row_answer answer = ask(&searched->rows, &requests.read);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(asking.told, 0);
    assert_int_equal(http_server_count(searched->rows.server), 1);
    row_answer_free(&answer);
}

TEST_WITH(searched, without_keys_nothing_is_sent)
{
    struct requests requests;
    requests_make(&searched->rows.trees, &requests);
    sources_give_none(&searched->sources, false);
    struct row_answer answer = ask(&searched->rows, &requests.alone);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_CREDENTIALS);
    assert_int_equal(http_server_connections(searched->rows.server), 0);
    row_answer_free(&answer);
}
