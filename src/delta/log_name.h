/* SPDX-License-Identifier: Apache-2.0 */
/* The names below `_delta_log/`, and what `_last_checkpoint` says (PROTOCOL.md, "Delta Log Entries", "Checkpoints"). */
#ifndef OSCOMMIT_DELTA_LOG_NAME_H
#define OSCOMMIT_DELTA_LOG_NAME_H

#include "base/text.h"

#define DELTA_LOG_FOLDER      "_delta_log/"
#define DELTA_LAST_CHECKPOINT DELTA_LOG_FOLDER "_last_checkpoint"
#define DELTA_VERSION_MOST    INT64_MAX

enum {
    DELTA_VERSION_DIGITS = 20,
    DELTA_FILE_NAME_SIZE = DELTA_VERSION_DIGITS + sizeof(".json"),
    DELTA_TEMP_NAME_SIZE = 64,
    DELTA_UUID_SIZE = 37,
    DELTA_LAST_CHECKPOINT_MAX = 1 << 20 /* bytes: it may have the schema */
};

enum delta_log_kind {
    DELTA_LOG_OTHER = 0,
    DELTA_LOG_COMMIT,     /* 00000000000000000007.json */
    DELTA_LOG_CHECKPOINT, /* 00000000000000000007.checkpoint.parquet, .checkpoint.UUID.json, a part of one */
    DELTA_LOG_TEMP        /* _commit_UUID.json.tmp of delta-rs and of this library, .tmp/... of Delta's Java */
};

/* `name` is what stands behind `_delta_log/`. *ret_version of a commit or a checkpoint. */
enum delta_log_kind delta_log_name_read(struct text name, uint64_t *ret_version);

/* "00000000000000000007.json" */
void delta_log_name_commit(uint64_t version, char ret[DELTA_FILE_NAME_SIZE]);

/* A name that nobody else takes, of random bytes. False: the system has none. */
bool delta_uuid(char ret[DELTA_UUID_SIZE]);
/* "_commit_UUID.json.tmp", as delta-rs names them. */
bool delta_log_name_temp(char ret[DELTA_TEMP_NAME_SIZE]);
/* Is it the name of a temp file below `_delta_log/`, and of nothing that could lie elsewhere? */
bool delta_log_is_temp(const char *name);

/* False: it says nothing that can be read. Then it is as if there was none: it is only a hint. */
bool delta_last_checkpoint_read(const char *data, size_t length, uint64_t *ret_version);

#endif
