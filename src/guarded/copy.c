/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded copy: one CopyObject, or parts. */
#include "client/arguments.h"
#include "guarded/call.h"

#include "base/error.h"

#include <string.h>

static os_code copy_take_options(struct guarded *guarded, const os_copy_options *options, os_error *err)
{
    os_copy_options own;
    os_code code = versioned_copy(options, &own, sizeof(own), "os_copy_options", err);
    if (code == OS_OK)
        code = arguments_version_id(own.source_version_id, &guarded->params.source_version_id, err);
    if (code == OS_OK)
        code = guarded_take_fencing(guarded, own.fencing, err);
    if (code != OS_OK || own.source_etag == NULL || own.source_etag[0] == '\0')
        return code;
    guarded->params.source_etag = guarded->source_etag;
    return arguments_etag(own.source_etag, guarded->source_etag, err);
}

os_code guarded_take_copy(struct guarded *guarded, os_error *err)
{
    const struct guarded_arguments *arguments = guarded->arguments;
    guarded->params.operation = GUARD_COPY;
    os_code code = copy_take_options(guarded, arguments->copy_options, err);
    if (code == OS_OK)
        code = client_object_key(guarded->client, arguments->source, &guarded->source_key, err);
    if (code == OS_OK)
        code = guarded_take_key(guarded, err);
    if (code == OS_OK && guarded->params.source_version_id == NULL && strcmp(guarded->source_key, guarded->key) == 0)
        code = error_set(err, OS_ERR_ARGUMENT, "Source and target of the copy are the same key, %.300s.", guarded->key);
    guarded->params.source_key = guarded->source_key;
    return code;
}

static enum steps_next copy_parts(struct guarded *guarded)
{
    os_error error;
    return copy_in_parts(guarded, &error) == OS_OK ? guarded->after_copy(guarded) : guarded_refuse(guarded, &error);
}

static enum steps_next copy_done(struct guarded *guarded)
{
    os_error error;
    if (!guarded->started)
        return guarded_refuse_unstarted(guarded);
    memcpy(guarded->copied_etag, guarded->outcome.source_etag, sizeof(guarded->copied_etag));
    if (!guarded->outcome.too_large)
        return guarded->after_copy(guarded);
    if (guarded_choose_plan(guarded, guarded->outcome.source_bytes, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    return guarded_block(guarded, copy_parts);
}

enum steps_next guarded_copy_source(struct guarded *guarded)
{
    struct driver_params *params = &guarded->params;
    struct write_plan_rules rules;
    os_error error;
    if (guarded_choose_plan(guarded, 0, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    if (params->plan.request != PLAN_COPY_OBJECT)
        return guarded_block(guarded, copy_parts);
    client_write_plan_rules(guarded->client, &rules);
    params->copy_most = write_plan_multipart_above(&rules, PLAN_COPY, params->etag == NULL);
    return guarded_drive(guarded, copy_done);
}

enum steps_next guarded_copy(struct guarded *guarded)
{
    os_error error;
    guarded->after_copy = guarded_over;
    return guarded_take_copy(guarded, &error) == OS_OK ? guarded_copy_source(guarded) : guarded_refuse(guarded, &error);
}
