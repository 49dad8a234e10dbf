/* SPDX-License-Identifier: Apache-2.0 */
#include "race/harm.h"

#include <stdio.h>
#include <string.h>

/* "PUT key-00003" and "PutItem". */
static void describe_request(const struct proxy_request *request, const char *where, char *ret, size_t ret_size)
{
    const char *method = request->copies ? "COPY" : request->method;
    size_t path_len = strcspn(request->target, "?");
    const char *name;

    if (request->service_call[0] != '\0') {
        (void)snprintf(ret, ret_size, "%s%s", where, request->service_call);
        return;
    }
    name = memrchr(request->target, '/', path_len);
    name = name == NULL ? request->target : name + 1;
    (void)snprintf(ret, ret_size, "%s%.8s %.*s", where, method, (int)(request->target + path_len - name), name);
}

/* A write of the store. */
static bool is_attempt(const struct proxy_request *request)
{
    return strcmp(request->method, "PUT") == 0 || strcmp(request->method, "DELETE") == 0;
}

static bool harm_is_write(const struct proxy_request *request)
{
    return is_attempt(request) || strcmp(request->service_call, "PutItem") == 0 ||
           strcmp(request->service_call, "UpdateItem") == 0 || strcmp(request->service_call, "TransactWriteItems") == 0;
}

/* Writes are where it hurts, so what is due mostly meets one of the next of these; now and then a read. */
static bool is_chosen(struct race_net *net, const struct proxy_request *request)
{
    /* Of leases mostly those are asked for that are not free: what holds one or ends it would be met too seldom. */
    if (net->of_leases)
        return race_faults_draw(net->faults, strcmp(request->service_call, "PutItem") == 0 ? 8 : 1) == 0;
    return race_faults_draw(net->faults, harm_is_write(request) ? 2 : 8) == 0;
}

/* Pauses and kills, at this boundary. True: killed. */
static bool hit_sender(struct race_net *net, const struct proxy_request *request, const char *where)
{
    char what[RACE_NAME_SIZE + 16];

    if (!is_chosen(net, request))
        return false;
    describe_request(request, where, what, sizeof(what));
    if (race_faults_take(net->faults, RACE_FAULT_PAUSE))
        race_faults_pause(net->faults, request->lane, what);
    if (race_faults_take(net->faults, RACE_FAULT_KILL)) {
        race_faults_kill(net->faults, request->lane, what);
        return true;
    }
    return false;
}

static uint32_t draw_ms(struct race_net *net, uint32_t least, uint32_t most)
{
    return least + (uint32_t)race_faults_draw(net->faults, most - least);
}

enum { LATE_LEAST_MS = 20, LATE_MOST_MS = 7000 }; /* within the life of a signature, and beyond it */

static void make_5xx(struct race_net *net, const struct proxy_request *request, struct proxy_fault *ret)
{
    bool busy = race_faults_draw(net->faults, 2) == 0;

    ret->harm = race_faults_draw(net->faults, 2) == 0 ? PROXY_ANSWER_INSTEAD : PROXY_ANSWER_AFTER;
    ret->status = busy ? 503 : 500;
    if (request->service_call[0] != '\0') {
        ret->type = "application/x-amz-json-1.0";
        ret->body = busy ? "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ServiceUnavailable\","
                           "\"message\":\"The service is not there for the race.\"}"
                         : "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
                           "\"message\":\"An error for the race.\"}";
        return;
    }
    ret->type = "application/xml";
    ret->body =
        busy ? "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Slower, for the race.</Message></Error>"
             : "<?xml version=\"1.0\"?><Error><Code>InternalError</Code><Message>An error for the race.</Message>"
               "</Error>";
}

static void make_throttle(struct proxy_fault *ret)
{
    ret->harm = PROXY_ANSWER_INSTEAD;
    ret->status = 400;
    ret->type = "application/x-amz-json-1.0";
    ret->body = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
                "\"message\":\"Throttled for the race.\"}";
}

static void make_fault(struct race_net *net, const struct proxy_request *request, enum race_fault fault,
                       struct proxy_fault *ret)
{
    ret->kind = (unsigned)fault;
    switch (fault) {
    case RACE_FAULT_SLOW:
        ret->harm = race_faults_draw(net->faults, 2) == 0 ? PROXY_HOLD_REQUEST : PROXY_HOLD_ANSWER;
        ret->hold_ms = (uint32_t)(race_faults_draw_length(net->faults) / 1000);
        return;
    case RACE_FAULT_LOST_REPLY: ret->harm = PROXY_DROP_ANSWER; return;
    case RACE_FAULT_LATE:
        /* An attempt is never sent twice (R6, E5): replayed within the life of its signature it would undo whatever was
         * committed since. Anything else may come again. */
        ret->harm = is_attempt(request) || race_faults_draw(net->faults, 2) == 0 ? PROXY_LATE : PROXY_TWICE;
        ret->hold_ms = draw_ms(net, LATE_LEAST_MS, LATE_MOST_MS);
        return;
    case RACE_FAULT_5XX: make_5xx(net, request, ret); return;
    case RACE_FAULT_THROTTLE: make_throttle(ret); return;
    case RACE_FAULT_PAUSE:
    case RACE_FAULT_KILL:
    case RACE_FAULTS: break;
    }
}

/* Its process is dead, but what it has sent goes on living, or not. */
static void settle_orphan(struct race_net *net, struct proxy_fault *ret)
{
    static const enum proxy_harm fates[] = {PROXY_NONE, PROXY_LATE, PROXY_DISCARD};

    ret->kind = RACE_FAULT_KILL;
    ret->harm = fates[race_faults_draw(net->faults, 3)];
    ret->hold_ms = draw_ms(net, LATE_LEAST_MS, LATE_MOST_MS);
}

static void on_arrived(void *context, const struct proxy_request *request, struct proxy_fault *ret)
{
    static const enum race_fault kinds[] = {RACE_FAULT_SLOW, RACE_FAULT_LOST_REPLY, RACE_FAULT_LATE, RACE_FAULT_5XX,
                                            RACE_FAULT_THROTTLE};
    struct race_net *net = context;
    size_t first = race_faults_draw(net->faults, 5);

    if (hit_sender(net, request, "")) {
        settle_orphan(net, ret);
        return;
    }
    if (!is_chosen(net, request))
        return;
    for (size_t i = 0; i < 5; i++) {
        enum race_fault fault = kinds[(first + i) % 5];
        bool fits = fault != RACE_FAULT_THROTTLE || request->service_call[0] != '\0';
        if (fits && race_faults_take(net->faults, fault)) {
            make_fault(net, request, fault, ret);
            return;
        }
    }
}

static void on_answered(void *context, const struct proxy_request *request)
{
    (void)hit_sender(context, request, "answered ");
}

static void on_delivered(void *context, const struct proxy_request *request)
{
    (void)hit_sender(context, request, "after ");
}

static void on_fault(void *context, const struct proxy_request *request, const struct proxy_fault *fault,
                     uint64_t start_us, uint64_t end_us)
{
    struct race_net *net = context;
    char what[RACE_NAME_SIZE + 16];

    if (fault->kind == RACE_FAULT_KILL)
        return; /* told when it was done */
    describe_request(request, fault->harm == PROXY_TWICE ? "again " : "", what, sizeof(what));
    race_record_event(net->faults->record, race_fault_event((enum race_fault)fault->kind), request->lane, start_us,
                      end_us, what);
}

struct proxy_hooks race_harm_hooks(struct race_net *net)
{
    return (struct proxy_hooks){
        .context = net, .arrived = on_arrived, .answered = on_answered, .delivered = on_delivered, .met = on_fault};
}
