/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a document's attributes are spelled. The document of the Go code shows the `json` tags of its struct. Its code calls
 * attributevalue.MarshalMap, which reads no such tags, and writes the names of the fields (write.go, dynamoDbPut, at
 * b59ef268; aws-sdk-go-v2, feature/dynamodb/attributevalue v1.21.21, encode.go, TagKey).
 *
 * Each side writes blindly over what the other has written, for its condition is that its own version is not there or
 * equal. And Go's decoder ignores case (field_cache.go, FieldByName): of an item with both it takes one at random. So what is
 * written or deleted here must not have the version of the other spelling, and an item that has it is refused.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_SPELLING_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_SPELLING_H

#include "attribute/path.h"

enum document_spelling {
    DOCUMENT_TAGS = 0, /* "version": what is empty is left out */
    DOCUMENT_FIELDS    /* "Version": a token that is none is "", a model that is none is NULL */
};

/* Of attributes, each as the step of a path. */
struct document_names {
    struct path_step version;
    struct path_step timestamp;
    struct path_step client_token;
    struct path_step desired;
    struct path_step reported;
};
const struct document_names *document_names(enum document_spelling spelling);
enum document_spelling document_spelling_other(enum document_spelling spelling);

/* OS_ERR_PROTOCOL: the item has the version of the other spelling, alone or too. */
os_code document_spelling_check(const json_t *item, enum document_spelling spelling, os_error *err);

#endif
