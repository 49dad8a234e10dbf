/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history for the page's script: an object of columns, since they are short and quickly read. Strings stand in
 * `strings` once and are numbers everywhere else, 0 being the empty one. Numbers that a script could not hold exactly
 * are cut to the largest that it can.
 */
#include "report/page.h"
#include "report/report.h"
#include "report/strings.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STRING_MAX = 1100 /* the longest key, and some */ };

#define SCRIPT_MAX ((UINT64_C(1) << 53) - 1)

struct columns {
    struct report *report;
    struct report_strings *strings;
};

static void number(struct columns *columns, uint64_t value)
{
    (void)fprintf(columns->report->out, "%" PRIu64, value < SCRIPT_MAX ? value : SCRIPT_MAX);
}

static void string(struct columns *columns, const char *text)
{
    number(columns, report_strings_number(columns->strings, text));
}

/* --------------------------------------------------------------------------------------------------------- calls */

/* The first as it is, then how much later each begins than the one before (it may be less than zero). */
static void write_start(struct columns *columns, const struct history_call *call, size_t index)
{
    uint64_t before = index > 0 ? history_call_at(columns->report->history, index - 1)->start_us : 0;

    before = before < SCRIPT_MAX ? before : SCRIPT_MAX;
    (void)fprintf(columns->report->out, "%" PRId64,
                  (int64_t)(call->start_us < SCRIPT_MAX ? call->start_us : SCRIPT_MAX) - (int64_t)before);
}

static void write_length(struct columns *columns, const struct history_call *call, size_t index)
{
    uint64_t end = report_end(columns->report->ends, index);

    number(columns, end > call->start_us ? end - call->start_us : 0);
}

enum cell {
    CELL_TEXT,
    CELL_U64,
    CELL_U32,
    CELL_OPERATION,
    CELL_VERDICT,
    CELL_FLAG,
    CELL_LOOK,
    CELL_START,
    CELL_LENGTH
};

#define AT(member) offsetof(struct history_call, member)

static const struct call_column {
    const char *name;
    enum cell cell;
    size_t offset; /* in struct history_call, of what is written as it stands there */
} call_columns[] = {
    {"id", CELL_U64, AT(id)},
    {"writer", CELL_U32, AT(writer)},
    {"operation", CELL_OPERATION, AT(operation)},
    {"look", CELL_LOOK, 0},
    {"key", CELL_TEXT, AT(key)},
    {"expected", CELL_TEXT, AT(expected)},
    {"value", CELL_TEXT, AT(value)},
    {"start", CELL_START, 0},
    {"length", CELL_LENGTH, 0},
    {"verdict", CELL_VERDICT, AT(verdict)},
    {"settled", CELL_VERDICT, AT(settled)},
    {"settledAt", CELL_U64, AT(settled_us)},
    {"rule", CELL_TEXT, AT(rule)},
    {"message", CELL_TEXT, AT(message)},
    {"generation", CELL_U64, AT(generation)},
    {"attempts", CELL_U32, AT(attempts)},
    {"requests", CELL_U32, AT(requests)},
    {"guards", CELL_U32, AT(guards)},
    {"waited", CELL_U64, AT(waited_ms)},
    {"tookOver", CELL_FLAG, AT(took_over)},
};

static void write_cell(struct columns *columns, const struct call_column *column, const struct history_call *call,
                       size_t index)
{
    const void *value = (const char *)call + column->offset;

    switch (column->cell) {
    case CELL_TEXT: string(columns, *(const char *const *)value); break;
    case CELL_U64: number(columns, *(const uint64_t *)value); break;
    case CELL_U32: number(columns, *(const uint32_t *)value); break;
    case CELL_OPERATION: number(columns, *(const enum history_operation *)value); break;
    case CELL_VERDICT: number(columns, *(const os_verdict *)value); break;
    case CELL_FLAG: number(columns, *(const bool *)value ? 1 : 0); break;
    case CELL_LOOK: number(columns, report_look(call)); break;
    case CELL_START: write_start(columns, call, index); break;
    case CELL_LENGTH: write_length(columns, call, index); break;
    }
}

static void write_calls(struct columns *columns)
{
    FILE *out = columns->report->out;

    (void)fputs("\"calls\":{", out);
    for (size_t i = 0; i < sizeof(call_columns) / sizeof(call_columns[0]); i++) {
        (void)fprintf(out, "%s\n\"%s\":[", i > 0 ? "," : "", call_columns[i].name);
        for (size_t index = 0; index < columns->report->calls; index++) {
            if (index > 0)
                (void)fputc(',', out);
            write_cell(columns, &call_columns[i], history_call_at(columns->report->history, index), index);
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
