/* SPDX-License-Identifier: Apache-2.0 */
#include "holding/lease_item.h"

#include "base/error.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* Developer Guide, "Quotas in Amazon DynamoDB". */
enum { KEY_MAX_BYTES = 2048 };
_Static_assert(LEASE_NAME_MAX + sizeof(LEASE_EPOCH_SUFFIX) <= KEY_MAX_BYTES, "the item of the epochs has a key");

static const struct item_attribute attributes[LEASE_ATTRIBUTES] = {
    [LEASE_AT_KEY] = {"key", ITEM_STRING, ITEM_REQUIRED, KEY_MAX_BYTES},
    [LEASE_AT_EXPIRY] = {"lease_expiry", ITEM_NUMBER, ITEM_OPTIONAL, 0},
    [LEASE_AT_VERSION] = {"lease_version", ITEM_STRING, ITEM_OPTIONAL, LEASE_VERSION_SIZE - 1},
    [LEASE_AT_TTL] = {"lease_ttl_ms", ITEM_NUMBER, ITEM_OPTIONAL, 0},
    [LEASE_AT_OWNER] = {"lease_owner", ITEM_STRING, ITEM_OPTIONAL, LEASE_OWNER_MAX},
    [LEASE_AT_TOKEN] = {"lease_token", ITEM_NUMBER, ITEM_OPTIONAL, 0},
};
_Static_assert(sizeof(attributes) / sizeof(attributes[0]) <= ITEM_ATTRIBUTES_MAX, "a lease fits into an item");

const struct item_schema lease_schema = {
    .kind = ITEM_LEASES,
    .words.what = "lease",
    .words.plural = "leases",
    .words.subject = "lease",
    .words.mend = "Find out who else writes to the table. When nobody holds or awaits this lease, delete the item.",
    .words.flag = " --leases",
    .words.sweep = "oscommit lock break NAME --force",
    .attributes = attributes,
    .count = LEASE_ATTRIBUTES,
    .keys = 1,
    .ttl = LEASE_AT_EXPIRY,
};

/* ------------------------------------------------------------------------------------------------------ requests */

static void lease_change(struct lease_wire *wire, enum lease_attribute attribute, enum item_change_kind kind,
                         struct item_value value)
{
    assert(wire->table.change_count < LEASE_CHANGES_MAX);
    wire->changes[wire->table.change_count++] = (struct item_change){attribute, kind, value};
}

/* L2 */
static void require_takeable(struct lease_wire *wire)
{
    const struct lease_request *request = &wire->request;
    item_require_absent(&wire->condition, LEASE_AT_VERSION);
    if (request->now_s > 0) {
        item_or(&wire->condition);
        item_require_absent(&wire->condition, LEASE_AT_TTL);
        item_require_below(&wire->condition, LEASE_AT_EXPIRY, request->now_s);
    }
    if (request->on_version[0] != '\0') {
        item_or(&wire->condition);
        item_require_text(&wire->condition, LEASE_AT_VERSION, request->on_version);
    }
}

static void fill_take(struct lease_wire *wire, const struct lease_holder *holder)
{
    const struct lease_request *request = &wire->request;
    struct item_value values[LEASE_ATTRIBUTES] = {
        [LEASE_AT_EXPIRY] = item_number(request->expiry_s),
        [LEASE_AT_VERSION] = item_text(request->version),
        [LEASE_AT_TTL] = item_number(request->ttl_ms),
        [LEASE_AT_OWNER] = item_text(holder->owner),
    };
    require_takeable(wire);
    wire->table.verb = holder->fencing ? TABLE_UPDATE : TABLE_PUT;
    for (enum lease_attribute i = LEASE_AT_EXPIRY; i <= LEASE_AT_OWNER; i++) {
        bool is_there = values[i].type != ITEM_NONE;
        if (!holder->fencing)
            wire->item.values[i] = values[i];
        else
            lease_change(wire, i, is_there ? ITEM_SET : ITEM_REMOVE, values[i]);
    }
    if (holder->fencing)
        lease_change(wire, LEASE_AT_TOKEN, ITEM_ADD, item_number(1));
}

static void fill_drop(struct lease_wire *wire, const struct lease_holder *holder)
{
    wire->table.verb = holder->fencing ? TABLE_UPDATE : TABLE_DELETE;
    for (enum lease_attribute i = LEASE_AT_EXPIRY; i <= LEASE_AT_OWNER && holder->fencing; i++)
        lease_change(wire, i, ITEM_REMOVE, (struct item_value){.type = ITEM_NONE});
}

