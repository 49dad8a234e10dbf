/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the page's summary, and of what the judge found. */
#include "report/page.h"
#include "report/text.h"

#include <inttypes.h>

enum { TEXT_MAX = 400 };

/* ---------------------------------------------------------------------------------------------------- durations */

static void spread_cells(FILE *out, const struct spread *spread)
{
    char text[REPORT_TEXT_SIZE];
    const uint64_t value[] = {spread->p50, spread->p90, spread->p99, spread->max};

    (void)fprintf(out, "<td>%s</td>", report_count(spread->count, text));
    for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
        (void)fprintf(out, "<td data-us=\"%" PRIu64 "\">%s</td>", value[i], report_duration(value[i], text));
    (void)fputs("</tr>\n", out);
}

static void operation_rows(struct report *report, unsigned operation)
{
    const struct spread *spreads = report->numbers.latency[operation];
    unsigned rows = 0;

    for (unsigned verdict = 1; verdict < REPORT_VERDICTS; verdict++)
        rows += spreads[verdict].count > 0 ? 1 : 0;
    if (rows == 0)
        return;
    (void)fprintf(report->out, "<tbody data-operation=\"%u\">\n", operation);
    for (unsigned verdict = 1, row = 0; verdict < REPORT_VERDICTS; verdict++) {
        if (spreads[verdict].count > 0) {
            (void)fprintf(report->out, "<tr data-verdict=\"%u\">", verdict);
            if (row++ == 0) {
                (void)fprintf(report->out, "<th scope=\"rowgroup\" rowspan=\"%u\">%s</th>", rows,
                              report_operation_name(operation));
            }
            (void)fprintf(report->out, "<td class=\"word\">%s</td>",
                          operation == HISTORY_READ && verdict == OS_COMMITTED
                              ? "seen"
                              : history_verdict_name((os_verdict)verdict));
            spread_cells(report->out, &spreads[verdict]);
        }
    }
    (void)fputs("</tbody>\n", report->out);
}

static void spread_row(FILE *out, const char *name, const char *title, const struct spread *spread)
{
    if (spread->count > 0) {
        (void)fprintf(out, "<tr><th scope=\"row\" colspan=\"2\" title=\"%s\">%s</th>", title, name);
        spread_cells(out, spread);
    }
}

void report_latencies(struct report *report)
{
    const struct report_numbers *numbers = &report->numbers;
    FILE *out = report->out;

    (void)fputs(
        "<table id=\"latencies\" class=\"numbers\"><caption>How long calls took</caption>\n<thead><tr>"
        "<th scope=\"col\">Operation</th><th scope=\"col\" class=\"word\">Verdict</th><th scope=\"col\">Calls</th>"
        "<th scope=\"col\">p50</th><th scope=\"col\">p90</th><th scope=\"col\">p99</th>"
        "<th scope=\"col\">max</th></tr></thead>\n",
        out);
    for (unsigned operation = 1; operation < REPORT_OPERATIONS; operation++)
        operation_rows(report, operation);
    (void)fputs("<tbody>\n", out);
    spread_row(out, "settling an unknown", "From the return as unknown to the return of os_resolve",
               &numbers->settling);
    spread_row(out, "takeover wait", "What a call that took over waited for other writers' records", &numbers->waited);
    spread_row(out, "failover time",
               "From the instant at which the record's holder was killed, paused or gave up, to the return of the call "
               "that took its record over",
               &numbers->failover);
    (void)fputs("</tbody>\n</table>\n", out);
}

/* ------------------------------------------------------------------------------------------------------- faults */

void report_faults(struct report *report)
{
    FILE *out = report->out;
    char text[4][REPORT_TEXT_SIZE];
    size_t rows = 0;

    for (unsigned kind = 1; kind < REPORT_KINDS; kind++)
        rows += kind != HISTORY_START ? report->numbers.events[kind].count : 0;
    if (rows == 0) {
        (void)fputs("<h3>Faults</h3>\n<p class=\"quiet\">None were injected.</p>\n", out);
        return;
    }
    (void)fputs(
        "<table id=\"faults\" class=\"numbers\"><caption>Faults</caption>\n<thead><tr><th scope=\"col\">Kind</th>"
        "<th scope=\"col\">Injected</th><th scope=\"col\">Calls met</th><th scope=\"col\">Length p50</th>"
        "<th scope=\"col\">max</th></tr></thead>\n<tbody>\n",
        out);
    for (unsigned kind = 1; kind < REPORT_KINDS; kind++) {
        const struct spread *spread = &report->numbers.events[kind];

        if (kind == HISTORY_START || spread->count == 0)
            continue;
        (void)fprintf(out, "<tr data-kind=\"%u\"><th scope=\"row\">%s</th><td>%s</td><td>%s</td>", kind,
                      report_event_name(kind), report_count(spread->count, text[0]),
                      report_count(report->numbers.met[kind], text[1]));
        if (spread->max > 0) {
            (void)fprintf(out, "<td>%s</td><td>%s</td></tr>\n", report_duration(spread->p50, text[2]),
                          report_duration(spread->max, text[3]));
        } else {
            (void)fputs("<td>–</td><td>–</td></tr>\n", out);
        }
    }
    (void)fputs("</tbody>\n</table>\n", out);
}

