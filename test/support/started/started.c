/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Put in front of the calls of oscommit.h by the linker (--wrap): each is started as an operation, and waited for. So a
 * test of the calls becomes one of the operations, with every check that it makes. What it gave the start is overwritten
 * before it waits, as far as the start has to have copied it.
 */
#include "oscommit_async.h"
#include "oscommit_lease.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct waiter {
    pthread_mutex_t mutex;
    pthread_cond_t completed;
    unsigned times;
    os_operation *operation;
};

static void on_complete(void *context, os_operation *operation)
{
    struct waiter *waiter = context;
    pthread_mutex_lock(&waiter->mutex);
    waiter->times++;
    waiter->operation = operation;
    pthread_cond_signal(&waiter->completed);
    pthread_mutex_unlock(&waiter->mutex);
}

static void waiter_init(struct waiter *waiter, const os_call *call, os_start *ret)
{
    *waiter = (struct waiter){.mutex = PTHREAD_MUTEX_INITIALIZER, .completed = PTHREAD_COND_INITIALIZER};
    *ret = (os_start)OS_START_INIT;
    ret->call = call;
    ret->complete = on_complete;
    ret->context = waiter;
}

static void waiter_wait(struct waiter *waiter, const os_operation *started)
{
    pthread_mutex_lock(&waiter->mutex);
    while (waiter->times == 0)
        pthread_cond_wait(&waiter->completed, &waiter->mutex);
    pthread_mutex_unlock(&waiter->mutex);
    if (waiter->operation != started || os_operation_context(started) != waiter) {
        fprintf(stderr, "another operation was told to have completed\n");
        abort();
    }
}

/* As much of ours as theirs has room for; what they allocated is not given back by a call either. */
static void give(const void *ours, size_t size, void *theirs)
{
    size_t their_size;
    memcpy(&their_size, theirs, sizeof(their_size));
    size_t known = their_size < size ? their_size : size;
    if (known > sizeof(size_t))
        memcpy((char *)theirs + sizeof(size_t), (const char *)ours + sizeof(size_t), known - sizeof(size_t));
}

/* Not by malloc, which the torture lets fail in the library. */
static char *copy_of(const char *text)
{
    void *memory = NULL;
    size_t size = strlen(text) + 1;
    if (posix_memalign(&memory, sizeof(void *), size) != 0)
        abort();
    memcpy(memory, text, size);
    return memory;
}

static void give_result(const os_result *ours, os_result *ret)
{
    size_t size;
    memcpy(&size, ret, sizeof(size));
    give(ours, sizeof(*ours), ret);
    if (ours->ticket && size >= offsetof(os_result, ticket) + sizeof(ours->ticket))
        ret->ticket = copy_of(ours->ticket);
}

static os_verdict end_guarded(struct waiter *waiter, os_code code, os_operation *operation, os_verdict refusal,
                              os_result *ret, os_error *err)
{
    if (code != OS_OK) {
        os_result none = OS_RESULT_INIT;
        none.final = refusal != OS_UNKNOWN;
        if (ret)
            give(&none, sizeof(none), ret);
        return refusal;
    }
    waiter_wait(waiter, operation);
    os_verdict verdict = os_operation_verdict(operation);
    if (ret)
        give_result(os_operation_result(operation), ret);
    if (err)
        *err = *os_operation_error(operation);
    os_operation_free(operation);
    return verdict;
}

static os_code end_plain(struct waiter *waiter, os_code code, os_operation *operation, os_object *ret, os_error *err)
{
    if (code != OS_OK)
        return code;
    waiter_wait(waiter, operation);
    code = os_operation_code(operation);
    if (ret && code == OS_OK)
        give(os_operation_object(operation), sizeof(os_object), ret);
    if (err)
        *err = *os_operation_error(operation);
    os_operation_free(operation);
    return code;
}

/* A copy that is overwritten when the start has returned. */
static char *lend(const char *text)
{
    return text ? copy_of(text) : NULL;
}

static void take_back(char *lent)
{
    if (lent)
        memset(lent, '#', strlen(lent));
    free(lent);
}

