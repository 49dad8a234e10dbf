/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/lease.h"
#include "common/lease_info.h"

#include <string.h>

struct lock_listing {
    struct output *output;
    bool output_failed;
};

static int print_lease(void *context, const char *name, const os_lease_info *info)
{
    struct lock_listing *listing = context;

    listing->output_failed = !lease_info_print(listing->output, name, info, true);
    return listing->output_failed ? 1 : 0;
}

static int print_lock(void *context, const char *name_space, const char *name, const os_lock_info *info)
{
    struct lock_listing *listing = context;
    os_lock lock = OS_LOCK_INIT;

    lock.name_space = name_space;
    lock.name = name;
    listing->output_failed = !lock_info_print(listing->output, &lock, info, true);
    return listing->output_failed ? 1 : 0;
}

static enum status list(struct session *session)
{
    const char *name_space = options_text(session->options, OPTION_NAMESPACE);
    bool every = name_space != NULL && strcmp(name_space, "*") == 0;
    struct lock_listing listing = {.output = &session->output};
    os_error error = {0};
    os_code code = name_space == NULL ? os_lease_list(session->client, &session->call, print_lease, &listing, &error)
                                      : os_lock_list(session->client, every ? NULL : name_space, &session->call,
                                                     print_lock, &listing, &error);

    if (listing.output_failed)
        return STATUS_OUTPUT;
    return code == OS_OK ? STATUS_DONE : output_outcome(&session->output, name_space, status_of_lease(&error), &error);
}

static enum status lock_ls_run(const struct options *options)
{
    struct session session;
    enum status status = lease_session_open(&session, options);

    if (status == STATUS_DONE)
        status = list(&session);
    return lease_session_close(&session, status);
}

static const enum option_id own_options[] = {OPTION_NAMESPACE, OPTION_COUNT};

const struct command command_lock_ls = {
    .name = "lock ls",
    .operands = "",
    .summary = "list leases, or locks of a namespace",
    .description =
        "Lists the leases of the table: state, owner, name. A lease that is free keeps its token, and is listed too.\n"
        "Whether a holder is alive is not known: see `oscommit lease show`.\n"
        "With --namespace, lists the locks with owner and instance that LockServiceCentral keeps; '*' is every\n"
        "namespace. The whole table is read.\n",
    .examples = "oscommit lock ls --ledger dynamodb://leases\n"
                "oscommit lock ls --namespace payments --ledger dynamodb://locks --json\n",
    .options = own_options,
    .run = lock_ls_run,
};
