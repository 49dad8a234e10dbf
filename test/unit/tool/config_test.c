/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command head = {.name = "head"};
static const struct command put = {.name = "put", .reads_file = true};
static const struct command gc = {.name = "gc", .covers_keys = true};
static const struct command ls = {.name = "ls"};
static const struct command lock = {.name = "lock"};

struct file {
    struct config config;
    struct options options;
    struct usage usage;
};

static void file_set_up(struct file *file)
{
    file->options.command = &head;
}

static void file_tear_down(struct file *file)
{
    config_free(&file->config);
}

static bool read_text(struct file *file, const char *text)
{
    memset(&file->usage, 0, sizeof(file->usage));
    return config_read(strdup("FILE"), strdup(text), strlen(text), &file->config, &file->usage);
}

static bool apply(struct file *file, const char *first, const char *second)
{
    file->options.operand[0] = first;
    file->options.operand[1] = second;
    file->options.operand_count = second != NULL ? 2 : first != NULL ? 1 : 0;
    return config_apply(&file->config, &file->options, &file->usage);
}

static const char usual[] = "region = \"r\"\n"
                            "guard = \"record\"\n"
                            "forward-only = true\n"
                            "[store.\"s3://b/logs\"]\n"
                            "ledger = \"dynamodb://logs\"\n"
                            "forward-only = false\n"
                            "[store.\"s3://b\"]\n"
                            "ledger = \"dynamodb://all\"\n"
                            "length-s = 7\n"
                            "[profile.home]\n"
                            "region = \"h\"\n"
                            "store = \"s3://b/\"\n";

TEST_WITH(file, the_closest_section_counts)
{
    assert_true(read_text(file, usual));
    assert_true(apply(file, "s3://b/logs/1", NULL));
    assert_string_equal(options_text(&file->options, OPTION_LEDGER), "dynamodb://logs");
    assert_int_equal(options_number(&file->options, OPTION_LENGTH_S), 7);
    assert_string_equal(options_text(&file->options, OPTION_REGION), "r");
    assert_false(options_on(&file->options, OPTION_FORWARD_ONLY));
    assert_int_equal(file->options.in_file[OPTION_LEDGER]->line, 5);
    assert_int_equal(file->options.in_file[OPTION_LENGTH_S]->line, 9);
    assert_true(file->options.distance[OPTION_LEDGER] < file->options.distance[OPTION_LENGTH_S]);
    assert_true(file->options.distance[OPTION_LENGTH_S] < file->options.distance[OPTION_REGION]);
}

TEST_WITH(file, a_section_is_of_whole_parts_of_a_key)
{
    assert_true(read_text(file, usual));
    assert_true(apply(file, "s3://b/logs2", NULL));
    assert_string_equal(options_text(&file->options, OPTION_LEDGER), "dynamodb://all");
    assert_true(options_on(&file->options, OPTION_FORWARD_ONLY));
}

TEST_WITH(file, another_bucket_has_the_first_section_alone)
{
    assert_true(read_text(file, usual));
    assert_true(apply(file, "s3://bb/logs", NULL));
    assert_null(options_text(&file->options, OPTION_LEDGER));
    assert_string_equal(options_text(&file->options, OPTION_REGION), "r");
}

TEST_WITH(file, flags_and_variables_count_more)
{
    assert_true(read_text(file, usual));
    file->options.value[OPTION_LEDGER] = "dynamodb://flag";
    file->options.distance[OPTION_FORWARD_ONLY] = DISTANCE_VARIABLE; /* OSCOMMIT_FORWARD_ONLY=0 */
    assert_true(apply(file, "s3://b/x", NULL));
    assert_string_equal(options_text(&file->options, OPTION_LEDGER), "dynamodb://flag");
    assert_false(options_on(&file->options, OPTION_FORWARD_ONLY));
    assert_null(file->options.in_file[OPTION_LEDGER]);
}

/* E4.3: a store of files has its own. What is said for that store alone is left for the library to refuse. */
TEST_WITH(file, a_ledger_for_all_is_none_of_a_store_of_files)
{
    assert_true(read_text(file, "ledger = \"dynamodb://all\"\n[store.\"file:///srv/x\"]\nledger = \"dynamodb://x\"\n"));
    assert_true(apply(file, "file:///srv/y/1", NULL));
    assert_null(options_text(&file->options, OPTION_LEDGER));
    file->options.value[OPTION_LEDGER] = "dynamodb://variable";
    file->options.distance[OPTION_LEDGER] = DISTANCE_VARIABLE;
    assert_true(apply(file, "file:///srv/x/1", NULL));
    assert_null(options_text(&file->options, OPTION_LEDGER));
    file->options.value[OPTION_LEDGER] = "dynamodb://flag";
    assert_true(apply(file, "file:///srv/x/1", NULL));
    assert_string_equal(options_text(&file->options, OPTION_LEDGER), "dynamodb://flag");
}

