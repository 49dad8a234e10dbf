/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"
#include "command/commands.h"
#include "common/copy.h"
#include "common/fencing.h"
#include "common/many.h"
#include "common/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum status cp_guarded(struct session *session, const struct object_pair *pair)
{
    const char *etag = options_text(session->options, OPTION_IF_MATCH);
    os_copy_options copy_options = OS_COPY_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_verdict verdict;
    enum status status = fencing_take(session, pair->to.url, &copy_options.fencing);

    if (status != STATUS_DONE)
        return status;
    copy_options.source_etag = options_text(session->options, OPTION_SOURCE_ETAG);
    copy_options.source_version_id = options_text(session->options, OPTION_SOURCE_VERSION_ID);
    if (etag != NULL) {
        verdict = os_copy_if_match(session->client, pair->from.key, pair->to.key, etag, &copy_options, &session->call,
                                   &result, &error);
    } else {
        verdict = os_copy_if_not_exists(session->client, pair->from.key, pair->to.key, &copy_options, &session->call,
                                        &result, &error);
    }
    return guarded_finish(session, pair->to.url, verdict, &result, &error);
}

/* Flags that one of the three directions cannot follow are refused: a guard that is ignored is worse than none. */
static bool refuse_given(const struct options *options, const enum option_id *ids, const char *why, struct usage *usage)
{
    for (; *ids != OPTION_COUNT; ids++)
        if (options_on(options, *ids))
            return usage_refuse(usage, "--%s does not go with %s.", option_table[*ids].name, why);
    return true;
}

static const enum option_id headers[] = {OPTIONS_OF_HEADERS, OPTION_COUNT};
static const enum option_id guards[] = {OPTION_IF_ABSENT, OPTION_IF_MATCH, OPTION_TICKET_FILE, OPTION_COUNT};
static const enum option_id sources[] = {OPTION_SOURCE_ETAG, OPTION_SOURCE_VERSION_ID, OPTION_COUNT};

static enum status copy_inside(const struct options *options)
{
    struct usage usage = {0};
    struct object_pair pair = {0};
    struct session session;
    enum status status;

    if (!options_on(options, OPTION_IF_ABSENT) && !options_on(options, OPTION_IF_MATCH)) {
        (void)usage_refuse(&usage, "A copy inside a store is always guarded: give --if-absent or --if-match ETAG.");
        return output_usage(options, &usage);
    }
    if (!refuse_given(options, headers, "a copy inside a store, which keeps the source's headers", &usage) ||
        !pair_parse(options, &pair, &usage) || !guarded_check(options, false, &usage)) {
        pair_clear(&pair);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, pair.to.store);
    if (status == STATUS_DONE)
        status = cp_guarded(&session, &pair);
    status = session_close(&session, status);
    pair_clear(&pair);
    return status;
}

static enum status copy_up(const struct options *options)
{
    const char *file = options->operand[0];
    struct usage usage = {0};
    struct location to = {0};
    struct session session;
    enum status status;

    if (!refuse_given(options, sources, "an upload", &usage) ||
        !location_parse(options->operand[1], LOCATION_PREFIX, options, &to, &usage) ||
        !copy_complete_target(&to, file, &usage) || !guarded_check(options, false, &usage)) {
        location_clear(&to);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, to.store);
    if (status == STATUS_DONE)
        status = transfer_up(&session, &to, file);
    status = session_close(&session, status);
    location_clear(&to);
    return status;
}

/* A folder takes the object's last part; NULL without memory or name. */
static char *local_target(const char *file, const char *key)
{
    struct stat info;
    bool is_folder = strcmp(file, "-") != 0 && stat(file, &info) == 0 && S_ISDIR(info.st_mode);
    const char *last = location_last_part(key);
    size_t size = strlen(file) + strlen(last) + 2;
    char *path;

    if (!is_folder)
        return strdup(file);
    path = last[0] == '\0' ? NULL : malloc(size);
    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s", file, file[strlen(file) - 1] == '/' ? "" : "/", last);
    return path;
}

