/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { FACT_MAX = 1000 };

const char *report_operation_name(unsigned operation)
{
    static const char *const names[] = {
        "all writes", "put if absent", "put if match", "copy if absent", "copy if match", "delete if match", "read",
    };

    return operation < sizeof(names) / sizeof(names[0]) ? names[operation] : "";
}

const char *report_event_name(unsigned kind)
{
    static const char *const names[] = {
        "", "pause", "kill", "start", "slow", "lost reply", "late replay", "5xx", "throttle",
    };

    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "";
}

enum report_look report_look(const struct history_call *call)
{
    if (call->operation == HISTORY_READ)
        return REPORT_LOOK_READ;
    if (call->end_us == HISTORY_NEVER)
        return REPORT_LOOK_KILLED;
    switch (call->verdict) {
    case OS_COMMITTED: return REPORT_LOOK_COMMITTED;
    case OS_CONFLICT: return REPORT_LOOK_CONFLICT;
    case OS_NOT_EXECUTED: return REPORT_LOOK_NOT_EXECUTED;
    case OS_UNKNOWN: break;
    }
    return REPORT_LOOK_UNKNOWN;
}

size_t report_finding_count(const struct judge_result *judged)
{
    size_t most = sizeof(judged->finding) / sizeof(judged->finding[0]);

    return judged->finding_count < most ? judged->finding_count : most;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* -------------------------------------------------------------------------------------------- title, judgement */

void report_title(struct report *report)
{
    const struct report_numbers *numbers = &report->numbers;
    char writers[REPORT_TEXT_SIZE];
    char keys[REPORT_TEXT_SIZE];
    char duration[REPORT_TEXT_SIZE];

    (void)fprintf(report->out, "%s writer%s on %s key%s in %s", report_count(numbers->writers, writers),
                  plural(numbers->writers), report_count(numbers->keys, keys), plural(numbers->keys),
                  report_duration(numbers->duration_us, duration));
}

static void judgement(FILE *out, const char *kind, const char *sign, const char *word)
{
    (void)fprintf(
        out,
        "<div class=\"judgement %s\" data-judgement=\"%s\"><span class=\"sign\" aria-hidden=\"true\">%s</span>"
        "<p><strong>%s</strong> ",
        kind, kind, sign, word);
}

static void judge_clean(FILE *out, const struct report_numbers *numbers)
{
    char calls[REPORT_TEXT_SIZE];
    char keys[REPORT_TEXT_SIZE];

    (void)fprintf(out,
                  "On %s key%s, there is an order of all %s calls that respects their times and in which each verdict "
                  "is right.",
                  report_count(numbers->keys, keys), plural(numbers->keys),
                  report_count(numbers->guarded + numbers->reads, calls));
}

/* A call that was killed has nobody left to be told its outcome; one that returned as unknown has. */
static void judge_open(FILE *out, const struct report_numbers *numbers)
{
    size_t open = numbers->unknown_as[OS_UNKNOWN];
    size_t killed = numbers->killed_as[OS_UNKNOWN];
    char text[REPORT_TEXT_SIZE];

    if (open > 0) {
        (void)fprintf(out, " %s call%s returned as unknown and stayed so.", report_count(open, text), plural(open));
    } else {
        (void)fputs(" No writer was left with an open outcome", out);
        if (killed > 0) {
            (void)fprintf(out, "; %s call%s died with %s", report_count(killed, text), plural(killed),
                          killed == 1 ? "its process" : "their processes");
        }
        (void)fputc('.', out);
    }
}

void report_judgement(struct report *report)
{
    const struct judge_result *judged = report->judged;
    FILE *out = report->out;
    char number[REPORT_TEXT_SIZE];

    if (judged->finding_count > 0) {
        judgement(out, "refused", "\xE2\x9C\x97", "Refused.");
        (void)fprintf(out, "%s finding%s: what the writers were told cannot all be true. The first: ",
                      report_count(judged->finding_count, number), plural(judged->finding_count));
        report_html(out, judged->finding[0].sentence, sizeof(judged->finding[0].sentence));
    } else if (judged->gave_up) {
        judgement(out, "undecided", "?", "Undecided.");
        (void)fputs("At least one key needs more steps than the limit, so it is neither accepted nor refused. There is "
                    "no finding for the others.",
                    out);
    } else if (report->numbers.guarded + report->numbers.reads == 0) {
        judgement(out, "undecided", "?", "Empty.");
        (void)fputs("The history has no call: there is nothing to judge.", out);
    } else {
        bool open = report->numbers.unknown_as[OS_UNKNOWN] > 0;

        judgement(out, "accepted", "\xE2\x9C\x93", open ? "Accepted, with open ends." : "Accepted.");
        judge_clean(out, &report->numbers);
        judge_open(out, &report->numbers);
    }
    (void)fputs("</p></div>", out);
}

void report_facts(struct report *report)
{
    FILE *out = report->out;
    size_t count = history_fact_count(report->history);

    if (count == 0)
        return;
    (void)fputs("<h3>The run</h3>\n<dl class=\"run\">\n", out);
    for (size_t i = 0; i < count; i++) {
        const char *name;
        const char *value;

        history_fact_at(report->history, i, &name, &value);
        if (value[0] == '\0')
            continue;
        (void)fputs("<div><dt>", out);
        report_html(out, name, FACT_MAX);
        (void)fputs("</dt><dd><bdi>", out);
        report_html(out, value, FACT_MAX);
        (void)fputs("</bdi></dd></div>\n", out);
    }
    (void)fputs("</dl>\n", out);
}

/* ------------------------------------------------------------------------------------------------------ figures */

/* One figure; `format` and what follows it are the line below. */
__attribute__((format(printf, 5, 6))) static void summary_figure(FILE *out, const char *name, const char *label,
                                                                 uint64_t value, const char *format, ...)
{
    char number[REPORT_TEXT_SIZE];
    va_list arguments;

    (void)fprintf(out, "<div class=\"%s\"><dt>%s</dt><dd data-figure=\"%s\" data-value=\"%" PRIu64 "\">%s</dd><dd>",
                  name, label, name, value, report_count(value, number));
    va_start(arguments, format);
    (void)vfprintf(out, format, arguments);
    va_end(arguments);
    (void)fputs("</dd></div>\n", out);
}

static void share_figure(FILE *out, const char *name, const char *label, size_t part, size_t of)
{
    double percent = of > 0 ? 100.0 * (double)part / (double)of : 0.0;

    summary_figure(out, name, label, part, "%.1f %% of the writes", percent);
}

static void settled_figure(FILE *out, const char *name, const char *label, size_t count, const size_t *as)
{
    if (count == 0) {
        summary_figure(out, name, label, 0, "none");
        return;
    }
    summary_figure(out, name, label, count, "then %zu committed, %zu not; %zu open", as[OS_COMMITTED],
                   as[OS_CONFLICT] + as[OS_NOT_EXECUTED], as[OS_UNKNOWN]);
}

void report_figures(struct report *report)
{
    const struct report_numbers *numbers = &report->numbers;
    FILE *out = report->out;
    uint64_t faults = 0;
    unsigned kinds = 0;
    char text[2][REPORT_TEXT_SIZE];

    for (unsigned kind = 1; kind < REPORT_KINDS; kind++) {
        if (kind != HISTORY_START) {
            faults += numbers->events[kind].count;
            kinds += numbers->events[kind].count > 0 ? 1 : 0;
        }
    }
    (void)fputs("<dl class=\"figures\">\n", out);
    summary_figure(out, "writes", "Writes", numbers->guarded, "and %s read%s, %s requests",
                   report_count(numbers->reads, text[0]), plural(numbers->reads),
                   report_count(numbers->requests, text[1]));
    share_figure(out, "committed", "Committed", numbers->settled_as[OS_COMMITTED], numbers->guarded);
    share_figure(out, "conflict", "Conflict", numbers->settled_as[OS_CONFLICT], numbers->guarded);
    share_figure(out, "not-executed", "Not executed", numbers->settled_as[OS_NOT_EXECUTED], numbers->guarded);
    settled_figure(out, "unknown", "Unknown at first", numbers->unknown, numbers->unknown_as);
    settled_figure(out, "killed", "Killed in flight", numbers->killed, numbers->killed_as);
    if (numbers->failover.count > 0) {
        summary_figure(out, "takeovers", "Take-overs", numbers->takeovers, "failover %s, at most %s",
                       report_duration(numbers->failover.p50, text[0]),
                       report_duration(numbers->failover.max, text[1]));
    } else {
        summary_figure(out, "takeovers", "Take-overs", numbers->takeovers, "%s", "of another writer's record");
    }
    summary_figure(out, "faults", "Faults", faults, "of %u kind%s", kinds, plural(kinds));
    (void)fputs("</dl>\n", out);
}
