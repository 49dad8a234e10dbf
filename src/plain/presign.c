/* SPDX-License-Identifier: Apache-2.0 */
/* A request as a URL. Nothing is sent, but the keys are asked for, and the signer is, on the loop's thread. */
#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"
#include "client/settings.h"
#include "plain/call.h"
#include "store/s3_presign.h"

#include <stdlib.h>

enum { PRESIGN_USUAL_S = 3600, PRESIGN_MOST_S = 604800, PRESIGN_TEXT_MAX = 2 * HTTP_TARGET_MAX };

struct plain_presign {
    struct sync sync;
    struct op waiting; /* for the keys, as long as the call may take */
    struct op_limits limits;
    struct credentials_waiter keys;
    struct store *store;
    struct s3_presign wanted;
    struct s3_content content; /* as checked */
    struct buf url;
    struct buf headers;
    os_code code;
    os_error error;
};

static void free_presign(struct plain_presign *presign)
{
    buf_free(&presign->url);
    buf_free(&presign->headers);
    free(presign);
}

static void presign_over(struct plain_presign *presign, os_code code)
{
    op_end(&presign->waiting);
    presign->code = code;
    sync_finish(&presign->sync);
}

static void presign_now(struct plain_presign *presign)
{
    presign_over(presign,
                 s3_store_presign(presign->store, &presign->wanted, &presign->url, &presign->headers, &presign->error));
}

static void presign_on_keys(struct credentials_waiter *waiter, const os_error *why_none)
{
    struct plain_presign *presign = container_of(waiter, struct plain_presign, keys);
    if (why_none == NULL) {
        presign_now(presign);
        return;
    }
    presign->error = *why_none;
    presign_over(presign, why_none->code);
}

static void presign_interrupted(struct op *op, enum op_reason reason)
{
    struct plain_presign *presign = container_of(op, struct plain_presign, waiting);
    credentials_leave(presign->store->credentials, &presign->keys);
    presign_over(presign, error_set(&presign->error, op_reason_code(reason),
                                    "The URL was not made, as keys to sign it are still being looked for: %s.",
                                    op_reason_clause(reason)));
}

static void presign_start(struct sync *sync)
{
    struct plain_presign *presign = container_of(sync, struct plain_presign, sync);
    if (!op_begin(&presign->waiting, &presign->limits, NULL, presign_interrupted)) {
        presign_over(presign, error_no_memory(&presign->error));
        return;
    }
    presign->keys.ready = presign_on_keys;
    switch (credentials_wait(presign->store->credentials, false, &presign->keys, &presign->error)) {
    case CREDENTIALS_READY: presign_now(presign); break;
    case CREDENTIALS_NONE: presign_over(presign, presign->error.code); break;
    case CREDENTIALS_SEARCHED: break;
    }
}

/* A URL with a signature of SigV4 is of stores over S3 alone. */
static os_code check_store(const os_client *client, os_error *err)
{
    if (client->settings.store_scheme != SETTINGS_S3)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The store is no S3 store: only a request to one can be signed and handed out as a URL.");
    if (client->settings.signature != OS_SIGNATURE_V4)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "Requests are signed in advance with signature v4 only, and this client has v2.");
    return OS_OK;
}

/* It leaves no record. Where writers rely on records alone, it would write beside them. */
static os_code take_condition(const os_client *client, struct s3_condition *ret, os_error *err)
{
    static const struct write_plan_params create = {.operation = PLAN_PUT, .create = true};
    struct write_plan_rules rules;
    struct write_plan plan;
    client_write_plan_rules(client, &rules);
    os_code code = write_plan_choose(&rules, &create, &plan, err);
    if (code != OS_OK && code != OS_ERR_CONFIG)
        return code;
    bool excludes = code == OS_OK && rules.profile != NULL && plan.guard != OS_GUARD_RECORD && plan.conditional;
    if (!excludes)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "A PUT that is signed in advance leaves no record, and here it is not proven that the store's "
                         "own condition excludes other writers: name a store profile that proves it, and write with "
                         "guard native or both.");
    write_plan_condition(&plan, NULL, ret);
    return OS_OK;
}

