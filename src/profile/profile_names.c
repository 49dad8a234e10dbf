/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile_names.h"

#include "profile/profile_json.h"

#include <assert.h>

const struct profile_words profile_words_condition = {{"unknown", "enforced", "ignored", "refused", "unmeetable"},
                                                      PROFILE_UNMEETABLE + 1};
const struct profile_words profile_words_409 = {{"unknown", "undecided", "final"}, PROFILE_409_FINAL + 1};
const struct profile_words profile_words_expiry = {{"unknown", "none", "start", "end"}, PROFILE_EXPIRY_END + 1};
const struct profile_words profile_words_stalled = {{"unknown", "closed", "kept"}, PROFILE_STALLED_KEPT + 1};
const struct profile_words profile_words_mark = {
    {"unknown", "none", "x-amz-request-id", "x-oss-request-id", "x-cos-request-id", "x-guploader-uploadid"},
    PROFILE_MARK_END};
const struct profile_words profile_words_answer = {{"unknown", "yes", "no"}, PROFILE_NO + 1};

static const char *const requests[PROFILE_REQUESTS] = {"put", "copy", "complete", "delete", "rename"};
static const char *const vendors[PROFILE_VENDORS] = {"", "cloudflare", "google", "alibaba", "tencent"};
static const char *const checksums[PROFILE_CHECKSUMS] = {"", "CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"};

const char *profile_condition_name(enum profile_condition condition)
{
    assert((unsigned)condition < profile_words_condition.count);
    return profile_words_condition.word[condition];
}

const char *profile_request_name(enum profile_request request)
{
    assert((unsigned)request < PROFILE_REQUESTS);
    return requests[request];
}

const char *profile_vendor_name(int vendor)
{
    assert(vendor > 0 && vendor < PROFILE_VENDORS);
    return vendors[vendor];
}

const char *profile_checksum_name(int checksum)
{
    assert(checksum > 0 && checksum < PROFILE_CHECKSUMS);
    return checksums[checksum];
}
