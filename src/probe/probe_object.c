/* SPDX-License-Identifier: Apache-2.0 */
/* What the store makes of an object and of an upload: ETag, version, user metadata, sums that are checked. */
#include "base/digest.h"
#include "probe/probe.h"

#include <stdio.h>
#include <string.h>

static void ask_etag(struct probe *probe)
{
    struct evidence_tally tally = {0};
    struct probe_object objects[EVIDENCE_WANTED];
    if (!probe_new_objects(probe, objects, EVIDENCE_WANTED))
        return;
    for (size_t i = 0; i < EVIDENCE_WANTED; i++) {
        char hex[33], expected[36];
        if (!md5_hex(objects[i].body, strlen(objects[i].body), hex))
            return;
        snprintf(expected, sizeof(expected), "\"%s\"", hex);
        *(strcmp(expected, objects[i].etag) == 0 ? &tally.written : &tally.held) += 1;
    }
    probe->profile->etag_is_md5 = tally.held > 0 ? PROFILE_NO : evidence_answer(&tally);
}

/* Garage 2.5.0 names a version in every answer, and keeps none: where the bucket says of itself what it does, that
 * counts. Asking takes a right of its own. */
static void ask_versions(struct probe *probe, const char *version)
{
    struct probe_ask ask = {.request = {.verb = STORE_GET_VERSIONING}};
    if (!probe_run(probe, &ask, 1))
        return;
    bool versioned = probe_succeeded(&ask.answer) ? ask.answer.versioning == S3_VERSIONING_ENABLED
                                                  : version[0] != '\0' && strcmp(version, "null") != 0;
    probe->profile->versioned = versioned ? PROFILE_YES : PROFILE_NO;
}

/* The first request: what is wrong with all of them is said of this one. */
void probe_ask_first(struct probe *probe)
{
    char key[PROBE_KEY_SIZE], body[PROBE_TEXT_SIZE];
    probe_new_key(probe, key);
    probe_new_body(probe, body);
    struct probe_ask ask = {.request = {.verb = STORE_PUT,
                                        .key = key,
                                        .body = {.kind = HTTP_BODY_MEMORY, .data = body, .length = strlen(body)}}};
    for (int tries = 0; tries < EVIDENCE_WANTED && !probe_succeeded(&ask.answer); tries++)
        if (!probe_run(probe, &ask, 1))
            return;
    const struct probe_answer *answer = &ask.answer;
    if (!probe_succeeded(answer)) {
        probe_fail(probe, answer->code ? answer->code : OS_ERR_PROTOCOL, "The store cannot be probed: %.900s",
                   answer->error.message);
        return;
    }
    ask_versions(probe, answer->object.version_id);
    ask_etag(probe);
}

/* ------------------------------------------------------------------------------------------------ RenameObject */

/* A store that does not know ?renameObject may take the request for a PUT of no bytes: only what stands there tells. */
static void try_rename(struct probe *probe, struct evidence_tally *tally)
{
    struct probe_write write;
    memset(&write, 0, sizeof(write));
    probe_new_key(probe, write.key);
    if (!probe_writes_prepare(probe, &write, 1, PROFILE_RENAME) || !probe_run(probe, &write.ask, 1))
        return;
    struct probe_read reads[2] = {{.key = write.key}, {.key = write.source.key}};
    if (!probe_read(probe, reads, 2))
        return;
    struct evidence_write evidence = probe_evidence(&write, &reads[0], NULL);
    bool moved = evidence.stands == EVIDENCE_STANDS_OURS && reads[1].known && !reads[1].there;
    bool taken_for_put = evidence.succeeded && reads[0].known && !moved;
    if (taken_for_put)
        tally->held++;
    else
        evidence_add(tally, &evidence);
}

void probe_ask_rename(struct probe *probe)
{
    struct evidence_tally tally = {0};
    for (int tries = 0; tries < EVIDENCE_MOST && probe->code == OS_OK && !evidence_settled(&tally); tries++)
        try_rename(probe, &tally);
    probe->profile->rename_object = evidence_answer(&tally);
}

