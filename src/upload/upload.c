/* SPDX-License-Identifier: Apache-2.0 */
#include "upload/upload.h"

#include "base/error.h"
#include "upload/upload_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ calling thread */

/* A slot that nothing is being sent from; NULL after a failure. */
static struct upload_slot *free_slot(struct upload *upload)
{
    struct upload_slot *slot = NULL;
    monitor_enter(&upload->monitor);
    while (!upload->failed && upload->free_slots == NULL)
        monitor_wait(&upload->monitor);
    if (!upload->failed) {
        slot = upload->free_slots;
        assert(upload->busy < upload->slot_count);
        upload->free_slots = slot->next;
        upload->busy++;
    }
    monitor_leave(&upload->monitor);
    return slot;
}

/* parts_at_once are sent, and one more is being read: this one. */
static void wait_for_turn(struct upload *upload)
{
    monitor_enter(&upload->monitor);
    while (!upload->failed && upload->busy > upload->client->settings.parts_at_once)
        monitor_wait(&upload->monitor);
    monitor_leave(&upload->monitor);
}

static os_code too_long(const struct upload *upload, os_error *err)
{
    return error_set(err, OS_ERR_TOO_LARGE,
                     "The stream for %.300s is longer than %u parts with %llu bytes in all, the most that one object "
                     "can have; nothing was written.",
                     upload->params->key, upload->plan.count, (unsigned long long)upload->plan.total);
}

/* Reads the next part into the slot; *ret_more is false where the body ends before it. */
static os_code upload_fill(struct upload *upload, struct upload_slot *slot, uint32_t number, bool *ret_more,
                           os_error *err)
{
    uint64_t length = 0;
    *ret_more = part_plan_range(&upload->plan, number, &slot->offset, &length);
    slot->number = number;
    slot->bytes.length = length;
    if (upload->params->source)
        return OS_OK;
    bool stream = upload->params->body->goes_on;
    if (!*ret_more && !stream)
        return OS_OK;
    os_code code = upload_reader_next(&upload->reader, *ret_more ? length : 1, &slot->bytes, err);
    if (code == OS_OK && !*ret_more && slot->bytes.length > 0)
        return too_long(upload, err);
    if (stream && slot->bytes.length == 0)
        *ret_more = false;
    return code;
}

static bool make_part(struct upload *upload, uint32_t number)
{
    size_t cap = upload->answer_cap;
    if (number <= cap)
        return true;
    cap = cap ? 2 * cap : 16;
    /* The loop's thread writes into it. */
    monitor_enter(&upload->monitor);
    struct s3_part *answers = realloc(upload->ret->answers, cap * sizeof(*answers));
    if (answers) {
        upload->ret->answers = answers;
        upload->answer_cap = cap;
    }
    monitor_leave(&upload->monitor);
    return answers != NULL;
}

/* Feeds the loop part after part; returns when the last one is on its way, or after a failure. */
static os_code upload_feed(struct upload *upload, os_error *err)
{
    for (uint32_t number = 1;; number++) {
        bool more = false;
        struct upload_slot *slot = free_slot(upload);
        if (slot == NULL)
            return OS_OK; /* the failure is in upload->error */
        os_code code = upload_fill(upload, slot, number, &more, err);
        if (code == OS_OK && more && !make_part(upload, number))
            code = error_no_memory(err);
        if (code != OS_OK || !more) {
            upload_slot_done(slot);
            return code;
        }
        upload->ret->part_count = number;
        wait_for_turn(upload);
        loop_post(upload->client->loop, &slot->job); /* after a failure it only gives the slot back */
    }
}

/* OS_OK, or what has failed on the loop's thread. */
static os_code upload_failure(struct upload *upload, os_error *err)
{
    os_code code = OS_OK;
    monitor_enter(&upload->monitor);
    if (upload->failed) {
        code = upload->error.code;
        if (err)
            *err = upload->error;
    }
    monitor_leave(&upload->monitor);
    return code;
}

static void wait_for_parts(struct upload *upload)
{
    monitor_enter(&upload->monitor);
    while (!upload->failed && upload->busy > 0)
        monitor_wait(&upload->monitor);
    monitor_leave(&upload->monitor);
}

/* ------------------------------------------------------------------------------------------------ the whole */

static os_code make_plan(struct upload *upload, os_error *err)
{
    uint64_t part_size = upload->client->settings.part_size;
    const struct upload_params *params = upload->params;
    if (params->source)
        return part_plan_copy(params->source->length, part_size, &upload->plan, err);
    if (params->body->goes_on)
        return part_plan_stream(part_size ? part_size : PART_SIZE_DEFAULT, false, &upload->plan, err);
    return part_plan_body(params->body->http.length, part_size, &upload->plan, err);
}

static os_code make_slots(struct upload *upload, os_error *err)
{
    assert(upload->plan.count > 0);
    uint32_t count = upload->client->settings.parts_at_once + 1;
    if (count > upload->plan.count)
        count = upload->plan.count;
    upload->slots = calloc(count, sizeof(*upload->slots));
    if (upload->slots == NULL)
        return error_no_memory(err);
    upload->slot_count = count;
    for (uint32_t i = 0; i < count; i++)
        upload_slot_init(upload, &upload->slots[i]);
    return OS_OK;
}

