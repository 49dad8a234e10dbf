/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes many small histories for another judge, each as a key of one file: true ones, and ones with one thing changed
 * (history_random.h). And what our judge says of each, asked one by one and all together.
 *
 * usage: history_cases COUNT HISTORY VERDICTS
 *   HISTORY   docs/history.md
 *   VERDICTS  "KEY accept" or "KEY refuse", a line each, ordered by key
 */
#include "history/jsonl.h"
#include "history/judge.h"
#include "history_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cases {
    struct history *all;
    FILE *verdicts;
    uint64_t calls;
    size_t refused;
    size_t by_change[RANDOM_CHANGES][2]; /* accepted, refused */
    size_t plain;
};

static void fail(const char *what)
{
    (void)fprintf(stderr, "history_cases: %s\n", what);
    exit(1);
}

/* From a handful of calls on two values to some dozens on as many. */
static struct random_options draw_options(struct random_history *random)
{
    struct random_options options = {
        .calls = 2 + random_below(random, 10),
        .values = 2 + (uint32_t)random_below(random, 3),
        .spread_us = 50 + (uint32_t)random_below(random, 350),
        .unknown = (uint32_t)random_below(random, 50),
        .unexecuted = (uint32_t)random_below(random, 15),
    };

    if (random_below(random, 4) == 0) {
        options.calls = 20 + random_below(random, 40);
        options.values = 4 + (uint32_t)random_below(random, RANDOM_VALUES_MAX - 4);
        options.unknown = (uint32_t)random_below(random, 15);
    }
    return options;
}

/* Every fourth is left as it is. */
static enum random_change change_one(struct random_history *random, uint64_t number)
{
    if (number % 4 == 0)
        return RANDOM_CHANGES;
    for (unsigned attempts = 0; attempts < 1000; attempts++) {
        enum random_change change = (enum random_change)(number % RANDOM_CHANGES);
        if (attempts >= 100)
            change = (enum random_change)random_below(random, RANDOM_CHANGES);
        if (random_change(random, change))
            return change;
    }
    return RANDOM_CHANGES;
}

static bool is_accepted(const struct random_history *random)
{
    struct history *history = history_new();
    struct judge_result result;

    if (history == NULL)
        fail("no memory");
    random_add_to(random, 1, history);
    if (!judge_history(history, &result) || result.gave_up)
        fail("a history was not judged");
    history_free(history);
    return result.finding_count == 0;
}

static void write_case(struct cases *cases, uint64_t number)
{
    struct random_history random;
    char key[32];

    (void)snprintf(key, sizeof(key), "k%06llu", (unsigned long long)number);
    random_start(&random, number);
    struct random_options options = draw_options(&random);
    random_make(&random, &options, history_text(cases->all, key));
    enum random_change change = change_one(&random, number);
    if (random.count == 0 && random.final.key == NULL)
        return; /* the only call was dropped: there is no such key */
    bool accepted = is_accepted(&random);
    if (change == RANDOM_CHANGES) {
        cases->plain++;
        if (!accepted)
            fail("a true history was refused");
    } else {
        cases->by_change[change][accepted ? 0 : 1]++;
    }
    random_add_to(&random, cases->calls + 1, cases->all);
    cases->calls += random.count;
    cases->refused += accepted ? 0 : 1;
    (void)fprintf(cases->verdicts, "%s %s\n", key, accepted ? "accept" : "refuse");
}

/* Judged together, the same keys are refused. */
static void check_together(const struct cases *cases)
{
    struct judge_result result;

    if (!judge_history(cases->all, &result) || result.gave_up || result.refused != cases->refused)
        fail("together the histories are judged otherwise than one by one");
}

static void tell(const struct cases *cases)
{
    static const char *const names[RANDOM_CHANGES] = {
        "flip a verdict", "move a call", "change a value",     "change an expectation",       "drop a call",
        "double a call",  "end state",   "number of versions", "swap the times of two calls", "settle falsely"};

    (void)printf("%zu left as they are\n", cases->plain);
    for (size_t i = 0; i < RANDOM_CHANGES; i++) {
        (void)printf("%s: %zu accepted, %zu refused\n", names[i], cases->by_change[i][0], cases->by_change[i][1]);
        if (cases->by_change[i][1] == 0)
            fail("one kind of change was never refused");
    }
}

int main(int argc, char **argv)
{
    struct cases cases = {.all = history_new()};

    if (argc != 4 || cases.all == NULL)
        fail("usage: history_cases COUNT HISTORY VERDICTS");
    FILE *history = fopen(argv[2], "we");
    cases.verdicts = fopen(argv[3], "we");
    if (history == NULL || cases.verdicts == NULL)
        fail("the files cannot be made");
    for (uint64_t number = 0; number < strtoull(argv[1], NULL, 10); number++)
        write_case(&cases, number);
    check_together(&cases);
    tell(&cases);
    if (!jsonl_write(cases.all, history) || fclose(history) != 0 || fclose(cases.verdicts) != 0)
        fail("the files cannot be written");
    history_free(cases.all);
    return 0;
}
