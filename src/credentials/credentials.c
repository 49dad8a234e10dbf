/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/credentials.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"
#include "credentials/chain.h"
#include "credentials/renewal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_MS = 60000,     /* in all: what a helper program or a slow service may take */
    SEARCH_FRESH_MS = 5000 /* keys that were searched so short a time ago are the best that there are */
};

/* A search that takes time. */
struct search {
    struct loop_blocking blocking;
    struct credentials *credentials;
    struct fetcher fetcher;
    struct chain chain;
    os_code code;
    os_error error;
};

struct credentials {
    unsigned shares;
    struct keys given; /* static keys of the options */
    struct keys current;
    char *profile;
    char *region;
    os_credentials_fn callback;
    void *callback_context;
    bool no_environment;

    struct loop *loop; /* NULL: not attached */
    struct http_engine_options http;
    struct search *search; /* under way */
    uint64_t searches;     /* that have ended */
    struct credentials_waiter *first;
    struct credentials_waiter *last;
    struct loop_timer renewal;
    uint32_t failures; /* of renewals in a row */
    uint64_t random;
    uint64_t searched_ms; /* on the monotonic clock: when the last search found keys; 0: none did */
    bool stopped;
};

/* ------------------------------------------------------------------------------------------------ life */

static bool copy_name(const char *from, char **ret)
{
    if (from == NULL || from[0] == '\0')
        return true;
    *ret = strdup(from);
    return *ret != NULL;
}

static os_code check_given(const struct credentials_source *source, os_error *err)
{
    bool id = text_from(source->access_key_id).len > 0;
    bool secret = text_from(source->secret_access_key).len > 0;
    if (id != secret) {
        return error_set(err, OS_ERR_CONFIG, "%s is given without %s; a key pair needs both.",
                         id ? "access_key_id" : "secret_access_key", id ? "secret_access_key" : "access_key_id");
    }
    if (text_from(source->session_token).len > 0 && !id)
        return error_set(err, OS_ERR_CONFIG, "session_token is given without the key pair that it belongs to.");
    return OS_OK;
}

os_code credentials_new(const struct credentials_source *source, struct credentials **ret, os_error *err)
{
    const struct keys_text given = {.access_key_id = text_from(source->access_key_id),
                                    .secret_access_key = text_from(source->secret_access_key),
                                    .session_token = text_from(source->session_token)};
    os_code code = check_given(source, err);
    if (code != OS_OK)
        return code;
    struct credentials *credentials = calloc(1, sizeof(*credentials));
    if (credentials == NULL)
        return error_no_memory(err);
    credentials->shares = 1;
    credentials->callback = source->callback;
    credentials->callback_context = source->callback_context;
    credentials->no_environment = source->no_environment;
    code = keys_take(&given, &credentials->given, err);
    if (code == OS_OK &&
        (!copy_name(source->profile, &credentials->profile) || !copy_name(source->region, &credentials->region)))
        code = error_no_memory(err);
    if (code != OS_OK) {
        credentials_free(credentials);
        return code;
    }
    *ret = credentials;
    return OS_OK;
}

struct credentials *credentials_share(struct credentials *credentials)
{
    credentials->shares++;
    return credentials;
}

void credentials_free(struct credentials *credentials)
{
    if (credentials == NULL || --credentials->shares > 0)
        return;
    assert(credentials->search == NULL && credentials->first == NULL);
    keys_free(&credentials->given);
    keys_free(&credentials->current);
    free(credentials->profile);
    free(credentials->region);
    free(credentials);
}

/* ------------------------------------------------------------------------------------------------ who waits */

void credentials_leave(struct credentials *credentials, struct credentials_waiter *waiter)
{
    if (!waiter->waits)
        return;
    waiter->waits = false;
    if (waiter->previous != NULL)
        waiter->previous->next = waiter->next;
    else
        credentials->first = waiter->next;
    if (waiter->next != NULL)
        waiter->next->previous = waiter->previous;
    else
        credentials->last = waiter->previous;
}

