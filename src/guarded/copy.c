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
    if (code != OS_OK || own.source_etag == NULL || own.source_etag[0] == '\0')
        return code;
    guarded->params.source_etag = guarded->source_etag;
    return arguments_etag(own.source_etag, guarded->source_etag, err);
}

os_code guarded_take_copy(struct guarded *guarded, const struct guarded_arguments *arguments, os_error *err)
{
    guarded->params.operation = GUARD_COPY;
    os_code code = copy_take_options(guarded, arguments->copy_options, err);
    if (code == OS_OK)
        code = client_object_key(guarded->client, arguments->source, &guarded->source_key, err);
    if (code == OS_OK)
        code = guarded_take_key(guarded, arguments, err);
    if (code == OS_OK && guarded->params.source_version_id == NULL && strcmp(guarded->source_key, guarded->key) == 0)
        code = error_set(err, OS_ERR_ARGUMENT, "Source and target of the copy are the same key, %.300s.", guarded->key);
    guarded->params.source_key = guarded->source_key;
    return code;
}

os_code guarded_copy_source(struct guarded *guarded, os_error *err)
{
    struct driver_params *params = &guarded->params;
    os_code code = guarded_choose_plan(guarded, 0, err);
    if (code != OS_OK || params->plan.request != PLAN_COPY_OBJECT)
        return code == OS_OK ? copy_in_parts(guarded, err) : code;
    struct write_plan_rules rules;
    client_write_plan_rules(guarded->client, &rules);
    params->copy_most = write_plan_multipart_above(&rules, PLAN_COPY, params->etag == NULL);
    code = guarded_once(guarded, err);
    if (code != OS_OK)
        return code;
    memcpy(guarded->copied_etag, guarded->outcome.source_etag, sizeof(guarded->copied_etag));
    if (!guarded->outcome.too_large)
        return OS_OK;
    code = guarded_choose_plan(guarded, guarded->outcome.source_bytes, err);
    return code == OS_OK ? copy_in_parts(guarded, err) : code;
}

static os_code copy_perform(struct guarded *guarded, const struct guarded_arguments *arguments, os_error *err)
{
    os_code code = guarded_take_copy(guarded, arguments, err);
    return code == OS_OK ? guarded_copy_source(guarded, err) : code;
}

os_verdict guarded_copy(os_client *client, const struct guarded_arguments *arguments, os_result *ret, os_error *err)
{
    return guarded_call(client, arguments, copy_perform, ret, err);
}
