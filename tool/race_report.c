/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"
#include "race.h"

#include <inttypes.h>
#include <stdio.h>

static enum status status_of(enum race_judgement judgement)
{
    switch (judgement) {
    case RACE_EXACT: return STATUS_DONE;
    case RACE_INCOMPLETE: return STATUS_NOT_EXECUTED;
    case RACE_BROKEN: return STATUS_CONFLICT;
    case RACE_UNSETTLED: break;
    }
    return STATUS_UNKNOWN;
}

/* ------------------------------------------------------------------------------------------------ for a person */

static void row(const struct race_tally *tally, const char *name, uint64_t creations, uint64_t increments)
{
    (void)printf("  %-22s %12" PRIu64, name, creations);
    if (tally->updates > 0) {
        (void)printf(" %12" PRIu64, increments);
    }
    (void)fputc('\n', stdout);
}

static void time_row(const struct race_tally *tally, const char *name, uint64_t creations_us, uint64_t increments_us)
{
    (void)printf("  %-22s %9.1f ms", name, (double)creations_us / 1000.0);
    if (tally->updates > 0) {
        (void)printf(" %9.1f ms", (double)increments_us / 1000.0);
    }
    (void)fputc('\n', stdout);
}

static void print_calls(const struct race_tally *tally)
{
    const struct race_phase *creations = &tally->creations;
    const struct race_phase *increments = &tally->increments;

    (void)printf("  %-22s %12s %12s\n", "", "creations", tally->updates > 0 ? "increments" : "");
    row(tally, "calls", creations->calls, increments->calls);
    row(tally, "committed", creations->committed, increments->committed);
    row(tally, "conflict", creations->conflicts, increments->conflicts);
    row(tally, "not executed", creations->not_executed, increments->not_executed);
    row(tally, "unknown", creations->unknown, increments->unknown);
    row(tally, "  then committed", creations->settled_committed, increments->settled_committed);
    row(tally, "  then not committed", creations->settled_other, increments->settled_other);
    row(tally, "  not settled", creations->unsettled, increments->unsettled);
    row(tally, "take-overs", creations->takeovers, increments->takeovers);
    row(tally, "requests", creations->requests, increments->requests);
    time_row(tally, "latency p50", latency_quantile(&creations->latency, 50),
             latency_quantile(&increments->latency, 50));
    time_row(tally, "latency p95", latency_quantile(&creations->latency, 95),
             latency_quantile(&increments->latency, 95));
    time_row(tally, "latency max", creations->latency.max_us, increments->latency.max_us);
    time_row(tally, "elapsed", creations->elapsed_ms * 1000, increments->elapsed_ms * 1000);
}

static void print_writers(const struct race_tally *tally)
{
    (void)printf("\n  %-10s %12s %12s\n", "writer", "keys won", tally->updates > 0 ? "increments" : "");
    for (unsigned i = 0; i < tally->writers; i++) {
        (void)printf("  %-10u %12" PRIu64, i, tally->writer[i].won);
        if (tally->updates > 0) {
            (void)printf(" %12" PRIu64, tally->writer[i].increments);
        }
        (void)fputc('\n', stdout);
    }
}

static void print_checks(const struct race_tally *tally)
{
    (void)printf("\n  %-22s %" PRIu64 " of %" PRIu64 "\n", "keys created once", race_tally_created(tally), tally->keys);
    (void)printf("  %-22s %" PRIu64 " right, %" PRIu64 " wrong%s\n", "objects read back", tally->objects_right,
                 tally->objects_wrong, tally->read_back ? "" : " (not all were read)");
    if (tally->updates > 0) {
        (void)printf("  %-22s %" PRIu64 " expected, ", "counter", race_tally_committed(&tally->increments));
        if (tally->counter_read) {
            (void)printf("%" PRIu64 " found\n", tally->counter_found);
        } else {
            (void)fputs("not read\n", stdout);
        }
    }
}

