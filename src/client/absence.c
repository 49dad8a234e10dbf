/* SPDX-License-Identifier: Apache-2.0 */
#include "client/absence.h"

#include "base/error.h"

enum { PATIENCE_MS = 10000, FOREIGN_MOST = 2 };

bool absence_explains(const os_error *error)
{
    bool not_http = error->code == OS_ERR_PROTOCOL && error->http_status == 0;
    return not_http || error->code == OS_ERR_NETWORK || error->code == OS_ERR_DEADLINE;
}

void absence_note(struct absence *absence, const struct clock_reading *sent, struct absence_sign sign)
{
    if (sign.away && !absence->away)
        absence->since = *sent;
    absence->away = sign.away;
    absence->connects = sign.ambiguous;
    absence->foreign_count = sign.foreign ? absence->foreign_count + 1 : 0;
    if (!sign.away && !sign.foreign)
        absence->was_there = true;
}

void absence_note_answer(struct absence *absence, const struct clock_reading *sent, const struct table_answer *answer)
{
    bool ambiguous = answer->outcome == TABLE_AMBIGUOUS;
    bool failed = ambiguous || answer->outcome == TABLE_THROTTLED;
    absence_note(absence, sent,
                 (struct absence_sign){.away = failed && absence_explains(&answer->error),
                                       .ambiguous = ambiguous,
                                       .foreign = answer->foreign});
}

bool absence_is_elsewhere(bool foreign, const os_error *error)
{
    return foreign || absence_explains(error) || error->code == OS_ERR_TLS;
}

/* One that is slow has at least what it was given. */
static uint64_t patience_ms(const struct absence *absence, const os_client *client)
{
    uint64_t timeout_ms = client->settings.request_timeout_ms;
    return absence->connects && timeout_ms > PATIENCE_MS ? timeout_ms : PATIENCE_MS;
}

uint64_t absence_left_ms(const struct absence *absence, const os_client *client)
{
    struct clock_reading now;
    if (!absence->away)
        return UINT64_MAX;
    clock_read(&now);
    uint64_t gone_ms = clock_elapsed_max(&absence->since, &now);
    uint64_t most_ms = patience_ms(absence, client);
    return gone_ms < most_ms ? most_ms - gone_ms : 0;
}

bool absence_is_mistaken(const struct absence *absence)
{
    return absence->foreign_count >= FOREIGN_MOST;
}

bool absence_gives_up(struct absence *absence, const os_client *client)
{
    if (absence->was_there)
        return false;
    if (absence_is_mistaken(absence))
        absence->gave_up = "what answers at the table's address is not a table";
    else if (absence_left_ms(absence, client) == 0)
        absence->gave_up = "its table has not answered for ten seconds or more";
    return absence->gave_up != NULL;
}

os_code absence_refuse(const struct absence *absence, const os_client *client, const char *what, const os_error *last,
                       os_error *err)
{
    os_error own;
    os_code code = last->code == OS_ERR_DEADLINE ? OS_ERR_NETWORK : last->code; /* the caller's own has not come */
    (void)error_set(&own, code, "%.400s, because %s. %.600s", what, absence->gave_up, last->message);
    error_service(&own, last->http_status, last->service_code, last->request_id);
    table_add_hint(client->ledger, &own);
    *err = own;
    return code;
}
