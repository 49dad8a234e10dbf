/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "race/lease_figures.h"
#include "race/race.h"

#include <inttypes.h>
#include <stdio.h>

static enum race_judgement conclude_leases(const struct race *race, char *ret, size_t ret_size)
{
    const struct lease_result *leases = &race->leases;
    const struct lease_finding *first = &leases->finding[0];

    if (!race->progress.judged) {
        (void)snprintf(ret, ret_size, "The history could not be judged.");
        return RACE_INCOMPLETE;
    }
    if (leases->violations > 0) {
        (void)snprintf(ret, ret_size, "%s: %s (%s)", first->key, first->sentence,
                       lease_violation_name(first->violation));
        return RACE_BROKEN;
    }
    if (race->progress.lost_writers > 0) {
        (void)snprintf(ret, ret_size, "%u of %u processes ended early.", race->progress.lost_writers, race->writers);
        return RACE_INCOMPLETE;
    }
    if (leases->hand_overs == 0) {
        (void)snprintf(ret, ret_size, "No lease went from one process to another, so nothing is shown.");
        return RACE_INCOMPLETE;
    }
    (void)snprintf(ret, ret_size, "No two processes believed that they held one lease, and every token is larger.");
    return RACE_EXACT;
}

static void print_leases_human(const struct race *race, enum race_judgement judgement, const char *sentence)
{
    (void)fputs("race for leases in ", stdout);
    clean_print(stdout, race->at->store);
    (void)printf(": %u process%s, %u lease%s of %" PRIu64 " seconds, %" PRIu64 " seconds\n\n", race->writers,
                 race->writers == 1 ? "" : "es", race->lease_count, race->lease_count == 1 ? "" : "s",
                 race->lease_ttl_s, race->duration_us / 1000000);
    lease_print_figures(&race->leases);
    race_print_faults(race);
    (void)printf("  %-22s %" PRIu64 "\n", "seed", race->seed);
    (void)printf("\n  %-22s %zu beliefs of %zu leases, %zu lines\n", "judged", race->leases.beliefs, race->leases.keys,
                 history_lease_count(race->record.history));
    lease_print_findings(&race->leases);
    (void)printf("\n%s: %s\n", race_judgement_name(judgement), sentence);
}

static void print_leases_json(struct race *race, enum race_judgement judgement, const char *sentence)
{
    struct json_line line;

    output_json_begin(&race->session->output, &line, race->at->url, race_judgement_name(judgement));
    json_line_text(&line, "message", sentence);
    json_line_number(&line, "writers", race->writers);
    json_line_number(&line, "seed", race->seed);
    json_line_number(&line, "duration_s", race->duration_us / 1000000);
    json_line_number(&line, "ttl_s", race->lease_ttl_s);
    json_line_number(&line, "lost_writers", race->progress.lost_writers);
    json_line_number(&line, "processes", race->progress.lives);
    race_add_faults(&line, race);
    lease_add_json(&line, &race->leases);
    (void)output_json_print(&race->session->output, &line);
}

enum status race_print_leases(struct race *race)
{
    char sentence[1024];
    enum race_judgement judgement = conclude_leases(race, sentence, sizeof(sentence));

    return race_print(race, judgement, sentence, print_leases_human, print_leases_json);
}
