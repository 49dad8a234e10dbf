/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a log store, one request each. Whatever is lost is asked again, until it is clear or the time is over. */
#ifndef OSCOMMIT_APPEND_ENTRIES_H
#define OSCOMMIT_APPEND_ENTRIES_H

#include "append/append.h"
#include "delta/entry.h"
#include "table/table.h"

/* One entry, as it was read. */
struct log_entry {
    bool found;
    bool is_complete;
    char temp[ENTRY_TEMP_PATH_MAX + 1]; /* below `_delta_log/` */
};

/* What came of a write. */
struct entry_written {
    bool done;              /* what was wanted stands there */
    bool maybe;             /* it was not told to be done, and may have been, or may still be */
    struct log_entry entry; /* not done, and the call gave OS_OK: what stands there instead */
};

os_code entry_read(struct append *append, uint64_t version, struct log_entry *ret);

/* D3, where there is none: incomplete, or complete. Done as well if the one that stands there names `temp`. */
os_code entry_put(struct append *append, uint64_t version, const char *temp, bool is_complete,
                  struct entry_written *ret);

/* D6: of the entry that names `temp`. Done as well if it is complete already. */
os_code entry_complete(struct append *append, uint64_t version, const char *temp, struct entry_written *ret);

/* TABLE_CREATE or TABLE_CHECK of the table of entries. */
os_code entry_table(os_client *log_store, enum table_verb verb, const os_call *call, os_error *err);

#endif