/* ----------------------------------------------------------------------------------------------------- findings */

static void call_link(FILE *out, uint64_t id)
{
    if (id != 0)
        (void)fprintf(out, "<a href=\"#call-%" PRIu64 "\">%" PRIu64 "</a>", id, id);
}

static bool is_named(const struct judge_result *judged, uint64_t id)
{
    for (size_t i = 0; i < report_finding_count(judged); i++)
        if (id != 0 && (judged->finding[i].call == id || judged->finding[i].other_call == id))
            return true;
    return false;
}

static void value_cell(FILE *out, const char *value)
{
    if (value[0] == '\0') {
        (void)fputs("<em>absent</em>", out);
    } else {
        (void)fputs("<bdi class=\"value\">", out);
        report_html(out, value, TEXT_MAX);
        (void)fputs("</bdi>", out);
    }
}

/* One call as a row; its anchor is what "#call-ID" leads to where no script runs. */
static void named_call(struct report *report, const struct history_call *call)
{
    FILE *out = report->out;
    char text[REPORT_TEXT_SIZE];

    (void)fprintf(out,
                  "<tr id=\"call-%" PRIu64 "\"><th scope=\"row\"><a href=\"#call-%" PRIu64 "\">%" PRIu64
                  "</a></th><td>%" PRIu32 "</td><td>%s</td><td><bdi class=\"key\">",
                  call->id, call->id, call->id, call->writer, report_operation_name(call->operation));
    report_html(out, call->key, TEXT_MAX);
    (void)fputs("</bdi></td><td>", out);
    if (call->operation != HISTORY_READ) {
        value_cell(out, call->expected);
        (void)fputs(" → ", out);
    }
    value_cell(out, call->value);
    (void)fprintf(out, "</td><td>%s", report_duration(call->start_us, text));
    if (call->end_us != HISTORY_NEVER)
        (void)fprintf(out, " – %s", report_duration(call->end_us, text));
    (void)fprintf(out, "</td><td>%s", call->end_us == HISTORY_NEVER ? "killed" : history_verdict_name(call->verdict));
    if (call->settled != call->verdict)
        (void)fprintf(out, ", then %s", history_verdict_name(call->settled));
    (void)fputs("</td></tr>\n", out);
}

static void named_calls(struct report *report)
{
    FILE *out = report->out;
    size_t rows = 0;

    (void)fputs("<table><caption>The calls that they name</caption>\n<thead><tr><th scope=\"col\">Call</th>"
                "<th scope=\"col\">Writer</th><th scope=\"col\">Operation</th><th scope=\"col\">Key</th>"
                "<th scope=\"col\">Expected → written</th><th scope=\"col\">When</th><th scope=\"col\">Verdict</th>"
                "</tr></thead>\n<tbody>\n",
                out);
    for (size_t i = 0; i < history_call_count(report->history) && rows < 64; i++) {
        const struct history_call *call = history_call_at(report->history, i);

        if (is_named(report->judged, call->id)) {
            named_call(report, call);
            rows++;
        }
    }
    (void)fputs("</tbody>\n</table>\n", out);
}

void report_findings(struct report *report)
{
    const struct judge_result *judged = report->judged;
    FILE *out = report->out;

    if (judged->finding_count == 0)
        return;
    (void)fputs(
        "<section id=\"findings\" aria-labelledby=\"findings-title\">\n<h2 id=\"findings-title\">Findings</h2>\n"
        "<table class=\"verdicts\"><thead><tr><th scope=\"col\">What</th><th scope=\"col\">Key</th><th "
        "scope=\"col\">Calls</th>"
        "<th scope=\"col\">Why it cannot be</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t i = 0; i < report_finding_count(judged); i++) {
        const struct judge_finding *finding = &judged->finding[i];

        (void)fprintf(out, "<tr><th scope=\"row\">%s</th><td><bdi class=\"key\">",
                      judge_violation_name(finding->violation));
        report_html(out, finding->key != NULL ? finding->key : "", TEXT_MAX);
        (void)fputs("</bdi></td><td>", out);
        call_link(out, finding->call);
        (void)fputs(finding->call != 0 && finding->other_call != 0 ? ", " : "", out);
        call_link(out, finding->other_call);
        (void)fputs("</td><td>", out);
        report_html(out, finding->sentence, sizeof(finding->sentence));
        (void)fputs("</td></tr>\n", out);
    }
    (void)fputs("</tbody>\n</table>\n", out);
    named_calls(report);
    (void)fputs("</section>\n", out);
}
