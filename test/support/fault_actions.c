/* SPDX-License-Identifier: Apache-2.0 */
/* One request on its way through the fault proxy: read, matched, met by its fault, answered. */
#include "support/fault_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct faulty {
    struct fault_proxy *faults;
    const struct fault_rule *rule;
    struct fault_seen *seen;
    struct proxy_exchange *exchange;
};

static const struct proxy_place *place_of(const struct faulty *faulty)
{
    bool is_for_the_ledger = faulty->exchange->request.service_call[0] != '\0';
    return is_for_the_ledger ? &faulty->faults->ledger : &faulty->faults->store;
}

static void note_upstream_status(const struct faulty *faulty)
{
    fault_status(faulty->faults, faulty->seen, 0, faulty->exchange->answer.status);
}

static bool ask_upstream(struct faulty *faulty)
{
    bool ok = exchange_forward(faulty->exchange, place_of(faulty));
    note_upstream_status(faulty);
    return ok;
}

/* All actions: false when the client's connection is at its end. */
static bool reset(struct faulty *faulty)
{
    return exchange_reset_client(faulty->exchange);
}

static bool pass_on(struct faulty *faulty)
{
    fault_status(faulty->faults, faulty->seen, faulty->exchange->answer.status, 0);
    return exchange_give_answer(faulty->exchange);
}

static bool forward_and_pass_on(struct faulty *faulty)
{
    return ask_upstream(faulty) ? pass_on(faulty) : reset(faulty);
}

static bool drop_answer(struct faulty *faulty)
{
    (void)ask_upstream(faulty);
    return reset(faulty);
}

static bool replay(struct faulty *faulty)
{
    if (!ask_upstream(faulty))
        return reset(faulty);
    exchange_close_server(faulty->exchange->connection);
    return forward_and_pass_on(faulty);
}

