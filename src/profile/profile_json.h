/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles as JSON (docs/stores.md, "The profile file"): read strictly, since a field that is misread as "enforced"
 * costs a commit. A name that this release does not know is refused, so that a slip of the pen never turns into
 * "unknown"; only `remarks` is for people and is not read. What is left out is unknown, false or 0.
 */
#ifndef OSCOMMIT_PROFILE_PROFILE_JSON_H
#define OSCOMMIT_PROFILE_PROFILE_JSON_H

#include "oscommit.h"
#include "profile/profile.h"

#include <stddef.h>

enum { PROFILE_FORMAT = 1, PROFILE_TEXT_MAX = 64 * 1024, PROFILE_ROUNDS_MAX = 1000000 };

/* `where` names the text in sentences. OS_ERR_CONFIG names the field and what it may be; *ret is untouched then. */
os_code profile_parse(const char *text, size_t len, const char *where, struct profile *ret, os_error *err);

/* With indents and a line end; malloc'ed, NULL when out of memory. What it writes, profile_parse reads as the same. */
char *profile_write(const struct profile *profile);

/* OS_ERR_CONFIG when the file cannot be read or is no profile; OS_ERR_DENIED when it may not be read. */
os_code profile_read_file(const char *path, struct profile *ret, os_error *err);

/* A profile that the library carries, by its name ("minio", "aws"). OS_ERR_CONFIG lists the names. */
os_code profile_shipped_find(const char *name, struct profile *ret, os_error *err);
/* The name of the shipped profile number `index`; NULL behind the last. */
const char *profile_shipped_name(size_t index);

/* What os_options.store_profile means: a file where it has a '/' or ends in ".json", else a shipped one. */
os_code profile_open(const char *name_or_path, struct profile *ret, os_error *err);

/* The words of the file and of the tool's output. Static. */
const char *profile_condition_name(enum profile_condition condition);
const char *profile_request_name(enum profile_request request);
const char *profile_vendor_name(int vendor);     /* 1 to PROFILE_VENDORS - 1 */
const char *profile_checksum_name(int checksum); /* 1 to PROFILE_CHECKSUMS - 1 */
enum { PROFILE_CHECKSUMS = 6 /* S3_CHECKSUM_END */ };

#endif
