/* SPDX-License-Identifier: Apache-2.0 */
/* What of an object's headers needs a rule of its own. */
#ifndef OSCOMMIT_S3_METADATA_H
#define OSCOMMIT_S3_METADATA_H

#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>

/* x-amz-version-id into a fixed array; NULL gives "". S3 allows 1,024 bytes: a longer one than fits becomes
 * "sha256:<hex>", so that equality still holds. */
os_code metadata_version_id(const char *header, char *ret, size_t ret_size, os_error *err);

/* Whether a name, without "x-amz-meta-" and in upper or lower case, is of a guard's own entries. */
bool metadata_is_reserved(const char *name);

#endif
