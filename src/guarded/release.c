/* SPDX-License-Identifier: Apache-2.0 */
/* T3: a release in the background. Best effort: one that gets lost costs the next writer a wait, never a wrong verdict.
 */
#include "guarded/driver.h"

#include "base/container.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct release {
    os_client *client;
    struct release *next;
    struct release *previous;
    char *path;
    char etag[VERSION_ETAG_SIZE];
    struct record record;
    struct record_condition condition;
    uint64_t patience_ms;
    struct ledger_op *op;
    struct retry retry;
    struct clock_reading sent;
};

static void release_settled(os_client *client);
static void release_applied(const struct release *release);

static void release_free(struct release *release)
{
    os_client *client = release->client;
    if (release->op)
        ledger_cancel(release->op);
    retry_stop(&release->retry);
    if (release->previous)
        release->previous->next = release->next;
    else
        client->releases = release->next;
    if (release->next)
        release->next->previous = release->previous;
    free(release->path);
    free(release);
    client_background(client, -1);
    release_settled(client);
}

static void try_again_or_give_up(struct release *release)
{
    if (retry_elapsed_ms(&release->retry) < release->patience_ms)
        retry_later(&release->retry);
    else
        release_free(release);
}

static void release_done(void *context, const struct ledger_answer *answer)
{
    struct release *release = context;
    assert(release->op != NULL);
    release->op = NULL;
    client_note_request(release->client, "PutItem", release->path, &release->sent, answer->error.http_status,
                        answer->error.code);
    if ((answer->outcome == LEDGER_THROTTLED || answer->outcome == LEDGER_AMBIGUOUS) && !answer->foreign) {
        try_again_or_give_up(release);
        return;
    }
    if (answer->outcome == LEDGER_OK)
        release_applied(release);
    release_free(release);
}

static void release_attempt(struct retry *retry)
{
    struct release *release = container_of(retry, struct release, retry);
    assert(release->op == NULL);
    struct table *ledger = release->client->ledger;
    clock_read(&release->sent);
    uint64_t try_ms = client_ledger_try_ms(release->client);
    if (try_ms > release->patience_ms)
        try_ms = release->patience_ms;
    struct ledger_request request = {
        .verb = LEDGER_PUT,
        .path = release->path,
        .etag = release->etag,
        .record = &release->record,
        .bucket = release->client->settings.bucket,
        .condition = &release->condition,
        .deadline_monotonic_ms = release->sent.monotonic_ms + try_ms,
    };
    release->op = ledger_start(ledger, &request, release_done, release);
    if (release->op == NULL)
        try_again_or_give_up(release);
}

struct release *release_expect(os_client *client, const char *path, const char *etag)
{
    struct release *release = calloc(1, sizeof(*release));
    char *own_path = strdup(path);
    if (release == NULL || own_path == NULL) {
        free(own_path);
        free(release);
        return NULL;
    }
    release->client = client;
    release->path = own_path;
    memcpy(release->etag, etag, strlen(etag) + 1);
    retry_init(&release->retry, client->loop, release_attempt);
    release->next = client->releases;
    if (client->releases)
        client->releases->previous = release;
    client->releases = release;
    client_background(client, 1);
    return release;
}

static void release_go_on(struct release *release, const struct record *record,
                          const struct record_condition *condition, uint64_t patience_ms)
{
    assert(release->op == NULL);
    release->patience_ms = patience_ms;
    clock_read(&release->retry.started); /* it may have been expected for long */
    record_copy(&release->record, record);
    release->condition = *condition;
    release_attempt(&release->retry);
}

void release_drop(struct release *release)
{
    assert(release->op == NULL);
    release_free(release);
}

static void release_start(os_client *client, const char *path, const char *etag, const struct record *record,
                          const struct record_condition *condition, uint64_t patience_ms)
{
    struct release *release = release_expect(client, path, etag);
    if (release)
        release_go_on(release, record, condition, patience_ms);
}

void release_of_step(struct driver *driver, const struct guard_actions *actions, bool own)
{
    uint64_t patience_ms = driver->tally.away & DRIVER_LEDGER ? RELEASE_AWAY_MS : RELEASE_PATIENCE_MS;
    if (actions->what & GUARD_DO_RELEASE_CREATION) {
        if (driver->creation)
            release_go_on(driver->creation, &actions->creation, &actions->creation_condition, patience_ms);
        else
            release_start(driver->client, driver->path, RECORD_ETAG_CREATE, &actions->creation,
                          &actions->creation_condition, patience_ms);
        driver->creation = NULL;
    }
    if ((actions->what & GUARD_DO_RELEASE) && own)
        release_start(driver->client, driver->path, guard_record_etag(&driver->guard), &actions->release,
                      &actions->release_condition, patience_ms);
}

/* ------------------------------------------------------------------------------------------------ who waits for it */

static bool is_waited_for(const struct release *release, const struct release_waiter *waiter)
{
    return strcmp(release->path, waiter->path) == 0 && strcmp(release->etag, waiter->etag) == 0;
}

static bool is_under_way(const os_client *client, const struct release_waiter *waiter)
{
    for (const struct release *release = client->releases; release; release = release->next)
        if (is_waited_for(release, waiter))
            return true;
    return false;
}

/* R12.11: who waits for it need not read what stands there now. */
static void release_applied(const struct release *release)
{
    for (struct release_waiter *waiter = release->client->held_back; waiter; waiter = waiter->next) {
        if (!is_waited_for(release, waiter))
            continue;
        waiter->knows_released = true;
        record_copy(&waiter->released, &release->record);
    }
}

bool release_holds_back(os_client *client, struct release_waiter *waiter)
{
    waiter->knows_released = false;
    if (!is_under_way(client, waiter))
        return false;
    waiter->next = client->held_back;
    client->held_back = waiter;
    return true;
}

void release_let_go(os_client *client, struct release_waiter *waiter)
{
    struct release_waiter **link = &client->held_back;
    while (*link && *link != waiter)
        link = &(*link)->next;
    if (*link)
        *link = waiter->next;
}

/* One has ended: who waited for it begins. */
static void release_settled(os_client *client)
{
    struct release_waiter **link = &client->held_back;
    while (*link) {
        struct release_waiter *waiter = *link;
        if (is_under_way(client, waiter)) {
            link = &waiter->next;
        } else {
            *link = waiter->next;
            waiter->go(waiter);
        }
    }
}

void release_free_all(os_client *client)
{
    while (client->releases)
        release_free(client->releases);
}
