/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the tool on a table, as a sentence names them: whole, so that a person can copy the line. */
#ifndef OSCOMMIT_DYNAMO_COMMAND_H
#define OSCOMMIT_DYNAMO_COMMAND_H

#include "dynamo/response.h"

enum { DYNAMO_COMMAND_SIZE = 1024 };

/* `oscommit table <verb>` of the table that `about` names. Of items that the tool makes no table for, it is "the program
 * that writes such tables". */
void dynamo_command(const struct dynamo_about *about, const char *verb, char ret[DYNAMO_COMMAND_SIZE]);
/* The one that removes old items of it, or who else does. */
void dynamo_command_sweep(const struct dynamo_about *about, char ret[DYNAMO_COMMAND_SIZE]);
/* The one that makes a table beside it, under a name that says what is in it. */
void dynamo_command_beside(const struct dynamo_about *about, char ret[DYNAMO_COMMAND_SIZE]);

#endif
