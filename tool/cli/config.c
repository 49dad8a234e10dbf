/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings of the config file hold for a command. */
#include "cli/config.h"

#include "cli/location.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the command is about, as URLs. */
struct subjects {
    char *urls[OPERANDS_MAX + 1];
    size_t count;
};

void config_section_name(const struct config_section *section, char *ret, size_t ret_size)
{
    if (section->kind == CONFIG_EVERYWHERE)
        ret[0] = '\0';
    else
        (void)snprintf(ret, ret_size, section->kind == CONFIG_STORE ? "[store.\"%.250s\"]" : "[profile.%.250s]",
                       section->name);
}

static bool lies_in(const char *url, const char *store)
{
    size_t length = strlen(store);

    return strncmp(url, store, length) == 0 && (url[length] == '\0' || url[length] == '/');
}

/* The longer name is the closer one. */
static int compare_length(const void *a, const void *b)
{
    size_t first = strlen((*(const struct config_section *const *)a)->name);
    size_t second = strlen((*(const struct config_section *const *)b)->name);

    return first > second ? -1 : first < second ? 1 : 0;
}

size_t config_match(const struct config *config, const char *profile, const char *url,
                    const struct config_section *ret[CONFIG_SECTIONS_MAX])
{
    size_t stores;
    size_t count = 0;

    for (size_t i = 0; i < config->count && profile != NULL; i++)
        if (config->sections[i]->kind == CONFIG_PROFILE && strcmp(config->sections[i]->name, profile) == 0)
            ret[count++] = config->sections[i];
    stores = count;
    for (size_t i = 0; i < config->count && url != NULL; i++)
        if (config->sections[i]->kind == CONFIG_STORE && lies_in(url, config->sections[i]->name))
            ret[count++] = config->sections[i];
    qsort((void *)(ret + stores), count - stores, sizeof(*ret), compare_length);
    if (config->count > 0)
        ret[count++] = config->sections[0];
    return count;
}

static void take(struct options *options, enum option_id id, const struct config_setting *setting, size_t rank)
{
    if (option_table[id].kind == OPTION_KIND_SWITCH)
        options->given[id] = strcmp(setting->text, "true") == 0 ? 1 : 0;
    else
        options->value[id] = setting->text;
    options->distance[id] = DISTANCE_FILE + (unsigned)rank;
    options->in_file[id] = setting;
}

static void take_open(struct options *options, const struct config_section *const *sections, size_t count)
{
    for (size_t rank = 0; rank < count; rank++)
        for (int id = 0; id < OPTION_COUNT; id++)
            if (sections[rank]->settings[id].text != NULL && option_is_open(options, (enum option_id)id))
                take(options, (enum option_id)id, &sections[rank]->settings[id], rank);
}

/* Leases and locks belong to no object. */
static bool is_about_objects(const struct command *command)
{
    return strncmp(command->name, "lock", 4) != 0 && strncmp(command->name, "lease", 5) != 0;
}

static bool add_subject(struct subjects *subjects, const char *store, const char *name)
{
    size_t length = strlen(store);
    char *url;

    while (length > 0 && store[length - 1] == '/')
        length--;
    url = malloc(length + strlen(name) + 2);
    if (url == NULL)
        return false;
    memcpy(url, store, length);
    (void)sprintf(url + length, "%s%s", name[0] == '\0' ? "" : "/", name);
    subjects->urls[subjects->count++] = url;
    return true;
}

/* The operands that are URLs; where none is, those that may be keys of the store; else the store. */
static bool find_subjects(const struct options *options, struct subjects *ret)
{
    const char *store = options_text(options, OPTION_STORE);
    bool good = true;

    ret->count = 0;
    if (!is_about_objects(options->command))
        return true;
    for (size_t i = 0; good && i < options->operand_count; i++)
        if (location_is_url(options->operand[i]))
            good = add_subject(ret, options->operand[i], "");
    if (ret->count > 0 || store == NULL)
        return good;
    for (size_t i = options->command->reads_file ? 1 : 0; good && i < options->operand_count; i++)
        good = add_subject(ret, store, options->operand[i]);
    return good && (ret->count > 0 || add_subject(ret, store, ""));
}

static void clear_subjects(struct subjects *subjects)
{
    for (size_t i = 0; i < subjects->count; i++)
        free(subjects->urls[i]);
}

static const char *effective(const struct config_section *const *sections, size_t count, enum option_id id)
{
    for (size_t i = 0; i < count; i++)
        if (sections[i]->settings[id].text != NULL)
            return sections[i]->settings[id].text;
    return NULL;
}

