/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "cli/clean.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/verdict.h"
#include "history/jsonl.h"
#include "history/judge.h"
#include "history/lease_judge.h"
#include "history/transaction_judge.h"
#include "race/lease_figures.h"
#include "race/transaction_figures.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct counts {
    uint64_t by_verdict[OS_UNKNOWN + 1]; /* of writes, after settlement */
    uint64_t reads;
    uint64_t settled;   /* unknown at first, and told later */
    uint64_t unsettled; /* unknown to the last */
    uint64_t killed;    /* neither: their process died in them, and nobody was told anything */
};

static void count_write(struct counts *counts, const struct history_call *call)
{
    bool is_open = call->settled == OS_UNKNOWN;
    bool is_killed = is_open && call->end_us == HISTORY_NEVER && call->settled_us == 0;

    if (is_killed) {
        counts->killed++;
        return;
    }
    counts->by_verdict[call->settled]++;
    counts->unsettled += is_open ? 1 : 0;
    counts->settled += call->verdict == OS_UNKNOWN && !is_open ? 1 : 0;
}

static struct counts count_calls(const struct history *history)
{
    struct counts counts = {0};

    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *call = history_call_at(history, i);
        if (call->operation == HISTORY_READ)
            counts.reads++;
        else
            count_write(&counts, call);
    }
    return counts;
}

/* ------------------------------------------------------------------------------------------------------- output */

static const char *check_word_of(const struct judge_result *result)
{
    if (result->finding_count > 0)
        return "refused";
    return result->gave_up ? "undecided" : "accepted";
}

static void print_findings(const struct judge_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct judge_finding *finding = &result->finding[i];
        (void)printf("  %s on ", judge_violation_name(finding->violation));
        clean_print(stdout, finding->key);
        (void)fputs(": ", stdout);
        clean_print(stdout, finding->sentence);
        (void)fputc('\n', stdout);
    }
    if (result->gave_up) {
        (void)printf("  %zu keys need more steps than the limit, so they are neither accepted nor refused; one is ",
                     result->undecided);
        clean_print(stdout, result->gave_up_key);
        (void)fputc('\n', stdout);
    }
}

static void check_print_human(const char *name, const struct judge_result *result, const struct counts *counts)
{
    (void)printf("%s ", check_word_of(result));
    clean_print(stdout, name);
    (void)printf("\n  %zu calls on %zu keys: %" PRIu64 " committed, %" PRIu64 " conflict, %" PRIu64
                 " not executed, %" PRIu64 " unknown, %" PRIu64 " killed in flight; %" PRIu64 " reads; %" PRIu64
                 " settled, %" PRIu64 " not settled\n",
                 result->calls, result->keys, counts->by_verdict[OS_COMMITTED], counts->by_verdict[OS_CONFLICT],
                 counts->by_verdict[OS_NOT_EXECUTED], counts->by_verdict[OS_UNKNOWN], counts->killed, counts->reads,
                 counts->settled, counts->unsettled);
    if (result->refused > 0)
        (void)printf("  %zu keys are refused\n", result->refused);
    print_findings(result);
}

static json_t *json_findings(const struct judge_result *result)
{
    json_t *findings = json_array();

    for (size_t i = 0; findings != NULL && i < result->finding_count; i++) {
        const struct judge_finding *finding = &result->finding[i];
        struct json_line line;
        json_line_begin(&line);
        json_line_text(&line, "violation", judge_violation_name(finding->violation));
        json_line_text(&line, "key", finding->key);
        if (finding->call != 0)
            json_line_number(&line, "call", finding->call);
        if (finding->other_call != 0)
            json_line_number(&line, "other_call", finding->other_call);
        json_line_text(&line, "sentence", finding->sentence);
        if (line.failed || json_array_append(findings, line.object) != 0) {
            json_decref(findings);
            findings = NULL;
        }
        json_line_free(&line);
    }
    return findings;
}

