/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/command.h"

#include <stdio.h>
#include <string.h>

static void write_line(const struct dynamo_command_about *about, const char *words, const char *verb, const char *flag,
                       const char *suffix, char ret[DYNAMO_COMMAND_SIZE])
{
    bool is_named = about->table != NULL;
    snprintf(ret, DYNAMO_COMMAND_SIZE, "`%s%s%s%s%s%s%s`", words, verb, flag, is_named ? " --ledger dynamodb://" : "",
             is_named ? about->table : "", is_named ? suffix : "",
             is_named && about->reach != NULL ? about->reach : "");
}

static void write_command(const struct dynamo_command_about *about, const char *verb, const char *suffix,
                          char ret[DYNAMO_COMMAND_SIZE])
{
    const char *flag = about->words->flag;
    if (flag == NULL)
        snprintf(ret, DYNAMO_COMMAND_SIZE, "the program that writes such tables");
    else
        write_line(about, "oscommit table ", verb, flag, suffix, ret);
}

void dynamo_command(const struct dynamo_command_about *about, const char *verb, char ret[DYNAMO_COMMAND_SIZE])
{
    write_command(about, verb, "", ret);
}

void dynamo_command_beside(const struct dynamo_command_about *about, char ret[DYNAMO_COMMAND_SIZE])
{
    const char *flag = about->words->flag;
    bool is_flagged = flag != NULL && flag[0] != '\0';
    write_command(about, "create", is_flagged ? flag + strlen(" -") : "-records", ret);
}

void dynamo_command_sweep(const struct dynamo_command_about *about, char ret[DYNAMO_COMMAND_SIZE])
{
    const char *sweep = about->words->sweep;
    if (strncmp(sweep, "oscommit ", strlen("oscommit ")) == 0)
        write_line(about, sweep, "", "", "", ret);
    else
        snprintf(ret, DYNAMO_COMMAND_SIZE, "%s", sweep);
}
