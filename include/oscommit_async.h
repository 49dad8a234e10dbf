/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit without waiting: every call of oscommit.h on objects and on the table of records, and every call of
 * oscommit_lease.h, started by a function that returns at once.
 *
 * How. os_start_... takes what the call takes, and says where the completion goes: to a function, or into a queue. It
 *   returns at once. Later the operation completes, exactly once: then os_operation_verdict, _result and _error (of a
 *   plain call: _code, _object and _error) say what the call would have returned. They never say anything else than the
 *   call: both are the same steps, and a call is an operation that its thread waits for.
 *
 * What is refused at once. If os_start_... returns another code than OS_OK, nothing was sent, there is no operation, and
 *   no completion comes:
 *     OS_ERR_IN_FLIGHT  os_options.max_in_flight operations have not completed: start more when some have
 *     OS_ERR_CANCELLED  the client is being closed
 *     OS_ERR_ARGUMENT   a struct has a wrong size, `start` is missing, or the client is of another process (fork)
 *     OS_ERR_NO_MEMORY
 *   All else that can be wrong, such as a key that the store cannot have, comes with the completion.
 *
 * Ownership. os_start_... copies what it is given, but four things, which must live until the completion: the bytes of
 *   a body in memory, what a sink points to (ret_data, ret_length), the contexts of functions, and tokens (os_cancel).
 *   The context of os_lease_options lives as long as the lease.
 *   Operations belong to the caller, who frees each one once, after its completion: within the completing function or
 *   later, also after the client was closed.
 *
 * Threads. Any thread may start operations, and cancel one that it knows is not freed yet. Completions run on the
 *   client's I/O thread (or within os_client_step), one at a time, in no promised order; one may come before its
 *   os_start_... has returned. What a
 *   call of oscommit.h runs on the calling thread (os_read_fn, os_list_fn), an operation runs on one of eight
 *   threads of the client's. Those start when they are needed, and they do what blocks: they read files and streams, and
 *   send what goes in parts (R15); more such operations wait for one of the threads. A guarded call with a body in
 *   memory that goes in one request needs none of these, nor does a delete, a head, a get into memory, or os_resolve.
 *
 * Within a completing function, all of this header but os_queue_take with a time may be called; so may the start of
 *   another operation, which is how one follows another. It must not block, as everything else of the client waits for
 *   it. Calls of oscommit.h on the same client are refused there, as in any callback on the I/O thread.
 *
 * The end. os_client_close cancels what is under way, and returns when each operation has completed: its function has
 *   returned, or it is in its queue. A guarded operation that may have been applied is then OS_UNKNOWN, with a ticket. A
 *   lease that was on the way is given back; one that was held is extended no more.
 */
#ifndef OSCOMMIT_ASYNC_H
#define OSCOMMIT_ASYNC_H

#include "oscommit.h"
#include "oscommit_lease.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------------- operations */

/* A call that was started. */
typedef struct os_operation os_operation;
/* Where completed operations wait until somebody takes them. */
typedef struct os_queue os_queue;

/* Says that an operation has completed, once. Runs on the client's I/O thread. */
typedef void (*os_complete_fn)(void *context, os_operation *operation);

/* How an operation is started. Exactly one of `complete` and `queue` is set. */
typedef struct os_start {
    size_t size;
    const os_call *call; /* deadline, cancellation and progress [defaults]. The deadline counts from the start */
    os_complete_fn complete;
    os_queue *queue;
    void *context; /* of `complete`; os_operation_context gives it back */
} os_start;
#define OS_START_INIT OS_SIZED_(os_start)

/* The next eight are of an operation whose completing function runs or has run, or that was taken from its queue. Before
 * that they give 0, OS_ERR_UNDECIDED, or NULL. What they point to lives until os_operation_free. They do not block. */

/* The verdict of a guarded call; 0 of a plain one. */
OS_API os_verdict os_operation_verdict(const os_operation *operation);
/* The code of a plain call; of a guarded one that of its error, OS_OK if there is nothing to report. */
OS_API os_code os_operation_code(const os_operation *operation);
/* How a guarded call went, with the ticket of an OS_UNKNOWN, which is freed with the operation: copy it. NULL: plain. */
OS_API const os_result *os_operation_result(const os_operation *operation);
/* What a plain call has to say of its object; `size` is 0 if it failed. NULL: of another call. */
OS_API const os_object *os_operation_object(const os_operation *operation);
/* The lease that os_start_lease_acquire or _adopt has got: the caller's from now on, who releases it. NULL if nothing is
 * held, if it was taken before, or of another call. A lease that nobody takes is let go by os_operation_free. */
