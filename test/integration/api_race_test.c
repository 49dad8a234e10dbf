/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many writers at once, by threads and by processes, on every backend and without condition headers: one winner per
 * key, a conflict for everybody else; a counter that ends at the number of its commits.
 */
#include "base/digest.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITERS = 32, KEYS = 4, COUNTERS = 8, INCREMENTS = 5, DEADLINE_MS = 240000 };

static os_options race_options(const struct fixture *f)
{
    os_options options = fixture_options(f);
    options.condition_headers = OS_OFF; /* the guard alone must carry it */
    return options;
}

/* ------------------------------------------------------------------------------------------------ creating */

struct tally {
    unsigned committed;
    unsigned conflict;
    unsigned other;
};

static void count_in(struct tally *tally, os_verdict verdict)
{
    tally->committed += verdict == OS_COMMITTED ? 1 : 0;
    tally->conflict += verdict == OS_CONFLICT ? 1 : 0;
    tally->other += verdict != OS_COMMITTED && verdict != OS_CONFLICT ? 1 : 0;
}

struct writer {
    os_client *client;
    pthread_barrier_t *barrier;
    const char *key;
    char text[64];
    struct outcome outcome;
    pthread_t thread;
};

static void *write_once(void *argument)
{
    struct writer *writer = argument;
    pthread_barrier_wait(writer->barrier);
    writer->outcome = create(writer->client, writer->key, writer->text, NULL);
    return NULL;
}

/* Prints whoever got neither verdict, then asserts the counts and that the winner's bytes stand there. */
static void check_one_winner(struct writer *writers, size_t count, os_client *client)
{
    struct tally tally = {0};
    const struct writer *winner = NULL;
    for (size_t i = 0; i < count; i++) {
        count_in(&tally, writers[i].outcome.verdict);
        if (writers[i].outcome.verdict == OS_COMMITTED) {
            winner = &writers[i];
        } else if (writers[i].outcome.verdict != OS_CONFLICT) {
            print_error("writer %zu: %s: %s\n", i, os_verdict_name(writers[i].outcome.verdict),
                        writers[i].outcome.error.message);
        }
        outcome_clear(&writers[i].outcome);
    }
    assert_int_equal(tally.committed, 1);
    assert_int_equal(tally.conflict, count - 1);
    assert_non_null(winner);
    CHECK_OBJECT(client, winner->key, winner->text);
}

static void race_by_threads(struct fixture *f, const char *name, bool own_clients)
{
    os_options options = race_options(f);
    CLOSED os_client *shared = fixture_client(&options);
    for (int round = 0; round < KEYS; round++) {
        const char *key = fixture_key(f, name);
        pthread_barrier_t barrier;
        assert_int_equal(pthread_barrier_init(&barrier, NULL, WRITERS), 0);
        struct writer writers[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            writers[i] = (struct writer){
                .client = own_clients ? fixture_client(&options) : shared, .barrier = &barrier, .key = key};
            snprintf(writers[i].text, sizeof(writers[i].text), "round %d, writer %d", round, i);
        }
        for (int i = 0; i < WRITERS; i++)
            assert_int_equal(pthread_create(&writers[i].thread, NULL, write_once, &writers[i]), 0);
        for (int i = 0; i < WRITERS; i++) {
            pthread_join(writers[i].thread, NULL);
            if (own_clients)
                os_client_close(writers[i].client);
        }
        pthread_barrier_destroy(&barrier);
        check_one_winner(writers, WRITERS, shared);
    }
}

SUITE_TEST(of_32_threads_on_one_client_one_wins, 0)
{
    race_by_threads(f, "threads", false);
}

SUITE_TEST(of_32_threads_with_clients_of_their_own_one_wins, 0)
{
    race_by_threads(f, "clients", true);
}

/* ----------------------------------------------------------------------------------------------- processes */

/* Says "ready", waits, creates each key, and says which verdict it got for each: one letter a key. */
static int create_role(struct fixture *fixture, int argc, char **argv)
{
    os_options options = race_options(fixture);
    os_client *client = NULL;
    os_error error;
    if (argc < 2 || os_client_open(&options, &client, &error) != OS_OK)
        return 1;
    printf("ready\n");
    fflush(stdout);
    if (!child_await_go())
        return 1;
    char letters[64] = "";
    for (int i = 1; i < argc; i++) {
        CLEARED struct outcome outcome = create(client, argv[i], argv[0], NULL);
        letters[i - 1] = outcome.verdict == OS_COMMITTED ? 'C' : outcome.verdict == OS_CONFLICT ? 'x' : '?';
        if (letters[i - 1] == '?')
            fprintf(stderr, "%s: %s: %s\n", argv[0], os_verdict_name(outcome.verdict), outcome.error.message);
    }
    printf("%s\n", letters);
    fflush(stdout);
    os_client_close(client);
    return 0;
}

