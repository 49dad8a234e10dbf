/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An own bounded reader, because inih bends the format: it takes an indented line for the continuation of the value
 * before it, so the nested blocks cannot be told from long values.
 */
#include "aws/profile.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILE_FILE_MAX = 1 << 20, PROFILE_PATH_MAX = 4096 };

const char *profile_name(const char *profile)
{
    if (profile && profile[0])
        return profile;
    const char *named = getenv("AWS_PROFILE");
    return named && named[0] ? named : "default";
}

/* ------------------------------------------------------------------------------------------------ one text */

struct reader {
    const char *section;
    const char *block; /* NULL: settings of the section itself */
    bool in_section;
    struct text in_block; /* the nested block that indented lines belong to */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* [section], with any blanks inside folded: "[profile  x]" is "profile x". */
static void enter_section(struct reader *reader, struct text line)
{
    struct text inside;
    reader->in_section = false;
    reader->in_block = text_of("", 0);
    if (!text_take_char(&line, '[') || !text_take_until(&line, ']', &inside))
        return;
    inside = text_trim(inside);
    const char *want = reader->section;
    size_t i = 0;
    while (i < inside.len && *want) {
        if (is_blank(inside.p[i]) && is_blank(*want)) {
            while (i < inside.len && is_blank(inside.p[i]))
                i++;
            want++;
        } else if (inside.p[i] == *want) {
            i++;
            want++;
        } else {
            return;
        }
    }
    reader->in_section = i == inside.len && *want == '\0';
}

static bool read_setting(struct reader *reader, struct text line, bool indented, const char *name, struct text *ret)
{
    struct text key;
    struct text value = line;
    if (!text_take_until(&value, '=', &key))
        return false;
    key = text_trim(key);
    value = text_trim(value);
    if (!indented)
        reader->in_block = value.len == 0 ? key : text_of("", 0);
    bool right_level = reader->block ? indented && text_is(reader->in_block, reader->block) : !indented;
    if (!right_level || !text_is(key, name) || value.len == 0)
        return false;
    *ret = value;
    return true;
}

static bool copy_out(struct text value, char **ret)
{
    char *copy = malloc(value.len + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, value.p, value.len);
    copy[value.len] = '\0';
    *ret = copy;
    return true;
}

bool profile_find(const char *text, const char *section, const char *block, const char *name, char **ret)
{
    struct reader reader = {.section = section, .block = block};
    struct text rest = text_from(text);
    while (rest.len > 0) {
        struct text line = rest;
        if (!text_take_until(&rest, '\n', &line))
            rest.len = 0;
        bool indented = line.len > 0 && is_blank(line.p[0]);
        struct text trimmed = text_trim(line);
        struct text value;
        if (trimmed.len == 0 || trimmed.p[0] == '#' || trimmed.p[0] == ';')
            continue;
        if (!indented && trimmed.p[0] == '[')
            enter_section(&reader, trimmed);
        else if (reader.in_section && read_setting(&reader, trimmed, indented, name, &value))
            return copy_out(value, ret);
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ the files */

static bool file_path(enum profile_file file, char *ret)
{
    const char *set = getenv(file == PROFILE_CONFIG ? "AWS_CONFIG_FILE" : "AWS_SHARED_CREDENTIALS_FILE");
    const char *home = getenv("HOME");
    int length;
    if (set && set[0])
        length = snprintf(ret, PROFILE_PATH_MAX, "%s", set);
    else
        length = snprintf(ret, PROFILE_PATH_MAX, "%s/.aws/%s", home ? home : "",
                          file == PROFILE_CONFIG ? "config" : "credentials");
    return length > 0 && length < PROFILE_PATH_MAX;
}

/* The whole file, NUL-terminated; NULL when there is none, or when it is over 1 MiB or has a NUL inside. */
static char *read_file(enum profile_file file)
{
    char path[PROFILE_PATH_MAX];
    if (!file_path(file, path))
        return NULL;
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return NULL;
    char *data = malloc(PROFILE_FILE_MAX + 1);
    size_t length = data ? fread(data, 1, PROFILE_FILE_MAX + 1, stream) : 0;
    fclose(stream);
    if (data == NULL || length > PROFILE_FILE_MAX) {
        free(data);
        return NULL;
    }
    data[length] = '\0';
    return data;
}

static bool find_in_file(enum profile_file file, const char *section, const char *block, const char *name, char **ret)
{
    char *text = read_file(file);
    if (text == NULL)
        return false;
    bool found = profile_find(text, section, block, name, ret);
    memset(text, 0, strlen(text)); /* it may hold secrets */
    free(text);
    return found;
}

static bool config_section(const char *kind, const char *name, char *ret, size_t ret_size)
{
    int length = snprintf(ret, ret_size, "%s %s", kind, name);
    return length > 0 && (size_t)length < ret_size;
}

static bool find_in_config(const char *profile, const char *name, char **ret)
{
    char section[256];
    if (!config_section("profile", profile, section, sizeof(section)))
        return false;
    if (find_in_file(PROFILE_CONFIG, section, NULL, name, ret))
        return true;
    return strcmp(profile, "default") == 0 && find_in_file(PROFILE_CONFIG, profile, NULL, name, ret);
}

bool profile_get(const char *profile, const char *name, char **ret)
{
    profile = profile_name(profile);
    return find_in_file(PROFILE_CREDENTIALS, profile, NULL, name, ret) || find_in_config(profile, name, ret);
}

bool profile_get_service(const char *profile, const char *service, const char *name, char **ret)
{
    char *services = NULL;
    char section[256];
    if (!find_in_config(profile_name(profile), "services", &services))
        return false;
    bool found = config_section("services", services, section, sizeof(section)) &&
                 find_in_file(PROFILE_CONFIG, section, service, name, ret);
    free(services);
    return found;
}
