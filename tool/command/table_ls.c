/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/settings.h"
#include "command/commands.h"
#include "common/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    struct session *session;
    const struct location *at;
    bool stuck; /* only what is in somebody's way */
    bool output_failed;
};

/* Whether the next writer of the key would expect what this record is of. An object that is there is created by nobody,
 * and a version that is gone is replaced by nobody; where the store does not say, it may be. */
static bool is_in_the_way(const struct listing *listing, const os_record *record)
{
    os_object object = OS_OBJECT_INIT;
    os_error error = {0};

    if (listing->at->store == NULL || record->key == NULL)
        return true;
    os_code code = os_head(listing->session->client, record->key, &listing->session->call, &object, &error);
    if (strcmp(record->etag, "*") == 0)
        return code != OS_OK;
    return code == OS_OK ? strcmp(object.etag, record->etag) == 0 : code != OS_ERR_NOT_FOUND;
}

static bool is_wanted(const struct listing *listing, const os_record *record, const struct table_view *view)
{
    return !listing->stuck || (table_may_be_stuck(view) && is_in_the_way(listing, record));
}

/* How to hand it over, below it. */
static void show_mend(const struct listing *listing, const os_record *record)
{
    (void)fputs("          oscommit table release ", stdout);
    if (record->key != NULL && listing->at->store != NULL) {
        char *url = location_url_of(listing->at, record->key);
        clean_print_quoted(stdout, url == NULL ? record->key : url);
        free(url);
    } else {
        clean_print_quoted(stdout, record->path);
    }
    if (listing->at->store == NULL) { /* whose time a release needs */
        (void)fputs(" --store s3://", stdout);
        clean_print(stdout, record->bucket != NULL && record->bucket[0] != '\0' ? record->bucket : "BUCKET");
    }
    (void)fputs(" --etag ", stdout);
    clean_print_quoted(stdout, record->etag);
    (void)fputs(" --force", stdout);
    settings_print_given(stdout, listing->session->options);
    (void)fputc('\n', stdout);
}

static int table_ls_each(void *context, const os_record *record)
{
    struct listing *listing = context;
    struct output *output = &listing->session->output;
    struct table_view view;

    table_view(record, listing->session->options, &view);
    if (!is_wanted(listing, record, &view))
        return 0;
    listing->output_failed = !table_show_record(output, record, &view, false);
    if (listing->stuck && output_is_human(output))
        show_mend(listing, record);
    return listing->output_failed ? 1 : 0;
}

static enum status table_ls_run(const struct options *options)
{
    const char *name = options->operand_count > 0 ? options->operand[0] : NULL;
    struct session session;
    struct location at;
    struct listing listing = {.session = &session, .at = &at, .stuck = options_on(options, OPTION_STUCK)};
    enum status status = table_open(&session, options, name, LOCATION_PREFIX, &at);

    if (status == STATUS_DONE) {
        os_error error = {0};
        os_code code = os_table_list(session.client, NULL, &session.call, table_ls_each, &listing, &error);
        if (listing.output_failed)
            status = STATUS_OUTPUT;
        else if (code != OS_OK)
            status = output_outcome(&session.output, at.url, status_of_read(&error), &error);
    }
    return table_close(&session, &at, status);
}

static const enum option_id own_options[] = {OPTION_STUCK, OPTION_COUNT};

const struct command command_table_ls = {
    .name = "table ls",
    .operands = "[URL]",
    .summary = "list the records of the whole table",
    .description =
        "Lists every record: its state, since when, until when (both in local time), its writer (the beginning of the\n"
        "nonce), path, etag (* for a creation). Most are leftovers of committed writes: they block nobody, and TTL\n"
        "removes them. The states:\n"
        "  over      its fence has passed: its write was applied, or never will be\n"
        "  released  any writer may take it at once\n"
        "  live      its writer may still write, until then\n"
        "  unfenced  each other writer that wants this version waits the whole lease\n"
        "  endless   nobody takes it over: its fence or lease never ends, or it has the last generation\n"
        "  damaged   not a record: it blocks every writer\n"
        "--stuck lists the last two only, and unfenced ones whose own lease has passed. If the store is named, it "
        "leaves\n"
        "out records that block nobody, by what the objects show. It prints the command that releases each.\n",
    .examples = "oscommit table ls --ledger dynamodb://commits\n"
                "oscommit table ls s3://bucket --ledger dynamodb://commits --stuck\n"
                "oscommit table ls --store file:///srv/store --json | jq 'select(.state == \"live\")'\n",
    .options = own_options,
    .max_operands = 1,
    .run = table_ls_run,
};
