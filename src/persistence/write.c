/* SPDX-License-Identifier: Apache-2.0 */
/* Documents written: one conditional write each, or one transaction of two items. */
#include "base/error.h"
#include "base/random.h"
#include "document/document_write.h"
#include "persistence/writing.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

/* One write, as it lies in memory while it is under way. */
struct one {
    struct document_write items[2];
    size_t count;
    struct rows_write rows[2];
    struct rows_transaction transaction;
    char token[2 * DOCUMENT_RANDOM_SIZE + 1];
    struct written written;
    struct rows_get gets[2]; /* of the look after a lost answer */
    bool needs_look;
    os_error error; /* why there was no answer that says it */
};

struct writing {
    struct one *list;
    size_t count;
    json_t *seen; /* which items are written, so that none is twice */
};

static void drop_writing(struct persistence *call)
{
    struct writing *writing = call->work;
    for (size_t i = 0; i < writing->count; i++) {
        for (size_t k = 0; k < writing->list[i].count; k++)
            document_write_free(&writing->list[i].items[k]);
        written_free(&writing->list[i].written);
    }
    free(writing->list);
    json_decref(writing->seen);
}

/* ------------------------------------------------------------------------------------------------ arguments */

static os_code check_write(const struct persistence_store *store, const os_document_write *write, os_error *err)
{
    if (write->size != sizeof(*write) || write->id == NULL || write->name == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The write of a document has a wrong size, or lacks its id or its name: set it with "
                         "OS_DOCUMENT_WRITE_INIT, and both.");
    if (write->reported == NULL && write->desired == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The write of document \"%.100s\" has no model: give `reported` or "
                         "`desired`.",
                         write->name);
    if (store->models == OS_DOCUMENT_COMBINED && write->reported_version != write->desired_version)
        return error_set(err, OS_ERR_ARGUMENT,
                         "Combined models have one version: give the one that was read of document \"%.100s\" as "
                         "`reported_version` and as `desired_version`.",
                         write->name);
    return OS_OK;
}

/* NULL for no text. */
static os_code read_model(const char *text, const char *model, json_t **ret, os_error *err)
{
    *ret = text != NULL ? json_read(text, strlen(text)) : NULL;
    if (text == NULL || *ret != NULL)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The %s model is no JSON object, has a key twice, or is over a bound (%d levels, %d values): give "
                     "a strict object.",
                     model, JSON_DEPTH_MAX, JSON_VALUES_MAX);
}

static os_code note_once(json_t *seen, const json_t *key, os_error *err)
{
    const char *partition = json_string_value(json_object_get(json_object_get(key, DOCUMENT_PARTITION), "S"));
    const char *sort = json_string_value(json_object_get(json_object_get(key, DOCUMENT_SORT), "S"));
    json_t *of_partition = json_object_get(seen, partition);
    if (of_partition == NULL) {
        of_partition = json_object();
        if (json_object_set_new(seen, partition, of_partition) != 0)
            return error_no_memory(err);
    }
    if (json_object_get(of_partition, sort) != NULL)
        return error_set(
            err, OS_ERR_ARGUMENT,
            "Two writes of one call are of the same model (%.100s, %.100s): make them one after the other.", partition,
            sort);
    return json_object_set_new(of_partition, sort, json_true()) == 0 ? OS_OK : error_no_memory(err);
}

/* ------------------------------------------------------------------------------------------------ items */

static void fill_written(struct one *one, enum document_kind kind, json_t *key)
{
    const struct document_write *made = &one->items[one->count];
    one->written.items[one->written.count++] =
        (struct written_item){.key = key, .kind = kind, .mark = document_write_mark(made)};
    one->count++;
}

static os_code add_item(struct persistence *call, struct one *one, const struct document_wish *wish)
{
    struct writing *writing = call->work;
    json_t *key = NULL;
    os_code code = document_key_attributes(&wish->key, &key, &call->error);
    if (code == OS_OK)
        code = note_once(writing->seen, key, &call->error);
    if (code == OS_OK)
        code = document_write_make(wish, &one->items[one->count], &call->error);
    if (code != OS_OK) {
        json_decref(key);
        return code;
    }
    fill_written(one, wish->key.kind, key);
    return OS_OK;
}

static os_code add_items(struct persistence *call, struct one *one, const os_document_write *write,
                         struct document_wish *wish)
{
    const json_t *reported = wish->reported;
    const json_t *desired = wish->desired;
    enum document_kind kinds[2];
    size_t count = persistence_kinds(&call->store, kinds);
    os_code code = OS_OK;
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        bool is_desired = kinds[i] == DOCUMENT_DESIRED;
        if (count == 2 && (is_desired ? desired : reported) == NULL)
            continue;
        wish->key.kind = kinds[i];
        wish->version = is_desired ? write->desired_version : write->reported_version;
        wish->reported = is_desired ? NULL : reported;
        wish->desired = kinds[i] == DOCUMENT_REPORTED ? NULL : desired;
        code = add_item(call, one, wish);
    }
    return code;
}