#define GUARDED(name, parameters, arguments, refusal)                    \
    os_verdict __wrap_os_##name parameters;                              \
    os_verdict __wrap_os_##name parameters                               \
    {                                                                    \
        struct waiter waiter;                                            \
        os_start start;                                                  \
        os_operation *operation = NULL;                                  \
        waiter_init(&waiter, call, &start);                              \
        os_code code = os_start_##name arguments;                        \
        return end_guarded(&waiter, code, operation, refusal, ret, err); \
    }

os_verdict __wrap_os_put_if_absent(os_client *client, const char *key, const os_body *body,
                                   const os_put_options *options, const os_call *call, os_result *ret, os_error *err);
os_verdict __wrap_os_put_if_absent(os_client *client, const char *key, const os_body *body,
                                   const os_put_options *options, const os_call *call, os_result *ret, os_error *err)
{
    struct waiter waiter;
    os_start start;
    os_operation *operation = NULL;
    char *lent = lend(key);
    waiter_init(&waiter, call, &start);
    os_code code = os_start_put_if_absent(client, lent, body, options, &start, &operation, err);
    take_back(lent);
    return end_guarded(&waiter, code, operation, OS_NOT_EXECUTED, ret, err);
}

GUARDED(put_if_match,
        (os_client * client, const char *key, const char *etag, const os_body *body, const os_put_options *options,
         const os_call *call, os_result *ret, os_error *err),
        (client, key, etag, body, options, &start, &operation, err), OS_NOT_EXECUTED)
GUARDED(copy_if_not_exists,
        (os_client * client, const char *source, const char *key, const os_copy_options *options, const os_call *call,
         os_result *ret, os_error *err),
        (client, source, key, options, &start, &operation, err), OS_NOT_EXECUTED)
GUARDED(copy_if_match,
        (os_client * client, const char *source, const char *key, const char *etag, const os_copy_options *options,
         const os_call *call, os_result *ret, os_error *err),
        (client, source, key, etag, options, &start, &operation, err), OS_NOT_EXECUTED)
GUARDED(rename_if_not_exists,
        (os_client * client, const char *source, const char *key, const os_copy_options *options, const os_call *call,
         os_result *ret, os_error *err),
        (client, source, key, options, &start, &operation, err), OS_NOT_EXECUTED)
GUARDED(delete_if_match,
        (os_client * client, const char *key, const char *etag, const os_call *call, os_result *ret, os_error *err),
        (client, key, etag, &start, &operation, err), OS_NOT_EXECUTED)
GUARDED(update,
        (os_client * client, const char *key, os_transform_fn transform, void *context,
         const os_update_options *options, const os_call *call, os_result *ret, os_error *err),
        (client, key, transform, context, options, &start, &operation, err), OS_NOT_EXECUTED)
GUARDED(settle,
        (os_client * client, const char *ticket, const os_resolve_options *options, const os_call *call, os_result *ret,
         os_error *err),
        (client, ticket, options, &start, &operation, err), OS_UNKNOWN)

os_verdict __wrap_os_resolve(os_client *client, const char *ticket, const os_call *call, os_result *ret, os_error *err);
os_verdict __wrap_os_resolve(os_client *client, const char *ticket, const os_call *call, os_result *ret, os_error *err)
{
    struct waiter waiter;
    os_start start;
    os_operation *operation = NULL;
    char *lent = lend(ticket);
    waiter_init(&waiter, call, &start);
    os_code code = os_start_resolve(client, lent, &start, &operation, err);
    take_back(lent);
    return end_guarded(&waiter, code, operation, OS_UNKNOWN, ret, err);
}

#define PLAIN(name, start_name, parameters, arguments, object)   \
    os_code __wrap_os_##name parameters;                         \
    os_code __wrap_os_##name parameters                          \
    {                                                            \
        struct waiter waiter;                                    \
        os_start start;                                          \
        os_operation *operation = NULL;                          \
        waiter_init(&waiter, call, &start);                      \
        os_code code = os_start_##start_name arguments;          \
        return end_plain(&waiter, code, operation, object, err); \
    }

PLAIN(head, head, (os_client * client, const char *key, const os_call *call, os_object *ret, os_error *err),
      (client, key, NULL, &start, &operation, err), ret)
