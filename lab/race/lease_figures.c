/* SPDX-License-Identifier: Apache-2.0 */
#include "race/lease_figures.h"

#include "cli/clean.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct figure {
    const char *title;
    const char *name; /* in JSON */
    size_t offset;    /* in struct lease_result */
} figures[] = {
    {"acquired", "acquired", offsetof(struct lease_result, beliefs)},
    {"  from another holder", "hand_overs", offsetof(struct lease_result, hand_overs)},
    {"released", "released", offsetof(struct lease_result, let_go)},
    {"lost", "lost", offsetof(struct lease_result, lost)},
    {"killed while held", "killed_while_held", offsetof(struct lease_result, killed)},
    {"stopped while held", "stopped_while_held", offsetof(struct lease_result, paused)},
};

static size_t figure_of(const struct lease_result *result, const struct figure *figure)
{
    size_t number;

    memcpy(&number, (const char *)result + figure->offset, sizeof(number));
    return number;
}

static void print_gaps(const char *title, const struct spread *gaps)
{
    (void)printf("  %-22s ", title);
    if (gaps->count == 0) {
        (void)fputs("nobody waited\n", stdout);
        return;
    }
    (void)printf("%zu waited: p50 %.2f s, p95 %.2f s, max %.2f s\n", gaps->count, (double)gaps->p50 / 1e6,
                 (double)gaps->p95 / 1e6, (double)gaps->max / 1e6);
}

void lease_print_figures(const struct lease_result *result)
{
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        (void)printf("  %-22s %zu\n", figures[i].title, figure_of(result, &figures[i]));
    print_gaps("after a release", &result->after_release);
    print_gaps("after a death", &result->after_death);
}

void lease_print_findings(const struct lease_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct lease_finding *finding = &result->finding[i];
        (void)printf("  %s: ", lease_violation_name(finding->violation));
        clean_print(stdout, finding->key);
        (void)fputs(": ", stdout);
        clean_print(stdout, finding->sentence);
        (void)fputc('\n', stdout);
    }
    if (result->violations > result->finding_count)
        (void)printf("  and %zu more\n", result->violations - result->finding_count);
}

static void add_gaps(struct json_line *line, const char *name, const struct spread *gaps)
{
    struct json_line child;

    json_line_begin(&child);
    json_line_number(&child, "count", gaps->count);
    json_line_number(&child, "p50_ms", gaps->p50 / 1000);
    json_line_number(&child, "p95_ms", gaps->p95 / 1000);
    json_line_number(&child, "max_ms", gaps->max / 1000);
    json_line_child(line, name, &child);
}

static void add_findings(struct json_line *line, const struct lease_result *result)
{
    json_t *findings = json_array();

    for (size_t i = 0; i < result->finding_count; i++) {
        const struct lease_finding *finding = &result->finding[i];
        json_t *entry = json_pack("{s:s, s:s, s:s}", "violation", lease_violation_name(finding->violation), "key",
                                  finding->key, "message", finding->sentence);
        line->failed = json_array_append_new(findings, entry) != 0 || line->failed;
    }
    json_line_value(line, "findings", findings);
}

void lease_add_json(struct json_line *line, const struct lease_result *result)
{
    json_line_number(line, "leases", result->keys);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        json_line_number(line, figures[i].name, figure_of(result, &figures[i]));
    add_gaps(line, "after_release", &result->after_release);
    add_gaps(line, "after_death", &result->after_death);
    json_line_number(line, "violations", result->violations);
    add_findings(line, result);
}
