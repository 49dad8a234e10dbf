/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/lease.h"
#include "common/lease_info.h"

static enum status lease_show_run(const struct options *options)
{
    struct session session;
    enum status status = lease_session_open(&session, options);

    if (status == STATUS_DONE)
        status = lease_info_show(&session);
    return lease_session_close(&session, status);
}

const struct command command_lease_show = {
    .name = "lease show",
    .operands = "NAME",
    .summary = "show who holds a lease",
    .description =
        "Shows what stands in the table under the name: who holds the lease, its time to live, the version that\n"
        "changes whenever it is extended, and the fencing token, which stays when it is free. Whether the holder is\n"
        "alive is not known: if the version stays the same for longer than the time to live, he is not. The expiry is\n"
        "by the clock of the holder, and only other implementations go by it.\n",
    .examples = "oscommit lease show nightly --ledger dynamodb://leases\n"
                "oscommit lease show nightly --ledger sqlite:///srv/leases.db --json\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = lease_show_run,
};
