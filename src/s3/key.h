/* SPDX-License-Identifier: Apache-2.0 */
/* What names an object, and a version of it: the rules of S3 for both. */
#ifndef OSCOMMIT_S3_KEY_H
#define OSCOMMIT_S3_KEY_H

#include "oscommit.h"

#include <stdbool.h>

enum { S3_KEY_MAX = 1024, S3_VERSION_ID_SIZE = 256 /* as an answer's is kept */ };

/* What S3 itself says of a key: 1 to 1,024 bytes of UTF-8 without NUL or (in XML 1.0) unprintable control characters.
 * The sentence names the fault. */
os_code s3_check_key(const char *key, os_error *err);

/* Not the hash that stands for one that is too long to be kept ("sha256:...", struct s3_object). */
bool s3_is_version_id(const char *version_id);

#endif