static enum status copy_down(const struct options *options)
{
    const char *named = options->operand[1];
    struct usage usage = {0};
    struct location from = {0};
    struct session session;
    enum status status;
    char *file;

    if (!refuse_given(options, guards, "a download: guards are for writes to a store", &usage) ||
        !refuse_given(options, headers, "a download", &usage) ||
        !refuse_given(options, sources, "a download", &usage) || !transfer_down_check(options, named, &usage) ||
        !location_parse(options->operand[0], LOCATION_OBJECT, options, &from, &usage))
        return output_usage(options, &usage);
    file = local_target(named, from.key);
    if (file == NULL) {
        (void)usage_refuse(&usage, "\"%.200s\" does not end in a name for a file in \"%.200s\": name the file.",
                           from.url, named);
        location_clear(&from);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, from.store);
    if (status == STATUS_DONE)
        status = transfer_down(&session, &from, file, 0, 0);
    status = session_close(&session, status);
    free(file);
    location_clear(&from);
    return status;
}

static enum status cp_run(const struct options *options)
{
    bool from_store = location_is_url(options->operand[0]);
    bool to_store = location_is_url(options->operand[1]);
    static const enum option_id of_many[] = {OPTION_JOBS, OPTION_MANIFEST, OPTION_LITERAL, OPTION_COUNT};
    struct usage usage = {0};

    if (options_on(options, OPTION_RECURSIVE))
        return many_run(options, false);
    if (!refuse_given(options, of_many, "a single object: give --recursive", &usage))
        return output_usage(options, &usage);
    if (!from_store && !to_store) {
        bool keys = options_text(options, OPTION_STORE) != NULL && strcmp(options->operand[0], "-") != 0 &&
                    strcmp(options->operand[1], "-") != 0;
        if (!keys) {
            (void)usage_refuse(&usage, "At least one of the two operands must be the URL of an object.");
            return output_usage(options, &usage);
        }
        return copy_inside(options); /* two bare names with --store are two keys */
    }
    if (from_store && to_store)
        return copy_inside(options);
    return to_store ? copy_up(options) : copy_down(options);
}

static const enum option_id own_options[] = {
    OPTION_IF_ABSENT,   OPTION_IF_MATCH,    OPTION_SOURCE_ETAG, OPTION_SOURCE_VERSION_ID,
    OPTION_TICKET_FILE, OPTION_RECURSIVE,   OPTION_JOBS,        OPTION_MANIFEST,
    OPTION_LITERAL,     OPTIONS_OF_HEADERS, OPTION_COUNT};

const struct command command_cp = {
    .name = "cp",
    .operands = "FROM TO",
    .summary = "copy: file to object, object to file, object to object",
    .description =
        "Objects are named by URL. Anything else is a file (- is stdin or stdout), but two bare names with --store "
        "are\n"
        "two keys. If the target is a folder or ends with a slash, the last part of the source's name is added to it.\n"
        "A copy inside a store needs --if-absent or --if-match. It keeps the source's headers and metadata.\n"
        "With --recursive all files below a folder, or all objects below a URL, are copied, --jobs at a time. Writes "
        "to\n"
        "a store need --if-absent then; each has its own verdict, and the exit status is that of the worst: 4, 5, 1, "
        "77,\n"
        "69, 66, 3, 74, 0. Symbolic links are not followed. --deadline-ms is for each file. A source in a store may be "
        "a\n"
        "pattern then, as of `oscommit get`.\n",
    .examples =
        "oscommit cp report.csv s3://bucket/2026/ --if-absent --ledger dynamodb://commits\n"
        "oscommit cp s3://bucket/2026/report.csv .\n"
        "oscommit cp -r out/ s3://bucket/2026/11/ --if-absent --manifest out.jsonl --ledger dynamodb://commits\n"
        "oscommit cp s3://bucket/state s3://bucket/state --source-version-id V1 --if-match '\"9b2c...\"' --ledger "
        "dynamodb://commits\n"
        "oscommit cp s3://bucket/staging/0001 s3://bucket/data/0001 --if-absent --ledger dynamodb://commits\n",
    .options = own_options,
    .min_operands = 2,
    .max_operands = 2,
    .run = cp_run,
};
