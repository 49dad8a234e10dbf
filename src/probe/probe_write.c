/* SPDX-License-Identifier: Apache-2.0 */
/* Writes of every kind, so that a question is asked of each in the same words. */
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

static struct http_body probe_write_body_of(const char *text)
{
    return (struct http_body){.kind = HTTP_BODY_MEMORY, .data = text, .length = strlen(text)};
}

/* A step of several requests, each of which must succeed; asked again where it does not. `build` gives the request of a
 * write, `take` what came of it. */
static bool probe_write_each(struct probe *probe, struct probe_write *writes, size_t count,
                             struct store_request (*build)(struct probe_write *write),
                             void (*take)(struct probe *probe, struct probe_write *write,
                                          const struct probe_answer *answer))
{
    struct probe_ask *asks = calloc(count, sizeof(*asks));
    bool ok = asks != NULL;
    for (size_t i = 0; ok && i < count; i++)
        asks[i].request = build(&writes[i]);
    ok = ok && probe_run(probe, asks, count);
    for (size_t i = 0; ok && i < count; i++) {
        for (int tries = 1; tries < EVIDENCE_WANTED && !probe_succeeded(&asks[i].answer); tries++)
            probe_run(probe, &asks[i], 1);
        ok = probe->code == OS_OK && probe_succeeded(&asks[i].answer);
        if (ok)
            take(probe, &writes[i], &asks[i].answer);
    }
    free(asks);
    return ok && probe->code == OS_OK;
}

static struct store_request creation(struct probe_write *write)
{
    static const struct s3_content no_content;
    static const struct s3_creation plain = {.content = &no_content};
    return (struct store_request){.verb = STORE_CREATE_UPLOAD, .key = write->key, .upload = {.creation = &plain}};
}

static void take_creation(struct probe *probe, struct probe_write *write, const struct probe_answer *answer)
{
    write->upload = answer->upload_id;
    probe_note_upload(probe, write->key, write->upload.text);
}

static struct store_request probe_write_part(struct probe_write *write)
{
    return (struct store_request){.verb = STORE_UPLOAD_PART,
                                  .key = write->key,
                                  .body = probe_write_body_of(write->body),
                                  .upload = {.id = write->upload.text, .part_number = 1}};
}

static void probe_write_take_part(struct probe *probe, struct probe_write *write, const struct probe_answer *answer)
{
    (void)probe;
    write->part = answer->part;
    write->part_name = (struct s3_part_name){.number = 1, .etag = write->part.etag};
}

static bool make_sources(struct probe *probe, struct probe_write *writes, size_t count)
{
    struct probe_object *sources = calloc(count, sizeof(*sources));
    bool ok = sources != NULL && probe_new_objects(probe, sources, count);
    for (size_t i = 0; ok && i < count; i++) {
        writes[i].source = sources[i];
        memcpy(writes[i].body, sources[i].body, sizeof(writes[i].body));
    }
    free(sources);
    return ok;
}

/* With a guard's own headers, as it sends them: a vendor may enforce a condition and refuse it beside x-amz-meta-. */
static struct store_request last_request(struct probe_write *write)
{
    struct store_request request = {.key = write->key};
    switch (write->kind) {
    case PROFILE_COPY:
    case PROFILE_RENAME:
        request.verb = write->kind == PROFILE_COPY ? STORE_COPY : STORE_RENAME;
        request.source_key = write->source.key;
        if (write->kind == PROFILE_COPY) /* of a rename the nonce would be a token */
            request.nonce = request.replaced = PROBE_NONCE;
        break;
    case PROFILE_COMPLETE:
        request.verb = STORE_COMPLETE;
        request.upload = (struct store_upload){.id = write->upload.text, .parts = &write->part_name, .part_count = 1};
        break;
    case PROFILE_DELETE: request.verb = STORE_DELETE; break;
    default:
        request.verb = STORE_PUT;
        request.body = probe_write_body_of(write->body);
        request.nonce = request.replaced = PROBE_NONCE;
        break;
    }
    return request;
}

bool probe_writes_prepare(struct probe *probe, struct probe_write *writes, size_t count, enum profile_request kind)
{
    for (size_t i = 0; i < count; i++) {
        writes[i].kind = kind;
        probe_new_body(probe, writes[i].body);
    }
    bool ok = probe->code == OS_OK;
    if (kind == PROFILE_COPY || kind == PROFILE_RENAME)
        ok = ok && make_sources(probe, writes, count);
    if (kind == PROFILE_COMPLETE)
        ok = ok && probe_write_each(probe, writes, count, creation, take_creation) &&
             probe_write_each(probe, writes, count, probe_write_part, probe_write_take_part);
    for (size_t i = 0; ok && i < count; i++)
        writes[i].ask = (struct probe_ask){.request = last_request(&writes[i])};
    return ok;
}

