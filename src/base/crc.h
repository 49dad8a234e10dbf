/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cyclic redundancy checks that services send and take: against accidents, not against a forger. All are reflected,
 * begin with all bits set and are inverted at the end; the sum of no bytes is 0, so that a sum in the making is simply
 * the sum of what was there so far. Knows no header: only how a sum is written in one.
 */
#ifndef OSCOMMIT_BASE_CRC_H
#define OSCOMMIT_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 as in zlib and Ethernet (polynomial 0x04C11DB7), which DynamoDB sends in x-amz-crc32 (Developer Guide,
 * "DynamoDB low-level API"). For answers of a few hundred bytes. */
uint32_t crc32_of(const void *data, size_t len);

/* The same of more, and CRC-32C (polynomial 0x1EDC6F41; RFC 3720, section 12.1) and CRC-64/NVME (polynomial
 * 0xAD93D23594C93659; NVM Command Set Specification 1.0, section 5.2.1.3.4): the sums of S3's x-amz-checksum-crc32,
 * x-amz-checksum-crc32c and x-amz-checksum-crc64nvme. `crc` is the sum of what came before: 0 at the start. Eight bytes
 * at a time; from any thread. */
uint32_t crc32_add(uint32_t crc, const void *data, size_t len);
uint32_t crc32c_add(uint32_t crc, const void *data, size_t len);
uint64_t crc64nvme_add(uint64_t crc, const void *data, size_t len);

/* The sum of A followed by B from the sums of both and the length of B: parts are summed apart, in any order, and the
 * object is checked as a whole. */
uint32_t crc32c_combine(uint32_t crc_a, uint32_t crc_b, uint64_t len_b);
uint64_t crc64nvme_combine(uint64_t crc_a, uint64_t crc_b, uint64_t len_b);

/* Base64 of the sum's bytes, the highest first, as those headers want it ("Checking object integrity", S3 user guide).
 */
enum { CRC32C_TEXT_SIZE = 9 /* and of CRC-32 */, CRC64NVME_TEXT_SIZE = 13 };
void crc32c_text(uint32_t crc, char *ret /* CRC32C_TEXT_SIZE */);
void crc64nvme_text(uint64_t crc, char *ret /* CRC64NVME_TEXT_SIZE */);

#endif
