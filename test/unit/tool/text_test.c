/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/json_line.h"
#include "cli/progress.h"
#include "cli/ticket.h"
#include "cli/variables.h"
#include "common/range.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *printed(void (*print)(FILE *out, const char *text), const char *text)
{
    static char out[256];
    FILE *file = fmemopen(out, sizeof(out), "w");

    assert_non_null(file);
    out[0] = '\0'; /* where nothing is printed, nothing is put there */
    print(file, text);
    assert_int_equal(fclose(file), 0);
    return out;
}

TEST(control_characters_do_not_reach_a_terminal)
{
    assert_string_equal(printed(clean_print, "a\033[31mb\n\x7f"), "a\\x1b[31mb\\x0a\\x7f");
    assert_string_equal(printed(clean_print, "gr\xc3\xbc\xc3\x9f \xc2\x9b x"), "gr\xc3\xbc\xc3\x9f \\u009b x");
    assert_string_equal(printed(clean_print, "a\xc2 \x9b[31m"), "a\\xc2 \\x9b[31m");
    assert_string_equal(printed(clean_print, "a\xe2\x80\xaetxt"), "a\\u202etxt");
}

TEST(a_quoted_name_is_one_word_of_a_shell)
{
    assert_string_equal(printed(clean_print_quoted, "it's $HOME"), "'it'\\''s $HOME'");
    assert_string_equal(printed(clean_print_quoted, ""), "''");
    assert_string_equal(printed(clean_print_quoted, "gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'");
    assert_string_equal(printed(clean_print_quoted, "it's\033[31m\\ \xe2\x80\xae\xff"
                                                    "1"),
                        "$'it\\'s\\033[31m\\\\ \\342\\200\\256\\3771'");
}

TEST(a_name_in_a_file_stays_exact)
{
    assert_string_equal(printed(clean_print_exact, "a\033[31m\xff\xe2\x80\xae"), "a\033[31m\xff\xe2\x80\xae");
}

static void print_json(FILE *out, const char *text)
{
    struct json_line line;

    json_line_begin(&line);
    json_line_text(&line, "key", text);
    assert_true(json_line_print(&line, out));
}

/* What a JSON reader makes of the line. */
static void expect_read_back(const char *line, const char *wanted)
{
    json_t *object = json_loads(line, 0, NULL);

    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "key")), wanted);
    json_decref(object);
}

TEST(json_is_safe_for_a_terminal_and_says_the_same)
{
    static const char turned[] = "a\xc2\x9b\xe2\x80\xae\x7f\xf3\xa0\x81\x81\"\\gr\xc3\xbc\xc3\x9f";
    const char *line = printed(print_json, turned);

    assert_string_equal(line, "{\"key\":\"a\\u009b\\u202e\\u007f\\udb40\\udc41\\\"\\\\gr\xc3\xbc\xc3\x9f\"}\n");
    expect_read_back(line, turned);
    expect_read_back(printed(print_json, "no UTF-8: \xff\xc3\xbc"), "no UTF-8: \\xff\xc3\xbc");
}

TEST(a_range_has_its_last_byte)
{
    struct usage usage = {0};
    uint64_t offset = 0;
    uint64_t count = 0;

    assert_true(range_parse("0-0", &offset, &count, &usage));
    assert_int_equal(offset, 0);
    assert_int_equal(count, 1);
    assert_true(range_parse("10-19", &offset, &count, &usage));
    assert_int_equal(offset, 10);
    assert_int_equal(count, 10);
    assert_true(range_parse("10-", &offset, &count, &usage));
    assert_int_equal(count, 0);
}

TEST(what_is_no_range_is_refused)
{
    static const char *const texts[] = {"",
                                        "5",
                                        "-5",
                                        "5-4",
                                        "a-b",
                                        "1-2-3",
                                        "1 -2",
                                        "+1-",
                                        "1-+2",
                                        "1,2",
                                        "18446744073709551616-",
                                        "0-18446744073709551615"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct usage usage = {0};
        uint64_t offset;
        uint64_t count;
        assert_false(range_parse(texts[i], &offset, &count, &usage));
        assert_non_null(strstr(usage.message, "--range must be FIRST-LAST or FIRST-"));
    }
}

TEST(a_ticket_is_saved_once_and_read_back)
{
    char file[] = "/tmp/oscommit-ticket-XXXXXX";
    struct usage usage = {0};
    struct stat info;
    char *ticket;

    assert_int_equal(close(mkstemp(file)), 0);
    assert_int_equal(unlink(file), 0);
    assert_true(ticket_check(file, &usage));
    assert_true(ticket_save(file, "{\"v\":1}"));
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_false(ticket_save(file, "{\"v\":2}"));
    assert_false(ticket_check(file, &usage));
    assert_non_null(strstr(usage.message, "exists already"));
    usage.message[0] = '\0';
    ticket = ticket_load(file, &usage);
    assert_string_equal(ticket, "{\"v\":1}");
    free(ticket);
    (void)unlink(file);
}

