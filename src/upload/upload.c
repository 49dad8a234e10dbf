/* SPDX-License-Identifier: Apache-2.0 */
#include "upload/upload.h"

#include "base/error.h"
#include "upload/upload_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ calling thread */

/* A slot that nothing is being sent from; NULL after a failure. */
static struct stage_slot *free_slot(struct stage *stage)
{
    struct stage_slot *slot = NULL;
    monitor_enter(&stage->monitor);
    while (!stage->failed && stage->free_slots == NULL)
        monitor_wait(&stage->monitor);
    if (!stage->failed) {
        slot = stage->free_slots;
        stage->free_slots = slot->next;
        stage->busy++;
    }
    monitor_leave(&stage->monitor);
    return slot;
}

/* parts_at_once are sent, and one more is being read: this one. */
static void wait_for_turn(struct stage *stage)
{
    monitor_enter(&stage->monitor);
    while (!stage->failed && stage->busy > stage->client->settings.parts_at_once)
        monitor_wait(&stage->monitor);
    monitor_leave(&stage->monitor);
}

static os_code too_long(const struct stage *stage, os_error *err)
{
    return error_set(err, OS_ERR_TOO_LARGE,
                     "The stream for %.300s is longer than %u parts with %llu bytes in all, the most that one object "
                     "can have; nothing was written.",
                     stage->wish->key, stage->plan.count, (unsigned long long)stage->plan.total);
}

/* Reads the next part into the slot; *ret_more is false where the body ends before it. */
static os_code fill(struct stage *stage, struct stage_slot *slot, uint32_t number, bool *ret_more, os_error *err)
{
    uint64_t length = 0;
    *ret_more = part_plan_range(&stage->plan, number, &slot->offset, &length);
    slot->number = number;
    slot->bytes.length = length;
    if (stage->wish->source)
        return OS_OK;
    bool stream = stage->wish->body->goes_on;
    if (!*ret_more && !stream)
        return OS_OK;
    os_code code = stage_read(&stage->reader, *ret_more ? length : 1, &slot->bytes, err);
    if (code == OS_OK && !*ret_more && slot->bytes.length > 0)
        return too_long(stage, err);
    if (stream && slot->bytes.length == 0)
        *ret_more = false;
    return code;
}

static bool make_part(struct stage *stage, uint32_t number)
{
    size_t cap = stage->answer_cap;
    if (number <= cap)
        return true;
    cap = cap ? 2 * cap : 16;
    /* The loop's thread writes into it. */
    monitor_enter(&stage->monitor);
    struct s3_part *answers = realloc(stage->ret->answers, cap * sizeof(*answers));
    if (answers) {
        stage->ret->answers = answers;
        stage->answer_cap = cap;
    }
    monitor_leave(&stage->monitor);
    return answers != NULL;
}

/* Feeds the loop part after part; returns when the last one is on its way, or after a failure. */
static os_code feed(struct stage *stage, os_error *err)
{
    for (uint32_t number = 1;; number++) {
        bool more = false;
        struct stage_slot *slot = free_slot(stage);
        if (slot == NULL)
            return OS_OK; /* the failure is in stage->error */
        os_code code = fill(stage, slot, number, &more, err);
        if (code == OS_OK && more && !make_part(stage, number))
            code = error_no_memory(err);
        if (code != OS_OK || !more) {
            stage_slot_done(slot);
            return code;
        }
        stage->ret->part_count = number;
        wait_for_turn(stage);
        loop_post(stage->client->loop, &slot->job); /* after a failure it only gives the slot back */
    }
}

/* OS_OK, or what has failed on the loop's thread. */
static os_code stage_failure(struct stage *stage, os_error *err)
{
    os_code code = OS_OK;
    monitor_enter(&stage->monitor);
    if (stage->failed) {
        code = stage->error.code;
        if (err)
            *err = stage->error;
    }
    monitor_leave(&stage->monitor);
    return code;
}

static void wait_for_parts(struct stage *stage)
{
    monitor_enter(&stage->monitor);
    while (!stage->failed && stage->busy > 0)
        monitor_wait(&stage->monitor);
    monitor_leave(&stage->monitor);
}

/* ------------------------------------------------------------------------------------------------ the whole */

static os_code make_plan(struct stage *stage, os_error *err)
{
    uint64_t part_size = stage->client->settings.part_size;
    const struct stage_wish *wish = stage->wish;
    if (wish->source)
        return part_plan_copy(wish->source->length, part_size, &stage->plan, err);
    if (wish->body->goes_on)
        return part_plan_stream(part_size ? part_size : PART_SIZE_DEFAULT, false, &stage->plan, err);
    return part_plan_body(wish->body->http.length, part_size, &stage->plan, err);
}

static os_code make_slots(struct stage *stage, os_error *err)
{
    uint32_t count = stage->client->settings.parts_at_once + 1;
    if (count > stage->plan.count)
        count = stage->plan.count;
    stage->slots = calloc(count, sizeof(*stage->slots));
    if (stage->slots == NULL)
        return error_no_memory(err);
    stage->slot_count = count;
    for (uint32_t i = 0; i < count; i++)
        stage_slot_init(stage, &stage->slots[i]);
    return OS_OK;
}

