/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/streams.h"
#include "command/commands.h"
#include "common/lease.h"

#include <inttypes.h>
#include <stdio.h>

static enum status print_extended(struct output *output, const char *name, const struct lease_held *held)
{
    progress_end(&output->progress);
    if (output->json)
        return lease_print_json(output, name, held) ? STATUS_DONE : STATUS_OUTPUT;
    if (!output->quiet)
        (void)printf("certain for %" PRIu64 " s\n", held->remaining_ms / 1000);
    return streams_flush() ? STATUS_DONE : STATUS_OUTPUT;
}

static enum status extend(struct session *session, const os_lease_options *how)
{
    const char *name = session->options->operand[0];
    struct lease_held held;
    os_lease *lease;
    os_error error = {0};
    enum status status = lease_session_adopt(session, how, &lease);

    if (status != STATUS_DONE)
        return status;
    if (lease_describe(lease, &held, &error))
        (void)os_lease_detach(lease, &error);
    if (error.code != OS_OK)
        return output_outcome(&session->output, name, lease_status_of(&error), &error);
    return print_extended(&session->output, name, &held);
}

static enum status lease_extend_run(const struct options *options)
{
    os_lease_options how = OS_LEASE_OPTIONS_INIT;
    struct usage usage = {0};
    struct session session;
    enum status status;

    if (!lease_take_ttl(options, 0, &how, &usage))
        return output_usage(options, &usage);
    status = lease_session_open(&session, options);
    if (status == STATUS_DONE)
        status = extend(&session, &how);
    return lease_session_close(&session, status);
}

static const enum option_id own_options[] = {OPTION_HANDLE, OPTION_TTL, OPTION_COUNT};

const struct command command_lease_extend = {
    .name = "lease extend",
    .operands = "NAME",
    .summary = "extend a lease that `lease acquire` has acquired",
    .description =
        "Extends the lease NAME from now, by the time to live that it has or by a longer --ttl, and says for how long\n"
        "it is certain. Its handle is that of --handle, or of OSCOMMIT_LEASE_HANDLE; it stays the same. Nobody else\n"
        "had the lease meanwhile, and its token is the same. If the lease was lost, ends with status 75: another has\n"
        "it, or it is free.\n"
        "Let one command at a time work on a handle.\n",
    .examples = "oscommit lease extend nightly --ledger dynamodb://leases --ttl 10m || exit\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .exit_status = LEASE_EXIT_STATUS,
    .run = lease_extend_run,
};