OS_API os_lease *os_operation_lease(os_operation *operation);
/* What os_start_lease_read has read; `size` is 0 where nothing was. NULL: of a call that is not on leases or locks. */
OS_API const os_lease_info *os_operation_lease_info(const os_operation *operation);
/* What the call of a lock says of it, also after OS_ERR_CONFLICT, as `ret` of the call; `size` is 0 where nothing was asked.
 * NULL: of a call that is not on leases or locks. */
OS_API const os_lock_info *os_operation_lock_info(const os_operation *operation);
/* Why it failed, as `err` of the call; its code is OS_OK if there is nothing to report. */
OS_API const os_error *os_operation_error(const os_operation *operation);

/* The context that it was started with, at any time. */
OS_API void *os_operation_context(const os_operation *operation);

/* Asks for an early end; the completion says what came of it. A guarded write that may have been applied becomes
 * OS_UNKNOWN. Nothing happens to a completed operation. From any thread, at any time before os_operation_free. */
OS_API void os_operation_cancel(os_operation *operation);

/* Frees an operation, and its ticket, once: when its completing function runs or has run, or when it was taken from its
 * queue; not before. NULL is fine. Does not block. A lease in it that was not taken ends as by os_lease_free, so that others
 * can have it at once. os_queue_free does the same. */
OS_API void os_operation_free(os_operation *operation);

/* ------------------------------------------------------------------------------------------------------ queues */

/* Makes a queue for the operations of any number of clients; os_queue_free frees it. OS_OK or OS_ERR_NO_MEMORY. */
OS_API os_code os_queue_new(os_queue **ret);

/* Takes the operation that has waited longest, for which the caller then answers (os_operation_free); NULL if none has
 * completed. Waits for one for up to `wait_ms` [0: not at all]. Any thread. */
OS_API os_operation *os_queue_take(os_queue *queue, uint64_t wait_ms);

/* Frees the queue, and the operations in it. Every operation that was started with it must have completed: take them,
 * or close their client first. NULL is fine. */
OS_API void os_queue_free(os_queue *queue);

/* --------------------------------------------------------------------------------------------- guarded writes
 *
 * Each starts the call of oscommit.h that has its name, with the same arguments. `ret` may be NULL: the completion gives
 * the operation. It is set before anything can complete. None blocks. */

/* Starts os_put_if_absent. */
OS_API os_code os_start_put_if_absent(os_client *client, const char *key, const os_body *body,
                                      const os_put_options *options, const os_start *start, os_operation **ret,
                                      os_error *err);
/* Starts os_put_if_match. */
OS_API os_code os_start_put_if_match(os_client *client, const char *key, const char *etag, const os_body *body,
                                     const os_put_options *options, const os_start *start, os_operation **ret,
                                     os_error *err);
/* Starts os_copy_if_not_exists. */
OS_API os_code os_start_copy_if_not_exists(os_client *client, const char *source, const char *key,
                                           const os_copy_options *options, const os_start *start, os_operation **ret,
                                           os_error *err);
/* Starts os_copy_if_match. */
OS_API os_code os_start_copy_if_match(os_client *client, const char *source, const char *key, const char *etag,
                                      const os_copy_options *options, const os_start *start, os_operation **ret,
                                      os_error *err);
/* Starts os_rename_if_not_exists. */
OS_API os_code os_start_rename_if_not_exists(os_client *client, const char *source, const char *key,
                                             const os_copy_options *options, const os_start *start, os_operation **ret,
                                             os_error *err);
/* Starts os_delete_if_match. */
OS_API os_code os_start_delete_if_match(os_client *client, const char *key, const char *etag, const os_start *start,
                                        os_operation **ret, os_error *err);
/* Starts os_resolve. The completion of what could not be asked is OS_UNKNOWN; the caller keeps the ticket. */
OS_API os_code os_start_resolve(os_client *client, const char *ticket, const os_start *start, os_operation **ret,
                                os_error *err);
