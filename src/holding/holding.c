/* SPDX-License-Identifier: Apache-2.0 */
/* A lease is acquired or adopted. */
#include "holding/call.h"
#include "holding/hold.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* L11.3: the number of a handle, and what is added to it, and then some, is a number of 64 bits. */
enum { ADOPTED_COUNT_BITS = 62 };
#define HANDLE_NUMBER_MAX INT64_MAX

enum { TTL_DEFAULT_S = 60, TTL_LEAST_S = 2, TTL_MOST_S = LEASE_TTL_MOST_S, POLL_MS = 1000 };

/* ----------------------------------------------------------------------------------------------------- arguments */

static bool is_handle(const char *given, uint64_t *ret_number)
{
    struct text rest = text_from(given);
    struct text nonce;
    return text_take_until(&rest, '-', &nonce) && nonce.len == LEASE_NONCE_SIZE - 1 &&
           strspn(nonce.p, "0123456789abcdef") == nonce.len && rest.len > 0 && rest.p[0] != '0' &&
           text_parse_u64(rest, ret_number) && *ret_number <= HANDLE_NUMBER_MAX;
}

static os_code check_handle(const char *handle, os_error *err)
{
    uint64_t number;
    if (!is_handle(handle, &number))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The handle of a lease is %d hex digits, '-' and a number, as os_lease_handle gives it.",
                         LEASE_NONCE_SIZE - 1);
    return OS_OK;
}

static os_code check_options(const os_lease_options *options, os_error *err)
{
    struct text owner = text_from(options->owner);
    if (options->ttl_s < TTL_LEAST_S || options->ttl_s > TTL_MOST_S)
        return error_set(err, OS_ERR_ARGUMENT, "The time to live of a lease must be %d to %d seconds, not %llu.",
                         TTL_LEAST_S, TTL_MOST_S, (unsigned long long)options->ttl_s);
    if (owner.len > LEASE_OWNER_MAX || !text_is_utf8(owner))
        return error_set(err, OS_ERR_ARGUMENT, "The owner of a lease must be at most %d bytes of UTF-8.",
                         LEASE_OWNER_MAX);
    return OS_OK;
}

/* "host:1234", which tells people where to look. */
static void default_owner(char ret[LEASE_OWNER_MAX + 1])
{
    char host[128] = "";
    if (gethostname(host, sizeof(host) - 1) != 0 || !text_is_utf8(text_from(host)) || host[0] == '\0')
        memcpy(host, "unknown", sizeof("unknown"));
    snprintf(ret, LEASE_OWNER_MAX + 1, "%s:%ld", host, (long)getpid());
}

/* ------------------------------------------------------------------------------------------------------- acquire */

/* A nonce of its own; or that of a handle (L11.3). */
static bool fill_nonce(const char *handle, struct lease_settings *ret)
{
    unsigned char random[(LEASE_NONCE_SIZE - 1) / 2];
    if (!random_bytes(random, sizeof(random)))
        return false;
    text_hex(random, sizeof(random), ret->nonce);
    if (handle == NULL)
        return true;
    (void)is_handle(handle, &ret->version_count);
    memcpy(ret->nonce, handle, LEASE_NONCE_SIZE - 1);
    (void)TEXT_COPY_STR(handle, ret->adopted);
    uint64_t beyond;
    memcpy(&beyond, random, sizeof(beyond));
    ret->version_count += beyond >> (64 - ADOPTED_COUNT_BITS);
    return true;
}

static os_code hold_new(os_client *client, const struct holding_arguments *arguments, const os_lease_options *options,
                        os_lease **ret, os_error *err)
{
    const char *name = arguments->name;
    uint64_t third_ms = options->ttl_s * 1000 / 3; /* L5: what was not answered is asked again in time */
    struct lease_settings settings = {.ttl_s = options->ttl_s,
                                      .poll_ms = third_ms < POLL_MS ? (uint32_t)third_ms : POLL_MS};
    settings.once = options->wait == 0;
    settings.fencing = options->fencing != 0;
    if (!fill_nonce(arguments->handle, &settings))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes for the lease \"%.300s\"; try again.", name);
    os_lease *hold = calloc(1, sizeof(*hold));
    if (hold == NULL || !monitor_init(&hold->monitor)) {
        free(hold);
        return error_no_memory(err);
    }
    hold->client = client;
    hold->process = getpid();
    (void)TEXT_COPY_STR(name, hold->name);
    (void)text_concat(hold->epoch_name, sizeof(hold->epoch_name), name, LEASE_EPOCH_SUFFIX, NULL);
    default_owner(hold->owner);
    if (options->owner != NULL && options->owner[0] != '\0')
        (void)TEXT_COPY_STR(options->owner, hold->owner);
    hold->holder = (struct lease_holder){hold->name, hold->epoch_name, hold->owner, settings.fencing};
    hold->changed = options->changed;
    hold->context = options->context;
    lease_init(&hold->lease, &settings);
    hold->shown = hold->lease;
    *ret = hold;
    return OS_OK;
}

static void begin_to_acquire(struct sync *sync)
{
    struct holding *holding = container_of(sync, struct holding, lease.sync);
    os_lease *hold = holding->lease.hold;
    holding->lease.began = true;
    holding->lease.no_memory = !hold_await(hold, sync, &holding->call);
    if (holding->lease.no_memory) {
        sync_finish(sync);
        return;
    }
    hold_list(hold);
    hold_step(hold, LEASE_EVENT_START);
}

