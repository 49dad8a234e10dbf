/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/streams.h"
#include "command/commands.h"
#include "common/lease.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { TTL_S = 60 };

/* What a shell takes by eval. Handle and token have nothing in them that a shell reads otherwise. */
static void print_assignments(const struct lease_held *held)
{
    (void)printf("export " LEASE_HANDLE_VARIABLE "=%s\n", held->handle);
    (void)printf("export OSCOMMIT_FENCING_TOKEN=%" PRIu64 "\n", held->token);
    (void)printf("# certain for %" PRIu64 " s: extend it before\n", held->remaining_ms / 1000);
}

static bool print_held(struct output *output, const char *name, const struct lease_held *held)
{
    progress_end(&output->progress);
    if (output->json)
        return lease_print_json(output, name, held);
    print_assignments(held); /* --quiet, too: else nobody could release it */
    return streams_flush();
}

/* What nobody was told of is not kept. */
static enum status hand_out(struct session *session, const char *name, os_lease *lease)
{
    struct lease_held held;
    os_error error = {0};
    os_code code;

    if (!lease_describe(lease, &held, &error) || !print_held(&session->output, name, &held)) {
        (void)os_lease_release(lease, &session->call, NULL);
        return error.code == OS_OK ? STATUS_NOT_EXECUTED
                                   : output_outcome(&session->output, name, status_of_lease(&error), &error);
    }
    code = os_lease_detach(lease, &error);
    return code == OS_OK ? STATUS_DONE : output_outcome(&session->output, name, status_of_lease(&error), &error);
}

/* This process is gone in a moment: whoever looks for the holder looks for the one that goes on. */
static bool name_shell(char *ret, size_t ret_size)
{
    char host[HOST_NAME_MAX + 1] = "";

    if (gethostname(host, sizeof(host)) != 0)
        return false;
    (void)snprintf(ret, ret_size, "%s:%ld", host, (long)getppid());
    return true;
}

static enum status acquire(struct session *session, uint64_t wait_s, os_lease_options *how)
{
    const char *name = session->options->operand[0];
    os_call call = session->call;
    os_lease *lease = NULL;
    os_error error = {0};
    os_code code;
    char shell[HOST_NAME_MAX + 32];

    how->wait = wait_s != 0 ? 1 : 0;
    how->owner = options_text(session->options, OPTION_OWNER);
    if (how->owner == NULL && name_shell(shell, sizeof(shell)))
        how->owner = shell;
    if (wait_s != 0)
        call.deadline_ms = wait_s * 1000;
    code = os_lease_acquire(session->client, name, how, &call, &lease, &error);
    if (code != OS_OK)
        return output_outcome(&session->output, name, status_of_lease(&error), &error);
    return hand_out(session, name, lease);
}

/* In eval "$(...)" nothing but this ends a script; and it must not go on with what another lease has left it. */
static void print_failure(const struct output *output, enum status status)
{
    if (!output->json)
        (void)printf("unset " LEASE_HANDLE_VARIABLE " OSCOMMIT_FENCING_TOKEN; (exit %d)\n", (int)status);
}

static enum status lease_acquire_run(const struct options *options)
{
    os_lease_options how = OS_LEASE_OPTIONS_INIT;
    struct usage usage = {0};
    struct session session;
    uint64_t wait_s;
    enum status status;

    if (!lease_take_ttl(options, TTL_S, &how, &usage) || !lease_time(options, OPTION_WAIT, 0, &wait_s, &usage))
        return output_usage(options, &usage);
    status = lease_session_open(&session, options);
    if (status == STATUS_DONE)
        status = acquire(&session, wait_s, &how);
    if (status != STATUS_DONE && session.options != NULL)
        print_failure(&session.output, status);
    return lease_session_close(&session, status);
}

static const enum option_id own_options[] = {OPTION_WAIT, OPTION_TTL, OPTION_OWNER, OPTION_COUNT};

const struct command command_lease_acquire = {
    .name = "lease acquire",
    .operands = "NAME",
    .summary = "acquire a lease, for a script that extends and releases it",
    .description =
        "Acquires the lease NAME and ends. Nothing extends it then: it is over when --ttl is, unless\n"
        "`oscommit lease extend` is run before. Where one program does the work, take `oscommit lock`, which looks\n"
        "after all that.\n"
        "Prints what a shell takes by eval: OSCOMMIT_LEASE_HANDLE, by which the lease is extended and released, and\n"
        "OSCOMMIT_FENCING_TOKEN, which `oscommit put`, `cp`, `mv` and `update` write along. A last line, a comment,\n"
        "says for how long the lease is certain: that is shorter than --ttl, by a twentieth and what the request "
        "took.\n"
        "Take the output first and eval it then, as below: in eval \"$(...)\" a shell forgets the exit status.\n"
        "If another holds it, ends with status 3 at once; with --wait, when that time is over.\n",
    .examples = "held=$(oscommit lease acquire nightly --ledger dynamodb://leases --ttl 10m) || exit; eval \"$held\"\n"
                "oscommit lease acquire nightly --ledger sqlite:///srv/leases.db --wait 5m --json\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = lease_acquire_run,
};
