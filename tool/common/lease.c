/* SPDX-License-Identifier: Apache-2.0 */
#include "common/lease.h"

#include "cli/duration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_S = 366 * 24 * 3600 };

enum status lease_session_open(struct session *session, const struct options *options)
{
    bool has_ledger = options_text(options, OPTION_LEDGER) != NULL;
    struct usage usage = {0};

    memset(session, 0, sizeof(*session));
    if (!has_ledger && options_text(options, OPTION_STORE) == NULL) {
        (void)usage_refuse(&usage, "The table of leases is not given: name it with --ledger (dynamodb://TABLE or "
                                   "sqlite:///FILE), or an embedded store with --store.");
        return output_usage(options, &usage);
    }
    if (options->given[OPTION_TTL_S] > 0) { /* from the environment it is for other commands */
        (void)usage_refuse(&usage, "--ttl-s is for the records of writes. The time to live of a lease is --ttl.");
        return output_usage(options, &usage);
    }
    /* A store is of no use beside a table, and may need credentials of its own. */
    return session_open(session, options, has_ledger ? NULL : options_text(options, OPTION_STORE));
}

enum status lease_session_close(struct session *session, enum status status)
{
    return session->options == NULL ? status : session_close(session, status);
}

bool lease_time(const struct options *options, enum option_id id, uint64_t otherwise, uint64_t *ret_s,
                struct usage *usage)
{
    const char *text = options_text(options, id);

    *ret_s = otherwise;
    if (id == OPTION_WAIT && text != NULL && (strcmp(text, "0") == 0 || strcmp(text, "0s") == 0))
        return true; /* as without it */
    if (text == NULL || duration_parse(text, "smhd", LONGEST_S, ret_s))
        return true;
    return usage_refuse(usage, "--%s wants a time from 1s to 366d, such as 90, 90s, 10m, 2h or 1d, not \"%.64s\".",
                        option_table[id].name, text);
}

bool lease_take_ttl(const struct options *options, uint64_t otherwise, os_lease_options *ret, struct usage *usage)
{
    ret->fencing = 1;
    return lease_time(options, OPTION_TTL, otherwise, &ret->ttl_s, usage);
}

/* ---------------------------------------------------------------------------------------- from process to process */

enum status lease_status_of(const os_error *error)
{
    return error->code == OS_ERR_CONFLICT ? STATUS_LOST : status_of_lease(error);
}

bool lease_describe(const os_lease *lease, struct lease_held *ret, os_error *err)
{
    ret->token = os_lease_token(lease);
    ret->remaining_ms = os_lease_remaining_ms(lease);
    if (ret->remaining_ms == 0) {
        err->code = OS_ERR_CONFLICT;
        (void)snprintf(err->message, sizeof(err->message),
                       "The lease was lost before it could be handed on: the table was slow.");
        return false;
    }
    return os_lease_handle(lease, ret->handle, err) == OS_OK;
}

bool lease_print_json(struct output *output, const char *name, const struct lease_held *held)
{
    struct json_line line;

    output_json_begin(output, &line, name, status_name(STATUS_DONE));
    json_line_text(&line, "handle", held->handle);
    json_line_number(&line, "token", held->token);
    json_line_number(&line, "remaining_ms", held->remaining_ms);
    return output_json_print(output, &line);
}

enum status lease_session_adopt(struct session *session, const os_lease_options *how, os_lease **ret)
{
    const char *name = session->options->operand[0];
    const char *handle = options_text(session->options, OPTION_HANDLE);
    os_error error = {0};
    os_code code;

    if (handle == NULL)
        handle = getenv(LEASE_HANDLE_VARIABLE);
    if (handle == NULL)
        return session_fail(
            session, name, OS_ERR_CONFIG,
            "The handle of the lease is not given: `oscommit lease acquire` prints it. Set " LEASE_HANDLE_VARIABLE
            ", or give --handle.");
    code = os_lease_adopt(session->client, name, handle, how, &session->call, ret, &error);
    if (code == OS_OK)
        return STATUS_DONE;
    return output_outcome(&session->output, name, lease_status_of(&error), &error);
}
