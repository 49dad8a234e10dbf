/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "report/asset.h"
#include "report/page.h"
#include "report/text.h"

#include <errno.h>
#include <string.h>

static void write_asset(struct report *report, const struct report_asset *asset)
{
    (void)fwrite(asset->bytes, 1, asset->length, report->out);
}

static void write_style(struct report *report)
{
    write_asset(report, &report_asset_style);
}

static void write_script(struct report *report)
{
    write_asset(report, &report_asset_script);
}

/* Nothing is loaded from anywhere, and no script runs but the page's own, even if a text became markup. */
static void write_policy(struct report *report)
{
    (void)fprintf(report->out,
                  "default-src 'none'; img-src data:; style-src 'sha256-%s'; script-src 'sha256-%s'; "
                  "base-uri 'none'; form-action 'none'",
                  report_asset_style.sha256, report_asset_script.sha256);
}

static const struct part {
    const char *name;
    void (*write)(struct report *report);
} parts[] = {
    {"policy", write_policy},        {"style", write_style},
    {"script", write_script},        {"title", report_title},
    {"judgement", report_judgement}, {"facts", report_facts},
    {"figures", report_figures},     {"throughput", report_throughput},
    {"latencies", report_latencies}, {"faults", report_faults},
    {"findings", report_findings},   {"drawing", report_drawing},
    {"keys", report_keys},           {"data", report_data},
};

/* Writes the part that `name` (without its braces) stands for. */
static void write_part(struct report *report, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            parts[i].write(report);
}

/* The page with each {{part}} replaced. What a part writes is not looked at again. */
static void write_page(struct report *report)
{
    const char *at = report_asset_page.bytes;

    for (;;) {
        const char *open = strstr(at, "{{");
        const char *close = open != NULL ? strstr(open, "}}") : NULL;

        if (close == NULL) {
            (void)fputs(at, report->out);
            return;
        }
        (void)fwrite(at, 1, (size_t)(open - at), report->out);
        write_part(report, open + 2, (size_t)(close - open) - 2);
        at = close + 2;
    }
}

static os_code report_fail(os_error *err, os_code code, const char *message, const char *detail)
{
    if (err != NULL) {
        *err = (os_error){.code = code};
        (void)snprintf(err->message, sizeof(err->message), "%s%s", message, detail);
    }
    return code;
}

os_code report_write(const struct history *history, const struct judge_result *judged, FILE *out, os_error *err)
{
    struct report report = {.history = history, .judged = judged, .out = out};
    size_t calls = history_call_count(history);
    size_t events = history_event_count(history);
    bool numbered = report_numbers(history, &report.numbers);

    report.calls = calls < REPORT_CALLS_MAX ? calls : REPORT_CALLS_MAX;
    report.events = events < REPORT_EVENTS_MAX ? events : REPORT_EVENTS_MAX;
    report.ends = report_ends_new(history);
    if (numbered && report.ends != NULL)
        write_page(&report);
    report.no_memory = report.no_memory || !numbered || report.ends == NULL;
    report_ends_free(report.ends);
    if (report.no_memory)
        return report_fail(err, OS_ERR_NO_MEMORY, "There is no memory left to write the report with.", "");
    if (fflush(out) != 0 || ferror(out))
        return report_fail(err, OS_ERR_IO, "The report cannot be written: ", strerror(errno));
    if (err != NULL)
        *err = (os_error){.code = OS_OK};
    return OS_OK;
}
