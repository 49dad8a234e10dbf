/* SPDX-License-Identifier: Apache-2.0 */
#include "common/lease.h"
#include "command/commands.h"

static enum status release(struct session *session, const os_lease_options *how)
{
    const char *name = session->options->operand[0];
    os_lease *lease;
    os_error error = {0};
    enum status status = lease_session_adopt(session, how, &lease);

    if (status != STATUS_DONE)
        return status;
    (void)os_lease_release(lease, &session->call, &error);
    return output_outcome(&session->output, name, lease_status_of(&error), &error);
}

static enum status lease_release_run(const struct options *options)
{
    os_lease_options how = OS_LEASE_OPTIONS_INIT;
    struct session session;
    enum status status = lease_session_open(&session, options);

    how.fencing = 1;
    if (status == STATUS_DONE)
        status = release(&session, &how);
    return lease_session_close(&session, status);
}

static const enum option_id own_options[] = {OPTION_HANDLE, OPTION_COUNT};

const struct command command_lease_release = {
    .name = "lease release",
    .operands = "NAME",
    .summary = "release a lease that `lease acquire` has acquired",
    .description =
        "Releases the lease NAME: others can have it at once. Its handle is that of --handle, or of\n"
        "OSCOMMIT_LEASE_HANDLE. The token stays in the table, so that the next one is larger. If the lease had been\n"
        "lost, ends with status 75: what was done since then was not covered by it.\n",
    .examples = "oscommit lease release nightly --ledger dynamodb://leases\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .exit_status = LEASE_EXIT_STATUS,
    .run = lease_release_run,
};
