/* SPDX-License-Identifier: Apache-2.0 */
/* The text of the config file as sections of settings. */
#include "cli/config.h"

#include "cli/settings.h"
#include "cli/suggest.h"
#include "cli/toml.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct building {
    struct config *config;
    struct config_section *section;
    struct usage *usage;
};

static bool no_room(const struct building *building)
{
    return usage_refuse(building->usage, "There is not enough memory.");
}

/* "FILE:LINE: " in front of what is wrong. */
static bool refuse_line(const struct building *building, size_t line, const char *sentence)
{
    return usage_refuse(building->usage, "%.300s:%zu: %s", building->config->path, line, sentence);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool add_section(struct building *building, enum config_kind kind, const char *name, size_t line)
{
    struct config *config = building->config;

    if (config->count == CONFIG_SECTIONS_MAX)
        return refuse_line(building, line, "there are too many sections, more than 256.");
    struct config_section *section = calloc(1, sizeof(*section));
    if (section == NULL)
        return no_room(building);
    section->kind = kind;
    section->name = name;
    section->line = line;
    config->sections[config->count++] = section;
    building->section = section;
    return true;
}

/* "s3://BUCKET[/PREFIX]" or "file:///PATH", without a slash at its end. */
static bool check_store(const struct building *building, const char *url, size_t line)
{
    size_t length = strlen(url);
    bool is_bucket = begins(url, "s3://") && url[5] != '\0' && url[5] != '/';
    bool is_folder = begins(url, "file:///") && url[8] != '\0' && url[8] != '/';

    if (settings_has_userinfo(url))
        return refuse_line(building, line, "a URL must not carry credentials: use profile or the AWS_* variables.");
    if (!is_bucket && !is_folder)
        return refuse_line(building, line,
                           "the name of a store section is s3://BUCKET[/PREFIX] or file:///FOLDER, in quotes.");
    if (url[length - 1] == '/')
        return refuse_line(building, line, "leave out the slash at the end of the URL.");
    return true;
}

static bool take_table(void *context, const char *name, const char *second, size_t line)
{
    struct building *building = context;
    const struct config *config = building->config;
    enum config_kind kind = strcmp(name, "store") == 0 ? CONFIG_STORE : CONFIG_PROFILE;

    if ((kind == CONFIG_PROFILE && strcmp(name, "profile") != 0) || second == NULL || second[0] == '\0')
        return refuse_line(building, line, "a section is [store.\"URL\"] or [profile.NAME].");
    if (kind == CONFIG_STORE && !check_store(building, second, line))
        return false;
    for (size_t i = 1; i < config->count; i++)
        if (config->sections[i]->kind == kind && strcmp(config->sections[i]->name, second) == 0)
            return refuse_line(building, line, "this section stands further up, too: put its settings there.");
    return add_section(building, kind, second, line);
}

/* Does the name of a key promise what must not be in the file? */
static bool is_secret(const char *key)
{
    static const char *const words[] = {"secret",     "password",   "passwd",     "token",
                                        "credential", "access-key", "access_key", "private-key"};
    char lower[64];
    size_t length = 0;

    for (; key[length] != '\0' && length + 1 < sizeof(lower); length++)
        lower[length] = (char)tolower((unsigned char)key[length]);
    lower[length] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(lower, words[i]) != NULL)
            return true;
    return false;
}

static bool refuse_key(const struct building *building, const char *key, size_t line)
{
    struct suggestion suggestion;
    char sentence[256];

    if (is_secret(key)) {
        return refuse_line(building, line,
                           "there is no key for a secret, and none may stand in this file: use profile, the AWS_* "
                           "variables or the files of AWS.");
    }
    suggest_begin(&suggestion, key);
    for (int id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].scope == OPTION_SCOPE_SETTING && !option_table[id].not_in_file)
            suggest_consider(&suggestion, option_table[id].name);
    (void)snprintf(sentence, sizeof(sentence), "there is no setting \"%.64s\".%s%s%s", key,
                   suggestion.best == NULL ? "" : " Did you mean ", suggestion.best == NULL ? "" : suggestion.best,
                   suggestion.best == NULL ? "" : "?");
    return refuse_line(building, line, sentence);
}

