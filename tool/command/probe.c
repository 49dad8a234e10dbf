/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/result_file.h"
#include "cli/session.h"
#include "command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const requests[] = {"put", "copy", "complete", "delete"};
static const char *const request_titles[] = {"PutObject", "CopyObject", "CompleteMultipartUpload", "DeleteObject"};
enum { PUT, COPY, COMPLETE, DELETE, REQUESTS };

/* ------------------------------------------------------------------------------------------------ the profile */

static const json_t *rule_of(const json_t *profile, size_t request)
{
    return json_object_get(json_object_get(profile, "requests"), requests[request]);
}

static const char *probe_word_of(const json_t *object, const char *name)
{
    const char *word = json_string_value(json_object_get(object, name));
    return word == NULL ? "unknown" : word;
}

static bool is_atomic(const json_t *rule, const char *condition)
{
    return json_is_true(json_object_get(rule, strcmp(condition, "absent") == 0 ? "absent_atomic" : "match_atomic"));
}

static json_int_t rounds_of(const json_t *rule, const char *condition)
{
    return json_integer_value(
        json_object_get(rule, strcmp(condition, "absent") == 0 ? "absent_rounds" : "match_rounds"));
}

/* May the store's own condition stand in for a record? */
static bool proves_condition(const json_t *profile, size_t request, const char *condition)
{
    const json_t *rule = rule_of(profile, request);
    bool told_apart = request == DELETE || strcmp(probe_word_of(profile, "metadata_survives"), "no") != 0;
    bool raced = is_atomic(rule, condition) && rounds_of(rule, condition) >= OS_PROBE_PROOF_ROUNDS;

    return told_apart && raced && strcmp(probe_word_of(rule, condition), "enforced") == 0;
}

/* Writes that meet on a key must trust the same guard, so auto goes by all of them: an object of any size, put or
 * copied, can be made by a Complete, and only a replacement meets a DELETE (docs/rules.md, M4). */
static const char *auto_mode(const json_t *profile, const char *condition)
{
    bool creates = proves_condition(profile, COMPLETE, "absent");
    bool native = strcmp(condition, "absent") == 0 ? creates
                                                   : creates && proves_condition(profile, COMPLETE, "match") &&
                                                         proves_condition(profile, DELETE, "match");

    return native ? "native" : "record";
}

/* ------------------------------------------------------------------------------------------------ for people */

static void describe_rule(const json_t *rule, const char *condition, char *ret, size_t ret_size)
{
    const char *word = probe_word_of(rule, condition);
    json_int_t rounds = rounds_of(rule, condition);

    if (strcmp(word, "enforced") != 0)
        (void)snprintf(ret, ret_size, "%s", word);
    else if (is_atomic(rule, condition) && rounds < OS_PROBE_PROOF_ROUNDS)
        (void)snprintf(ret, ret_size, "enforced, too few rounds (%lld)", (long long)rounds);
    else if (is_atomic(rule, condition))
        (void)snprintf(ret, ret_size, "enforced, atomic (%lld rounds)", (long long)rounds);
    else if (rounds > 0)
        (void)snprintf(ret, ret_size, "enforced, NOT atomic (round %lld)", (long long)rounds);
    else
        (void)snprintf(ret, ret_size, "enforced, not raced");
}

static void print_condition(const json_t *profile, size_t request, const char *condition, const char *words)
{
    char text[64];

    describe_rule(rule_of(profile, request), condition, text, sizeof(text));
    (void)printf("%-24s %-9s %-36s %s\n", request_titles[request], words, text,
                 proves_condition(profile, request, condition) ? "native" : "record");
}

static void print_statuses(const json_t *rule, const char *title)
{
    json_int_t unmet = json_integer_value(json_object_get(rule, "status_unmet"));
    json_int_t missing = json_integer_value(json_object_get(rule, "status_missing"));

    if (unmet == 0)
        return;
    (void)printf("%-24s unmet: %lld", title, (long long)unmet);
    if (missing > 0)
        (void)printf("; nothing there: %lld", (long long)missing);
    (void)printf("; 409: %s\n", probe_word_of(rule, "answer_409"));
}

