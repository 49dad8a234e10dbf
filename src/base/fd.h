/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that are never 0, 1 or 2. A program may run with its standard streams closed; what it prints, or hands to
 * a child as its stdin, must not end in an object or on a connection of ours. Every descriptor of the library comes
 * from here (a check sees to it), is closed at exec, and leaves errno as open(2) and socket(2) do.
 */
#ifndef OSCOMMIT_BASE_FD_H
#define OSCOMMIT_BASE_FD_H

#include <stdint.h>
#include <sys/types.h>

int fd_open(const char *path, int flags, mode_t mode); /* `mode` counts with O_CREAT */
int fd_openat(int folder, const char *path, int flags, mode_t mode);
int fd_socket(int family, int type, int protocol);
int fd_pipe(int ret_ends[2]); /* to read from, to write to; 0, or -1 */
/* The same descriptor, or another for what `fd` stood for, which is closed then. Keeps errno where `fd` is negative. */
int fd_above_standard(int fd);
/* Before a library opens descriptors of its own that cannot be led through here: puts /dev/null, read-only, where a
 * standard stream is closed, as SQLite does. */
void fd_occupy_standard(void);

/* Reads up to `size` bytes from where it stands, or at `offset`; less only at the end of the file. -1 and errno. */
int64_t fd_read(int fd, void *ret, size_t size);
int64_t fd_read_at(int fd, void *ret, size_t size, uint64_t offset);

/* Bytes that were read from this TCP connection; 0 where the kernel does not count (before Linux 4.1). */
uint64_t fd_taken_bytes(int fd);

#endif
