/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/lease.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MORE_MS = 5000, MORE_DIVISOR = 10, MOST_S = 2 * 86400 };

/* How long it takes until a holder who is dead has lost it for everybody. */
static uint64_t patience_ms(const os_lease_info *info)
{
    int64_t left_s = info->expiry_s - (int64_t)time(NULL);
    uint64_t ms = info->ttl_ms;

    if (info->foreign != 0)
        ms = left_s > 0 ? (uint64_t)left_s * 1000 : 0;
    if (left_s > MOST_S || ms > (uint64_t)MOST_S * 1000)
        ms = (uint64_t)MOST_S * 1000;
    return ms + ms / MORE_DIVISOR + MORE_MS;
}

/* Whoever acquires it has waited as everybody has to. A token of the holder's is older from then on. */
static os_code break_lease(struct session *session, const char *name, const os_lease_info *info, os_error *err)
{
    os_lease_options how = OS_LEASE_OPTIONS_INIT;
    os_call call = session->call;
    os_lease *lease = NULL;
    os_code code;

    how.wait = 1;
    how.fencing = 1;
    how.owner = "oscommit lock break";
    call.deadline_ms = patience_ms(info);
    code = os_lease_acquire(session->client, name, &how, &call, &lease, err);
    return code == OS_OK ? os_lease_release(lease, &session->call, err) : code;
}

/* It still has its holder: what the library says of one who waits for a dead one does not help here. */
static void say_alive(struct session *session, const char *name, const os_lease_info *before, os_error *err)
{
    os_lease_info now = OS_LEASE_INFO_INIT;

    if (os_lease_read(session->client, name, &session->call, &now, NULL) != OS_OK || now.held == 0 ||
        strcmp(now.version, before->version) == 0)
        return;
    (void)snprintf(err->message, sizeof(err->message),
                   "The lease \"%.300s\" was not broken: its holder, %.255s, lives. It has extended it meanwhile.",
                   name, now.owner[0] != '\0' ? now.owner : "who does not say his name");
}

static void say_nobody(struct session *session, const char *name)
{
    char sentence[512];

    (void)snprintf(sentence, sizeof(sentence), "Nobody holds \"%.400s\": there was nothing to break.", name);
    output_message(&session->output, sentence);
}

static enum status break_held_lease(struct session *session)
{
    const char *name = session->options->operand[0];
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error = {0};
    os_code code = os_lease_read(session->client, name, &session->call, &info, &error);

    if (code == OS_OK && info.held == 0)
        say_nobody(session, name);
    else if (code == OS_OK)
        code = break_lease(session, name, &info, &error);
    if (code == OS_ERR_CONFLICT)
        say_alive(session, name, &info, &error);
    return output_outcome(&session->output, name, status_of_lease(&error), &error);
}

static enum status break_lock(struct session *session, const char *name_space)
{
    os_lock lock = OS_LOCK_INIT;
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error = {0};
    os_code code;

    lock.name_space = name_space;
    lock.name = session->options->operand[0];
    code = os_lock_read(session->client, &lock, &session->call, &info, &error);
    if (code == OS_OK && info.held == 0)
        say_nobody(session, lock.name);
    else if (code == OS_OK)
        code = os_lock_break(session->client, &lock, &session->call, NULL, &error);
    return output_outcome(&session->output, lock.name, status_of_lease(&error), &error);
}

static enum status lock_break_run(const struct options *options)
{
    const char *name_space = options_text(options, OPTION_NAMESPACE);
    struct usage usage = {0};
    struct session session;
    enum status status;

    if (!options_on(options, OPTION_FORCE)) {
        (void)usage_refuse(&usage, "lock break takes it from whoever holds it, when his time is over: say --force.");
        return output_usage(options, &usage);
    }
    status = lease_session_open(&session, options);
    if (status == STATUS_DONE)
        status = name_space == NULL ? break_held_lease(&session) : break_lock(&session, name_space);
    return lease_session_close(&session, status);
}

static const enum option_id own_options[] = {OPTION_NAMESPACE, OPTION_FORCE, OPTION_COUNT};

const struct command command_lock_break = {
    .name = "lock break",
    .operands = "NAME",
    .summary = "free a lease or a lock whose holder is gone",
    .description =
        "Waits until the time of the lease's holder is over, and frees it. A holder that extends it keeps it, and "
        "this\n"
        "ends with status 3. Needs --force. Of a lease of dynamodb-lease (`lease show` says so) only the expiry in "
        "the\n"
        "item counts, as for all who take it: one whose clock is behind can lose it.\n"
        "With --namespace, deletes the lock with owner and instance that LockServiceCentral keeps, if it has expired "
        "by\n"
        "the clock of this machine; else ends with status 3 and says until when it is held.\n",
    .examples = "oscommit lock break nightly --force --ledger dynamodb://leases\n"
                "oscommit lock break invoice-7 --namespace payments --force --ledger dynamodb://locks\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = lock_break_run,
};
