/* SPDX-License-Identifier: Apache-2.0 */
#include "common/table_state.h"

#include <stdio.h>
#include <time.h>

enum {
    DEFAULT_RATE = 3,
    DEFAULT_MARGIN_S = 2,
    FENCE_MOST_S = 2 * 86400, /* no signature and allowance together reach so far */
    WAIT_MOST_S = 10 * 86400,
    NONCE_SHOWN = 8
};

static uint64_t or_default(uint64_t value, uint64_t otherwise)
{
    return value != 0 ? value : otherwise;
}

/* R14: who takes over aborts the upload, and no request can name such a one. */
static bool has_impossible_upload(const os_record *record)
{
    for (const unsigned char *c = (const unsigned char *)record->upload; c != NULL && *c != '\0'; c++)
        if (*c <= ' ' || *c >= 0x7f)
            return true;
    return false;
}

static void fenced(const os_record *record, const struct options *options, int64_t now_s, struct table_view *ret)
{
    uint64_t margin_s = or_default(options_number(options, OPTION_MARGIN_S), DEFAULT_MARGIN_S);

    if (record->fence_s > now_s + FENCE_MOST_S) {
        ret->state = TABLE_ENDLESS;
        return;
    }
    ret->until_s = record->fence_s + (int64_t)(margin_s < FENCE_MOST_S ? margin_s : FENCE_MOST_S);
    ret->state = ret->until_s < now_s ? TABLE_OVER : TABLE_LIVE;
}

static void unfenced(const os_record *record, const struct options *options, int64_t now_s, struct table_view *ret)
{
    uint64_t rate = or_default(options_number(options, OPTION_MAX_CLOCK_SKEW_RATE), DEFAULT_RATE);

    if (record->timeout_ms / 1000 > WAIT_MOST_S / rate) {
        ret->state = TABLE_ENDLESS;
        return;
    }
    ret->state = TABLE_UNFENCED;
    ret->wait_ms = record->timeout_ms * rate;
    ret->is_old = record->since_s == 0 || record->since_s + (int64_t)(ret->wait_ms / 1000) < now_s;
}

void table_view(const os_record *record, const struct options *options, struct table_view *ret)
{
    int64_t now_s = (int64_t)time(NULL);

    *ret = (struct table_view){.state = TABLE_DAMAGED};
    if (record->unreadable != NULL && record->unreadable[0] != '\0')
        return;
    if (record->timeout_ms == 0)
        ret->state = TABLE_RELEASED;
    else if (record->generation == UINT64_MAX || has_impossible_upload(record))
        ret->state = TABLE_ENDLESS;
    else if (record->has_fence)
        fenced(record, options, now_s, ret);
    else
        unfenced(record, options, now_s, ret);
}

const char *table_state_word(enum table_state state)
{
    static const char *const words[] = {
        [TABLE_RELEASED] = "released", [TABLE_OVER] = "over",       [TABLE_LIVE] = "live",
        [TABLE_UNFENCED] = "unfenced", [TABLE_ENDLESS] = "endless", [TABLE_DAMAGED] = "damaged",
    };
    return words[state];
}

bool table_may_be_stuck(const struct table_view *view)
{
    switch (view->state) {
    case TABLE_DAMAGED:
    case TABLE_ENDLESS: return true;
    case TABLE_UNFENCED: return view->is_old;
    default: return false;
    }
}

void table_holder(const os_record *record, char ret[TABLE_HOLDER_SIZE])
{
    bool damaged = record->unreadable != NULL && record->unreadable[0] != '\0';

    if (damaged) {
        (void)snprintf(ret, TABLE_HOLDER_SIZE, "-");
    } else if (record->nonce == NULL || record->nonce[0] == '\0') {
        (void)snprintf(ret, TABLE_HOLDER_SIZE, "object_store");
    } else {
        (void)snprintf(ret, TABLE_HOLDER_SIZE, "%.*s", NONCE_SHOWN, record->nonce);
        for (char *c = ret; *c != '\0'; c++)
            *c = *c > ' ' && *c < 0x7f ? *c : '?'; /* ours are hexadecimal digits */
    }
}
