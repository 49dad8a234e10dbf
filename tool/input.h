/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a put: a file by name, or stdin, which is read to its end first because a put needs its length. */
#ifndef OSCOMMIT_TOOL_INPUT_H
#define OSCOMMIT_TOOL_INPUT_H

#include "session.h"

enum { INPUT_STDIN_MAX = 8 * 1024 * 1024 };

/* `owned` is what the caller frees, or NULL. STATUS_DONE, or everything was said. */
enum status input_body(struct session *session, const char *url, const char *file, os_body *ret, void **ret_owned);

#endif
