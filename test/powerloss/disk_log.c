/* SPDX-License-Identifier: Apache-2.0 */
#include "disk_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool on;
static uint64_t device;
static enum disk_lie lie;
static size_t lie_begin;
static struct disk_op *ops;
static size_t count;
static size_t capacity;
static struct disk_node nodes[DISK_NODES_MAX];
static int node_count;

static struct alias {
    uint64_t inode, old;
} aliases[DISK_NODES_MAX];
static int alias_count;

void disk_log_enter(void)
{
    pthread_mutex_lock(&mutex);
}

void disk_log_leave(void)
{
    pthread_mutex_unlock(&mutex);
}

bool disk_log_is_on(void)
{
    return on;
}

int disk_log_find(uint64_t st_device, uint64_t inode)
{
    for (int i = node_count - 1; i >= 0 && st_device == device; i--) /* the youngest: numbers are used again */
        if (nodes[i].inode == inode)
            return i;
    return -1;
}

int disk_log_born(uint64_t inode, bool is_folder)
{
    if (node_count == DISK_NODES_MAX)
        abort();
    nodes[node_count] = (struct disk_node){.is_folder = is_folder, .inode = inode};
    return node_count++;
}

void disk_log_add(const struct disk_op *op)
{
    if (count == capacity) {
        capacity = capacity == 0 ? 1024 : 2 * capacity;
        ops = realloc(ops, capacity * sizeof(*ops));
        if (ops == NULL)
            abort();
    }
    ops[count++] = *op;
}

bool disk_log_start(const char *folder)
{
    struct stat st;
    if (stat(folder, &st) != 0)
        return false;
    disk_log_enter();
    device = st.st_dev;
    (void)disk_log_born(st.st_ino, true);
    on = true;
    disk_log_leave();
    return true;
}

void disk_log_lie(enum disk_lie what)
{
    disk_log_enter();
    lie = what;
    lie_begin = count;
    disk_log_leave();
}

/* The name that a node was made with. */
static const char *first_name(int node)
{
    for (size_t i = 0; i < count; i++)
        if (ops[i].kind == DISK_CREATE && ops[i].node == node)
            return ops[i].name;
    return "";
}

static bool is_lie(size_t number)
{
    int node = ops[number].node;
    if (lie == DISK_HONEST || number < lie_begin)
        return false;
    if (lie == DISK_LIES_ABOUT_FOLDERS || nodes[node].is_folder)
        return lie == DISK_LIES_ABOUT_FOLDERS && nodes[node].is_folder;
    bool is_log = strstr(first_name(node), "-wal") != NULL;
    bool is_object = strchr(first_name(node), '.') == NULL;
    return lie == DISK_LIES_ABOUT_LOGS ? is_log : is_object;
}

/* An entry is flushed with its folder; a rename, which a journal holds as one change, with either of the two. */
static bool covers(const struct disk_op *sync, const struct disk_op *op)
{
    switch (op->kind) {
    case DISK_RENAME: return sync->node == op->folder || sync->node == op->from;
    case DISK_CREATE:
    case DISK_MKDIR:
    case DISK_REMOVE: return sync->node == op->folder;
    case DISK_TIMES: return sync->node == op->node && !sync->data_only;
    default: return sync->node == op->node;
    }
}

void disk_log_stop(void)
{
    disk_log_enter();
    on = false;
    for (size_t i = 0; i < count; i++) {
        ops[i].durable = DISK_NEVER;
        for (size_t j = i + 1; j < count && ops[i].durable == DISK_NEVER; j++)
            if (ops[j].kind == DISK_SYNC && covers(&ops[j], &ops[i]) && !is_lie(j))
                ops[i].durable = (long)j;
    }
    disk_log_leave();
}

void disk_log_free(void)
{
    for (size_t i = 0; i < count; i++)
        free(ops[i].data);
    free(ops);
    ops = NULL;
    count = capacity = 0;
    node_count = 0;
}

size_t disk_log_count(void)
{
    disk_log_enter();
    size_t result = count;
    disk_log_leave();
    return result;
}

const struct disk_op *disk_log_op(size_t number)
{
    return &ops[number];
}

int disk_log_node_count(void)
{
    return node_count;
}

const struct disk_node *disk_log_node(int number)
{
    return &nodes[number];
}

void disk_log_describe(size_t number, char *ret, size_t size)
{
    static const char *const verbs[] = {"create", "mkdir",    "rename",    "remove",
                                        "write",  "truncate", "set times", "flush"};
    const struct disk_op *op = &ops[number];
    const char *name = op->name;
    for (size_t i = number; name[0] == '\0' && i-- > 0;) /* of a node that is written: its last name */
        name = ops[i].node == op->node ? ops[i].name : name;
    snprintf(ret, size, "%s %s", verbs[op->kind], op->node == 0 ? "the folder itself" : name);
}

/* ------------------------------------------------------------------------------------------------------ aliases */

void disk_alias_clear(void)
{
    disk_log_enter();
    alias_count = 0;
    disk_log_leave();
}

void disk_alias_add(uint64_t inode, uint64_t old)
{
    disk_log_enter();
    if (alias_count < DISK_NODES_MAX)
        aliases[alias_count++] = (struct alias){inode, old};
    disk_log_leave();
}

uint64_t disk_alias_of(uint64_t inode)
{
    uint64_t result = inode;
    disk_log_enter();
    for (int i = 0; i < alias_count; i++)
        result = aliases[i].inode == inode ? aliases[i].old : result;
    disk_log_leave();
    return result;
}
