/* SPDX-License-Identifier: Apache-2.0 */
/* A program that prints keys: how it is run, how its output is read, and how it ends. */
#include "support/event.h"
#include "unit/credentials/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS "{\"Version\":1,\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\",\"SessionToken\":\"t\"}"

static void set_command(const char *command)
{
    char config[5000];
    snprintf(config, sizeof(config), "[profile p]\ncredential_process = %s\n", command);
    sources_write("config", config);
}

/* A shell script as ~/.aws/program, and its path in quotes as the command, with `arguments` behind it. */
static void set_script(const char *script, const char *arguments)
{
    char path[SOURCES_PATH_SIZE];
    char command[400];
    char text[1000];
    snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    sources_write("a program", text);
    sources_path("a program", path);
    assert_int_equal(chmod(path, 0700), 0);
    snprintf(command, sizeof(command), "\"%s\" %s", path, arguments);
    set_command(command);
}

TEST_WITH(sources, what_a_program_prints_are_the_keys)
{
    sources_write("keys.json", KEYS);
    set_script("cat \"${0%/*}/keys.json\"", "");
    sources_expect(sources, "p", "process", "id", "t");
    assert_int_equal(sources->chain.found.expires_s, 0);
    sources_write("keys.json",
                  "{\"Version\":1,\"AccessKeyId\":\"id2\",\"SecretAccessKey\":\"HUSH\",\"SessionToken\":null,"
                  "\"Expiration\":\"2100-01-01T00:00:00+00:00\"}");
    sources_expect(sources, "p", "process", "id2", NULL);
    assert_int_equal(sources->chain.found.expires_s, 4102444800);
}

/* What has to be asked is asked by what stood in the files when it was found out; the next search reads them anew. */
TEST_WITH(sources, one_search_reads_the_files_once)
{
    set_script("printf '%s' '" KEYS "'", "");
    sources->chain = (struct chain){.profile = "p"};
    assert_int_equal(chain_find(&sources->chain, &sources->error), OS_ERR_CREDENTIALS);
    assert_true(sources->chain.would_block);
    sources_write("config", "");
    sources->chain.fetcher = &sources->fetcher;
    assert_int_equal(chain_find(&sources->chain, &sources->error), OS_OK);
    assert_string_equal(sources->chain.source, "process");
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, "There is no profile \"p\"");
}

/* No shell takes them apart; standard input is empty. */
TEST_WITH(sources, its_arguments_are_the_words_of_the_setting)
{
    set_script(
        "[ $# = 4 ] && [ \"$1\" = 'a b' ] && [ \"$2\" = '$HOME;x' ] && [ \"$3\" = \"it's\" ] && [ \"$4\" = '' ] && "
        "! read -r line && printf '%s' '" KEYS "'",
        "'a b' $HOME;x \"it's\" ''");
    sources_expect(sources, "p", "process", "id", "t");
}

static const struct {
    const char *name;
    const char *script;
    const char *words;
} failures[] = {
    {"a status", "printf '%s' '" KEYS "'; exit 7", "failed: it ended with status 7. Run it by hand."},
    {"a signal", "printf '%s' '" KEYS "'; kill -TERM $$", "failed: it was ended by signal 15. Run it by hand."},
    {"nothing", "true", "What the credential_process printed is no JSON object"},
    {"no JSON", "echo HUSH", "What the credential_process printed is no JSON object"},
    {"no version", "echo '{\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\"}'", "has no \"Version\": 1"},
    {"a version in words", "echo '{\"Version\":\"1\",\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\"}'",
     "has no \"Version\": 1"},
    {"version 2", "echo '{\"Version\":2,\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\"}'",
     "has no \"Version\": 1"},
    {"no id", "echo '{\"Version\":1,\"SecretAccessKey\":\"HUSH\"}'", "has no AccessKeyId."},
    {"an end that is no time",
     "echo '{\"Version\":1,\"AccessKeyId\":\"i\",\"SecretAccessKey\":\"HUSH\",\"Expiration\":\"\"}'",
     "has no Expiration that is a time."},
    {"endless output", "while :; do echo HUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSHHUSH; done",
     "printed more than 65536 bytes."},
};

TEST_ROWS_WITH(sources, failures, a_program_that_gives_none_ends_the_search)
{
    set_script(row->script, "");
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, row->words);
}

/* As much as fits is taken; the process is not killed for it. */
TEST_WITH(sources, output_of_the_greatest_length_is_read)
{
    set_script("printf '%s' '" KEYS "'; head -c $((65536 - $1)) /dev/zero | tr '\\0' ' '", "76");
    assert_int_equal(strlen(KEYS), 76);
    sources_expect(sources, "p", "process", "id", "t");
}

