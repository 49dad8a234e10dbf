/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's requests of a driver, their answers as events, how long one is waited for, and when a ledger is given up.
 */
#include "guarded/driver.h"

#include "base/error.h"
#include "base/min.h"
#include "client/ledger_call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_TRY_MS = 2000 /* a request that lost its way is sent again long before a lease is over */
};

/* ------------------------------------------------------------------------------------------------ patience */

/* Nothing was sent to the store, or what is asked for can be asked again. */
static bool may_give_up(const struct driver *driver)
{
    return driver->params.ticket || (driver->guard.attempt.send_count == 0 && !driver->guard.write.from_ticket);
}

uint64_t driver_ledger_left_ms(const struct driver *driver)
{
    return may_give_up(driver) ? absence_left_ms(&driver->io.records.absence, driver->client) : UINT64_MAX;
}

uint64_t client_ledger_try_ms(const os_client *client)
{
    uint64_t usual_ms = client->pace.ledger_ms * 2;
    return u64_min(usual_ms > FIRST_TRY_MS ? usual_ms : FIRST_TRY_MS, client->settings.request_timeout_ms);
}

/* The first try is short, unless the ledger is known to be slower; the next has all the time that there is. */
static uint64_t try_ms(const struct driver *driver)
{
    uint64_t most_ms = driver->client->settings.request_timeout_ms;
    if (!driver->io.records.absence.away)
        return client_ledger_try_ms(driver->client);
    uint64_t left_ms = driver_ledger_left_ms(driver);
    return left_ms > 0 ? u64_min(left_ms, most_ms) : most_ms;
}

/* An answer without end, or cut, is none. */
static bool is_out_of_reach(const struct ledger_answer *answer)
{
    bool failed = answer->outcome == LEDGER_THROTTLED || answer->outcome == LEDGER_AMBIGUOUS;
    return failed && absence_explains(&answer->error);
}

static void note_reach(struct driver *driver, const struct clock_reading *sent, const struct ledger_answer *answer)
{
    struct absence *absence = &driver->io.records.absence;
    struct clock_reading now;
    clock_read(&now);
    bool away = is_out_of_reach(answer);
    absence_note(absence, sent,
                 (struct absence_sign){
                     .away = away, .ambiguous = answer->outcome == LEDGER_AMBIGUOUS, .foreign = answer->foreign});
    driver->tally.reached |= away ? 0 : DRIVER_LEDGER;
    if (!away && answer->requests == 1)
        driver->client->pace.ledger_ms = clock_elapsed_min(sent, &now);
    if (driver_ledger_left_ms(driver) == 0) {
        driver->io.gave_up = "its ledger has not answered for ten seconds or more";
        driver->tally.away |= DRIVER_LEDGER;
    }
    if (absence_is_mistaken(absence) && may_give_up(driver))
        driver->io.gave_up = "what answers at the ledger's address is not a ledger";
}

/* Who resolves a ticket can ask again, when the ledger's owner has removed the cause. */
static void note_refusal(struct driver *driver, const struct ledger_answer *answer)
{
    if (driver->params.ticket && answer->outcome == LEDGER_REFUSED)
        driver->io.gave_up = "its ledger refuses to answer";
    if (driver->params.ticket && answer->outcome == LEDGER_UNREADABLE)
        driver->io.gave_up = "its record cannot be read";
}

/* What ran out of time says less than the failure before it, which may be the cause. */
static void note_failure(struct driver *driver, const os_error *error)
{
    bool named = driver->io.last_is_the_ledgers && driver->io.last_error;
    if (error->code == OS_ERR_DEADLINE && driver->io.records.absence.away && named)
        return;
    driver_note_error(driver, error);
    driver->io.last_is_the_ledgers = true;
}

static void driver_io_ledger_take_answer(struct driver *driver, const char *operation, const struct clock_reading *sent,
                                         const struct ledger_answer *answer)
{
    driver->tally.requests += answer->requests;
    client_note_request(driver->client, operation, driver->key, sent, answer->error.http_status, answer->error.code);
    if (answer->error.code != OS_OK)
        note_failure(driver, &answer->error);
    note_reach(driver, sent, answer);
    if (is_out_of_reach(answer) && driver->io.gave_up == NULL)
        client_note_retry(driver->client, &answer->error);
    if (driver->io.gave_up && driver->io.last_error)
        table_add_hint(driver->client->ledger, driver->io.last_error);
    if (driver->io.gave_up == NULL)
        note_refusal(driver, answer);
}

/* ------------------------------------------------------------------------------------------------ requests */

/* Where there is no memory for it nothing is aborted. */
static void note_upload(struct driver *driver, const char *upload)
{
    free(driver->io.records.seen_upload);
    driver->io.records.seen_upload = upload[0] ? strdup(upload) : NULL;
}

/* T4.3: a remark. The record is waited for as any other is, as that bucket's writers rely on it. Is told once for each
 * client. */
static void note_bucket(struct driver *driver, const struct ledger_answer *answer)
{
    os_client *client = driver->client;
    const char *ours = client->settings.bucket;
    bool is_others = ours != NULL && answer->bucket[0] != '\0' && strcmp(answer->bucket, ours) != 0;
    free(driver->io.records.other_bucket);
    driver->io.records.other_bucket = is_others ? strdup(answer->bucket) : NULL;
    if (!is_others || client->told.shares_table)
        return;
    client->told.shares_table = true;
    log_line(
        &client->log, OS_LOG_WARN,
        "The record of %.300s was written for another bucket, %s; this client writes to %s. The writers of the two "
        "wait for each other wherever their keys are the same. Give each bucket a table, a record_prefix, or set "
        "records_by_bucket: for all writers of a bucket at the same time (rule T4).",
        driver->key, answer->bucket, ours);
}

