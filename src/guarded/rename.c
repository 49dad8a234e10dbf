/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded rename: one RenameObject; else a copy, and then a delete of exactly the version that was copied. */
#include "base/error.h"
#include "client/arguments.h"
#include "client/settings.h"
#include "guarded/call.h"

#include <stdlib.h>
#include <string.h>

/* The verdict stays the copy's: what became of the source goes into its error. */
static enum steps_next rename_conclude(struct guarded *guarded, os_verdict deleted, const os_error *why)
{
    const char *state = "the source was not deleted";
    if (deleted == OS_COMMITTED)
        return guarded_over(guarded);
    if (deleted == OS_CONFLICT)
        state = "the source is no longer the version that was copied, so it was not deleted";
    else if (deleted == OS_UNKNOWN)
        state = "whether the source was deleted is not known";
    os_error *error = &guarded->outcome.error;
    error_set(error, why->code, "%.200s was copied to %.200s, but %s: %.400s", guarded->arguments->source,
              guarded->arguments->key, state, why->message);
    error_service(error, why->http_status, why->service_code, why->request_id);
    return guarded_over(guarded);
}

static enum steps_next rename_deleted(struct guarded *guarded)
{
    os_verdict deleted = guarded->started ? guarded->outcome.verdict : OS_NOT_EXECUTED;
    os_error why = guarded->outcome.error;
    if (!guarded->started)
        error_no_memory(&why);
    free(guarded->outcome.result.ticket);
    driver_outcome_clear(&guarded->outcome);
    guarded->outcome = *guarded->copied;
    return rename_conclude(guarded, deleted, &why);
}

/* The driver's params become those of the delete, whose outcome rename_deleted looks for where the copy's was. */
static os_code rename_turn_to_source(struct guarded *guarded, os_error *err)
{
    const struct driver_params copy = guarded->params;
    if (guarded->copied_etag[0] == '\0')
        return error_set(err, OS_ERR_SOURCE, "Its ETag is not known.");
    guarded->params = (struct driver_params){.name = "delete_if_match",
                                             .operation = GUARD_DELETE,
                                             .key = guarded->source_key,
                                             .etag = guarded->etag,
                                             .deadline_ms = guarded_time_left(guarded),
                                             .cancel = copy.cancel};
    os_code code = arguments_etag(guarded->copied_etag, guarded->etag, err);
    if (code == OS_OK)
        code = guarded_choose_plan(guarded, 0, err);
    if (code == OS_OK && (guarded->copied = malloc(sizeof(*guarded->copied))) == NULL)
        code = error_no_memory(err);
    return code;
}

static enum steps_next rename_copied(struct guarded *guarded)
{
    os_error why;
    if (guarded->outcome.verdict != OS_COMMITTED)
        return guarded_over(guarded);
    if (rename_turn_to_source(guarded, &why) != OS_OK)
        return rename_conclude(guarded, OS_NOT_EXECUTED, &why);
    *guarded->copied = guarded->outcome;
    memset(&guarded->outcome, 0, sizeof(guarded->outcome));
    guarded->reports_late = false;
    return guarded_drive(guarded, rename_deleted);
}

/* The delete must be possible before anything is written. */
static enum steps_next rename_by_copy(struct guarded *guarded)
{
    const struct write_plan_params deletion = {.operation = PLAN_DELETE};
    struct write_plan_rules rules;
    struct write_plan plan;
    os_error error;
    client_write_plan_rules(guarded->client, &rules);
    if (write_plan_choose(&rules, &deletion, &plan, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    guarded->after_copy = rename_copied;
    return guarded_copy_source(guarded);
}

static enum steps_next rename_by_request(struct guarded *guarded)
{
    bool keeps_token;
    os_error error;
    if (rename_natively(guarded, &keeps_token, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    return keeps_token ? rename_by_copy(guarded) : guarded_over(guarded);
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

/* The candidates of its write plan. RenameObject keeps the metadata as it is, and so can write no token (L10). */
enum steps_next guarded_rename(struct guarded *guarded)
{
    const struct write_plan_params rename = {.operation = PLAN_RENAME, .create = true};
    struct write_plan_rules rules;
    os_error error;
    client_write_plan_rules(guarded->client, &rules);
    os_code code = guarded_refuse_forward_only(guarded, &error);
    if (code == OS_OK)
        code = rename_refuse_version(guarded->arguments, &error);
    if (code == OS_OK)
        code = guarded_take_copy(guarded, &error);
    if (code != OS_OK)
        return guarded_refuse(guarded, &error);
    bool by_request = write_plan_choose(&rules, &rename, &guarded->params.plan, NULL) == OS_OK;
    if (by_request && guarded->params.fencing == 0)
        return guarded_block(guarded, rename_by_request);
    return rename_by_copy(guarded);
}
