/* SPDX-License-Identifier: Apache-2.0 */
/* E2: a client whose keys are searched for. An attempt whose token has expired is signed again when others are there, and
 * is never told as written or lost where none come. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"
#include "unit/credentials/sources.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PROMPT_MS = 30000 };

#define EXPIRED "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"

struct client {
    struct sources sources; /* its server gives the keys */
    struct scratch scratch; /* the ledger */
    struct http_server *server;
    atomic_uint puts;
    char signed_by[4][16]; /* each of them */
    os_client *client;
};

static void note_signer(struct client *client, const char *target)
{
    const char *at = strstr(target, "X-Amz-Credential=");
    unsigned number = atomic_load(&client->puts); /* one comes after the other */
    assert_in_range(number, 0, 3);
    assert_non_null(at);
    (void)sscanf(at, "X-Amz-Credential=%15[a-z]", client->signed_by[number]);
    atomic_store(&client->puts, number + 1);
}

/* The key is not there; the first attempt has come with a token that has expired. */
static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct client *client = context;
    bool is_key = strstr(record->target, "/key") != NULL;
    bool is_head = strcmp(record->method, "HEAD") == 0;
    const char *status = is_key && is_head ? "404 Not Found" : "200 OK";
    const char *body = "";
    char date[64] = "";
    struct tm utc;
    time_t at = time(NULL);
    if (is_key && strcmp(record->method, "PUT") == 0) {
        bool first = atomic_load(&client->puts) == 0;
        note_signer(client, record->target);
        status = first ? "400 Bad Request" : "200 OK";
        body = first ? EXPIRED : "";
    }
    gmtime_r(&at, &utc);
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nx-amz-request-id: 1\r\nDate: %s\r\nETag: \"e\"\r\nContent-Length: %zu\r\n\r\n%s",
              status, date, strlen(body), body);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void open_client(struct client *client)
{
    char endpoint[64];
    char ledger[160];
    os_options options = OS_OPTIONS_INIT;
    os_error error;
    snprintf(endpoint, sizeof(endpoint), "http://%s", http_server_host(client->server));
    snprintf(ledger, sizeof(ledger), "sqlite://%s/.oscommit/ledger.db", client->scratch.root);
    options.store_url = "s3://bucket";
    options.s3_endpoint = endpoint;
    options.ledger_url = ledger;
    CHECK_CODE(os_client_open(&options, &client->client, &error), OS_OK, &error);
}

static void client_set_up(struct client *ret)
{
    const struct http_server_options options = {.respond = respond, .respond_context = ret};
    sources_set_up(&ret->sources);
    sources_name_server(&ret->sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "");
    scratch_set_up(&ret->scratch);
    ret->server = http_server_start(&options);
    open_client(ret);
}

static void client_tear_down(struct client *client)
{
    os_client_close(client->client);
    http_server_stop(client->server);
    scratch_tear_down(&client->scratch);
    sources_tear_down(&client->sources);
}

static void check_puts(struct client *client, const char *first, const char *second)
{
    assert_int_equal(atomic_load(&client->puts), second != NULL ? 2 : 1);
    assert_string_equal(client->signed_by[0], first);
    if (second != NULL)
        assert_string_equal(client->signed_by[1], second);
}

TEST_WITH(client, an_attempt_is_signed_again_when_the_new_keys_are_there)
{
    struct completions completions = COMPLETIONS_INIT;
    sources_give_keys(&client->sources, "one", 3600, false);
    sources_give_keys(&client->sources, "two", 3600, true);
    completions_create(&completions, client->client, "key");
    assert_true(http_server_wait_held(client->sources.server, 1));
    check_puts(client, "one", NULL);
    http_server_release(client->sources.server, 1);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(done), OS_COMMITTED);
    os_operation_free(done);
    check_puts(client, "one", "two");
}

TEST_WITH(client, an_attempt_for_which_no_new_keys_come_is_not_executed)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error;
    sources_give_keys(&client->sources, "one", 3600, false);
    sources_give_none(&client->sources, false);
    assert_int_equal(os_put_if_absent(client->client, "key", &body, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_CREDENTIALS);
    CHECK_SAYS(&error, "answered 404, and gave no keys");
    check_puts(client, "one", NULL);
}

