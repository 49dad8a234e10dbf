/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/record.h"

#include "base/fnv.h"
#include "commit/words.h"

#include <string.h>

void record_copy(struct record *ret, const struct record *from)
{
    struct record copy;
    memset(&copy, 0, sizeof(copy));
    copy.generation = from->generation;
    copy.timeout_ms = from->timeout_ms;
    copy.ttl_s = from->ttl_s;
    copy.has_fence = from->has_fence;
    copy.fence_s = from->has_fence ? from->fence_s : 0;
    copy.upload = from->upload;
    fixed_str_copy(copy.nonce, from->nonce, sizeof(copy.nonce));
    fixed_str_copy(copy.saw, from->saw, sizeof(copy.saw));
    memcpy(ret, &copy, sizeof(copy));
}

/* A collision would only make a guard name the wrong id to its driver, which knows the text. */
uint64_t record_upload_number(const char *upload_id)
{
    return upload_id[0] == '\0' ? 0 : fnv_of(upload_id) | 1;
}

void record_released(const struct record *held, uint64_t ttl_s, struct record *ret)
{
    struct record released;
    record_copy(&released, held);
    released.generation = held->generation + 1;
    released.timeout_ms = 0;
    released.ttl_s = ttl_s;
    released.upload = 0;
    record_copy(ret, &released);
}

bool record_is_nonce(const char *nonce)
{
    return strlen(nonce) == RECORD_NONCE_SIZE - 1 && nonce[strspn(nonce, "0123456789abcdef")] == '\0';
}

bool record_same_holder(const struct record *a, const struct record *b)
{
    return a->generation == b->generation && a->ttl_s == b->ttl_s && strcmp(a->nonce, b->nonce) == 0;
}

bool record_same(const struct record *a, const struct record *b)
{
    bool same_fence = a->has_fence == b->has_fence && (!a->has_fence || a->fence_s == b->fence_s);
    return record_same_holder(a, b) && same_fence && a->timeout_ms == b->timeout_ms && a->upload == b->upload &&
           strcmp(a->saw, b->saw) == 0;
}

uint64_t record_bound_ms(uint64_t timeout_ms, uint32_t rate)
{
    return rate != 0 && timeout_ms > UINT64_MAX / rate ? UINT64_MAX : timeout_ms * rate;
}

uint64_t record_ttl(uint64_t date_s, uint64_t ttl_setting_s, uint64_t timeout_ms, uint32_t rate)
{
    uint64_t bound_ms = record_bound_ms(timeout_ms, rate);
    uint64_t least_s = bound_ms / 100 + (bound_ms % 100 != 0 ? 1 : 0); /* 10 x bound, in seconds, rounded up */
    uint64_t lifetime_s = ttl_setting_s > least_s ? ttl_setting_s : least_s;
    return date_s > UINT64_MAX - lifetime_s ? UINT64_MAX : date_s + lifetime_s;
}
