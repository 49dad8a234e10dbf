/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions with a scripted DynamoDB: what each of its requests is answered, and what was sent. */
#ifndef OSCOMMIT_TEST_API_MODEL_WIRE_H
#define OSCOMMIT_TEST_API_MODEL_WIRE_H

#include "base/buf.h"
#include "support/http_server.h"
#include "unit/api/bank.h"
#include "unit/api/client_scratch.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

/* Of a row as it was read, and of somebody else. */
#define WIRE_READ  "0000000000000000000000000000000a"
#define WIRE_OTHER "0000000000000000000000000000000b"

/* In what is answered, $OWN is the token of the attempt, and $FENCE that of its fences. */
#define WIRE_ITEM(id, balance, tokens) \
    "{\"_id\":{\"S\":\"" id "\"},\"balance\":{\"N\":\"" #balance "\"},\"visits\":{\"N\":\"0\"}" tokens "}"
#define WIRE_TOKEN(text)         ",\"_txn\":{\"S\":\"" text "\"}"
#define WIRE_BEFORE(text)        ",\"_txn_before\":{\"S\":\"" text "\"}"
#define WIRE_FOUND(item)         "{\"Item\":" item "}"
#define WIRE_BOTH(item, other)   "{\"Responses\":[{\"Item\":" item "},{\"Item\":" other "}]}"
#define WIRE_LISTED(item, other) "{\"Responses\":{\"Account\":[" item "," other "]},\"UnprocessedKeys\":{}}"
#define WIRE_FAULT(name, more) \
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" name "\",\"message\":\"made up\"" more "}"
#define WIRE_FAILED(item)  WIRE_FAULT("ConditionalCheckFailedException", ",\"Item\":" item)
#define WIRE_REASONS(a, b) WIRE_FAULT("TransactionCanceledException", ",\"CancellationReasons\":[" a "," b "]")
#define WIRE_NO_REASON     "{\"Code\":\"None\"}"
#define WIRE_REASON(code)  "{\"Code\":\"" code "\",\"Message\":\"made up\"}"

struct wire_answer {
    const char *json; /* NULL: the connection is reset instead */
    int status;       /* 0: 200 */
    bool hold;        /* until the server is stopped */
};

struct wire {
    struct bank bank;
    struct http_server *server;
    const struct wire_answer *answers;
    pthread_mutex_t lock; /* the server has threads of its own */
    atomic_size_t count;
    size_t next;
    char own[33]; /* of the first attempt */
};
void wire_set_up(struct wire *ret);
void wire_tear_down(struct wire *wire);
/* What the next requests are answered; all of them must come. */
#define WIRE_SCRIPT(wire, ...)                                     \
    static const struct wire_answer wire_script[] = {__VA_ARGS__}; \
    wire_say(wire, wire_script, sizeof(wire_script) / sizeof(wire_script[0]))
void wire_say(struct wire *wire, const struct wire_answer *answers, size_t count);
void wire_check_all_came(struct wire *wire);

/* The body of a request; json_decref. It is to this operation. */
json_t *wire_request(const struct wire *wire, size_t index, const char *operation);

#endif
