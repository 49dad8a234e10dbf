/* SPDX-License-Identifier: Apache-2.0 */
/* A client of a made-up DynamoDB with documents, which loses answers (document_fake.h). */
#ifndef OSCOMMIT_TEST_API_DOCUMENT_LOST_H
#define OSCOMMIT_TEST_API_DOCUMENT_LOST_H

#include "support/test.h"
#include "unit/api/document_fake.h"

#include "oscommit_document.h"

#define REPORTED "DS#device DSR#pump"
#define DESIRED  "DS#device DSD#pump"

struct lost {
    struct document_fake fake;
    os_client *client;
    os_error error;
};
void lost_set_up(struct lost *ret);
void lost_tear_down(struct lost *lost);
os_client *document_lost_client(const struct lost *lost); /* another one */

extern int document_lost_minutes; /* that pass at FAKE_LATER: 9 unless a test says otherwise */

os_document_write document_lost_write(int models); /* of the document above, which is not there; 2: both */
void document_lost_put_both(struct lost *lost);    /* both are there, at version 3 */

#endif
