/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/lease.h"
#include "common/lease_info.h"

static enum status show(struct session *session, const char *name_space)
{
    os_lock lock = OS_LOCK_INIT;
    os_lock_info info = OS_LOCK_INFO_INIT;
    os_error error = {0};
    os_code code;

    lock.name_space = name_space;
    lock.name = session->options->operand[0];
    code = os_lock_read(session->client, &lock, &session->call, &info, &error);
    if (code != OS_OK)
        return output_outcome(&session->output, lock.name, status_of_lease(&error), &error);
    return lock_info_print(&session->output, &lock, &info, false) ? STATUS_DONE : STATUS_OUTPUT;
}

static enum status lock_show_run(const struct options *options)
{
    const char *name_space = options_text(options, OPTION_NAMESPACE);
    struct session session;
    enum status status = lease_session_open(&session, options);

    if (status == STATUS_DONE)
        status = name_space == NULL ? lease_info_show(&session) : show(&session, name_space);
    return lease_session_close(&session, status);
}

static const enum option_id own_options[] = {OPTION_NAMESPACE, OPTION_COUNT};

const struct command command_lock_show = {
    .name = "lock show",
    .operands = "NAME",
    .summary = "show who holds a lease, or a lock of a namespace",
    .description =
        "Without --namespace, the same as `oscommit lease show`. With it, shows the lock with owner and instance that\n"
        "LockServiceCentral keeps: its owner, its instance, and until when it is held. It has expired when that\n"
        "time is over by the clock of this machine.\n",
    .examples = "oscommit lock show nightly --ledger dynamodb://leases\n"
                "oscommit lock show invoice-7 --namespace payments --ledger dynamodb://locks\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = lock_show_run,
};
