/* SPDX-License-Identifier: Apache-2.0 */
#include "client/table_ticket.h"

#include "base/error.h"
#include "client/ticket_place.h"

#include <stdlib.h>
#include <string.h>

/* Where the table is; the store has no part in it. */
static struct ticket_place place_of(const os_client *client, const char *table)
{
    struct ticket_place place;
    ticket_place_of(&client->settings, &place);
    place.part[TICKET_STORE] = place.part[TICKET_ENDPOINT] = place.part[TICKET_BUCKET] = "";
    place.part[TICKET_PREFIX] = place.part[TICKET_RECORD_PREFIX] = "";
    place.part[TICKET_TABLE] = table;
    return place;
}

json_t *table_ticket_begin(const os_client *client, const struct table_ticket *kind, const char *table)
{
    const struct ticket_place place = place_of(client, table);
    return json_pack("{s:s, s:i, s:o}", "ticket", kind->kind, "v", kind->version, "place", ticket_place_write(&place));
}

char *table_ticket_end(const struct table_ticket *kind, json_t *root)
{
    struct buf out;
    char *ret = NULL;
    buf_init(&out, kind->size_max);
    if (root != NULL && json_write(&out, root))
        ret = strdup(buf_str(&out));
    buf_free(&out);
    json_decref(root);
    return ret;
}

os_code table_ticket_refuse(const struct table_ticket *kind, const char *why, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "This is no ticket %s: %s.", kind->of, why);
}

os_code table_ticket_read(const os_client *client, const struct table_ticket *kind, const char *table,
                          const char *ticket, json_t **ret, os_error *err)
{
    const struct ticket_place place = place_of(client, table);
    size_t len = strnlen(ticket, kind->size_max + 1);
    *ret = len <= kind->size_max ? json_read(ticket, len) : NULL;
    if (*ret == NULL)
        return table_ticket_refuse(kind, "it is no JSON object, or too long", err);
    const char *its_kind = json_member_string(*ret, "ticket");
    if (its_kind == NULL || strcmp(its_kind, kind->kind) != 0)
        return table_ticket_refuse(kind, "it is another text", err);
    if (json_integer_value(json_object_get(*ret, "v")) != kind->version)
        return table_ticket_refuse(kind, "it is of another release", err);
    return ticket_place_check(json_object_get(*ret, "place"), &place, NULL, err);
}
