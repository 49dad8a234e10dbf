/* SPDX-License-Identifier: Apache-2.0 */
/* The guarded functions of the public interface: arguments checked, one driver, its outcome handed back. */
#include "client/arguments.h"
#include "client/body.h"
#include "guarded/call.h"

#include "base/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ put */

/* By the rules by which the body was opened: what is learned meanwhile (F3) may raise the threshold, and of a
 * stream no more is there than was read by the first one. Of one that goes on is known that it has to go in parts. */
static os_verdict guarded_put_body(struct guarded *guarded, const struct write_plan_rules *rules, struct body *body,
                                   os_result *ret, os_error *err)
{
    uint64_t bytes = body->goes_on ? UINT64_MAX : body->http.length;
    if (guarded_choose_plan_by(guarded, rules, bytes, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    if (guarded->params.plan.request != PLAN_COMPLETE_UPLOAD) {
        assert(!body->goes_on);
        guarded->params.body = body->http;
        guarded->params.deadline_ms = guarded_time_left(guarded);
        return guarded_run(guarded, ret, err);
    }
    struct multipart_params uploaded = {
        .body = body, .creation = arguments_creation(guarded->params.content, guarded->params.attributes)};
    return multipart_put(guarded, &uploaded, ret, err);
}

static os_verdict guarded_put(os_client *client, const char *name, const char *key, const char *etag,
                              const os_body *body, const os_put_options *options, const os_call *call, os_result *ret,
                              os_error *err)
{
    struct guarded guarded = {.client = client, .params = {.operation = GUARD_PUT, .name = name, .etag = etag}};
    struct write_plan_rules rules;
    client_write_plan_rules(client, &rules);
    uint64_t most = write_plan_multipart_above(&rules, PLAN_PUT, etag == NULL);
    struct s3_content content;
    struct s3_attributes attributes;
    struct body opened;
    char *whole_key = NULL;
    error_clear(err);
    os_code code = guarded_take_call(&guarded, call, err);
    if (code == OS_OK)
        code = arguments_content(options, &content, &attributes, err);
    if (code == OS_OK)
        code = arguments_check_attributes(client, &attributes, err);
    if (code == OS_OK)
        code = client_object_key(client, key, &whole_key, err);
    if (code == OS_OK)
        code = body_open(body, most, most, &opened, err);
    if (code != OS_OK) {
        free(whole_key);
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    }
    guarded.params.key = whole_key;
    guarded.params.content = &content;
    guarded.params.attributes = &attributes;
    os_verdict verdict = guarded_put_body(&guarded, &rules, &opened, ret, err);
    body_close(&opened);
    free(whole_key);
    return verdict;
}

os_verdict os_put_if_absent(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                            const os_call *call, os_result *ret, os_error *err)
{
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    os_verdict verdict = guarded_put(client, "put_if_absent", key, NULL, body, options, call, ret, err);
    client_leave(client, &inside);
    return verdict;
}

os_verdict os_put_if_match(os_client *client, const char *key, const char *etag, const os_body *body,
                           const os_put_options *options, const os_call *call, os_result *ret, os_error *err)
{
    char normal[VERSION_ETAG_SIZE];
    error_clear(err);
    if (arguments_etag(etag, normal, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    os_verdict verdict = guarded_put(client, "put_if_match", key, normal, body, options, call, ret, err);
    client_leave(client, &inside);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ copy, rename */

static os_code take_copy(struct guarded *guarded, const os_copy_options *options, char *ret_source_etag, os_error *err)
{
    os_copy_options own;
    os_code code = versioned_copy(options, &own, sizeof(own), "os_copy_options", err);
    if (code == OS_OK)
        code = arguments_version_id(own.source_version_id, &guarded->params.source_version_id, err);
    if (code != OS_OK || own.source_etag == NULL || own.source_etag[0] == '\0')
        return code;
    guarded->params.source_etag = ret_source_etag;
    return arguments_etag(own.source_etag, ret_source_etag, err);
}

static os_code guarded_take_keys(struct guarded *guarded, const char *source, const char *key, char **ret_source,
                                 char **ret_key, os_error *err)
{
    os_code code = client_object_key(guarded->client, source, ret_source, err);
    if (code == OS_OK)
        code = client_object_key(guarded->client, key, ret_key, err);
    if (code == OS_OK && guarded->params.source_version_id == NULL && strcmp(*ret_source, *ret_key) == 0)
        code = error_set(err, OS_ERR_ARGUMENT, "Source and target of the copy are the same key, %.300s.", *ret_key);
    guarded->params.source_key = *ret_source;
    guarded->params.key = *ret_key;
    return code;
}

/* The candidates of the write plan. How large the source is, is known when the first of its requests has found out. */
static os_verdict copy_source(struct guarded *guarded, char *ret_source_etag, os_result *ret, os_error *err)
{
    if (guarded_choose_plan(guarded, 0, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    if (guarded->params.plan.request == PLAN_COPY_OBJECT) {
        struct write_plan_rules rules;
        client_write_plan_rules(guarded->client, &rules);
        guarded->params.copy_most = write_plan_multipart_above(&rules, PLAN_COPY, guarded->params.etag == NULL);
        if (guarded_once(guarded, err) != OS_OK)
            return guarded_refuse(ret, OS_NOT_EXECUTED);
        memcpy(ret_source_etag, guarded->outcome.source_etag, VERSION_ETAG_SIZE);
        if (!guarded->outcome.too_large)
            return guarded_give(guarded, ret, err);
        if (guarded_choose_plan(guarded, guarded->outcome.source_bytes, err) != OS_OK)
            return guarded_refuse(ret, OS_NOT_EXECUTED);
    }
    return copy_in_parts(guarded, ret_source_etag, ret, err);
}

/* `ret_source_etag` (may be NULL) tells which version of the source was copied. */
static os_verdict guarded_copy(os_client *client, const char *name, const char *source, const char *key,
                               const char *etag, const os_copy_options *options, const os_call *call, os_result *ret,
                               char *ret_source_etag, os_error *err)
{
    struct guarded guarded = {.client = client, .params = {.operation = GUARD_COPY, .name = name, .etag = etag}};
    char source_etag[VERSION_ETAG_SIZE];
    char *whole_source = NULL;
    char *whole_key = NULL;
    error_clear(err);
    os_code code = guarded_take_call(&guarded, call, err);
    if (code == OS_OK)
        code = take_copy(&guarded, options, source_etag, err);
    if (code == OS_OK)
        code = guarded_take_keys(&guarded, source, key, &whole_source, &whole_key, err);
    char copied_etag[VERSION_ETAG_SIZE] = "";
    os_verdict verdict =
        code == OS_OK ? copy_source(&guarded, copied_etag, ret, err) : guarded_refuse(ret, OS_NOT_EXECUTED);
    if (ret_source_etag)
        memcpy(ret_source_etag, copied_etag, sizeof(copied_etag));
    free(whole_source);
    free(whole_key);
    return verdict;
}

os_verdict os_copy_if_not_exists(os_client *client, const char *source, const char *key, const os_copy_options *options,
                                 const os_call *call, os_result *ret, os_error *err)
{
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    os_verdict verdict = guarded_copy(client, "copy_if_not_exists", source, key, NULL, options, call, ret, NULL, err);
    client_leave(client, &inside);
    return verdict;
}

os_verdict os_copy_if_match(os_client *client, const char *source, const char *key, const char *etag,
                            const os_copy_options *options, const os_call *call, os_result *ret, os_error *err)
{
    char normal[VERSION_ETAG_SIZE];
    error_clear(err);
    if (arguments_etag(etag, normal, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    os_verdict verdict = guarded_copy(client, "copy_if_match", source, key, normal, options, call, ret, NULL, err);
    client_leave(client, &inside);
    return verdict;
}

/* The deadline is of the whole call: the copy has used some of it. */
static os_code delete_call(const os_call *call, const struct clock_reading *start, os_call *ret, os_error *err)
{
    struct clock_reading now;
    os_code code = arguments_take_call(call, ret, err);
    clock_read(&now);
    uint64_t used_ms = clock_elapsed_max(start, &now);
    ret->deadline_ms = ret->deadline_ms > used_ms ? ret->deadline_ms - used_ms : 1;
    ret->progress = NULL;
    return code;
}

/* The verdict stays the copy's: what became of the source goes into *err. */
static void delete_source(os_client *client, const char *source, const char *key, const char *source_etag,
                          const os_call *call, os_error *err)
{
    os_error why;
    os_verdict deleted = OS_NOT_EXECUTED;
    if (source_etag[0] == '\0')
        error_set(&why, OS_ERR_SOURCE, "Its ETag is not known.");
    else
        deleted = os_delete_if_match(client, source, source_etag, call, NULL, &why);
    if (deleted == OS_COMMITTED)
        return;
    const char *state = "the source was not deleted";
    if (deleted == OS_CONFLICT)
        state = "the source is no longer the version that was copied, so it was not deleted";
    else if (deleted == OS_UNKNOWN)
        state = "whether the source was deleted is not known";
    error_set(err, why.code, "%.200s was copied to %.200s, but %s: %.400s", source, key, state, why.message);
    error_service(err, why.http_status, why.service_code, why.request_id);
}

/* True: *ret_verdict is there, of one request or of a refusal. Else a copy and a delete are to follow. */
static bool rename_at_once(os_client *client, const char *source, const char *key, const os_copy_options *options,
                           const os_call *call, os_result *ret, os_verdict *ret_verdict, os_error *err)
{
    struct guarded guarded = {.client = client, .params = {.operation = GUARD_COPY, .name = "rename_if_not_exists"}};
    const struct write_plan_params rename = {.operation = PLAN_RENAME, .create = true};
    const struct write_plan_params deletion = {.operation = PLAN_DELETE};
    struct write_plan_rules rules;
    struct write_plan plan;
    char source_etag[VERSION_ETAG_SIZE];
    char *whole_source = NULL;
    char *whole_key = NULL;
    client_write_plan_rules(client, &rules);
    error_clear(err);
    *ret_verdict = OS_NOT_EXECUTED;
    bool at_once = write_plan_choose(&rules, &rename, &guarded.params.plan, NULL) == OS_OK;
    os_code code = at_once ? OS_OK : write_plan_choose(&rules, &deletion, &plan, err);
    if (!at_once && code == OS_OK)
        return false;
    if (code == OS_OK)
        code = guarded_take_call(&guarded, call, err);
    if (code == OS_OK)
        code = take_copy(&guarded, options, source_etag, err);
    if (code == OS_OK)
        code = guarded_take_keys(&guarded, source, key, &whole_source, &whole_key, err);
    *ret_verdict = code == OS_OK ? rename_natively(&guarded, ret, err) : guarded_refuse(ret, OS_NOT_EXECUTED);
    free(whole_source);
    free(whole_key);
    return true;
}

/* The candidates: one request; else a copy, and then a delete, which must be possible before anything is written. */
static os_verdict guarded_rename(os_client *client, const char *source, const char *key, const os_copy_options *options,
                                 const os_call *call, os_result *ret, os_error *err)
{
    char source_etag[VERSION_ETAG_SIZE];
    struct clock_reading start;
    os_verdict verdict;
    os_copy_options own;
    if (versioned_copy(options, &own, sizeof(own), "os_copy_options", err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    if (own.source_version_id && own.source_version_id[0]) {
        error_set(err, OS_ERR_ARGUMENT, "A specific version of %.300s cannot be renamed; copy it instead.", source);
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    }
    clock_read(&start);
    if (rename_at_once(client, source, key, options, call, ret, &verdict, err))
        return verdict;
    verdict = guarded_copy(client, "rename_if_not_exists", source, key, NULL, options, call, ret, source_etag, err);
    os_call rest;
    if (verdict == OS_COMMITTED && delete_call(call, &start, &rest, err) == OS_OK)
        delete_source(client, source, key, source_etag, &rest, err);
    return verdict;
}

os_verdict os_rename_if_not_exists(os_client *client, const char *source, const char *key,
                                   const os_copy_options *options, const os_call *call, os_result *ret, os_error *err)
{
    struct inside inside;
    if (client_enter(client, &inside, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    os_verdict verdict = guarded_rename(client, source, key, options, call, ret, err);
    client_leave(client, &inside);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ delete */

os_verdict os_delete_if_match(os_client *client, const char *key, const char *etag, const os_call *call, os_result *ret,
                              os_error *err)
{
    char normal[VERSION_ETAG_SIZE];
    char *whole_key = NULL;
    struct guarded guarded = {.client = client,
                              .params = {.operation = GUARD_DELETE, .name = "delete_if_match", .etag = normal}};
    struct inside inside;
    error_clear(err);
    if (client_enter(client, &inside, err) != OS_OK)
        return guarded_refuse(ret, OS_NOT_EXECUTED);
    os_code code = arguments_etag(etag, normal, err);
    if (code == OS_OK)
        code = guarded_take_call(&guarded, call, err);
    if (code == OS_OK)
        code = client_object_key(client, key, &whole_key, err);
    guarded.params.key = whole_key;
    if (code == OS_OK)
        code = guarded_choose_plan(&guarded, 0, err);
    os_verdict verdict = code == OS_OK ? guarded_run(&guarded, ret, err) : guarded_refuse(ret, OS_NOT_EXECUTED);
    free(whole_key);
    client_leave(client, &inside);
    return verdict;
}

void os_result_clear(os_result *result)
{
    if (result == NULL)
        return;
    size_t size = result->size && result->size < sizeof(*result) ? result->size : sizeof(*result);
    if (size >= offsetof(os_result, ticket) + sizeof(result->ticket))
        free(result->ticket);
    memset(result, 0, size);
    memcpy(result, &size, sizeof(size));
}
