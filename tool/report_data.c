/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history for the page's script: an object of columns, since they are short and quickly read. Strings stand in
 * `strings` once and are numbers everywhere else, 0 being the empty one. Numbers that a script could not hold exactly
 * are cut to the largest that it can.
 */
#include "report.h"
#include "report_page.h"
#include "report_strings.h"
#include "report_text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STRING_MAX = 1100 /* the longest key, and some */ };

#define SCRIPT_MAX ((UINT64_C(1) << 53) - 1)

struct columns {
    struct report *report;
    struct report_strings *strings;
};

typedef void cell_fn(struct columns *columns, const struct history_call *call, size_t index);

static void number(struct columns *columns, uint64_t value)
{
    (void)fprintf(columns->report->out, "%" PRIu64, value < SCRIPT_MAX ? value : SCRIPT_MAX);
}

static void string(struct columns *columns, const char *text)
{
    number(columns, report_strings_number(columns->strings, text));
}

/* --------------------------------------------------------------------------------------------------------- calls */

static void cell_id(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->id);
}

static void cell_writer(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->writer);
}

static void cell_operation(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->operation);
}

static void cell_look(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, report_look(call));
}

static void cell_key(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    string(columns, call->key);
}

static void cell_expected(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    string(columns, call->expected);
}

static void cell_value(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    string(columns, call->value);
}

/* The first as it is, then how much later each begins than the one before (it may be less than zero). */
static void cell_start(struct columns *columns, const struct history_call *call, size_t index)
{
    uint64_t before = index > 0 ? history_call_at(columns->report->history, index - 1)->start_us : 0;

    before = before < SCRIPT_MAX ? before : SCRIPT_MAX;
    (void)fprintf(columns->report->out, "%" PRId64,
                  (int64_t)(call->start_us < SCRIPT_MAX ? call->start_us : SCRIPT_MAX) - (int64_t)before);
}

static void cell_length(struct columns *columns, const struct history_call *call, size_t index)
{
    uint64_t end = report_end(columns->report->ends, index);

    number(columns, end > call->start_us ? end - call->start_us : 0);
}

static void cell_verdict(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->verdict);
}

static void cell_settled(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->settled);
}

static void cell_settled_at(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->settled_us);
}

static void cell_rule(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    string(columns, call->rule);
}

static void cell_message(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    string(columns, call->message);
}

static void cell_generation(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->generation);
}

static void cell_attempts(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->attempts);
}

static void cell_requests(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->requests);
}

static void cell_guards(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->guards);
}

static void cell_waited(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->waited_ms);
}

static void cell_took_over(struct columns *columns, const struct history_call *call, size_t index)
{
    (void)index;
    number(columns, call->took_over ? 1 : 0);
}

static const struct {
    const char *name;
    cell_fn *write;
} call_columns[] = {
    {"id", cell_id},
    {"writer", cell_writer},
    {"operation", cell_operation},
    {"look", cell_look},
    {"key", cell_key},
    {"expected", cell_expected},
    {"value", cell_value},
    {"start", cell_start},
    {"length", cell_length},
    {"verdict", cell_verdict},
    {"settled", cell_settled},
    {"settledAt", cell_settled_at},
    {"rule", cell_rule},
    {"message", cell_message},
    {"generation", cell_generation},
    {"attempts", cell_attempts},
    {"requests", cell_requests},
    {"guards", cell_guards},
    {"waited", cell_waited},
    {"tookOver", cell_took_over},
};

static void write_calls(struct columns *columns)
{
    FILE *out = columns->report->out;

    (void)fputs("\"calls\":{", out);
    for (size_t i = 0; i < sizeof(call_columns) / sizeof(call_columns[0]); i++) {
        (void)fprintf(out, "%s\n\"%s\":[", i > 0 ? "," : "", call_columns[i].name);
        for (size_t index = 0; index < columns->report->calls; index++) {
            if (index > 0) {
                (void)fputc(',', out);
            }
            call_columns[i].write(columns, history_call_at(columns->report->history, index), index);
        }
        (void)fputc(']', out);
    }
    (void)fputs("}", out);
}

/* ----------------------------------------------------------------------------------------------------- the rest */

static void write_events(struct columns *columns)
{
    FILE *out = columns->report->out;

    (void)fputs(",\n\"events\":[", out);
    for (size_t i = 0; i < columns->report->events; i++) {
        const struct history_event *event = history_event_at(columns->report->history, i);
        bool lasts = event->end_us != HISTORY_NEVER && event->end_us > event->start_us;

        (void)fprintf(out, "%s[%d,%" PRIu32 ",", i > 0 ? "," : "", (int)event->kind, event->writer);
        number(columns, event->start_us);
        (void)fputc(',', out);
        number(columns, lasts ? event->end_us - event->start_us : 0);
        (void)fputc(',', out);
        string(columns, event->what);
        (void)fputc(']', out);
    }
    (void)fputc(']', out);
}

static void write_finals(struct columns *columns)
{
    FILE *out = columns->report->out;

    (void)fputs(",\n\"finals\":[", out);
    for (size_t i = 0; i < history_final_count(columns->report->history) && i < REPORT_CALLS_MAX; i++) {
        const struct history_final *final = history_final_at(columns->report->history, i);

        (void)fputs(i > 0 ? ",[" : "[", out);
        string(columns, final->key);
        (void)fputc(',', out);
        string(columns, final->value);
        (void)fprintf(out, ",%" PRId64 "]", final->versions);
    }
    (void)fputc(']', out);
}

static void write_findings(struct columns *columns)
{
    const struct judge_result *judged = columns->report->judged;
    FILE *out = columns->report->out;

    (void)fputs(",\n\"findings\":[", out);
    for (size_t i = 0; i < report_finding_count(judged); i++) {
        (void)fputs(i > 0 ? ",[" : "[", out);
        number(columns, judged->finding[i].call);
        (void)fputc(',', out);
        number(columns, judged->finding[i].other_call);
        (void)fputc(',', out);
        report_json(out, judged->finding[i].sentence, sizeof(judged->finding[i].sentence));
        (void)fputc(']', out);
    }
    (void)fputc(']', out);
}

static void write_strings(struct columns *columns)
{
    FILE *out = columns->report->out;

    (void)fputs(",\n\"strings\":[", out);
    for (size_t i = 0; i < report_strings_count(columns->strings); i++) {
        (void)fputs(i > 0 ? "," : "", out);
        report_json(out, report_strings_at(columns->strings, i), STRING_MAX);
    }
    (void)fputs("]", out);
}

void report_data(struct report *report)
{
    size_t finals = history_final_count(report->history);
    uint32_t lanes = report->numbers.lanes;
    struct columns columns = {.report = report,
                              .strings = report_strings_new(report->calls * 5 + report->events + finals * 2)};

    if (columns.strings == NULL) {
        report->no_memory = true;
        return;
    }
    (void)fprintf(report->out, "{\"format\":1,\"total\":%zu,\"lanes\":%" PRIu32 ",\"duration\":",
                  history_call_count(report->history), lanes < REPORT_LANES_MAX ? lanes : REPORT_LANES_MAX);
    number(&columns, report->numbers.duration_us);
    (void)fputs(",\n", report->out);
    write_calls(&columns);
    write_events(&columns);
    write_finals(&columns);
    write_findings(&columns);
    write_strings(&columns);
    (void)fputs("}", report->out);
    report_strings_free(columns.strings);
}
