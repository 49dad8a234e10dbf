/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured of leases beside the judgement, and their lines in a history. */
#include "history/jsonl.h"
#include "history/lease_judge.h"
#include "history_maker.h"
#include "lease_maker.h"
#include "support/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- gaps */

TEST(who_waited_since_before_the_release_shows_how_long_it_took)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 10);
    lease_let_go(history, "a", 12);
    lease_waits(history, "b", 12);
    lease_held(history, "b", 512);
    lease_released(history, "b", 600);
    lease_let_go(history, "b", 602);
    lease_waits(history, "c", 603); /* it came too late to say anything */
    lease_held(history, "c", 900);
    struct lease_result result = lease_exact(history);
    assert_int_equal(result.after_release.count, 1);
    assert_int_equal(result.after_release.max, 500);
    assert_int_equal(result.after_death.count, 0);
}

/* a dies; b had waited since before. */
static struct history *death(uint64_t died_us)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 0, 1000, 1);
    lease_killed(history, "a", died_us);
    lease_waits(history, "b", 5);
    lease_held_with(history, "b", 3000, 4000, 2);
    return history;
}

TEST(who_waited_since_before_a_death_shows_how_long_it_took)
{
    struct lease_result result = lease_exact(death(100));

    assert_int_equal(result.after_death.count, 1);
    assert_int_equal(result.after_death.max, 2900);
    assert_int_equal(result.after_release.count, 0);
    assert_int_equal(result.killed, 1);
    /* It believed nothing any more when it died. */
    result = lease_exact(death(1000));
    assert_int_equal(result.after_death.count, 0);
    assert_int_equal(result.killed, 0);
}

TEST(a_pause_of_somebody_who_asks_makes_it_unclear)
{
    struct history *history = death(100);

    lease_paused(history, "b", 200, 300);
    assert_int_equal(lease_exact(history).after_death.count, 0);

    history = death(100);
    lease_paused(history, "b", 2, 3); /* before it asked */
    assert_int_equal(lease_exact(history).after_death.count, 1);

    history = death(100);
    lease_waits(history, "c", 50);
    lease_killed(history, "c", 500); /* it may have had it */
    assert_int_equal(lease_exact(history).after_death.count, 0);

    history = death(100);
    lease_waits(history, "c", 50);
    lease_paused(history, "c", 60, 500);
    assert_int_equal(lease_exact(history).after_death.count, 0);
}

TEST(pauses_of_holders_are_counted)
{
    struct history *history = death(100);

    lease_paused(history, "a", 0, 10);
    lease_paused(history, "a", 20, 30);
    lease_paused(history, "b", 4000, 4100); /* at its end */
    assert_int_equal(lease_exact(history).paused, 2);
}

/* ---------------------------------------------------------------------------------------------------- lines */

static bool read_text(const char *text, struct history *history, os_error *err)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    assert_non_null(file);
    bool read = jsonl_read(file, "FILE", history, err);
    (void)fclose(file);
    return read;
}

#define HEAD "{\"oscommit_history\":1}\n"

TEST(lines_are_read_as_they_were_written)
{
    static const char text[] =
        HEAD "{\"lease\":\"waits\",\"who\":\"w\",\"key\":\"k\",\"at_us\":0}\n"
             "{\"lease\":\"held\",\"who\":\"w\",\"key\":\"k\",\"at_us\":1,\"until_us\":9,\"token\":7}\n"
             "{\"lease\":\"until\",\"who\":\"w\",\"key\":\"k\",\"until_us\":12}\n"
             "{\"lease\":\"paused\",\"who\":\"w\",\"at_us\":2}\n{\"lease\":\"resumed\",\"who\":\"w\",\"at_us\":3}\n"
             "{\"lease\":\"released\",\"who\":\"w\",\"key\":\"k\",\"at_us\":4}\n"
             "{\"lease\":\"let_go\",\"who\":\"w\",\"key\":\"k\",\"at_us\":5}\n"
             "{\"lease\":\"lost\",\"who\":\"w\",\"at_us\":6}\n{\"lease\":\"killed\",\"who\":\"w\",\"at_us\":7}\n";
    struct history *history = maker_new();
    char *written = NULL;
    size_t length;
    os_error err;
    FILE *file = open_memstream(&written, &length);

    assert_non_null(file);
    if (!read_text(text, history, &err))
        fail_msg("%s", err.message);
    assert_int_equal(history_lease_at(history, 1)->token, 7);
    assert_true(jsonl_write(history, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(written, text);
    free(written);
    (void)lease_exact(history);
}

/* The last line of a process that was killed may be half a line: it says nothing, and nothing is guessed. */
TEST(a_line_that_is_cut_or_wrong_is_refused)
{
    static const char *const lines[] = {
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at_us\":1",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\"}",
        "{\"lease\":\"held\",\"who\":\"a\",\"at_us\":1}",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":1,\"at_us\":1}",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at_us\":\"1\"}",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at_us\":1.5}",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at_us\":-1}",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at_us\":1,\"until_us\":true}",
        "{\"lease\":\"held\",\"who\":\"a\",\"key\":\"k\",\"at_us\":1,\"token\":\"7\"}",
        "{\"lease\":\"held\",\"who\":1,\"key\":\"k\",\"at_us\":1}",
        "{\"lease\":\"held\",\"key\":\"k\",\"at_us\":1}",
        "{\"lease\":\"until\",\"who\":\"a\",\"key\":\"k\",\"at_us\":1}",
        "{\"lease\":\"killed\",\"who\":\"a\"}",
        "{\"lease\":\"taken\",\"who\":\"a\",\"at_us\":1}",
        "{\"lease\":[\"held\"],\"who\":\"a\",\"at_us\":1}",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct history *history = maker_new();
        char text[256];
        os_error err;
        (void)snprintf(text, sizeof(text), HEAD "%s", lines[i]);
        assert_false(read_text(text, history, &err));
        assert_non_null(strstr(err.message, "FILE, line 2: "));
        assert_int_equal(history_lease_count(history), 0);
        history_free(history);
    }
}