static os_code take_method(const struct plain *plain, const os_presign_options *options, struct plain_presign *ret,
                           os_error *err)
{
    bool has_type = options->content_type != NULL && options->content_type[0] != '\0';
    bool is_put = options->method == OS_PRESIGN_PUT_IF_ABSENT;
    struct s3_attributes attributes;
    os_put_options put = OS_PUT_OPTIONS_INIT;
    if (options->method != OS_PRESIGN_GET && options->method != OS_PRESIGN_HEAD && !is_put)
        return error_set(err, OS_ERR_ARGUMENT, "There is no os_presign_method %d.", (int)options->method);
    if (options->expires_s > PRESIGN_MOST_S)
        return error_set(err, OS_ERR_ARGUMENT, "A URL can be valid for %d seconds at most, not for %u.", PRESIGN_MOST_S,
                         (unsigned)options->expires_s);
    os_code code = arguments_version_id(options->version_id, &ret->wanted.version_id, err);
    if (code == OS_OK && (is_put ? ret->wanted.version_id != NULL : has_type))
        code = error_set(err, OS_ERR_ARGUMENT,
                         is_put ? "A PUT makes a version and cannot name one." : "Only a PUT has a content type.");
    if (code != OS_OK || !is_put)
        return code;
    put.content_type = has_type ? options->content_type : NULL;
    code = arguments_content(&put, &ret->content, &attributes, err);
    ret->wanted.content_type = ret->content.content_type;
    return code == OS_OK ? take_condition(plain->client, &ret->wanted.condition, err) : code;
}

static os_code take_options(struct plain *plain, struct plain_presign *ret, os_error *err)
{
    static const char *const methods[] = {
        [OS_PRESIGN_GET] = "GET", [OS_PRESIGN_HEAD] = "HEAD", [OS_PRESIGN_PUT_IF_ABSENT] = "PUT"};
    os_presign_options options;
    os_code code = versioned_copy(plain->arguments->presign, &options, sizeof(options), "os_presign_options", err);
    if (code == OS_OK)
        code = check_store(plain->client, err);
    if (code == OS_OK)
        code = plain_take_key(plain);
    if (code == OS_OK)
        code = take_method(plain, &options, ret, err);
    if (code != OS_OK)
        return code;
    ret->wanted.key = plain->key;
    ret->wanted.method = methods[options.method];
    ret->wanted.expires_s = options.expires_s == 0 ? PRESIGN_USUAL_S : options.expires_s;
    return OS_OK;
}

static os_code give_texts(const struct plain_arguments *arguments, struct plain_presign *presign, os_error *err)
{
    char *url = buf_take(&presign->url);
    char *headers = buf_take(&presign->headers);
    if (url == NULL || headers == NULL) {
        free(url);
        free(headers);
        return error_no_memory(err);
    }
    *arguments->ret_url = url;
    if (arguments->ret_headers)
        *arguments->ret_headers = headers;
    else
        free(headers);
    return OS_OK;
}

static enum steps_next presign_ended(struct plain *plain)
{
    struct plain_presign *presign = plain->presign;
    plain->presign = NULL;
    plain->error = presign->error;
    os_code code = presign->code;
    if (code == OS_OK)
        code = give_texts(plain->arguments, presign, &plain->error);
    free_presign(presign);
    return plain_over(plain, code);
}

enum steps_next plain_presign(struct plain *plain)
{
    struct plain_presign *presign = calloc(1, sizeof(*presign));
    if (presign == NULL)
        return plain_refuse_unstarted(plain);
    buf_init(&presign->url, PRESIGN_TEXT_MAX);
    buf_init(&presign->headers, PRESIGN_TEXT_MAX);
    os_code code = plain->arguments->ret_url == NULL
                       ? error_set(&plain->error, OS_ERR_ARGUMENT, "There is no place for the URL: ret_url is NULL.")
                       : take_options(plain, presign, &plain->error);
    if (code == OS_OK)
        code = plain_take_call(plain);
    if (code != OS_OK) {
        free_presign(presign);
        return plain_over(plain, code);
    }
    presign->store = plain->client->store;
    presign->sync.start = presign_start;
    presign->limits = client_limits(plain->client, &plain->call);
    presign->code = error_no_memory(&presign->error); /* where it cannot begin */
    plain->presign = presign;
    plain->step = presign_ended;
    plain->steps.wait = &presign->sync;
    return STEPS_WAIT;
}
