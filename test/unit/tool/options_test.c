/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
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
static const struct command *const some[] = {&put, &ls, &table_ls, &table_show, NULL};

static bool parse(struct options *options, struct usage *usage, const char *first, ...)
{
    char *argv[32] = {(char *)(uintptr_t) "oscommit"};
    int argc = 1;
    va_list args;

    va_start(args, first);
    for (const char *arg = first; arg != NULL; arg = va_arg(args, const char *))
        argv[argc++] = (char *)(uintptr_t)arg;
    va_end(args);
    memset(usage, 0, sizeof(*usage));
    return options_parse(argc, argv, some, options, usage);
}

#define ASSERT_REFUSED(sentence, ...)                                       \
    do {                                                                    \
        struct options options_;                                            \
        struct usage usage_;                                                \
        assert_false(parse(&options_, &usage_, __VA_ARGS__, (char *)NULL)); \
        assert_string_equal(usage_.message, sentence);                      \
    } while (0)

TEST(flags_may_stand_anywhere_and_a_dash_is_an_operand)
{
    struct options options;
    struct usage usage;

    assert_true(
        parse(&options, &usage, "--ttl-s", "900", "put", "-", "--json", "s3://b/k", "--if-match=\"e\"", (char *)NULL));
    assert_ptr_equal(options.command, &put);
    assert_int_equal(options.operand_count, 2);
    assert_string_equal(options.operand[0], "-");
    assert_string_equal(options.operand[1], "s3://b/k");
    assert_int_equal(options_number(&options, OPTION_TTL_S), 900);
    assert_true(options_on(&options, OPTION_JSON));
    assert_string_equal(options_text(&options, OPTION_IF_MATCH), "\"e\"");
    assert_null(options_text(&options, OPTION_LEDGER));
}

TEST(two_words_name_a_command_of_a_group)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "table", "show", "k", (char *)NULL));
    assert_ptr_equal(options.command, &table_show);
    assert_int_equal(options.operand_count, 1);
    assert_string_equal(options.operand[0], "k");
    ASSERT_REFUSED("table needs a subcommand: one of ls, show.", "table");
    ASSERT_REFUSED("table has no subcommand \"drop\"; it has ls, show.", "table", "drop");
    ASSERT_REFUSED("There is no command \"xyz\".", "xyz");
}

TEST(two_dashes_end_the_flags)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "put", "--", "--json", "-v", (char *)NULL));
    assert_string_equal(options.operand[0], "--json");
    assert_string_equal(options.operand[1], "-v");
    assert_false(options_on(&options, OPTION_JSON));
}

TEST(short_switches_join_and_repeat)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "ls", "-qv", "-v", (char *)NULL));
    assert_true(options_on(&options, OPTION_QUIET));
    assert_int_equal(options.given[OPTION_VERBOSE], 2);
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
    ASSERT_REFUSED("There are too many operands: \"9\" and all after it.", "put", "2", "3", "4", "5", "6", "7", "8",
                   "9");
}

TEST(numbers_are_plain_and_in_bounds)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "ls", "--ttl-s", "18446744073709551615", (char *)NULL));
    assert_true(options_number(&options, OPTION_TTL_S) == UINT64_MAX);
    assert_true(parse(&options, &usage, "ls", "--length-s", "4294967295", (char *)NULL));
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

TEST(choices_are_those_of_the_list)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "ls", "--fences", "off", (char *)NULL));
    assert_int_equal(options_choice(&options, OPTION_FENCES), 2);
    assert_int_equal(options_choice(&options, OPTION_SIGNATURE), 0);
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

TEST(metadata_is_kept_in_order_and_bounded)
{
    char *argv[4 + 2 * (METADATA_MAX + 1)] = {(char *)(uintptr_t) "oscommit", (char *)(uintptr_t) "put",
                                              (char *)(uintptr_t) "f", (char *)(uintptr_t) "k"};
    struct options options;
    struct usage usage = {0};
    int argc = 4;

    assert_true(parse(&options, &usage, "put", "f", "k", "--metadata", "a=1", "--metadata", "b=", (char *)NULL));
    assert_int_equal(options.metadata_count, 2);
    assert_string_equal(options.metadata[0], "a=1");
    assert_string_equal(options.metadata[1], "b=");
    ASSERT_REFUSED("--metadata wants NAME=VALUE, not \"=b\".", "put", "f", "k", "--metadata", "=b");
    ASSERT_REFUSED("--metadata wants NAME=VALUE, not \"b\".", "put", "f", "k", "--metadata", "b");
    for (int i = 0; i <= METADATA_MAX; i++) {
        argv[argc++] = (char *)(uintptr_t) "--metadata";
        argv[argc++] = (char *)(uintptr_t) "n=v";
    }
    assert_true(options_parse(argc - 2, argv, some, &options, &usage));
    assert_false(options_parse(argc, argv, some, &options, &usage));
    assert_string_equal(usage.message, "--metadata may be given at most 64 times.");
}

