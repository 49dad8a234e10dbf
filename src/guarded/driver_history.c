/* SPDX-License-Identifier: Apache-2.0 */
/* Forward-only keys: which pairs go along with an attempt, and what those of an object say (N4.1, N4.2). */
#include "guarded/driver.h"

#include "base/http_message.h"
#include "s3/history.h"
#include "s3/request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The key's place, and what its guard expects, as pairs name them. */
struct hashes {
    char place[S3_HISTORY_HASH_SIZE];
    char base[S3_HISTORY_HASH_SIZE];
};

/* False: no digest is to be had, or the store is no bucket. */
static bool hashes_of(const struct driver *driver, struct hashes *ret)
{
    const char *bucket = driver->client->settings.bucket;
    return bucket && s3_history_place(bucket, driver->key, ret->place) &&
           s3_history_hash(guard_record_etag(&driver->guard), ret->base);
}

static bool write_history(const struct driver *driver, const char *nonce, char *ret)
{
    struct hashes hashes;
    if (!hashes_of(driver, &hashes))
        return false;
    const char *known =
        known_versions_history(&driver->client->known_versions, driver->key, guard_record_etag(&driver->guard));
    s3_history_write(hashes.place, nonce, hashes.base, known, ret);
    return true;
}

static bool has_room(const struct store_request *request, const char *history)
{
    return s3_content_has_room(request->content, request->nonce, request->replaced, history);
}

/* Nothing goes along without memory, a digest or room: then others know less of this write, and nothing worse. */
void driver_describe_history(struct driver *driver, struct store_request *request)
{
    bool carries = request->verb == STORE_PUT || request->verb == STORE_COPY;
    free(driver->io.attempt.history);
    driver->io.attempt.history = NULL;
    if (!driver->params.forward_only || !carries || request->nonce == NULL)
        return;
    char *history = malloc(S3_HISTORY_SIZE);
    bool written = history && write_history(driver, request->nonce, history);
    if (written && !has_room(request, history))
        s3_history_shorten(history);
    if (!written || !has_room(request, history)) {
        free(history);
        return;
    }
    driver->io.attempt.history = history;
    request->history = history;
}

struct classified {
    const struct driver *driver;
    struct hashes hashes;
    struct guard_history *history;
};

static void classify_pair(void *context, const char *nonce, const char *etag_hash)
{
    struct classified *classified = context;
    guard_classify_pair(&classified->driver->guard, nonce, strcmp(etag_hash, classified->hashes.base) == 0,
                        classified->history);
}

void driver_read_history(struct driver *driver, const struct store_answer *answer, struct guard_history *ret)
{
    const char *value = answer->response ? http_headers_get(&answer->response->headers, S3_HISTORY_HEADER) : NULL;
    struct classified classified = {.driver = driver, .history = ret};
    if (value == NULL)
        return;
    if (driver->params.forward_only)
        known_versions_note_history(&driver->client->known_versions, driver->key, answer->object.etag, value);
    if (hashes_of(driver, &classified.hashes))
        s3_history_read(value, classified.hashes.place, classify_pair, &classified);
}
