/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <string.h>

enum { FLAG_WIDTH = 34 };

static void print_flag(FILE *out, const struct option_spec *spec)
{
    char text[96];
    int len = snprintf(text, sizeof(text), "%c%c%c --%s%s%s", spec->letter == '\0' ? ' ' : '-',
                       spec->letter == '\0' ? ' ' : spec->letter, spec->letter == '\0' ? ' ' : ',', spec->name,
                       spec->operand == NULL ? "" : " ", spec->operand == NULL ? "" : spec->operand);

    if (len > FLAG_WIDTH)
        (void)fprintf(out, "  %s\n  %-*s %s\n", text, FLAG_WIDTH, "", spec->help);
    else
        (void)fprintf(out, "  %-*s %s\n", FLAG_WIDTH, text, spec->help);
}

static void print_scope(FILE *out, enum option_scope scope, bool all)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].scope == scope && (all || option_table[id].often))
            print_flag(out, &option_table[id]);
}

static const char usual_exit_status[] =
    "   0  committed, or done\n"
    "   1  not executed: nothing was applied and never will be, for another reason than 66, 69 or 77\n"
    "   2  bad usage or settings\n"
    "   3  conflict\n"
    "   4  unknown: it may have been applied, or may still be; resolve the ticket\n"
    "   5  unknown for good: no evidence is left that could decide; look at the object\n"
    "  66  not executed: no such object\n"
    "  69  not executed: the store or the ledger cannot be reached\n"
    "  74  committed, or done, but the result could not be written to stdout\n"
    "  77  not executed: access denied, or no usable credentials\n";

static void print_end(FILE *out, const char *exit_status)
{
    (void)fputs(
        "\n"
        "There is no flag for a secret, because command lines are visible to every user of a machine. "
        "Credentials come\n"
        "from where the AWS tools find them: AWS_ACCESS_KEY_ID and its relatives, the profile with its role, its\n"
        "login or its program, the container, the instance. `oscommit credentials` says which are used.\n\n"
        "Exit status:\n",
        out);
    (void)fputs(exit_status == NULL ? usual_exit_status : exit_status, out);
}

/* `command` is "" for the overview. */
static void print_common(FILE *out, const char *command, bool all)
{
    if (!all) {
        (void)fprintf(out,
                      "\n"
                      "Flags of every command (`oscommit %s%s--help --all` also names the other settings):\n",
                      command, command[0] == '\0' ? "" : " ");
        print_scope(out, OPTION_SCOPE_SETTING, false);
        print_scope(out, OPTION_SCOPE_COMMON, true);
        return;
    }
    (void)fputs("\nFlags of every command:\n", out);
    print_scope(out, OPTION_SCOPE_COMMON, true);
    (void)fputs(
        "\n"
        "Settings (each is also a variable: OSCOMMIT_RECORD_PREFIX for --record-prefix, and so on. A flag counts more\n"
        "than its variable, and both count more than AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_PROFILE ...):\n",
        out);
    print_scope(out, OPTION_SCOPE_SETTING, true);
}

void help_overview(FILE *out, const struct command *const *commands, bool all)
{
    (void)fputs("usage: oscommit COMMAND [OPERANDS] [FLAGS]\n\n"
                "Writes to an object store that happen exactly once, and only if nothing changed.\n\nCommands:\n",
                out);
    for (size_t i = 0; commands[i] != NULL; i++)
        if (!commands[i]->hidden)
            (void)fprintf(out, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
    (void)fputs(
        "\n"
        "Objects are named by URL: s3://BUCKET/KEY, or file:///ROOT/KEY below a folder made by `oscommit init`.\n"
        "With --store a bare key is enough. - is stdin or stdout.\n\n"
        "Examples:\n"
        "  oscommit init /srv/store\n"
        "  oscommit put report.csv file:///srv/store/report.csv --if-absent\n"
        "  oscommit put data.bin s3://bucket/data/0001 --if-absent --ledger dynamodb://commits\n"
        "  oscommit race file:///srv/store/ --writers 8 --keys 50 --updates 25\n\n"
        "`oscommit help COMMAND` explains each.\n",
        out);
    print_common(out, "", all);
    print_end(out, NULL);
}

void help_group(FILE *out, const struct command *const *commands, const char *group)
{
    size_t len = strlen(group);

    (void)fprintf(out, "usage: oscommit %s COMMAND [OPERANDS] [FLAGS]\n\nCommands:\n", group);
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strncmp(commands[i]->name, group, len) == 0 && commands[i]->name[len] == ' ')
            (void)fprintf(out, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
    (void)fprintf(out,
                  "\n"
                  "`oscommit help %s COMMAND` explains each.\n",
                  group);
}

static void print_indented(FILE *out, const char *lines)
{
    while (*lines != '\0') {
        size_t len = strcspn(lines, "\n");
        (void)fprintf(out, "  %.*s\n", (int)len, lines);
        lines += len;
        lines += *lines == '\n' ? 1 : 0;
    }
}

void help_command(FILE *out, const struct command *command, bool all)
{
    const char *blank = command->operands[0] == '\0' ? "" : " ";

    if (command->runs_program) /* whose flags follow it */
        (void)fprintf(out, "usage: oscommit %s [FLAGS]%s%s\n", command->name, blank, command->operands);
    else
        (void)fprintf(out, "usage: oscommit %s%s%s [FLAGS]\n", command->name, blank, command->operands);
    (void)fprintf(out, "\n%s", command->description);
    if (command->options != NULL) {
        (void)fputs("\nFlags:\n", out);
        for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++)
            print_flag(out, &option_table[*id]);
    }
    (void)fputs("\nExamples:\n", out);
    print_indented(out, command->examples);
    print_common(out, command->name, all);
    print_end(out, command->exit_status);
}
