/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "cli/find_command.h"
#include "cli/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const struct command *const *commands;
    int argc;
    char **argv;
    int next;
    struct options *options;
    struct usage *usage;
};

static const struct option_spec *spec_of(enum option_id id)
{
    return &option_table[id];
}

static enum option_id find_name(const char *name, size_t len)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (strlen(option_table[id].name) == len && strncmp(option_table[id].name, name, len) == 0)
            return (enum option_id)id;
    return OPTION_COUNT;
}

static enum option_id find_letter(char letter)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (letter != '\0' && option_table[id].letter == letter)
            return (enum option_id)id;
    return OPTION_COUNT;
}

/* The index of `value` among "auto|on|off", or -1. */
static int choice_index(const char *choices, const char *value)
{
    size_t len = strlen(value);
    int index = 0;

    while (true) {
        size_t part = strcspn(choices, "|");
        if (part == len && strncmp(choices, value, len) == 0)
            return index;
        if (choices[part] == '\0')
            return -1;
        choices += part + 1;
        index++;
    }
}

/* Decimal digits only: strtoull would take signs and blanks. */
static bool parse_number(const char *text, uint64_t *ret)
{
    uint64_t value = 0;

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return true;
}

bool option_check(enum option_id id, const char *source, const char *value, struct usage *usage)
{
    const struct option_spec *spec = spec_of(id);
    uint64_t number;

    if (value[0] == '\0')
        return usage_refuse(usage, "%s has an empty value; leave it out instead.", source);
    if (spec->kind == OPTION_KIND_NUMBER && (!parse_number(value, &number) || number == 0 || number > spec->max)) {
        return usage_refuse(usage, "%s must be a whole number from 1 to %llu, not \"%.64s\".", source,
                            (unsigned long long)spec->max, value);
    }
    if (spec->kind == OPTION_KIND_CHOICE && choice_index(spec->operand, value) < 0)
        return usage_refuse(usage, "%s must be one of %s, not \"%.64s\".", source, spec->operand, value);
    return true;
}

/* "NAME=VALUE" of a flag that may be given up to `max` times. */
static bool add_pair(struct parser *parser, enum option_id id, const char *value, const char **list, size_t *count,
                     int max)
{
    const char *flag = option_table[id].name;
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value)
        return usage_refuse(parser->usage, "--%s wants NAME=VALUE, not \"%.64s\".", flag, value);
    if (*count == (size_t)max)
        return usage_refuse(parser->usage, "--%s may be given at most %d times.", flag, max);
    list[(*count)++] = value;
    return true;
}

static bool add_repeated(struct parser *parser, enum option_id id, const char *value)
{
    struct options *options = parser->options;

    if (id == OPTION_METADATA)
        return add_pair(parser, id, value, options->metadata, &options->metadata_count, METADATA_MAX);
    if (id == OPTION_TAG)
        return add_pair(parser, id, value, options->tags, &options->tag_count, TAGS_MAX);
    if (id == OPTION_PARTITION)
        return add_pair(parser, id, value, options->partitions, &options->partition_count, PARTITIONS_MAX);
    return true;
}

static bool set_option(struct parser *parser, enum option_id id, const char *source, const char *value)
{
    const struct option_spec *spec = spec_of(id);

    if (spec->kind != OPTION_KIND_SWITCH) {
        if (!option_check(id, source, value, parser->usage))
            return false;
        if (!add_repeated(parser, id, value))
            return false;
        parser->options->value[id] = value;
    }
    parser->options->given[id]++;
    return true;
}

static const struct command *named_command(const struct parser *parser, bool has_program, struct usage *usage)
{
    const struct options *options = parser->options;
    const struct command_line line = {options->operand, options->operand_count, has_program};

    return options->operand_count == 0 ? NULL : find_command(parser->commands, &line, usage);
}

/* Of the flags of the command, where that stands in front of the flag. */
static const char *nearest_flag(const struct parser *parser, const char *word)
{
    struct usage unused = {0};
    const struct command *command = named_command(parser, false, &unused);
    struct suggestion suggestion;

    suggest_begin(&suggestion, word);
    for (int id = 0; id < OPTION_COUNT; id++)
        if (command == NULL || option_is_of(command, (enum option_id)id))
            suggest_consider(&suggestion, option_table[id].name);
    return suggestion.best;
}

