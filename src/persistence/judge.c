/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of a write whose answer was lost, by what stands there now. */
#include "base/error.h"
#include "persistence/writing.h"

static int64_t *version_of(os_document_result *ret, enum document_kind kind)
{
    return kind == DOCUMENT_DESIRED ? &ret->desired_version : &ret->reported_version;
}

static void set_version(os_document_result *ret, enum document_kind kind, int64_t version)
{
    *version_of(ret, kind) = version;
    if (kind == DOCUMENT_COMBINED)
        ret->desired_version = version;
}

static void say_conflict(os_document_result *ret)
{
    ret->verdict = OS_CONFLICT;
    (void)error_set(&ret->error, OS_ERR_CONFLICT,
                    "The document is at another version than the write expects, or is not there: nothing was written. "
                    "Read it, and decide again.");
}

void writing_say_committed(const struct written *written, os_document_result *ret)
{
    ret->verdict = OS_COMMITTED;
    error_clear(&ret->error);
    for (size_t i = 0; i < written->count; i++)
        set_version(ret, written->items[i].kind, written->items[i].mark.version);
}

static void say_unknown(enum document_standing standing, const os_error *error, os_document_result *ret)
{
    const char *why = standing == DOCUMENT_UNCHANGED
                          ? "What the write expects is still there, but the request may still be applied."
                      : standing == DOCUMENT_UNREADABLE
                          ? "What is there now is no document."
                          : "Another write or a deletion came later, and hides whether this one was applied.";
    ret->verdict = OS_UNKNOWN;
    (void)error_set(&ret->error, OS_ERR_UNDECIDED, "It is not known whether the document was written. %s%s%.500s", why,
                    error->code != OS_OK ? " Last trouble: " : "", error->message);
}

void writing_say_unseen(const os_error *why, os_document_result *ret)
{
    ret->verdict = OS_UNKNOWN;
    (void)error_set(
        &ret->error, OS_ERR_UNDECIDED,
        "It is not known whether the document was written: the answer was lost, and what is there could not "
        "be read. %.500s",
        why->message);
}

void writing_make_look(const struct persistence_store *store, const struct written *written, struct rows_get gets[2],
                       struct row_request *ret)
{
    for (size_t i = 0; i < written->count; i++)
        gets[i] = (struct rows_get){.of = {.table = &store->table, .key = written->items[i].key}};
    *ret = (struct row_request){.verb = ROW_READ, .gets = gets, .get_count = written->count, .is_snapshot = true};
}

void writing_judge(const struct persistence_store *store, const struct written *written, json_t *const found[2],
                   const os_error *error, os_document_result *ret)
{
    const struct document_sending sending = {.is_answer_lost = true, .is_never_deleted = store->keeps_all};
    enum document_standing standing = DOCUMENT_UNKNOWN;
    for (size_t i = 0; i < written->count; i++) {
        int64_t version = 0;
        enum document_standing of_item = document_judge(found[i], &written->items[i].mark, sending, &version);
        standing = i == 0 ? of_item : document_judge_both(standing, of_item);
        set_version(ret, written->items[i].kind, version);
    }
    switch (standing) {
    case DOCUMENT_OURS: writing_say_committed(written, ret); break;
    case DOCUMENT_CONFLICT:
    case DOCUMENT_ABSENT: say_conflict(ret); break;
    default: say_unknown(standing, error, ret);
    }
}