static void credentials_enter(struct credentials *credentials, struct credentials_waiter *waiter)
{
    assert(!waiter->waits);
    waiter->waits = true;
    waiter->search = credentials->searches;
    waiter->next = NULL;
    waiter->previous = credentials->last;
    if (credentials->last != NULL)
        credentials->last->next = waiter;
    else
        credentials->first = waiter;
    credentials->last = waiter;
}

/* Those who come meanwhile wait for the next search. They stand behind, and whoever is told may send others away. */
static void tell_waiters(struct credentials *credentials, const os_error *why)
{
    uint64_t ended = credentials->searches++;
    while (credentials->first != NULL && credentials->first->search == ended) {
        struct credentials_waiter *waiter = credentials->first;
        credentials_leave(credentials, waiter);
        waiter->ready(waiter, why);
    }
}

/* ------------------------------------------------------------------------------------------------ looking */

static int64_t now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000);
}

static os_code from_callback(struct credentials *credentials, struct keys *ret, os_error *err)
{
    os_credentials got = {.size = sizeof(got)};
    if (credentials->callback(credentials->callback_context, &got) != 0) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The credentials callback gave no credentials; check the source that it reads.");
    }
    const struct keys_text text = {.access_key_id = text_from(got.access_key_id),
                                   .secret_access_key = text_from(got.secret_access_key),
                                   .session_token = text_from(got.session_token),
                                   .expires_s = got.expires_s};
    if (text.access_key_id.len == 0 || text.secret_access_key.len == 0) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The credentials callback reported success, but gave no access key id or no secret.");
    }
    return keys_take(&text, ret, err);
}

static struct chain chain_of(const struct credentials *credentials, struct fetcher *fetcher)
{
    return (struct chain){.profile = credentials->profile, .region = credentials->region, .fetcher = fetcher};
}

static os_code no_environment(os_error *err)
{
    return error_set(err, OS_ERR_CREDENTIALS,
                     "There are no credentials: no callback and no keys are given, and no_environment forbids to read "
                     "the environment and the profile files.");
}

/* Into chain->found. With chain->would_block, what is returned says nothing, and a search goes on with `chain`; else, or
 * in place of one, the caller frees it. */
static os_code look_at_once(struct credentials *credentials, struct chain *chain, os_error *err)
{
    *chain = chain_of(credentials, NULL);
    if (credentials->callback != NULL)
        return from_callback(credentials, &chain->found, err);
    if (keys_are_there(&credentials->given))
        return keys_copy(&credentials->given, &chain->found, err);
    return credentials->no_environment ? no_environment(err) : chain_find(chain, err);
}

static void plan_renewal(struct credentials *credentials)
{
    int64_t expires_s = credentials->current.expires_s;
    if (credentials->loop == NULL || credentials->stopped || credentials->callback != NULL)
        return;
    loop_timer_clear(credentials->loop, &credentials->renewal);
    if (credentials->failures > 0)
        loop_timer_set(credentials->loop, &credentials->renewal,
                       renewal_again_ms(credentials->failures, &credentials->random));
    else if (keys_are_there(&credentials->current) && expires_s != 0)
        loop_timer_set(credentials->loop, &credentials->renewal,
                       renewal_after_ms(expires_s - now_s(), &credentials->random));
}

static void take_found(struct credentials *credentials, struct keys *found)
{
    keys_free(&credentials->current);
    credentials->current = *found;
    *found = (struct keys){0};
    credentials->failures = 0;
    plan_renewal(credentials);
}

static void search_free(struct search *search)
{
    chain_free(&search->chain);
    fetcher_close(&search->fetcher);
    free(search);
}

/* On a worker. */
static void search_work(struct loop_blocking *blocking)
{
    struct search *search = container_of(blocking, struct search, blocking);
    search->code = chain_find(&search->chain, &search->error);
}

