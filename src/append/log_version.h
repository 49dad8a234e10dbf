/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a version, and the entry of anybody's that it is made for. */
#ifndef OSCOMMIT_APPEND_LOG_VERSION_H
#define OSCOMMIT_APPEND_LOG_VERSION_H

#include "append/entries.h"
#include "base/digest.h"

enum { LOG_SHA256_SIZE = 2 * SHA256_SIZE + 1 };

/* What stands under the name of a version, beside these bytes, or (NULL) those with this SHA-256 in hex. */
enum standing {
    STANDING_NOTHING = 1,
    STANDING_TORN, /* the start of these bytes: of a PUT that broke off, as some stores keep it */
    STANDING_OURS,
    STANDING_OTHER,
    STANDING_UNCLEAR /* append->error says why */
};
enum standing log_version_look(struct append *append, uint64_t version, const struct buf *bytes, const char *sha256);

/* D4. The same bytes by whomever, so it may be done twice, and late; where the store is known to enforce that, only if
 * nothing is there. OS_ERR_CONFLICT: look again. `standing`: NOTHING or TORN, which is written over, as long as that
 * stands there. `named_by`: an entry that must still stand right before each request; NULL: none. *ret_written false after
 * OS_OK: it stands no longer. */
os_code log_version_write(struct append *append, uint64_t version, const struct buf *bytes,
                          const struct log_entry *named_by, enum standing standing, bool *ret_written);

/* D7: makes the version of an entry of anybody's, and completes the entry. A writer that is alive is given a while to do
 * so itself. OS_OK: the version is there, or the entry is not any more. */
os_code log_version_repair(struct append *append, uint64_t version, const struct log_entry *entry);

/* D2: the same, if `version` has an entry that is incomplete. Before that, what is read there may be the start of it, cut
 * between two lines. */
os_code log_version_finish(struct append *append, uint64_t version);

#endif
