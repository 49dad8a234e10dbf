/* SPDX-License-Identifier: Apache-2.0 */
/* What of an object's headers needs a rule of its own. */
#ifndef OSCOMMIT_S3_METADATA_H
#define OSCOMMIT_S3_METADATA_H

#include "oscommit.h"

#include <stddef.h>

/* x-amz-version-id into a fixed array; NULL gives "". S3 allows 1,024 bytes: a longer one than fits becomes
 * "sha256:<hex>", so that equality still holds. */
os_code metadata_version_id(const char *header, char *ret, size_t ret_size, os_error *err);

#endif
