/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_judge.h"

#include <string.h>

static bool is_ours(const struct document_mark *found, const struct document_mark *wrote)
{
    return found->version == wrote->version && wrote->client_token.len > 0 &&
           found->client_token.len == wrote->client_token.len &&
           memcmp(found->client_token.p, wrote->client_token.p, wrote->client_token.len) == 0;
}

/* `version` is 0 where there is no document. */
static enum document_standing judge_lost(int64_t version, int64_t wrote, bool is_never_deleted)
{
    if (!is_never_deleted)
        return DOCUMENT_UNKNOWN;
    if (version == wrote - 1)
        return DOCUMENT_UNCHANGED;
    return version == wrote ? DOCUMENT_CONFLICT : DOCUMENT_UNKNOWN;
}

static enum document_standing judge_refused(int64_t version, int64_t wrote)
{
    if (version == wrote - 1)
        return DOCUMENT_UNCHANGED;
    return version == 0 ? DOCUMENT_ABSENT : DOCUMENT_CONFLICT;
}

enum document_standing document_judge(const json_t *found, const struct document_mark *wrote,
                                      struct document_sending sending, int64_t *ret_version)
{
    struct document_mark mark = {.version = 0};
    *ret_version = 0;
    if (found != NULL && document_mark_read(found, wrote->spelling, &mark, NULL) != OS_OK)
        return DOCUMENT_UNREADABLE;
    *ret_version = mark.version;
    if (found != NULL && is_ours(&mark, wrote))
        return DOCUMENT_OURS;
    return sending.is_answer_lost ? judge_lost(mark.version, wrote->version, sending.is_never_deleted)
                                  : judge_refused(mark.version, wrote->version);
}

bool document_is_expected(const json_t *found, const struct document_mark *wrote)
{
    struct document_mark mark = {.version = 0};
    return (found == NULL || document_mark_read(found, wrote->spelling, &mark, NULL) == OS_OK) &&
           mark.version == wrote->version - 1;
}

/* An older version may still reach the one that is to be deleted. */
static enum document_standing judge_lost_delete(int64_t found, int64_t version, bool is_never_created_again)
{
    if (!is_never_created_again)
        return DOCUMENT_UNKNOWN;
    if (version == 0 || found == version)
        return DOCUMENT_UNCHANGED;
    return found > version ? DOCUMENT_CONFLICT : DOCUMENT_UNKNOWN;
}

enum document_standing document_judge_delete(const json_t *found, int64_t version, enum document_spelling spelling,
                                             struct document_sending sending, int64_t *ret_version)
{
    struct document_mark mark;
    *ret_version = 0;
    if (found == NULL)
        return sending.is_answer_lost ? DOCUMENT_GONE : DOCUMENT_ABSENT;
    if (document_mark_read(found, spelling, &mark, NULL) != OS_OK)
        return DOCUMENT_UNREADABLE;
    *ret_version = mark.version;
    if (sending.is_answer_lost)
        return judge_lost_delete(mark.version, version, sending.is_never_created_again);
    return version == 0 || mark.version == version ? DOCUMENT_UNCHANGED : DOCUMENT_CONFLICT;
}

enum document_standing document_judge_both(enum document_standing a, enum document_standing b)
{
    return a < b ? a : b;
}
