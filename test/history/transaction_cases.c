/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes many small histories of transactions into one file for another judge: of a true store, of one with a fault, and
 * ones that were changed (transaction_random.h). And what our judge says of each.
 *
 * usage: transaction_cases COUNT HISTORY VERDICTS
 *   HISTORY   docs/history.md; the keys of each begin with its name and a slash
 *   VERDICTS  "NAME accept" or "NAME refuse", a line each, ordered by name
 */
#include "history/jsonl.h"
#include "history/transaction_judge.h"
#include "transaction_random.h"

#include <stdio.h>
#include <stdlib.h>

struct cases {
    struct history *all;
    FILE *verdicts;
    uint64_t transactions;
    size_t accepted;
    size_t refused;
    size_t left_out;
};

static void fail(const char *what)
{
    (void)fprintf(stderr, "transaction_cases: %s\n", what);
    exit(1);
}

static struct play_options draw_options(struct random_history *random, uint64_t number)
{
    return (struct play_options){.transactions = 4 + random_below(random, 14),
                                 .spread_us = (uint32_t)random_below(random, 500),
                                 .unknown = (uint32_t)random_below(random, 25),
                                 .aborted = (uint32_t)random_below(random, 25),
                                 .fault = number % 2 == 0 ? (enum play_fault)(number / 2 % PLAY_FAULTS) : PLAY_TRUE,
                                 .read_at_the_end = random_below(random, 2) == 0};
}

/* What contradicts itself is for our judge alone: another one takes it for something else. */
static bool judge(const struct play *play, const char *prefix, bool *ret_accepted)
{
    struct history *history = history_new();
    struct transaction_result result;

    if (history == NULL)
        fail("no memory");
    play_add_to(play, prefix, 1, history);
    if (!judge_transactions(history, &result))
        fail("no memory");
    history_free(history);
    *ret_accepted = result.violations == 0;
    return *ret_accepted || result.finding[0].violation != TRANSACTION_BAD_HISTORY;
}

static void write_case(struct cases *cases, uint64_t number)
{
    struct random_history random;
    struct play play;
    char prefix[32];
    bool accepted;

    random_start(&random, number);
    struct play_options options = draw_options(&random, number);
    (void)play_make(&play, number, &options);
    for (uint64_t changes = number % 4 == 1 ? 1 + random_below(&random, 2) : 0; changes > 0; changes--)
        (void)play_change(&play, (enum play_change)random_below(&random, PLAY_CHANGES));
    (void)snprintf(prefix, sizeof(prefix), "k%06llu/", (unsigned long long)number);
    if (!judge(&play, prefix, &accepted)) {
        cases->left_out++;
        return;
    }
    if (number % 4 == 3 && !accepted)
        fail("a true history was refused");
    play_add_to(&play, prefix, cases->transactions + 1, cases->all);
    cases->transactions += play.count;
    cases->accepted += accepted ? 1 : 0;
    cases->refused += accepted ? 0 : 1;
    (void)fprintf(cases->verdicts, "k%06llu %s\n", (unsigned long long)number, accepted ? "accept" : "refuse");
}

/* They share no key; but times tie their circles into one knot, so that there are fewer findings. */
static void check_together(const struct cases *cases)
{
    struct transaction_result result;

    if (!judge_transactions(cases->all, &result) || (result.violations > 0) != (cases->refused > 0) ||
        (result.violations > 0 && result.finding[0].violation == TRANSACTION_BAD_HISTORY))
        fail("together the histories are judged otherwise than one by one");
}

int main(int argc, char **argv)
{
    struct cases cases = {.all = history_new()};

    if (argc != 4 || cases.all == NULL)
        fail("usage: transaction_cases COUNT HISTORY VERDICTS");
    FILE *history = fopen(argv[2], "we");
    cases.verdicts = fopen(argv[3], "we");
    if (history == NULL || cases.verdicts == NULL)
        fail("the files cannot be made");
    for (uint64_t number = 0; number < strtoull(argv[1], NULL, 10); number++)
        write_case(&cases, number);
    check_together(&cases);
    (void)printf("%zu accepted, %zu refused, %zu contradict themselves\n", cases.accepted, cases.refused,
                 cases.left_out);
    if (cases.accepted < cases.refused / 2 || cases.refused < cases.accepted / 4)
        fail("they are nearly all true, or nearly all false");
    if (!jsonl_write(cases.all, history) || fclose(history) != 0 || fclose(cases.verdicts) != 0)
        fail("the files cannot be written");
    history_free(cases.all);
    return 0;
}
