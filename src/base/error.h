/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the caller's os_error, and the texts of its codes. */
#ifndef OSCOMMIT_BASE_ERROR_H
#define OSCOMMIT_BASE_ERROR_H

#include "oscommit.h"

/* Fills *err (may be NULL) with a code and a sentence; service fields are emptied. Returns the code, so that a failure
 * is one line. Long messages are cut at a UTF-8 boundary. */
os_code error_set(os_error *err, os_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds another sentence to the message of *err, which may lack its full stop. */
void error_add(os_error *err, const char *sentence);
void error_clear(os_error *err);
/* What the service said; any may be NULL or 0. Keeps code and message. */
void error_service(os_error *err, int http_status, const char *service_code, const char *request_id);
os_code error_code_of_settings(int number); /* of a file of settings: OS_ERR_DENIED, or OS_ERR_CONFIG */
os_code error_code_of(int number);          /* of an errno: OS_ERR_NO_SPACE, OS_ERR_DENIED, or OS_ERR_IO */
os_code error_no_memory(os_error *err);     /* OS_ERR_NO_MEMORY, needs no memory itself */

#endif
