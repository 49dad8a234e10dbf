/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XML, as S3 writes it, as a stream of leaf elements: (path, text). Over expat; bounded in depth, count and size; a document type
 * declaration is refused, so there are no entities. And text escaped for a document. Knows no element's meaning.
 */
#ifndef OSCOMMIT_SYNTAX_XML_H
#define OSCOMMIT_SYNTAX_XML_H

#include "base/library_version.h"
#include "base/text.h"

#include <stdbool.h>

enum { XML_DEPTH_MAX = 8, XML_ELEMENTS_MAX = 50000, XML_TEXT_MAX = 16 * 1024, XML_PATH_MAX = 256 };

/* For every end of an element: its path from the root, "ListBucketResult/Contents/Key" (namespaces off), and the text
 * directly inside it (of an element with others inside: only what follows the last of them). Borrowed. Returns false to
 * stop. */
typedef bool (*xml_element_fn)(void *context, const char *path, struct text text);

enum xml_outcome {
    XML_OK = 1,
    XML_STOPPED,
    XML_BROKEN /* not well-formed, cut short, or over a limit */,
    XML_NO_MEMORY
};

/* Blanks before the document are skipped: S3 sends them to keep a long copy's connection alive (API Reference,
 * CopyObject). */
enum xml_outcome xml_read(struct text document, xml_element_fn each, void *context);

/* Whether XML 1.0 has a way to write each character: UTF-8 without control characters (but tab, CR, LF) and the two
 * noncharacters U+FFFE and U+FFFF. */
bool xml_can_carry(struct text text);
/* Adds text that can be carried so that a reader sees each character again, in an element or in a quoted attribute. */
bool xml_escape(struct buf *out, struct text text);

struct library_version xml_library_version(void); /* of expat */

#endif