static enum option_id find_setting(const char *key)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].scope == OPTION_SCOPE_SETTING && !option_table[id].not_in_file &&
            strcmp(option_table[id].name, key) == 0)
            return (enum option_id)id;
    return OPTION_COUNT;
}

static bool check_kind(const struct building *building, enum option_id id, enum toml_kind kind, size_t line)
{
    static const struct {
        enum toml_kind kind;
        const char *sentence;
    } wanted[] = {
        [OPTION_KIND_SWITCH] = {TOML_BOOLEAN, "this setting is true or false, without quotes."},
        [OPTION_KIND_NUMBER] = {TOML_NUMBER, "this setting is a whole number, without quotes."},
        [OPTION_KIND_TEXT] = {TOML_STRING, "this setting is a text, in quotes."},
        [OPTION_KIND_CHOICE] = {TOML_STRING, "this setting is a text, in quotes."},
    };
    enum option_kind of = option_table[id].kind;

    if (kind != wanted[of].kind)
        return refuse_line(building, line, wanted[of].sentence);
    return true;
}

/* A command may start in any folder. */
static bool is_relative_file(enum option_id id, const char *text)
{
    size_t length = strlen(text);
    bool is_file = id == OPTION_CA_FILE || id == OPTION_METRICS ||
                   (id == OPTION_STORE_PROFILE &&
                    (strchr(text, '/') != NULL || (length > 5 && strcmp(text + length - 5, ".json") == 0)));

    return is_file && text[0] != '/';
}

static bool check_text(const struct building *building, enum option_id id, const char *text, size_t line)
{
    struct usage why = {0};

    if (settings_has_userinfo(text))
        return refuse_line(building, line, "a URL must not carry credentials: use profile or the AWS_* variables.");
    if (is_relative_file(id, text))
        return refuse_line(building, line, "the name of a file must begin with a slash here.");
    if (option_table[id].kind == OPTION_KIND_SWITCH || option_check(id, option_table[id].name, text, &why))
        return true;
    return refuse_line(building, line, why.message);
}

static bool take_setting(void *context, const char *key, const struct toml_value *value, size_t line)
{
    struct building *building = context;
    struct config_section *section = building->section;
    enum option_id id = find_setting(key);

    if (id == OPTION_COUNT)
        return refuse_key(building, key, line);
    if (section->settings[id].text != NULL)
        return refuse_line(building, line, "this key stands further up in the section, too.");
    if (id == OPTION_STORE && section->kind == CONFIG_STORE)
        return refuse_line(building, line, "the section's name says which store it is; leave out this key.");
    if (!check_kind(building, id, value->kind, line) || !check_text(building, id, value->text, line))
        return false;
    section->settings[id] = (struct config_setting){value->text, line, section};
    return true;
}

static bool is_utf8(const char *text, size_t length)
{
    json_t *string = json_stringn(text, length);

    json_decref(string);
    return string != NULL;
}

bool config_read(char *path, char *data, size_t length, struct config *ret, struct usage *usage)
{
    struct building building = {.config = ret, .usage = usage};
    const struct toml_listener listener = {take_table, take_setting, &building};
    struct toml_fault fault = {0, NULL};
    char sentence[256];
    bool good;

    *ret = (struct config){.path = path, .data = data};
    good = is_utf8(data, length) || usage_refuse(usage, "The config file %.300s is not UTF-8.", path);
    good = good && add_section(&building, CONFIG_EVERYWHERE, NULL, 1) && toml_read(data, length, &listener, &fault);
    if (fault.line > 0) {
        (void)snprintf(sentence, sizeof(sentence), "%s.", fault.sentence);
        (void)refuse_line(&building, fault.line, sentence);
    }
    if (!good)
        config_free(ret);
    return good;
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        free(config->sections[i]);
    free(config->path);
    free(config->data);
    *config = (struct config){.path = NULL};
}
