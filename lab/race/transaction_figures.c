/* SPDX-License-Identifier: Apache-2.0 */
#include "race/transaction_figures.h"

#include "cli/clean.h"

#include <stdio.h>

void transaction_print_figures(const struct transaction_result *result)
{
    (void)printf("  %zu transactions on %zu keys: %zu committed, %zu conflict, %zu not executed, %zu unknown, of which "
                 "%zu took effect, because they were seen\n",
                 result->transactions, result->keys, result->by_verdict[OS_COMMITTED], result->by_verdict[OS_CONFLICT],
                 result->by_verdict[OS_NOT_EXECUTED], result->by_verdict[OS_UNKNOWN] + result->seen, result->seen);
}

static size_t steps_told(const struct transaction_finding *finding)
{
    return finding->step_count < TRANSACTION_STEPS ? finding->step_count : TRANSACTION_STEPS;
}

void transaction_print_findings(const struct transaction_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct transaction_finding *finding = &result->finding[i];
        (void)printf("  %s: ", transaction_violation_name(finding->violation));
        clean_print(stdout, finding->sentence);
        (void)fputc('\n', stdout);
        for (size_t j = 0; j < steps_told(finding); j++) {
            (void)printf("    %zu. ", j + 1);
            clean_print(stdout, finding->step[j]);
            (void)fputc('\n', stdout);
        }
        if (finding->step_count > TRANSACTION_STEPS)
            (void)printf("    and %zu more\n", finding->step_count - TRANSACTION_STEPS);
    }
    if (result->violations > result->finding_count)
        (void)printf("  and %zu more\n", result->violations - result->finding_count);
}

static json_t *json_steps(const struct transaction_finding *finding)
{
    json_t *steps = json_array();

    for (size_t i = 0; steps != NULL && i < steps_told(finding); i++) {
        if (json_array_append_new(steps, json_string(finding->step[i])) != 0) {
            json_decref(steps);
            steps = NULL;
        }
    }
    return steps;
}

static json_t *json_findings(const struct transaction_result *result)
{
    json_t *findings = json_array();

    for (size_t i = 0; findings != NULL && i < result->finding_count; i++) {
        const struct transaction_finding *finding = &result->finding[i];
        struct json_line line;
        json_line_begin(&line);
        json_line_text(&line, "violation", transaction_violation_name(finding->violation));
        if (finding->transaction != 0)
            json_line_number(&line, "transaction", finding->transaction);
        json_line_text(&line, "sentence", finding->sentence);
        if (finding->step_count > 0)
            json_line_value(&line, "steps", json_steps(finding));
        if (line.failed || json_array_append(findings, line.object) != 0) {
            json_decref(findings);
            findings = NULL;
        }
        json_line_free(&line);
    }
    return findings;
}

void transaction_add_json(struct json_line *line, const struct transaction_result *result)
{
    json_line_number(line, "transactions", result->transactions);
    json_line_number(line, "keys", result->keys);
    json_line_number(line, "committed", result->by_verdict[OS_COMMITTED]);
    json_line_number(line, "conflict", result->by_verdict[OS_CONFLICT]);
    json_line_number(line, "not_executed", result->by_verdict[OS_NOT_EXECUTED]);
    json_line_number(line, "unknown", result->by_verdict[OS_UNKNOWN]);
    json_line_number(line, "unknown_but_seen", result->seen);
    json_line_number(line, "violations", result->violations);
    json_line_value(line, "findings", json_findings(result));
}
