/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/streams.h"
#include "cli/verdict.h"
#include "command/commands.h"
#include "common/lance.h"

#include <inttypes.h>
#include <stdio.h>

static void show(struct lance_session *lance, uint64_t completed)
{
    struct output *output = &lance->session.output;
    struct json_line line;

    if (output->json) {
        output_json_begin(output, &line, lance->table.url, "done");
        json_line_number(&line, "completed", completed);
        (void)output_json_print(output, &line);
    } else if (!output->quiet) {
        (void)printf("completed %" PRIu64 " row%s of ", completed, completed == 1 ? "" : "s");
        clean_print(stdout, lance->table.url);
        (void)puts("");
    }
}

static enum status resolve(struct lance_session *lance)
{
    uint64_t completed = 0;
    os_error error = {0};
    os_code code = os_lance_resolve(lance->session.client, lance->table.key, &lance->how, &lance->session.call,
                                    &completed, &error);

    if (code == OS_OK) {
        show(lance, completed);
        return STATUS_DONE;
    }
    return output_outcome(&lance->session.output, lance->table.url, status_of_read(&error), &error);
}

static enum status lance_resolve_run(const struct options *options)
{
    struct lance_session lance;
    enum status status = lance_session_open(&lance, options);

    if (status == STATUS_DONE)
        status = resolve(&lance);
    return lance_session_close(&lance, status);
}

static const enum option_id own_options[] = {OPTION_MANIFEST_STORE, OPTION_COUNT};

const struct command command_lance_resolve = {
    .name = "lance resolve",
    .operands = "TABLE",
    .summary = "complete the rows of a Lance table whose writers have died",
    .description =
        "Such a row is a commit that was decided already. Writes the version that it is for, unless it is there, and\n"
        "then its final name into the row, as any reader of Lance would. Safe beside writers. --manifest-store names\n"
        "the table of rows.\n",
    .examples = "oscommit lance resolve s3://bucket/events --manifest-store dynamodb://lance\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .exit_status = "   0  no row is incomplete\n"
                   "   1  a row could not be completed; the message says which, and why\n"
                   "   2  bad usage or settings\n"
                   "  66  there is no such table\n"
                   "  69  the store or the table of rows cannot be reached\n"
                   "  77  access denied, or no usable credentials\n",
    .run = lance_resolve_run,
};
