/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R16: the versions of the key. Pages of their list, a HEAD of each that may be ours, and whether the bucket still
 * keeps every version; one request after the other, all of it bounded. What an entry is good for is the guard's to say.
 */
#include "guarded/driver.h"

#include "commit/record.h"
#include "commit/words.h"
#include "store/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VERSIONS_PAGES = 4, VERSIONS_ASKED = 64, VERSIONS_PAGE = 1000, VERSIONS_IDS = VERSIONS_PAGES * VERSIONS_PAGE };

struct run_versions {
    char asked[VERSIONS_ASKED][VERSION_ID_SIZE]; /* to be looked at with a HEAD */
    size_t count;
    size_t next;
    unsigned pages;
    uint64_t ids[VERSIONS_IDS]; /* of the entries of the key */
    size_t id_count;
    bool hidden;      /* the list cannot prove that ours is not in it */
    bool has_current; /* it has what the last HEAD showed */
    bool has_latest;  /* it has an object that is there now */
    struct s3_list_versions_options options;
    struct s3_versions_page page;
    char *key_marker;
    char *id_marker;
    struct store_request request;
    struct store_op *op;
    struct clock_reading sent;
};

void run_free_versions(struct run *run)
{
    struct run_versions *versions = run->io.versions;
    if (versions == NULL)
        return;
    if (versions->op)
        run->client->store->vtable->cancel(run->client->store, versions->op);
    free(versions->page.next_key_marker);
    free(versions->page.next_version_id_marker);
    free(versions->key_marker);
    free(versions->id_marker);
    free(versions);
    run->io.versions = NULL;
}

/* ------------------------------------------------------------------------------------------------ the event */

static void finish(struct run *run, enum versions_outcome outcome, const struct object_version *ours,
                   const struct store_answer *answer)
{
    struct guard_event event = {.kind = GUARD_EVENT_VERSIONS, .versions = outcome};
    run_date_of(run, answer, &event);
    if (ours)
        event.version = *ours;
    run_free_versions(run);
    run_event(run, &event);
}

static void start(struct run *run, store_done_fn done)
{
    struct store *store = run->client->store;
    struct run_versions *versions = run->io.versions;
    clock_read(&versions->sent);
    versions->request.deadline_monotonic_ms = versions->sent.monotonic_ms + run->client->settings.request_timeout_ms;
    versions->op = store->vtable->start(store, &versions->request, done, run);
    if (versions->op)
        return;
    run_free_versions(run);
    run_fail_later(run, GUARD_DO_VERSIONS);
}

/* What the store refuses it will refuse again; what was cut short, or went elsewhere, it may answer the next time. */
static enum versions_outcome outcome_without(const struct store_answer *answer)
{
    switch (answer->code) {
    case OS_ERR_NETWORK:
    case OS_ERR_DEADLINE:
    case OS_ERR_TLS:
    case OS_ERR_REGION:
    case OS_ERR_SERVICE:
    case OS_ERR_THROTTLED:
    case OS_ERR_CREDENTIALS:
    case OS_ERR_NO_MEMORY: return VERSIONS_UNCLEAR;
    case OS_ERR_PROTOCOL: return answer->complete ? VERSIONS_HIDDEN : VERSIONS_UNCLEAR;
    default: return VERSIONS_HIDDEN;
    }
}

/* False: it was no success, and the guard has heard of it. */
static bool succeeded(struct run *run, const struct store_answer *answer)
{
    run->io.versions->op = NULL;
    run_count_request(run, store_verb_name(run->io.versions->request.verb), &run->io.versions->sent, answer);
    if (answer->code == OS_OK)
        return true;
    run->io.last_error = answer->error;
    run->io.versions_denied = answer->code == OS_ERR_DENIED;
    finish(run, outcome_without(answer), NULL, answer);
    return false;
}

/* ------------------------------------------------------------------------------------------------ at last */

static void versioning_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    if (!succeeded(run, answer))
        return;
    bool kept = answer->versioning == S3_VERSIONING_ENABLED;
    finish(run, kept ? VERSIONS_OTHERS : VERSIONS_HIDDEN, NULL, answer);
}

/* ------------------------------------------------------------------------------------------------ each of them */

static void ask_next(struct run *run, const struct store_answer *last);

static void version_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    struct run_versions *versions = run->io.versions;
    if (!succeeded(run, answer))
        return;
    struct object_version version;
    run_version_of(&answer->object, &version);
    bool is_it = strcmp(version.version_id, versions->request.version_id) == 0; /* not every store looks at the id */
    enum versions_outcome outcome = is_it ? guard_classify_version(&run->guard, &version) : VERSIONS_HIDDEN;
    if (outcome == VERSIONS_OURS) {
        finish(run, VERSIONS_OURS, &version, answer);
        return;
    }
    versions->hidden = versions->hidden || outcome == VERSIONS_HIDDEN;
    ask_next(run, answer);
}

/* A list that lacks the key says nothing: it may be of another name, another form, another moment. Of a key that never
 * was there it is all the same, where the HEAD would have named a delete marker as this store does: two witnesses. */
static bool knows_key(const struct run *run)
{
    bool never_was = run->io.head.version_id[0] == '\0' && !run->guard.found.exists && run->io.versions->id_count == 0;
    return run->io.versions->has_current || (never_was && run->client->names_markers);
}

