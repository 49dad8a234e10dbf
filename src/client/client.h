/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the client share: the client itself, and the helpers that more than one of them needs. */
#ifndef OSCOMMIT_CLIENT_CLIENT_H
#define OSCOMMIT_CLIENT_CLIENT_H

#include "base/log.h"
#include "base/thread.h"
#include "client/inside.h"
#include "client/known_versions.h"
#include "client/plan.h"
#include "client/settings.h"
#include "commit/guard.h"
#include "ledger/ledger.h"
#include "loop/op.h"
#include "store/dates.h"
#include "store/store.h"
#include "table/row_service.h"

enum client_fences { CLIENT_FENCES_UNKNOWN = 0, CLIENT_FENCES_YES, CLIENT_FENCES_NO };
enum client_etags { CLIENT_ETAGS_UNKNOWN = 0, CLIENT_ETAGS_MD5, CLIENT_ETAGS_OTHER };

struct driver; /* one guarded call: guarded/driver.h */
struct os_lease;
struct pool; /* client/pool.h */
struct fence_check;
struct release;
struct release_waiter;

/* Of one key: update/habit.h. */
struct update_habit {
    uint64_t key_hash;  /* 0: of none */
    uint64_t etag_hash; /* of what was written last */
    uint64_t round_ms;
    uint64_t ended_ms;   /* on the monotonic clock */
    uint32_t streak;     /* updates in a row in which no other writer was met */
    uint32_t contention; /* conflicts in a row, halved by each update without one */
};
/* Of a service that signs nothing NULL. */
struct client_keys {
    struct credentials *store;
    struct credentials *ledger; /* may be those of the store */
};

/* How long things take here. */
struct client_pace {
    uint64_t ledger_ms;     /* its last answer */
    uint32_t commit_ms;     /* R11.5: an attempt, smoothed; 0: none was made */
    uint64_t retry_told_ms; /* CLOCK_MONOTONIC: when the log was told last that a request is tried again; 0: never */
};
enum { CLIENT_UPDATE_HABITS = 8, CLIENT_INSIDE_SLOTS = 64 };

/* Whether the bucket is there. */
enum client_bucket {
    CLIENT_BUCKET_UNKNOWN = 0,
    CLIENT_BUCKET_SEEN,   /* a plain call had its answer */
    CLIENT_BUCKET_CHECKED /* a guarded call has looked what it is like */
};

/* What answers have told. */
struct client_told {
    bool shares_table;  /* with another bucket, in the same partitions (T4.3) */
    bool names_markers; /* 404s of the bucket name delete markers (R16) */
};

struct os_client {
    struct settings settings;
    struct log log;
    struct loop *loop;
    struct store *store;
    struct table *ledger;     /* NULL: none was configured, guarded calls are refused */
    struct row_service *rows; /* items of any attributes, at the same place; NULL with it */
    struct client_keys keys;
    struct thread thread;
    bool is_open;       /* somebody runs the loop: the thread, or with foreign_loop the caller */
    struct pool *pool;  /* of what blocks where nobody waits */
    int process;        /* that opened it, and alone has its threads */
    os_cancel *closing; /* triggered when the client closes: every call hears it */

    /* Of the loop's thread alone. */
    enum client_fences fences;       /* E7 */
    struct fence_check *fence_check; /* the check under way */
    bool fences_unclear;             /* the last probe decided nothing: guards go without fences until the next */
    struct clock_reading fences_probed;
    enum client_etags etags; /* whether a PUT's ETag is the MD5 of its body (R13) */
    enum client_bucket bucket;
    struct client_told told;
    bool versioned;                   /* the bucket was told to have versions, once (R16) */
    struct driver *drivers;           /* all that are alive */
    struct release *releases;         /* all under way */
    struct os_lease *leases;          /* all that are held, or on the way to it or from it */
    struct release_waiter *held_back; /* until those of their record have ended */
    struct update_habit update_habits[CLIENT_UPDATE_HABITS];
    struct client_pace pace;
    struct dates dates;                   /* E10 */
    struct known_versions known_versions; /* R3.6 */
    enum date_belief belief;              /* of the Date of the answer that was noted last */

    /* What a client that closes waits for: calls that have not returned, and operations; then releases, and guards that
     * wait for a PutItem. */
    struct monitor idle; /* of all below; woken when one leaves, or a count becomes 0 */
    struct inside *inside[CLIENT_INSIDE_SLOTS];
    uint32_t call_count;      /* of these: calls, not callbacks */
    uint32_t operation_count; /* started, and their completion was not told */
    uint32_t in_flight_count; /* of these, whose completion is not being told */
    uint32_t background_count;
};

/* What ends an operation for a call of this client: its deadline, its cancellation, the closing. */
struct op_limits client_limits(const os_client *client, const os_call *call);

/* Counts work that goes on after its call has returned. From any thread. */
void client_background(os_client *client, int change);
/* The same of one more, of which a client that closes then waits to hear. False, and not counted: it closes already. */
bool client_background_enter(os_client *client);

/* Every answer of the store lends its Date, if that is believed, and may tell that the bucket has versions; `sent` is
 * the clock reading before its request was sent. Loop's thread. */
void client_note_date(os_client *client, const struct store_answer *answer, const struct clock_reading *sent);
bool client_recent_date(const os_client *client, const struct clock_reading *now); /* R3: less than 2 s old */

/* The largest Date believed so far. OS_ERR_PROTOCOL when no answer had one. Any thread but the loop's. */
os_code client_store_time(os_client *client, uint64_t *ret_s, os_error *err);

/* One request has ended: metric and debug line. Loop's thread. */
void client_note_request(os_client *client, const char *operation, const char *key, const struct clock_reading *sent,
                         int status, os_code code);
/* Tells the log, now and then, that what failed so is asked again. */
void client_note_retry(os_client *client, const os_error *error);

/* Whole object key: the URL's prefix and the caller's key; malloc'ed. OS_ERR_ARGUMENT names what is wrong with it. */
os_code client_object_key(const os_client *client, const char *key, char **ret, os_error *err);

/* What the write plans of this client are chosen by; borrowed from it. */
void client_write_plan_rules(const os_client *client, struct write_plan_rules *ret);
/* OS_ERR_CONFIG: a guarded put lacks its ledger. To be asked before requests that are only of use to such a put. */
os_code client_may_put(const os_client *client, bool create, os_error *err);

/* The record's path of an object key (T4); malloc'ed, NULL when out of memory. */
char *client_record_path(const os_client *client, const char *object_key);

/* The same of a caller's key; NULL of none. */
os_code client_record_path_of(const os_client *client, const char *key, char **ret, os_error *err);

/* Something that happens on the loop's thread, from `start` until somebody calls sync_finish. Either a thread waits for
 * it, or it is followed by something else there. */
struct sync {
    struct loop_job job;
    struct monitor monitor;
    bool finished;
    void (*start)(struct sync *sync);
    void (*followed_by)(struct sync *sync); /* NULL: a thread waits */
    void *context;                          /* of followed_by */
};
os_code sync_run(os_client *client, struct sync *sync, os_error *err); /* blocks */
/* Loop's thread. `followed_by` may run before this returns. */
void sync_begin(struct sync *sync, void (*followed_by)(struct sync *sync), void *context);
void sync_finish(struct sync *sync); /* the sync's memory may be gone when this returns */

#endif
