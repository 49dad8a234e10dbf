/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a config file of the tool. It is refused with a sentence, or each setting has a value that the option can
 * have, in a section that its line stands in; and what holds for a URL is one of them. The same bytes are read
 * as a TRACEPARENT.
 */
#include "fuzz.h"

#include "cli/config.h"
#include "cli/settings.h"
#include "cli/trace.h"

#include <stdlib.h>
#include <string.h>

static void check_setting(const struct config_section *section, enum option_id id)
{
    const struct config_setting *setting = &section->settings[id];
    struct usage usage = {0};

    if (setting->text == NULL)
        return;
    FUZZ_CHECK(setting->section == section && setting->line >= section->line);
    FUZZ_CHECK(option_table[id].scope == OPTION_SCOPE_SETTING && !option_table[id].not_in_file);
    FUZZ_CHECK(!settings_has_userinfo(setting->text));
    if (option_table[id].kind == OPTION_KIND_SWITCH)
        FUZZ_CHECK(strcmp(setting->text, "true") == 0 || strcmp(setting->text, "false") == 0);
    else
        FUZZ_CHECK(option_check(id, option_table[id].name, setting->text, &usage));
}

static void check_apply(const struct config *config)
{
    static const struct command command = {.name = "head"};
    struct options options = {.command = &command, .operand = {"s3://b/logs/1"}, .operand_count = 1};
    struct usage usage = {0};

    FUZZ_CHECK(config_apply(config, &options, &usage));
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct config_setting *setting = options.in_file[id];
        FUZZ_CHECK((setting != NULL) == (options.distance[id] >= DISTANCE_FILE));
        FUZZ_CHECK(setting == NULL || setting->section->kind != CONFIG_PROFILE); /* none was asked for */
    }
}

/* A value of TRACEPARENT: the ids stand in it. */
static void check_trace(const uint8_t *data, size_t size)
{
    struct trace trace;
    char *text = fuzz_string(data, size);
    if (trace_parse(text, &trace)) {
        FUZZ_CHECK(strlen(trace.trace_id) == TRACE_ID_SIZE - 1 && strlen(trace.span_id) == SPAN_ID_SIZE - 1);
        FUZZ_CHECK(memcmp(trace.trace_id, text + 3, TRACE_ID_SIZE - 1) == 0);
        FUZZ_CHECK(trace.flags <= 1);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config;
    struct usage usage = {0};

    check_trace(data, size);
    if (!config_read(fuzz_string((const uint8_t *)"FILE", 4), fuzz_string(data, size), size, &config, &usage)) {
        fuzz_check_string(usage.message, sizeof(usage.message));
        FUZZ_CHECK(usage.message[0] != '\0' && config.count == 0 && config.data == NULL);
        return 0;
    }
    for (size_t i = 0; i < config.count; i++)
        for (int id = 0; id < OPTION_COUNT; id++)
            check_setting(config.sections[i], (enum option_id)id);
    check_apply(&config);
    config_free(&config);
    return 0;
}
