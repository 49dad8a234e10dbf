/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/streams.h"
#include "race/race.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum status race_status_of(enum race_judgement judgement)
{
    switch (judgement) {
    case RACE_EXACT: return STATUS_DONE;
    case RACE_INCOMPLETE: return STATUS_NOT_EXECUTED;
    case RACE_BROKEN: return STATUS_CONFLICT;
    case RACE_UNSETTLED: break;
    }
    return STATUS_UNKNOWN;
}

struct column {
    enum race_kind kind;
    const char *title;
    const char *name; /* in JSON */
};
static const struct column columns[RACE_KINDS] = {{RACE_CREATE, "creations", "creations"},
                                                  {RACE_UPDATE, "increments", "increments"},
                                                  {RACE_COPY, "copies", "copies"},
                                                  {RACE_DELETE, "deletes", "deletes"}};

struct row {
    const char *title;
    const char *name; /* in JSON */
    size_t offset;    /* of the number in struct race_figures */
};
static const struct row rows[] = {
    {"calls", "calls", offsetof(struct race_figures, calls)},
    {"committed", "committed", offsetof(struct race_figures, committed)},
    {"conflict", "conflict", offsetof(struct race_figures, conflicts)},
    {"not executed", "not_executed", offsetof(struct race_figures, not_executed)},
    {"unknown", "unknown", offsetof(struct race_figures, unknown)},
    {"  then committed", "settled_committed", offsetof(struct race_figures, settled_committed)},
    {"  then not committed", "settled_other", offsetof(struct race_figures, settled_other)},
    {"  unknown for good", "unknown_for_good", offsetof(struct race_figures, for_good)},
    {"  not settled", "unsettled", offsetof(struct race_figures, unsettled)},
    {"killed in flight", "killed", offsetof(struct race_figures, killed)},
    {"  of them applied", "killed_applied", offsetof(struct race_figures, killed_seen)},
    {"takeovers", "takeovers", offsetof(struct race_figures, takeovers)},
    {"requests", "requests", offsetof(struct race_figures, requests)},
    {"guarded by record", "guarded_by_record", offsetof(struct race_figures, by_record)},
    {"  natively", "guarded_natively", offsetof(struct race_figures, native)},
    {"  by both", "guarded_by_both", offsetof(struct race_figures, by_both)},
};

static uint64_t result_figure(const struct race_figures *figures, size_t offset)
{
    uint64_t number;

    memcpy(&number, (const char *)figures + offset, sizeof(number));
    return number;
}

/* ------------------------------------------------------------------------------------------------ for a person */

/* Creations are always shown; the others where they were wanted. */
static bool is_shown(const struct race *race, enum race_kind kind)
{
    return kind == RACE_CREATE || race->count[kind] > 0;
}

static void print_times(const struct race *race, const char *name, uint64_t (*of)(const struct race_figures *))
{
    (void)printf("  %-22s", name);
    for (size_t i = 0; i < RACE_KINDS; i++)
        if (is_shown(race, columns[i].kind))
            (void)printf(" %9.1f ms", (double)of(&race->summary.kind[columns[i].kind]) / 1000.0);
    (void)fputc('\n', stdout);
}

static uint64_t p50(const struct race_figures *figures)
{
    return figures->latency.p50;
}

static uint64_t p95(const struct race_figures *figures)
{
    return figures->latency.p95;
}

static uint64_t longest(const struct race_figures *figures)
{
    return figures->latency.max;
}

static uint64_t elapsed(const struct race_figures *figures)
{
    return figures->last_us - figures->first_us;
}

static void print_calls(const struct race *race)
{
    (void)printf("  %-22s", "");
    for (size_t i = 0; i < RACE_KINDS; i++)
        if (is_shown(race, columns[i].kind))
            (void)printf(" %12s", columns[i].title);
    (void)fputc('\n', stdout);
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        (void)printf("  %-22s", rows[row].title);
        for (size_t i = 0; i < RACE_KINDS; i++)
            if (is_shown(race, columns[i].kind))
                (void)printf(" %12" PRIu64, result_figure(&race->summary.kind[columns[i].kind], rows[row].offset));
        (void)fputc('\n', stdout);
    }
    print_times(race, "latency p50", p50);
    print_times(race, "latency p95", p95);
    print_times(race, "latency max", longest);
    print_times(race, "elapsed", elapsed);
}