TEST(a_ticket_that_cannot_be_saved_is_noticed_before_the_write)
{
    struct usage usage = {0};

    assert_false(ticket_check("/nowhere/at/all/t.json", &usage));
    assert_string_equal(usage.message,
                        "The ticket file \"/nowhere/at/all/t.json\" could not be made: No such file or directory.");
}

TEST(what_is_no_ticket_is_refused)
{
    char file[] = "/tmp/oscommit-ticket-XXXXXX";
    struct usage usage = {0};
    int fd = mkstemp(file);
    char *large = calloc(1, TICKET_MAX + 1);

    assert_true(fd >= 0 && large != NULL);
    assert_null(ticket_load(file, &usage));
    assert_non_null(strstr(usage.message, "contains no ticket"));
    usage.message[0] = '\0';
    assert_int_equal(write(fd, "a\0b", 3), 3);
    assert_null(ticket_load(file, &usage));
    assert_non_null(strstr(usage.message, "contains no ticket"));
    usage.message[0] = '\0';
    memset(large, 'x', TICKET_MAX + 1);
    assert_int_equal(pwrite(fd, large, TICKET_MAX + 1, 0), TICKET_MAX + 1);
    assert_null(ticket_load(file, &usage));
    assert_non_null(strstr(usage.message, "too long to be a ticket"));
    usage.message[0] = '\0';
    (void)unlink(file);
    assert_null(ticket_load(file, &usage));
    assert_non_null(strstr(usage.message, "No such file or directory"));
    free(large);
    (void)close(fd);
}

TEST(progress_says_how_far_it_is)
{
    struct progress progress = {.label = "put", .started_ms = 1000};
    char line[100];

    progress_format(&progress, 4999, line, sizeof(line));
    assert_string_equal(line, "put: waiting, 3 s");
    progress.done = 1024 * 1024; /* of a stream */
    progress_format(&progress, 6000, line, sizeof(line));
    assert_string_equal(line, "put: 1.0 MiB, 5 s");
    progress.total = 4 * 1024 * 1024;
    progress_format(&progress, 6000, line, sizeof(line));
    assert_string_equal(line, "put: 1.0 of 4.0 MiB, 5 s");
    progress.unit = "keys";
    progress.done = 7;
    progress.total = 9;
    progress_format(&progress, 6000, line, sizeof(line));
    assert_string_equal(line, "put: 7 of 9 keys, 5 s");
}

TEST(times_are_those_of_the_world)
{
    char text[CLEAN_TIME_SIZE];

    clean_time(784111777, text);
    assert_string_equal(text, "1994-11-06T08:49:37Z");
    clean_time(INT64_MAX, text);
    assert_string_equal(text, "9223372036854775807");
}

static void print_warnings(FILE *out, const char *variable)
{
    char *environment[] = {(char *)(uintptr_t) "HOME=/", (char *)(uintptr_t)variable, NULL};

    variables_warn(environment, out);
}

TEST(a_misspelt_variable_is_told)
{
    static const char *const silent[] = {
        "OSCOMMIT_STORE=x", "OSCOMMIT_RECORD_PREFIX=x", "OSCOMMIT_TEST_TOOL=x", "OSCOMMIT_REQUIRE_SERVERS=1",
        "OSCOMMIT_=x",      "MY_OSCOMMIT_STOER=x",      "OSCOMMIT_MY_OWN=x"};

    assert_string_equal(printed(print_warnings, "OSCOMMIT_RECORD_PREFX=a"),
                        "oscommit: warning: OSCOMMIT_RECORD_PREFX is not a setting and has no effect. Did you mean "
                        "OSCOMMIT_RECORD_PREFIX?\n");
    assert_non_null(strstr(printed(print_warnings, "OSCOMMIT_STOER"), "OSCOMMIT_STORE?"));
    assert_non_null(strstr(printed(print_warnings, "OSCOMMIT_TIMEOUT=5"), "Did you mean OSCOMMIT_TIMEOUT_MS?"));
    assert_non_null(strstr(printed(print_warnings, "OSCOMMIT_REQUEST_TIMEOUT"), "OSCOMMIT_REQUEST_TIMEOUT_MS?"));
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
        assert_string_equal(printed(print_warnings, silent[i]), "");
}