static void print_vendors(const json_t *profile)
{
    const char *name;
    json_t *vendor;

    json_object_foreach(json_object_get(profile, "vendors"), name, vendor)
    {
        (void)printf("%-24s PUT %s%s, COPY %s%s\n", name, probe_word_of(vendor, "put"),
                     json_is_true(json_object_get(vendor, "put_atomic")) ? " (atomic)" : "",
                     probe_word_of(vendor, "copy"),
                     json_is_true(json_object_get(vendor, "copy_atomic")) ? " (atomic)" : "");
    }
}

static void print_checksums(const json_t *profile)
{
    const json_t *list = json_object_get(profile, "checksums");
    size_t index;
    json_t *name;

    (void)printf("%-24s", "checksums checked");
    json_array_foreach(list, index, name)
    {
        (void)printf(" %s", json_string_value(name));
    }
    (void)puts(json_array_size(list) == 0 ? " none" : "");
}

static void probe_print_human(const json_t *profile)
{
    static const char *const facts[][2] = {
        {"copy_source_match", "copy of a version"}, {"expiry", "expired signatures"},
        {"date_on_all", "Date on every answer"},    {"metadata_survives", "metadata survives"},
        {"etag_is_md5", "ETag is the MD5"},         {"versioned", "bucket has versions"},
        {"uploads", "multipart uploads"},           {"rename_object", "RenameObject"},
        {"answer_mark", "answers are marked by"},
    };

    clean_print(stdout, probe_word_of(profile, "name"));
    (void)printf(", measured on %s (%s)\n\n", probe_word_of(profile, "measured_on"), probe_word_of(profile, "source"));
    (void)printf("%-24s %-9s %-36s %s\n", "request", "if", "condition", "safest guard");
    for (size_t i = 0; i < REQUESTS; i++) {
        if (i != DELETE)
            print_condition(profile, i, "absent", "absent");
        print_condition(profile, i, "match", "the ETag");
    }
    (void)printf("\n%-24s if absent: %s; if the ETag: %s\n", "--guard auto", auto_mode(profile, "absent"),
                 auto_mode(profile, "match"));
    for (size_t i = 0; i < REQUESTS; i++)
        print_statuses(rule_of(profile, i), request_titles[i]);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        (void)printf("%-24s %s\n", facts[i][1], probe_word_of(profile, facts[i][0]));
    print_checksums(profile);
    print_vendors(profile);
}

/* ------------------------------------------------------------------------------------------------ for machines */

static int add_mode(json_t *object, const char *condition, bool native)
{
    return json_object_set_new(object, condition, json_string(native ? "native" : "record"));
}

static void add_modes(struct json_line *line, const json_t *profile)
{
    json_t *modes = json_object();
    json_t *automatic = json_object();
    int failed = json_object_set_new(automatic, "absent", json_string(auto_mode(profile, "absent")));

    failed |= json_object_set_new(automatic, "match", json_string(auto_mode(profile, "match")));
    for (size_t i = 0; i < REQUESTS; i++) {
        json_t *mode = json_object();
        if (i != DELETE)
            failed |= add_mode(mode, "absent", proves_condition(profile, i, "absent"));
        failed |= add_mode(mode, "match", proves_condition(profile, i, "match"));
        failed |= json_object_set_new(modes, requests[i], mode);
    }
    line->failed = line->failed || failed != 0;
    json_line_value(line, "modes", modes);
    json_line_value(line, "auto", automatic);
}

static void probe_print_json(struct output *output, const char *url, json_t *profile)
{
    struct json_line line;

    output_json_begin(output, &line, url, "done");
    add_modes(&line, profile);
    json_line_value(&line, "profile", json_incref(profile));
    (void)output_json_print(output, &line);
}

/* ------------------------------------------------------------------------------------------------ the command */

static void on_progress(void *context, const char *question, uint32_t done, uint32_t total)
{
    struct session *session = context;
    char unit[48];

    (void)snprintf(unit, sizeof(unit), "questions (%s)", question);
    progress_report(&session->output.progress, unit, done, total);
    progress_tick(&session->output.progress);
}