/* L11.2, L11.4 */
static os_code refuse_adopted(const os_lease *hold, os_error *err)
{
    if (hold->lease.end == LEASE_LOST && hold->other[0] != '\0')
        return error_set(err, OS_ERR_CONFLICT,
                         "The lease \"%.200s\" is lost, or the handle is of another: %.280s holds it.", hold->name,
                         hold->other);
    if (hold->lease.end == LEASE_LOST)
        return error_set(err, OS_ERR_CONFLICT,
                         "The lease \"%.200s\" is lost, or the handle is of another: nobody holds it.", hold->name);
    return error_set(err, OS_ERR_ARGUMENT,
                     "The lease \"%.200s\" was acquired without a fencing token: adopt it without one.", hold->name);
}

static bool is_anothers(const os_lease *hold)
{
    const struct lease_seen *seen = &hold->lease.seen;
    bool late = hold->was_interrupted && hold->interrupted == OP_DEADLINE && hold->error.code == OS_OK;
    return hold->lease.end == LEASE_BUSY ||
           (late && seen->item.held && !lease_has_nonce(&hold->lease, seen->item.version));
}

static os_code refuse_absent(const os_lease *hold, os_error *err)
{
    char what[LEASE_NAME_MAX];
    (void)snprintf(what, sizeof(what), "The lease \"%.200s\" was not acquired", hold->name);
    return absence_refuse(&hold->absence, hold->client, what, &hold->error, err);
}

/* Why nothing is held. */
static os_code refuse_acquired(const os_lease *hold, os_error *err)
{
    bool adopts = hold->lease.settings.adopted[0] != '\0';
    if (is_anothers(hold))
        return error_set(err, OS_ERR_CONFLICT,
                         "The lease \"%.200s\" is held by %.280s%s. Wait for longer than its time to live: if its "
                         "holder is dead, it "
                         "can be had then.",
                         hold->name, hold->other[0] != '\0' ? hold->other : "another",
                         hold->lease.end == LEASE_BUSY ? "" : ", still at the deadline");
    if (adopts && hold->lease.end == LEASE_LOST)
        return refuse_adopted(hold, err);
    if (hold->absence.gave_up != NULL)
        return refuse_absent(hold, err);
    if (hold->was_interrupted)
        return error_set(err, op_reason_code(hold->interrupted), "The lease \"%.200s\" was not acquired: %s.%s%.500s",
                         hold->name, op_reason_clause(hold->interrupted),
                         hold->error.code != OS_OK ? " Last trouble: " : "", hold->error.message);
    if (hold->error.code != OS_OK) {
        if (err != NULL)
            *err = hold->error;
        return hold->error.code;
    }
    if (adopts)
        return refuse_adopted(hold, err);
    return error_set(
        err, OS_ERR_PROTOCOL,
        "The lease \"%.200s\" was not acquired: the table gave no usable number for its token. Look at the "
        "item \"%.200s\".",
        hold->name, hold->epoch_name);
}

/* The loop goes on with one that is held. */
static bool is_held(os_lease *hold)
{
    monitor_enter(&hold->monitor);
    bool held = !lease_finished(&hold->shown);
    monitor_leave(&hold->monitor);
    return held;
}

static os_code check_arguments(struct holding *holding, const os_lease_options *options)
{
    const struct holding_arguments *arguments = holding->arguments;
    os_error *err = &holding->error;
    os_code code = lease_check_name(arguments->name, err);
    if (code == OS_OK && arguments->handle != NULL)
        code = check_handle(arguments->handle, err);
    if (code == OS_OK)
        code = check_options(options, err);
    return code == OS_OK ? holding_need_table(holding) : code;
}

static enum steps_next was_acquired(struct holding *holding)
{
    os_lease *hold = holding->lease.hold;
    bool begun = holding->lease.began && !holding->lease.no_memory;
    os_code code = begun ? OS_OK : error_no_memory(&holding->error);
    if (code == OS_OK && !is_held(hold))
        code = refuse_acquired(hold, &holding->error);
    if (code == OS_OK)
        *holding->arguments->ret = hold;
    else
        hold_free(hold);
    return holding_over(holding, code);
}

static enum steps_next acquire(struct holding *holding)
{
    const struct holding_arguments *arguments = holding->arguments;
    os_error *err = &holding->error;
    os_lease_options options;
    os_code code = versioned_copy(arguments->options, &options, sizeof(options), "os_lease_options", err);
    if (code == OS_OK)
        code = holding_take_call(holding);
    if (code != OS_OK)
        return holding_over(holding, code);
    if (options.ttl_s == 0) /* of one that is adopted, that in the item is more */
        options.ttl_s = arguments->handle != NULL ? TTL_LEAST_S : TTL_DEFAULT_S;
    code = check_arguments(holding, &options);
    if (code == OS_OK)
        code = hold_new(holding->client, arguments, &options, &holding->lease.hold, err);
    if (code != OS_OK)
        return holding_over(holding, code);
    holding->lease.sync.start = begin_to_acquire;
    return holding_wait(holding, &holding->lease.sync, was_acquired);
}

enum steps_next holding_acquire(struct holding *holding)
{
    if (holding->arguments->ret == NULL)
        return holding_over(holding, error_set(&holding->error, OS_ERR_ARGUMENT,
                                               "os_lease_acquire needs a place for the lease: `ret` is NULL."));
    return acquire(holding);
}

enum steps_next holding_adopt(struct holding *holding)
{
    const struct holding_arguments *arguments = holding->arguments;
    if (arguments->ret == NULL || arguments->handle == NULL)
        return holding_over(holding, error_set(&holding->error, OS_ERR_ARGUMENT, "os_lease_adopt needs %s.",
                                               arguments->ret == NULL ? "a place for the lease: `ret` is NULL"
                                                                      : "the handle of a lease"));
    return acquire(holding);
}
