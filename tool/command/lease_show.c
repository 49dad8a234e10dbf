/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/streams.h"
#include "command/commands.h"
#include "common/lease.h"

#include <inttypes.h>
#include <stdio.h>

static void lease_json(struct output *output, const char *name, const os_lease_info *info)
{
    struct json_line line;

    output_json_begin(output, &line, name, status_name(STATUS_DONE));
    json_line_flag(&line, "held", info->held != 0);
    if (info->held != 0) {
        json_line_text(&line, "owner", info->owner);
        json_line_flag(&line, "foreign", info->foreign != 0);
        if (info->ttl_ms != 0)
            json_line_number(&line, "ttl_ms", info->ttl_ms);
        json_line_signed(&line, "expiry_s", info->expiry_s);
        json_line_time(&line, "expiry", info->expiry_s);
        json_line_text(&line, "version", info->version);
    }
    if (info->token != 0)
        json_line_number(&line, "token", info->token);
    (void)output_json_print(output, &line);
}

static void lease_holder_human(const os_lease_info *info)
{
    char text[64];

    output_field("state", info->foreign != 0 ? "held, by another implementation"
                                             : "held; its holder may be dead, and then it ends by itself");
    output_field("owner", info->owner[0] == '\0' ? "not told" : info->owner);
    (void)snprintf(text, sizeof(text), "%.1f s", (double)info->ttl_ms / 1000);
    output_field("ttl", info->ttl_ms == 0 ? "not told" : text);
    output_field_time("expiry", info->expiry_s, "not told");
    output_field("version", info->version);
}

static void lease_human(const char *name, const os_lease_info *info)
{
    char text[32];

    output_field("lease", name);
    if (info->held != 0)
        lease_holder_human(info);
    else
        output_field("state", "free");
    (void)snprintf(text, sizeof(text), "%" PRIu64, info->token);
    output_field("token", info->token == 0 ? "none" : text);
}

static enum status lease_show(struct session *session, const char *name)
{
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error = {0};
    os_code code = os_lease_read(session->client, name, &session->call, &info, &error);

    if (code != OS_OK)
        return output_outcome(&session->output, name, status_of_lease(code), &error);
    progress_end(&session->output.progress);
    if (session->output.json)
        lease_json(&session->output, name, &info);
    else if (!session->output.quiet)
        lease_human(name, &info);
    return streams_flush() ? STATUS_DONE : STATUS_OUTPUT;
}

static enum status lease_show_run(const struct options *options)
{
    struct session session;
    enum status status = lease_session_open(&session, options);

    if (status == STATUS_DONE)
        status = lease_show(&session, options->operand[0]);
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
