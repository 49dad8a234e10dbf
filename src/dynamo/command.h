/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the tool on a table, as a sentence names them: whole, so that a person can copy the line. */
#ifndef OSCOMMIT_DYNAMO_COMMAND_H
#define OSCOMMIT_DYNAMO_COMMAND_H

#include "dynamo/response.h"

enum { DYNAMO_COMMAND_SIZE = 1024 };

/* Of which table. */
struct dynamo_command_about {
    const struct item_words *words; /* of what is in it */
    const char *table;              /* its name or ARN; NULL: none is told */
    const char *reach; /* " --dynamodb-region eu-west-1": the flags that lead there; NULL: none are needed */
};

/* `oscommit table <verb>`. Of items that the tool makes no table for, it is "the program that writes such tables". */
void dynamo_command(const struct dynamo_command_about *about, const char *verb, char ret[DYNAMO_COMMAND_SIZE]);
/* The one that removes old items of it, or who else does. */
void dynamo_command_sweep(const struct dynamo_command_about *about, char ret[DYNAMO_COMMAND_SIZE]);
/* The one that makes a table beside it, under a name that says what is in it. */
void dynamo_command_beside(const struct dynamo_command_about *about, char ret[DYNAMO_COMMAND_SIZE]);

/* `about` of an answer. */
static inline struct dynamo_command_about dynamo_command_of(const struct dynamo_about *about)
{
    return (struct dynamo_command_about){&about->schema->words, about->table, about->reach};
}

#endif
