/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a lease: it is acquired, asked, released. */
#include "holding/hold.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "client/arguments.h"
#include "client/inside.h"

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

static bool has_suffix(struct text name, const char *suffix)
{
    size_t length = strlen(suffix);
    return name.len >= length && memcmp(name.p + name.len - length, suffix, length) == 0;
}

os_code holding_check_name(const char *given, os_error *err)
{
    struct text name = text_from(given);
    if (name.len == 0 || name.len > LEASE_NAME_MAX || !text_is_utf8(name))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The name of a lease must be 1 to %d bytes of UTF-8; this one has %zu%s.", LEASE_NAME_MAX,
                         name.len, text_is_utf8(name) ? "" : " that are not UTF-8");
    if (has_suffix(name, LEASE_EPOCH_SUFFIX))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The name of a lease must not end with \"" LEASE_EPOCH_SUFFIX "\": tokens are counted there.");
    return OS_OK;
}

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

os_code holding_need_table(const os_client *client, os_error *err)
{
    if (client->ledger == NULL)
        return error_set(err, OS_ERR_CONFIG,
                         "The client has no table for leases: set ledger_url (--ledger) to dynamodb://TABLE or "
                         "sqlite:///FILE.");
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

static void hold_free(os_lease *hold)
{
    pthread_mutex_destroy(&hold->mutex);
    free(hold);
}

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
    if (hold == NULL || pthread_mutex_init(&hold->mutex, NULL) != 0) {
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

struct hold_call {
    struct sync sync;
    os_lease *hold;
    os_call call;
    bool no_memory;
};

static void begin_to_acquire(struct sync *sync)
{
    struct hold_call *call = container_of(sync, struct hold_call, sync);
    call->no_memory = !hold_await(call->hold, sync, &call->call);
    if (call->no_memory) {
        sync_finish(sync);
        return;
    }
    hold_list(call->hold);
    hold_step(call->hold, LEASE_EVENT_START);
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
    pthread_mutex_lock(&hold->mutex);
    bool held = !lease_finished(&hold->shown);
    pthread_mutex_unlock(&hold->mutex);
    return held;
}

static os_code check_arguments(const os_client *client, const struct holding_arguments *arguments,
                               const os_lease_options *options, os_error *err)
{
    os_code code = holding_check_name(arguments->name, err);
    if (code == OS_OK && arguments->handle != NULL)
        code = check_handle(arguments->handle, err);
    if (code == OS_OK)
        code = check_options(options, err);
    return code == OS_OK ? holding_need_table(client, err) : code;
}

static os_code acquire(os_client *client, const void *context, os_error *err)
{
    const struct holding_arguments *arguments = context;
    struct hold_call call = {.sync.start = begin_to_acquire};
    os_lease_options options;
    os_code code = versioned_copy(arguments->options, &options, sizeof(options), "os_lease_options", err);
    if (code == OS_OK)
        code = arguments_take_call(arguments->call, &call.call, err);
    if (code != OS_OK)
        return code;
    if (options.ttl_s == 0) /* of one that is adopted, that in the item is more */
        options.ttl_s = arguments->handle != NULL ? TTL_LEAST_S : TTL_DEFAULT_S;
    code = check_arguments(client, arguments, &options, err);
    if (code == OS_OK)
        code = hold_new(client, arguments, &options, &call.hold, err);
    if (code != OS_OK)
        return code;
    code = sync_run(client, &call.sync, err);
    if (code == OS_OK && call.no_memory)
        code = error_no_memory(err);
    if (code == OS_OK && !is_held(call.hold))
        code = refuse_acquired(call.hold, err);
    if (code == OS_OK)
        *arguments->ret = call.hold;
    else
        hold_free(call.hold);
    return code;
}

os_code holding_acquire(os_client *client, const struct holding_arguments *arguments, os_error *err)
{
    if (arguments->ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_acquire needs a place for the lease: `ret` is NULL.");
    *arguments->ret = NULL;
    return client_perform(client, acquire, arguments, err);
}

os_code holding_adopt(os_client *client, const struct holding_arguments *arguments, os_error *err)
{
    if (arguments->ret == NULL || arguments->handle == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_adopt needs %s.",
                         arguments->ret == NULL ? "a place for the lease: `ret` is NULL" : "the handle of a lease");
    *arguments->ret = NULL;
    return client_perform(client, acquire, arguments, err);
}

/* --------------------------------------------------------------------------------------------------------- state */

static bool is_of_parent(const os_lease *lease)
{
    return lease->process != getpid();
}

/* As it is shown, and the instant by which it is judged: now, or that at which it was said to be lost. */
static struct lease shown_at(const os_lease *lease, struct clock_reading *ret_when)
{
    os_lease *hold = (os_lease *)lease; /* nothing but what was told */
    pthread_mutex_lock(&hold->mutex);
    struct lease shown = hold->shown;
    if (!hold->was_told_lost)
        clock_read(&hold->told);
    hold->was_told_lost = lease_status(&shown, &hold->told) == LEASE_LOST;
    *ret_when = hold->told;
    pthread_mutex_unlock(&hold->mutex);
    return shown;
}

os_lease_status holding_state(const os_lease *lease)
{
    struct clock_reading when;
    if (lease == NULL || is_of_parent(lease))
        return OS_LEASE_LOST;
    struct lease shown = shown_at(lease, &when);
    switch (lease_status(&shown, &when)) {
    case LEASE_HELD: return OS_LEASE_HELD;
    case LEASE_AT_RISK: return OS_LEASE_AT_RISK;
    default: return OS_LEASE_LOST;
    }
}

uint64_t holding_remaining_ms(const os_lease *lease)
{
    struct clock_reading when;
    if (lease == NULL || is_of_parent(lease))
        return 0;
    struct lease shown = shown_at(lease, &when);
    return lease_remaining_ms(&shown, &when);
}

uint64_t holding_token(const os_lease *lease)
{
    struct clock_reading when;
    if (lease == NULL || is_of_parent(lease))
        return 0;
    struct lease shown = shown_at(lease, &when);
    return lease_token(&shown);
}

os_code holding_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err)
{
    struct clock_reading when;
    error_clear(err);
    if (lease == NULL || ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_handle needs a lease, and a place for its handle.");
    if (is_of_parent(lease)) /* whose thread may have had the lock when this process was forked */
        return error_set(err, OS_ERR_ARGUMENT, "The lease \"%.200s\" is of the process that this one was forked from.",
                         lease->name);
    struct lease shown = shown_at(lease, &when);
    memset(ret, 0, OS_LEASE_HANDLE_SIZE);
    memcpy(ret, shown.handle, strnlen(shown.handle, OS_LEASE_HANDLE_SIZE - 1));
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------------- release */

struct release_call {
    struct hold_call call;
    bool began; /* until then nothing has changed */
    const os_call *given;
    bool was_lost;
};

static void begin_to_release(struct sync *sync)
{
    struct release_call *release = container_of(sync, struct release_call, call.sync);
    os_lease *hold = release->call.hold;
    release->began = true;
    release->was_lost = holding_state(hold) == OS_LEASE_LOST;
    release->call.no_memory = !hold_await(hold, sync, &release->call.call);
    if (release->call.no_memory) { /* it ends all the same: nobody could try again */
        hold_quiet(hold);
        hold_unlist(hold);
        sync_finish(sync);
        return;
    }
    hold_step(hold, LEASE_EVENT_RELEASE);
}

static os_code released(const struct release_call *release, os_error *err)
{
    const os_lease *hold = release->call.hold;
    if (release->was_lost || hold->was_gone)
        return error_set(err, OS_ERR_CONFLICT,
                         "The lease \"%.200s\" had been lost before it was released: what was done since then, another "
                         "may have done too.",
                         hold->name);
    if (release->call.no_memory || lease_left_behind(&hold->lease))
        return error_set(
            err, OS_ERR_UNDECIDED,
            "The end of the lease \"%.200s\" was not confirmed: others may have to wait for %llu s.%s%.400s",
            hold->name, (unsigned long long)hold->lease.settings.ttl_s,
            hold->error.code != OS_OK ? " Last trouble: " : "", hold->error.message);
    return OS_OK;
}

static os_code release(os_client *client, const void *context, os_error *err)
{
    struct release_call *call = (struct release_call *)context;
    os_code code = arguments_take_call(call->given, &call->call.call, err);
    if (code == OS_OK)
        code = sync_run(client, &call->call.sync, err);
    return code == OS_OK ? released(call, err) : code;
}

static bool is_detached(os_lease *lease)
{
    pthread_mutex_lock(&lease->mutex);
    bool detached = lease->client == NULL;
    pthread_mutex_unlock(&lease->mutex);
    return detached;
}

/* An end of either kind: refused before `began` says that it has begun; else the lease is freed. */
static os_code end(os_lease *lease, struct release_call *release_call,
                   os_code (*perform)(os_client *, const void *, os_error *), os_error *err)
{
    error_clear(err);
    if (lease == NULL)
        return OS_OK;
    if (is_of_parent(lease))
        return error_set(err, OS_ERR_ARGUMENT, "The lease \"%.200s\" is of the process that this one was forked from.",
                         lease->name);
    if (is_detached(lease)) {
        os_code code =
            error_set(err, OS_ERR_CANCELLED,
                      "The client was closed before the lease \"%.200s\" was released: others may have to wait "
                      "for %llu s.",
                      lease->name, (unsigned long long)lease->lease.settings.ttl_s);
        hold_free(lease);
        return code;
    }
    os_code code = client_perform(lease->client, perform, release_call, err);
    if (!release_call->began)
        return code; /* refused, in a callback or a child process, or for want of memory: it is still held */
    hold_free(lease);
    return code;
}

os_code holding_release(os_lease *lease, const os_call *call, os_error *err)
{
    struct release_call release_call = {.call = {.sync.start = begin_to_release, .hold = lease}, .given = call};
    return end(lease, &release_call, release, err);
}

/* -------------------------------------------------------------------------------------------------------- detach */

static void detach_now(struct sync *sync)
{
    struct release_call *release = container_of(sync, struct release_call, call.sync);
    release->began = true;
    hold_quiet(release->call.hold);
    hold_unlist(release->call.hold);
    sync_finish(sync);
}

static os_code detach(os_client *client, const void *context, os_error *err)
{
    struct release_call *call = (struct release_call *)context;
    return sync_run(client, &call->call.sync, err);
}

os_code holding_detach(os_lease *lease, os_error *err)
{
    struct release_call release_call = {.call = {.sync.start = detach_now, .hold = lease}};
    return end(lease, &release_call, detach, err);
}
