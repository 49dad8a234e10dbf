/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's requests of a run, their answers as events, how long one is waited for, and when a ledger is given up.
 */
#include "guarded/driver.h"

#include "base/error.h"
#include "client/ledger_call.h"

#include <string.h>

enum {
    FIRST_TRY_MS = 2000, /* a request that lost its way is sent again long before a lease is over */
    PATIENCE_MS = 10000,
    FOREIGN_MOST = 2
};

/* ------------------------------------------------------------------------------------------------ patience */

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* Nothing was sent to the store, or what is asked for can be asked again. */
static bool may_give_up(const struct run *run)
{
    return run->wish.ticket || (run->guard.send_count == 0 && !run->guard.resolving);
}

/* Since the first of an unbroken row of failures was sent. A ledger that is slow has at least what it was given. */
static uint64_t patience_ms(const struct run *run)
{
    uint64_t timeout_ms = run->client->settings.request_timeout_ms;
    return run->io.records.connects && timeout_ms > PATIENCE_MS ? timeout_ms : PATIENCE_MS;
}

uint64_t run_ledger_left_ms(const struct run *run)
{
    struct clock_reading now;
    if (!run->io.records.away || !may_give_up(run))
        return UINT64_MAX;
    clock_read(&now);
    uint64_t gone_ms = clock_elapsed_max(&run->io.records.away_since, &now);
    return gone_ms < patience_ms(run) ? patience_ms(run) - gone_ms : 0;
}

uint64_t client_ledger_try_ms(const os_client *client)
{
    uint64_t usual_ms = client->ledger_took_ms * 2;
    return at_most(usual_ms > FIRST_TRY_MS ? usual_ms : FIRST_TRY_MS, client->settings.request_timeout_ms);
}

/* The first try is short, unless the ledger is known to be slower; the next has all the time that there is. */
static uint64_t try_ms(const struct run *run, const struct clock_reading *now)
{
    uint64_t most_ms = run->client->settings.request_timeout_ms;
    if (!run->io.records.away)
        return client_ledger_try_ms(run->client);
    uint64_t gone_ms = clock_elapsed_max(&run->io.records.away_since, now);
    bool ends = may_give_up(run) && gone_ms < patience_ms(run);
    return ends ? at_most(patience_ms(run) - gone_ms, most_ms) : most_ms;
}

/* An answer without end, or cut, is none. */
static bool is_out_of_reach(const struct ledger_answer *answer)
{
    bool failed = answer->outcome == LEDGER_THROTTLED || answer->outcome == LEDGER_AMBIGUOUS;
    return failed && ledger_gave_no_answer(answer);
}

static void note_reach(struct run *run, const struct clock_reading *sent, const struct ledger_answer *answer)
{
    struct clock_reading now;
    clock_read(&now);
    bool away = is_out_of_reach(answer);
    if (away && !run->io.records.away)
        run->io.records.away_since = *sent;
    run->io.records.away = away;
    run->outcome.heard |= away ? 0 : RUN_LEDGER;
    run->io.records.connects = answer->outcome == LEDGER_AMBIGUOUS;
    run->io.records.foreign_count = answer->foreign ? run->io.records.foreign_count + 1 : 0;
    if (!away && answer->requests == 1)
        run->client->ledger_took_ms = clock_elapsed_min(sent, &now);
    if (away && may_give_up(run) && clock_elapsed_max(&run->io.records.away_since, &now) >= patience_ms(run)) {
        run->io.gave_up = "its ledger has not answered for ten seconds or more";
        run->outcome.away |= RUN_LEDGER;
    }
    if (run->io.records.foreign_count >= FOREIGN_MOST && may_give_up(run))
        run->io.gave_up = "what answers at the ledger's address is not a ledger";
}

/* Who resolves a ticket can ask again, when the ledger's owner has mended what is the matter. */
static void note_refusal(struct run *run, const struct ledger_answer *answer)
{
    if (run->wish.ticket && answer->outcome == LEDGER_REFUSED)
        run->io.gave_up = "its ledger refuses to answer";
    if (run->wish.ticket && answer->outcome == LEDGER_UNREADABLE)
        run->io.gave_up = "its record cannot be read";
}