/* ------------------------------------------------------------------------------------------------ uploads */

/* Of a request that changes no object: what its own answer says. */
static void add_answer(struct evidence_tally *tally, const struct probe_answer *answer)
{
    bool ok = probe_succeeded(answer);
    struct evidence_write write = {
        .complete = answer->complete,
        .succeeded = ok,
        .explained = probe_explained(answer),
        .status = answer->status,
        .stands = ok ? EVIDENCE_STANDS_OURS : EVIDENCE_STANDS_BEFORE,
    };
    evidence_add(tally, &write);
}

/* Only where the store itself says that it has none. */
static void ask_creation(struct probe *probe, struct evidence_tally *tally)
{
    static const struct s3_content no_content;
    static const struct s3_creation plain = {.content = &no_content};
    while (probe->code == OS_OK && !evidence_settled(tally)) {
        char key[PROBE_KEY_SIZE];
        probe_new_key(probe, key);
        struct probe_ask ask = {.request = {.verb = STORE_CREATE_UPLOAD, .key = key, .upload = {.creation = &plain}}};
        if (!probe_run(probe, &ask, 1))
            return;
        if (probe_succeeded(&ask.answer))
            probe_note_upload(probe, key, ask.answer.upload_id.text);
        add_answer(tally, &ask.answer);
    }
}

void probe_ask_uploads(struct probe *probe)
{
    struct evidence_tally creation = {0}, whole = {0};
    ask_creation(probe, &creation);
    probe->profile->uploads = evidence_answer(&creation);
    while (probe->profile->uploads == PROFILE_YES && probe->code == OS_OK && !evidence_settled(&whole)) {
        struct probe_write writes[EVIDENCE_WANTED];
        memset(writes, 0, sizeof(writes));
        for (size_t i = 0; i < EVIDENCE_WANTED; i++)
            probe_new_key(probe, writes[i].key);
        if (!probe_writes_prepare(probe, writes, EVIDENCE_WANTED, PROFILE_COMPLETE) ||
            !probe_writes_judge(probe, writes, EVIDENCE_WANTED, NULL, &whole))
            break;
    }
    if (probe->profile->uploads == PROFILE_YES)
        probe->profile->uploads = evidence_answer(&whole);
}

/* ------------------------------------------------------------------------------------------------ metadata */

static void probe_object_check_metadata(struct probe *probe, const char *key, const char *expected,
                                        struct evidence_tally *tally)
{
    struct probe_ask ask = {.request = {.verb = STORE_HEAD, .key = key}};
    for (int tries = 0; tries < EVIDENCE_WANTED && !probe_succeeded(&ask.answer); tries++)
        if (!probe_run(probe, &ask, 1))
            return;
    if (probe_succeeded(&ask.answer))
        *(strcmp(ask.answer.metadata, expected) == 0 ? &tally->written : &tally->held) += 1;
}

/* One object of each kind: put, copied over with other metadata, made of a part. */
static void ask_metadata_of(struct probe *probe, enum profile_request kind, struct evidence_tally *tally)
{
    static const os_metadata kept = {.name = PROBE_METADATA, .value = "kept"};
    static const struct s3_content content = {.metadata = &kept, .metadata_count = 1};
    static const struct s3_creation creation = {.content = &content};
    for (size_t i = 0; i < EVIDENCE_WANTED && probe->code == OS_OK; i++) {
        struct probe_write write = {.kind = kind};
        probe_new_key(probe, write.key);
        if (kind == PROFILE_COMPLETE) {
            struct probe_ask ask = {
                .request = {.verb = STORE_CREATE_UPLOAD, .key = write.key, .upload = {.creation = &creation}}};
            if (!probe_run(probe, &ask, 1) || !probe_succeeded(&ask.answer))
                return;
            probe_note_upload(probe, write.key, ask.answer.upload_id.text);
            if (!probe_upload_whole(probe, &write, &ask.answer.upload_id))
                return;
        } else {
            if (!probe_writes_prepare(probe, &write, 1, kind))
                return;
            write.ask.request.content = &content;
            if (!probe_run(probe, &write.ask, 1) || !probe_succeeded(&write.ask.answer))
                return;
        }
        probe_object_check_metadata(probe, write.key, kept.value, tally);
    }
}

