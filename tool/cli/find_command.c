/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/find_command.h"

#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

/* What the same is called elsewhere. */
static const char *const other_names[][2] = {
    {"add", "put"},    {"cat", "get"},      {"copy", "cp"},     {"create", "put"}, {"del", "rm"},
    {"delete", "rm"},  {"download", "get"}, {"exists", "head"}, {"info", "head"},  {"list", "ls"},
    {"move", "mv"},    {"read", "get"},     {"remove", "rm"},   {"rename", "mv"},  {"settle", "resolve"},
    {"show", "head"},  {"stat", "head"},    {"upload", "put"},  {"write", "put"},  {"prune", "gc"},
    {"flock", "lock"},
};

/* Behind "table " in "table create"; NULL for a command that is not of the group. */
static const char *name_in_group(const struct command *command, const char *group)
{
    size_t len = strlen(group);

    return strncmp(command->name, group, len) == 0 && command->name[len] == ' ' ? command->name + len + 1 : NULL;
}

static const struct command *command_named(const struct command *const *commands, const char *word)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, word) == 0)
            return commands[i];
    return NULL;
}

bool is_command_group(const struct command *const *commands, const char *word)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (name_in_group(commands[i], word) != NULL)
            return command_named(commands, word) == NULL;
    return false;
}

size_t command_words(const struct command *command)
{
    return strchr(command->name, ' ') == NULL ? 1 : 2;
}

/* " Did you mean \"put\"?", or nothing. */
static void describe_suggestion(const struct suggestion *suggestion, const char *group, char *ret, size_t ret_size)
{
    if (suggestion->best == NULL) {
        ret[0] = '\0';
    } else {
        (void)snprintf(ret, ret_size, " Did you mean \"%s%s%s\"?", group, group[0] == '\0' ? "" : " ",
                       suggestion->best);
    }
}

static const struct command *refuse_in_group(const struct command *const *commands, const char *group, const char *word,
                                             struct usage *usage)
{
    char names[128] = "";
    char hint[64];
    struct suggestion suggestion;

    suggest_begin(&suggestion, word);
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = name_in_group(commands[i], group);
        if (name != NULL) {
            size_t len = strlen(names);
            (void)snprintf(names + len, sizeof(names) - len, "%s%s", len == 0 ? "" : ", ", name);
            suggest_consider(&suggestion, name);
        }
    }
    describe_suggestion(&suggestion, group, hint, sizeof(hint));
    if (word[0] == '\0')
        (void)usage_refuse(usage, "%s needs a subcommand: one of %s.", group, names);
    else
        (void)usage_refuse(usage, "%s has no subcommand \"%.64s\"; it has %s.%s", group, word, names, hint);
    return NULL;
}

static const struct command *refuse_command(const struct command *const *commands, const char *word,
                                            struct usage *usage)
{
    char hint[64];
    struct suggestion suggestion;

    suggest_begin(&suggestion, word);
    for (size_t i = 0; commands[i] != NULL; i++)
        if (!commands[i]->hidden && command_words(commands[i]) == 1)
            suggest_consider(&suggestion, commands[i]->name);
    suggest_consider(&suggestion, "table");
    suggest_consider(&suggestion, "lease");
    for (size_t i = 0; suggestion.best == NULL && i < sizeof(other_names) / sizeof(other_names[0]); i++)
        if (strcmp(word, other_names[i][0]) == 0)
            suggestion.best = other_names[i][1];
    describe_suggestion(&suggestion, "", hint, sizeof(hint));
    (void)usage_refuse(usage, "There is no command \"%.64s\".%s", word, hint);
    return NULL;
}

static const struct command *command_in_group(const struct command *const *commands, const struct command_line *line)
{
    for (size_t i = 0; commands[i] != NULL && line->count > 1; i++) {
        const char *name = name_in_group(commands[i], line->words[0]);
        if (name != NULL && strcmp(name, line->words[1]) == 0)
            return commands[i];
    }
    return NULL;
}

const struct command *find_command(const struct command *const *commands, const struct command_line *line,
                                   struct usage *usage)
{
    const char *word = line->words[0];
    const struct command *of_one = command_named(commands, word);
    const struct command *of_two = command_in_group(commands, line);

    if (of_one != NULL && (of_two == NULL || (line->has_program && of_one->runs_program)))
        return of_one;
    if (of_two != NULL)
        return of_two;
    return is_command_group(commands, word)
               ? refuse_in_group(commands, word, line->count > 1 ? line->words[1] : "", usage)
               : refuse_command(commands, word, usage);
}
