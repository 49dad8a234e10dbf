/* SPDX-License-Identifier: Apache-2.0 */
#include "persistence/mutation.h"

#include "base/error.h"
#include "base/random.h"
#include "transaction/transaction.h"

#include <stdlib.h>
#include <string.h>

static void drop_mutations(struct persistence *call)
{
    struct mutations *mutations = call->work;
    for (size_t i = 0; i < mutations->begun; i++) {
        struct mutation *mutation = &mutations->list[i];
        for (size_t k = 0; k < mutation->count; k++) {
            document_write_free(&mutation->items[k]);
            document_delete_free(&mutation->deletions[k]);
        }
        written_free(&mutation->written);
    }
    free(mutations->list);
    json_decref(mutations->seen);
}

os_code mutations_begin(struct persistence *call, bool are_deletions)
{
    struct mutations *mutations = calloc(1, sizeof(*mutations));
    if (mutations == NULL)
        return error_no_memory(&call->error);
    call->work = mutations;
    call->drop = drop_mutations;
    mutations->are_deletions = are_deletions;
    mutations->list = calloc(call->arguments->count, sizeof(*mutations->list));
    mutations->seen = json_object();
    if (mutations->list == NULL || mutations->seen == NULL)
        return error_no_memory(&call->error);
    mutations->count = call->arguments->count;
    return OS_OK;
}

os_code mutations_next(struct persistence *call, struct mutation **ret)
{
    struct mutations *mutations = call->work;
    struct mutation *mutation = &mutations->list[mutations->begun++];
    *ret = mutation;
    mutation->written.is_deletion = mutations->are_deletions;
    if (!random_bytes(mutation->random, sizeof(mutation->random)))
        return error_set(&call->error, OS_ERR_IO,
                         "The system gave no random bytes, which are needed: nothing was sent.");
    text_hex(mutation->random, sizeof(mutation->random), mutation->token);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ items */

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
        return error_set(err, OS_ERR_ARGUMENT,
                         "Two parts of one call are of the same model (%.100s, %.100s): make them one after the other.",
                         partition, sort);
    return json_object_set_new(of_partition, sort, json_true()) == 0 ? OS_OK : error_no_memory(err);
}

os_code mutation_add_write(struct persistence *call, struct mutation *mutation, struct document_wish *wish)
{
    struct mutations *mutations = call->work;
    struct document_write *made = &mutation->items[mutation->count];
    json_t *key = NULL;
    memcpy(wish->random, mutation->random, sizeof(wish->random));
    os_code code = document_key_attributes(&wish->key, &key, &call->error);
    if (code == OS_OK)
        code = note_once(mutations->seen, key, &call->error);
    if (code == OS_OK)
        code = document_write_make(wish, made, &call->error);
    if (code != OS_OK) {
        json_decref(key);
        return code;
    }
    mutation->rows[mutation->count++] = (struct rows_write){.kind = ROWS_PUT,
                                                            .table = &call->store.table,
                                                            .item = made->item,
                                                            .condition = document_condition_terms(&made->condition)};
    mutation->written.items[mutation->written.count++] =
        (struct written_item){.key = key, .kind = wish->key.kind, .mark = document_write_mark(made)};
    return OS_OK;
}

os_code mutation_add_deletion(struct persistence *call, struct mutation *mutation, const struct document_key *key,
                              int64_t version)
{
    struct mutations *mutations = call->work;
    struct document_delete *made = &mutation->deletions[mutation->count];
    os_code code = document_delete_make(key, call->store.spelling, version, made, &call->error);
    if (code != OS_OK)
        return code;
    mutation->rows[mutation->count++] = (struct rows_write){.kind = ROWS_DELETE,
                                                            .table = &call->store.table,
                                                            .item = made->key,
                                                            .condition = document_condition_terms(&made->condition)};
    mutation->written.items[mutation->written.count++] =
        (struct written_item){.key = json_incref(made->key),
                              .kind = key->kind,
                              .mark = {.version = version, .spelling = call->store.spelling}};
    return note_once(mutations->seen, made->key, &call->error);
}

/* ------------------------------------------------------------------------------------------------ requests */

/* W4. Of a document that is never deleted each version is written once, so what is done a second time fails. Else only the
 * service's memory of a token prevents that. */
static uint64_t repeats_for_ms(const struct persistence *call, bool is_together)
{
    if (call->store.keeps_all)
        return ROW_CALL_ALWAYS;
    return is_together && row_call_remembers(call->client) ? TRANSACTION_TWICE_MS : 0;
}