/* One client serves all operands, with one ledger and one set of promises. */
static bool check_alike(const struct config *config, const struct options *options, const struct subjects *subjects,
                        struct usage *usage)
{
    const char *profile = options_text(options, OPTION_CONFIG_PROFILE);
    const struct config_section *first[CONFIG_SECTIONS_MAX];
    size_t first_count = config_match(config, profile, subjects->urls[0], first);

    for (size_t i = 1; i < subjects->count; i++) {
        const struct config_section *other[CONFIG_SECTIONS_MAX];
        size_t count = config_match(config, profile, subjects->urls[i], other);
        for (int id = 0; id < OPTION_COUNT; id++) {
            const char *a = effective(first, first_count, (enum option_id)id);
            const char *b = effective(other, count, (enum option_id)id);
            bool same = a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
            if (!same && option_is_open(options, (enum option_id)id)) {
                return usage_refuse(usage,
                                    "The config file %.200s has different settings (%s) for %.200s and %.200s, and one "
                                    "command cannot follow both: give --%s.",
                                    config->path, option_table[id].name, subjects->urls[0], subjects->urls[i],
                                    option_table[id].name);
            }
        }
    }
    return true;
}

/* Does the command write to, or remove, keys for which a section below has settings of its own? */
static bool check_below(const struct config *config, const struct options *options, const struct subjects *subjects,
                        struct usage *usage)
{
    bool covers = options->command->covers_keys || options_on(options, OPTION_RECURSIVE);

    if (!covers || strcmp(options->command->name, "ls") == 0)
        return true;
    for (size_t i = 0; i < subjects->count; i++) {
        size_t length = strlen(subjects->urls[i]);
        for (size_t j = 0; j < config->count; j++) {
            const struct config_section *section = config->sections[j];
            bool is_below = section->kind == CONFIG_STORE && !lies_in(subjects->urls[i], section->name) &&
                            strncmp(section->name, subjects->urls[i], length) == 0;
            if (is_below) {
                return usage_refuse(usage,
                                    "The config file %.200s has settings of its own for %.200s (line %zu), which lies "
                                    "below %.200s: run the command for each of the two, or with --config /dev/null.",
                                    config->path, section->name, section->line, subjects->urls[i]);
            }
        }
    }
    return true;
}

static bool check_profile(const struct config *config, const char *profile, struct usage *usage)
{
    if (profile == NULL)
        return true;
    for (size_t i = 0; i < config->count; i++)
        if (config->sections[i]->kind == CONFIG_PROFILE && strcmp(config->sections[i]->name, profile) == 0)
            return true;
    if (config->path == NULL)
        return usage_refuse(usage, "There is no config file, and so no profile \"%.64s\" in it.", profile);
    return usage_refuse(usage, "The config file %.300s has no section [profile.%.64s].", config->path, profile);
}

/* What was said for all stores holds for none of files, which has its own ledger. */
static void leave_ledger_out(struct options *options, const struct subjects *subjects)
{
    const struct config_setting *setting = options->in_file[OPTION_LEDGER];
    bool is_for_all = options->distance[OPTION_LEDGER] == DISTANCE_VARIABLE ||
                      (setting != NULL && setting->section->kind == CONFIG_EVERYWHERE);

    if (!is_for_all || subjects->count == 0 || strncmp(subjects->urls[0], "file://", strlen("file://")) != 0)
        return;
    options->value[OPTION_LEDGER] = NULL;
    options->in_file[OPTION_LEDGER] = NULL;
    options->distance[OPTION_LEDGER] = 0;
}

bool config_apply(const struct config *config, struct options *options, struct usage *usage)
{
    const char *profile = options_text(options, OPTION_CONFIG_PROFILE);
    const struct config_section *sections[CONFIG_SECTIONS_MAX];
    struct subjects subjects;
    size_t count;
    bool good;

    options->config = config;
    if (!check_profile(config, profile, usage))
        return false;
    count = config_match(config, profile, NULL, sections);
    for (size_t i = 0; i < count; i++)
        if (sections[i]->settings[OPTION_STORE].text != NULL && option_is_open(options, OPTION_STORE))
            take(options, OPTION_STORE, &sections[i]->settings[OPTION_STORE], i);
    good = find_subjects(options, &subjects);
    if (!good)
        (void)usage_refuse(usage, "There is not enough memory.");
    if (good && subjects.count > 0)
        good = check_alike(config, options, &subjects, usage) && check_below(config, options, &subjects, usage);
    if (good) {
        count = config_match(config, profile, subjects.count > 0 ? subjects.urls[0] : NULL, sections);
        take_open(options, sections, count);
        leave_ledger_out(options, &subjects);
    }
    clear_subjects(&subjects);
    return good;
}