SUITE_TEST(of_32_processes_one_wins, 0)
{
    const char *keys[KEYS];
    const char *arguments[KEYS + 2] = {NULL};
    for (int k = 0; k < KEYS; k++) {
        keys[k] = fixture_key(f, "processes");
        arguments[k + 1] = keys[k];
    }
    struct child children[WRITERS];
    char names[WRITERS][32];
    char line[64];
    for (int i = 0; i < WRITERS; i++) {
        snprintf(names[i], sizeof(names[i]), "process %d", i);
        arguments[0] = names[i];
        assert_true(child_start(&children[i], "create", arguments));
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_true(child_hear(&children[i], line, sizeof(line), 60000));
        assert_string_equal(line, "ready");
    }
    for (int i = 0; i < WRITERS; i++)
        assert_true(child_tell(&children[i], "go"));
    unsigned committed[KEYS] = {0};
    unsigned conflict[KEYS] = {0};
    int winner[KEYS] = {0};
    for (int i = 0; i < WRITERS; i++) {
        assert_true(child_hear(&children[i], line, sizeof(line), DEADLINE_MS));
        assert_int_equal(strlen(line), KEYS);
        for (int k = 0; k < KEYS; k++) {
            committed[k] += line[k] == 'C' ? 1 : 0;
            conflict[k] += line[k] == 'x' ? 1 : 0;
            winner[k] = line[k] == 'C' ? i : winner[k];
        }
        assert_int_equal(child_wait(&children[i]), 0);
    }
    os_options options = race_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (int k = 0; k < KEYS; k++) {
        assert_int_equal(committed[k], 1);
        assert_int_equal(conflict[k], WRITERS - 1);
        CHECK_OBJECT(client, keys[k], names[winner[k]]);
    }
}

/* ------------------------------------------------------------------------------------------------ counting */

/* Reads "N by WHO #SERIAL"; the rest makes every version's bytes, and so its ETag, its own. The ETag is made of them:
 * of an object that is being overwritten versitygw 1.8.0 may answer with the ETag of one version and the bytes of
 * another (docs/stores.md), and an increment of the one would be written over the other. */
static unsigned counter_value(os_client *client, const char *key, char *ret_etag)
{
    os_object object = OS_OBJECT_INIT;
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    os_error error;
    if (os_get(client, key, &sink, NULL, &object, &error) != OS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    unsigned value = (unsigned)strtoul(data, NULL, 10);
    char digits[33];
    assert_true(md5_hex(data, length, digits));
    snprintf(ret_etag, sizeof(object.etag), "\"%s\"", digits);
    os_free(data);
    return value;
}

/* Increments until `wanted` increments were committed; returns how many were, and counts verdicts that must not be. */
static unsigned increment(os_client *client, const char *key, const char *who, unsigned wanted, _Atomic unsigned *wrong)
{
    unsigned committed = 0;
    uint64_t end = now_ms() + DEADLINE_MS;
    for (unsigned serial = 0; committed < wanted && now_ms() < end; serial++) {
        char etag[128] = "";
        char text[96];
        unsigned value = counter_value(client, key, etag);
        if (value == 0) {
            ++*wrong;
            break;
        }
        snprintf(text, sizeof(text), "%u by %s #%u", value + 1, who, serial);
        CLEARED struct outcome outcome = replace(client, key, etag, text, NULL);
        committed += outcome.verdict == OS_COMMITTED ? 1 : 0;
        if (outcome.verdict != OS_COMMITTED && outcome.verdict != OS_CONFLICT) {
            fprintf(stderr, "%s: %s: %s\n", who, os_verdict_name(outcome.verdict), outcome.error.message);
            ++*wrong;
        }
    }
    return committed;
}

struct counter {
    os_client *client;
    const char *key;
    char who[32];
    unsigned committed;
    _Atomic unsigned *wrong;
    pthread_t thread;
};

static void *count_up(void *argument)
{
    struct counter *counter = argument;
    counter->committed = increment(counter->client, counter->key, counter->who, INCREMENTS, counter->wrong);
    return NULL;
}

SUITE_TEST(a_counter_of_eight_threads_is_exact, 0)
{
    os_options options = race_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "counter");
    CLEARED struct outcome start = create(client, key, "1", NULL);
    CHECK_VERDICT(start, OS_COMMITTED);
    _Atomic unsigned wrong = 0;
    struct counter counters[COUNTERS];
    for (int i = 0; i < COUNTERS; i++) {
        counters[i] = (struct counter){.client = client, .key = key, .wrong = &wrong};
        snprintf(counters[i].who, sizeof(counters[i].who), "thread %d", i);
        assert_int_equal(pthread_create(&counters[i].thread, NULL, count_up, &counters[i]), 0);
    }
    unsigned committed = 0;
    for (int i = 0; i < COUNTERS; i++) {
        pthread_join(counters[i].thread, NULL);
        committed += counters[i].committed;
    }
    char etag[128];
    assert_int_equal(wrong, 0);
    assert_int_equal(counter_value(client, key, etag), 1 + committed);
    assert_int_equal(committed, COUNTERS * INCREMENTS);
}