static enum status probe_report(struct session *session, const char *url, const char *text)
{
    json_t *profile = json_loads(text, 0, NULL);

    if (profile == NULL)
        return session_fail(session, url, OS_ERR_NO_MEMORY, "There is not enough memory to show the profile.");
    progress_end(&session->output.progress);
    if (session->output.json)
        probe_print_json(&session->output, url, profile);
    else if (output_is_human(&session->output))
        probe_print_human(profile);
    json_decref(profile);
    return STATUS_DONE;
}

/* `file` is not open where no profile is to be written. */
static enum status probe_to(struct session *session, const char *url, struct result_file *file)
{
    const struct options *options = session->options;
    os_probe_options wanted = OS_PROBE_OPTIONS_INIT;
    os_error error = {0};
    char *text = NULL;

    wanted.name = options_text(options, OPTION_STORE_NAME);
    wanted.version = options_text(options, OPTION_STORE_VERSION);
    wanted.writers = (uint32_t)options_number(options, OPTION_WRITERS);
    wanted.rounds = (uint32_t)options_number(options, OPTION_ROUNDS);
    wanted.no_held_body = options_on(options, OPTION_NO_HELD_BODY);
    wanted.progress = on_progress;
    wanted.progress_context = session;
    os_call call = session->call;
    call.progress = NULL; /* the bodies are a few bytes each */
    progress_start(&session->output.progress, session->output.progress.on, "probe");
    os_code code = os_store_probe(session->client, &wanted, &call, &text, &error);
    enum status status = code == OS_OK ? probe_report(session, url, text)
                                       : output_outcome(&session->output, url, status_of_read(&error), &error);
    bool good = code == OS_OK && (file->stream == NULL || fputs(text, file->stream) >= 0);
    if (!result_file_close(file, good, &error) && code == OS_OK)
        status = output_outcome(&session->output, url, status_of_read(&error), &error);
    os_free(text);
    return status;
}

static enum status probe_store(struct session *session, const char *url)
{
    const char *name = options_text(session->options, OPTION_PROFILE_OUT);
    struct result_file file = {0};
    os_error error = {0};

    if (name != NULL && !result_file_open(name, &file, &error))
        return output_outcome(&session->output, url, status_of_read(&error), &error);
    return probe_to(session, url, &file);
}

static enum status probe_run(const struct options *options)
{
    struct usage usage = {0};
    struct location at = {0};
    struct session session;
    enum status status;

    if (!location_parse(options->operand[0], LOCATION_PREFIX, options, &at, &usage))
        return output_usage(options, &usage);
    status = session_open(&session, options, at.url);
    if (status == STATUS_DONE)
        status = probe_store(&session, at.url);
    status = session_close(&session, status);
    location_clear(&at);
    return status;
}

static const enum option_id own_options[] = {OPTION_PROFILE_OUT, OPTION_WRITERS,       OPTION_ROUNDS,
                                             OPTION_STORE_NAME,  OPTION_STORE_VERSION, OPTION_NO_HELD_BODY,
                                             OPTION_COUNT};

const struct command command_probe = {
    .name = "probe",
    .operands = "URL",
    .summary = "find out what a store can do",
    .description =
        "Finds out whether the store enforces, ignores or refuses conditions, for PUT, COPY, CompleteMultipartUpload\n"
        "and DELETE, also under a race; whether signatures expire, and when; and what happens to metadata and\n"
        "checksums. Works below a scratch prefix (URL.oscommit-probe-...) and removes it. A question whose answers\n"
        "disagree is `unknown`.\n"
        "--profile-out writes a file for --store-profile. With it, --guard auto writes without a record where the\n"
        "profile proves that safe, by at least 50 rounds of each race. 100 rounds take one to three minutes on a fast\n"
        "store, and more --rounds take longer. The deadline is half an hour, unless --deadline-ms gives another one.\n",
    .examples = "oscommit probe s3://bucket/\n"
                "oscommit probe s3://bucket/ --profile-out store.json --rounds 200\n"
                "oscommit probe s3://bucket/ --json | jq .modes\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = probe_run,
};
