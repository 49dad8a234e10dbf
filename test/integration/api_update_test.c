/* SPDX-License-Identifier: Apache-2.0 */
/* os_update on every backend: a counter of many threads and processes ends at the number of its updates. */
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS = 8, INCREMENTS = 5, DEADLINE_MS = 240000 };

static os_options update_options(const struct fixture *f)
{
    os_options options = fixture_options(f);
    options.condition_headers = OS_OFF; /* the guard alone must carry it */
    return options;
}

struct counter {
    os_client *client;
    const char *key;
    unsigned updates; /* committed */
    unsigned runs;    /* of the transform */
    unsigned conflicts;
    char digits[16];
    pthread_t thread;
};

static int add_one(void *context, const os_current *current, os_body *ret)
{
    struct counter *counter = context;
    counter->runs++;
    snprintf(counter->digits, sizeof(counter->digits), "%lu", strtoul(current->data, NULL, 10) + 1);
    ret->data = counter->digits;
    ret->length = strlen(counter->digits);
    return 0;
}

static void *count_up(void *argument)
{
    struct counter *counter = argument;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = DEADLINE_MS;
    for (int i = 0; i < INCREMENTS; i++) {
        CLEARED struct outcome outcome = {.result = OS_RESULT_INIT};
        outcome.verdict =
            os_update(counter->client, counter->key, add_one, counter, NULL, &call, &outcome.result, &outcome.error);
        if (outcome.verdict != OS_COMMITTED) {
            fprintf(stderr, "%s: %s\n", os_verdict_name(outcome.verdict), outcome.error.message);
            break;
        }
        counter->updates++;
        counter->conflicts += outcome.result.conflicts;
    }
    return NULL;
}

static void check_counter(os_client *client, const char *key, unsigned value)
{
    char digits[16];
    snprintf(digits, sizeof(digits), "%u", value);
    CHECK_OBJECT(client, key, digits);
}

SUITE_TEST(a_counter_of_eight_threads_is_exact, 0)
{
    os_options options = update_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "counter");
    struct counter counters[COUNTERS];
    for (int i = 0; i < COUNTERS; i++) {
        counters[i] = (struct counter){.client = client, .key = key};
        assert_int_equal(pthread_create(&counters[i].thread, NULL, count_up, &counters[i]), 0);
    }
    for (int i = 0; i < COUNTERS; i++)
        pthread_join(counters[i].thread, NULL);
    for (int i = 0; i < COUNTERS; i++) {
        assert_int_equal(counters[i].updates, INCREMENTS);
        assert_int_equal(counters[i].conflicts, 0); /* they take turns */
        assert_int_equal(counters[i].runs, INCREMENTS);
    }
    check_counter(client, key, COUNTERS * INCREMENTS);
}

static int count_role(struct fixture *fixture, int argc, char **argv)
{
    os_options options = update_options(fixture);
    os_error error;
    struct counter counter = {.key = argv[0]};
    if (argc != 1 || os_client_open(&options, &counter.client, &error) != OS_OK)
        return 1;
    printf("ready\n");
    fflush(stdout);
    if (child_await_go())
        count_up(&counter);
    printf("%u\n", counter.updates);
    fflush(stdout);
    os_client_close(counter.client);
    return counter.runs == counter.updates + counter.conflicts ? 0 : 1;
}

SUITE_TEST(a_counter_of_eight_processes_is_exact, 0)
{
    os_options options = update_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "counter-by-processes");
    const char *const arguments[] = {key, NULL};
    struct child children[COUNTERS];
    char line[64];
    for (int i = 0; i < COUNTERS; i++)
        assert_true(child_start(&children[i], "count", arguments));
    for (int i = 0; i < COUNTERS; i++)
        assert_true(child_hear(&children[i], line, sizeof(line), 60000));
    for (int i = 0; i < COUNTERS; i++)
        assert_true(child_tell(&children[i], "go"));
    for (int i = 0; i < COUNTERS; i++) {
        assert_true(child_hear(&children[i], line, sizeof(line), 2 * DEADLINE_MS));
        assert_int_equal(strtoul(line, NULL, 10), INCREMENTS);
        assert_int_equal(child_wait(&children[i]), 0);
    }
    check_counter(client, key, COUNTERS * INCREMENTS);
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"count", count_role}, {0}};
    static const struct suite suite = {.name = "updates", .roles = roles};
    return suite_main(&suite, argc, argv);
}