/* The list is later than the HEAD, which found nothing: the next round sees both. */
static bool came_since(const struct run *run)
{
    return !run->guard.found.exists && run->io.versions->has_latest && !run->io.versions->hidden;
}

static void ask_next(struct run *run, const struct store_answer *last)
{
    struct run_versions *versions = run->io.versions;
    if (versions->next < versions->count) {
        versions->request = (struct store_request){
            .verb = STORE_HEAD, .key = run->key, .version_id = versions->asked[versions->next++]};
        start(run, version_done);
    } else if (came_since(run)) {
        finish(run, VERSIONS_UNCLEAR, NULL, last);
    } else if (versions->hidden || !knows_key(run)) {
        run->io.versions_await = !versions->hidden && !run->guard.found.exists;
        finish(run, VERSIONS_HIDDEN, NULL, last);
    } else {
        versions->request = (struct store_request){.verb = STORE_GET_VERSIONING};
        start(run, versioning_done);
    }
}

/* ------------------------------------------------------------------------------------------------ the list */

/* Where there are too many, those with our bytes come first. */
static void keep(struct run *run, const struct s3_listed_version *listed)
{
    struct run_versions *versions = run->io.versions;
    bool full = versions->count == VERSIONS_ASKED;
    versions->hidden = versions->hidden || full;
    if (full && strcmp(listed->etag, run->guard.our_etag) != 0)
        return;
    size_t place = full ? VERSIONS_ASKED - 1 : versions->count++;
    memcpy(versions->asked[place], listed->version_id, VERSION_ID_SIZE);
}

/* One id of two entries is no id of a version. */
static bool is_new_id(struct run_versions *versions, const char *version_id)
{
    uint64_t id = record_upload_number(version_id);
    for (size_t i = 0; i < versions->id_count; i++)
        if (versions->ids[i] == id)
            return false;
    if (versions->id_count == VERSIONS_IDS)
        return false;
    versions->ids[versions->id_count++] = id;
    return true;
}

/* Where the HEAD named no id it is the latest, by what it is. */
static bool is_current(const struct run *run, const struct s3_listed_version *listed)
{
    const struct object_version *found = &run->guard.found;
    if (listed->is_delete_marker == found->exists)
        return false;
    if (run->io.head.version_id[0])
        return strcmp(listed->version_id, run->io.head.version_id) == 0;
    return listed->is_latest && strcmp(listed->etag, found->etag) == 0;
}

static bool is_below(const char *key, const char *prefix)
{
    return strncmp(key, prefix, strlen(prefix)) == 0;
}

static bool take_listed(void *context, const struct s3_listed_version *listed)
{
    _Static_assert(sizeof(listed->version_id) == VERSION_ID_SIZE, "");
    struct run *run = context;
    struct run_versions *versions = run->io.versions;
    versions->hidden = versions->hidden || !is_below(listed->key, run->key); /* it was not asked for */
    if (strcmp(listed->key, run->key) != 0)
        return true;
    versions->hidden = versions->hidden || !is_new_id(versions, listed->version_id);
    const struct listed_version version = {.version_id = listed->version_id,
                                           .etag = listed->etag,
                                           .last_modified_s = listed->last_modified_s,
                                           .is_delete_marker = listed->is_delete_marker};
    unsigned weight = guard_classify_listed(&run->guard, &version);
    versions->has_current = versions->has_current || is_current(run, listed);
    versions->has_latest = versions->has_latest || (listed->is_latest && !listed->is_delete_marker);
    versions->hidden = versions->hidden || (weight & GUARD_VERSION_HIDES);
    if (weight & GUARD_VERSION_ASK)
        keep(run, listed);
    return true;
}

static void list_next(struct run *run);

/* Keys come in their order, so those of which ours is the beginning follow it. */
static void page_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    struct run_versions *versions = run->io.versions;
    if (!succeeded(run, answer))
        return;
    const char *next = versions->page.truncated ? versions->page.next_key_marker : run->key;
    versions->hidden = versions->hidden || !is_below(next, run->key);
    bool more = versions->page.truncated && strcmp(next, run->key) == 0;
    if (more && versions->pages < VERSIONS_PAGES && versions->page.next_version_id_marker[0]) {
        list_next(run);
        return;
    }
    versions->hidden = versions->hidden || more;
    ask_next(run, answer);
}

static void list_next(struct run *run)
{
    struct run_versions *versions = run->io.versions;
    free(versions->key_marker);
    free(versions->id_marker);
    versions->key_marker = versions->page.next_key_marker;
    versions->id_marker = versions->page.next_version_id_marker;
    versions->page = (struct s3_versions_page){.truncated = false};
    versions->pages++;
    versions->options = (struct s3_list_versions_options){.prefix = run->key,
                                                          .key_marker = versions->key_marker,
                                                          .version_id_marker = versions->id_marker,
                                                          .max_keys = VERSIONS_PAGE};
    versions->request = (struct store_request){.verb = STORE_LIST_VERSIONS,
                                               .versions = &versions->options,
                                               .each_version = take_listed,
                                               .each_context = run,
                                               .versions_page = &versions->page};
    start(run, page_done);
}

void run_want_versions(struct run *run)
{
    assert(run->io.versions == NULL);
    run->io.versions = calloc(1, sizeof(*run->io.versions));
    if (run->io.versions == NULL) {
        run_fail_later(run, GUARD_DO_VERSIONS);
        return;
    }
    list_next(run);
}
