/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases: something that one holder has at a time, for as long as it extends it. One job, one compactor, one leader.
 *
 * Where. A lease is an item of a table of its own, which ledger_url of the client names: dynamodb://TABLE, with the
 *   partition key `key` (S) and TTL on `lease_expiry`, or sqlite:///FILE, which may hold records as well. The items are
 *   those of the Rust crate dynamodb-lease 0.22.1, so that both can share a table (docs/leases.md). A client that does
 *   nothing else needs no store_url.
 *
 * What is promised. While os_lease_state says held or at risk, nobody else holds the lease: as long as clocks differ in
 *   rate by at most 5 %, and as long as other implementations on the same table keep to their own assumptions. The time
 *   counts from the send of the last extension that was confirmed, by that clock of the machine which advanced most, so
 *   that a machine that was suspended, or a process that was stopped, finds the lease lost when it goes on. It is lost
 *   before another can have it, never after.
 *
 * What is not. A process that was stopped between its look at the state and its write does not know. Give its writes the
 *   token (os_lease_token): whoever was later has a larger one.
 *
 * Threads. A lease is extended by the client's I/O thread, a third of its time to live after the last time. Its functions
 *   may be called from any thread, but none after os_lease_release, os_lease_detach, os_lease_free or a start of these has begun. A
 *   release may meet os_client_close: it is done, or waits for the close and then says OS_ERR_CANCELLED. A client with
 *   foreign_loop has no I/O thread: it extends its leases within os_client_step, and refuses the calls below that block
 *   (OS_ERR_ARGUMENT). Start them instead.
 *
 * Without waiting. oscommit_async.h has a function for each call below that blocks, such as os_start_lease_acquire. It
 *   starts the call and returns at once.
 */
#ifndef OSCOMMIT_LEASE_H
#define OSCOMMIT_LEASE_H

#include "oscommit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A lease that was acquired, and was not released. */
typedef struct os_lease os_lease;

/* What the holder of a lease may believe. */
typedef enum os_lease_status {
    OS_LEASE_HELD = 1,    /* nobody else holds it */
    OS_LEASE_AT_RISK = 2, /* the same, but half of its time has passed since it was extended last */
    OS_LEASE_LOST = 3     /* another may hold it, from now on for ever: stop what it was for, and release it */
} os_lease_status;

/* Says that the state is another one. Runs on the client's I/O thread, where everything of the client waits for it: set a
 * flag, wake a thread, signal a process. Calls that block are refused there on the same client; os_lease_state,
 * os_lease_remaining_ms, os_lease_token and the start of an operation (os_start_lease_release) are not. */
typedef void (*os_lease_changed_fn)(void *context, os_lease *lease, os_lease_status status);

/* What a lease is to be like. Brackets name the defaults. */
typedef struct os_lease_options {
    size_t size;
    uint64_t
        ttl_s; /* [60] time to live after an extension, 2 to 86,400 seconds; all holders wait so long for a dead one */
    int wait; /* [0] 0: another holder is a conflict at once; only one whose time is over is looked at for as long as he
                * may live, and followed if he is dead. 1: wait for him until the deadline of the call */
    int fencing;                 /* [0] 1: with a token. The item stays when the lease is released, to remember it */
    const char *owner;           /* [host name and process id] who holds it, for people: 1 to 255 bytes of UTF-8 */
    os_lease_changed_fn changed; /* [NULL] */
    void *context;               /* of `changed` */
} os_lease_options;
#define OS_LEASE_OPTIONS_INIT OS_SIZED_(os_lease_options)

