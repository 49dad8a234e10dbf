/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/lance.h"
#include "common/table_check.h"

static const char *const kinds[] = {
    [OS_LANCE_STAGED_LEFT] = "staged manifest left", [OS_LANCE_FIRST_SCHEME] = "first naming scheme",
    [OS_LANCE_ROW_INCOMPLETE] = "row incomplete",    [OS_LANCE_ROW_WITHOUT_VERSION] = "row without version",
    [OS_LANCE_ROW_MISSING] = "row missing",          [OS_LANCE_SIZE_DIFFERS] = "size differs"};

static int show(void *context, const os_lance_finding *finding)
{
    const struct finding found = {kinds[finding->kind], finding->version > 0 ? (int64_t)finding->version : -1,
                                  finding->name, finding->sentence};

    return findings_show(context, &found);
}

static enum status check(struct lance_session *lance)
{
    struct findings findings = {.session = &lance->session, .url = lance->table.url};
    os_error error = {0};

    findings.looked_at = lance->how.manifest_store != NULL
                             ? "Nothing was found. The versions and staged manifests were listed, and compared with "
                               "every row of the manifest store."
                             : "Nothing was found. The versions and staged manifests were listed.";
    os_code code = os_lance_check(lance->session.client, lance->table.key, &lance->how, &lance->session.call, show,
                                  &findings, &error);

    return findings_finish(&findings, code, &error);
}

static enum status lance_check_run(const struct options *options)
{
    struct lance_session lance;
    enum status status = lance_session_open(&lance, options);

    if (status == STATUS_DONE)
        status = check(&lance);
    return lance_session_close(&lance, status);
}

static const enum option_id own_options[] = {OPTION_MANIFEST_STORE, OPTION_COUNT};

const struct command command_lance_check = {
    .name = "lance check",
    .operands = "TABLE",
    .summary = "find what writers have left of a Lance table",
    .description =
        "Looks for staged manifests that were left; with --manifest-store also for rows that are incomplete or whose\n"
        "version is lost, for versions that have no row, as writers leave them that do not ask the rows, and for\n"
        "versions that such a writer has overwritten. Prints a line for each. Lists the versions and the rows.\n"
        "Changes nothing.\n",
    .examples = "oscommit lance check s3://bucket/events\n"
                "oscommit lance check s3://bucket/events --manifest-store dynamodb://lance\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .exit_status = "   0  nothing was found\n"
                   "   1  something was found, or not everything could be looked at\n"
                   "   2  bad usage or settings\n"
                   "  66  there is no such table\n"
                   "  69  the store or the table of rows cannot be reached\n"
                   "  77  access denied, or no usable credentials\n",
    .run = lance_check_run,
};
