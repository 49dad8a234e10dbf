/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver has of memory beside its struct: copies of names, and the parts that only some operations need. */
#include "guarded/driver.h"

#include "base/digest.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void driver_outcome_clear(struct driver_outcome *outcome)
{
    free(outcome->attempted);
    memset(outcome, 0, sizeof(*outcome));
}

void driver_free_memory(struct driver *driver)
{
    if (driver->io.source)
        source_metadata_free(&driver->io.source->source_metadata);
    free(driver->io.source);
    free(driver->io.records.seen_upload);
    free(driver->io.records.other_bucket);
    free(driver->io.last_error);
    free(driver->io.attempt.history);
    free(driver->path);
    free(driver->upload);
    free(driver->key);
    free(driver);
}

static bool copy_names(struct driver *driver)
{
    assert(driver->params.name && driver->params.key);
    driver->key = strdup(driver->params.key);
    driver->path = client_record_path(driver->client, driver->params.key);
    if (driver->key == NULL || driver->path == NULL)
        return false;
    if (driver->params.upload && (driver->upload = strdup(driver->params.upload->id)) == NULL)
        return false;
    if (driver->params.operation != GUARD_PUT || driver->params.body.kind != HTTP_BODY_MEMORY)
        return true;
    char hex[33];
    if (!md5_hex(driver->params.body.data, (size_t)driver->params.body.length, hex))
        return false;
    return text_concat(driver->md5_etag, sizeof(driver->md5_etag), "\"", hex, "\"", NULL);
}

/* What only some operations need. */
static bool make_parts(struct driver *driver, struct driver_attempted **ret_attempted)
{
    const struct driver_params *params = &driver->params;
    if (params->upload || params->ticket) {
        *ret_attempted = calloc(1, sizeof(**ret_attempted));
        if (*ret_attempted == NULL)
            return false;
    }
    if (params->operation == GUARD_COPY && params->ticket == NULL)
        driver->io.source = calloc(1, sizeof(*driver->io.source));
    return params->operation != GUARD_COPY || params->ticket || driver->io.source;
}

bool driver_make_memory(struct driver *driver, struct driver_attempted **ret_attempted)
{
    return copy_names(driver) && make_parts(driver, ret_attempted);
}
