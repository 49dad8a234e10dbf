/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on tables of any format share: the table of the operand, and what a check finds. */
#ifndef OSCOMMIT_TOOL_TABLE_CHECK_H
#define OSCOMMIT_TOOL_TABLE_CHECK_H

#include "cli/location.h"
#include "cli/session.h"

/* The table of the first operand, with or without a slash at its end. */
bool table_operand_take(const struct options *options, struct location *ret, struct usage *usage);

struct finding {
    const char *kind;
    int64_t version; /* less than 0: it is about none */
    const char *name;
    const char *sentence;
};

struct findings {
    struct session *session;
    const char *url;       /* of the table */
    const char *looked_at; /* a sentence for when nothing is found */
    uint64_t count;
};

/* Prints one. 0, or 1 where nothing more can be printed. */
int findings_show(struct findings *findings, const struct finding *finding);
/* The exit status of a check that has ended. */
enum status findings_finish(const struct findings *findings, os_code code, const os_error *error);

#endif