/* What the store is known to check by itself: rather a CRC, which it checks over the whole object too. Else each part
 * has its MD5. */
static enum s3_checksum checksum_of(const os_client *client)
{
    const struct profile *profile = client->settings.profile;
    uint32_t checksums = profile ? profile->checksums : 0;
    if (checksums & (1U << S3_CHECKSUM_CRC64NVME))
        return S3_CHECKSUM_CRC64NVME;
    if (checksums & (1U << S3_CHECKSUM_CRC32C))
        return S3_CHECKSUM_CRC32C;
    return checksums & (1U << S3_CHECKSUM_SHA256) ? S3_CHECKSUM_SHA256 : S3_CHECKSUM_NONE;
}

static os_code open_reader(struct stage *stage, os_error *err)
{
    struct s3_creation *creation = &stage->creation;
    *creation = stage->wish->creation;
    stage->content = creation->content ? *creation->content : (struct s3_content){0};
    stage->content.nonce = stage->wish->nonce;
    creation->content = &stage->content;
    creation->checksum = S3_CHECKSUM_NONE;
    if (stage->wish->source)
        return OS_OK;
    bool bare = stage->client->store->is_local; /* there is no way on which the bytes could be harmed */
    creation->checksum = bare ? S3_CHECKSUM_NONE : checksum_of(stage->client);
    if (creation->checksum == S3_CHECKSUM_SHA256)
        creation->sum_type = S3_CHECKSUM_TYPE_COMPOSITE;
    else if (creation->checksum != S3_CHECKSUM_NONE)
        creation->sum_type = S3_CHECKSUM_TYPE_WHOLE;
    return stage_reader_init(&stage->reader, stage->wish->body, creation->checksum, bare, err);
}

/* The parts by name, and the sum of the whole. */
static os_code conclude(struct stage *stage, os_error *err)
{
    struct staged *ret = stage->ret;
    ret->parts = calloc(ret->part_count, sizeof(*ret->parts));
    if (ret->parts == NULL)
        return error_no_memory(err);
    enum s3_checksum checksum = stage->creation.checksum;
    for (size_t i = 0; i < ret->part_count; i++) {
        const struct s3_part *part = &ret->answers[i];
        ret->parts[i] = (struct s3_part_name){part->number, part->etag, checksum ? part->sum.text : NULL};
    }
    if (stage->wish->source)
        return OS_OK;
    os_code code = stage_reader_end(&stage->reader, err);
    ret->completion.length = stage->reader.offset;
    if (code != OS_OK || checksum == S3_CHECKSUM_NONE)
        return code;
    ret->completion.checksum = checksum;
    ret->completion.sum_type = stage->creation.sum_type;
    if (stage->creation.sum_type == S3_CHECKSUM_TYPE_WHOLE) {
        stage_reader_sum(&stage->reader, ret->sum);
        ret->completion.checksum_text = ret->sum;
    }
    return OS_OK;
}

static os_code send_all(struct stage *stage, os_error *err)
{
    os_code code = stage_open(stage, err);
    if (code == OS_OK)
        code = stage_failure(stage, err);
    if (code == OS_OK)
        code = feed(stage, err);
    if (code == OS_OK)
        wait_for_parts(stage);
    stage_close(stage);
    if (code == OS_OK)
        code = stage_failure(stage, err);
    return code == OS_OK ? conclude(stage, err) : code;
}

os_code stage_parts(os_client *client, const struct stage_wish *wish, struct staged *ret, os_error *err)
{
    struct stage stage = {.client = client, .wish = wish, .ret = ret};
    memset(ret, 0, sizeof(*ret));
    if (!client->store->has_uploads)
        return error_set(
            err, OS_ERR_TOO_LARGE,
            "%.300s must be written in parts, but Signature V2 has no multipart uploads; nothing was written.",
            wish->key);
    if (pthread_mutex_init(&stage.progress_lock, NULL) != 0)
        return error_no_memory(err);
    if (!monitor_init(&stage.monitor)) {
        pthread_mutex_destroy(&stage.progress_lock);
        return error_no_memory(err);
    }
    os_code code = make_plan(&stage, err);
    if (code == OS_OK)
        code = open_reader(&stage, err);
    if (code == OS_OK)
        code = make_slots(&stage, err);
    if (code == OS_OK)
        code = send_all(&stage, err);
    for (uint32_t i = 0; i < stage.slot_count; i++)
        stage_bytes_free(&stage.slots[i].bytes);
    free(stage.slots);
    monitor_destroy(&stage.monitor);
    pthread_mutex_destroy(&stage.progress_lock);
    return code;
}

void staged_free(struct staged *staged)
{
    free(staged->parts);
    free(staged->answers);
    memset(staged, 0, sizeof(*staged));
}