static os_code make_one(struct persistence *call, struct one *one, const os_document_write *write)
{
    json_t *reported = NULL;
    json_t *desired = NULL;
    struct document_wish wish = {.key = {.id = text_from(write->id), .name = text_from(write->name)},
                                 .spelling = call->store.spelling,
                                 .timestamp_ns = clock_realtime_ns(),
                                 .client_token = text_from(write->client_token != NULL ? write->client_token : "")};
    if (!random_bytes(wish.random, sizeof(wish.random)))
        return error_set(&call->error, OS_ERR_IO,
                         "The system gave no random bytes, which a write needs: nothing was sent.");
    for (size_t i = 0; i < sizeof(wish.random); i++)
        (void)snprintf(one->token + 2 * i, 3, "%02x", wish.random[i]);
    os_code code = read_model(write->reported, "reported", &reported, &call->error);
    if (code == OS_OK)
        code = read_model(write->desired, "desired", &desired, &call->error);
    wish.reported = reported;
    wish.desired = desired;
    if (code == OS_OK)
        code = add_items(call, one, write, &wish);
    json_decref(reported);
    json_decref(desired);
    return code;
}

/* ------------------------------------------------------------------------------------------------ requests */

static void make_request(const struct persistence *call, struct one *one, struct row_request *ret)
{
    for (size_t i = 0; i < one->count; i++)
        one->rows[i] = (struct rows_write){.kind = ROWS_PUT,
                                           .table = &call->store.table,
                                           .item = one->items[i].item,
                                           .condition = document_condition_terms(&one->items[i].condition)};
    if (one->count == 1) {
        *ret = (struct row_request){.verb = ROW_WRITE, .write = &one->rows[0]};
        return;
    }
    one->transaction = (struct rows_transaction){.writes = one->rows, .count = one->count, .token = one->token};
    *ret = (struct row_request){.verb = ROW_TRANSACT, .transaction = &one->transaction};
}

