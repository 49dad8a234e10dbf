/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes the call writes: whether that is certain (F2.11), and whether a HEAD shows all of them (V4.4). */
#include "guarded/driver.h"

#include "base/error.h"

#include <assert.h>
#include <string.h>

bool driver_source_may_change(const struct driver *driver)
{
    const struct profile *profile = driver->client->settings.profile;
    return profile && profile->copy_source_match == PROFILE_IGNORED &&
           !version_is_own_id(driver->params.source_version_id);
}

/* False: nothing is written, or nobody has said it. */
static bool whole_of(const struct driver *driver, uint64_t *ret)
{
    const struct driver_params *params = &driver->params;
    *ret = 0;
    if (params->ticket) {
        *ret = params->ticket->length;
        return params->ticket->has_length;
    }
    switch (params->operation) {
    case GUARD_PUT: *ret = params->body.length; return true;
    case GUARD_COPY: *ret = driver->outcome->source_bytes; return true;
    case GUARD_COMPLETE: *ret = params->upload->length; return true;
    case GUARD_DELETE: break;
    }
    return false;
}

static void note_cut(struct driver *driver, const struct store_answer *answer, uint64_t whole)
{
    os_error error;
    bool copies = driver->guard.write.operation == GUARD_COPY;
    error_set(&error, OS_ERR_PROTOCOL, "The store shows this write of %.300s, but has %llu bytes of it, and %s%llu%s.",
              driver->key, (unsigned long long)answer->object.length, copies ? "its source had " : "",
              (unsigned long long)whole, copies ? " before" : " were sent");
    driver_note_error(driver, &error);
}

static void note_unsized(struct driver *driver)
{
    os_error error;
    error_set(&error, OS_ERR_PROTOCOL, "The store answered HEAD of %.300s without a Content-Length.", driver->key);
    driver_note_error(driver, &error);
}

/* V4.6. What is torn before an attempt of this guard is only what it is to replace. */
static bool is_torn(struct driver *driver, const struct store_answer *answer)
{
    const struct guard *guard = &driver->guard;
    struct object_version version;
    os_error error;
    bool may_be_out = guard->attempt.send_count > 0 || guard->write.from_ticket;
    driver_version_of(&answer->object, &version);
    if (!may_be_out || !guard_shows_torn(guard, &version))
        return false;
    error_set(&error, OS_ERR_PROTOCOL,
              "The store shows the metadata of this write of %.300s, beside the version that was there before.",
              driver->key);
    driver_note_error(driver, &error);
    return true;
}

static bool shows_own_nonce(const struct driver *driver, const struct store_answer *answer)
{
    return answer->code == OS_OK && !answer->object.delete_marker &&
           strcmp(answer->object.nonce, driver->guard.write.nonce) == 0;
}

bool driver_shows_part(struct driver *driver, const struct store_answer *answer)
{
    assert(driver->outcome != NULL);
    if (!shows_own_nonce(driver, answer))
        return driver->io.half;
    uint64_t whole = 0;
    bool known = whole_of(driver, &whole);
    enum version_extent extent = version_extent_of(answer->object.has_length, answer->object.length, known, whole);
    if (extent == VERSION_UNSIZED) {
        note_unsized(driver);
        return true;
    }
    if (extent == VERSION_CUT)
        note_cut(driver, answer, whole);
    driver->io.half = extent == VERSION_CUT || is_torn(driver, answer);
    bool under_way = driver->guard.state == GUARD_SENDING;
    return driver->io.half || (under_way && driver_etag_is_missing(answer->object.etag));
}

void driver_ticket_of(const struct driver *driver, struct guard_ticket *ret)
{
    guard_ticket_of(&driver->guard, ret);
    ret->has_length = whole_of(driver, &ret->length);
    ret->half = driver->io.half;
}