PLAIN(head_version, head,
      (os_client * client, const char *key, const char *version_id, const os_call *call, os_object *ret, os_error *err),
      (client, key, version_id, &start, &operation, err), ret)
PLAIN(get, get,
      (os_client * client, const char *key, const os_sink *sink, const os_call *call, os_object *ret, os_error *err),
      (client, key, sink, &start, &operation, err), ret)
PLAIN(put, put,
      (os_client * client, const char *key, const os_body *body, const os_put_options *options, const os_call *call,
       os_object *ret, os_error *err),
      (client, key, body, options, &start, &operation, err), ret)
PLAIN(delete, delete, (os_client * client, const char *key, const os_call *call, os_error *err),
      (client, key, &start, &operation, err), NULL)
PLAIN(list, list,
      (os_client * client, const os_list_options *options, const os_call *call, os_list_fn each, void *context,
       os_error *err),
      (client, options, each, context, &start, &operation, err), NULL)
PLAIN(table_create, table_create, (os_client * client, const os_call *call, os_error *err),
      (client, &start, &operation, err), NULL)
PLAIN(table_check, table_check, (os_client * client, const os_call *call, os_error *err),
      (client, &start, &operation, err), NULL)
PLAIN(table_list, table_list,
      (os_client * client, const char *key, const os_call *call, os_record_fn each, void *context, os_error *err),
      (client, key, each, context, &start, &operation, err), NULL)
PLAIN(table_release, table_release,
      (os_client * client, const char *key, const char *etag, int force, const os_call *call, os_error *err),
      (client, key, etag, force, &start, &operation, err), NULL)
PLAIN(client_warm, client_warm, (os_client * client, uint32_t connections, const os_call *call, os_error *err),
      (client, connections, &start, &operation, err), NULL)

/* ------------------------------------------------------------------------------------------------ leases, locks */

static os_code end_acquiring(struct waiter *waiter, os_code code, os_operation *operation, os_lease **ret,
                             os_error *err)
{
    *ret = NULL;
    if (code != OS_OK)
        return code;
    waiter_wait(waiter, operation);
    *ret = os_operation_lease(operation);
    if (os_operation_lease(operation) != NULL) {
        fprintf(stderr, "a lease was given twice\n");
        abort();
    }
    return end_plain(waiter, code, operation, NULL, err);
}

os_code __real_os_lease_acquire(os_client *client, const char *name, const os_lease_options *options,
                                const os_call *call, os_lease **ret, os_error *err);
os_code __wrap_os_lease_acquire(os_client *client, const char *name, const os_lease_options *options,
                                const os_call *call, os_lease **ret, os_error *err);
os_code __wrap_os_lease_acquire(os_client *client, const char *name, const os_lease_options *options,
                                const os_call *call, os_lease **ret, os_error *err)
{
    struct waiter waiter;
    os_start start;
    os_operation *operation = NULL;
    if (ret == NULL)
        return __real_os_lease_acquire(client, name, options, call, ret, err);
    char *lent = lend(name);
    waiter_init(&waiter, call, &start);
    os_code code = os_start_lease_acquire(client, lent, options, &start, &operation, err);
    take_back(lent);
    return end_acquiring(&waiter, code, operation, ret, err);
}

os_code __real_os_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                              const os_call *call, os_lease **ret, os_error *err);
os_code __wrap_os_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                              const os_call *call, os_lease **ret, os_error *err);
os_code __wrap_os_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                              const os_call *call, os_lease **ret, os_error *err)
{
    struct waiter waiter;
    os_start start;
    os_operation *operation = NULL;
    if (ret == NULL)
        return __real_os_lease_adopt(client, name, handle, options, call, ret, err);
    char *lent = lend(handle);
    waiter_init(&waiter, call, &start);
    os_code code = os_start_lease_adopt(client, name, lent, options, &start, &operation, err);
    take_back(lent);
    return end_acquiring(&waiter, code, operation, ret, err);
}

/* What no start can do: a lease that is not there, or whose client is closed, is freed by the call. os_lease_detach stays
 * a call: it is what the tests make where a call is refused. */
