/* SPDX-License-Identifier: Apache-2.0 */
/* Does a file have the bytes that an ETag stands for? Only an ETag that is an MD5, or that of an upload in parts, can tell. */
#ifndef OSCOMMIT_TOOL_SAME_H
#define OSCOMMIT_TOOL_SAME_H

#include <stdint.h>

enum same { SAME_BYTES, OTHER_BYTES, SAME_UNKNOWN };

/* Reads the whole of `fd` from its start. `etag` with or without its quotes; `part_size` is that of parts of this program
 * (0: the usual one), and is tried first. SAME_UNKNOWN: the ETag is of another kind, or of parts of another size, or the
 * file cannot be read. */
enum same same_as_etag(int fd, uint64_t length, const char *etag, uint64_t part_size);

#endif
