/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one call of a run fail, or that one and all that come after it. The wrap_*.c files stand in front of
 * everything that can fail (the linker's --wrap, hooks for memory, a VFS) and ask here; the run's counted threads are
 * the one that began and those that it started, so that a server of the test in the same process goes undisturbed.
 */
#ifndef OSCOMMIT_TEST_TORTURE_INJECT_H
#define OSCOMMIT_TEST_TORTURE_INJECT_H

#include <stdbool.h>
#include <stddef.h>

enum inject_kind {
    INJECT_MEMORY, /* malloc and its relatives, of the library, SQLite, libcurl, OpenSSL, jansson and expat */
    INJECT_FILE,   /* system calls on files, and the random bytes */
    INJECT_DONE,   /* the two of them that apply a write: done, and reported as failed all the same */
    INJECT_SQLITE, /* calls to SQLite */
    INJECT_VFS,    /* SQLite's own file calls */
    INJECT_CURL,   /* calls to libcurl */
    INJECT_THREAD, /* threads, locks and sockets */
    INJECT_KINDS
};
extern const char *const inject_kind_names[INJECT_KINDS];

struct inject_plan {
    enum inject_kind kind;
    long number;  /* of the call that fails, from 0 */
    bool forever; /* and every later one of this kind */
    int variant;  /* how it fails, 0 .. inject_variants(kind) - 1 */
};

int inject_variants(enum inject_kind kind);
const char *inject_variant_name(enum inject_kind kind, int variant);
/* A failure that callers answer by asking again at once: it is not made to last for ever. */
bool inject_is_passing(enum inject_kind kind, int variant);

void inject_begin(const struct inject_plan *plan); /* this thread, and those that it starts from now on */
bool inject_end(void);                             /* whether anything was made to fail */
void inject_pause(bool pause);                     /* nothing is counted, and nothing fails meanwhile */
void inject_set_opening(bool opening);             /* while os_client_open is at work */
const char *inject_call(void);                     /* the first that was; "" for none */
long inject_count(enum inject_kind kind);          /* calls seen since the beginning of this run */

/* For the wrappers. */
bool inject_hits(enum inject_kind kind, const char *call);
bool inject_is_counted(void);
void inject_set_counted(bool counted); /* of this thread */
int inject_variant(void);

void wrap_memory_install(void); /* before anything else: OpenSSL takes no hooks later */
void wrap_vfs_install(void);

#endif
