/* SPDX-License-Identifier: Apache-2.0 */
/* The names of S3's additional checksums in headers and documents ("Checking object integrity", S3 user guide).
 * Computes none. */
#ifndef OSCOMMIT_S3_CHECKSUM_H
#define OSCOMMIT_S3_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>

enum s3_checksum {
    S3_CHECKSUM_NONE,
    S3_CHECKSUM_CRC32,
    S3_CHECKSUM_CRC32C,
    S3_CHECKSUM_CRC64NVME,
    S3_CHECKSUM_SHA1,
    S3_CHECKSUM_SHA256,
    S3_CHECKSUM_END /* how many there are */
};

/* What the sum of an object made of parts is a sum of. */
enum s3_checksum_type {
    S3_CHECKSUM_TYPE_ANY,       /* the store's default */
    S3_CHECKSUM_TYPE_WHOLE,     /* FULL_OBJECT: all its bytes; CRCs only */
    S3_CHECKSUM_TYPE_COMPOSITE, /* COMPOSITE: the sums of its parts; all but CRC64NVME */
};

enum { S3_CHECKSUM_TEXT_SIZE = 56 /* Base64 of SHA-256, "-10000" behind a composite one, a NUL */ };

/* For a checksum that is one: "CRC32C", "x-amz-checksum-crc32c", "ChecksumCRC32C". Static. */
const char *s3_checksum_name(enum s3_checksum checksum);
const char *s3_checksum_header(enum s3_checksum checksum);
const char *s3_checksum_element(enum s3_checksum checksum);
/* The one of an element's name; NONE for another. */
enum s3_checksum s3_checksum_of_element(const char *name);
/* "FULL_OBJECT", "COMPOSITE"; NULL: the store's default. */
const char *s3_checksum_type_name(enum s3_checksum_type type);
bool s3_checksum_has_type(enum s3_checksum checksum, enum s3_checksum_type type);

#endif