static void put_done(void *context, const struct ledger_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.records.put_op != NULL);
    driver->io.records.put_op = NULL;
    driver_io_ledger_take_answer(driver, "PutItem", &driver->io.records.put_sent, answer);
    struct guard_event event = {.kind = GUARD_EVENT_RECORD_PUT, .ledger = answer->outcome};
    record_copy(&event.record, &answer->record);
    note_upload(driver, answer->upload);
    note_bucket(driver, answer);
    driver_event(driver, &event);
}

void driver_put_record(struct driver *driver, const struct guard_actions *actions)
{
    assert(driver->io.records.put_op == NULL && driver->params.ticket == NULL);
    record_copy(&driver->io.records.put_record, &actions->record);
    driver->io.records.put_condition = actions->condition;
    clock_read(&driver->io.records.put_sent);
    struct ledger_request request = {
        .verb = LEDGER_PUT,
        .path = driver->path,
        .etag = guard_record_etag(&driver->guard),
        .record = &driver->io.records.put_record,
        .upload = driver->io.records.put_record.upload ? driver->upload : NULL,
        .bucket = driver->client->settings.bucket,
        .condition = &driver->io.records.put_condition,
        .deadline_monotonic_ms = UINT64_MAX,
        .try_ms = try_ms(driver),
    };
    struct table *ledger = driver->client->ledger;
    driver->io.records.put_op = ledger_start(ledger, &request, put_done, driver);
    if (driver->io.records.put_op == NULL)
        driver_fail_later(driver, GUARD_DO_RECORD_PUT);
}

static void get_done(void *context, const struct ledger_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.records.get_op != NULL);
    driver->io.records.get_op = NULL;
    driver_io_ledger_take_answer(driver, "GetItem", &driver->io.records.get_sent, answer);
    struct guard_event event = {.kind = GUARD_EVENT_RECORD_GET, .ledger = answer->outcome, .found = answer->found};
    record_copy(&event.record, &answer->record);
    note_upload(driver, answer->upload);
    driver_event(driver, &event);
}

static bool classify_row(void *context, const struct ledger_row *row)
{
    struct driver *driver = context;
    if (row->readable)
        guard_classify_record(&driver->guard, row->etag, &row->record, &driver->io.records.evidence);
    else
        driver->io.records.evidence.locked = true; /* nobody knows what it locks */
    return true;
}

static void query_done(void *context, const struct ledger_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.records.get_op != NULL);
    driver->io.records.get_op = NULL;
    driver_io_ledger_take_answer(driver, "Query", &driver->io.records.get_sent, answer);
    struct guard_event event = {
        .kind = GUARD_EVENT_RECORD_QUERY, .ledger = answer->outcome, .evidence = driver->io.records.evidence};
    driver_event(driver, &event);
}

void driver_read_record(struct driver *driver, const struct guard_actions *actions)
{
    assert(driver->io.records.get_op == NULL);
    bool query = (actions->what & GUARD_DO_RECORD_QUERY) != 0;
    memset(&driver->io.records.evidence, 0, sizeof(driver->io.records.evidence));
    clock_read(&driver->io.records.get_sent);
    struct ledger_request request = {
        .verb = query ? LEDGER_LIST : LEDGER_GET,
        .path = driver->path,
        .etag = actions->get_our_etag ? RECORD_ETAG_CREATE : guard_record_etag(&driver->guard),
        .each = classify_row,
        .each_context = driver,
        .records_only = true,
        .deadline_monotonic_ms = UINT64_MAX, /* a Query may have many pages: until the driver ends it */
        .try_ms = try_ms(driver),
    };
    struct table *ledger = driver->client->ledger;
    driver->io.records.get_op = ledger_start(ledger, &request, query ? query_done : get_done, driver);
    if (driver->io.records.get_op == NULL)
        driver_fail_later(driver, query ? GUARD_DO_RECORD_QUERY : GUARD_DO_RECORD_GET);
}

/* Like a release, it is no request that the write waits for, and its failure says nothing of the write. */
static void creation_done(void *context, const struct ledger_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.records.get_op != NULL);
    driver->io.records.get_op = NULL;
    client_note_request(driver->client, "GetItem", driver->key, &driver->io.records.get_sent, answer->error.http_status,
                        answer->error.code);
    struct guard_event event = {.kind = GUARD_EVENT_RECORD_GET, .ledger = answer->outcome, .found = answer->found};
    record_copy(&event.record, &answer->record);
    driver_event(driver, &event);
}

void driver_read_creation(struct driver *driver)
{
    assert(driver->io.records.get_op == NULL);
    struct table *ledger = driver->client->ledger;
    clock_read(&driver->io.records.get_sent);
    struct ledger_request request = {
        .verb = LEDGER_GET,
        .path = driver->path,
        .etag = RECORD_ETAG_CREATE,
        .records_only = true,
        .deadline_monotonic_ms = driver->io.records.get_sent.monotonic_ms + RELEASE_PATIENCE_MS,
        .try_ms = client_ledger_try_ms(driver->client),
    };
    driver->io.records.get_op = ledger_start(ledger, &request, creation_done, driver);
    if (driver->io.records.get_op == NULL)
        driver_fail_later(driver, GUARD_DO_RECORD_GET);
}
