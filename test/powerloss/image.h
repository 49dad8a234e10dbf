/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the disk may hold when the power fails at one instant: all that was flushed, and of the rest what `choice` says.
 * Bytes are lost or torn at sectors, a file may have its new size without its new bytes, entries of folders stay or go
 * one by one; a rename is whole or not at all, as every journal has it.
 */
#ifndef OSCOMMIT_TEST_POWERLOSS_IMAGE_H
#define OSCOMMIT_TEST_POWERLOSS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum image_choice { IMAGE_NONE, IMAGE_ALL, IMAGE_SOME };

/* After the first `instant` changes of the log. `folder` is there, and empty. */
bool image_build(size_t instant, enum image_choice choice, uint64_t seed, const char *folder);

#endif
