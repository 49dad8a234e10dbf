/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status nothing(const struct options *options)
{
    (void)options;
    return STATUS_DONE;
}

static const enum option_id put_options[] = {OPTION_IF_ABSENT, OPTION_IF_MATCH, OPTION_METADATA, OPTION_TAG,
                                             OPTION_COUNT};
static const struct command put = {.name = "put",
                                   .operands = "FILE|- URL",
                                   .options = put_options,
                                   .min_operands = 2,
                                   .max_operands = 2,
                                   .run = nothing};
static const enum option_id ls_options[] = {OPTION_MAX_KEYS, OPTION_COUNT};
static const struct command ls = {
    .name = "ls", .operands = "[URL]", .options = ls_options, .max_operands = 1, .run = nothing};
static const struct command table_ls = {.name = "table ls", .operands = "", .run = nothing};
static const struct command table_show = {
    .name = "table show", .operands = "KEY", .min_operands = 1, .max_operands = 1, .run = nothing};
static const struct command update = {.name = "update",
                                      .operands = "URL -- PROGRAM",
                                      .min_operands = 1,
                                      .max_operands = 1,
                                      .runs_program = true,
                                      .run = nothing};
static const struct command *const some[] = {&put, &ls, &table_ls, &table_show, &update, NULL};

struct parsed {
    char *argv[32];
    struct options options;
    struct usage usage;
};

static void parsed_set_up(struct parsed *parsed)
{
    memset(parsed, 0x5a, sizeof(*parsed)); /* the parser has to set what it gives */
    assert_int_equal(clearenv(), 0);
}

static void parsed_tear_down(struct parsed *parsed)
{
    (void)parsed;
}

static bool parse(struct parsed *ret, const char *first, ...)
{
    char **argv = ret->argv; /* a program stays in it */
    int argc = 1;
    va_list args;

    memset(ret->argv, 0, sizeof(ret->argv));
    argv[0] = (char *)(uintptr_t) "oscommit";
    va_start(args, first);
    for (const char *arg = first; arg != NULL; arg = va_arg(args, const char *))
        argv[argc++] = (char *)(uintptr_t)arg;
    va_end(args);
    memset(&ret->usage, 0, sizeof(ret->usage));
    return options_parse(argc, argv, some, &ret->options, &ret->usage);
}

#define PARSE(...) parse(parsed, __VA_ARGS__, (char *)NULL)
#define ASSERT_REFUSED(sentence, ...)                             \
    do {                                                          \
        struct parsed refused;                                    \
        assert_false(parse(&refused, __VA_ARGS__, (char *)NULL)); \
        assert_string_equal(refused.usage.message, sentence);     \
    } while (0)

TEST_WITH(parsed, flags_may_stand_anywhere_and_a_dash_is_an_operand)
{
    assert_true(PARSE("--ttl-s", "900", "put", "-", "--json", "s3://b/k", "--if-match=\"e\""));
    assert_ptr_equal(parsed->options.command, &put);
    assert_int_equal(parsed->options.operand_count, 2);
    assert_string_equal(parsed->options.operand[0], "-");
    assert_string_equal(parsed->options.operand[1], "s3://b/k");
    assert_int_equal(options_number(&parsed->options, OPTION_TTL_S), 900);
    assert_true(options_on(&parsed->options, OPTION_JSON));
    assert_string_equal(options_text(&parsed->options, OPTION_IF_MATCH), "\"e\"");
    assert_null(options_text(&parsed->options, OPTION_LEDGER));
}

TEST_WITH(parsed, two_words_name_a_command_of_a_group)
{
    assert_true(PARSE("table", "show", "k"));
    assert_ptr_equal(parsed->options.command, &table_show);
    assert_int_equal(parsed->options.operand_count, 1);
    assert_string_equal(parsed->options.operand[0], "k");
    ASSERT_REFUSED("table needs a subcommand: one of ls, show.", "table");
    ASSERT_REFUSED("table has no subcommand \"drop\"; it has ls, show.", "table", "drop");
    ASSERT_REFUSED("There is no command \"xyz\".", "xyz");
}

TEST_WITH(parsed, two_dashes_end_the_flags)
{
    assert_true(PARSE("put", "--", "--json", "-v"));
    assert_string_equal(parsed->options.operand[0], "--json");
    assert_string_equal(parsed->options.operand[1], "-v");
    assert_false(options_on(&parsed->options, OPTION_JSON));
}

