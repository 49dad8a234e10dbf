/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world for commits through a log store (docs/delta.md, D1 to D7): an object store without conditions and a table, in
 * memory; writers as coroutines, of which the seed says who goes next at each request; and what can become of a request.
 * Everything of src/append is the library's own. What it calls is in requests.c.
 */
#ifndef OSCOMMIT_TEST_SIM_LOG_STORE_WORLD_H
#define OSCOMMIT_TEST_SIM_LOG_STORE_WORLD_H

#include "client/client.h"
#include "delta/entry.h"
#include "sim/coroutine.h"

enum { LANES_MAX = 4, COMMITS_MAX = 3, OBJECTS_MAX = 128, VERSIONS_MAX = 64, LATE_MAX = 64, NAME_SIZE = 128 };

struct object {
    char name[NAME_SIZE];
    char *bytes; /* own; NULL: it was removed */
    size_t length;
};

struct entry {
    bool found;
    char file_name[ENTRY_FILE_NAME_MAX + 1];
    char temp[ENTRY_TEMP_PATH_MAX + 1];
    bool is_complete;
    uint64_t expires_s;
};

/* A write that is applied when nobody waits for it any more. */
struct late {
    bool is_waiting;
    char name[NAME_SIZE];
    char *bytes; /* own; NULL: a removal */
    size_t length;
    struct entry entry; /* of a PutItem; `name` is "" */
};

/* What a request meets. */
enum fate {
    FATE_NONE = 0,
    FATE_REFUSED,    /* not done, and said so */
    FATE_LOST,       /* not done, and no answer */
    FATE_UNANSWERED, /* done, and no answer */
    FATE_LATE,       /* no answer; it is done later */
    FATE_TORN,       /* no answer; of a version, the start of its bytes is there then, if nothing else was */
    FATE_DEATH,      /* its writer dies before it */
    FATE_LAST_DEED,  /* its writer dies behind it */
    FATES
};

/* One commit of a lane, and what it was told. */
struct told {
    bool has_ended;
    os_verdict verdict;
    int64_t version;
    char *ticket; /* own */
    os_error error;
};

struct lane {
    struct world *world;
    struct coroutine *coroutine;
    unsigned number;
    bool is_dead;
    bool is_calm; /* nothing happens to its requests */
    unsigned commits;
    unsigned harms; /* so many more may strike */
    struct told told[COMMITS_MAX];
};

struct world {
    uint64_t seed;
    uint64_t random;
    bool traces;
    bool is_planted; /* the judge is told of each unknown as committed, and must notice */
    os_client store;
    os_client log_store;
    struct table table; /* that the log store has one is all that is asked of it */
    struct object objects[OBJECTS_MAX];
    size_t object_count;
    struct entry entries[VERSIONS_MAX];
    size_t entry_count;
    struct late late[LATE_MAX];
    struct lane lanes[LANES_MAX + 1]; /* the last is the one that comes when all is over */
    unsigned lane_count;
    struct lane *at; /* whose turn it is */
    uint64_t requests;
    uint64_t struck[FATES];
    uint64_t verdicts[OS_UNKNOWN + 1];
    char failure[512]; /* the first; "": none */
};

void world_init(struct world *world, uint64_t seed);
void world_free(struct world *world);
uint64_t world_draw(struct world *world, uint64_t below);
void world_fail(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void world_trace(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The lane waits for its turn; then what its request meets. Does not return where it dies. */
enum fate world_request(struct world *world, const char *what, bool writes);
/* Behind a request that was done. */
void world_after(struct world *world, enum fate fate);

struct object *world_find(struct world *world, const char *name);
/* Also checks what must always hold: no version of the log is ever other bytes. */
void world_put(struct world *world, const char *name, const char *bytes, size_t length);
/* A PUT that broke off. */
void world_tear(struct world *world, const char *name, const char *bytes, size_t length);
bool world_is_torn(const struct object *object);
void world_remove(struct world *world, const char *name);
struct entry *world_entry(struct world *world, const char *file_name);
bool world_put_entry(struct world *world, const struct entry *entry); /* false: there is one */
struct late *world_later(struct world *world, const char *name, const char *bytes, size_t length);
void world_deliver(struct world *world, size_t which);

/* Whose requests requests.c answers. */
extern struct world *sim_world;

#endif
