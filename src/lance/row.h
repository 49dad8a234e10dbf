/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the table of Lance's DynamoDB manifest store: which manifest a version is. */
#ifndef OSCOMMIT_LANCE_ROW_H
#define OSCOMMIT_LANCE_ROW_H

#include "item/item.h"

enum row_attribute { ROW_AT_BASE_URI, ROW_AT_VERSION, ROW_AT_PATH, ROW_AT_SIZE, ROW_ATTRIBUTES };

extern const struct item_schema row_schema;

enum { ROW_BASE_URI_MAX = 2048, ROW_PATH_MAX = 2048 + 256 };

#endif