/* What the store is known to check by itself: rather a CRC, which it checks over the whole object too. Else each part
 * has its MD5; also where the surroundings want no checksum that is not required. */
static enum s3_checksum checksum_of(const os_client *client)
{
    const struct profile *profile = client->settings.profile;
    bool unwanted = client->settings.s3_endpoint.checksums.of_requests == ENDPOINT_CHECKSUM_REQUIRED;
    uint32_t checksums = profile && !unwanted ? profile->checksums : 0;
    if (checksums & (1U << S3_CHECKSUM_CRC64NVME))
        return S3_CHECKSUM_CRC64NVME;
    if (checksums & (1U << S3_CHECKSUM_CRC32C))
        return S3_CHECKSUM_CRC32C;
    return checksums & (1U << S3_CHECKSUM_SHA256) ? S3_CHECKSUM_SHA256 : S3_CHECKSUM_NONE;
}

static os_code open_reader(struct upload *upload, os_error *err)
{
    struct s3_creation *creation = &upload->creation;
    *creation = upload->params->creation;
    upload->content = creation->content ? *creation->content : (struct s3_content){0};
    upload->content.nonce = upload->params->nonce;
    creation->content = &upload->content;
    creation->checksum = S3_CHECKSUM_NONE;
    if (upload->params->source)
        return OS_OK;
    bool bare = upload->client->store->is_local; /* there is no way on which the bytes could be harmed */
    creation->checksum = bare ? S3_CHECKSUM_NONE : checksum_of(upload->client);
    if (creation->checksum == S3_CHECKSUM_SHA256)
        creation->sum_type = S3_CHECKSUM_TYPE_COMPOSITE;
    else if (creation->checksum != S3_CHECKSUM_NONE)
        creation->sum_type = S3_CHECKSUM_TYPE_WHOLE;
    return upload_reader_init(&upload->reader, upload->params->body, creation->checksum, bare, err);
}

/* The parts by name, and the sum of the whole. */
static os_code upload_conclude(struct upload *upload, os_error *err)
{
    struct uploaded *ret = upload->ret;
    assert(ret->part_count > 0 && ret->part_count <= upload->answer_cap && upload->busy == 0);
    ret->parts = calloc(ret->part_count, sizeof(*ret->parts));
    if (ret->parts == NULL)
        return error_no_memory(err);
    enum s3_checksum checksum = upload->creation.checksum;
    for (size_t i = 0; i < ret->part_count; i++) {
        const struct s3_part *part = &ret->answers[i];
        ret->parts[i] = (struct s3_part_name){part->number, part->etag, checksum ? part->sum.text : NULL};
    }
    if (upload->params->source)
        return OS_OK;
    os_code code = upload_reader_end(&upload->reader, err);
    ret->completion.length = upload->reader.offset;
    if (code != OS_OK || checksum == S3_CHECKSUM_NONE)
        return code;
    ret->completion.checksum = checksum;
    ret->completion.sum_type = upload->creation.sum_type;
    if (upload->creation.sum_type == S3_CHECKSUM_TYPE_WHOLE) {
        upload_reader_sum(&upload->reader, ret->sum);
        ret->completion.checksum_text = ret->sum;
    }
    return OS_OK;
}

static os_code send_all(struct upload *upload, os_error *err)
{
    os_code code = upload_open(upload, err);
    if (code == OS_OK)
        code = upload_failure(upload, err);
    if (code == OS_OK)
        code = upload_feed(upload, err);
    if (code == OS_OK)
        wait_for_parts(upload);
    upload_close(upload);
    if (code == OS_OK)
        code = upload_failure(upload, err);
    return code == OS_OK ? upload_conclude(upload, err) : code;
}

os_code upload_parts(os_client *client, const struct upload_params *params, struct uploaded *ret, os_error *err)
{
    struct upload upload = {.client = client, .params = params, .ret = ret};
    memset(ret, 0, sizeof(*ret));
    if (!client->store->has_uploads)
        return error_set(
            err, OS_ERR_TOO_LARGE,
            "%.300s must be written in parts, but Signature V2 has no multipart uploads; nothing was written.",
            params->key);
    if (pthread_mutex_init(&upload.progress_lock, NULL) != 0)
        return error_no_memory(err);
    if (!monitor_init(&upload.monitor)) {
        pthread_mutex_destroy(&upload.progress_lock);
        return error_no_memory(err);
    }
    os_code code = make_plan(&upload, err);
    if (code == OS_OK)
        code = open_reader(&upload, err);
    if (code == OS_OK)
        code = make_slots(&upload, err);
    if (code == OS_OK)
        code = send_all(&upload, err);
    for (uint32_t i = 0; i < upload.slot_count; i++)
        upload_bytes_free(&upload.slots[i].bytes);
    free(upload.slots);
    monitor_destroy(&upload.monitor);
    pthread_mutex_destroy(&upload.progress_lock);
    return code;
}

void uploaded_free(struct uploaded *uploaded)
{
    free(uploaded->parts);
    free(uploaded->answers);
    memset(uploaded, 0, sizeof(*uploaded));
}