os_code __real_os_lease_release(os_lease *lease, const os_call *call, os_error *err);
os_code __wrap_os_lease_release(os_lease *lease, const os_call *call, os_error *err);
os_code __wrap_os_lease_release(os_lease *lease, const os_call *call, os_error *err)
{
    struct waiter waiter;
    os_start start;
    os_operation *operation = NULL;
    waiter_init(&waiter, call, &start);
    os_code code = lease ? os_start_lease_release(lease, &start, &operation, err) : OS_ERR_CANCELLED;
    if (code == OS_ERR_CANCELLED)
        return __real_os_lease_release(lease, call, err);
    return end_plain(&waiter, code, operation, NULL, err);
}

os_code __real_os_lease_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret,
                             os_error *err);
os_code __wrap_os_lease_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret,
                             os_error *err);
os_code __wrap_os_lease_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret,
                             os_error *err)
{
    struct waiter waiter;
    os_start start;
    os_operation *operation = NULL;
    if (ret == NULL)
        return __real_os_lease_read(client, name, call, ret, err);
    char *lent = lend(name);
    waiter_init(&waiter, call, &start);
    os_code code = os_start_lease_read(client, lent, &start, &operation, err);
    take_back(lent);
    if (code != OS_OK)
        return code;
    waiter_wait(&waiter, operation);
    if (os_operation_lease_info(operation)->size != 0)
        give(os_operation_lease_info(operation), sizeof(os_lease_info), ret);
    return end_plain(&waiter, code, operation, NULL, err);
}

static os_code end_lock(struct waiter *waiter, os_code code, os_operation *operation, os_lock_info *ret, os_error *err)
{
    const os_lock_info nothing = {0};
    if (ret)
        give(&nothing, sizeof(nothing), ret);
    if (code != OS_OK)
        return code;
    waiter_wait(waiter, operation);
    if (ret && os_operation_lock_info(operation)->size != 0)
        give(os_operation_lock_info(operation), sizeof(os_lock_info), ret);
    return end_plain(waiter, code, operation, NULL, err);
}

#define LOCK(name, parameters, arguments)                    \
    os_code __wrap_os_lock_##name parameters;                \
    os_code __wrap_os_lock_##name parameters                 \
    {                                                        \
        struct waiter waiter;                                \
        os_start start;                                      \
        os_operation *operation = NULL;                      \
        waiter_init(&waiter, call, &start);                  \
        os_code code = os_start_lock_##name arguments;       \
        return end_lock(&waiter, code, operation, ret, err); \
    }

LOCK(acquire,
     (os_client * client, const os_lock *lock, uint64_t duration_s, const os_call *call, os_lock_info *ret,
      os_error *err),
     (client, lock, duration_s, &start, &operation, err))
LOCK(renew,
     (os_client * client, const os_lock *lock, uint64_t duration_s, const os_call *call, os_lock_info *ret,
      os_error *err),
     (client, lock, duration_s, &start, &operation, err))
LOCK(release, (os_client * client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err),
     (client, lock, &start, &operation, err))
LOCK(read, (os_client * client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err),
     (client, lock, &start, &operation, err))
LOCK(break, (os_client * client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err),
     (client, lock, &start, &operation, err))

PLAIN(lease_list, lease_list, (os_client * client, const os_call *call, os_lease_fn each, void *context, os_error *err),
      (client, each, context, &start, &operation, err), NULL)
PLAIN(lock_list, lock_list,
      (os_client * client, const char *name_space, const os_call *call, os_lock_fn each, void *context, os_error *err),
      (client, name_space, each, context, &start, &operation, err), NULL)
PLAIN(lease_table_create, lease_table_create, (os_client * client, const os_call *call, os_error *err),
      (client, &start, &operation, err), NULL)
PLAIN(lease_table_check, lease_table_check, (os_client * client, const os_call *call, os_error *err),
      (client, &start, &operation, err), NULL)
PLAIN(lock_table_create, lock_table_create, (os_client * client, const os_call *call, os_error *err),
      (client, &start, &operation, err), NULL)
PLAIN(lock_table_check, lock_table_check, (os_client * client, const os_call *call, os_error *err),
      (client, &start, &operation, err), NULL)