static void make_request(const struct persistence *call, struct mutation *mutation, struct row_call *ret)
{
    bool is_together = mutation->count == 2 || call->store.together;
    mutation->transaction =
        (struct rows_transaction){.writes = mutation->rows, .count = mutation->count, .token = mutation->token};
    ret->request = is_together ? (struct row_request){.verb = ROW_TRANSACT, .transaction = &mutation->transaction}
                               : (struct row_request){.verb = ROW_WRITE, .write = &mutation->rows[0]};
    ret->repeats_unclear_ms = repeats_for_ms(call, is_together);
}

/* ------------------------------------------------------------------------------------------------ results */

static const json_t *found_item(const struct row_call *of, size_t i)
{
    if (of->request.verb == ROW_WRITE)
        return of->answer.item;
    return of->answer.answers != NULL ? of->answer.answers[i].item : NULL;
}

/* What the other model of a transaction is at, whose condition did not fail: no item comes with that. */
static bool was_as_expected(const struct row_call *of, size_t i)
{
    return of->answer.answers != NULL && of->answer.answers[i].verdict == ROWS_NOT_IN_THE_WAY;
}

static int64_t expected_version(const struct written *written, size_t i)
{
    return written->items[i].mark.version - (written->is_deletion ? 0 : 1);
}

/* What is there and is no document has no version that could be another. */
static void add_fault(const struct row_call *of, const struct mutation *mutation, os_document_result *ret)
{
    for (size_t i = 0; i < mutation->count; i++) {
        os_error fault;
        struct document_mark mark;
        const json_t *found = found_item(of, i);
        enum document_spelling spelling = mutation->written.items[i].mark.spelling;
        if (found != NULL && document_mark_read(found, spelling, &mark, &fault) == OS_ERR_PROTOCOL)
            error_add(&ret->error, fault.message);
    }
}

/* W3: no answer was lost, so a condition that failed says all; but what is in the way may be ours, where something between
 * here and the service has sent the request twice. */
static void give_conflict(const struct row_call *of, const struct mutation *mutation, os_document_result *ret)
{
    const struct document_sending answered = {.is_answer_lost = false};
    bool is_ours = false;
    for (size_t i = 0; i < mutation->count; i++) {
        int64_t version;
        const struct written_item *item = &mutation->written.items[i];
        is_ours = document_judge(found_item(of, i), &item->mark, answered, &version) == DOCUMENT_OURS || is_ours;
        writing_set_version(ret, item->kind,
                            was_as_expected(of, i) ? expected_version(&mutation->written, i) : version);
    }
    if (is_ours) {
        writing_say_committed(&mutation->written, ret);
        return;
    }
    writing_say_conflict(&mutation->written, ret);
    add_fault(of, mutation, ret);
}

static bool is_conflict(const struct row_call *of)
{
    return of->error.code == OS_OK &&
           (of->answer.outcome == TABLE_CONFLICT || of->answer.outcome == TABLE_CONFLICT_BLIND);
}

/* W2, W3, W8: what is lost was sent. */
static void give_result(const struct row_call *of, struct mutation *mutation, os_document_result *ret)
{
    mutation->needs_look = false;
    mutation->error = of->error;
    if (of->error.code == OS_OK && of->answer.outcome == TABLE_OK) {
        writing_say_committed(&mutation->written, ret);
    } else if (of->is_lost) {
        mutation->needs_look = true;
    } else if (is_conflict(of)) {
        give_conflict(of, mutation, ret);
    } else {
        ret->verdict = OS_NOT_EXECUTED;
        ret->error = of->error;
    }
}

static enum steps_next were_answered(struct persistence *call)
{
    struct mutations *mutations = call->work;
    for (size_t i = 0; i < mutations->count; i++)
        give_result(&call->set.calls[i], &mutations->list[i], &call->arguments->ret_results[i]);
    return mutations_look(call);
}

enum steps_next mutations_send(struct persistence *call)
{
    struct mutations *mutations = call->work;
    const char *name = mutations->are_deletions ? "deletion of a document" : "write of a document";
    struct row_call *calls = persistence_calls(call, mutations->count, name);
    if (calls == NULL)
        return persistence_over(call, error_no_memory(&call->error));
    for (size_t i = 0; i < mutations->count; i++)
        make_request(call, &mutations->list[i], &calls[i]);
    return persistence_ask(call, were_answered);
}