static void check_print_json(struct output *output, const char *name, const struct judge_result *result,
                             const struct counts *counts)
{
    struct json_line line;

    output_json_begin(output, &line, NULL, check_word_of(result));
    json_line_text(&line, "file", name);
    json_line_number(&line, "calls", result->calls);
    json_line_number(&line, "keys", result->keys);
    json_line_number(&line, "committed", counts->by_verdict[OS_COMMITTED]);
    json_line_number(&line, "conflict", counts->by_verdict[OS_CONFLICT]);
    json_line_number(&line, "not_executed", counts->by_verdict[OS_NOT_EXECUTED]);
    json_line_number(&line, "unknown", counts->by_verdict[OS_UNKNOWN]);
    json_line_number(&line, "killed", counts->killed);
    json_line_number(&line, "reads", counts->reads);
    json_line_number(&line, "settled", counts->settled);
    json_line_number(&line, "unsettled", counts->unsettled);
    json_line_number(&line, "refused_keys", result->refused);
    json_line_number(&line, "undecided_keys", result->undecided);
    json_line_value(&line, "findings", json_findings(result));
    (void)output_json_print(output, &line);
}

/* ------------------------------------------------------------------------------------------------------- leases */

static const char *word_of_leases(const struct lease_result *result)
{
    return result->violations > 0 ? "refused" : "accepted";
}

static void print_leases_human(const char *name, const struct lease_result *result)
{
    (void)printf("%s ", word_of_leases(result));
    clean_print(stdout, name);
    (void)printf("\n  %zu beliefs of %zu leases\n", result->beliefs, result->keys);
    lease_print_figures(result);
    lease_print_findings(result);
}

static void print_leases_json(struct output *output, const char *name, const struct lease_result *result)
{
    struct json_line line;

    output_json_begin(output, &line, NULL, word_of_leases(result));
    json_line_text(&line, "file", name);
    lease_add_json(&line, result);
    (void)output_json_print(output, &line);
}

/* ------------------------------------------------------------------------------------------------- transactions */

static const char *word_of_transactions(const struct transaction_result *result)
{
    return result->violations > 0 ? "refused" : "accepted";
}

static void print_transactions_human(const char *name, const struct transaction_result *result)
{
    (void)printf("%s ", word_of_transactions(result));
    clean_print(stdout, name);
    (void)fputc('\n', stdout);
    transaction_print_figures(result);
    transaction_print_findings(result);
}

static void print_transactions_json(struct output *output, const char *name, const struct transaction_result *result)
{
    struct json_line line;

    output_json_begin(output, &line, NULL, word_of_transactions(result));
    json_line_text(&line, "file", name);
    transaction_add_json(&line, result);
    (void)output_json_print(output, &line);
}

/* -------------------------------------------------------------------------------------------------------- files */

static enum status check_fail(struct output *output, const char *name, const os_error *error)
{
    if (output->json) {
        struct json_line line;
        output_json_begin(output, &line, NULL, "unreadable");
        json_line_text(&line, "file", name);
        json_line_error(&line, error);
        (void)output_json_print(output, &line);
    }
    output_message(output, error->message);
    return status_of_read(error);
}

static enum status fail_no_memory(struct output *output, const char *name)
{
    os_error error = {.code = OS_ERR_NO_MEMORY};

    (void)snprintf(error.message, sizeof(error.message), "There is not enough memory to judge %.300s.", name);
    return check_fail(output, name, &error);
}

/* False: it was said what went wrong. */
static bool write_report(struct output *output, const char *report, const struct history *history,
                         const struct judge_result *result, enum status *ret_status)
{
    os_error error = {.code = OS_OK};
    struct result_file file;

    if (!result_file_open(report, &file, &error)) {
        *ret_status = check_fail(output, report, &error);
        return false;
    }
    bool written = report_write(history, result, file.stream, &error) == OS_OK;
    if (!result_file_close(&file, written, &error) || !written) {
        *ret_status = check_fail(output, report, &error);
        return false;
    }
    return true;
}

/* The page of a history of other things than calls was asked for. */
static enum status fail_no_page(struct output *output, const char *name, const char *of)
{
    os_error error = {.code = OS_ERR_UNSUPPORTED};

    (void)snprintf(error.message, sizeof(error.message), "A page shows calls, and this history is of %s.", of);
    return check_fail(output, name, &error);
}

