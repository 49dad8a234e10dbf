/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are committed with rows, or not. */
#include "unit/api/lake.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ one process */

TEST_WITH(lake, an_object_is_there_as_soon_as_its_row_and_has_no_intent_then)
{
    struct lake_plan plan = {.lake = lake, .names = {"a", "b"}, .text = "first"};
    CHECK_MOVED(&plan);
    struct lake_pointer a = lake_pointer(lake, "a");
    struct lake_pointer b = lake_pointer(lake, "b");
    assert_string_not_equal(a.key, b.key);
    assert_int_equal(strlen(a.key), strlen("meta/.json") + 32);
    assert_int_equal(strncmp(a.key, "meta/", 5), 0);
    lake_check_reads(lake, a.key, "first");
    lake_check_reads(lake, b.key, "first");
    lake_check_nothing_left(lake);
    assert_int_equal(lake_objects(lake), 2);
}

TEST_WITH(lake, an_object_that_a_row_named_before_stays)
{
    struct lake_plan plan = {.lake = lake, .names = {"a"}, .text = "first"};
    CHECK_MOVED(&plan);
    struct lake_pointer first = lake_pointer(lake, "a");
    plan.text = "second";
    CHECK_MOVED(&plan);
    lake_check_nothing_left(lake);
    lake_check_reads(lake, first.key, "first");
    lake_check_reads(lake, lake_pointer(lake, "a").key, "second");
}

static void move_before(struct lake_plan *plan, const char *key)
{
    struct lake_plan other = {.lake = plan->lake, .names = {plan->names[0]}, .text = "other"};
    (void)key;
    CHECK_MOVED(&other);
}

TEST_WITH(lake, what_a_run_that_lost_has_staged_is_removed_at_once)
{
    struct lake_plan plan = {.lake = lake, .names = {"a", "b"}, .text = "first"};
    CHECK_MOVED(&plan);
    plan.text = "late";
    plan.runs = plan.moved = 0;
    plan.meanwhile = move_before;
    CHECK_MOVED(&plan);
    assert_int_equal(lake->result.runs, 2);
    assert_int_equal(lake_pointer(lake, "a").version, 3);
    assert_int_equal(lake_objects(lake), 5); /* two are first, one is the other, and two of the second run */
    lake_check_nothing_left(lake);
}

TEST_WITH(lake, a_function_that_ends_the_transaction_leaves_no_object)
{
    struct lake_plan plan = {.lake = lake, .names = {"a", "b"}, .text = "never", .ends_with = OS_ERR_SOURCE};
    assert_int_equal(lake_transact(&plan), OS_NOT_EXECUTED);
    assert_int_equal(lake->error.code, OS_ERR_SOURCE);
    assert_int_equal(lake_objects(lake), 0);
    lake_check_nothing_left(lake);
}

/* ------------------------------------------------------------------------------------------------ refused */

static os_code go_wrong(void *context, os_txn *txn, os_error *err)
{
    const struct lake_plan *plan = context;
    const os_body body = OS_BODY_MEMORY("x", 1);
    const char *key = NULL;
    os_stage of = OS_STAGE_INIT;
    CHECK_CODE(os_txn_stage(txn, NULL, &key, err), OS_ERR_ARGUMENT, err);
    of.intents = plan->lake->pointers;
    of.body = &body;
    CHECK_CODE(os_txn_stage(txn, &of, &key, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "os_stage_model");
    of.intents = plan->lake->intents;
    of.body = NULL;
    CHECK_CODE(os_txn_stage(txn, &of, &key, err), OS_ERR_ARGUMENT, err);
    of.body = &body;
    CHECK_CODE(os_txn_stage(NULL, &of, &key, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_stage(txn, &of, NULL, err), OS_ERR_ARGUMENT, err);
    of.prefix = "/wrong/";
    CHECK_CODE(os_txn_stage(txn, &of, &key, err), OS_ERR_ARGUMENT, err);
    assert_null(key);
    return OS_OK;
}

TEST_WITH(lake, what_cannot_be_staged_is_refused_and_the_rest_commits)
{
    struct lake_plan plan = {.lake = lake};
    assert_int_equal(os_transact(lake->client, NULL, go_wrong, &plan, NULL, NULL, &lake->error), OS_COMMITTED);
    lake_check_nothing_left(lake);
    assert_int_equal(lake_objects(lake), 0);
}

TEST_WITH(lake, a_reading_transaction_and_one_that_is_forward_only_stage_nothing)
{
    struct lake_plan plan = {.lake = lake, .names = {"a"}, .text = "never"};
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    const struct lake_plan *context = &plan;
    options.read_only = 1;
    assert_int_equal(os_transact(lake->client, &options, lake_move, (void *)context, NULL, NULL, &lake->error),
                     OS_NOT_EXECUTED);
    call.forward_only = OS_ON;
    assert_int_equal(os_transact(lake->client, NULL, lake_move, &plan, &call, NULL, &lake->error), OS_NOT_EXECUTED);
    CHECK_SAYS(&lake->error, "forward_only");
    assert_int_equal(plan.staged, OS_ERR_ARGUMENT);
    lake_check_nothing_left(lake);
}

TEST_WITH(lake, a_gc_needs_the_model_of_intents)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    CHECK_CODE(os_txn_gc(lake->client, NULL, NULL, NULL, NULL, NULL, &lake->error), OS_ERR_ARGUMENT, &lake->error);
    options.intents = lake->pointers;
    CHECK_CODE(os_txn_gc(lake->client, &options, NULL, NULL, NULL, NULL, &lake->error), OS_ERR_ARGUMENT, &lake->error);
    CHECK_SAYS(&lake->error, "os_stage_model");
}

/* ------------------------------------------------------------------------------------------------ tables */

TEST_WITH(lake, a_table_is_made_once_and_not_as_another_one)
{
    os_model *other = NULL;
    static const char schema[] =
        "{\"title\":\"Pointers\",\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},"
        "\"s\":{\"type\":\"string\"},\"u\":{\"type\":\"string\"},\"t\":{\"type\":\"string\"}},\"required\":[\"n\","
        "\"s\",\"t\"],"
        "\"KEY\":[\"n\"],\"SORT_KEY\":[\"s\"],\"INDEXES\":{\"byT\":{\"KEY\":[\"t\"],"
        "\"INCLUDE_ONLY\":[\"u\"]}}}";
    CHECK_CODE(os_model_table_create(lake->client, lake->pointers, NULL, &lake->error), OS_OK, &lake->error);
    CHECK_CODE(os_model_parse(schema, NULL, &other, &lake->error), OS_OK, &lake->error);
    CHECK_CODE(os_model_table_create(lake->client, other, NULL, &lake->error), OS_ERR_TABLE, &lake->error);
    os_model_free(other);
    CHECK_CODE(os_model_parse(schema, "Others", &other, &lake->error), OS_OK, &lake->error);
    CHECK_CODE(os_model_table_create(lake->client, other, NULL, &lake->error), OS_OK, &lake->error);
    os_model_free(other);
    CHECK_CODE(os_model_table_create(lake->client, NULL, NULL, &lake->error), OS_ERR_ARGUMENT, &lake->error);
}