TEST_WITH(parsed, behind_two_dashes_stands_a_program)
{
    assert_true(PARSE("--json", "update", "k", "-q", "--", "p", "--json", "--", "1", "2", "3", "4", "5", "6", "7"));
    assert_ptr_equal(parsed->options.command, &update);
    assert_int_equal(parsed->options.operand_count, 1);
    assert_string_equal(parsed->options.program[0], "p");
    assert_string_equal(parsed->options.program[2], "--");
    assert_string_equal(parsed->options.program[9], "7");
    assert_null(parsed->options.program[10]);
    assert_int_equal(parsed->options.given[OPTION_JSON], 1);
    assert_true(options_on(&parsed->options, OPTION_QUIET));
    assert_true(PARSE("put", "--", "-", "k"));
    assert_null(parsed->options.program);
}

TEST(a_program_that_is_missing_is_asked_for)
{
    ASSERT_REFUSED("update needs a program behind --: URL -- PROGRAM", "update", "k");
    ASSERT_REFUSED("update needs a program behind --: URL -- PROGRAM", "update", "k", "--");
    ASSERT_REFUSED("update needs operands: URL -- PROGRAM", "update", "--", "k");
    ASSERT_REFUSED("There is no command \"updat\". Did you mean \"update\"?", "updat", "k", "--", "p");
}

TEST_WITH(parsed, short_switches_join_and_repeat)
{
    assert_true(PARSE("ls", "-qv", "-v"));
    assert_true(options_on(&parsed->options, OPTION_QUIET));
    assert_int_equal(parsed->options.given[OPTION_VERBOSE], 2);
    ASSERT_REFUSED("There is no flag -x.", "ls", "-vx");
}

TEST(bad_usage_is_said_in_a_sentence)
{
    ASSERT_REFUSED("A command is missing.", "--json");
    ASSERT_REFUSED("There is no flag --jsno. Did you mean --json?", "ls", "--jsno");
    ASSERT_REFUSED("There is no flag --jsno. Did you mean --json?", "ls", "--jsno=1");
    ASSERT_REFUSED("--json takes no value.", "ls", "--json=1");
    ASSERT_REFUSED("--ledger needs a value (URL).", "ls", "--ledger");
    ASSERT_REFUSED("--ledger has an empty value; leave it out instead.", "ls", "--ledger", "");
    ASSERT_REFUSED("--if-match has an empty value; leave it out instead.", "put", "f", "k", "--if-match", "");
    ASSERT_REFUSED("ls does not accept --if-absent.", "ls", "--if-absent");
    ASSERT_REFUSED("--if-absent and --if-match exclude each other.", "put", "f", "k", "--if-absent", "--if-match", "e");
    ASSERT_REFUSED("put needs operands: FILE|- URL", "put", "f");
    ASSERT_REFUSED("ls takes [URL]; \"b\" is one too many.", "ls", "a", "b");
    ASSERT_REFUSED("table ls takes no operands; \"b\" is one too many.", "table", "ls", "b");
}

/* The command's name is counted with them. */
TEST(operands_have_an_end)
{
    static char names[OPERANDS_MAX + 2][8];
    char *argv[OPERANDS_MAX + 3] = {(char *)"oscommit", (char *)"put"};
    static struct parsed refused;
    for (size_t i = 2; i < OPERANDS_MAX + 3; i++) {
        (void)snprintf(names[i - 2], sizeof(names[i - 2]), "%zu", i - 1);
        argv[i] = names[i - 2];
    }
    assert_false(options_parse(OPERANDS_MAX + 3, argv, some, &refused.options, &refused.usage));
    assert_string_equal(refused.usage.message, "There are too many operands: \"256\" and all after it.");
}

TEST_WITH(parsed, numbers_are_plain_and_in_bounds)
{
    assert_true(PARSE("ls", "--ttl-s", "18446744073709551615"));
    assert_true(options_number(&parsed->options, OPTION_TTL_S) == UINT64_MAX);
    assert_true(PARSE("ls", "--length-s", "4294967295"));
    ASSERT_REFUSED("--ttl-s must be a whole number from 1 to 18446744073709551615, not \"18446744073709551616\".", "ls",
                   "--ttl-s", "18446744073709551616");
    ASSERT_REFUSED("--length-s must be a whole number from 1 to 4294967295, not \"4294967296\".", "ls", "--length-s",
                   "4294967296");
    ASSERT_REFUSED("--max-keys must be a whole number from 1 to 18446744073709551615, not \"0\".", "ls", "--max-keys",
                   "0");
    ASSERT_REFUSED("--margin-s must be a whole number from 1 to 4294967295, not \"-1\".", "ls", "--margin-s", "-1");
    ASSERT_REFUSED("--margin-s must be a whole number from 1 to 4294967295, not \" 1\".", "ls", "--margin-s", " 1");
    ASSERT_REFUSED("--margin-s must be a whole number from 1 to 4294967295, not \"1s\".", "ls", "--margin-s", "1s");
}