static bool refuse_flag(struct parser *parser, const char *arg)
{
    char flag[64];
    const char *near;

    (void)snprintf(flag, sizeof(flag), "%.*s", (int)strcspn(arg, "="), arg);
    near = nearest_flag(parser, flag + strspn(flag, "-"));
    return usage_refuse(parser->usage, "There is no flag %s.%s%s%s", flag, near == NULL ? "" : " Did you mean --",
                        near == NULL ? "" : near, near == NULL ? "" : "?");
}

/* Secrets on a command line are seen by every user (ps), so somebody who looks for such a flag is told where they
 * belong. */
static bool refuse_unknown(struct parser *parser, const char *arg)
{
    static const char *const secrets[] = {"--access-key", "--secret", "--session-token",
                                          "--password",   "--token",  "--aws-"};

    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        if (strncmp(arg, secrets[i], strlen(secrets[i])) == 0) {
            return usage_refuse(parser->usage,
                                "There are no flags for credentials, because a command line is visible to every "
                                "user of the machine: use --profile or the AWS_* variables.");
        }
    }
    return refuse_flag(parser, arg);
}

static bool parse_long(struct parser *parser, const char *arg)
{
    size_t len = strcspn(arg + 2, "=");
    enum option_id id = find_name(arg + 2, len);
    const char *value = arg[2 + len] == '=' ? arg + 2 + len + 1 : NULL;
    char source[64];

    if (id == OPTION_COUNT)
        return refuse_unknown(parser, arg);
    (void)snprintf(source, sizeof(source), "--%s", spec_of(id)->name);
    if (spec_of(id)->kind == OPTION_KIND_SWITCH) {
        return value == NULL ? set_option(parser, id, source, NULL)
                             : usage_refuse(parser->usage, "%s takes no value.", source);
    }
    if (value == NULL) {
        if (parser->next == parser->argc)
            return usage_refuse(parser->usage, "%s needs a value (%s).", source, spec_of(id)->operand);
        value = parser->argv[parser->next++];
    }
    return set_option(parser, id, source, value);
}

/* Every short flag is a switch, so "-qv" is two of them. */
static bool parse_short(struct parser *parser, const char *arg)
{
    for (const char *letter = arg + 1; *letter != '\0'; letter++) {
        enum option_id id = find_letter(*letter);
        if (id == OPTION_COUNT && letter == arg + 1 && arg[2] != '\0') /* "-json" */
            return refuse_flag(parser, arg);
        if (id == OPTION_COUNT) {
            return usage_refuse(parser->usage, "There is no flag -%c.",
                                isprint((unsigned char)*letter) ? *letter : '?');
        }
        if (!set_option(parser, id, arg, NULL))
            return false;
    }
    return true;
}

/* The first operand names the command, for some the first two do ("table create"). */
static bool choose_command(struct parser *parser)
{
    struct options *options = parser->options;
    size_t words;

    if (options->given[OPTION_HELP] > 0 && options->operand_count == 1 &&
        is_command_group(parser->commands, options->operand[0])) {
        options->group = options->operand[0];
        return true;
    }
    options->command = named_command(parser, options->program != NULL, parser->usage);
    if (options->command == NULL)
        return false;
    words = command_words(options->command);
    options->operand_count -= words;
    memmove(options->operand, options->operand + words, options->operand_count * sizeof(options->operand[0]));
    return true;
}

bool option_is_of(const struct command *command, enum option_id id)
{
    if (spec_of(id)->scope != OPTION_SCOPE_COMMAND)
        return true;
    for (const enum option_id *own = command->options; own != NULL && *own != OPTION_COUNT; own++)
        if (*own == id)
            return true;
    return false;
}

static bool check_against_command(struct parser *parser)
{
    const struct options *options = parser->options;
    const struct command *command = options->command;

    for (int id = 0; id < OPTION_COUNT; id++)
        if (options->given[id] > 0 && !option_is_of(command, (enum option_id)id))
            return usage_refuse(parser->usage, "%s does not accept --%s.", command->name, option_table[id].name);
    if (options->given[OPTION_IF_ABSENT] > 0 && options->given[OPTION_IF_MATCH] > 0)
        return usage_refuse(parser->usage, "--if-absent and --if-match exclude each other.");
    if (options->given[OPTION_HELP] > 0)
        return true;
    if (options->given[OPTION_ALL] > 0 && strcmp(command->name, "help") != 0 && strcmp(command->name, "config") != 0)
        return usage_refuse(parser->usage, "--all needs --help.");
    if (options->operand_count < command->min_operands)
        return usage_refuse(parser->usage, "%s needs operands: %s", command->name, command->operands);
    if (options->operand_count > command->max_operands) {
        return usage_refuse(parser->usage, "%s takes %s; \"%.64s\" is one too many.", command->name,
                            command->max_operands == 0 ? "no operands" : command->operands,
                            options->operand[command->max_operands]);
    }
    if (command->runs_program && options->program == NULL)
        return usage_refuse(parser->usage, "%s needs a program behind --: %s", command->name, command->operands);
    return true;
}