TEST(tags_are_kept_in_order_and_bounded)
{
    struct options options;
    struct usage usage = {0};

    assert_true(
        parse(&options, &usage, "put", "f", "k", "--tag", "A b=1=2", "--metadata", "m=3", "--tag", "c=", (char *)NULL));
    assert_int_equal(options.tag_count, 2);
    assert_string_equal(options.tags[0], "A b=1=2");
    assert_string_equal(options.tags[1], "c=");
    assert_int_equal(options.metadata_count, 1);
    ASSERT_REFUSED("--tag wants NAME=VALUE, not \"b\".", "put", "f", "k", "--tag", "b");
    ASSERT_REFUSED("--tag may be given at most 10 times.", "put", "f", "k", "--tag", "a=", "--tag", "b=", "--tag",
                   "c=", "--tag", "d=", "--tag", "e=", "--tag", "f=", "--tag", "g=", "--tag", "h=", "--tag",
                   "i=", "--tag", "j=", "--tag", "k=");
}

TEST(help_needs_no_operands_and_no_command)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "put", "--help", (char *)NULL));
    assert_ptr_equal(options.command, &put);
    assert_true(parse(&options, &usage, "-h", (char *)NULL));
    assert_null(options.command);
    assert_true(parse(&options, &usage, "--version", (char *)NULL));
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

TEST(every_setting_is_asked_for_with_the_help_alone)
{
    struct options options;
    struct usage usage;

    assert_true(parse(&options, &usage, "put", "--help", "--all", (char *)NULL));
    ASSERT_REFUSED("--all needs --help.", "ls", "--all");
    assert_true(parse(&options, &usage, "table", "--help", (char *)NULL));
    assert_null(options.command);
    assert_string_equal(options.group, "table");
}

TEST(a_bad_flag_still_tells_which_command_was_meant)
{
    struct options options;
    struct usage usage;

    assert_false(parse(&options, &usage, "put", "f", "--nonsense", "k", (char *)NULL));
    assert_ptr_equal(options.command, &put);
    assert_string_equal(usage.message, "There is no flag --nonsense.");
}

static int clear_environment(void **state)
{
    (void)state;
    return clearenv();
}

TEST_BETWEEN(clear_environment, NULL, a_variable_gives_what_the_command_line_left_open)
{
    struct options options;
    struct usage usage;
    char name[64];

    option_variable(OPTION_MAX_CLOCK_SKEW_RATE, name, sizeof(name));
    assert_string_equal(name, "OSCOMMIT_MAX_CLOCK_SKEW_RATE");
    (void)setenv("OSCOMMIT_STORE", "s3://env", 1);
    (void)setenv("OSCOMMIT_LEDGER", "dynamodb://env", 1);
    (void)setenv("OSCOMMIT_REGION", "", 1);
    (void)setenv("OSCOMMIT_CHECK_TABLE", "1", 1);
    assert_true(parse(&options, &usage, "ls", "--store", "s3://flag", (char *)NULL));
    assert_true(options_take_environment(&options, &usage));
    assert_string_equal(options_text(&options, OPTION_STORE), "s3://flag");
    assert_false(options.from_environment[OPTION_STORE]);
    assert_string_equal(options_text(&options, OPTION_LEDGER), "dynamodb://env");
    assert_true(options.from_environment[OPTION_LEDGER]);
    assert_null(options_text(&options, OPTION_REGION));
    assert_true(options_on(&options, OPTION_CHECK_TABLE));
}

TEST_BETWEEN(clear_environment, NULL, a_bad_variable_is_named)
{
    struct options options;
    struct usage usage;

    (void)setenv("OSCOMMIT_TTL_S", "soon", 1);
    assert_true(parse(&options, &usage, "ls", (char *)NULL));
    assert_false(options_take_environment(&options, &usage));
    assert_string_equal(usage.message,
                        "OSCOMMIT_TTL_S must be a whole number from 1 to 18446744073709551615, not \"soon\".");
    assert_true(parse(&options, &usage, "ls", "--ttl-s", "900", (char *)NULL));
    assert_true(options_take_environment(&options, &usage));
    (void)setenv("OSCOMMIT_CHECK_TABLE", "yes", 1);
    assert_true(parse(&options, &usage, "ls", "--ttl-s", "900", (char *)NULL));
    assert_false(options_take_environment(&options, &usage));
    assert_string_equal(usage.message, "OSCOMMIT_CHECK_TABLE must be 0 or 1, not \"yes\".");
}

TEST_BETWEEN(clear_environment, NULL, how_the_tool_speaks_is_no_business_of_the_environment)
{
    struct options options;
    struct usage usage;

    (void)setenv("OSCOMMIT_JSON", "1", 1);
    (void)setenv("OSCOMMIT_IF_MATCH", "e", 1);
    assert_true(parse(&options, &usage, "put", "f", "k", (char *)NULL));
    assert_true(options_take_environment(&options, &usage));
    assert_false(options_on(&options, OPTION_JSON));
    assert_null(options_text(&options, OPTION_IF_MATCH));
}
