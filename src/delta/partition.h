/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of a table: the columns whose values stand in the log and not in the data files (PROTOCOL.md, "Partition
 * Values", "Partition Value Serialization"). */
#ifndef OSCOMMIT_DELTA_PARTITION_H
#define OSCOMMIT_DELTA_PARTITION_H

#include "oscommit_delta.h"

#include <jansson.h>
#include <stdbool.h>

enum { DELTA_PARTITIONS_MAX = 32, DELTA_VALUE_MAX = 1024 /* bytes of a value */ };

/* The partitions of the files of a commit. All is borrowed. */
struct delta_partition {
    const os_delta_partition *columns;
    size_t count;
    const char *const *values; /* `count` for each file; NULL: those of `columns`, for all */
    size_t files;
};

/* OS_ERR_ARGUMENT: it cannot be, whatever the table is; the sentence says why. */
os_code delta_partition_check(const struct delta_partition *partition, os_error *err);

/* May files of the schema `given` be added to a table of the schema `table` that is partitioned by `columns`?
 * OS_ERR_UNSUPPORTED: the sentence says why not. */
os_code delta_partition_accepts(const struct delta_partition *partition, const json_t *table, const json_t *columns,
                                const json_t *given, os_error *err);

/* May they make a table, or be added to one? OS_ERR_UNSUPPORTED: a partition column stands in them, too. */
os_code delta_partition_check_files(const struct delta_partition *partition, const json_t *given, os_error *err);

/* For a commit: schema and partition columns of a new table of files of the schema `given`, and the values of a file. The
 * caller's; NULL without memory. */
json_t *delta_partition_schema(const struct delta_partition *partition, const json_t *given);
json_t *delta_partition_columns(const struct delta_partition *partition);
json_t *delta_partition_values(const struct delta_partition *partition, size_t file);

/* Is `value` one of the type, as the log writes it? "" is null, and of every type. */
bool delta_partition_fits(const char *type, const char *value);

#endif
