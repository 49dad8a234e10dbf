/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/intent.h"

#include "base/buf.h"
#include "base/error.h"
#include "syntax/json.h"

enum { INTENT_TEXT_MAX = 16 * 1024 /* a key has 1,024 bytes, which JSON may write as six each */ };

const char intent_schema[] =
    "{\"title\":\"Intent\",\"type\":\"object\",\"properties\":{\"key\":{\"type\":\"string\"},"
    "\"bucket\":{\"type\":\"string\"},\"since\":{\"type\":\"integer\"},\"is_marked\":{\"type\":\"boolean\"}},"
    "\"required\":[\"key\",\"bucket\",\"since\"],\"KEY\":[\"key\"]}";

const char *intent_bucket(const os_client *client)
{
    return client->settings.bucket != NULL ? client->settings.bucket : "";
}

struct intent_fields intent_read(const json_t *fields)
{
    return (struct intent_fields){.key = json_string_value(json_object_get(fields, "key")),
                                  .bucket = json_string_value(json_object_get(fields, "bucket")),
                                  .since_s = json_integer_value(json_object_get(fields, "since"))};
}

os_call stage_time_left(const struct os_txn *txn)
{
    os_call left = txn_time_left(txn);
    if (left.deadline_ms == 0)
        left.deadline_ms = 1;
    return left;
}

/* ------------------------------------------------------------------------------------------------ transactions */

struct intent_work {
    const struct intent *intent;
    bool is_there;
};

/* What a transaction is given as text. Takes `object`. */
static os_code write_text(json_t *object, struct buf *ret, os_error *err)
{
    buf_init(ret, INTENT_TEXT_MAX);
    bool is_written = object != NULL && json_write(ret, object);
    json_decref(object);
    return is_written ? OS_OK : error_no_memory(err);
}

static os_code write_key(const char *key, struct buf *ret, os_error *err)
{
    return write_text(json_pack("{s:s}", "key", key), ret, err);
}

static os_verdict work(const struct intent *intent, os_txn_fn function, struct intent_work *of, os_error *err)
{
    const struct transact_arguments arguments = {.function = function, .context = of, .call = &intent->limits};
    of->intent = intent;
    return transact_run(intent->client, &arguments, err);
}

/* ------------------------------------------------------------------------------------------------ O1 */

static os_code make_intent(void *context, os_txn *txn, os_error *err)
{
    const struct intent *intent = ((const struct intent_work *)context)->intent;
    struct clock_reading now;
    struct buf text;
    clock_read(&now);
    os_code code = write_text(json_pack("{s:s,s:s,s:I}", "key", intent->key, "bucket", intent_bucket(intent->client),
                                        "since", (json_int_t)(now.realtime_ms / 1000)),
                              &text, err);
    if (code == OS_OK)
        code = transact_create(txn, intent->model, buf_str(&text), NULL, err);
    buf_free(&text);
    return code;
}

os_code intent_make(const struct intent *intent, bool *ret_unclear, os_error *err)
{
    struct intent_work of = {.is_there = false};
    os_verdict verdict = work(intent, make_intent, &of, err);
    *ret_unclear = verdict == OS_UNKNOWN;
    return verdict == OS_COMMITTED ? OS_OK : err->code;
}

/* ------------------------------------------------------------------------------------------------ reading it */

/* *ret is NULL where it is gone. Its mark becomes a condition. */
static os_code find(struct os_txn *txn, const os_model *model, const char *key, struct os_row **ret, bool *ret_marked,
                    os_error *err)
{
    const struct model_field *field = NULL;
    const json_t *mark = NULL;
    struct buf text;
    os_code code = write_key(key, &text, err);
    if (code == OS_OK)
        code = transact_get(txn, &(os_row_key){model, buf_str(&text)}, 1, NULL, ret, err);
    buf_free(&text);
    if (code != OS_OK || *ret == NULL)
        return code;
    code = row_field(*ret, "is_marked", &field, err);
    if (code == OS_OK)
        code = row_access(*ret, field, &mark, err);
    *ret_marked = json_is_true(mark);
    return code;
}

os_code intent_join(struct os_txn *txn, const os_model *model, const char *key, os_error *err)
{
    struct os_row *row = NULL;
    bool is_marked = false;
    os_code code = find(txn, model, key, &row, &is_marked, err);
    if (code != OS_OK)
        return code;
    if (row == NULL || is_marked)
        return error_set(err, OS_ERR_CONFLICT,
                         "%s was staged, and a gc has removed it before it could be committed: let gcs leave what is "
                         "younger than a transaction may be.",
                         key);
    return transact_delete(txn, row, err);
}

/* ------------------------------------------------------------------------------------------------ O3, O4 */

static os_code mark_intent(void *context, os_txn *txn, os_error *err)
{
    struct intent_work *of = context;
    const struct model_field *field = NULL;
    struct os_row *row = NULL;
    bool is_marked = false;
    os_code code = find(txn, of->intent->model, of->intent->key, &row, &is_marked, err);
    of->is_there = row != NULL;
    if (code != OS_OK || row == NULL || is_marked)
        return code;
    code = row_field(row, "is_marked", &field, err);
    return code == OS_OK ? row_set(row, field, json_true(), err) : code;
}

os_code intent_mark(const struct intent *intent, bool *ret_there, os_error *err)
{
    struct intent_work of = {.is_there = false};
    os_verdict verdict = work(intent, mark_intent, &of, err);
    *ret_there = of.is_there;
    return verdict == OS_COMMITTED ? OS_OK : err->code;
}

static os_code erase_intent(void *context, os_txn *txn, os_error *err)
{
    const struct intent *intent = ((const struct intent_work *)context)->intent;
    struct buf text;
    os_code code = write_key(intent->key, &text, err);
    if (code == OS_OK)
        code = transact_erase(txn, intent->model, buf_str(&text), err);
    buf_free(&text);
    return code;
}

os_code intent_erase(const struct intent *intent, os_error *err)
{
    struct intent_work of = {.is_there = false};
    return work(intent, erase_intent, &of, err) == OS_COMMITTED ? OS_OK : err->code;
}