bool probe_upload_whole(struct probe *probe, struct probe_write *write, const struct s3_upload_id *upload)
{
    write->kind = PROFILE_COMPLETE;
    write->upload = *upload;
    probe_new_body(probe, write->body);
    if (probe->code != OS_OK || !probe_write_each(probe, write, 1, probe_write_part, probe_write_take_part))
        return false;
    write->ask = (struct probe_ask){.request = last_request(write)};
    if (!probe_run(probe, &write->ask, 1) || !probe_succeeded(&write->ask.answer))
        return false;
    probe_upload_done(probe, upload->text);
    return true;
}

void probe_condition(struct probe_write *write, enum s3_vendor_condition vendor, const char *etag)
{
    struct s3_condition *condition = &write->ask.request.condition;
    *condition = (struct s3_condition){.vendor = vendor, .if_match = etag};
    condition->if_none_match_any = vendor == S3_VENDOR_NONE && etag == NULL;
}

/* A body ends with its own full stop; what is put behind it makes it longer, not another one. */
static bool is_body(const struct probe_read *read, const char *body)
{
    return read->there && strncmp(read->text, body, strlen(body)) == 0;
}

/* A DELETE makes nothing of what it meets, and one of nothing cannot be seen: its answer alone counts there. */
static enum evidence_stands stands_of(const struct probe_write *write, const struct probe_read *read,
                                      const struct probe_object *before)
{
    if (!read->known)
        return EVIDENCE_STANDS_UNKNOWN;
    if (write->kind == PROFILE_DELETE && before == NULL && !read->there)
        return probe_succeeded(&write->ask.answer) ? EVIDENCE_STANDS_OURS : EVIDENCE_STANDS_BEFORE;
    if (before ? is_body(read, before->body) : !read->there)
        return EVIDENCE_STANDS_BEFORE;
    if (write->kind == PROFILE_DELETE)
        return read->there ? EVIDENCE_STANDS_OTHER : EVIDENCE_STANDS_OURS;
    return is_body(read, write->body) ? EVIDENCE_STANDS_OURS : EVIDENCE_STANDS_OTHER;
}

struct evidence_write probe_evidence(const struct probe_write *write, const struct probe_read *read,
                                     const struct probe_object *before)
{
    const struct probe_answer *answer = &write->ask.answer;
    return (struct evidence_write){
        .complete = answer->complete,
        .succeeded = probe_succeeded(answer),
        .explained = probe_explained(answer),
        .status = answer->status,
        .stands = stands_of(write, read, before),
    };
}

static void note_409(struct probe *probe, const struct probe_write *write, const struct evidence_write *evidence)
{
    if (evidence->status != 409)
        return;
    memcpy(probe->code_409[write->kind], write->ask.answer.service_code, sizeof(probe->code_409[0]));
    if (evidence->stands == EVIDENCE_STANDS_OURS)
        probe->applied_409 = true;
}

bool probe_writes_judge(struct probe *probe, struct probe_write *writes, size_t count,
                        const struct probe_object *before, struct evidence_tally *tally)
{
    struct probe_ask *asks = calloc(count, sizeof(*asks));
    struct probe_read *reads = calloc(count, sizeof(*reads));
    bool ok = asks && reads;
    for (size_t i = 0; ok && i < count; i++) {
        asks[i] = writes[i].ask;
        reads[i].key = writes[i].key;
    }
    ok = ok && probe_run(probe, asks, count);
    for (size_t i = 0; ok && i < count; i++)
        writes[i].ask.answer = asks[i].answer;
    ok = ok && probe_read(probe, reads, count);
    for (size_t i = 0; ok && i < count; i++) {
        struct evidence_write evidence = probe_evidence(&writes[i], &reads[i], before ? &before[i] : NULL);
        note_409(probe, &writes[i], &evidence);
        if (writes[i].kind == PROFILE_COMPLETE && evidence.succeeded)
            probe_upload_done(probe, writes[i].upload.text);
        evidence_add(tally, &evidence);
    }
    free(asks);
    free(reads);
    return ok;
}