TEST_WITH(client, a_deadline_does_not_wait_for_keys)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    os_error error;
    uint64_t start_ms = now_ms();
    call.deadline_ms = 1500;
    sources_give_keys(&client->sources, "one", 3600, false);
    sources_give_keys(&client->sources, "two", 3600, true);
    assert_int_equal(os_put_if_absent(client->client, "key", &body, NULL, &call, NULL, &error), OS_NOT_EXECUTED);
    assert_true(now_ms() - start_ms < PROMPT_MS);
    assert_int_equal(error.code, OS_ERR_DEADLINE);
    http_server_release(client->sources.server, 1);
    check_puts(client, "one", NULL);
}

static void close_now(struct client *client)
{
    uint64_t start_ms = now_ms();
    os_client_close(client->client);
    assert_true(now_ms() - start_ms < PROMPT_MS);
    client->client = NULL;
}

TEST_WITH(client, a_client_that_closes_ends_the_first_search_and_who_waits_for_it)
{
    struct completions completions = COMPLETIONS_INIT;
    sources_give_keys(&client->sources, "one", 3600, true);
    completions_create(&completions, client->client, "key");
    assert_true(http_server_wait_held(client->sources.server, 1));
    close_now(client);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(done), OS_NOT_EXECUTED);
    assert_int_equal(os_operation_code(done), OS_ERR_CANCELLED);
    os_operation_free(done);
    assert_int_equal(http_server_connections(client->server), 0);
}

TEST_WITH(client, a_client_that_closes_ends_an_attempt_that_waits_for_keys)
{
    struct completions completions = COMPLETIONS_INIT;
    sources_give_keys(&client->sources, "one", 3600, false);
    sources_give_keys(&client->sources, "two", 3600, true);
    completions_create(&completions, client->client, "key");
    assert_true(http_server_wait_held(client->sources.server, 1));
    close_now(client);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(done), OS_NOT_EXECUTED);
    os_operation_free(done);
    check_puts(client, "one", NULL);
}

/* Nobody waits for a renewal, and a close does not either. */
TEST_WITH(client, a_client_that_closes_ends_a_renewal)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    sources_give_keys(&client->sources, "one", 2, false);
    sources_give_keys(&client->sources, "two", 3600, true);
    CHECK_CODE(os_head(client->client, "key", NULL, &object, &error), OS_ERR_NOT_FOUND, &error);
    assert_true(http_server_wait_held(client->sources.server, 1));
    CHECK_CODE(os_head(client->client, "key", NULL, &object, &error), OS_ERR_NOT_FOUND, &error);
    close_now(client);
}

/* ------------------------------------------------------------------------------------------------ explaining */

struct told {
    unsigned count;
    char used[32];
};

static void note(void *context, const char *source, int used, const char *reason)
{
    struct told *told = context;
    told->count++;
    assert_int_equal(reason == NULL, used);
    if (used)
        snprintf(told->used, sizeof(told->used), "%s", source);
}

TEST_WITH(client, whose_keys_are_used_is_told_on_the_callers_thread)
{
    struct told told = {0};
    os_credentials_info info = OS_CREDENTIALS_INFO_INIT;
    os_error error;
    sources_give_keys(&client->sources, "ASIAEXAMPLE5678", 3600, false);
    CHECK_CODE(os_credentials_explain(client->client, 0, NULL, note, &told, &info, &error), OS_OK, &error);
    assert_int_equal(told.count, 11);
    assert_string_equal(told.used, "container");
    assert_string_equal(info.source, "container");
    assert_string_equal(info.key_end, "5678");
    assert_int_equal(http_server_connections(client->server), 0);
    CHECK_CODE(os_credentials_explain(client->client, 1, NULL, note, &told, &info, &error), OS_ERR_CONFIG, &error);
    CHECK_SAYS(&error, "The ledger needs no credentials");
    sources_give_none(&client->sources, false);
    CHECK_CODE(os_credentials_explain(client->client, 0, NULL, NULL, NULL, NULL, &error), OS_ERR_CREDENTIALS, &error);
}

TEST_WITH(client, an_explanation_ends_at_its_deadline)
{
    os_call call = OS_CALL_INIT;
    os_error error;
    uint64_t start_ms = now_ms();
    call.deadline_ms = 300;
    sources_give_keys(&client->sources, "one", 3600, true);
    CHECK_CODE(os_credentials_explain(client->client, 0, &call, NULL, NULL, NULL, &error), OS_ERR_DEADLINE, &error);
    CHECK_SAYS(&error, "The search for credentials was ended: ");
    assert_true(now_ms() - start_ms < PROMPT_MS);
}
