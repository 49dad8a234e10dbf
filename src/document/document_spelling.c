/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_spelling.h"

static const struct document_names tags = {.version = {.name = "version"},
                                           .timestamp = {.name = "timestamp"},
                                           .client_token = {.name = "clientToken"},
                                           .desired = {.name = "desired"},
                                           .reported = {.name = "reported"}};
static const struct document_names fields = {.version = {.name = "Version"},
                                             .timestamp = {.name = "TimeStamp"},
                                             .client_token = {.name = "ClientToken"},
                                             .desired = {.name = "Desired"},
                                             .reported = {.name = "Reported"}};

static const struct {
    const char *setting;
    const char *source;
    const struct document_names *names;
} spellings[] = {
    [DOCUMENT_TAGS] = {"tags", "json tags", &tags},
    [DOCUMENT_FIELDS] = {"fields", "Go's field names", &fields},
};

const struct document_names *document_names(enum document_spelling spelling)
{
    return spellings[spelling].names;
}

enum document_spelling document_spelling_other(enum document_spelling spelling)
{
    return spelling == DOCUMENT_TAGS ? DOCUMENT_FIELDS : DOCUMENT_TAGS;
}

os_code document_spelling_check(const json_t *item, enum document_spelling spelling, os_error *err)
{
    enum document_spelling other = document_spelling_other(spelling);
    const char *own_version = spellings[spelling].names->version.name;
    const char *other_version = spellings[other].names->version.name;
    if (json_object_get(item, other_version) == NULL)
        return OS_OK;
    if (json_object_get(item, own_version) != NULL)
        return error_set(
            err, OS_ERR_PROTOCOL,
            "The item has both attributes, %s and %s, and a document has one. Programs that spell documents "
            "by %s and by %s share this key: give all of them one spelling, and delete the item.",
            own_version, other_version, spellings[spelling].source, spellings[other].source);
    return error_set(
        err, OS_ERR_PROTOCOL,
        "The item has the attribute %s: its document is spelled by %s. Here documents are spelled by %s, "
        "with the attribute %s. Set document_spelling to \"%s\", or keep the documents of each spelling in "
        "a table of their own.",
        other_version, spellings[other].source, spellings[spelling].source, own_version, spellings[other].setting);
}
