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

struct driver_versions {
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

void driver_free_versions(struct driver *driver)
{
    struct driver_versions *versions = driver->io.versions;
    if (versions == NULL)
        return;
    if (versions->op)
        driver->client->store->vtable->cancel(driver->client->store, versions->op);
    free(versions->page.next_key_marker);
    free(versions->page.next_version_id_marker);
    free(versions->key_marker);
    free(versions->id_marker);
    free(versions);
    driver->io.versions = NULL;
}

/* ------------------------------------------------------------------------------------------------ the event */

static void driver_io_versions_finish(struct driver *driver, enum versions_outcome outcome,
                                      const struct object_version *ours, const struct store_answer *answer)
{
    struct guard_event event = {.kind = GUARD_EVENT_VERSIONS, .versions = outcome};
    driver_date_of(driver, answer, &event);
    if (ours)
        event.version = *ours;
    driver_free_versions(driver);
    driver_event(driver, &event);
}

static void driver_io_versions_start(struct driver *driver, store_done_fn done)
{
    struct store *store = driver->client->store;
    struct driver_versions *versions = driver->io.versions;
    assert(versions->op == NULL);
    clock_read(&versions->sent);
    versions->request.deadline_monotonic_ms = versions->sent.monotonic_ms + driver->client->settings.request_timeout_ms;
    versions->op = store->vtable->start(store, &versions->request, done, driver);
    if (versions->op)
        return;
    driver_free_versions(driver);
    driver_fail_later(driver, GUARD_DO_VERSIONS);
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

/* False: it was no success, and the guard has its event. */
static bool succeeded(struct driver *driver, const struct store_answer *answer)
{
    assert(driver->io.versions->op != NULL);
    driver->io.versions->op = NULL;
    driver_count_request(driver, store_verb_name(driver->io.versions->request.verb), &driver->io.versions->sent,
                         answer);
    if (answer->code == OS_OK)
        return true;
    driver_note_error(driver, &answer->error);
    driver->io.versions_denied = answer->code == OS_ERR_DENIED;
    driver_io_versions_finish(driver, outcome_without(answer), NULL, answer);
    return false;
}

/* ------------------------------------------------------------------------------------------------ at last */

static void versioning_done(void *context, const struct store_answer *answer)
{
    struct driver *driver = context;
    if (!succeeded(driver, answer))
        return;
    bool kept = answer->versioning == S3_VERSIONING_ENABLED;
    driver_io_versions_finish(driver, kept ? VERSIONS_OTHERS : VERSIONS_HIDDEN, NULL, answer);
}

/* ------------------------------------------------------------------------------------------------ each of them */

static void ask_next(struct driver *driver, const struct store_answer *last);

static void version_done(void *context, const struct store_answer *answer)
{
    struct driver *driver = context;
    struct driver_versions *versions = driver->io.versions;
    if (!succeeded(driver, answer))
        return;
    struct object_version version;
    driver_version_of(&answer->object, &version);
    bool is_it = strcmp(version.version_id, versions->request.version_id) == 0; /* not every store looks at the id */
    enum versions_outcome outcome = is_it ? guard_classify_version(&driver->guard, &version) : VERSIONS_HIDDEN;
    if (outcome == VERSIONS_OURS && driver_shows_part(driver, answer))
        outcome = VERSIONS_HIDDEN;
    if (outcome == VERSIONS_OURS) {
        driver_io_versions_finish(driver, VERSIONS_OURS, &version, answer);
        return;
    }
    versions->hidden = versions->hidden || outcome == VERSIONS_HIDDEN;
    ask_next(driver, answer);
}

/* A list that lacks the key says nothing: it may be of another name, another form, another moment. Of a key that never
 * was there it is all the same, where the HEAD would have named a delete marker as this store does: two witnesses. */
static bool knows_key(const struct driver *driver)
{
    bool never_was = driver->io.head.version_id[0] == '\0' && !driver->guard.outcome.found.exists &&
                     driver->io.versions->id_count == 0;
    return driver->io.versions->has_current || (never_was && driver->client->told.names_markers);
}

/* The list is later than the HEAD, which found nothing: the next round sees both. */
static bool came_since(const struct driver *driver)
{
    return !driver->guard.outcome.found.exists && driver->io.versions->has_latest && !driver->io.versions->hidden;
}

static void ask_next(struct driver *driver, const struct store_answer *last)
{
    struct driver_versions *versions = driver->io.versions;
    assert(versions->next <= versions->count && versions->count <= VERSIONS_ASKED);
    if (versions->next < versions->count) {
        versions->request = (struct store_request){
            .verb = STORE_HEAD, .key = driver->key, .version_id = versions->asked[versions->next++]};
        driver_io_versions_start(driver, version_done);
    } else if (came_since(driver)) {
        driver_io_versions_finish(driver, VERSIONS_UNCLEAR, NULL, last);
    } else if (versions->hidden || !knows_key(driver)) {
        driver->io.versions_await = !versions->hidden && !driver->guard.outcome.found.exists;
        driver_io_versions_finish(driver, VERSIONS_HIDDEN, NULL, last);
    } else {
        versions->request = (struct store_request){.verb = STORE_GET_VERSIONING};
        driver_io_versions_start(driver, versioning_done);
    }
}

/* ------------------------------------------------------------------------------------------------ the list */

/* Where there are too many, those with our bytes come first. */
static void driver_io_versions_keep(struct driver *driver, const struct s3_listed_version *listed)
{
    struct driver_versions *versions = driver->io.versions;
    bool full = versions->count == VERSIONS_ASKED;
    versions->hidden = versions->hidden || full;
    if (full && strcmp(listed->etag, driver->guard.write.our_etag) != 0)
        return;
    size_t place = full ? VERSIONS_ASKED - 1 : versions->count++;
    memcpy(versions->asked[place], listed->version_id, VERSION_ID_SIZE);
}

/* One id of two entries is no id of a version. */
static bool is_new_id(struct driver_versions *versions, const char *version_id)
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
static bool driver_io_versions_is_current(const struct driver *driver, const struct s3_listed_version *listed)
{
    const struct object_version *found = &driver->guard.outcome.found;
    if (listed->is_delete_marker == found->exists)
        return false;
    if (driver->io.head.version_id[0])
        return strcmp(listed->version_id, driver->io.head.version_id) == 0;
    return listed->is_latest && strcmp(listed->etag, found->etag) == 0;
}

static bool is_below(const char *key, const char *prefix)
{
    return strncmp(key, prefix, strlen(prefix)) == 0;
}

static bool take_listed(void *context, const struct s3_listed_version *listed)
{
    _Static_assert(sizeof(listed->version_id) == VERSION_ID_SIZE, "");
    struct driver *driver = context;
    struct driver_versions *versions = driver->io.versions;
    versions->hidden = versions->hidden || !is_below(listed->key, driver->key); /* it was not asked for */
    if (strcmp(listed->key, driver->key) != 0)
        return true;
    versions->hidden = versions->hidden || !is_new_id(versions, listed->version_id);
    const struct listed_version version = {.version_id = listed->version_id,
                                           .etag = listed->etag,
                                           .last_modified_s = listed->last_modified_s,
                                           .is_delete_marker = listed->is_delete_marker};
    unsigned weight = guard_classify_listed(&driver->guard, &version);
    versions->has_current = versions->has_current || driver_io_versions_is_current(driver, listed);
    versions->has_latest = versions->has_latest || (listed->is_latest && !listed->is_delete_marker);
    versions->hidden = versions->hidden || (weight & GUARD_VERSION_HIDES);
    if (weight & GUARD_VERSION_ASK)
        driver_io_versions_keep(driver, listed);
    return true;
}

static void list_next(struct driver *driver);

/* Keys come in their order, so those of which ours is the beginning follow it. */
static void page_done(void *context, const struct store_answer *answer)
{
    struct driver *driver = context;
    struct driver_versions *versions = driver->io.versions;
    if (!succeeded(driver, answer))
        return;
    const char *next = versions->page.truncated ? versions->page.next_key_marker : driver->key;
    versions->hidden = versions->hidden || !is_below(next, driver->key);
    bool more = versions->page.truncated && strcmp(next, driver->key) == 0;
    if (more && versions->pages < VERSIONS_PAGES && versions->page.next_version_id_marker[0]) {
        list_next(driver);
        return;
    }
    versions->hidden = versions->hidden || more;
    ask_next(driver, answer);
}

static void list_next(struct driver *driver)
{
    struct driver_versions *versions = driver->io.versions;
    assert(versions->pages < VERSIONS_PAGES);
    free(versions->key_marker);
    free(versions->id_marker);
    versions->key_marker = versions->page.next_key_marker;
    versions->id_marker = versions->page.next_version_id_marker;
    versions->page = (struct s3_versions_page){.truncated = false};
    versions->pages++;
    versions->options = (struct s3_list_versions_options){.prefix = driver->key,
                                                          .key_marker = versions->key_marker,
                                                          .version_id_marker = versions->id_marker,
                                                          .max_keys = VERSIONS_PAGE};
    versions->request = (struct store_request){.verb = STORE_LIST_VERSIONS,
                                               .versions = &versions->options,
                                               .each_version = take_listed,
                                               .each_context = driver,
                                               .versions_page = &versions->page};
    driver_io_versions_start(driver, page_done);
}

void driver_list_versions(struct driver *driver)
{
    assert(driver->io.versions == NULL);
    driver->io.versions = calloc(1, sizeof(*driver->io.versions));
    if (driver->io.versions == NULL) {
        driver_fail_later(driver, GUARD_DO_VERSIONS);
        return;
    }
    list_next(driver);
}
