/* SPDX-License-Identifier: Apache-2.0 */
#include "client/own_profile.h"

#include <stddef.h>
#include <string.h>

/* The partitions for which conditional writes, copies and deletions were announced: the commercial one with GovCloud,
 * and China. */
static const char *const partitions[] = {".amazonaws.com", ".amazonaws.com.cn"};

/* Endings that "General purpose bucket naming rules" (Amazon S3 User Guide) keeps for other things: directory buckets,
 * their access points, Object Lambda, Outposts, tables, and the aliases of access points. An alias may stand for a
 * directory bucket, or for a file system. */
static const char *const kept_endings[] = {"--x-s3",     "--xa-s3",  "--ol-s3", "--op-s3",
                                           "--table-s3", "-s3alias", ".mrap"};
enum { DIRECTORY_ENDINGS = 2 }; /* so many of them, the first, are of directory buckets */

static bool ends_in(const char *text, const char *const *endings, size_t count)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < count; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcmp(text + length - tail, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_amazons(const struct endpoint *endpoint)
{
    return ends_in(endpoint->host, partitions, sizeof(partitions) / sizeof(partitions[0]));
}

static bool is_general(const char *bucket)
{
    return !ends_in(bucket, kept_endings, sizeof(kept_endings) / sizeof(kept_endings[0]));
}

bool own_profile_is_directory(const char *bucket)
{
    return ends_in(bucket, kept_endings, DIRECTORY_ENDINGS);
}

bool own_profile_is_missed(const struct endpoint *endpoint, const char *bucket)
{
    return is_amazons(endpoint) && is_general(bucket) && !endpoint->is_aws;
}

bool own_profile_applies(const struct endpoint *endpoint, const char *bucket, const char **ret_why)
{
    bool known_host = is_amazons(endpoint);
    bool general = is_general(bucket);
    *ret_why = "";
    if (known_host && !general)
        *ret_why = " The bucket's name is that of a directory bucket or an access point, which the profile \"aws\" "
                   "does not cover: probe it.";
    else if (endpoint->is_aws && !known_host)
        *ret_why = " The profile \"aws\" is the default in the commercial regions, GovCloud and China only.";
    else if (known_host && !endpoint->is_aws)
        *ret_why = " If that endpoint is Amazon S3 itself and the bucket is a general-purpose one, set "
                   "store_profile=aws: then no ledger is needed.";
    return endpoint->is_aws && known_host && general;
}