static void print_writers(const struct race *race)
{
    bool updates = is_shown(race, RACE_UPDATE);

    (void)printf("\n  %-10s %12s %12s\n", "writer", "keys won", updates ? "increments" : "");
    for (unsigned i = 0; i < race->writers; i++) {
        (void)printf("  %-10u %12" PRIu64, i, race->summary.won[i]);
        if (updates)
            (void)printf(" %12" PRIu64, race->summary.increments[i]);
        (void)fputc('\n', stdout);
    }
}

void race_print_faults(const struct race *race)
{
    (void)printf("\n  %-22s", "faults");
    for (unsigned i = 0; i < RACE_FAULTS; i++) {
        if ((race->faults_wanted & RACE_FAULT_BIT(i)) != 0) {
            (void)printf(" %s %" PRIu64, race_fault_name((enum race_fault)i),
                         race->record.met[race_fault_event((enum race_fault)i)]);
        }
    }
    (void)printf("\n  %-22s %" PRIu64 "\n", "processes", race->progress.lives);
}

static void print_faults(const struct race *race)
{
    const struct spread *wait = &race->summary.takeover_wait;

    if (race->faults_wanted == 0)
        return;
    race_print_faults(race);
    (void)printf("  %-22s %zu, waited p50 %.1f s, p95 %.1f s, max %.1f s\n", "takeovers", wait->count,
                 (double)wait->p50 / 1e6, (double)wait->p95 / 1e6, (double)wait->max / 1e6);
    (void)printf("  %-22s %" PRIu64 "\n", "seed", race->seed);
}

static void print_checks(const struct race *race)
{
    const struct race_summary *summary = &race->summary;

    (void)printf("\n  %-22s %" PRIu64 " of %" PRIu64 "\n", "keys created once", summary->created,
                 race->duration_us > 0 ? summary->names : race->count[RACE_CREATE]);
    (void)printf("  %-22s %" PRIu64 " right, %" PRIu64 " wrong%s\n", "objects read back", summary->objects_right,
                 summary->objects_wrong, race->progress.read_back ? "" : " (not all were read)");
    if (is_shown(race, RACE_UPDATE)) {
        (void)printf("  %-22s %" PRIu64 " expected, ", race->duration_us > 0 ? "counters" : "counter",
                     race_committed(&summary->kind[RACE_UPDATE]));
        if (race->progress.read_back) {
            (void)printf("%" PRIu64 " found", race->progress.counters_found);
            if (summary->kind[RACE_UPDATE].killed > 0) {
                (void)printf(" (and %" PRIu64 " killed in flight, which may have happened)",
                             summary->kind[RACE_UPDATE].killed);
            }
            (void)fputc('\n', stdout);
        } else {
            (void)fputs("not read\n", stdout);
        }
    }
    (void)printf("  %-22s %zu calls and reads of %zu objects\n", "judged", race->judged.calls, race->judged.keys);
    for (size_t i = 0; i < race->judged.finding_count; i++) {
        const struct judge_finding *finding = &race->judged.finding[i];
        (void)printf("  %s: ", judge_violation_name(finding->violation));
        clean_print(stdout, finding->key);
        (void)fputs(": ", stdout);
        clean_print(stdout, finding->sentence);
        (void)fputc('\n', stdout);
    }
}

static void print_result_table(const struct race *race, enum race_judgement judgement, const char *sentence)
{
    (void)fputs("race ", stdout);
    clean_print(stdout, race->at->url);
    (void)printf(": %u writer%s", race->writers, race->writers == 1 ? "" : "s");
    if (race->duration_us > 0) {
        (void)printf(", %" PRIu64 " seconds", race->duration_us / 1000000);
    } else {
        static const char *const words[RACE_KINDS] = {"keys", "increments each", "copies", "deletes each"};
        for (unsigned kind = 0; kind < RACE_KINDS; kind++)
            if (race->count[kind] > 0)
                (void)printf(", %" PRIu64 " %s", race->count[kind], words[kind]);
    }
    (void)fputs("\n\n", stdout);
    print_calls(race);
    print_writers(race);
    print_faults(race);
    print_checks(race);
    (void)printf("\n%s: %s\n", race_judgement_name(judgement), sentence);
}

/* ------------------------------------------------------------------------------------------------ for a program */

static void add_figures(struct json_line *line, const char *name, const struct race_figures *figures)
{
    struct json_line child;

    json_line_begin(&child);
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
        json_line_number(&child, rows[row].name, result_figure(figures, rows[row].offset));
    json_line_number(&child, "latency_p50_us", figures->latency.p50);
    json_line_number(&child, "latency_p95_us", figures->latency.p95);
    json_line_number(&child, "latency_max_us", figures->latency.max);
    json_line_number(&child, "elapsed_ms", elapsed(figures) / 1000);
    json_line_child(line, name, &child);
}

