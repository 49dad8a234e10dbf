/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/checksum.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    const char *header;
    const char *element;
    bool whole;
    bool composite;
} checksums[S3_CHECKSUM_END] = {
    [S3_CHECKSUM_CRC32] = {"CRC32", "x-amz-checksum-crc32", "ChecksumCRC32", true, true},
    [S3_CHECKSUM_CRC32C] = {"CRC32C", "x-amz-checksum-crc32c", "ChecksumCRC32C", true, true},
    [S3_CHECKSUM_CRC64NVME] = {"CRC64NVME", "x-amz-checksum-crc64nvme", "ChecksumCRC64NVME", true, false},
    [S3_CHECKSUM_SHA1] = {"SHA1", "x-amz-checksum-sha1", "ChecksumSHA1", false, true},
    [S3_CHECKSUM_SHA256] = {"SHA256", "x-amz-checksum-sha256", "ChecksumSHA256", false, true},
};

const char *s3_checksum_name(enum s3_checksum checksum)
{
    assert(checksum > S3_CHECKSUM_NONE && checksum < S3_CHECKSUM_END);
    return checksums[checksum].name;
}

const char *s3_checksum_header(enum s3_checksum checksum)
{
    assert(checksum > S3_CHECKSUM_NONE && checksum < S3_CHECKSUM_END);
    return checksums[checksum].header;
}

const char *s3_checksum_element(enum s3_checksum checksum)
{
    assert(checksum > S3_CHECKSUM_NONE && checksum < S3_CHECKSUM_END);
    return checksums[checksum].element;
}

enum s3_checksum s3_checksum_of_element(const char *name)
{
    for (int i = S3_CHECKSUM_NONE + 1; i < S3_CHECKSUM_END; i++)
        if (strcmp(checksums[i].element, name) == 0)
            return (enum s3_checksum)i;
    return S3_CHECKSUM_NONE;
}

const char *s3_checksum_type_name(enum s3_checksum_type type)
{
    switch (type) {
    case S3_CHECKSUM_TYPE_WHOLE: return "FULL_OBJECT";
    case S3_CHECKSUM_TYPE_COMPOSITE: return "COMPOSITE";
    default: return NULL;
    }
}

bool s3_checksum_has_type(enum s3_checksum checksum, enum s3_checksum_type type)
{
    switch (type) {
    case S3_CHECKSUM_TYPE_WHOLE: return checksums[checksum].whole;
    case S3_CHECKSUM_TYPE_COMPOSITE: return checksums[checksum].composite;
    default: return true;
    }
}
