/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket is resolved by one question, or by as many as it takes. */
#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"
#include "client/ticket.h"
#include "guarded/call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct asking {
    struct guarded *guarded;
    struct guard_ticket ticket;
    struct driver_upload upload;
    char upload_id[RECORD_UPLOAD_SIZE];
    char *key;  /* of the ticket */
    char *only; /* of the options: NULL, any */
    os_resolve_options options;
};

/* ------------------------------------------------------------------------------------------------ the ticket */

static os_code resolve_take_options(struct asking *asking, const os_resolve_options *options, os_error *err)
{
    os_code code = versioned_copy(options, &asking->options, sizeof(asking->options), "os_resolve_options", err);
    if (code != OS_OK || asking->options.key == NULL || asking->options.key[0] == '\0')
        return code;
    return client_object_key(asking->guarded->client, asking->options.key, &asking->only, err);
}

static os_code check_ledger(const os_client *client, const struct guard_ticket *ticket, os_error *err)
{
    if (client->ledger || ticket->native)
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "This ticket belongs to a ledger-guarded write; set ledger_url to that ledger.");
}

static os_code take_ticket(struct asking *asking, const char *text, os_error *err)
{
    os_client *client = asking->guarded->client;
    struct driver_params *params = &asking->guarded->params;
    struct ticket_contents of = {.key = asking->only, .same_store = asking->options.same_store != 0};
    ticket_place_of(&client->settings, &of.place);
    os_code code = ticket_read(text, &of, &asking->key, asking->upload_id, &asking->ticket, err);
    if (code == OS_OK)
        code = client->store->vtable->check_key(client->store, asking->key, err);
    if (code == OS_OK)
        code = check_ledger(client, &asking->ticket, err);
    asking->upload.id = asking->upload_id;
    params->operation = asking->ticket.operation;
    params->key = asking->key;
    params->ticket = &asking->ticket;
    params->upload = asking->upload_id[0] ? &asking->upload : NULL;
    asking->guarded->reports_late = asking->upload_id[0] != '\0';
    return code;
}

static void asking_free(struct asking *asking)
{
    free(asking->key);
    free(asking->only);
}

/* ------------------------------------------------------------------------------------------------ one question */

static os_code resolve_ask(struct asking *asking, os_error *err)
{
    struct guarded *guarded = asking->guarded;
    assert(guarded->params.ticket == &asking->ticket);
    os_result *result = &guarded->outcome.result;
    os_result before = *result;
    uint64_t whole_ms = guarded->params.deadline_ms;
    free(before.ticket);
    memset(&guarded->outcome, 0, sizeof(guarded->outcome));
    guarded->params.deadline_ms = guarded_time_left(guarded);
    os_code code = guarded_once(guarded, err);
    guarded->params.deadline_ms = whole_ms;
    result->guards += before.guards;
    result->requests += before.requests;
    result->duration_ms += before.duration_ms + before.ask_again_ms;
    if (code != OS_OK || !guarded->reports_late)
        return code;
    /* R14: a Complete that was not and never will be applied leaves its upload behind. */
    bool may_abort = guarded->outcome.owns_upload || asking->options.abort_upload != 0;
    guarded_end_ticket(guarded, asking->upload_id, may_abort);
    guarded_report_metric(guarded);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ many */

/* A question that the deadline cuts short may have brought nothing: then what was said before still holds. */
static os_code ask_on(struct asking *asking, os_error *err)
{
    struct driver_outcome *outcome = &asking->guarded->outcome;
    unsigned away = outcome->away;
    os_error why = outcome->error;
    os_code code = resolve_ask(asking, err);
    if (code == OS_OK && outcome->verdict == OS_UNKNOWN && !outcome->away && (away & ~outcome->reached)) {
        outcome->away = away;
        outcome->error = why;
    }
    return code;
}

static bool goes_on(const struct asking *asking)
{
    const struct driver_outcome *outcome = &asking->guarded->outcome;
    bool gives_up = outcome->away && asking->options.give_up;
    return outcome->verdict == OS_UNKNOWN && outcome->result.ask_again_ms > 0 && !gives_up;
}

static os_code resolve_settle(struct asking *asking, os_error *err)
{
    os_code code = resolve_ask(asking, err);
    while (code == OS_OK && goes_on(asking) &&
           guarded_pause(asking->guarded, asking->guarded->outcome.result.ask_again_ms))
        code = ask_on(asking, err);
    return code;
}

/* ------------------------------------------------------------------------------------------------ the call */

static os_code resolve_perform(struct guarded *guarded, const struct guarded_arguments *arguments, os_error *err)
{
    struct asking asking = {.guarded = guarded};
    guarded->params.patient = arguments->patient;
    os_code code = resolve_take_options(&asking, arguments->resolve_options, err);
    if (code == OS_OK)
        code = take_ticket(&asking, arguments->ticket, err);
    if (code == OS_OK)
        code = arguments->patient ? resolve_settle(&asking, err) : resolve_ask(&asking, err);
    asking_free(&asking);
    return code;
}

os_verdict guarded_resolve(os_client *client, const struct guarded_arguments *arguments, os_result *ret, os_error *err)
{
    return guarded_call(client, arguments, resolve_perform, ret, err);
}
