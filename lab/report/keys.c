/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys. The script hangs the chain of versions on its rows; data-key is the key's place in the history's
 * order of first use, which the script counts as well. */
#include "report/page.h"
#include "report/strings.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ROWS_MAX = 60, TEXT_MAX = 400 };

struct key_row {
    size_t settled_as[REPORT_VERDICTS];
    size_t takeovers;
    const struct history_final *final;
};

static void tally_keys(const struct history *history, struct report_strings *keys, struct key_row *rows)
{
    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *call = history_call_at(history, i);
        struct key_row *row = &rows[report_strings_number(keys, call->key)];

        if (call->operation != HISTORY_READ && call->settled >= OS_COMMITTED && call->settled <= OS_UNKNOWN) {
            row->settled_as[call->settled]++;
            row->takeovers += call->took_over ? 1 : 0;
        }
    }
    for (size_t i = 0; i < history_final_count(history); i++) {
        const struct history_final *final = history_final_at(history, i);

        rows[report_strings_number(keys, final->key)].final = final;
    }
}

static void write_final(FILE *out, const struct history_final *final)
{
    char text[REPORT_TEXT_SIZE];

    if (final == NULL) {
        (void)fputs("<td class=\"word\"><em>not read</em></td><td>–</td></tr>\n", out);
        return;
    }
    (void)fputs("<td class=\"word\">", out);
    if (final->value[0] == '\0') {
        (void)fputs("<em>absent</em>", out);
    } else {
        (void)fputs("<bdi class=\"value\">", out);
        report_html(out, final->value, TEXT_MAX);
        (void)fputs("</bdi>", out);
    }
    (void)fprintf(out, "</td><td>%s</td></tr>\n",
                  final->versions < 0 ? "–" : report_count((uint64_t) final->versions, text));
}

static void write_row(FILE *out, const char *key, size_t number, const struct key_row *row)
{
    static const os_verdict order[] = {OS_COMMITTED, OS_CONFLICT, OS_NOT_EXECUTED, OS_UNKNOWN};
    char text[REPORT_TEXT_SIZE];

    (void)fprintf(out, "<tr data-key=\"%zu\"><th scope=\"row\"><bdi class=\"key\">", number);
    report_html(out, key, TEXT_MAX);
    (void)fputs("</bdi></th>", out);
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        (void)fprintf(out, "<td>%s</td>", report_count(row->settled_as[order[i]], text));
    (void)fprintf(out, "<td>%s</td>", report_count(row->takeovers, text));
    write_final(out, row->final);
}

void report_keys(struct report *report)
{
    size_t most = history_call_count(report->history) + history_final_count(report->history);
    struct report_strings *keys = report_strings_new(most);
    struct key_row *rows = calloc(most + 1, sizeof(*rows));
    FILE *out = report->out;
    char text[REPORT_TEXT_SIZE];

    if (keys == NULL || rows == NULL) {
        report->no_memory = true;
    } else {
        size_t count;

        tally_keys(report->history, keys, rows);
        count = report_strings_count(keys) - 1;
        (void)fputs(
            "<div class=\"scroll\"><table id=\"key-table\" class=\"numbers\"><thead><tr><th scope=\"col\">Key</th>"
            "<th scope=\"col\">Committed</th><th scope=\"col\">Conflict</th><th scope=\"col\">Not executed</th>"
            "<th scope=\"col\">Open</th><th scope=\"col\">Take-overs</th>"
            "<th scope=\"col\" class=\"word\">At the end</th><th scope=\"col\">Versions</th></tr></thead>\n<tbody>\n",
            out);
        for (size_t i = 1; i <= count && i <= ROWS_MAX; i++)
            write_row(out, report_strings_at(keys, i), i, &rows[i]);
        (void)fputs("</tbody></table></div>\n", out);
        if (count > ROWS_MAX) {
            (void)fprintf(out, "<p class=\"quiet\">The first %d of %s keys.</p>\n", ROWS_MAX,
                          report_count(count, text));
        }
    }
    report_strings_free(keys);
    free(rows);
}