static enum status judge_leases(struct output *output, const char *name, const char *report,
                                const struct history *history)
{
    struct lease_result result;

    if (report != NULL)
        return fail_no_page(output, name, "leases");
    if (!lease_judge(history, &result))
        return fail_no_memory(output, name);
    if (output->json)
        print_leases_json(output, name, &result);
    else if (output_is_human(output))
        print_leases_human(name, &result);
    return result.violations > 0 ? STATUS_CONFLICT : STATUS_DONE;
}

static enum status judge_transaction_file(struct output *output, const char *name, const char *report,
                                          const struct history *history)
{
    struct transaction_result result;

    if (report != NULL)
        return fail_no_page(output, name, "transactions");
    if (!judge_transactions(history, &result))
        return fail_no_memory(output, name);
    if (output->json)
        print_transactions_json(output, name, &result);
    else if (output_is_human(output))
        print_transactions_human(name, &result);
    return result.violations > 0 ? STATUS_CONFLICT : STATUS_DONE;
}

static enum status judge_file(struct output *output, const char *name, const char *report,
                              const struct history *history)
{
    struct judge_result result;
    enum status status;

    if (!judge_history(history, &result))
        return fail_no_memory(output, name);
    struct counts counts = count_calls(history);
    if (output->json)
        check_print_json(output, name, &result, &counts);
    else if (output_is_human(output))
        check_print_human(name, &result, &counts);
    if (report != NULL && !write_report(output, report, history, &result, &status))
        return status;
    if (result.finding_count > 0)
        return STATUS_CONFLICT;
    return result.gave_up ? STATUS_UNKNOWN : STATUS_DONE;
}

/* A history is of one thing, because each has a judge of its own. */
static enum status judge_by_content(struct output *output, const char *name, const char *report,
                                    const struct history *history)
{
    bool calls = history_call_count(history) + history_final_count(history) > 0;
    bool leases = history_lease_count(history) > 0;
    bool transactions = history_transaction_count(history) + history_sum_count(history) > 0;
    os_error error = {.code = OS_ERR_UNSUPPORTED};

    if (calls + leases + transactions > 1) {
        (void)snprintf(error.message, sizeof(error.message),
                       "A history is of calls, of leases or of transactions; %.300s is of several.", name);
        return check_fail(output, name, &error);
    }
    if (leases)
        return judge_leases(output, name, report, history);
    return (transactions ? judge_transaction_file : judge_file)(output, name, report, history);
}

static enum status check_file(struct output *output, const char *name, const char *report)
{
    bool is_stdin = strcmp(name, "-") == 0;
    os_error error = {0};
    FILE *file = is_stdin ? stdin : fopen(name, "re");

    if (file == NULL) {
        error.code = code_of_errno(errno);
        (void)snprintf(error.message, sizeof(error.message), "%.300s cannot be opened: %s.", name, strerror(errno));
        return check_fail(output, name, &error);
    }
    struct history *history = history_new();
    enum status status;
    if (history == NULL)
        status = fail_no_memory(output, name);
    else if (!jsonl_read(file, is_stdin ? "stdin" : name, history, &error))
        status = check_fail(output, name, &error);
    else
        status = judge_by_content(output, name, report, history);
    history_free(history);
    if (!is_stdin)
        (void)fclose(file);
    return status;
}

/* What one file says is worth more than what another leaves open: refused, unreadable, undecided, accepted. */
static int rank_of(enum status status)
{
    switch (status) {
    case STATUS_DONE: return 0;
    case STATUS_UNKNOWN: return 1;
    case STATUS_CONFLICT: return 3;
    default: return 2;
    }
}

static enum status worse_status(enum status a, enum status b)
{
    return rank_of(a) >= rank_of(b) ? a : b;
}

enum status check_run(const struct options *options)
{
    const char *report = options_text(options, OPTION_REPORT);
    struct output output = {0};
    struct usage usage = {0};
    enum status status = STATUS_DONE;

    if (report != NULL && options->operand_count > 1) {
        (void)usage_refuse(&usage, "--report writes one history: name one file.");
        return output_usage(options, &usage);
    }
    output_start(&output, options);
    for (size_t i = 0; i < options->operand_count; i++)
        status = worse_status(status, check_file(&output, options->operand[i], report));
    return status;
}