TEST_WITH(file, a_profile_counts_more_than_a_store_and_may_name_one)
{
    assert_true(read_text(file, usual));
    file->options.value[OPTION_CONFIG_PROFILE] = "home";
    file->options.command = &put;
    assert_true(apply(file, "logs/a-file", "logs/2")); /* of two bare names put's first is a file */
    assert_string_equal(options_text(&file->options, OPTION_STORE), "s3://b/");
    assert_string_equal(options_text(&file->options, OPTION_LEDGER), "dynamodb://logs");
    assert_string_equal(options_text(&file->options, OPTION_REGION), "h");
}

TEST_WITH(file, a_profile_that_is_not_there_is_refused)
{
    assert_true(read_text(file, usual));
    file->options.value[OPTION_CONFIG_PROFILE] = "work";
    assert_false(apply(file, NULL, NULL));
    assert_string_equal(file->usage.message, "The config file FILE has no section [profile.work].");
    memset(&file->usage, 0, sizeof(file->usage));
    assert_false(config_apply(&(struct config){0}, &file->options, &file->usage));
    assert_string_equal(file->usage.message, "There is no config file, and so no profile \"work\" in it.");
}

TEST_WITH(file, two_operands_with_different_settings_are_refused)
{
    assert_true(read_text(file, usual));
    assert_false(apply(file, "s3://b/x", "s3://b/logs/x"));
    assert_non_null(strstr(file->usage.message, "different settings (ledger) for s3://b/x and s3://b/logs/x"));
    memset(&file->usage, 0, sizeof(file->usage));
    file->options.value[OPTION_LEDGER] = "dynamodb://flag";
    file->options.given[OPTION_FORWARD_ONLY] = 1;
    assert_true(apply(file, "s3://b/x", "s3://b/logs/x"));
}

TEST_WITH(file, what_covers_a_section_below_is_refused)
{
    assert_true(read_text(file, usual));
    file->options.command = &gc;
    assert_false(apply(file, "s3://b/lo", NULL));
    assert_non_null(strstr(file->usage.message, "settings of its own for s3://b/logs (line 4), which lies below"));
    memset(&file->usage, 0, sizeof(file->usage));
    assert_true(apply(file, "s3://b/logs", NULL));
    file->options.command = &ls;
    file->options.given[OPTION_RECURSIVE] = 1;
    assert_true(apply(file, "s3://b", NULL));
}

TEST_WITH(file, leases_are_of_no_store)
{
    assert_true(read_text(file, usual));
    file->options.command = &lock;
    file->options.value[OPTION_STORE] = "s3://b";
    assert_true(apply(file, "nightly", NULL));
    assert_null(options_text(&file->options, OPTION_LEDGER));
    assert_string_equal(options_text(&file->options, OPTION_REGION), "r");
}

TEST_WITH(file, a_store_alone_has_its_section)
{
    assert_true(read_text(file, usual));
    file->options.value[OPTION_STORE] = "s3://b//";
    assert_true(apply(file, NULL, NULL));
    assert_string_equal(options_text(&file->options, OPTION_LEDGER), "dynamodb://all");
}