/* Acquires the lease `name` (1 to 1,024 bytes of UTF-8) and keeps it extended until os_lease_release. Blocks until it is
 * held, or the call has ended. `options` and `call` may be NULL. *ret is the caller's, who releases it; NULL after a
 * failure. Takes one request where nobody holds it; with fencing three, the first time.
 *   OS_OK            held
 *   OS_ERR_CONFLICT  another holds it; the message says who (with `wait`: still at the deadline)
 *   OS_ERR_ARGUMENT  a name or an option that cannot be
 *   OS_ERR_CONFIG    the client has no table (ledger_url)
 *   OS_ERR_NO_TABLE, OS_ERR_TABLE, OS_ERR_DENIED, OS_ERR_CREDENTIALS ...   the table refuses; nothing is held
 *   OS_ERR_DEADLINE, OS_ERR_NETWORK, OS_ERR_THROTTLED   the table did not answer, or not clearly, until the deadline; or it
 *                    has never answered, for ten seconds
 *   OS_ERR_CANCELLED
 * OS_ERR_CONFIG also where something answers that is not DynamoDB. After a failure nothing is held. An item that an
 * unanswered request may have left ends by itself, after ttl_s. */
OS_API os_code os_lease_acquire(os_client *client, const char *name, const os_lease_options *options,
                                const os_call *call, os_lease **ret, os_error *err);

/* What the holder may believe at this instant, by the clocks; does not block. OS_LEASE_LOST for NULL. */
OS_API os_lease_status os_lease_state(const os_lease *lease);

/* For how many milliseconds more that is certain without another extension; 0 when it is lost. Does not block. */
OS_API uint64_t os_lease_remaining_ms(const os_lease *lease);

/* The fencing token, larger than that of every holder before; 0 without fencing. Does not block. */
OS_API uint64_t os_lease_token(const os_lease *lease);

/* Ends the lease and frees it, but where it is refused. Others can have it at once. Blocks until the table has answered.
 * NULL is fine.
 *   OS_OK             it was held until now, and nothing of it is left
 *   OS_ERR_CONFLICT   it had been lost before: what was done since then was not covered by it. So it seems, too, when something
 *                     between here and the table sends a request twice
 *   OS_ERR_UNDECIDED  it was held until now, but the table did not confirm the end: others may have to wait for ttl_s
 *   OS_ERR_CANCELLED  the client was closed before: nothing was sent, and others may have to wait for ttl_s
 *   OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY   refused: in a callback of the client, in a child process, a bad `call`, or for want of
 *                     memory. The lease is still held, and the caller's */
OS_API os_code os_lease_release(os_lease *lease, const os_call *call, os_error *err);

/* Ends a lease without a word of what came of it, for destructors: it is released in the background, and freed. Never fails;
 * may be called anywhere, in callbacks of the client, too, and in a client with foreign_loop. os_client_close waits for such
 * a release, for a second at most; what is not confirmed then ends by itself, after ttl_s. Waits for nothing but a `changed`
 * of this lease that another thread runs; after this, that is not called any more. NULL is fine. */
OS_API void os_lease_free(os_lease *lease);

#define OS_LEASE_HANDLE_SIZE 64 /* bytes, with the NUL */

/* What another process needs to go on with this lease, as a text of at most 53 characters: 32 hex digits, '-' and a number.
 * It stays good as long as the lease is held, however often it is passed on. Whoever has it, and may write to the table, can
 * extend and release the lease. OS_ERR_ARGUMENT for NULL. Does not block. */
OS_API os_code os_lease_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err);

/* Frees a lease without releasing it, but where it is refused: it is extended no more, and ends by itself when its time is
 * over. Ask os_lease_remaining_ms before. Until then os_lease_adopt can go on with it, in any process. Blocks for a moment;
 * sends nothing. NULL is fine.
 *   OS_OK
 *   OS_ERR_CANCELLED   the client had been closed before: it is freed, and has not been extended since then
 *   OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY   refused, as os_lease_release is. The lease is still held, and the caller's */
OS_API os_code os_lease_detach(os_lease *lease, os_error *err);

