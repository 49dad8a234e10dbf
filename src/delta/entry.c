/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/entry.h"

/* As delta-rs 1.6.0 (crates/aws, constants.rs) and Delta's BaseExternalLogStore have them: `complete` is a string. */
static const struct item_attribute attributes[ENTRY_ATTRIBUTES] = {
    [ENTRY_AT_TABLE_PATH] = {"tablePath", ITEM_STRING, ITEM_REQUIRED, ENTRY_TABLE_PATH_MAX},
    [ENTRY_AT_FILE_NAME] = {"fileName", ITEM_STRING, ITEM_REQUIRED, ENTRY_FILE_NAME_MAX},
    [ENTRY_AT_TEMP_PATH] = {"tempPath", ITEM_STRING, ITEM_REQUIRED, ENTRY_TEMP_PATH_MAX},
    [ENTRY_AT_COMPLETE] = {"complete", ITEM_STRING, ITEM_REQUIRED, sizeof(ENTRY_INCOMPLETE) - 1},
    [ENTRY_AT_EXPIRE_TIME] = {"expireTime", ITEM_NUMBER, ITEM_OPTIONAL, 0},
};

const struct item_schema entry_schema = {
    .kind = ITEM_KINDS, /* of no table of a file: where files are, nobody needs such entries */
    .words.what = "log entry",
    .words.plural = "log entries",
    .words.subject = "log entry of table",
    .words.mend = "Find out who else writes to the table of log entries.",
    .words.flag = " --log-entries",
    .words.sweep = "the table's TTL",
    .attributes = attributes,
    .count = ENTRY_ATTRIBUTES,
    .keys = 2,
    .ttl = ENTRY_AT_EXPIRE_TIME,
};
