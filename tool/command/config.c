/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"
#include "cli/clean.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/streams.h"
#include "command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a value comes from. */
struct origin {
    const char *kind;     /* "flag", "environment", "file", "default" */
    const char *value;    /* NULL: none of its own */
    const char *variable; /* "environment" */
    const struct config_setting *in_file;
};

enum { VARIABLE_SIZE = 64 };

/* The library reads these itself, where nothing else says it. Whether a profile's file says it, is not looked at here. */
static const struct {
    enum option_id id;
    const char *variables[3]; /* the first that is set counts */
} of_aws[] = {
    {OPTION_REGION, {"AWS_REGION", "AWS_DEFAULT_REGION"}},
    {OPTION_S3_ENDPOINT, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}},
    {OPTION_DYNAMODB_ENDPOINT, {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"}},
    {OPTION_PROFILE, {"AWS_PROFILE"}},
};

static bool find_aws(const struct options *options, enum option_id id, struct origin *ret)
{
    bool is_endpoint = id == OPTION_S3_ENDPOINT || id == OPTION_DYNAMODB_ENDPOINT;

    if (is_endpoint && settings_endpoint(options, id) != NULL)
        return false;
    for (size_t i = 0; i < sizeof(of_aws) / sizeof(of_aws[0]); i++)
        for (size_t j = 0; of_aws[i].id == id && of_aws[i].variables[j] != NULL; j++) {
            const char *value = getenv(of_aws[i].variables[j]);
            if (value != NULL && value[0] != '\0') {
                *ret = (struct origin){.kind = "environment", .value = value, .variable = of_aws[i].variables[j]};
                return true;
            }
        }
    return false;
}

static void find_origin(const struct options *options, enum option_id id, char variable[VARIABLE_SIZE],
                        struct origin *ret)
{
    const char *value = options_text(options, id);

    if (option_table[id].kind == OPTION_KIND_SWITCH && (options_on(options, id) || options->distance[id] > 0))
        value = options_on(options, id) ? "true" : "false";
    *ret = (struct origin){.kind = "default"};
    if (value == NULL && find_aws(options, id, ret))
        return;
    ret->value = value;
    if (options->in_file[id] != NULL) {
        ret->kind = "file";
        ret->in_file = options->in_file[id];
    } else if (options->distance[id] == DISTANCE_VARIABLE) {
        option_variable(id, variable, VARIABLE_SIZE);
        ret->kind = "environment";
        ret->variable = variable;
    } else if (value != NULL) {
        ret->kind = "flag";
    }
}

static void print_origin(const struct config *config, enum option_id id, const struct origin *origin)
{
    char section[CONFIG_PLACE_SIZE];

    (void)printf("%-20s ", option_table[id].name);
    clean_print(stdout, origin->value == NULL ? "-" : origin->value);
    (void)fputs("  (", stdout);
    if (origin->in_file != NULL) {
        config_section_name(origin->in_file->section, section, sizeof(section));
        (void)printf("line %zu%s", origin->in_file->line, section[0] == '\0' ? "" : " of ");
        clean_print(stdout, section);
        (void)fputs(" in ", stdout);
        clean_print(stdout, config->path);
    } else if (origin->variable != NULL) {
        (void)fputs(origin->variable, stdout);
    } else if (origin->value != NULL) {
        (void)printf("--%s", option_table[id].name);
    } else {
        (void)fputs("default", stdout);
    }
    (void)fputs(")\n", stdout);
}

static bool print_origin_json(struct output *output, const struct config *config, enum option_id id,
                              const struct origin *origin)
{
    struct json_line line;
    char section[CONFIG_PLACE_SIZE];

    output_json_begin(output, &line, NULL, status_name(STATUS_DONE));
    json_line_text(&line, "setting", option_table[id].name);
    json_line_text(&line, "value", origin->value);
    json_line_text(&line, "from", origin->kind);
    json_line_text(&line, "variable", origin->variable);
    if (origin->in_file != NULL) {
        config_section_name(origin->in_file->section, section, sizeof(section));
        json_line_text(&line, "file", config->path);
        json_line_number(&line, "line", origin->in_file->line);
        json_line_text(&line, "section", section);
    }
    return output_json_print(output, &line);
}

static enum status print_settings(const struct options *options, struct output *output)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        char variable[VARIABLE_SIZE];
        struct origin origin;
        if (option_table[id].scope != OPTION_SCOPE_SETTING)
            continue;
        find_origin(options, (enum option_id)id, variable, &origin);
        if (origin.value == NULL && !options_on(options, OPTION_ALL))
            continue;
        if (origin.value != NULL && settings_has_userinfo(origin.value))
            origin.value = "(not shown: it carries credentials)";
        if (output->json && !print_origin_json(output, options->config, (enum option_id)id, &origin))
            return STATUS_OUTPUT;
        if (!output->json)
            print_origin(options->config, (enum option_id)id, &origin);
    }
    return STATUS_DONE;
}

static enum status config_run(const struct options *options)
{
    struct output output;

    output_start(&output, options);
    progress_end(&output.progress);
    if (output.quiet)
        return STATUS_DONE;
    if (!output.json) {
        (void)fputs("config file          ", stdout);
        clean_print(stdout, options->config->path == NULL ? "none" : options->config->path);
        (void)fputc('\n', stdout);
    }
    return print_settings(options, &output);
}

const struct command command_config = {
    .name = "config",
    .operands = "[URL]",
    .summary = "show which settings hold for a URL, and from where",
    .description =
        "Shows each setting that is given, and where: by a flag, a variable, or a line of the config file. With --all\n"
        "also those that have their default. What holds for a URL can differ from what holds for another. Sends "
        "nothing,\n"
        "and reads no credentials: what a profile's file of AWS says of region and endpoint is not shown.\n",
    .examples = "oscommit config s3://bucket/data/0001\n"
                "oscommit config s3://bucket --json --all | jq -r 'select(.setting == \"ledger\").value'\n",
    .max_operands = 1,
    .run = config_run,
};