/* Goes on with a lease that was detached, or whose process is gone: extends it, and keeps it extended. One process at a time.
 * Of `options`, ttl_s, fencing (as it was acquired), changed and context count; the owner in the item stays, and so does its
 * time to live, unless ttl_s is more. Two requests. A process that had the lease before and goes on is told that it is lost,
 * but its writes have the same token: nothing holds them back.
 *   OS_OK            held: nobody else has had it since it was acquired, and its token is the same
 *   OS_ERR_CONFLICT  it is lost: the item is another's, or free, or gone. The message says whose
 *   OS_ERR_ARGUMENT  also: `handle` is none
 *   OS_ERR_DEADLINE, OS_ERR_NETWORK ...   as os_lease_acquire; but here it may still be held: try again in time
 * After a failure *ret is NULL, and nothing was dropped. */
OS_API os_code os_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                              const os_call *call, os_lease **ret, os_error *err);

/* What stands in the table under a name. */
typedef struct os_lease_info {
    size_t size;
    int held;          /* the item has a holder, who may be dead. 0: free; the rest is 0 or "" */
    int foreign;       /* written by another implementation */
    int64_t expiry_s;  /* epoch seconds by the holder's clock; only other implementations go by it */
    uint64_t ttl_ms;   /* 0: not told */
    uint64_t token;    /* 0: none; stays when the lease is free */
    char version[132]; /* changes at each extension */
    char owner[256];   /* "": not told */
} os_lease_info;
#define OS_LEASE_INFO_INIT OS_SIZED_(os_lease_info)

/* Reads what stands under `name`; one request. Blocks. OS_OK, also if there is nothing; or as os_lease_acquire. */
OS_API os_code os_lease_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret,
                             os_error *err);

/* One lease of a table; strings are borrowed for the call. Not 0: stop. */
typedef int (*os_lease_fn)(void *context, const char *name, const os_lease_info *info);

/* Gives every lease of the table, also those that are free and keep a token, on the calling thread; calls on the same
 * client are allowed there. Reads the whole table first: that costs as much as a Scan. Blocks.
 *   OS_OK, or as os_lease_acquire; OS_ERR_STOPPED: `each` did
 *   OS_ERR_PROTOCOL   after all were given: some items are no leases */
OS_API os_code os_lease_list(os_client *client, const os_call *call, os_lease_fn each, void *context, os_error *err);

/* Creates the table of leases (on-demand billing, key `key`, TTL on `lease_expiry`) and waits until it is ACTIVE. OS_OK
 * also if a fit table exists. For sqlite it creates the file, with a place for leases, locks and records. Blocks. */
OS_API os_code os_lease_table_create(os_client *client, const os_call *call, os_error *err);

/* Checks that it is fit for leases: key schema, attribute types, TTL, ACTIVE, replication. OS_OK, OS_ERR_NO_TABLE,
 * OS_ERR_TABLE (the message says what is wrong and what to do). Blocks. */
OS_API os_code os_lease_table_check(os_client *client, const os_call *call, os_error *err);

/* --------------------------------------------------------------------------------------------------------- locks
 *
 * Locks with an owner and an instance, as LockServiceCentral keeps them in DynamoDB: `lockId` "{namespace}:{name}",
 * `namespace`, `lockName`, `owner`, `instanceId`, `leaseDuration` and `expiry` (N, epoch seconds; the table's TTL), so
 * that both can share a table. Each call is one request, and nothing happens between calls: who holds a lock renews it in
 * time. Calls of one client that change one lock do not overtake each other. `expiry` is judged by the wall clock of
 * whoever asks. Where clocks may be wrong, or nobody can say how long the work takes, take a lease (above). The table has
 * the partition key `lockId` (S); os_lock_table_create makes it.
 */

/* Which lock, and whose. All are 1 to 255 bytes of UTF-8; the namespace has no ':', so that no two locks have one key. */
typedef struct os_lock {
    size_t size;
    const char *name_space;
    const char *name;
    const char *owner;    /* who: a service, a user */
    const char *instance; /* which of his processes. Whoever has the same owner and instance holds the same lock */
} os_lock;
#define OS_LOCK_INIT OS_SIZED_(os_lock)

