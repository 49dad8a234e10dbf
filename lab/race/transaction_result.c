/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "race/bank.h"
#include "race/race.h"
#include "race/transaction_figures.h"

#include <inttypes.h>
#include <stdio.h>

struct open_ends {
    size_t killed;    /* their process died in them */
    size_t unsettled; /* nobody has answered what their tickets ask */
};

static struct open_ends count_open_ends(const struct race *race)
{
    struct open_ends ret = {0};
    const struct history *history = race->record.history;

    for (size_t i = 0; i < history_transaction_count(history); i++)
        ret.killed += history_transaction_at(history, i)->end_us == HISTORY_NEVER ? 1 : 0;
    for (unsigned lane = 0; lane < race->writers; lane++) {
        size_t cursor = 0;
        while (race_record_next_ticket(&race->record, lane, &cursor) != NULL)
            ret.unsettled++;
    }
    return ret;
}

static enum race_judgement conclude_transactions(const struct race *race, char *ret, size_t ret_size)
{
    const struct transaction_result *result = &race->transactions;
    const struct transaction_finding *first = &result->finding[0];
    size_t unsettled = count_open_ends(race).unsettled;

    if (!race->progress.judged) {
        (void)snprintf(ret, ret_size, "The history could not be judged.");
        return RACE_INCOMPLETE;
    }
    if (result->violations > 0) {
        (void)snprintf(ret, ret_size, "%s (%s)", first->sentence, transaction_violation_name(first->violation));
        return RACE_BROKEN;
    }
    if (unsettled > 0) {
        (void)snprintf(ret, ret_size, "The outcome of %zu transactions is still unknown.", unsettled);
        return RACE_UNSETTLED;
    }
    if (race->progress.lost_writers > 0) {
        (void)snprintf(ret, ret_size, "%u of %u processes ended early.", race->progress.lost_writers, race->writers);
        return RACE_INCOMPLETE;
    }
    if (!race->progress.read_back) {
        (void)snprintf(ret, ret_size, "The accounts and documents could not be read back.");
        return RACE_INCOMPLETE;
    }
    (void)snprintf(ret, ret_size,
                   "There is one order of all transactions that respects their times, and the sum of the accounts is "
                   "always %d.",
                   (int)race->account_count * BANK_BALANCE);
    return RACE_EXACT;
}

static void print_transactions_human(const struct race *race, enum race_judgement judgement, const char *sentence)
{
    (void)fputs("race with transactions in ", stdout);
    clean_print(stdout, race->at->store);
    (void)printf(": %u process%s, %u accounts, %d documents, %" PRIu64 " seconds\n\n", race->writers,
                 race->writers == 1 ? "" : "es", race->account_count, BANK_DOCUMENTS, race->duration_us / 1000000);
    transaction_print_figures(&race->transactions);
    (void)printf("  %-22s %zu\n", "killed in flight", count_open_ends(race).killed);
    race_print_faults(race);
    (void)printf("  %-22s %" PRIu64 "\n\n", "seed", race->seed);
    transaction_print_findings(&race->transactions);
    (void)printf("%s: ", race_judgement_name(judgement));
    clean_print(stdout, sentence);
    (void)fputc('\n', stdout);
}

static void print_transactions_json(struct race *race, enum race_judgement judgement, const char *sentence)
{
    struct open_ends open = count_open_ends(race);
    struct json_line line;

    output_json_begin(&race->session->output, &line, race->at->url, race_judgement_name(judgement));
    json_line_text(&line, "message", sentence);
    json_line_number(&line, "writers", race->writers);
    json_line_number(&line, "seed", race->seed);
    json_line_number(&line, "duration_s", race->duration_us / 1000000);
    json_line_number(&line, "accounts", race->account_count);
    json_line_number(&line, "lost_writers", race->progress.lost_writers);
    json_line_number(&line, "processes", race->progress.lives);
    json_line_flag(&line, "read_back", race->progress.read_back);
    json_line_number(&line, "killed", open.killed);
    json_line_number(&line, "unsettled", open.unsettled);
    race_add_faults(&line, race);
    transaction_add_json(&line, &race->transactions);
    (void)output_json_print(&race->session->output, &line);
}

enum status race_print_transactions(struct race *race)
{
    char sentence[1024];
    enum race_judgement judgement = conclude_transactions(race, sentence, sizeof(sentence));

    return race_print(race, judgement, sentence, print_transactions_human, print_transactions_json);
}