static void search_done(struct loop_blocking *blocking)
{
    struct search *search = container_of(blocking, struct search, blocking);
    struct credentials *credentials = search->credentials;
    os_error why = search->error;
    bool found = search->code == OS_OK;
    credentials->search = NULL;
    if (found) {
        if (keys_are_there(&credentials->current)) /* with the first keys nothing was signed before */
            credentials->searched_ms = clock_monotonic_ms();
        take_found(credentials, &search->chain.found);
    } else {
        credentials->failures += keys_are_there(&credentials->current) ? 1 : 0;
        plan_renewal(credentials);
    }
    search_free(search);
    tell_waiters(credentials, found ? NULL : &why);
}

/* Takes what `chain` has read. */
static os_code begin_search(struct credentials *credentials, struct chain *chain, os_error *err)
{
    if (credentials->loop == NULL || credentials->stopped) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The credentials have to be asked for at a service or a program, which is not possible here: "
                         "give keys that stand in the options, the environment or a profile file.");
    }
    struct search *search = calloc(1, sizeof(*search));
    if (search == NULL)
        return error_no_memory(err);
    os_code code = fetcher_init(&search->fetcher, &credentials->http, err);
    if (code != OS_OK) {
        free(search);
        return code;
    }
    search->fetcher.deadline_monotonic_ms = clock_monotonic_ms() + SEARCH_MS;
    search->credentials = credentials;
    search->chain = *chain;
    search->chain.fetcher = &search->fetcher;
    *chain = (struct chain){.profile = NULL};
    search->blocking = (struct loop_blocking){.work = search_work, .done = search_done, .lane = LOOP_LOOKS};
    credentials->search = search;
    loop_run_blocking(credentials->loop, &search->blocking);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ renewal */

/* What stands in a file or in the environment may be another by now, too. */
static void look_again(struct credentials *credentials)
{
    struct chain chain;
    os_error error;
    os_code code = look_at_once(credentials, &chain, &error);
    if (code == OS_OK) {
        take_found(credentials, &chain.found);
    } else if (!chain.would_block || begin_search(credentials, &chain, &error) != OS_OK) {
        credentials->failures++;
        plan_renewal(credentials);
    }
    chain_free(&chain);
}

static void renewal_fires(struct loop_timer *timer)
{
    struct credentials *credentials = container_of(timer, struct credentials, renewal);
    if (credentials->search == NULL)
        look_again(credentials);
}

os_code credentials_attach(struct credentials *credentials, struct loop *loop, const struct http_engine_options *http,
                           os_error *err)
{
    if (credentials->loop != NULL)
        return OS_OK; /* shared, and done for the other one */
    if (!random_bytes(&credentials->random, sizeof(credentials->random)))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes; try again.");
    credentials->loop = loop;
    credentials->http = *http;
    credentials->renewal.fire = renewal_fires;
    plan_renewal(credentials);
    return OS_OK;
}

void credentials_stop(struct credentials *credentials)
{
    if (credentials == NULL)
        return;
    assert(credentials->first == NULL);
    credentials->stopped = true;
    if (credentials->loop != NULL)
        loop_timer_clear(credentials->loop, &credentials->renewal);
    if (credentials->search != NULL)
        fetcher_stop(&credentials->search->fetcher);
}

/* ------------------------------------------------------------------------------------------------ explaining */

static void describe_key(const struct keys *keys, struct credentials_finding *ret)
{
    size_t len = strlen(keys->access_key_id);
    size_t shown = len < 2 * (sizeof(ret->key_end) - 1) ? len / 2 : sizeof(ret->key_end) - 1;
    (void)TEXT_COPY_STR(keys->access_key_id + len - shown, ret->key_end);
    ret->expires_s = keys->expires_s;
}

/* Those of the options, whose keys are not looked for. */
static bool explain_options(const struct credentials *credentials, chain_note_fn note, void *note_context,
                            struct credentials_finding *ret)
{
    bool given = keys_are_there(&credentials->given);
    if (credentials->callback != NULL) {
        ret->source = "callback";
        note(note_context, "callback", NULL);
        return true;
    }
    note(note_context, "options", given ? NULL : "no keys are given");
    if (given) {
        ret->source = "options";
        describe_key(&credentials->given, ret);
    }
    return given;
}

