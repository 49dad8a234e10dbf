/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded rename: one RenameObject; else a copy, and then a delete of exactly the version that was copied. */
#include "base/error.h"
#include "client/settings.h"
#include "guarded/call.h"

/* The verdict stays the copy's: what became of the source goes into its error. */
static void rename_delete_source(struct guarded *guarded, const struct guarded_arguments *arguments)
{
    const os_call call = guarded_rest_of_call(guarded);
    const struct guarded_arguments deletion = {.name = "delete_if_match",
                                               .key = arguments->source,
                                               .replaces = true,
                                               .etag = guarded->copied_etag,
                                               .call = &call};
    os_error why;
    os_verdict deleted = OS_NOT_EXECUTED;
    if (guarded->copied_etag[0] == '\0')
        error_set(&why, OS_ERR_SOURCE, "Its ETag is not known.");
    else
        deleted = guarded_delete(guarded->client, &deletion, NULL, &why);
    if (deleted == OS_COMMITTED)
        return;
    const char *state = "the source was not deleted";
    if (deleted == OS_CONFLICT)
        state = "the source is no longer the version that was copied, so it was not deleted";
    else if (deleted == OS_UNKNOWN)
        state = "whether the source was deleted is not known";
    os_error *error = &guarded->outcome.error;
    error_set(error, why.code, "%.200s was copied to %.200s, but %s: %.400s", arguments->source, arguments->key, state,
              why.message);
    error_service(error, why.http_status, why.service_code, why.request_id);
}

static os_code rename_refuse_version(const struct guarded_arguments *arguments, os_error *err)
{
    os_copy_options own;
    os_code code = versioned_copy(arguments->copy_options, &own, sizeof(own), "os_copy_options", err);
    if (code == OS_OK && own.source_version_id && own.source_version_id[0])
        code = error_set(err, OS_ERR_ARGUMENT, "A specific version of %.300s cannot be renamed; copy it instead.",
                         arguments->source);
    return code;
}

/* The candidates of its write plan. The delete must be possible before anything is written. */
static os_code rename_perform(struct guarded *guarded, const struct guarded_arguments *arguments, os_error *err)
{
    const struct write_plan_params rename = {.operation = PLAN_RENAME, .create = true};
    const struct write_plan_params deletion = {.operation = PLAN_DELETE};
    struct write_plan_rules rules;
    struct write_plan plan;
    client_write_plan_rules(guarded->client, &rules);
    os_code code = rename_refuse_version(arguments, err);
    if (code == OS_OK)
        code = guarded_take_copy(guarded, arguments, err);
    if (code != OS_OK)
        return code;
    if (write_plan_choose(&rules, &rename, &guarded->params.plan, NULL) == OS_OK)
        return rename_natively(guarded, err);
    code = write_plan_choose(&rules, &deletion, &plan, err);
    if (code == OS_OK)
        code = guarded_copy_source(guarded, err);
    if (code == OS_OK && guarded->outcome.verdict == OS_COMMITTED)
        rename_delete_source(guarded, arguments);
    return code;
}

os_verdict guarded_rename(os_client *client, const struct guarded_arguments *arguments, os_result *ret, os_error *err)
{
    return guarded_call(client, arguments, rename_perform, ret, err);
}
