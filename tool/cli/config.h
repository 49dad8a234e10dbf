/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The config file (docs/man/oscommit.toml.5): settings for every store, for what begins with a URL, and under the name of
 * a profile. Reading it sends nothing. It has no secrets in it, and nobody else may have written it.
 */
#ifndef OSCOMMIT_TOOL_CONFIG_H
#define OSCOMMIT_TOOL_CONFIG_H

#include "cli/options.h"
#include "cli/usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CONFIG_SECTIONS_MAX = 256, CONFIG_SIZE_MAX = 256 * 1024, CONFIG_PLACE_SIZE = 320 };

enum config_kind { CONFIG_EVERYWHERE, CONFIG_STORE, CONFIG_PROFILE };

struct config_section;

struct config_setting {
    const char *text; /* of a switch "true" or "false"; NULL: not given */
    size_t line;
    const struct config_section *section;
};

struct config_section {
    enum config_kind kind;
    const char *name; /* of a store the beginning of a URL; NULL of the first section */
    size_t line;
    struct config_setting settings[OPTION_COUNT];
};

struct config {
    char *path; /* NULL: there is no file */
    char *data;
    struct config_section *sections[CONFIG_SECTIONS_MAX];
    size_t count;
};

/* Reads the file that `named` is, or else the usual one. /dev/null is no file at all, and so is the usual one where there
 * is none. False, with a sentence. */
bool config_load(const char *named, struct config *ret, struct usage *usage);
void config_free(struct config *config);

/* Where the usual file would be, in new memory; NULL without any, or without a place (*ret_unknown). A relative
 * XDG_CONFIG_HOME is ignored (XDG Base Directory Specification). */
char *config_usual_path(bool *ret_unknown);

/* Reads the text of a file: `data` is new memory of `length` bytes with a NUL behind them, and is taken over, as `path`
 * is. False, with a sentence; then `ret` is empty. */
bool config_read(char *path, char *data, size_t length, struct config *ret, struct usage *usage);

/* Fills the settings that command line and variables left open. False, with a sentence: no such profile, or the operands
 * have different settings. */
bool config_apply(const struct config *config, struct options *options, struct usage *usage);

/* The sections that count for this URL, the closest first; gives how many. `url` may be NULL. */
size_t config_match(const struct config *config, const char *profile, const char *url,
                    const struct config_section *ret[CONFIG_SECTIONS_MAX]);

/* `[store."s3://bucket"]`, as it stands in the file; empty for the first section. */
void config_section_name(const struct config_section *section, char *ret, size_t ret_size);

/* May the file be believed? NULL: yes; else why not, as an end of "The config file ... ". */
const char *config_distrust(mode_t mode, uid_t owner, uid_t user);

#endif