static void print_human(const struct race *race, enum race_judgement judgement, const char *sentence)
{
    const struct race_tally *tally = &race->tally;

    (void)fputs("race ", stdout);
    clean_print(stdout, race->at->url);
    (void)printf(": %u writers, %" PRIu64 " keys", tally->writers, tally->keys);
    if (tally->updates > 0) {
        (void)printf(", %" PRIu64 " increments each", tally->updates);
    }
    (void)fputs("\n\n", stdout);
    print_calls(tally);
    print_writers(tally);
    print_checks(tally);
    (void)printf("\n%s: %s\n", race_judgement_name(judgement), sentence);
}

/* ------------------------------------------------------------------------------------------------ for a program */

static void add_phase(struct json_line *line, const char *name, const struct race_phase *phase)
{
    struct json_line child;

    json_line_begin(&child);
    json_line_number(&child, "calls", phase->calls);
    json_line_number(&child, "committed", phase->committed);
    json_line_number(&child, "conflict", phase->conflicts);
    json_line_number(&child, "not_executed", phase->not_executed);
    json_line_number(&child, "unknown", phase->unknown);
    json_line_number(&child, "settled_committed", phase->settled_committed);
    json_line_number(&child, "settled_other", phase->settled_other);
    json_line_number(&child, "unsettled", phase->unsettled);
    json_line_number(&child, "takeovers", phase->takeovers);
    json_line_number(&child, "requests", phase->requests);
    json_line_number(&child, "latency_p50_us", latency_quantile(&phase->latency, 50));
    json_line_number(&child, "latency_p95_us", latency_quantile(&phase->latency, 95));
    json_line_number(&child, "latency_max_us", phase->latency.max_us);
    json_line_number(&child, "elapsed_ms", phase->elapsed_ms);
    json_line_child(line, name, &child);
}

static void add_writers(struct json_line *line, const struct race_tally *tally)
{
    json_t *won = json_array();
    json_t *increments = json_array();

    for (unsigned i = 0; i < tally->writers; i++) {
        bool good = json_array_append_new(won, json_integer((json_int_t)tally->writer[i].won)) == 0 &&
                    json_array_append_new(increments, json_integer((json_int_t)tally->writer[i].increments)) == 0;
        line->failed = line->failed || !good;
    }
    json_line_value(line, "won_by_writer", won);
    json_line_value(line, "increments_by_writer", increments);
}

static void print_json(struct race *race, enum race_judgement judgement, const char *sentence)
{
    const struct race_tally *tally = &race->tally;
    struct json_line line;

    output_json_begin(&race->session->output, &line, race->at->url, race_judgement_name(judgement));
    json_line_text(&line, "message", sentence);
    json_line_number(&line, "writers", tally->writers);
    json_line_number(&line, "keys", tally->keys);
    json_line_number(&line, "updates", tally->updates);
    json_line_number(&line, "keys_created", race_tally_created(tally));
    json_line_number(&line, "lost_writers", tally->lost_writers);
    json_line_number(&line, "objects_right", tally->objects_right);
    json_line_number(&line, "objects_wrong", tally->objects_wrong);
    json_line_flag(&line, "read_back", tally->read_back);
    json_line_number(&line, "counter_expected", race_tally_committed(&tally->increments));
    if (tally->counter_read) {
        json_line_number(&line, "counter_found", tally->counter_found);
    }
    add_phase(&line, "creations", &tally->creations);
    add_phase(&line, "increments", &tally->increments);
    add_writers(&line, tally);
    (void)output_json_print(&race->session->output, &line);
}

enum status race_report(struct race *race)
{
    struct output *output = &race->session->output;
    char sentence[256];
    enum race_judgement judgement = race_tally_judge(&race->tally, sentence, sizeof(sentence));
    enum status status = status_of(judgement);

    progress_end(&output->progress);
    if (output->json) {
        print_json(race, judgement, sentence);
    } else if (!output->quiet) {
        print_human(race, judgement, sentence);
        (void)fflush(stdout);
    } else if (status != STATUS_DONE) {
        output_message(output, sentence);
    }
    return status;
}
