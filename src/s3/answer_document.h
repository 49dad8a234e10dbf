/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of S3's answers share (response.h, multipart_response.h): a 200 that may have an error inside.
 * Knows no operation.
 */
#ifndef OSCOMMIT_S3_ANSWER_DOCUMENT_H
#define OSCOMMIT_S3_ANSWER_DOCUMENT_H

#include "s3/response.h"
#include "syntax/xml.h"

/* A document that a 200 must have as its body. `each` gets what stands below the root ("ETag", "Part/Size") and returns
 * false for what cannot be used; it never gets the root. */
struct answer_document {
    const char *root; /* "CopyObjectResult" */
    xml_element_fn each;
    void *context;
    const char *of;         /* "the copy", for a sentence */
    const char *other_root; /* what some servers call it; NULL: nothing else */
};
/* OS_OK only with a whole document of that root, all of which `each` took. OS_ERR_SERVICE for an <Error>, which fills
 * ret_error; OS_ERR_PROTOCOL for anything else, empty and cut-short bodies too. Blanks before the document are skipped.
 */
os_code answer_document_read(const struct http_response *response, const struct answer_document *document,
                             struct s3_error *ret_error, os_error *err);

/* OS_ERR_PROTOCOL: "The store's answer cannot be used: WHAT." */
os_code answer_unusable(os_error *err, const char *what);

/* The part of `path` below `root`: "" for the root itself; NULL for another root. */
const char *answer_below(const char *path, const char *root);

#endif
