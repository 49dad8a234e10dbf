/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_delete.h"

void document_delete_free(struct document_delete *deletion)
{
    json_decref(deletion->key);
    document_condition_free(&deletion->condition);
    *deletion = (struct document_delete){.key = NULL};
}

/* The Go code takes one below 0 for "whatever is there"; but here it can only be a mistake. */
static os_code check_version(int64_t version, os_error *err)
{
    if (version >= 0)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The version of the document to delete is %lld. Give the one that was read, or 0 to delete "
                     "whatever is there.",
                     (long long)version);
}

static os_code make_condition(enum document_spelling spelling, int64_t version, struct document_condition *ret,
                              os_error *err)
{
    if (version > 0)
        return document_condition_of_version(version, spelling, ret, err);
    document_condition_of_any(spelling, ret);
    return OS_OK;
}

os_code document_delete_make(const struct document_key *key, enum document_spelling spelling, int64_t version,
                             struct document_delete *ret, os_error *err)
{
    *ret = (struct document_delete){.key = NULL};
    os_code code = check_version(version, err);
    if (code == OS_OK)
        code = document_key_attributes(key, &ret->key, err);
    if (code == OS_OK)
        code = make_condition(spelling, version, &ret->condition, err);
    if (code != OS_OK)
        document_delete_free(ret);
    return code;
}