void probe_ask_metadata(struct probe *probe)
{
    static const enum profile_request kinds[] = {PROFILE_PUT, PROFILE_COPY, PROFILE_COMPLETE};
    enum profile_answer whole = PROFILE_YES;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct evidence_tally tally = {0};
        if (kinds[i] == PROFILE_COMPLETE && probe->profile->uploads != PROFILE_YES)
            continue;
        ask_metadata_of(probe, kinds[i], &tally);
        enum profile_answer answer = evidence_answer(&tally);
        if (answer == PROFILE_NO || whole == PROFILE_YES)
            whole = answer;
    }
    probe->profile->metadata_survives = whole;
}

/* ------------------------------------------------------------------------------------------------ checksums */

/* The sums of "oscommit" and of "Oscommit". */
static const char *const right_sums[S3_CHECKSUM_END] = {NULL,
                                                        "Tn8oxg==",
                                                        "Dzs3IA==",
                                                        "mDxUUoUUcX8=",
                                                        "+puyKePXlPendCGmXvaSapXRCsQ=",
                                                        "2ukM97fF2sZaoAEJmRnKTS150bc3MB8F/2WRcBxSeRM="};
static const char *const wrong_sums[S3_CHECKSUM_END] = {NULL,
                                                        "twlKkA==",
                                                        "AjtSuQ==",
                                                        "dnYO20OOCVM=",
                                                        "i3XNn8PQMDd9lalw92DochYeaUU=",
                                                        "p/YjzjjvdZyiw8KDOv0Yqei70cjeFuqyqcwcvN9ONP4="};

static void ask_parts(struct probe *probe, const char *key, const char *upload_id, const struct s3_body_sums *sums,
                      struct evidence_tally *tally)
{
    static const char text[] = "oscommit";
    for (uint32_t part = 1; probe->code == OS_OK && !evidence_settled(tally); part++) {
        struct probe_ask ask = {
            .request = {.verb = STORE_UPLOAD_PART,
                        .key = key,
                        .body = {.kind = HTTP_BODY_MEMORY, .data = text, .length = sizeof(text) - 1},
                        .upload = {.id = upload_id, .part_number = part, .sums = sums}}};
        if (!probe_run(probe, &ask, 1))
            return;
        add_answer(tally, &ask.answer);
    }
}

void probe_ask_checksums(struct probe *probe)
{
    static const struct s3_content no_content;
    for (int checksum = 1; checksum < S3_CHECKSUM_END && probe->profile->uploads == PROFILE_YES; checksum++) {
        struct s3_creation creation = {.content = &no_content, .checksum = (enum s3_checksum)checksum};
        struct s3_body_sums right = {.checksum = creation.checksum, .checksum_text = right_sums[checksum]};
        struct s3_body_sums wrong = {.checksum = creation.checksum, .checksum_text = wrong_sums[checksum]};
        struct evidence_tally taken = {0}, refused = {0};
        char key[PROBE_KEY_SIZE];
        probe_new_key(probe, key);
        struct probe_ask ask = {
            .request = {.verb = STORE_CREATE_UPLOAD, .key = key, .upload = {.creation = &creation}}};
        if (!probe_run(probe, &ask, 1))
            return;
        if (!probe_succeeded(&ask.answer))
            continue;
        probe_note_upload(probe, key, ask.answer.upload_id.text);
        ask_parts(probe, key, ask.answer.upload_id.text, &right, &taken);
        ask_parts(probe, key, ask.answer.upload_id.text, &wrong, &refused);
        if (evidence_checksum(&taken, &refused))
            probe->profile->checksums |= UINT32_C(1) << checksum;
    }
}
