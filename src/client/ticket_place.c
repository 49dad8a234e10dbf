/* SPDX-License-Identifier: Apache-2.0 */
#include "client/ticket_place.h"

#include "base/error.h"
#include "client/ticket_text.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

struct part {
    const char *name;
    const char *words;
    bool is_endpoint;
    const char *what_to_do;
};

#define WITH_ITS_SETTINGS "Resolve it with the settings of the client that wrote it."
#define WITH_ANOTHER_NAME "If both names mean the same one, set same_store (--same-store)."

static const struct part parts[TICKET_PARTS] = {
    [TICKET_STORE] = {"store", "kind of store", false, WITH_ITS_SETTINGS},
    [TICKET_ENDPOINT] = {"endpoint", "store", true, WITH_ANOTHER_NAME},
    [TICKET_BUCKET] = {"bucket", "bucket", false, WITH_ITS_SETTINGS},
    [TICKET_PREFIX] = {"prefix", "prefix in the bucket", false, "Give the store's URL with its prefix."},
    [TICKET_LEDGER] = {"ledger", "kind of ledger", false, WITH_ITS_SETTINGS},
    [TICKET_LEDGER_ENDPOINT] = {"ledger_endpoint", "ledger", true, WITH_ANOTHER_NAME},
    [TICKET_LEDGER_REGION] = {"ledger_region", "ledger's region", false, WITH_ITS_SETTINGS},
    [TICKET_TABLE] = {"table", "table", false, WITH_ITS_SETTINGS},
    [TICKET_RECORD_PREFIX] = {"record_prefix", "record_prefix", false, WITH_ITS_SETTINGS},
};

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

void ticket_place_of(const struct settings *settings, struct ticket_place *ret)
{
    bool s3 = settings->store_scheme == SETTINGS_S3;
    bool dynamodb = settings->ledger_scheme == SETTINGS_DYNAMODB;
    bool sqlite = settings->ledger_scheme == SETTINGS_SQLITE;
    ret->part[TICKET_STORE] = s3 ? "s3" : "file";
    ret->part[TICKET_ENDPOINT] = s3 ? settings->s3_endpoint.host : text_or_none(settings->root);
    ret->part[TICKET_BUCKET] = text_or_none(settings->bucket);
    ret->part[TICKET_PREFIX] = text_or_none(settings->prefix);
    ret->part[TICKET_LEDGER] = dynamodb ? "dynamodb" : sqlite ? "sqlite" : "";
    ret->part[TICKET_LEDGER_ENDPOINT] = dynamodb ? settings->dynamodb_endpoint.host
                                        : sqlite ? text_or_none(settings->table)
                                                 : "";
    ret->part[TICKET_LEDGER_REGION] = dynamodb ? settings->dynamodb_endpoint.region : "";
    ret->part[TICKET_TABLE] = dynamodb ? text_or_none(settings->table) : "";
    ret->part[TICKET_RECORD_PREFIX] = text_or_none(settings->record_prefix);
}

json_t *ticket_place_write(const struct ticket_place *place)
{
    json_t *object = json_object();
    int failed = object == NULL;
    for (size_t i = 0; i < TICKET_PARTS; i++)
        failed |= ticket_set_text(object, parts[i].name, place->part[i]);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* Compared as it is written: what has two spellings was not written here. */
static os_code ticket_place_check_part(const json_t *written, const struct part *part, const char *own,
                                       const bool *same_store, os_error *err)
{
    bool may_be_said = part->is_endpoint && same_store != NULL;
    const char *theirs = json_member_string(written, part->name);
    char *ours = ticket_encode(own);
    os_code code = OS_OK;
    if (ours == NULL)
        return error_no_memory(err);
    if (theirs == NULL || !ticket_is_plain(theirs))
        code = error_set(err, OS_ERR_ARGUMENT,
                         "The ticket does not name its %s; give the whole line that the call returned.", part->words);
    else if (strcmp(theirs, ours) != 0 && !(may_be_said && *same_store))
        code = error_set(
            err, OS_ERR_ARGUMENT,
            "The ticket is for another store than this client's: its %s is \"%.200s\", the client's is \"%.200s\". %s",
            part->words, theirs, ours, part->is_endpoint && !may_be_said ? WITH_ITS_SETTINGS : part->what_to_do);
    free(ours);
    return code;
}

os_code ticket_place_check(const json_t *written, const struct ticket_place *own, const bool *same_store, os_error *err)
{
    for (size_t i = 0; i < TICKET_PARTS; i++) {
        os_code code = ticket_place_check_part(written, &parts[i], own->part[i], same_store, err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}