static const struct {
    const char *name;
    const char *text;
    const char *sentence;
} refused[] = {
    {.name = "syntax", .text = "a", .sentence = "FILE:1: = and a value are expected behind the key."},
    {.name = "no UTF-8", .text = "# \xff", .sentence = "The config file FILE is not UTF-8."},
    {.name = "unknown",
     .text = "\nregoin=\"x\"",
     .sentence = "FILE:2: there is no setting \"regoin\". Did you mean region?"},
    {.name = "unlike any", .text = "zzzzzz=1", .sentence = "FILE:1: there is no setting \"zzzzzz\"."},
    {.name = "what chooses the file", .text = "config=\"x\"", .sentence = "FILE:1: there is no setting \"config\"."},
    {.name = "no setting", .text = "if-absent=true", .sentence = "FILE:1: there is no setting \"if-absent\"."},
    {.name = "a table", .text = "[stores]", .sentence = "FILE:1: a section is [store.\"URL\"] or [profile.NAME]."},
    {.name = "a store without a URL",
     .text = "[store]",
     .sentence = "FILE:1: a section is [store.\"URL\"] or [profile.NAME]."},
    {.name = "a profile without a name",
     .text = "[profile.'']",
     .sentence = "FILE:1: a section is [store.\"URL\"] or [profile.NAME]."},
    {.name = "no bucket",
     .text = "[store.\"s3:///x\"]",
     .sentence = "FILE:1: the name of a store section is s3://BUCKET[/PREFIX] or file:///FOLDER, in quotes."},
    {.name = "only a scheme",
     .text = "[store.\"s3://\"]",
     .sentence = "FILE:1: the name of a store section is s3://BUCKET[/PREFIX] or file:///FOLDER, in quotes."},
    {.name = "no folder",
     .text = "[store.\"file:///\"]",
     .sentence = "FILE:1: the name of a store section is s3://BUCKET[/PREFIX] or file:///FOLDER, in quotes."},
    {.name = "a slash at the end",
     .text = "[store.\"s3://b/\"]",
     .sentence = "FILE:1: leave out the slash at the end of the URL."},
    {.name = "credentials in a name",
     .text = "[store.\"s3://u:p@b\"]",
     .sentence = "FILE:1: a URL must not carry credentials: use profile or the AWS_* variables."},
    {.name = "credentials in a value",
     .text = "endpoint-url=\"http://u:p@h\"",
     .sentence = "FILE:1: a URL must not carry credentials: use profile or the AWS_* variables."},
    {.name = "twice the same section",
     .text = "[store.\"s3://b\"]\n[profile.\"s3://b\"]\n[store.\"s3://b\"]",
     .sentence = "FILE:3: this section stands further up, too: put its settings there."},
    {.name = "twice the same key",
     .text = "region=\"a\"\nregion=\"a\"",
     .sentence = "FILE:2: this key stands further up in the section, too."},
    {.name = "a store in a store",
     .text = "[store.\"s3://b\"]\nstore=\"s3://b\"",
     .sentence = "FILE:2: the section's name says which store it is; leave out this key."},
    {.name = "a text without quotes", .text = "region=5", .sentence = "FILE:1: this setting is a text, in quotes."},
    {.name = "a choice without quotes", .text = "guard=true", .sentence = "FILE:1: this setting is a text, in quotes."},
    {.name = "a number in quotes",
     .text = "length-s=\"5\"",
     .sentence = "FILE:1: this setting is a whole number, without quotes."},
    {.name = "a switch in quotes",
     .text = "forward-only=\"true\"",
     .sentence = "FILE:1: this setting is true or false, without quotes."},
    {.name = "a number below",
     .text = "length-s=-1",
     .sentence = "FILE:1: length-s must be a whole number from 1 to 4294967295, not \"-1\"."},
    {.name = "no choice",
     .text = "guard=\"never\"",
     .sentence = "FILE:1: guard must be one of auto|record|native|both, not \"never\"."},
    {.name = "a relative bundle",
     .text = "ca-file=\"ca.pem\"",
     .sentence = "FILE:1: the name of a file must begin with a slash here."},
    {.name = "a relative profile",
     .text = "store-profile=\"x.json\"",
     .sentence = "FILE:1: the name of a file must begin with a slash here."},
};

TEST_ROWS(refused, a_file_is_refused_with_a_sentence)
{
    struct file file = {.config = {0}};

    assert_false(read_text(&file, row->text));
    assert_string_equal(file.usage.message, row->sentence);
    assert_null(file.config.data);
}

TEST(no_secret_is_taken)
{
    static const char *const keys[] = {
        "secret-access-key",
        "aws_secret_access_key",
        "SECRET",
        "session-token",
        "password",
        "access-key-id",
        "access_key",
        "credentials",
        "Passwd",
        "a-very-long-name-of-more-than-sixty-three-letters-with-no-secret-in-its-beginning"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct file file = {.config = {0}};
        char text[160];
        bool is_beyond = i + 1 == sizeof(keys) / sizeof(keys[0]); /* unknown in any case, and its value is not said */
        (void)snprintf(text, sizeof(text), "%s = \"hush\"", keys[i]);
        assert_false(read_text(&file, text));
        assert_non_null(strstr(file.usage.message, is_beyond ? "there is no setting" : "no key for a secret"));
        assert_null(strstr(file.usage.message, "hush"));
    }
}

TEST_WITH(file, names_that_are_no_files_are_taken)
{
    assert_true(read_text(file, "store-profile=\"aws\"\n[store.\"file:///srv/x\"]\nca-file=\"/ca.pem\"\n"
                                "store-profile=\"/p.json\""));
}

TEST_WITH(file, so_many_sections_are_too_many)
{
    enum { SIZE = 32 * CONFIG_SECTIONS_MAX };
    char *text = calloc(1, SIZE);
    size_t length = 0;

    assert_non_null(text);
    for (int i = 0; i < CONFIG_SECTIONS_MAX; i++)
        length += (size_t)snprintf(text + length, SIZE - length, "[profile.p%d]\n", i);
    assert_false(read_text(file, text));
    assert_string_equal(file->usage.message, "FILE:256: there are too many sections, more than 256.");
    free(text);
}

TEST(a_file_that_others_may_write_is_not_believed)
{
    assert_null(config_distrust(S_IFREG | 0600, 7, 7));
    assert_null(config_distrust(S_IFREG | 0644, 0, 7));
    assert_non_null(config_distrust(S_IFREG | 0600, 8, 7));
    assert_non_null(config_distrust(S_IFREG | 0620, 7, 7));
    assert_non_null(config_distrust(S_IFREG | 0602, 7, 7));
    assert_non_null(config_distrust(S_IFIFO | 0600, 7, 7));
    assert_non_null(config_distrust(S_IFDIR | 0700, 7, 7));
}
