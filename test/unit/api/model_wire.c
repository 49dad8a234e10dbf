/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/model_wire.h"

#include "transact/row_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A script ends long before; what asks for more than it has waits so long. */
enum { SCRIPT_MS = 10000 };

/* What a write has as its token, beside what was read. */
static void find_own(const char *body, char ret[ROW_TOKEN_SIZE])
{
    for (const char *at = strchr(body, '"'); at != NULL && ret[0] == '\0'; at = strchr(at + 1, '"'))
        if (strspn(at + 1, "0123456789abcdef") == ROW_TOKEN_SIZE - 1 && strncmp(at + 1, WIRE_READ, 32) != 0)
            snprintf(ret, ROW_TOKEN_SIZE, "%.32s", at + 1);
}

static void put_tokens(const char *text, const char *own, struct buf *out)
{
    char fence[ROW_TOKEN_SIZE];
    assert_true(row_token_fence(own, fence));
    for (const char *dollar = strchr(text, '$'); dollar != NULL; dollar = strchr(text, '$')) {
        bool is_own = strncmp(dollar, "$OWN", 4) == 0;
        (void)buf_add(out, text, (size_t)(dollar - text));
        (void)buf_add(out, is_own ? own : fence, 32);
        text = dollar + (is_own ? 4 : 6);
    }
    (void)buf_add(out, text, strlen(text));
}

static bool is_write(const struct http_server_record *record)
{
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    return target != NULL && strstr(target, "Get") == NULL;
}

static void respond_next(struct wire *wire, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    struct buf body;
    *ret = (struct http_server_step){.leave = HTTP_SERVER_RESET};
    if (wire->next >= wire->count) {
        wire->next++;
        return;
    }
    const struct wire_answer *answer = &wire->answers[wire->next++];
    ret->hold = answer->hold;
    if (is_write(record) && wire->own[0] == '\0')
        find_own(record->body, wire->own);
    if (answer->json == NULL)
        return;
    buf_init(&body, 64 * 1024);
    put_tokens(answer->json, wire->own, &body);
    buf_reset(scratch);
    (void)buf_add_f(scratch,
                    "HTTP/1.1 %d Made Up\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %zu\r\n\r\n",
                    answer->status != 0 ? answer->status : 200, body.len);
    (void)buf_add(scratch, body.data, body.len);
    buf_free(&body);
    ret->answer = buf_str(scratch);
    ret->answer_length = scratch->len;
    ret->leave = HTTP_SERVER_KEEP;
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct wire *wire = context;
    pthread_mutex_lock(&wire->lock);
    respond_next(wire, record, scratch, ret);
    pthread_mutex_unlock(&wire->lock);
}

void wire_set_up(struct wire *ret)
{
    pthread_mutex_init(&ret->lock, NULL);
    const struct http_server_options options = {.respond = respond, .respond_context = ret};
    ret->server = http_server_start(&options);
    const char *host = http_server_host(ret->server);
    bank_open(&ret->bank, scratch_services_client(host, host, NULL), NULL);
    ret->bank.options.no_retries = 1;
    ret->bank.call.deadline_ms = SCRIPT_MS;
}

void wire_tear_down(struct wire *wire)
{
    bank_close(&wire->bank);
    http_server_stop(wire->server);
    pthread_mutex_destroy(&wire->lock);
}

void wire_say(struct wire *wire, const struct wire_answer *answers, size_t count)
{
    pthread_mutex_lock(&wire->lock);
    wire->answers = answers;
    wire->count = count;
    wire->next = 0;
    pthread_mutex_unlock(&wire->lock);
}

void wire_check_all_came(struct wire *wire)
{
    pthread_mutex_lock(&wire->lock);
    size_t came = wire->next;
    pthread_mutex_unlock(&wire->lock);
    assert_int_equal(came, wire->count);
}

json_t *wire_request(const struct wire *wire, size_t index, const char *operation)
{
    const struct http_server_record *record = http_server_record(wire->server, index);
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "DynamoDB_20120810.%s", operation);
    assert_string_equal(target, wanted);
    json_t *body = json_loads(record->body, 0, NULL);
    assert_non_null(body);
    return body;
}