TEST_WITH(parsed, choices_are_those_of_the_list)
{
    assert_true(PARSE("ls", "--fences", "off"));
    assert_int_equal(options_choice(&parsed->options, OPTION_FENCES), 2);
    assert_int_equal(options_choice(&parsed->options, OPTION_SIGNATURE), 0);
    ASSERT_REFUSED("--fences must be one of auto|on|off, not \"o\".", "ls", "--fences", "o");
    ASSERT_REFUSED("--fences must be one of auto|on|off, not \"auto|on\".", "ls", "--fences", "auto|on");
    ASSERT_REFUSED("--signature must be one of v4|v2, not \"V2\".", "ls", "--signature", "V2");
}

TEST(there_is_no_flag_for_a_secret)
{
    static const char sentence[] =
        "There are no flags for credentials, because a command line is visible to every user of the "
        "machine: use --profile or the AWS_* variables.";

    ASSERT_REFUSED(sentence, "ls", "--secret-access-key", "x");
    ASSERT_REFUSED(sentence, "ls", "--access-key-id=x");
    ASSERT_REFUSED(sentence, "ls", "--session-token", "x");
    for (int id = 0; id < OPTION_COUNT; id++) {
        assert_null(strstr(option_table[id].name, "secret"));
        assert_null(strstr(option_table[id].name, "token"));
        assert_null(strstr(option_table[id].name, "key-id"));
        assert_null(strstr(option_table[id].name, "password"));
    }
}

TEST_WITH(parsed, metadata_is_kept_in_order_and_bounded)
{
    char *argv[4 + 2 * (METADATA_MAX + 1)] = {(char *)(uintptr_t) "oscommit", (char *)(uintptr_t) "put",
                                              (char *)(uintptr_t) "f", (char *)(uintptr_t) "k"};
    int argc = 4;

    assert_true(PARSE("put", "f", "k", "--metadata", "a=1", "--metadata", "b="));
    assert_int_equal(parsed->options.metadata_count, 2);
    assert_string_equal(parsed->options.metadata[0], "a=1");
    assert_string_equal(parsed->options.metadata[1], "b=");
    ASSERT_REFUSED("--metadata wants NAME=VALUE, not \"=b\".", "put", "f", "k", "--metadata", "=b");
    ASSERT_REFUSED("--metadata wants NAME=VALUE, not \"b\".", "put", "f", "k", "--metadata", "b");
    for (int i = 0; i <= METADATA_MAX; i++) {
        argv[argc++] = (char *)(uintptr_t) "--metadata";
        argv[argc++] = (char *)(uintptr_t) "n=v";
    }
    assert_true(options_parse(argc - 2, argv, some, &parsed->options, &parsed->usage));
    assert_false(options_parse(argc, argv, some, &parsed->options, &parsed->usage));
    assert_string_equal(parsed->usage.message, "--metadata may be given at most 64 times.");
}

TEST_WITH(parsed, tags_are_kept_in_order_and_bounded)
{
    assert_true(PARSE("put", "f", "k", "--tag", "A b=1=2", "--metadata", "m=3", "--tag", "c="));
    assert_int_equal(parsed->options.tag_count, 2);
    assert_string_equal(parsed->options.tags[0], "A b=1=2");
    assert_string_equal(parsed->options.tags[1], "c=");
    assert_int_equal(parsed->options.metadata_count, 1);
    ASSERT_REFUSED("--tag wants NAME=VALUE, not \"b\".", "put", "f", "k", "--tag", "b");
    ASSERT_REFUSED("--tag may be given at most 10 times.", "put", "f", "k", "--tag", "a=", "--tag", "b=", "--tag",
                   "c=", "--tag", "d=", "--tag", "e=", "--tag", "f=", "--tag", "g=", "--tag", "h=", "--tag",
                   "i=", "--tag", "j=", "--tag", "k=");
}

TEST_WITH(parsed, help_needs_no_operands_and_no_command)
{
    assert_true(PARSE("put", "--help"));
    assert_ptr_equal(parsed->options.command, &put);
    assert_true(PARSE("-h"));
    assert_null(parsed->options.command);
    assert_true(PARSE("--version"));
}

