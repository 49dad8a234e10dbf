/* SPDX-License-Identifier: Apache-2.0 */
/* Objects are put while the function runs, and removed after it if they are not committed. */
#include "transact/stage.h"

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "client/arguments.h"
#include "plain/plain.h"
#include "transact/intent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH_SIZE = 33 /* 128 random bits */ };

struct staged {
    struct staged *next;
    const os_model *intents;
    char *key;         /* the caller's */
    char *whole;       /* the same behind the store's prefix; own */
    bool may_have_row; /* the intent */
    bool may_be_put;
    bool is_unclear; /* a request that no answer has ended may be applied yet: not O5 */
    bool is_joined;  /* the commit decides */
};

static void staged_free(struct staged *staged)
{
    free(staged->key);
    free(staged->whole);
    free(staged);
}

static struct intent intent_of(const struct os_txn *txn, const struct staged *staged)
{
    return (struct intent){
        .client = txn->client, .model = staged->intents, .key = staged->whole, .limits = stage_time_left(txn)};
}

/* ------------------------------------------------------------------------------------------------ the end of the run */

/* O4, O5. */
static void take_back(const struct os_txn *txn, const struct staged *staged)
{
    const os_call left = stage_time_left(txn);
    const struct plain_arguments arguments = {.key = staged->key, .call = &left};
    os_error error;
    if (staged->may_be_put && plain_call(txn->client, &arguments, plain_delete, &error) != OS_OK)
        return;
    const struct intent intent = intent_of(txn, staged);
    (void)intent_erase(&intent, &error);
}

/* What it cannot remove in the time that is left, it leaves to a gc. */
static void end_staged(struct os_txn *txn, os_verdict verdict)
{
    bool may_be_committed = verdict == OS_COMMITTED || verdict == OS_UNKNOWN;
    while (txn->staged != NULL) {
        struct staged *staged = txn->staged;
        txn->staged = staged->next;
        if (staged->may_have_row && !staged->is_unclear && !(staged->is_joined && may_be_committed))
            take_back(txn, staged);
        staged_free(staged);
    }
}

/* ------------------------------------------------------------------------------------------------ keys */

static bool make_fresh(char ret[FRESH_SIZE])
{
    unsigned char bits[(FRESH_SIZE - 1) / 2];
    if (!random_bytes(bits, sizeof(bits)))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++)
        snprintf(ret + 2 * i, 3, "%02x", bits[i]);
    return true;
}

static char *join_key(const char *prefix, const char *fresh, const char *suffix)
{
    char *start = text_join(prefix != NULL ? prefix : "", fresh);
    char *key = start != NULL ? text_join(start, suffix != NULL ? suffix : "") : NULL;
    free(start);
    return key;
}

/* It is in the transaction from here on. */
static os_code add(struct os_txn *txn, const os_stage *stage, struct staged **ret, os_error *err)
{
    char fresh[FRESH_SIZE];
    struct staged *staged = calloc(1, sizeof(*staged));
    if (staged == NULL)
        return error_no_memory(err);
    staged->intents = stage->intents;
    staged->next = txn->staged;
    txn->staged = staged;
    txn->end_staged = end_staged;
    *ret = staged;
    if (!make_fresh(fresh))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes, which a new key needs: nothing was staged.");
    staged->key = join_key(stage->prefix, fresh, stage->suffix);
    if (staged->key == NULL)
        return error_no_memory(err);
    if (arguments_forward_only(txn->client, staged->key, txn->call))
        return error_set(err, OS_ERR_ARGUMENT,
                         "%.500s cannot be staged: under forward_only no object is deleted, and what does not commit "
                         "must be. Stage below another prefix.",
                         staged->key);
    return client_object_key(txn->client, staged->key, &staged->whole, err);
}

/* ------------------------------------------------------------------------------------------------ staging */

static os_code check(const struct os_txn *txn, const os_stage *stage, os_stage *ret, os_error *err)
{
    os_code code = stage != NULL ? versioned_copy(stage, ret, sizeof(*ret), "os_stage", err)
                                 : error_set(err, OS_ERR_ARGUMENT, "What is to be staged is NULL.");
    if (code != OS_OK)
        return code;
    if (ret->intents == NULL || !ret->intents->is_of_intents)
        return error_set(err, OS_ERR_ARGUMENT,
                         "An object is staged without a model of intents: make one with os_stage_model.");
    if (ret->body == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "An object is staged without a body: it is NULL.");
    return txn_may_write(txn, err);
}

/* As a code of what is not in the transaction: OS_ERR_UNDECIDED would be read as the transaction's. */
static os_code say_unclear(const char *what, const struct staged *staged, os_error *err)
{
    os_error last = *err;
    bool is_answered = last.http_status != 0;
    if (last.code == OS_ERR_UNDECIDED)
        err->code = is_answered ? OS_ERR_SERVICE : OS_ERR_NETWORK;
    (void)snprintf(err->message, sizeof(err->message), "%s of %.200s may be there, for a gc: it is not staged. %.600s",
                   what, staged->key, last.message);
    return err->code;
}

static os_code write_intent(const struct os_txn *txn, struct staged *staged, os_error *err)
{
    const struct intent intent = intent_of(txn, staged);
    os_code code = intent_make(&intent, &staged->is_unclear, err);
    staged->may_have_row = code == OS_OK || staged->is_unclear;
    return staged->is_unclear ? say_unclear("The intent", staged, err) : code;
}

static os_code put(const struct os_txn *txn, const os_stage *stage, struct staged *staged, os_error *err)
{
    const os_call left = stage_time_left(txn);
    const struct plain_arguments arguments = {
        .key = staged->key, .body = stage->body, .put_options = stage->put, .call = &left};
    os_code code = plain_call(txn->client, &arguments, plain_put, err);
    staged->is_unclear = code == OS_ERR_UNDECIDED;
    staged->may_be_put = code == OS_OK || staged->is_unclear;
    return staged->is_unclear ? say_unclear("The object", staged, err) : code;
}

os_code transact_stage(struct os_txn *txn, const os_stage *stage, const char **ret_key, os_error *err)
{
    os_stage taken;
    struct staged *staged = NULL;
    os_code code = ret_key != NULL ? check(txn, stage, &taken, err)
                                   : error_set(err, OS_ERR_ARGUMENT,
                                               "What is staged wants a place for its key: it is "
                                               "NULL.");
    if (code == OS_OK)
        code = add(txn, &taken, &staged, err);
    if (code == OS_OK)
        code = write_intent(txn, staged, err);
    if (code == OS_OK)
        code = put(txn, &taken, staged, err);
    if (code == OS_OK)
        code = intent_join(txn, staged->intents, staged->whole, err);
    if (code != OS_OK)
        return code;
    staged->is_joined = true;
    *ret_key = staged->key;
    return OS_OK;
}
