/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that os_get writes. A regular file appears whole or not at all: a temporary one beside it is renamed over
 * it, where the name is a symbolic link, over what it leads to. What is no regular file (a device, a FIFO), and what
 * /proc gives as the open file of a process, is written to in place. Knows nothing of objects.
 */
#ifndef OSCOMMIT_PLAIN_GET_FILE_H
#define OSCOMMIT_PLAIN_GET_FILE_H

#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

struct get_file {
    const char *name;     /* as the caller has it; borrowed */
    os_cancel *cancel;    /* looked at while a reader or a slow device is waited for */
    os_cancel *closing;   /* the same of the client */
    uint64_t deadline_ms; /* CLOCK_MONOTONIC: no longer than that */
    char *target;         /* what the temporary file becomes; NULL: written in place */
    char *temporary;
    int fd;
};

/* `name`, `cancel`, `closing` and `deadline_ms` are set. A FIFO without a reader is waited for, as a shell would do it.
 * Blocks. */
os_code get_file_open(struct get_file *file, os_error *err);
/* False: not all of it was taken; *err says why. */
bool get_file_write(struct get_file *file, const void *data, size_t length, os_error *err);
/* All bytes are there: they are flushed, and the file appears. */
os_code get_file_keep(struct get_file *file, os_error *err);
/* After an open that failed, too. What was not kept goes. */
void get_file_close(struct get_file *file);

#endif
