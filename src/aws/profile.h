/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared profile files of the AWS tools. Source of the format: AWS SDKs and Tools Reference Guide, "Shared config
 * and credentials files". In ~/.aws/config a profile's section is [profile NAME] ([default] for the default one), in
 * ~/.aws/credentials it is [NAME]; a setting without a value opens a block of indented settings, which services
 * sections use. Knows nothing of what the settings mean.
 */
#ifndef OSCOMMIT_AWS_PROFILE_H
#define OSCOMMIT_AWS_PROFILE_H

#include "base/text.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>

enum profile_file { PROFILE_CREDENTIALS, PROFILE_CONFIG, PROFILE_FILES };
enum { PROFILE_PATH_SIZE = 1024, PROFILE_PLACES_MAX = 3 };

/* Both files as they were at one moment; they may hold secrets, so they are wiped when freed. */
struct profile_files {
    char *data[PROFILE_FILES]; /* NULL: there is none */
    size_t len[PROFILE_FILES];
    int failed[PROFILE_FILES]; /* errno, when it is there but may not be read */
    char path[PROFILE_FILES][PROFILE_PATH_SIZE];
};

/* Reads AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials, and AWS_CONFIG_FILE or ~/.aws/config. A file that is not
 * there or may not be read counts as empty, and so does /dev/null; one that is over 1 MiB, has a NUL inside, breaks
 * off, or is no regular file is OS_ERR_CONFIG. */
os_code profile_load(struct profile_files *ret, os_error *err);
void profile_free(struct profile_files *files);

/* `profile` as given, else AWS_PROFILE, else "default". Borrowed. */
const char *profile_name(const char *profile);

/* A section: [name], or [kind name] when kind is not "". */
struct profile_place {
    enum profile_file file;
    const char *kind;
    const char *name;
};

/* The sections that a profile can be in, the first to be believed first. Returns how many there are. */
size_t profile_places(const char *name, struct profile_place ret[PROFILE_PLACES_MAX]);

/* One setting, a slice of the file's text; empty when there is none. `block` is NULL, or the name of the setting that
 * opens the nested block. Names of settings have no case; of two settings of one name the later counts. */
struct text profile_find(const struct profile_files *files, const struct profile_place *place, const char *block,
                         const char *name);

bool profile_has_section(const struct profile_files *files, const struct profile_place *place);
bool profile_is_there(const struct profile_files *files, const char *profile); /* in one of its places */

/* One setting of a profile, from the first of its places that has it. */
struct text profile_setting(const struct profile_files *files, const char *profile, const char *name);

/* One setting of a service ("s3", "dynamodb") in the services section that the profile names. */
struct text profile_service_setting(const struct profile_files *files, const char *profile, const char *service,
                                    const char *name);

#endif