/* Starts os_settle. The same. */
OS_API os_code os_start_settle(os_client *client, const char *ticket, const os_resolve_options *options,
                               const os_start *start, os_operation **ret, os_error *err);

/* Starts os_update. The transform runs on one of the client's eight threads, and may block; what it gives must stay until
 * it is called again or the operation completes. One that waits for its turn keeps its thread. */
OS_API os_code os_start_update(os_client *client, const char *key, os_transform_fn transform, void *transform_context,
                               const os_update_options *options, const os_start *start, os_operation **ret,
                               os_error *err);

/* ------------------------------------------------------------------------------------------ plain object calls */

/* Starts os_head, or os_head_version; an empty or missing `version_id` means the current version. */
OS_API os_code os_start_head(os_client *client, const char *key, const char *version_id, const os_start *start,
                             os_operation **ret, os_error *err);
/* Starts os_get. The sink's function runs on the I/O thread, as that of the call does. */
OS_API os_code os_start_get(os_client *client, const char *key, const os_sink *sink, const os_start *start,
                            os_operation **ret, os_error *err);
/* Starts os_put. */
OS_API os_code os_start_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                            const os_start *start, os_operation **ret, os_error *err);
/* Starts os_delete. */
OS_API os_code os_start_delete(os_client *client, const char *key, const os_start *start, os_operation **ret,
                               os_error *err);
/* Starts os_list. `each` runs on one of the client's eight threads, and may block. */
OS_API os_code os_start_list(os_client *client, const os_list_options *options, os_list_fn each, void *each_context,
                             const os_start *start, os_operation **ret, os_error *err);

/* -------------------------------------------------------------------------------------------------- the table, the client
 *
 * Those of the table take one of the client's eight threads until they complete. */

/* Starts os_table_create. */
OS_API os_code os_start_table_create(os_client *client, const os_start *start, os_operation **ret, os_error *err);
/* Starts os_table_check. */
OS_API os_code os_start_table_check(os_client *client, const os_start *start, os_operation **ret, os_error *err);
/* Starts os_table_list. `each` runs on one of the client's eight threads, and may block. */
OS_API os_code os_start_table_list(os_client *client, const char *key, os_record_fn each, void *each_context,
                                   const os_start *start, os_operation **ret, os_error *err);
/* Starts os_table_release. */
OS_API os_code os_start_table_release(os_client *client, const char *key, const char *etag, int force,
                                      const os_start *start, os_operation **ret, os_error *err);

/* Starts os_client_warm. */
OS_API os_code os_start_client_warm(os_client *client, uint32_t connections, const os_start *start, os_operation **ret,
                                    os_error *err);

/* -------------------------------------------------------------------------------------------------- leases, locks
 *
 * Each starts the call of oscommit_lease.h that has its name; its completion has the code of the call, and what the call
 * would have given. None takes one of the eight threads, but the lists while they are given. */

/* Starts os_lease_acquire. The completion has the lease: os_operation_lease. An operation that is cancelled, or whose time
 * is over, gives back what it may have taken before it completes. */
OS_API os_code os_start_lease_acquire(os_client *client, const char *name, const os_lease_options *options,
                                      const os_start *start, os_operation **ret, os_error *err);
/* Starts os_lease_adopt. The same, but that nothing is given back. */
OS_API os_code os_start_lease_adopt(os_client *client, const char *name, const char *handle,
                                    const os_lease_options *options, const os_start *start, os_operation **ret,
                                    os_error *err);
/* Starts os_lease_release. After OS_OK the lease belongs to the operation, and is gone when that completes, whatever its code:
 * OS_OK, OS_ERR_CONFLICT or OS_ERR_UNDECIDED, as of the call. After any other code the lease is still the caller's. Also
 * refused: OS_ERR_CANCELLED, the client is closed or being closed (os_lease_release then frees the lease, and sends nothing);
 * OS_ERR_ARGUMENT for NULL. */
