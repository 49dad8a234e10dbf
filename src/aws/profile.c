/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An own bounded reader, because inih bends the format: to it an indented line continues the value before it, so that a
 * nested block cannot be told from a long value, and it ends names at ':' as well as at '='.
 */
#include "aws/profile.h"

#include "base/error.h"
#include "base/named_file.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20, SERVICES_NAME_SIZE = 256 };

const char *profile_name(const char *profile)
{
    if (profile != NULL && profile[0] != '\0')
        return profile;
    const char *named = getenv("AWS_PROFILE");
    return named != NULL && named[0] != '\0' ? named : "default";
}

/* -------------------------------------------------------------------------------------------------- the files */

/* Where the file is; false when that cannot be said. A path that starts with "~/" is below HOME, as the AWS tools have
 * it. */
static bool find_path(enum profile_file file, char *ret)
{
    static const char *const variables[PROFILE_FILES] = {"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"};
    static const char *const usual[PROFILE_FILES] = {"~/.aws/credentials", "~/.aws/config"};
    const char *path = getenv(variables[file]);
    if (path == NULL || path[0] == '\0')
        path = usual[file];
    const char *home = "";
    if (path[0] == '~' && path[1] == '/') {
        path++;
        home = getenv("HOME");
    }
    int len = home != NULL ? snprintf(ret, PROFILE_PATH_SIZE, "%s%s", home, path) : -1;
    if (len < 0 || len >= PROFILE_PATH_SIZE) {
        ret[0] = '\0';
        return false;
    }
    return true;
}

static void profile_wipe(char *data, size_t len)
{
    if (data != NULL) {
        OPENSSL_cleanse(data, len);
        free(data);
    }
}

static os_code not_used(const char *path, const char *why, os_error *err)
{
    return error_set(err, OS_ERR_CONFIG, "The profile file %s is not used, because %s; correct or remove it.", path,
                     why);
}

/* What is not there, or may not be opened, is no error. */
static os_code load_file(struct profile_files *files, enum profile_file file, os_error *err)
{
    const char *why = NULL;
    files->data[file] = named_file_read(files->path[file], FILE_MAX, &files->len[file], &why);
    int failed = files->data[file] == NULL ? errno : 0;
    if (files->data[file] != NULL || failed == ENOENT || failed == ENOTDIR)
        return OS_OK;
    if (failed == ENOMEM)
        return error_no_memory(err);
    files->failed[file] = failed;
    return failed != 0 ? OS_OK : not_used(files->path[file], why, err);
}

os_code profile_load(struct profile_files *ret, os_error *err)
{
    struct profile_files files = {0};
    for (enum profile_file file = PROFILE_CREDENTIALS; file < PROFILE_FILES; file++) {
        os_code code = find_path(file, files.path[file]) ? load_file(&files, file, err) : OS_OK;
        if (code != OS_OK) {
            profile_free(&files);
            return code;
        }
    }
    *ret = files;
    return OS_OK;
}

void profile_free(struct profile_files *files)
{
    for (enum profile_file file = PROFILE_CREDENTIALS; file < PROFILE_FILES; file++)
        profile_wipe(files->data[file], files->len[file]);
    *files = (struct profile_files){0};
}

/* ---------------------------------------------------------------------------------------------------- reading */