TEST(a_word_that_is_near_is_suggested)
{
    ASSERT_REFUSED("There is no command \"putt\". Did you mean \"put\"?", "putt");
    ASSERT_REFUSED("There is no command \"sl\". Did you mean \"ls\"?", "sl");
    ASSERT_REFUSED("There is no command \"tab\". Did you mean \"table\"?", "tab");
    ASSERT_REFUSED("There is no command \"upload\". Did you mean \"put\"?", "upload");
    ASSERT_REFUSED("There is no command \"frobnicate\".", "frobnicate", "--help");
    ASSERT_REFUSED("table has no subcommand \"shwo\"; it has ls, show. Did you mean \"table show\"?", "table", "shwo");
    ASSERT_REFUSED("There is no flag --if-absnt. Did you mean --if-absent?", "put", "f", "k", "--if-absnt");
    ASSERT_REFUSED("There is no flag --if-absnt.", "ls", "--if-absnt"); /* which ls does not have */
    ASSERT_REFUSED("There is no flag --if-absnt. Did you mean --if-absent?", "--if-absnt", "put", "f", "k");
    ASSERT_REFUSED("There is no flag -json. Did you mean --json?", "ls", "-json");
    ASSERT_REFUSED("There is no flag --x.", "ls", "--x");
}

TEST_WITH(parsed, every_setting_is_asked_for_with_the_help_alone)
{
    assert_true(PARSE("put", "--help", "--all"));
    ASSERT_REFUSED("--all needs --help.", "ls", "--all");
    assert_true(PARSE("table", "--help"));
    assert_null(parsed->options.command);
    assert_string_equal(parsed->options.group, "table");
}

TEST_WITH(parsed, a_bad_flag_still_tells_which_command_was_meant)
{
    assert_false(PARSE("put", "f", "--nonsense", "k"));
    assert_ptr_equal(parsed->options.command, &put);
    assert_string_equal(parsed->usage.message, "There is no flag --nonsense.");
}

TEST_WITH(parsed, a_variable_gives_what_the_command_line_left_open)
{
    char name[64];

    option_variable(OPTION_MAX_CLOCK_SKEW_RATE, name, sizeof(name));
    assert_string_equal(name, "OSCOMMIT_MAX_CLOCK_SKEW_RATE");
    (void)setenv("OSCOMMIT_STORE", "s3://env", 1);
    (void)setenv("OSCOMMIT_LEDGER", "dynamodb://env", 1);
    (void)setenv("OSCOMMIT_REGION", "", 1);
    (void)setenv("OSCOMMIT_CHECK_TABLE", "1", 1);
    assert_true(PARSE("ls", "--store", "s3://flag"));
    assert_true(options_take_environment(&parsed->options, &parsed->usage));
    assert_string_equal(options_text(&parsed->options, OPTION_STORE), "s3://flag");
    assert_int_equal(parsed->options.distance[OPTION_STORE], 0);
    assert_string_equal(options_text(&parsed->options, OPTION_LEDGER), "dynamodb://env");
    assert_int_equal(parsed->options.distance[OPTION_LEDGER], DISTANCE_VARIABLE);
    assert_null(options_text(&parsed->options, OPTION_REGION));
    assert_true(options_on(&parsed->options, OPTION_CHECK_TABLE));
}

TEST_WITH(parsed, a_bad_variable_is_named)
{
    (void)setenv("OSCOMMIT_TTL_S", "soon", 1);
    assert_true(PARSE("ls"));
    assert_false(options_take_environment(&parsed->options, &parsed->usage));
    assert_string_equal(parsed->usage.message,
                        "OSCOMMIT_TTL_S must be a whole number from 1 to 18446744073709551615, not \"soon\".");
    assert_true(PARSE("ls", "--ttl-s", "900"));
    assert_true(options_take_environment(&parsed->options, &parsed->usage));
    (void)setenv("OSCOMMIT_CHECK_TABLE", "yes", 1);
    assert_true(PARSE("ls", "--ttl-s", "900"));
    assert_false(options_take_environment(&parsed->options, &parsed->usage));
    assert_string_equal(parsed->usage.message, "OSCOMMIT_CHECK_TABLE must be 1 (on) or 0 (off), not \"yes\".");
}

TEST_WITH(parsed, how_the_tool_speaks_is_no_business_of_the_environment)
{
    (void)setenv("OSCOMMIT_JSON", "1", 1);
    (void)setenv("OSCOMMIT_IF_MATCH", "e", 1);
    assert_true(PARSE("put", "f", "k"));
    assert_true(options_take_environment(&parsed->options, &parsed->usage));
    assert_false(options_on(&parsed->options, OPTION_JSON));
    assert_null(options_text(&parsed->options, OPTION_IF_MATCH));
}
