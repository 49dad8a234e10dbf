/* SPDX-License-Identifier: Apache-2.0 */
#include "common/lease.h"

#include "cli/duration.h"

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
    if (text == NULL || duration_parse(text, "smhd", LONGEST_S, ret_s))
        return true;
    return usage_refuse(usage, "--%s wants a time, such as 90, 90s, 10m, 2h or 1d, not \"%.64s\".",
                        option_table[id].name, text);
}
