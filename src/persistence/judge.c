/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of a write, or a deletion, whose answer was lost, by what stands there now. */
#include "base/error.h"
#include "persistence/writing.h"

#include <stdio.h>

static int64_t *version_of(os_document_result *ret, enum document_kind kind)
{
    return kind == DOCUMENT_DESIRED ? &ret->desired_version : &ret->reported_version;
}

void writing_set_version(os_document_result *ret, enum document_kind kind, int64_t version)
{
    *version_of(ret, kind) = version;
    if (kind == DOCUMENT_COMBINED)
        ret->desired_version = version;
}

static const char *done_to(const struct written *written)
{
    return written->is_deletion ? "deleted" : "written";
}

enum { NAME_TEXT_SIZE = 256 };

/* For sentences. */
static const char *name_of(const struct written *written, char ret[NAME_TEXT_SIZE])
{
    enum { SHOWN = 100 };
    struct document_key key = {.name = text_from("")};
    (void)document_key_read(written->items[0].key, &key); /* it is one of a document */
    (void)snprintf(ret, NAME_TEXT_SIZE, "document \"%.*s\" of \"%.*s\"", (int)text_utf8_cut(key.name, SHOWN),
                   key.name.p, (int)text_utf8_cut(key.id, SHOWN), key.id.p);
    return ret;
}

void writing_say_conflict(const struct written *written, os_document_result *ret)
{
    char name[NAME_TEXT_SIZE];
    ret->verdict = OS_CONFLICT;
    (void)error_set(&ret->error, OS_ERR_CONFLICT,
                    "The %s is at another version than the %s expects, or is not there: nothing was %s. Read it, "
                    "and decide again.",
                    name_of(written, name), written->is_deletion ? "deletion" : "write", done_to(written));
}

void writing_say_committed(const struct written *written, os_document_result *ret)
{
    ret->verdict = OS_COMMITTED;
    error_clear(&ret->error);
    for (size_t i = 0; i < written->count; i++)
        writing_set_version(ret, written->items[i].kind, written->is_deletion ? 0 : written->items[i].mark.version);
}

static const char *why_unknown(enum document_standing standing, bool may_follow)
{
    if (may_follow && standing != DOCUMENT_UNCHANGED)
        return "What it expects is there: it was applied and then deleted, or was not, and may still be.";
    switch (standing) {
    case DOCUMENT_UNCHANGED: return "What is expected is still there, but the request may still be applied.";
    case DOCUMENT_UNREADABLE: return "What is there now is no document.";
    case DOCUMENT_GONE: return "Nothing is there now: this deletion may have done it, or another.";
    default: return "Another write or a deletion may have come later, and hides whether this one was applied.";
    }
}

static void say_unknown(const struct written *written, const char *why, const os_error *error, os_document_result *ret)
{
    char name[NAME_TEXT_SIZE];
    ret->verdict = OS_UNKNOWN;
    ret->reported_version = ret->desired_version = 0;
    (void)error_set(&ret->error, OS_ERR_UNDECIDED, "It is not known whether the %s was %s. %s%s%.500s",
                    name_of(written, name), done_to(written), why, error->code != OS_OK ? " Last trouble: " : "",
                    error->message);
}

void writing_say_unseen(const struct written *written, const os_error *why, os_document_result *ret)
{
    char name[NAME_TEXT_SIZE];
    ret->verdict = OS_UNKNOWN;
    (void)error_set(
        &ret->error, OS_ERR_UNDECIDED,
        "It is not known whether the %s was %s: the answer was lost, and what is there could not be read. %.500s",
        name_of(written, name), done_to(written), why->message);
}

void writing_make_look(const struct persistence_store *store, const struct written *written, struct rows_get gets[2],
                       struct row_request *ret)
{
    for (size_t i = 0; i < written->count; i++)
        gets[i] = (struct rows_get){.of = {.table = &store->table, .key = written->items[i].key}};
    *ret = (struct row_request){.verb = ROW_READ, .gets = gets, .get_count = written->count};
}

static enum document_standing judge_item(const struct persistence_store *store, const struct written *written, size_t i,
                                         const json_t *found, int64_t *ret_version)
{
    const struct document_mark *mark = &written->items[i].mark;
    const struct document_sending sending = {.is_answer_lost = true, .is_never_deleted = store->keeps_all};
    return written->is_deletion ? document_judge_delete(found, mark->version, mark->spelling, sending, ret_version)
                                : document_judge(found, mark, sending, ret_version);
}

bool writing_may_follow(const struct written *written, json_t *const found[2])
{
    for (size_t i = 0; i < written->count; i++)
        if (!document_is_expected(found[i], &written->items[i].mark))
            return false;
    return !written->is_deletion;
}

void writing_judge(const struct persistence_store *store, const struct written *written, json_t *const found[2],
                   const os_error *error, os_document_result *ret)
{
    enum document_standing standing = DOCUMENT_UNKNOWN;
    for (size_t i = 0; i < written->count; i++) {
        int64_t version = 0;
        enum document_standing of_item = judge_item(store, written, i, found[i], &version);
        standing = i == 0 ? of_item : document_judge_both(standing, of_item);
        writing_set_version(ret, written->items[i].kind, version);
    }
    switch (standing) {
    case DOCUMENT_OURS: writing_say_committed(written, ret); break;
    case DOCUMENT_CONFLICT:
    case DOCUMENT_ABSENT: writing_say_conflict(written, ret); break;
    default: say_unknown(written, why_unknown(standing, writing_may_follow(written, found)), error, ret);
    }
}
