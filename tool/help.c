/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <string.h>

enum { FLAG_WIDTH = 34 };

static void print_flag(FILE *out, const struct option_spec *spec)
{
    char text[96];
    int len = snprintf(text, sizeof(text), "%c%c%c --%s%s%s", spec->letter == '\0' ? ' ' : '-',
                       spec->letter == '\0' ? ' ' : spec->letter, spec->letter == '\0' ? ' ' : ',', spec->name,
                       spec->operand == NULL ? "" : " ", spec->operand == NULL ? "" : spec->operand);

    if (len > FLAG_WIDTH) {
        (void)fprintf(out, "  %s\n  %-*s %s\n", text, FLAG_WIDTH, "", spec->help);
    } else {
        (void)fprintf(out, "  %-*s %s\n", FLAG_WIDTH, text, spec->help);
    }
}

static void print_scope(FILE *out, enum option_scope scope)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (option_table[id].scope == scope) {
            print_flag(out, &option_table[id]);
        }
    }
}

static void print_common(FILE *out)
{
    (void)fputs("\nFlags of every command:\n", out);
    print_scope(out, OPTION_SCOPE_COMMON);
    (void)fputs(
        "\nSettings (--record-prefix can also be given as OSCOMMIT_RECORD_PREFIX, and so with every other; a flag\n"
        "counts more than its variable, and both more than AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_PROFILE ...):\n",
        out);
    print_scope(out, OPTION_SCOPE_SETTING);
    (void)fputs("\nThere is no flag for a secret, because command lines are visible to every user of a machine. "
                "Credentials come\n"
                "from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or from the profile's files.\n"
                "\nExit status: 0 committed or done, 1 not executed, 2 bad usage, 3 conflict, 4 unknown.\n",
                out);
}

void help_overview(FILE *out, const struct command *const *commands)
{
    (void)fputs("usage: oscommit COMMAND [OPERANDS] [FLAGS]\n\n"
                "Writes to an object store that happen exactly once, and only if nothing changed.\n\nCommands:\n",
                out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (!commands[i]->hidden) {
            (void)fprintf(out, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
        }
    }
    (void)fputs(
        "\nObjects are named by URL: s3://BUCKET/KEY, or file:///ROOT/KEY below a folder made by `oscommit init`.\n"
        "With --store a bare key will do. - is stdin or stdout.\n"
        "\nExamples:\n"
        "  oscommit init /srv/store\n"
        "  oscommit put report.csv file:///srv/store/report.csv --if-absent\n"
        "  oscommit put data.bin s3://bucket/data/0001 --if-absent --ledger dynamodb://commits\n"
        "  oscommit race file:///srv/store/ --writers 8 --keys 50 --updates 25\n"
        "\n`oscommit COMMAND --help` says more of each.\n",
        out);
    print_common(out);
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

void help_command(FILE *out, const struct command *command)
{
    (void)fprintf(out, "usage: oscommit %s%s%s [FLAGS]\n\n%s", command->name, command->operands[0] == '\0' ? "" : " ",
                  command->operands, command->description);
    if (command->options != NULL) {
        (void)fputs("\nFlags:\n", out);
        for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++) {
            print_flag(out, &option_table[*id]);
        }
    }
    (void)fputs("\nExamples:\n", out);
    print_indented(out, command->examples);
    print_common(out);
}
