/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test program that starts itself again in another role, for tests in which whole processes race or die. The child
 * talks over its standard input and output, a line at a time. A client does not survive fork(), so nothing is shared
 * but the environment.
 */
#ifndef OSCOMMIT_TEST_CHILD_H
#define OSCOMMIT_TEST_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
    pid_t pid; /* 0: not running */
    int in;    /* its standard input */
    int out;   /* its standard output */
};

/* Runs this program as `program --child ROLE ARGUMENTS...`; `arguments` ends with NULL. */
bool child_start(struct child *ret, const char *role, const char *const *arguments);
bool child_tell(struct child *child, const char *line);
/* The next line, without its end. False at the end of the output or after timeout_ms. */
bool child_hear(struct child *child, char *ret, size_t size, unsigned timeout_ms);
void child_kill(struct child *child); /* SIGKILL, and waits */
int child_wait(struct child *child);  /* exit status; 128 + the signal where one ended it */

/* For the child: waits for a line on standard input. */
bool child_await_go(void);

#endif