/* What stands in the table. */
typedef struct os_lock_info {
    size_t size;
    int held; /* 0: there is no item; the rest is 0 or "". An item may have expired: see expiry_s */
    char owner[256];
    char instance[256];
    uint64_t duration_s; /* for how long it was acquired and renewed in all */
    int64_t expiry_s;    /* epoch seconds */
} os_lock_info;
#define OS_LOCK_INFO_INIT OS_SIZED_(os_lock_info)

/* Acquires the lock for `duration_s` seconds (1 to 31,536,000) from now: where there is none, where it has expired, or
 * where the same owner and instance hold it (then it is as new). `call`, `ret` and `err` may be NULL. Blocks.
 *   OS_OK            held until ret->expiry_s
 *   OS_ERR_CONFLICT  another holds it: ret says who and until when
 *   OS_ERR_ARGUMENT, OS_ERR_CONFIG (no ledger_url), OS_ERR_NO_TABLE, OS_ERR_TABLE, OS_ERR_DENIED ...   nothing changed
 *   OS_ERR_DEADLINE  also where the answer took longer than the lock lasts: it is over
 *   OS_ERR_DEADLINE, OS_ERR_NETWORK, OS_ERR_PROTOCOL, OS_ERR_NO_MEMORY ...   may have been acquired, or may still be, where
 *                    the message says that it is not known: nothing is sent again after an answer that says nothing. Acquire
 *                    it again with the same instance, or release it */
OS_API os_code os_lock_acquire(os_client *client, const os_lock *lock, uint64_t duration_s, const os_call *call,
                               os_lock_info *ret, os_error *err);

/* Adds `duration_s` to the duration and the expiry of a lock that this owner and instance hold, and that has not expired.
 * ret has the new values. Codes as above; OS_ERR_CONFLICT also where there is no such lock (ret->held is 0) or it has
 * expired. OS_ERR_UNDECIDED: no answer says whether it was added, and it is not sent again, as that would add twice. */
OS_API os_code os_lock_renew(os_client *client, const os_lock *lock, uint64_t duration_s, const os_call *call,
                             os_lock_info *ret, os_error *err);

/* Releases a lock of this owner and instance, also one that has expired. OS_OK also where there is none. OS_ERR_CONFLICT:
 * another holds it, and ret says who. Where the message says that it is not known, release it again. */
OS_API os_code os_lock_release(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret,
                               os_error *err);

/* Reads what stands under namespace and name; owner and instance are not looked at. OS_OK, also if there is nothing. */
OS_API os_code os_lock_read(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret,
                            os_error *err);

/* Deletes a lock whose time is over, whosever it is. OS_OK also where there is none. OS_ERR_CONFLICT: its time is not over,
 * and ret says whose it is and until when; wait for that. owner and instance are not looked at. */
OS_API os_code os_lock_break(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret,
                             os_error *err);

/* One lock of a table; strings are borrowed for the call. Not 0: stop. */
typedef int (*os_lock_fn)(void *context, const char *name_space, const char *name, const os_lock_info *info);

/* Gives every lock of the namespace, or of the whole table if that is NULL, as os_lease_list does. */
OS_API os_code os_lock_list(os_client *client, const char *name_space, const os_call *call, os_lock_fn each,
                            void *context, os_error *err);

/* Creates the table of locks (on-demand billing, key `lockId`, TTL on `expiry`) and waits until it is ACTIVE. OS_OK also
 * if a fit table exists. For sqlite it creates the file, with a place for locks, leases and records. Blocks. */
OS_API os_code os_lock_table_create(os_client *client, const os_call *call, os_error *err);

/* Checks that it is fit for locks, as os_lease_table_check does for leases, with the same codes. Blocks. */
OS_API os_code os_lock_table_check(os_client *client, const os_call *call, os_error *err);

#ifdef __cplusplus
}
#endif

#endif