static int count_role(struct fixture *fixture, int argc, char **argv)
{
    os_options options = race_options(fixture);
    os_client *client = NULL;
    os_error error;
    if (argc != 2 || os_client_open(&options, &client, &error) != OS_OK)
        return 1;
    printf("ready\n");
    fflush(stdout);
    _Atomic unsigned wrong = 0;
    unsigned committed = child_await_go() ? increment(client, argv[1], argv[0], INCREMENTS, &wrong) : 0;
    printf("%u\n", committed);
    fflush(stdout);
    os_client_close(client);
    return wrong == 0 ? 0 : 1;
}

SUITE_TEST(a_counter_of_eight_processes_is_exact, 0)
{
    os_options options = race_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "counter-by-processes");
    CLEARED struct outcome start = create(client, key, "1", NULL);
    CHECK_VERDICT(start, OS_COMMITTED);
    struct child children[COUNTERS];
    char line[64];
    for (int i = 0; i < COUNTERS; i++) {
        char who[32];
        snprintf(who, sizeof(who), "process %d", i);
        const char *const arguments[] = {who, key, NULL};
        assert_true(child_start(&children[i], "count", arguments));
    }
    for (int i = 0; i < COUNTERS; i++)
        assert_true(child_hear(&children[i], line, sizeof(line), 60000));
    for (int i = 0; i < COUNTERS; i++)
        assert_true(child_tell(&children[i], "go"));
    unsigned committed = 0;
    for (int i = 0; i < COUNTERS; i++) {
        assert_true(child_hear(&children[i], line, sizeof(line), 2 * DEADLINE_MS));
        committed += (unsigned)strtoul(line, NULL, 10);
        assert_int_equal(child_wait(&children[i]), 0);
    }
    char etag[128];
    assert_int_equal(counter_value(client, key, etag), 1 + committed);
    assert_int_equal(committed, COUNTERS * INCREMENTS);
}

/* --------------------------------------------------------------------------- different writes of one key */

struct rival {
    struct writer writer;
    const char *etag;
    bool deletes;
};

static void *replace_or_delete(void *argument)
{
    struct rival *rival = argument;
    pthread_barrier_wait(rival->writer.barrier);
    rival->writer.outcome =
        rival->deletes ? delete_version(rival->writer.client, rival->writer.key, rival->etag, NULL)
                       : replace(rival->writer.client, rival->writer.key, rival->etag, rival->writer.text, NULL);
    return NULL;
}

/* Native conditions let a DELETE and a PUT of one version both win on some stores; the record does not. */
SUITE_TEST(of_replacements_and_deletes_of_one_version_one_wins, 0)
{
    os_options options = race_options(f);
    CLOSED os_client *client = fixture_client(&options);
    char etag[128];
    const char *key = fixture_key(f, "rivals");
    put_plain(client, key, "contested", etag);
    pthread_barrier_t barrier;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, COUNTERS), 0);
    struct rival rivals[COUNTERS];
    for (int i = 0; i < COUNTERS; i++) {
        rivals[i] = (struct rival){
            .writer = {.client = client, .barrier = &barrier, .key = key}, .etag = etag, .deletes = i % 2 == 0};
        snprintf(rivals[i].writer.text, sizeof(rivals[i].writer.text), "rival %d", i);
    }
    for (int i = 0; i < COUNTERS; i++)
        assert_int_equal(pthread_create(&rivals[i].writer.thread, NULL, replace_or_delete, &rivals[i]), 0);
    struct tally tally = {0};
    const struct rival *winner = NULL;
    for (int i = 0; i < COUNTERS; i++) {
        pthread_join(rivals[i].writer.thread, NULL);
        count_in(&tally, rivals[i].writer.outcome.verdict);
        winner = rivals[i].writer.outcome.verdict == OS_COMMITTED ? &rivals[i] : winner;
        outcome_clear(&rivals[i].writer.outcome);
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(tally.committed, 1);
    assert_int_equal(tally.conflict, COUNTERS - 1);
    assert_non_null(winner);
    CHECK_OBJECT(client, key, winner->deletes ? NULL : winner->writer.text);
}

int main(int argc, char **argv)
{
    static const struct suite_role roles[] = {{"create", create_role}, {"count", count_role}, {0}};
    static const struct suite suite = {.name = "races", .roles = roles};
    return suite_main(&suite, argc, argv);
}
