/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "support/test.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct lines {
    size_t count;
    size_t inside; /* how many threads are in the callback */
    os_log_level level;
    char last[4096];
};

static void keep(void *context, os_log_level level, const char *line)
{
    struct lines *lines = context;
    lines->inside++;
    assert_int_equal(lines->inside, 1);
    lines->count++;
    lines->level = level;
    snprintf(lines->last, sizeof(lines->last), "%s", line);
    lines->inside--;
}

TEST(a_line_is_given_with_its_level)
{
    struct log log;
    struct lines lines = {0};
    assert_int_equal(log_init(&log, keep, &lines, OS_LOG_INFO), 0);
    log_line(&log, OS_LOG_INFO, "%s took %d ms", "PUT", 5);
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.level, OS_LOG_INFO);
    assert_string_equal(lines.last, "PUT took 5 ms");
    log_destroy(&log);
}

TEST(lines_below_the_level_are_not_given)
{
    struct log log;
    struct lines lines = {0};
    assert_int_equal(log_init(&log, keep, &lines, OS_LOG_WARN), 0);
    log_line(&log, OS_LOG_INFO, "no");
    log_line(&log, OS_LOG_DEBUG, "no");
    assert_int_equal(lines.count, 0);
    log_line(&log, OS_LOG_WARN, "yes");
    log_line(&log, OS_LOG_ERROR, "yes");
    assert_int_equal(lines.count, 2);
    log_destroy(&log);
}

TEST(without_a_callback_or_a_log_nothing_happens)
{
    struct log log;
    assert_int_equal(log_init(&log, NULL, NULL, OS_LOG_DEBUG), 0);
    log_line(&log, OS_LOG_ERROR, "%s", "nobody listens");
    log_line(NULL, OS_LOG_ERROR, "%s", "nobody is there");
    log_destroy(&log);
}

TEST(a_line_is_one_line_and_of_whole_characters)
{
    struct log log;
    struct lines lines = {0};
    char text[5000];
    assert_int_equal(log_init(&log, keep, &lines, OS_LOG_DEBUG), 0);
    log_line(&log, OS_LOG_DEBUG, "%s", "a\r\nERROR: forged");
    assert_string_equal(lines.last, "a\\x0d\\x0aERROR: forged");
    for (size_t i = 0; i + 3 < sizeof(text); i += 3)
        memcpy(text + i, "\xe2\x82\xac", 4);
    log_line(&log, OS_LOG_DEBUG, "%s", text);
    assert_in_range(strlen(lines.last), 2040, 2047);
    assert_true(text_is_utf8(text_from(lines.last)));
    log_destroy(&log);
}

enum { THREADS = 4, LINES_EACH = 500 };

static void *write_lines(void *context)
{
    for (int i = 0; i < LINES_EACH; i++)
        log_line(context, OS_LOG_INFO, "line %d", i);
    return NULL;
}

TEST(lines_of_many_threads_come_one_at_a_time)
{
    struct log log;
    struct lines lines = {0};
    pthread_t threads[THREADS];
    assert_int_equal(log_init(&log, keep, &lines, OS_LOG_INFO), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, &log), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(lines.count, THREADS * LINES_EACH);
    log_destroy(&log);
}
