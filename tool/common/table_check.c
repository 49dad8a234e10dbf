/* SPDX-License-Identifier: Apache-2.0 */
#include "common/table_check.h"

#include "cli/clean.h"
#include "cli/streams.h"
#include "cli/verdict.h"

#include <stdio.h>
#include <string.h>

/* "s3://bucket/table/" is the table without the slash. */
bool table_operand_take(const struct options *options, struct location *ret, struct usage *usage)
{
    char name[4096];
    size_t length = strlen(options->operand[0]);

    if (length >= sizeof(name))
        return usage_refuse(usage, "The name of the table is longer than %zu bytes.", sizeof(name) - 1);
    memcpy(name, options->operand[0], length + 1);
    while (length > 1 && name[length - 1] == '/')
        name[--length] = '\0';
    return location_parse(name, LOCATION_PREFIX, options, ret, usage);
}

static void show_json(const struct findings *findings, const struct finding *finding)
{
    struct output *output = &findings->session->output;
    struct json_line line;

    output_json_begin(output, &line, findings->url, "found");
    json_line_text(&line, "kind", finding->kind);
    if (finding->version >= 0)
        json_line_signed(&line, "version", finding->version);
    json_line_text(&line, "name", finding->name);
    json_line_text(&line, "sentence", finding->sentence);
    (void)output_json_print(output, &line);
}

int findings_show(struct findings *findings, const struct finding *finding)
{
    struct output *output = &findings->session->output;

    findings->count++;
    progress_clear(&output->progress);
    if (output->json) {
        show_json(findings, finding);
    } else if (!output->quiet) {
        (void)printf("%s: ", finding->kind);
        clean_print(stdout, finding->sentence);
        (void)puts("");
    }
    return streams_good() ? 0 : 1;
}

enum status findings_finish(const struct findings *findings, os_code code, const os_error *error)
{
    if (code == OS_OK && findings->count == 0)
        return output_checked(&findings->session->output, findings->url, findings->looked_at);
    if (code != OS_OK)
        return output_outcome(&findings->session->output, findings->url, status_of_read(error), error);
    return STATUS_NOT_EXECUTED;
}