static void fill_kind(struct lease_wire *wire, const struct lease_holder *holder)
{
    const struct lease_request *request = &wire->request;
    wire->table.verb = TABLE_UPDATE;
    switch (request->kind) {
    case LEASE_TAKE: fill_take(wire, holder); break;
    case LEASE_DROP: fill_drop(wire, holder); break;
    case LEASE_READ: wire->table.verb = TABLE_GET; break;
    case LEASE_EPOCH: lease_change(wire, LEASE_AT_TOKEN, ITEM_ADD, item_number(1)); break;
    case LEASE_TOKEN: lease_change(wire, LEASE_AT_TOKEN, ITEM_SET, item_number(request->token)); break;
    case LEASE_EXTEND:
        lease_change(wire, LEASE_AT_EXPIRY, ITEM_SET, item_number(request->expiry_s));
        lease_change(wire, LEASE_AT_VERSION, ITEM_SET, item_text(request->version));
        lease_change(wire, LEASE_AT_TTL, ITEM_SET, item_number(request->ttl_ms));
        break;
    }
}

void lease_wire_fill(const struct lease_request *request, const struct lease_holder *holder, struct lease_wire *ret)
{
    bool epoch = request->kind == LEASE_EPOCH;
    memset(ret, 0, sizeof(*ret));
    ret->request = *request;
    ret->item.values[LEASE_AT_KEY] = item_text(epoch ? holder->epoch_name : holder->name);
    ret->table.schema = &lease_schema;
    ret->table.once = true;
    ret->table.item = &ret->item;
    fill_kind(ret, holder);
    if (request->kind == LEASE_EXTEND || request->kind == LEASE_DROP || request->kind == LEASE_TOKEN)
        item_require_text(&ret->condition, LEASE_AT_VERSION, ret->request.on_version);
    if (request->kind == LEASE_TOKEN) /* L8.4 */
        item_require_below(&ret->condition, LEASE_AT_TOKEN, request->token + 1);
    ret->table.condition = ret->condition.count > 0 ? &ret->condition : NULL;
    ret->table.changes = ret->changes;
}

/* ------------------------------------------------------------------------------------------------------- answers */

void lease_item_of(const struct item *item, struct lease_item *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (item == NULL)
        return;
    const char *version = item_text_of(item, LEASE_AT_VERSION);
    ret->found = true;
    ret->held = version[0] != '\0';
    memcpy(ret->version, version, strlen(version) + 1);
    ret->expiry_s = item->values[LEASE_AT_EXPIRY].number;
    ret->ttl_ms = item->values[LEASE_AT_TTL].number;
    ret->token = item->values[LEASE_AT_TOKEN].number;
}

/* What does not fit the schema is nobody's lease, and is in the way until somebody looks. */
enum lease_outcome lease_outcome_of(enum table_outcome outcome)
{
    switch (outcome) {
    case TABLE_OK: return LEASE_OK;
    case TABLE_CONFLICT: return LEASE_CONFLICT;
    case TABLE_CONFLICT_BLIND: return LEASE_CONFLICT_BLIND;
    case TABLE_THROTTLED: return LEASE_THROTTLED;
    case TABLE_REFUSED:
    case TABLE_UNREADABLE: return LEASE_REFUSED;
    case TABLE_AMBIGUOUS: break;
    }
    return LEASE_AMBIGUOUS;
}

/* --------------------------------------------------------------------------------------------------------- name */

static bool has_suffix(struct text name, const char *suffix)
{
    size_t length = strlen(suffix);
    return name.len >= length && memcmp(name.p + name.len - length, suffix, length) == 0;
}

os_code lease_check_name(const char *given, os_error *err)
{
    struct text name = text_from(given);
    if (name.len == 0 || name.len > LEASE_NAME_MAX || !text_is_utf8(name))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The name of a lease must be 1 to %d bytes of UTF-8; this one has %zu%s.", LEASE_NAME_MAX,
                         name.len, text_is_utf8(name) ? "" : " that are not UTF-8");
    if (has_suffix(name, LEASE_EPOCH_SUFFIX))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The name of a lease must not end with \"" LEASE_EPOCH_SUFFIX "\": tokens are counted there.");
    return OS_OK;
}
