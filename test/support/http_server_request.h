/* SPDX-License-Identifier: Apache-2.0 */
/* What the test server reads: one request, and what comes behind it. */
#ifndef OSCOMMIT_TEST_HTTP_SERVER_REQUEST_H
#define OSCOMMIT_TEST_HTTP_SERVER_REQUEST_H

#include "support/http_server.h"
#include "support/http_server_io.h"

/* Reads one request; false when the connection ended within it. */
bool http_server_read_request(struct http_server_io *io, struct http_server_record *record, bool with_body);
/* Reads until the client closes, and adds it to the body if there was a request. */
void http_server_read_rest(struct http_server_io *io, struct http_server_record *record);
void http_server_record_free(struct http_server_record *record);

void *http_server_allocate(size_t size); /* zeroed; ends the program when there is none */

#endif