static bool answer_made_up(struct faulty *faulty)
{
    const struct fault_rule *rule = faulty->rule;
    const char *headers = rule->headers != NULL ? rule->headers : "";
    char date[64] = "";
    char *with_date = NULL;
    if (rule->action == FAULT_ANSWER_AFTER && !ask_upstream(faulty))
        return reset(faulty);
    if (strcasestr(headers, "date:") == NULL) {
        struct tm utc;
        time_t now = time(NULL);
        gmtime_r(&now, &utc);
        strftime(date, sizeof(date), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    }
    if (asprintf(&with_date, "%s%s", headers, date) < 0)
        return reset(faulty);
    fault_status(faulty->faults, faulty->seen, rule->status, 0);
    bool goes_on =
        exchange_give_made_up(faulty->exchange, rule->status, with_date, rule->body != NULL ? rule->body : "");
    free(with_date);
    return goes_on;
}

static bool hold(struct faulty *faulty)
{
    if (faulty->rule->action == FAULT_HOLD_ANSWER) {
        if (!ask_upstream(faulty))
            return reset(faulty);
        fault_hit(faulty->faults, faulty->seen->rule);
    }
    if (fault_wait_release(faulty->faults, faulty->seen->rule) == FAULT_DISCARD)
        return reset(faulty);
    return faulty->rule->action == FAULT_HOLD ? forward_and_pass_on(faulty) : pass_on(faulty);
}

static bool stall(struct faulty *faulty)
{
    struct proxy_exchange *exchange = faulty->exchange;
    const struct proxy_message *request = &exchange->request;
    size_t part = faulty->rule->bytes;
    if (!exchange_read_body(exchange, faulty->rule->action == FAULT_STALL_CLIENT ? part : SIZE_MAX))
        return reset(faulty);
    part = part < request->len - request->head_len ? request->head_len + part : request->len;
    bool ok = exchange_open_server(exchange->connection, place_of(faulty)) && exchange_send_part(exchange, 0, part);
    enum fault_release how = fault_wait_release(faulty->faults, faulty->seen->rule);
    if (!ok || how == FAULT_DISCARD || !exchange_read_body(exchange, SIZE_MAX))
        return reset(faulty);
    (void)exchange_send_part(exchange, part, request->len);
    ok = exchange_read_answer(exchange);
    note_upstream_status(faulty);
    return ok ? pass_on(faulty) : reset(faulty);
}

static bool cut(struct faulty *faulty)
{
    struct proxy_message *answer = &faulty->exchange->answer;
    if (!ask_upstream(faulty))
        return reset(faulty);
    if (faulty->rule->bytes < answer->len - answer->head_len)
        answer->len = answer->head_len + faulty->rule->bytes;
    (void)pass_on(faulty);
    return false;
}

static struct head_text head_of(const struct proxy_message *message)
{
    return (struct head_text){message->data, message->head_len};
}

static void strip(struct proxy_message *message, const char *name)
{
    struct head_text line;
    struct head_field field;
    while (fault_find_header(head_of(message), name, &line, &field)) {
        char *start = message->data + (line.p - message->data);
        memmove(start, start + line.len, message->len - (size_t)(start - message->data) - line.len);
        message->len -= line.len;
        message->head_len -= line.len;
    }
}

static bool strip_request(struct faulty *faulty)
{
    strip(&faulty->exchange->request, faulty->rule->header);
    return forward_and_pass_on(faulty);
}

static bool strip_answer(struct faulty *faulty)
{
    if (!ask_upstream(faulty))
        return reset(faulty);
    strip(&faulty->exchange->answer, faulty->rule->header);
    return pass_on(faulty);
}

/* A test that wants a wrong sum where there is none sees the request fail. */
static bool corrupt_crc(struct faulty *faulty)
{
    struct proxy_message *answer = &faulty->exchange->answer;
    struct head_text line;
    struct head_field crc;
    if (!ask_upstream(faulty) || !fault_find_header(head_of(answer), "x-amz-crc32", &line, &crc) || crc.value.len == 0)
        return reset(faulty);
    char *last = answer->data + (crc.value.p - answer->data) + crc.value.len - 1;
    *last ^= 1; /* of a digit: another digit */
    return pass_on(faulty);
}

static bool act(struct faulty *faulty)
{
    static bool (*const actions[])(struct faulty *) = {[FAULT_PASS] = forward_and_pass_on,
                                                       [FAULT_DROP_ANSWER] = drop_answer,
                                                       [FAULT_RESET] = reset,
                                                       [FAULT_HOLD] = hold,
                                                       [FAULT_HOLD_ANSWER] = hold,
                                                       [FAULT_REPLAY] = replay,
                                                       [FAULT_ANSWER] = answer_made_up,
                                                       [FAULT_ANSWER_AFTER] = answer_made_up,
                                                       [FAULT_CUT] = cut,
                                                       [FAULT_CORRUPT_CRC] = corrupt_crc,
                                                       [FAULT_STRIP_REQUEST] = strip_request,
                                                       [FAULT_STRIP_ANSWER] = strip_answer,
                                                       [FAULT_STALL_UPSTREAM] = stall,
                                                       [FAULT_STALL_CLIENT] = stall};
    return actions[faulty->rule->action](faulty);
}

static bool meet_fault(struct faulty *faulty)
{
    enum fault_action action = faulty->rule->action;
    bool lazily = action == FAULT_STALL_CLIENT || action == FAULT_RESET;
    if (!lazily && !exchange_read_body(faulty->exchange, SIZE_MAX))
        return reset(faulty);
    if (action != FAULT_HOLD_ANSWER)
        fault_hit(faulty->faults, faulty->seen->rule);
    proxy_hold(faulty->faults->proxy, faulty->rule->delay_ms);
    return act(faulty);
}

bool fault_serve(struct proxy_exchange *exchange)
{
    struct faulty faulty = {.faults = exchange->connection->proxy->context, .exchange = exchange};
    struct fault_rule rule;
    /* Rules may match on the body of what names a service call. */
    if (!exchange_read_head(exchange) ||
        (exchange->request.service_call[0] != '\0' && !exchange_read_body(exchange, SIZE_MAX)))
        return false;
    faulty.rule = &rule;
    faulty.seen = fault_meet(faulty.faults, &exchange->request, &rule);
    if (faulty.seen == NULL)
        return false;
    bool goes_on = meet_fault(&faulty);
    exchange_close_server(exchange->connection); /* so that no fault spreads to the next request */
    fault_finished(faulty.faults, faulty.seen->rule);
    return goes_on;
}