os_code credentials_make_fetcher(const struct credentials *credentials, struct fetcher *ret, os_error *err)
{
    return fetcher_init(ret, &credentials->http, err);
}

os_code credentials_explain(const struct credentials *credentials, struct fetcher *fetcher, chain_note_fn note,
                            void *note_context, struct credentials_finding *ret, os_error *err)
{
    *ret = (struct credentials_finding){0};
    struct chain chain = chain_of(credentials, fetcher);
    chain.note = note;
    chain.note_context = note_context;
    os_code code = OS_OK;
    bool over = explain_options(credentials, note, note_context, ret);
    if (!over && credentials->no_environment)
        code = no_environment(err);
    else if (!over)
        code = chain_find(&chain, err);
    if (!over && code == OS_OK) {
        ret->source = chain.source;
        describe_key(&chain.found, ret);
    }
    chain_free(&chain);
    return code;
}

/* ------------------------------------------------------------------------------------------------ using */

/* A callback has no timer: it is asked when its keys are wanted. */
static bool ends_soon(const struct credentials *credentials)
{
    int64_t expires_s = credentials->current.expires_s;
    return credentials->callback != NULL && expires_s != 0 &&
           (expires_s < 0 || now_s() >= expires_s - RENEWAL_BEFORE_S);
}

/* Many requests that were signed with the old keys are refused at once: they are signed again, and search no more. So are
 * those of a store that calls every request a bad one. */
static bool is_fresh(const struct credentials *credentials)
{
    return credentials->searched_ms != 0 && clock_monotonic_ms() - credentials->searched_ms < SEARCH_FRESH_MS;
}

/* OS_OK: there are keys now, or a search is under way. */
static os_code look_or_search(struct credentials *credentials, os_error *err)
{
    struct chain chain;
    if (credentials->search != NULL)
        return OS_OK;
    os_code code = look_at_once(credentials, &chain, err);
    if (code == OS_OK)
        take_found(credentials, &chain.found);
    else if (chain.would_block)
        code = begin_search(credentials, &chain, err);
    chain_free(&chain);
    return code;
}

enum credentials_state credentials_wait(struct credentials *credentials, bool refused,
                                        struct credentials_waiter *waiter, os_error *err)
{
    bool there = keys_are_there(&credentials->current);
    refused = refused && !is_fresh(credentials);
    if (there && !refused && !ends_soon(credentials))
        return CREDENTIALS_READY;
    if (look_or_search(credentials, err) != OS_OK)
        return there && !refused ? CREDENTIALS_READY : CREDENTIALS_NONE;
    if (credentials->search == NULL)
        return CREDENTIALS_READY;
    credentials_enter(credentials, waiter);
    return CREDENTIALS_SEARCHED;
}

void credentials_ask(struct credentials *credentials, bool refused, struct credentials_waiter *waiter)
{
    os_error why;
    enum credentials_state state = credentials_wait(credentials, refused, waiter, &why);
    if (state != CREDENTIALS_SEARCHED)
        waiter->ready(waiter, state == CREDENTIALS_NONE ? &why : NULL);
}

os_code credentials_get(struct credentials *credentials, struct sigv4_keys *ret, os_error *err)
{
    struct credentials_waiter nobody = {0};
    os_error why;
    enum credentials_state state = CREDENTIALS_READY;
    if (!keys_are_there(&credentials->current))
        state = credentials_wait(credentials, false, &nobody, &why);
    if (state == CREDENTIALS_SEARCHED) {
        credentials_leave(credentials, &nobody);
        return error_set(err, OS_ERR_CREDENTIALS, "The credentials are still being looked for; try again.");
    }
    if (state == CREDENTIALS_NONE) {
        if (err != NULL)
            *err = why;
        return why.code;
    }
    error_clear(err);
    *ret = keys_lend(&credentials->current);
    return OS_OK;
}
