/* SPDX-License-Identifier: Apache-2.0 */
/* Two writers of one Delta table, through a log store, on the simulator's store and table, and what a stranger does there. */
#ifndef OSCOMMIT_TEST_UNIT_APPEND_FLEET_H
#define OSCOMMIT_TEST_UNIT_APPEND_FLEET_H

#include "sim/fake_dynamo.h"
#include "sim/fake_s3.h"
#include "support/http_server.h"
#include "support/test.h"

#include "oscommit_delta.h"

#include <pthread.h>
#include <stdatomic.h>

#define VERSION_1     "/table/_delta_log/00000000000000000001.json"
#define OUTSIDER      "{\"add\":{\"path\":\"outsider.parquet\"}}\n"
#define STRANGER      "{\"add\":{\"path\":\"stranger.parquet\"}}\n"
#define STRANGER_TEMP "_commit_stranger.json.tmp"

enum { LONG_MS = 20000 };

struct fleet;
/* Before each request, on a thread of the server. False: it is not handled, and its connection is closed. */
typedef bool (*fleet_hook)(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret);

struct fleet {
    pthread_mutex_t mutex; /* of the fakes */
    struct fake_s3 *s3;
    struct fake_dynamo *dynamo;
    struct http_server *servers[2];
    os_client *ours;  /* whose requests the hook sees ... */
    os_client *other; /* ... and whose it does not, by its user agent */
    os_client *log_store;
    os_client *other_log_store;
    _Atomic(fleet_hook) hook;
    atomic_uint hits;
    atomic_uint completions; /* requests of ours */
    atomic_uint temps;       /* of ours, so many were written */
    atomic_uint versions;    /* requests of ours to write version 1 */
};
void fleet_set_up(struct fleet *fleet); /* the table has version 0 */
void fleet_tear_down(struct fleet *fleet);
uint64_t fleet_now_ms(void);
void fleet_calm(struct fleet *fleet); /* no hook any more */
/* From now on we know that the store enforces absence. */
void fleet_know_the_store(struct fleet *fleet);

bool fleet_is_action(const struct http_server_record *record, const char *action);
bool fleet_is(const struct http_server_record *record, const char *method, const char *name);
/* 403 of the store, and not handled. */
bool fleet_deny(struct http_server_step *ret);

extern const os_delta_files fleet_files; /* one, which every commit adds */
os_verdict fleet_commit(struct fleet *fleet, bool by_us, uint64_t deadline_ms, os_delta_result *ret);
void fleet_committed_as(struct fleet *fleet, bool by_us, int64_t version);
void fleet_not_executed(struct fleet *fleet);
os_verdict fleet_resolve_of(struct fleet *fleet, const char *table, const char *ticket, uint64_t deadline_ms);
os_verdict fleet_resolve(struct fleet *fleet, const char *ticket, uint64_t deadline_ms);
/* The ticket of a commit of ours as version 1, whose entry stands. malloc'ed. */
char *fleet_left_unknown(struct fleet *fleet);

/* What another one does. `name`: of an object below the bucket, with a slash first, or of a temp file. */
void fleet_write(struct fleet *fleet, const char *name, const void *data, size_t length);
void fleet_remove(struct fleet *fleet, const char *name);
void fleet_write_outside(struct fleet *fleet);                                 /* version 1, without the log store */
void fleet_put_entry(struct fleet *fleet, const char *temp, bool is_complete); /* of version 1; in place of another */
void fleet_take_back(struct fleet *fleet);                                     /* the entry of version 1 */
void fleet_stranger_died(struct fleet *fleet); /* behind his entry of version 1, and its temp file */

/* What is there. The fakes belong to the servers' threads: nothing else reads them. */
bool fleet_is_complete(struct fleet *fleet); /* the entry of version 1 */
bool fleet_is_there(struct fleet *fleet, const char *name);
size_t fleet_version_count(struct fleet *fleet);                            /* how often version 1 was written */
struct fake_s3_version fleet_version_at(struct fleet *fleet, size_t index); /* borrowed until the next request */
/* Version 1 was written once, as these bytes. */
void fleet_check_version(struct fleet *fleet, const char *bytes);

#endif