static void take_answer(struct run *run, const char *operation, const struct clock_reading *sent,
                        const struct ledger_answer *answer)
{
    run->outcome.result.requests += answer->requests;
    client_note_request(run->client, operation, run->key, sent, answer->error.http_status, answer->error.code);
    if (answer->error.code != OS_OK)
        run->io.last_error = answer->error;
    note_reach(run, sent, answer);
    if (run->io.gave_up)
        ledger_add_mend(run->client->ledger, &run->io.last_error);
    else
        note_refusal(run, answer);
}

/* ------------------------------------------------------------------------------------------------ requests */

static void put_done(void *context, const struct ledger_answer *answer)
{
    struct run *run = context;
    run->io.records.put_op = NULL;
    take_answer(run, "PutItem", &run->io.records.put_sent, answer);
    struct guard_event event = {.kind = GUARD_EVENT_RECORD_PUT, .ledger = answer->outcome};
    record_copy(&event.record, &answer->record);
    memcpy(run->io.records.seen_upload, answer->upload, sizeof(run->io.records.seen_upload));
    run_event(run, &event);
}

void run_want_put(struct run *run, const struct guard_actions *todo)
{
    record_copy(&run->io.records.put_record, &todo->record);
    run->io.records.put_condition = todo->condition;
    clock_read(&run->io.records.put_sent);
    struct ledger_request request = {
        .verb = LEDGER_PUT,
        .path = run->path,
        .etag = guard_record_etag(&run->guard),
        .record = &run->io.records.put_record,
        .upload = run->io.records.put_record.upload ? run->upload : NULL,
        .condition = &run->io.records.put_condition,
        .deadline_monotonic_ms = UINT64_MAX,
        .try_ms = try_ms(run, &run->io.records.put_sent),
    };
    struct ledger *ledger = run->client->ledger;
    run->io.records.put_op = ledger->vtable->start(ledger, &request, put_done, run);
    if (run->io.records.put_op == NULL)
        run_fail_later(run, GUARD_DO_RECORD_PUT);
}

static void get_done(void *context, const struct ledger_answer *answer)
{
    struct run *run = context;
    run->io.records.get_op = NULL;
    take_answer(run, "GetItem", &run->io.records.get_sent, answer);
    struct guard_event event = {.kind = GUARD_EVENT_RECORD_GET, .ledger = answer->outcome, .found = answer->found};
    record_copy(&event.record, &answer->record);
    memcpy(run->io.records.seen_upload, answer->upload, sizeof(run->io.records.seen_upload));
    run_event(run, &event);
}

static bool weigh_row(void *context, const struct ledger_row *row)
{
    struct run *run = context;
    if (row->readable)
        guard_classify_record(&run->guard, row->etag, &row->record, &run->io.records.evidence);
    else
        run->io.records.evidence.locked = true; /* nobody knows what it locks */
    return true;
}

static void query_done(void *context, const struct ledger_answer *answer)
{
    struct run *run = context;
    run->io.records.get_op = NULL;
    take_answer(run, "Query", &run->io.records.get_sent, answer);
    struct guard_event event = {
        .kind = GUARD_EVENT_RECORD_QUERY, .ledger = answer->outcome, .evidence = run->io.records.evidence};
    run_event(run, &event);
}

void run_want_get(struct run *run, const struct guard_actions *todo)
{
    bool query = (todo->what & GUARD_DO_RECORD_QUERY) != 0;
    memset(&run->io.records.evidence, 0, sizeof(run->io.records.evidence));
    clock_read(&run->io.records.get_sent);
    struct ledger_request request = {
        .verb = query ? LEDGER_LIST : LEDGER_GET,
        .path = run->path,
        .etag = todo->get_our_etag ? RECORD_ETAG_CREATE : guard_record_etag(&run->guard),
        .each = weigh_row,
        .each_context = run,
        .records_only = true,
        .deadline_monotonic_ms = UINT64_MAX, /* a Query may have many pages: until the run ends it */
        .try_ms = try_ms(run, &run->io.records.get_sent),
    };
    struct ledger *ledger = run->client->ledger;
    run->io.records.get_op = ledger->vtable->start(ledger, &request, query ? query_done : get_done, run);
    if (run->io.records.get_op == NULL)
        run_fail_later(run, query ? GUARD_DO_RECORD_QUERY : GUARD_DO_RECORD_GET);
}
