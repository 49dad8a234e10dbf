/* SPDX-License-Identifier: Apache-2.0 */
#include "update/read.h"

#include "base/backoff.h"
#include "base/digest.h"
#include "base/error.h"
#include "client/pause.h"
#include "plain/plain.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SAME_READS = 3 };

/* Two reads are the same if these are. */
struct sums {
    char etag[VERSION_ETAG_SIZE];
    char md5[MD5_ETAG_SIZE];
};

static os_code read_once(struct update_reading *reading, struct update_version *ret, os_error *err)
{
    os_object object = OS_OBJECT_INIT;
    os_sink sink = OS_SINK_INIT;
    const os_call call = {
        .size = sizeof(call), .deadline_ms = clock_left_for_call_ms(reading->deadline_ms), .cancel = reading->cancel};
    uint32_t requests = 0;
    update_version_clear(ret);
    sink.ret_data = &ret->data;
    sink.ret_length = &ret->length;
    sink.max_length = reading->max_length;
    const struct plain_arguments get = {
        .key = reading->key, .sink = &sink, .call = &call, .ret = &object, .ret_requests = &requests};
    os_code code = plain_call(reading->client, &get, plain_get, err);
    ret->exists = code == OS_OK;
    TEXT_COPY_STR_CUT(object.etag, ret->etag);
    reading->requests += requests;
    return code;
}

/* Quotes and 32 digits, as of an object of one part. */
static bool may_be_md5(const char *etag)
{
    return strlen(etag) == MD5_ETAG_SIZE - 1 && strspn(etag + 1, "0123456789abcdefABCDEF") == MD5_ETAG_SIZE - 3;
}

/* False: no MD5 is to be had, so that nothing can be compared. */
static bool sums_of(const struct update_version *version, struct sums *ret)
{
    char digits[33];
    if (!md5_hex(version->data, version->length, digits))
        return false;
    snprintf(ret->md5, sizeof(ret->md5), "\"%s\"", digits);
    TEXT_COPY_STR_CUT(version->etag, ret->etag);
    return true;
}

static bool sums_same(const struct sums *a, const struct sums *b)
{
    return strcmp(a->etag, b->etag) == 0 && strcmp(a->md5, b->md5) == 0;
}

os_code update_read_version(struct update_reading *reading, struct update_version *ret, os_error *err)
{
    struct sums last = {0};
    struct backoff backoff = {.random = reading->random};
    for (int same = 0; same < SAME_READS;) {
        struct sums sums;
        os_code code = read_once(reading, ret, err);
        if (code != OS_OK || !reading->etags_are_md5 || !may_be_md5(ret->etag) || !sums_of(ret, &sums))
            return code;
        if (strcasecmp(sums.etag, sums.md5) == 0)
            return OS_OK;
        if (strcmp(sums.etag, last.etag) != 0) /* else the reads are the further apart, the more others write */
            backoff_restart(&backoff);
        same = sums_same(&sums, &last) ? same + 1 : 1;
        last = sums;
        if (same < SAME_READS)
            (void)client_pause(reading->client, reading->cancel, backoff_next_ms(&backoff)); /* the next one says why */
    }
    return OS_OK;
}
