/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strict parse behind json_read, into jansson's values. jansson's own goes from byte to byte, and its lexer may lose one
 * for want of memory, so that what it says has to be compared with a second parse. Whatever this one takes is what
 * json_loadb takes, with JSON_REJECT_DUPLICATES and JSON_ALLOW_NUL.
 */
#ifndef OSCOMMIT_SYNTAX_JSON_READER_H
#define OSCOMMIT_SYNTAX_JSON_READER_H

#include <jansson.h>

/* An object, and nothing behind it; within JSON_DEPTH_MAX and JSON_VALUES_MAX. NULL: it is none, or there is no memory. */
json_t *json_reader_run(const char *text, size_t len);

#endif