static os_code make_writes(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    struct writing *writing = call->work;
    for (size_t i = 0; i < arguments->count; i++) {
        os_code code = check_write(&call->store, &arguments->writes[i], &call->error);
        if (code == OS_OK)
            code = make_one(call, &writing->list[i], &arguments->writes[i]);
        if (code != OS_OK)
            return code;
    }
    struct row_call *calls = persistence_calls(call, arguments->count, "write of a document");
    if (calls == NULL)
        return error_no_memory(&call->error);
    for (size_t i = 0; i < arguments->count; i++) {
        make_request(call, &writing->list[i], &calls[i].request);
        calls[i].repeats_unclear = true; /* the version that the condition names is there once */
    }
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ results */

static int64_t found_version(const struct persistence *call, const json_t *item)
{
    struct document_mark mark;
    bool is_known = item != NULL && document_mark_read(item, call->store.spelling, &mark, NULL) == OS_OK;
    return is_known ? mark.version : 0;
}

static const json_t *found_item(const struct row_call *of, size_t i)
{
    if (of->request.verb == ROW_WRITE)
        return of->answer.item;
    return of->answer.answers != NULL ? of->answer.answers[i].item : NULL;
}

/* No answer was lost, so a condition that failed says all. */
static void give_conflict(const struct persistence *call, const struct row_call *of, const struct one *one,
                          os_document_result *ret)
{
    ret->verdict = OS_CONFLICT;
    for (size_t i = 0; i < one->count; i++) {
        int64_t version = found_version(call, found_item(of, i));
        if (one->written.items[i].kind != DOCUMENT_DESIRED)
            ret->reported_version = version;
        if (one->written.items[i].kind != DOCUMENT_REPORTED)
            ret->desired_version = version;
    }
    (void)error_set(&ret->error, OS_ERR_CONFLICT,
                    "The document is at another version than the write expects, or is not there: nothing was written. "
                    "Read it, and decide again.");
}

static bool is_conflict(const struct row_call *of)
{
    return of->error.code == OS_OK &&
           (of->answer.outcome == TABLE_CONFLICT || of->answer.outcome == TABLE_CONFLICT_BLIND);
}

static void give_result(struct persistence *call, struct row_call *of, struct one *one, os_document_result *ret)
{
    one->needs_look = false;
    one->error = of->error;
    if (of->error.code == OS_OK && of->answer.outcome == TABLE_OK) {
        writing_say_committed(&one->written, ret);
    } else if (of->is_lost) {
        one->needs_look = true;
    } else if (is_conflict(of)) {
        give_conflict(call, of, one, ret);
    } else {
        ret->verdict = OS_NOT_EXECUTED;
        ret->error = of->error;
    }
}

/* The code of the first that is not committed. */
static enum steps_next end_writing(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    for (size_t i = 0; i < arguments->count; i++) {
        const os_document_result *result = &arguments->ret_results[i];
        if (result->verdict == OS_COMMITTED)
            continue;
        call->error = result->error;
        return persistence_over(call, result->error.code);
    }
    return persistence_over(call, OS_OK);
}

/* ------------------------------------------------------------------------------------------------ looks */

static void give_looked(struct persistence *call, struct row_call *of, struct one *one, os_document_result *ret)
{
    bool was_seen = of->error.code == OS_OK && of->answer.outcome == TABLE_OK;
    if (was_seen)
        writing_judge(&call->store, &one->written, of->answer.items.items, &one->error, ret);
    else
        writing_say_unseen(&of->error, ret);
    if (ret->verdict == OS_UNKNOWN)
        writing_add_ticket(call, &one->written, ret);
}

static enum steps_next were_looked_at(struct persistence *call)
{
    struct writing *writing = call->work;
    size_t look = 0;
    for (size_t i = 0; i < writing->count; i++)
        if (writing->list[i].needs_look)
            give_looked(call, &call->set.calls[look++], &writing->list[i], &call->arguments->ret_results[i]);
    return end_writing(call);
}

static enum steps_next look(struct persistence *call, size_t count)
{
    struct writing *writing = call->work;
    struct row_call *calls = persistence_calls(call, count, "look at a document");
    size_t at = 0;
    if (calls == NULL)
        return persistence_over(call, error_no_memory(&call->error));
    for (size_t i = 0; i < writing->count; i++) {
        struct one *one = &writing->list[i];
        if (one->needs_look)
            writing_make_look(&call->store, &one->written, one->gets, &calls[at++].request);
    }
    return persistence_ask(call, were_looked_at);
}

static enum steps_next were_written(struct persistence *call)
{
    struct writing *writing = call->work;
    size_t looks = 0;
    for (size_t i = 0; i < writing->count; i++) {
        give_result(call, &call->set.calls[i], &writing->list[i], &call->arguments->ret_results[i]);
        looks += writing->list[i].needs_look ? 1 : 0;
    }
    return looks > 0 ? look(call, looks) : end_writing(call);
}

/* ------------------------------------------------------------------------------------------------ the call */

static os_code make_writing(struct persistence *call)
{
    struct writing *writing = calloc(1, sizeof(*writing));
    if (writing == NULL)
        return error_no_memory(&call->error);
    call->work = writing;
    call->drop = drop_writing;
    writing->list = calloc(call->arguments->count, sizeof(*writing->list));
    writing->seen = json_object();
    if (writing->list == NULL || writing->seen == NULL)
        return error_no_memory(&call->error);
    writing->count = call->arguments->count;
    return OS_OK;
}

/* Refused before anything is sent: none was executed. */
static enum steps_next refuse_all(struct persistence *call, os_code code)
{
    for (size_t i = 0; i < call->arguments->count; i++) {
        call->arguments->ret_results[i].verdict = OS_NOT_EXECUTED;
        call->arguments->ret_results[i].error = call->error;
    }
    return persistence_over(call, code);
}

static os_code clear_results(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    if (arguments->count > 0 && (arguments->writes == NULL || arguments->ret_results == NULL))
        return error_set(&call->error, OS_ERR_ARGUMENT, "There are no writes, or there is no place for their results.");
    for (size_t i = 0; i < arguments->count; i++) {
        if (arguments->ret_results[i].size != sizeof(os_document_result))
            return error_set(&call->error, OS_ERR_ARGUMENT,
                             "The result of a write has a wrong size: set it with OS_DOCUMENT_RESULT_INIT.");
    }
    for (size_t i = 0; i < arguments->count; i++)
        arguments->ret_results[i] = (os_document_result){.size = sizeof(os_document_result)};
    return OS_OK;
}

enum steps_next persistence_write(struct persistence *call)
{
    os_code code = clear_results(call);
    if (code != OS_OK)
        return persistence_over(call, code);
    code = persistence_begin(call);
    if (code == OS_OK && call->arguments->count == 0)
        return persistence_over(call, OS_OK);
    if (code == OS_OK)
        code = make_writing(call);
    if (code == OS_OK)
        code = make_writes(call);
    return code == OS_OK ? persistence_ask(call, were_written) : refuse_all(call, code);
}
