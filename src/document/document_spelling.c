/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_spelling.h"

#define VERSION_TAG   "version"
#define VERSION_FIELD "Version"

static const struct {
    const char *setting;
    const char *source;
    struct document_names names;
} spellings[] = {
    [DOCUMENT_TAGS] = {"tags", "json tags", {VERSION_TAG, "timestamp", "clientToken", "desired", "reported"}},
    [DOCUMENT_FIELDS] = {"fields",
                         "Go's field names",
                         {VERSION_FIELD, "TimeStamp", "ClientToken", "Desired", "Reported"}},
};

const struct document_names *document_names(enum document_spelling spelling)
{
    return &spellings[spelling].names;
}

struct path document_version_path(enum document_spelling spelling)
{
    static const struct path_step steps[] = {
        [DOCUMENT_TAGS] = {.name = VERSION_TAG}, [DOCUMENT_FIELDS] = {.name = VERSION_FIELD}};
    return (struct path){&steps[spelling], 1};
}

enum document_spelling document_spelling_other(enum document_spelling spelling)
{
    return spelling == DOCUMENT_TAGS ? DOCUMENT_FIELDS : DOCUMENT_TAGS;
}

os_code document_spelling_check(const json_t *item, enum document_spelling spelling, os_error *err)
{
    enum document_spelling other = document_spelling_other(spelling);
    const char *own_version = spellings[spelling].names.version;
    const char *other_version = spellings[other].names.version;
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
