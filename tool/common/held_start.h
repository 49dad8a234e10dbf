/* SPDX-License-Identifier: Apache-2.0 */
/* A program in a process group of its own, in the foreground of the terminal. */
#ifndef OSCOMMIT_TOOL_HELD_START_H
#define OSCOMMIT_TOOL_HELD_START_H

#include "common/keeper.h"

#include <sys/types.h>

/* The keeper is told by the program itself, before it begins: nobody may die in between. */
struct held_watch {
    const struct keeper *keeper;
    uint64_t until_ms;
};

/* 0 and its process, which leads the group; else errno. `terminal` is the controlling one; -1: it stays with who has it.
 * The program is sent SIGTERM when the calling thread dies. */
int held_start(char *const *program, char **environment, int terminal, const struct held_watch *watch, pid_t *ret);

#endif
