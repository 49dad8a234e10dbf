/* SPDX-License-Identifier: Apache-2.0 */
/* Forward-only keys: which pairs go along with an attempt, and what those of an object say (N4.1, N4.2). */
#include "guarded/driver.h"

#include "base/http_message.h"
#include "s3/history.h"
#include "s3/request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool write_history(const struct driver *driver, const char *nonce, char *ret)
{
    const char *base_etag = guard_record_etag(&driver->guard);
    char place[S3_HISTORY_HASH_SIZE];
    char base[S3_HISTORY_HASH_SIZE];
    if (!s3_history_place(driver->client->settings.bucket, driver->key, place) || !s3_history_hash(base_etag, base))
        return false;
    const char *known = known_versions_history(&driver->client->known_versions, driver->key, base_etag);
    s3_history_write(place, nonce, base, known, ret);
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
    if (!driver->params.forward_only || !carries || request->nonce == NULL || driver->client->settings.bucket == NULL)
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
    const char *base;
    struct guard_history *history;
};

static void classify_pair(void *context, const char *nonce, const char *etag_hash)
{
    struct classified *classified = context;
    guard_classify_pair(&classified->driver->guard, nonce, strcmp(etag_hash, classified->base) == 0,
                        classified->history);
}

void driver_read_history(struct driver *driver, const struct store_answer *answer, struct guard_history *ret)
{
    char place[S3_HISTORY_HASH_SIZE];
    char base[S3_HISTORY_HASH_SIZE];
    const char *value = answer->response ? http_headers_get(&answer->response->headers, S3_HISTORY_HEADER) : NULL;
    struct classified classified = {.driver = driver, .base = base, .history = ret};
    if (value == NULL || driver->client->settings.bucket == NULL)
        return;
    if (driver->params.forward_only)
        known_versions_note_history(&driver->client->known_versions, driver->key, answer->object.etag, value);
    if (s3_history_place(driver->client->settings.bucket, driver->key, place) &&
        s3_history_hash(guard_record_etag(&driver->guard), base))
        s3_history_read(value, place, classify_pair, &classified);
}
