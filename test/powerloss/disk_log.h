/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every change that this process makes below one folder, in order: files and folders made, renamed and removed, bytes
 * written, times set, and what was flushed. The functions of libc are taken over by name (disk_record.c), so that
 * SQLite's changes are seen like the library's own; what is mapped into memory (SQLite's -shm) is not. Knows nothing of
 * what the changes mean.
 */
#ifndef OSCOMMIT_TEST_POWERLOSS_DISK_LOG_H
#define OSCOMMIT_TEST_POWERLOSS_DISK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { DISK_NAME_SIZE = 64, DISK_NODES_MAX = 4096, DISK_NEVER = -1 };

enum disk_kind { DISK_CREATE, DISK_MKDIR, DISK_RENAME, DISK_REMOVE, DISK_WRITE, DISK_TRUNCATE, DISK_TIMES, DISK_SYNC };

struct disk_op {
    enum disk_kind kind;
    int node;   /* what is made, renamed, removed, written, flushed */
    int folder; /* where its entry is: CREATE, MKDIR, RENAME (the new place), REMOVE */
    char name[DISK_NAME_SIZE];
    int from; /* RENAME: the old place */
    char from_name[DISK_NAME_SIZE];
    uint64_t offset; /* WRITE */
    uint64_t size;   /* WRITE, TRUNCATE */
    char *data;      /* WRITE */
    struct timespec mtime;
    bool data_only; /* SYNC: fdatasync, which leaves the time unflushed */
    long durable;   /* the SYNC after which it is on the disk for good, or DISK_NEVER */
};

struct disk_node { /* 0 is the folder itself */
    bool is_folder;
    uint64_t inode; /* the number that it had */
};

/* Which flushes the disk may be made to forget, to see that the simulation would notice. */
enum disk_lie { DISK_HONEST, DISK_LIES_ABOUT_OBJECTS, DISK_LIES_ABOUT_LOGS, DISK_LIES_ABOUT_FOLDERS };

bool disk_log_start(const char *folder);
void disk_log_lie(enum disk_lie lie); /* from now on */
void disk_log_stop(void);             /* also fills `durable` */
void disk_log_free(void);
size_t disk_log_count(void);
const struct disk_op *disk_log_op(size_t number);
int disk_log_node_count(void);
const struct disk_node *disk_log_node(int number);
void disk_log_describe(size_t number, char *ret, size_t size);

/* For disk_record.c: all between enter and leave, which let one thread in at a time. */
void disk_log_enter(void);
void disk_log_leave(void);
bool disk_log_is_on(void);
int disk_log_find(uint64_t device, uint64_t inode); /* the node, or -1 */
int disk_log_born(uint64_t inode, bool is_folder);
void disk_log_add(const struct disk_op *op); /* `data` is taken over */

/* Inode numbers belong to the identity of a file: where a rebuilt disk is looked at, a rebuilt file has its old one. */
void disk_alias_clear(void);
void disk_alias_add(uint64_t inode, uint64_t old);
uint64_t disk_alias_of(uint64_t inode);

#endif
