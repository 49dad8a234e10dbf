/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier runs have written down. */
#ifndef OSCOMMIT_TOOL_MANIFEST_READ_H
#define OSCOMMIT_TOOL_MANIFEST_READ_H

#include "common/manifest.h"

/* Fills the entries from the open file, and cuts off a torn last line. False, with a sentence. */
bool manifest_read(struct manifest *manifest, const char *target, struct usage *usage);

#endif
