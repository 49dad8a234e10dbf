/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a B, asked for where they stand in base64 (RFC 4648): only binary_decode decodes into memory. But for
 * binary_is_valid, all texts are valid ones.
 */
#ifndef OSCOMMIT_ATTRIBUTE_BINARY_H
#define OSCOMMIT_ATTRIBUTE_BINARY_H

#include "base/text.h"

/* Four letters for three bytes, padded, the bits that are left over zero: so that equal bytes have equal texts. */
bool binary_is_valid(struct text base64);
size_t binary_size(struct text base64);
int binary_compare(struct text a, struct text b); /* < 0, 0, > 0, as unsigned bytes */
bool binary_begins_with(struct text base64, struct text prefix);
bool binary_contains(struct text base64, struct text part);
void binary_decode(struct text base64, unsigned char *ret); /* which has room for binary_size */

#endif
