/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared profile files of the AWS tools. Source of the format: AWS SDKs and Tools Reference Guide, "Shared config
 * and credentials files". In ~/.aws/config a profile's section is [profile NAME] ([default] for the default one), in
 * ~/.aws/credentials it is [NAME]; a value may open a nested block of indented settings (as `s3 =` does), which
 * services sections use.
 */
#ifndef OSCOMMIT_AWS_PROFILE_H
#define OSCOMMIT_AWS_PROFILE_H

#include <stdbool.h>

enum profile_file { PROFILE_CONFIG = 1, PROFILE_CREDENTIALS = 2 };

/* "NAME" as given, else AWS_PROFILE, else "default". Borrowed. */
const char *profile_name(const char *profile);

/* One setting of a profile: from the credentials file first, then from the config file. True and a malloc'ed value, or
 * false. */
bool profile_get(const char *profile, const char *name, char **ret);

/* One setting of a service ("s3", "dynamodb") in the [services] section that the profile names (endpoint_url). */
bool profile_get_service(const char *profile, const char *service, const char *name, char **ret);

/* The same from one file's text, for tests: `section` as it stands between the brackets; `block` NULL or the name of a
 * nested one. */
bool profile_find(const char *text, const char *section, const char *block, const char *name, char **ret);

#endif
