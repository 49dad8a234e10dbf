/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 as in zlib and Ethernet (reflected, polynomial 0x04C11DB7), which DynamoDB sends in x-amz-crc32 (Developer
 * Guide, "DynamoDB low-level API"). */
#ifndef OSCOMMIT_DYNAMO_CRC32_H
#define OSCOMMIT_DYNAMO_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *data, size_t len);

#endif