OS_API os_code os_start_lease_release(os_lease *lease, const os_start *start, os_operation **ret, os_error *err);
/* Starts os_lease_detach. The lease as above; the completion is OS_OK. */
OS_API os_code os_start_lease_detach(os_lease *lease, const os_start *start, os_operation **ret, os_error *err);
/* Starts os_lease_read; os_operation_lease_info has what it reads. */
OS_API os_code os_start_lease_read(os_client *client, const char *name, const os_start *start, os_operation **ret,
                                   os_error *err);
/* Starts os_lease_list. `each` runs on one of the client's eight threads, and may block. */
OS_API os_code os_start_lease_list(os_client *client, os_lease_fn each, void *each_context, const os_start *start,
                                   os_operation **ret, os_error *err);
/* Starts os_lease_table_create. */
OS_API os_code os_start_lease_table_create(os_client *client, const os_start *start, os_operation **ret, os_error *err);
/* Starts os_lease_table_check. */
OS_API os_code os_start_lease_table_check(os_client *client, const os_start *start, os_operation **ret, os_error *err);

/* Starts os_lock_acquire; os_operation_lock_info has what that gives. So have the next four. */
OS_API os_code os_start_lock_acquire(os_client *client, const os_lock *lock, uint64_t duration_s, const os_start *start,
                                     os_operation **ret, os_error *err);
/* Starts os_lock_renew. */
OS_API os_code os_start_lock_renew(os_client *client, const os_lock *lock, uint64_t duration_s, const os_start *start,
                                   os_operation **ret, os_error *err);
/* Starts os_lock_release. */
OS_API os_code os_start_lock_release(os_client *client, const os_lock *lock, const os_start *start, os_operation **ret,
                                     os_error *err);
/* Starts os_lock_read. */
OS_API os_code os_start_lock_read(os_client *client, const os_lock *lock, const os_start *start, os_operation **ret,
                                  os_error *err);
/* Starts os_lock_break. */
OS_API os_code os_start_lock_break(os_client *client, const os_lock *lock, const os_start *start, os_operation **ret,
                                   os_error *err);
/* Starts os_lock_list. `each` runs on one of the client's eight threads, and may block. */
OS_API os_code os_start_lock_list(os_client *client, const char *name_space, os_lock_fn each, void *each_context,
                                  const os_start *start, os_operation **ret, os_error *err);
/* Starts os_lock_table_create. */
OS_API os_code os_start_lock_table_create(os_client *client, const os_start *start, os_operation **ret, os_error *err);
/* Starts os_lock_table_check. */
OS_API os_code os_start_lock_table_check(os_client *client, const os_start *start, os_operation **ret, os_error *err);

/* ------------------------------------------------------------------------------------- the caller's event loop
 *
 * With os_options.foreign_loop a client has no I/O thread: the program's own loop (epoll, libuv, GLib ...) moves it on.
 * One thread does that:
 *   - it watches the descriptor os_client_fd for reading, level-triggered, from the opening of the client on;
 *   - it calls os_client_step when the descriptor is readable, and when os_client_timeout_ms has passed;
 *   - it asks os_client_timeout_ms anew after each step, and after each start of an operation.
 * What is said above of the I/O thread is said of the thread that steps: completing functions, sinks and logs run within
 * os_client_step or os_client_close. Operations may be started from any thread. All blocking calls are refused
 * (OS_ERR_ARGUMENT). Time passes while the loop does not step: a guarded write that was not moved on in time is given up,
 * as on a slow machine. A lease is extended within steps, too: os_client_timeout_ms says when. One that no step extended in
 * time is lost, and os_lease_state says so, step or not, before another can have it.
 *
 * os_client_close does the last steps itself, on the thread that calls it: stop watching first. */

/* A descriptor that is readable when there is something to do. It is the client's: only watch it (poll, epoll, select).
 * -1: the client has an I/O thread. */
OS_API int os_client_fd(const os_client *client);
/* Does what there is to do, without blocking, and runs callbacks. OS_OK; OS_ERR_ARGUMENT if the client has an I/O
 * thread, within one of its callbacks, or after fork(). */
OS_API os_code os_client_step(os_client *client, os_error *err);
/* After so many milliseconds os_client_step is to be called even if the descriptor does not become readable. 0: now.
 * -1: there is no such time. On the thread that steps. */
OS_API int64_t os_client_timeout_ms(const os_client *client);

#ifdef __cplusplus
}
#endif
#endif
