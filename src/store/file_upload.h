/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of a multipart upload to the embedded store (file.c). */
#ifndef OSCOMMIT_STORE_FILE_UPLOAD_H
#define OSCOMMIT_STORE_FILE_UPLOAD_H

#include "local/file_upload.h"
#include "store/worker_op.h"

struct file_content local_content_of(const struct store_request *request, const struct s3_content *content);

bool local_is_upload_verb(enum store_verb verb);
/* All of them but COMPLETE; fills the answer's upload_id, part and pages. */
os_code local_upload_perform(struct file_store *files, struct store_op *op);
/* The first step of a COMPLETE (file_upload_check). */
os_code local_upload_check(struct file_store *files, const struct store_request *request, struct file_completion **ret,
                           os_error *err);

#endif
