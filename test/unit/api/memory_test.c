/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the whole process fails in turn, the libraries' own included, while a client is opened, makes one
 * guarded call, and is closed: nothing crashes, nothing waits for ever, and no verdict says what is not so.
 */
#include "support/failing_process.h"
#include "unit/api/client_scratch.h"

#include "oscommit_document.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tried {
    os_code opened;
    os_error open_error;
    os_verdict verdict;
    os_error error;
};

static void put_new(os_client *client, const char *key, const os_call *call, os_result *result, struct tried *ret)
{
    os_body body = OS_BODY_MEMORY(key, strlen(key));
    ret->verdict = os_put_if_absent(client, key, &body, NULL, call, result, &ret->error);
}

static int give_key(void *context, const os_current *current, os_body *ret)
{
    (void)context;
    ret->data = current->key;
    ret->length = strlen(current->key);
    return 0;
}

static void update_new(os_client *client, const char *key, const os_call *call, os_result *result, struct tried *ret)
{
    ret->verdict = os_update(client, key, give_key, NULL, NULL, call, result, &ret->error);
}

static os_code look_for_object(os_client *client, const char *key, os_error *err)
{
    os_object object = OS_OBJECT_INIT;
    return os_head(client, key, NULL, &object, err);
}

static os_code look_for_document(os_client *client, const char *key, os_error *err)
{
    os_documents found;
    os_document_key document = OS_DOCUMENT_KEY_INIT;
    document.id = document.name = key;
    os_code code = os_documents_read(client, NULL, &document, 1, NULL, &found, err);
    if (code == OS_OK && found.list[0].reported.version != found.list[0].desired.version)
        fail_msg("one model of %s is there, and the other is not", key);
    if (code == OS_OK && found.list[0].reported.version == 0)
        code = OS_ERR_NOT_FOUND;
    os_documents_free(&found);
    return code;
}

static int go_on(void *context, const os_document_entry *entry)
{
    (void)context;
    return entry->version != 1;
}

/* Two models, and then what reads them. */
static void write_document(os_client *client, const char *key, const os_call *call, os_result *result,
                           struct tried *ret)
{
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    os_document_result own = OS_DOCUMENT_RESULT_INIT;
    os_error error;
    (void)result;
    write.id = write.name = write.client_token = key;
    write.reported = write.desired = "{\"a\":[1,\"b\"]}";
    (void)os_documents_write(client, NULL, &write, 1, call, &own, NULL);
    ret->verdict = own.verdict;
    ret->error = own.error;
    os_free(own.ticket);
    os_code code = look_for_document(client, key, &error);
    if (own.verdict == OS_COMMITTED && code == OS_ERR_NOT_FOUND)
        fail_msg("%s was written, and is not read", key);
    code = os_documents_list(client, NULL, key, call, go_on, NULL, &error);
    if (code == OS_ERR_STOPPED)
        fail_msg("%s is listed at another version", key);
}

/* What is tried on a key that nothing is under. */
struct attempt {
    void (*write)(os_client *client, const char *key, const os_call *call, os_result *result, struct tried *ret);
    os_code (*look)(os_client *client, const char *key, os_error *err); /* OS_ERR_NOT_FOUND: it was not written */
    uint64_t stage_above;
};

static void try_once(const struct scratch *scratch, const char *key, const struct attempt *attempt, struct tried *ret)
{
    os_options options = OS_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_result result = OS_RESULT_INIT;
    os_client *client = NULL;
    options.store_url = scratch->url;
    options.no_environment = 1;
    options.release = OS_RELEASE_ALWAYS;
    options.stage_above = attempt->stage_above;
    call.deadline_ms = 3000;
    memset(ret, 0, sizeof(*ret));
    ret->opened = os_client_open(&options, &client, &ret->open_error);
    if (ret->opened != OS_OK)
        return;
    attempt->write(client, key, &call, &result, ret);
    os_result_clear(&result);
    os_client_close(client);
}

static void check_truth(os_client *client, const char *key, const struct attempt *attempt, const struct tried *tried)
{
    os_error error = {0};
    if (tried->opened != OS_OK) {
        assert_true(tried->open_error.message[0] != '\0');
        assert_int_equal(tried->open_error.code, tried->opened);
    } else if (tried->verdict != OS_COMMITTED) {
        assert_true(tried->error.message[0] != '\0');
        assert_int_not_equal(tried->error.code, OS_OK);
    }
    os_code code = attempt->look(client, key, &error);
    if (tried->verdict == OS_COMMITTED)
        CHECK_CODE(code, OS_OK, &error);
    else if (tried->verdict != OS_UNKNOWN && code != OS_ERR_NOT_FOUND)
        fail_msg("%s is there, and its writer was told: %s", key, tried->error.message);
    assert_int_not_equal(tried->verdict, OS_CONFLICT); /* nobody else writes here */
}

static void fail_in_turn(const struct scratch *scratch, const struct attempt *attempt)
{
    os_client *checker = scratch_client(scratch, NULL);
    os_error error;
    long number = 0;
    CHECK_CODE(os_documents_table_create(checker, NULL, NULL, &error), OS_OK, &error);
    for (int calm = 0; calm < 3; number++) { /* threads may share the last few in different ways */
        struct tried tried;
        char key[32];
        snprintf(key, sizeof(key), "k%ld", number);
        atomic_store(&has_failed, false);
        atomic_store(&allocations_left, number);
        try_once(scratch, key, attempt, &tried);
        atomic_store(&allocations_left, -1);
        check_truth(checker, key, attempt, &tried);
        calm = atomic_load(&has_failed) ? 0 : calm + 1;
    }
    print_message("%ld allocations failed in turn\n", number - 3);
    assert_true(number > 100); /* our malloc was really the one in use */
    os_client_close(checker);
}

TEST_WITH(scratch, a_failed_allocation_anywhere_makes_no_crash_and_no_lie)
{
    const struct attempt attempt = {put_new, look_for_object, 0};
    fail_in_turn(scratch, &attempt);
}

TEST_WITH(scratch, nor_does_one_while_parts_are_staged)
{
    const struct attempt attempt = {put_new, look_for_object, 1};
    fail_in_turn(scratch, &attempt);
}

TEST_WITH(scratch, nor_does_one_in_an_update)
{
    const struct attempt attempt = {update_new, look_for_object, 0};
    fail_in_turn(scratch, &attempt);
}

TEST_WITH(scratch, nor_does_one_while_documents_are_written_and_read)
{
    const struct attempt attempt = {write_document, look_for_document, 0};
    fail_in_turn(scratch, &attempt);
}
