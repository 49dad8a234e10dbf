/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder are given, as the library has it. */
#ifndef OSCOMMIT_TEST_UNIT_DOCUMENT_DOCUMENT_READING_H
#define OSCOMMIT_TEST_UNIT_DOCUMENT_DOCUMENT_READING_H

#include "document/document_item.h"

/* JSON of any kind, with ' in place of ". NULL gives NULL. */
json_t *reading_json(const char *text);

/* So many arrays, or objects, inside each other. */
json_t *reading_nested(size_t levels, bool objects);

/* The document "shadow" of "device-1". */
struct document_key reading_key(enum document_kind kind);

/* Its item, spelled by tags, at a version, with a token (NULL: none) and `reported` {'on':true}. */
json_t *reading_item(int64_t version, const char *token);

#endif