static const struct {
    const char *name;
    const char *command;
    os_code code;
    const char *words;
} commands[] = {
    {"not there", "/nowhere/program x", OS_ERR_CREDENTIALS,
     "The credential_process \"/nowhere/program\" cannot be run: No such file or directory."},
    {"not in the path", "oscommit-no-such-program", OS_ERR_CREDENTIALS, "cannot be run: No such file or directory."},
    {"not to be run", "/etc/hostname", OS_ERR_CREDENTIALS, "cannot be run: "},
    {"an open quote", "/bin/echo 'HUSH", OS_ERR_CONFIG, "credential_process is no command: it is empty, has a quote"},
    {"quotes with nothing", "''", OS_ERR_CREDENTIALS, "cannot be run: "},
};

TEST_ROWS_WITH(sources, commands, a_command_that_cannot_be_run_is_named)
{
    set_command(row->command);
    sources_expect_none(sources, "p", row->code, row->words);
}

TEST_WITH(sources, a_command_has_an_end)
{
    char command[4200];
    memset(command, 'a', sizeof(command) - 1);
    command[sizeof(command) - 1] = '\0';
    set_command(command);
    sources_expect_none(sources, "p", OS_ERR_CONFIG, "credential_process of the profile \"p\" has 4199 bytes");
    for (size_t i = 1; i < 200; i += 2)
        command[i] = ' ';
    command[200] = '\0';
    set_command(command);
    sources_expect_none(sources, "p", OS_ERR_CONFIG, "or more than 64 words.");
}

/* ------------------------------------------------------------------------------------------------ its surroundings */

TEST_WITH(sources, what_it_writes_to_standard_error_goes_where_ours_goes)
{
    char path[SOURCES_PATH_SIZE];
    sources_path("stderr", path);
    int kept = dup(STDERR_FILENO);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(kept >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    set_script("echo 'a word' >&2; printf '%s' '" KEYS "'", "");
    os_code code = sources_find(sources, "p");
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    (void)close(fd);
    assert_int_equal(code, OS_OK);
    char *text = sources_read("stderr");
    assert_string_equal(text, "a word\n");
    free(text);
}

/* The descriptors of a search are not its own, and the signals are as a program expects them. */
TEST_WITH(sources, it_inherits_no_descriptor_of_the_search_and_no_signal_mask)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    set_script("ls -l /proc/self/fd | grep -q eventfd && exit 4\n"
               "grep -q '^SigBlk:[[:space:]]*0*$' /proc/self/status || exit 5\n"
               "printf '%s' '" KEYS "'",
               "");
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
    os_code code = sources_find(sources, "p");
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    if (code != OS_OK)
        fail_msg("%s", sources->error.message);
}

/* A program that ignores SIGCHLD has its children's statuses thrown away. */
TEST_WITH(sources, a_status_that_is_not_to_be_had_is_no_failure)
{
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    set_script("printf '%s' '" KEYS "'; exit 3", "");
    os_code code = sources_find(sources, "p");
    (void)signal(SIGCHLD, before);
    assert_int_equal(code, OS_OK);
}

/* The whole search has an end, of which a program gets what is left. */
TEST_WITH(sources, it_gets_no_more_time_than_the_search_has)
{
    set_script("exec sleep 1000", "");
    sources->fetcher.deadline_monotonic_ms = now_ms() + 200;
    uint64_t start_ms = now_ms();
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, "did not end in time");
    assert_true(now_ms() - start_ms < 45000);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST_WITH(sources, no_child_is_left_behind)
{
    set_script("printf '%s' '" KEYS "'", "");
    sources_expect(sources, "p", "process", "id", "t");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* ------------------------------------------------------------------------------------------------ how it ends */

/* It has nothing more to say, and ends a moment later: its status counts. */
TEST_WITH(sources, one_that_closes_its_output_and_lingers_is_waited_for)
{
    set_script("printf '%s' '" KEYS "'; exec >&-; sleep 0.2; exit $1", "0");
    sources_expect(sources, "p", "process", "id", "t");
    set_script("printf '%s' '" KEYS "'; exec >&-; sleep 0.2; exit $1", "9");
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, "ended with status 9");
}

struct stopping {
    struct sources *sources;
    os_code code;
};

static void *find(void *context)
{
    struct stopping *stopping = context;
    stopping->code = sources_find(stopping->sources, "p");
    return NULL;
}

static const struct {
    const char *name;
    const char *script;
} long_ones[] = {
    {"while it says nothing", ": >\"$1/began\"; exec sleep 1000"},
    {"after it has said all", "printf '%s' '" KEYS "'; exec >&-; : >\"$1/began\"; exec sleep 1000"},
};

TEST_ROWS_WITH(sources, long_ones, one_that_does_not_end_is_killed_by_a_stop)
{
    char folder[SOURCES_PATH_SIZE];
    struct stopping stopping = {.sources = sources};
    pthread_t thread;
    sources_write("began/.keep", "");
    sources_path("began", folder);
    set_script(row->script, folder);
    uint64_t start_ms = now_ms();
    assert_int_equal(pthread_create(&thread, NULL, find, &stopping), 0);
    assert_true(folder_gets_a_file(folder));
    fetcher_stop(&sources->fetcher);
    pthread_join(thread, NULL);
    assert_true(now_ms() - start_ms < 45000);
    assert_int_equal(stopping.code, OS_ERR_CANCELLED);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}