struct reader {
    const struct profile_place *place;
    const char *block;
    const char *name;
    bool in_section;
    bool seen;              /* the section */
    struct text open_block; /* the setting whose nested block indented lines belong to */
    struct text found;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct text unquote(struct text text)
{
    if (text.len >= 2 && (text.p[0] == '"' || text.p[0] == '\'') && text.p[text.len - 1] == text.p[0])
        return text_of(text.p + 1, text.len - 2);
    return text;
}

/* "[kind name]", with any blanks around; the name may be in quotes, as the AWS tools write one with blanks in it. */
static bool is_section(struct text line, const struct profile_place *place)
{
    struct text inside;
    if (!text_take_char(&line, '[') || !text_take_until(&line, ']', &inside))
        return false;
    inside = text_trim(inside);
    if (place->kind[0] != '\0') {
        if (!text_take_str(&inside, place->kind) || inside.len == 0 || !is_blank(inside.p[0]))
            return false;
        inside = text_trim(inside);
    }
    return text_is(unquote(inside), place->name);
}

/* A comment within a line has a blank before it: a '#' alone may be part of a value. */
static struct text without_comment(struct text value)
{
    for (size_t i = 1; i < value.len; i++)
        if ((value.p[i] == '#' || value.p[i] == ';') && is_blank(value.p[i - 1]))
            return text_trim(text_of(value.p, i));
    return value.len > 0 && (value.p[0] == '#' || value.p[0] == ';') ? text_of(value.p, 0) : value;
}

static void read_setting(struct reader *reader, struct text line, bool indented)
{
    struct text key;
    if (!text_take_until(&line, '=', &key))
        return;
    key = text_trim(key);
    struct text value = without_comment(text_trim(line));
    if (!indented)
        reader->open_block = value.len == 0 ? key : text_of("", 0);
    bool right_level =
        reader->block == NULL ? !indented : indented && text_is_nocase(reader->open_block, reader->block);
    if (right_level && value.len > 0 && text_is_nocase(key, reader->name))
        reader->found = value;
}

static void read_line(struct reader *reader, struct text line)
{
    bool indented = line.len > 0 && is_blank(line.p[0]);
    line = text_trim(line);
    if (line.len == 0 || line.p[0] == '#' || line.p[0] == ';')
        return;
    if (!indented && line.p[0] == '[') {
        reader->in_section = is_section(line, reader->place);
        reader->seen = reader->seen || reader->in_section;
        reader->open_block = text_of("", 0);
    } else if (reader->in_section) {
        read_setting(reader, line, indented);
    }
}

static void read_file(const struct profile_files *files, struct reader *reader)
{
    enum profile_file file = reader->place->file;
    struct text rest = text_of(files->data[file], files->len[file]);
    (void)text_take_str(&rest, "\xef\xbb\xbf"); /* the mark that some editors put in front of UTF-8 */
    while (rest.len > 0) {
        struct text line = rest;
        if (!text_take_until(&rest, '\n', &line))
            rest.len = 0;
        read_line(reader, line);
    }
}

struct text profile_find(const struct profile_files *files, const struct profile_place *place, const char *block,
                         const char *name)
{
    struct reader reader = {.place = place, .block = block, .name = name, .found = text_of("", 0)};
    read_file(files, &reader);
    return reader.found;
}

bool profile_has_section(const struct profile_files *files, const struct profile_place *place)
{
    struct reader reader = {.place = place, .name = "", .found = text_of("", 0)};
    read_file(files, &reader);
    return reader.seen;
}

/* ---------------------------------------------------------------------------------------------------- profiles */

size_t profile_places(const char *name, struct profile_place ret[PROFILE_PLACES_MAX])
{
    size_t count = 0;
    ret[count++] = (struct profile_place){PROFILE_CREDENTIALS, "", name};
    ret[count++] = (struct profile_place){PROFILE_CONFIG, "profile", name};
    if (strcmp(name, "default") == 0)
        ret[count++] = (struct profile_place){PROFILE_CONFIG, "", name};
    return count;
}

bool profile_is_there(const struct profile_files *files, const char *profile)
{
    struct profile_place places[PROFILE_PLACES_MAX];
    size_t count = profile_places(profile_name(profile), places);
    bool there = false;
    for (size_t i = 0; i < count && !there; i++)
        there = profile_has_section(files, &places[i]);
    return there;
}

struct text profile_setting(const struct profile_files *files, const char *profile, const char *name)
{
    struct profile_place places[PROFILE_PLACES_MAX];
    size_t count = profile_places(profile_name(profile), places);
    struct text found = text_of("", 0);
    for (size_t i = 0; i < count && found.len == 0; i++)
        found = profile_find(files, &places[i], NULL, name);
    return found;
}

struct text profile_service_setting(const struct profile_files *files, const char *profile, const char *service,
                                    const char *name)
{
    char services[SERVICES_NAME_SIZE];
    struct text named = profile_setting(files, profile, "services");
    if (named.len == 0 || !text_copy(named, services, sizeof(services)))
        return text_of("", 0);
    const struct profile_place place = {PROFILE_CONFIG, "services", services};
    return profile_find(files, &place, service, name);
}
