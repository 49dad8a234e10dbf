/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bucket that keeps every version keeps the evidence as well (R16): what a dead attempt has made is in the list of
 * versions, whoever has replaced or deleted it since; what is not in it was never made.
 */
#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

void guard_note_versions(struct guard *g, const struct guard_event *event)
{
    if ((event->head != HEAD_ANSWERED && !event->part_seen) || !event->versioned)
        return;
    if (g->attempt.send_count == 0 && !g->write.from_ticket)
        g->versioning = GUARD_VERSIONED_BEFORE; /* a bucket never goes back to having none */
    else if (g->versioning == GUARD_UNVERSIONED)
        g->versioning = GUARD_VERSIONED_NOW;
}

bool guard_ask_versions(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_dead(g));
    if (g->versioning == GUARD_UNVERSIONED || g->attempt.not_applied)
        return false;
    version_copy(&g->outcome.found, &event->version);
    g->state = GUARD_RESOLVE_VERSIONS;
    guard_request(g, GUARD_DO_VERSIONS, actions);
    return true;
}

/* ------------------------------------------------------------------------------------------------ one version */

static int64_t signed_s(const struct guard *g)
{
    return (int64_t)g->signature.d0_s - (int64_t)g->settings.margin_s;
}

/* A date that cannot be read is any. */
static bool is_young(const struct listed_version *listed, int64_t since_s)
{
    return listed->last_modified_s == 0 || listed->last_modified_s >= since_s;
}

/* Where versioning is suspended, one write replaces the other under the id "null". One of those that may have come
 * after our attempt may have replaced what we made; of an upload even one with an old date (N1). */
static bool may_have_replaced(const struct guard *g, const struct listed_version *listed)
{
    bool dated_by_its_request = listed->is_delete_marker || version_is_of_one_part(listed->etag);
    bool settled = dated_by_its_request && !is_young(listed, signed_s(g) - GUARD_NATIVE_SETTLED_S);
    return !version_is_own_id(listed->version_id) && !settled;
}

static bool listed_may_be_ours(const struct guard *g, const struct listed_version *listed)
{
    if (listed->is_delete_marker != (g->write.operation == GUARD_DELETE))
        return false;
    return g->write.operation == GUARD_COMPLETE || is_young(listed, signed_s(g)); /* it may be dated by its upload */
}

unsigned guard_classify_listed(const struct guard *g, const struct listed_version *listed)
{
    bool has_base_id =
        version_is_own_id(listed->version_id) && strcmp(listed->version_id, g->check.base.version_id) == 0;
    bool other_bytes = strcmp(listed->etag, g->check.base.etag) != 0;
    if (has_base_id && !other_bytes && listed->last_modified_s == g->check.base.last_modified_s)
        return 0;                                /* it was there before we sent */
    bool shared_id = has_base_id && other_bytes; /* by ids this store tells nothing apart */
    unsigned weight = shared_id || may_have_replaced(g, listed) ? GUARD_VERSION_HIDES : 0;
    if (listed_may_be_ours(g, listed)) /* a delete marker has no nonce to be told by */
        weight |= listed->is_delete_marker ? GUARD_VERSION_HIDES : GUARD_VERSION_ASK;
    return weight;
}

/* Without a nonce it may be a copy that had no room for one, or of a store that loses metadata: only other bytes tell
 * it from ours. */
enum versions_outcome guard_classify_version(const struct guard *g, const struct object_version *version)
{
    if (strcmp(version->nonce, g->write.nonce) == 0)
        return VERSIONS_OURS;
    bool other_bytes = g->write.our_etag[0] && strcmp(version->etag, g->write.our_etag) != 0;
    return version->nonce[0] || other_bytes ? VERSIONS_OTHERS : VERSIONS_HIDDEN;
}

/* ------------------------------------------------------------------------------------------------ the verdict */

/* That none is ours counts only where our write would have been kept: versions were there before it, and are not old
 * enough to be removed. */
static bool proves_absence(const struct guard *g, const struct guard_event *event)
{
    return event->versions == VERSIONS_OTHERS && g->versioning == GUARD_VERSIONED_BEFORE && !g->round.part &&
           event->has_date && event->date_s <= g->signature.d0_s + GUARD_VERSIONS_S;
}

/* It was not applied, and what the last HEAD showed is what the caller is told. */
static void versions_show_none(struct guard *g, struct guard_actions *actions)
{
    enum guard_reason again = g->write.operation == GUARD_COMPLETE ? GUARD_REASON_UPLOAD_AGAIN : GUARD_REASON_EXPIRED;
    assert(g->versioning == GUARD_VERSIONED_BEFORE);
    if (guard_broken(g, &g->outcome.found))
        guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_OVERTAKEN, RULE_R16, actions);
    else
        guard_conclude(g, VERDICT_NOT_EXECUTED, again, RULE_R16, actions);
}

void guard_on_versions(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_dead(g) && g->versioning != GUARD_UNVERSIONED);
    if (event->versions == VERSIONS_UNCLEAR) {
        guard_wait(g, GUARD_RESOLVE_WAITING, actions);
        return;
    }
    if (event->versions == VERSIONS_OURS) {
        version_copy(&g->outcome.found, &event->version);
        guard_conclude(g, VERDICT_COMMITTED, GUARD_REASON_PROVEN, RULE_R16, actions);
    } else if (proves_absence(g, event)) {
        versions_show_none(g, actions);
    } else {
        guard_conclude(g, VERDICT_UNKNOWN, GUARD_REASON_NO_EVIDENCE, g->settings.native ? RULE_N3 : RULE_R13_F,
                       actions);
    }
}