/* All that stands behind "--", flags too, where the command runs a program. */
static void take_program(struct parser *parser)
{
    struct options *options = parser->options;
    struct usage unused = {0};
    const struct command *command = named_command(parser, true, &unused);

    if (command == NULL || !command->runs_program || parser->next == parser->argc)
        return;
    options->program = parser->argv + parser->next;
    parser->next = parser->argc;
}

static bool parse_argument(struct parser *parser, const char *arg, bool *flags_ended)
{
    if (!*flags_ended && strcmp(arg, "--") == 0) {
        *flags_ended = true;
        take_program(parser);
        return true;
    }
    if (!*flags_ended && strncmp(arg, "--", 2) == 0)
        return parse_long(parser, arg);
    if (!*flags_ended && arg[0] == '-' && arg[1] != '\0')
        return parse_short(parser, arg);
    if (parser->options->operand_count == OPERANDS_MAX)
        return usage_refuse(parser->usage, "There are too many operands: \"%.64s\" and all after it.", arg);
    parser->options->operand[parser->options->operand_count++] = arg;
    return true;
}

bool options_parse(int argc, char **argv, const struct command *const *commands, struct options *ret,
                   struct usage *usage)
{
    struct parser parser = {
        .commands = commands, .argc = argc, .argv = argv, .next = 1, .options = ret, .usage = usage};
    bool flags_ended = false;
    bool good = true;

    memset(ret, 0, sizeof(*ret));
    ret->commands = commands;
    while (good && parser.next < argc) {
        const char *arg = argv[parser.next++];
        good = parse_argument(&parser, arg, &flags_ended);
    }
    if (ret->operand_count == 0) {
        bool asks = ret->given[OPTION_HELP] > 0 || ret->given[OPTION_VERSION] > 0;
        return good && (asks || usage_refuse(usage, "A command is missing."));
    }
    /* Also after a bad flag, so that the message can point to the command's own help. */
    return choose_command(&parser) && good && (ret->command == NULL || check_against_command(&parser));
}

void option_variable(enum option_id id, char *ret, size_t ret_size)
{
    (void)snprintf(ret, ret_size, "OSCOMMIT_%s", spec_of(id)->name);
    for (char *p = ret; *p != '\0'; p++)
        *p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
}

static bool take_variable(struct options *options, enum option_id id, struct usage *usage)
{
    const struct option_spec *spec = spec_of(id);
    char variable[64];
    const char *value;

    option_variable(id, variable, sizeof(variable));
    value = getenv(variable);
    if (value == NULL || value[0] == '\0')
        return true;
    if (spec->kind == OPTION_KIND_SWITCH) {
        if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
            return usage_refuse(usage, "%s must be 1 (on) or 0 (off), not \"%.64s\".", variable, value);
        options->given[id] = value[0] == '1' ? 1 : 0;
        options->distance[id] = DISTANCE_VARIABLE;
        return true;
    }
    if (!option_check(id, variable, value, usage))
        return false;
    options->value[id] = value;
    options->distance[id] = DISTANCE_VARIABLE;
    return true;
}

bool option_is_open(const struct options *options, enum option_id id)
{
    const struct option_spec *spec = spec_of(id);
    bool is_said = options->given[id] > 0 || options->value[id] != NULL || options->distance[id] > 0;

    return spec->scope == OPTION_SCOPE_SETTING && !spec->not_in_file && !is_said;
}

bool options_take_environment(struct options *options, struct usage *usage)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        bool open = option_table[id].scope == OPTION_SCOPE_SETTING && options->given[id] == 0;
        if (open && !take_variable(options, (enum option_id)id, usage))
            return false;
    }
    return true;
}

bool options_on(const struct options *options, enum option_id id)
{
    return options->given[id] > 0;
}

const char *options_text(const struct options *options, enum option_id id)
{
    return options->value[id];
}

uint64_t options_number(const struct options *options, enum option_id id)
{
    uint64_t number = 0;

    if (options->value[id] != NULL)
        (void)parse_number(options->value[id], &number); /* it was checked when it was taken */
    return number;
}

int options_choice(const struct options *options, enum option_id id)
{
    int index = options->value[id] == NULL ? 0 : choice_index(option_table[id].operand, options->value[id]);

    return index < 0 ? 0 : index;
}
