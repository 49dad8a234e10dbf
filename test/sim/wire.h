/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 as bytes: a request as libcurl would write it, and an answer read within the engine's limits. */
#ifndef OSCOMMIT_TEST_SIM_WIRE_H
#define OSCOMMIT_TEST_SIM_WIRE_H

#include "base/http_message.h"
#include "http/engine.h"

bool wire_render(const struct http_request *request, const char *user_agent, struct buf *ret); /* false: no memory */

/* The bytes of an answer that came, perhaps not all of them. Fills the response and gives what the engine would say:
 * OS_OK, NETWORK (nothing came), PROTOCOL (cut short, over a limit), STOPPED, NO_MEMORY. */
os_code wire_parse(const char *bytes, size_t length, const struct http_start *start, struct http_response *ret,
                   bool *ret_in_part);

#endif
