/* SPDX-License-Identifier: Apache-2.0 */
/* An entry of the table that Delta's S3DynamoDBLogStore keeps: which temp file is to become which version. */
#ifndef OSCOMMIT_DELTA_ENTRY_H
#define OSCOMMIT_DELTA_ENTRY_H

#include "item/item.h"

enum entry_attribute {
    ENTRY_AT_TABLE_PATH,
    ENTRY_AT_FILE_NAME,
    ENTRY_AT_TEMP_PATH,
    ENTRY_AT_COMPLETE,
    ENTRY_AT_EXPIRE_TIME,
    ENTRY_ATTRIBUTES
};

extern const struct item_schema entry_schema;

#define ENTRY_COMPLETE   "true"
#define ENTRY_INCOMPLETE "false"

enum { ENTRY_TABLE_PATH_MAX = 2048, ENTRY_FILE_NAME_MAX = 64, ENTRY_TEMP_PATH_MAX = 512, ENTRY_KEPT_S = 86400 };

#endif