static void add_writers(struct json_line *line, const struct race *race)
{
    json_t *won = json_array();
    json_t *increments = json_array();

    for (unsigned i = 0; i < race->writers; i++) {
        bool good = json_array_append_new(won, json_integer((json_int_t)race->summary.won[i])) == 0 &&
                    json_array_append_new(increments, json_integer((json_int_t)race->summary.increments[i])) == 0;
        line->failed = line->failed || !good;
    }
    json_line_value(line, "won_by_writer", won);
    json_line_value(line, "increments_by_writer", increments);
}

void race_add_faults(struct json_line *line, const struct race *race)
{
    struct json_line child;

    json_line_begin(&child);
    for (unsigned i = 0; i < RACE_FAULTS; i++) {
        if ((race->faults_wanted & RACE_FAULT_BIT(i)) != 0) {
            json_line_number(&child, race_fault_name((enum race_fault)i),
                             race->record.met[race_fault_event((enum race_fault)i)]);
        }
    }
    json_line_child(line, "faults", &child);
}

static void add_findings(struct json_line *line, const struct race *race)
{
    json_t *findings = json_array();

    for (size_t i = 0; i < race->judged.finding_count; i++) {
        const struct judge_finding *finding = &race->judged.finding[i];
        json_t *entry = json_pack("{s:s, s:s, s:s}", "violation", judge_violation_name(finding->violation), "key",
                                  finding->key, "message", finding->sentence);
        line->failed = json_array_append_new(findings, entry) != 0 || line->failed;
    }
    json_line_value(line, "findings", findings);
}

static void print_result_json(struct race *race, enum race_judgement judgement, const char *sentence)
{
    const struct race_summary *summary = &race->summary;
    struct json_line line;

    output_json_begin(&race->session->output, &line, race->at->url, race_judgement_name(judgement));
    json_line_text(&line, "message", sentence);
    json_line_number(&line, "writers", race->writers);
    json_line_number(&line, "seed", race->seed);
    if (race->duration_us > 0)
        json_line_number(&line, "duration_s", race->duration_us / 1000000);
    json_line_number(&line, "keys", race->duration_us > 0 ? summary->names : race->count[RACE_CREATE]);
    json_line_number(&line, "updates", race->duration_us > 0 ? 0 : race->count[RACE_UPDATE]);
    json_line_number(&line, "keys_created", summary->created);
    json_line_number(&line, "lost_writers", race->progress.lost_writers);
    json_line_number(&line, "processes", race->progress.lives);
    json_line_number(&line, "objects_right", summary->objects_right);
    json_line_number(&line, "objects_wrong", summary->objects_wrong);
    json_line_flag(&line, "read_back", race->progress.read_back);
    json_line_number(&line, "counter_expected", race_committed(&summary->kind[RACE_UPDATE]));
    if (race->progress.read_back)
        json_line_number(&line, "counter_found", race->progress.counters_found);
    json_line_number(&line, "reads", summary->reads);
    json_line_number(&line, "unsettled", summary->unsettled);
    json_line_number(&line, "takeover_wait_p50_ms", summary->takeover_wait.p50 / 1000);
    json_line_number(&line, "takeover_wait_max_ms", summary->takeover_wait.max / 1000);
    for (size_t i = 0; i < RACE_KINDS; i++)
        add_figures(&line, columns[i].name, &summary->kind[columns[i].kind]);
    add_writers(&line, race);
    race_add_faults(&line, race);
    add_findings(&line, race);
    (void)output_json_print(&race->session->output, &line);
}

enum status race_print(struct race *race, enum race_judgement judgement, const char *sentence,
                       void (*human)(const struct race *race, enum race_judgement judgement, const char *sentence),
                       void (*json)(struct race *race, enum race_judgement judgement, const char *sentence))
{
    struct output *output = &race->session->output;
    enum status status = race_status_of(judgement);

    progress_end(&output->progress);
    if (output->json) {
        json(race, judgement, sentence);
    } else if (!output->quiet) {
        human(race, judgement, sentence);
        (void)streams_flush();
    } else if (status != STATUS_DONE) {
        output_message(output, sentence);
    }
    return status;
}

enum status race_print_result(struct race *race)
{
    char sentence[1024];
    enum race_judgement judgement =
        race_conclude(&race->summary, &race->progress, &race->judged, race->duration_us > 0 ? NULL : race->count,
                      sentence, sizeof(sentence));

    return race_print(race, judgement, sentence, print_result_table, print_result_json);
}
