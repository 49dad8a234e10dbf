/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on an embedded store: their completions, queues, what is refused at once, what may be called from where. */
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

TEST_WITH(scratch, an_operation_tells_what_the_call_would_have_returned)
{
    os_client *client = scratch_client(scratch, NULL);
    struct completions completions = COMPLETIONS_INIT;
    os_operation *started = completions_create(&completions, client, "key");
    os_operation *done = completions_wait(&completions);
    assert_ptr_equal(done, started);
    assert_ptr_equal(os_operation_context(done), &completions);
    assert_int_equal(os_operation_verdict(done), OS_COMMITTED);
    assert_int_equal(os_operation_code(done), OS_OK);
    assert_int_equal(os_operation_error(done)->code, OS_OK);
    assert_null(os_operation_object(done));
    const os_result *result = os_operation_result(done);
    assert_int_equal(result->size, sizeof(*result));
    assert_string_equal(result->request, "PutObject");
    os_object object = OS_OBJECT_INIT;
    assert_int_equal(os_head(client, "key", NULL, &object, NULL), OS_OK);
    assert_string_equal(result->etag, object.etag);
    assert_int_equal(result->final, 1);
    os_operation_free(done);

    completions_create(&completions, client, "key");
    done = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(done), OS_CONFLICT);
    assert_int_equal(os_operation_code(done), OS_ERR_CONFLICT);
    assert_string_equal(os_operation_result(done)->found_etag, object.etag);
    os_operation_cancel(done); /* changes nothing any more */
    assert_int_equal(os_operation_verdict(done), OS_CONFLICT);
    os_client_close(client);
    os_operation_cancel(done);
    assert_int_equal(os_operation_verdict(done), OS_CONFLICT); /* it outlives its client */
    os_operation_free(done);
    os_operation_free(NULL);
}

TEST_WITH(scratch, a_plain_operation_has_a_code_and_an_object)
{
    os_client *client = scratch_client(scratch, NULL);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_body body = OS_BODY_MEMORY("hello", 5);
    os_error error;
    CHECK_CODE(os_start_head(client, "key", NULL, &start, NULL, &error), OS_OK, &error);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_code(done), OS_ERR_NOT_FOUND);
    assert_int_equal(os_operation_verdict(done), 0);
    assert_null(os_operation_result(done));
    assert_int_equal(os_operation_object(done)->size, 0);
    os_operation_free(done);

    CHECK_CODE(os_start_put(client, "key", &body, NULL, &start, NULL, &error), OS_OK, &error);
    os_operation_free(completions_wait(&completions));
    char *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = (void **)&data;
    sink.ret_length = &length;
    CHECK_CODE(os_start_get(client, "key", &sink, &start, NULL, &error), OS_OK, &error);
    done = completions_wait(&completions);
    assert_int_equal(os_operation_code(done), OS_OK);
    assert_int_equal(os_operation_object(done)->length, 5);
    assert_string_equal(data, "hello");
    os_operation_free(done);
    os_free(data);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ refused at once */

struct refusal {
    const char *name;
    const char *says;
    os_code code;
    bool no_start, both, none, wrong_size, wrong_body, wrong_call;
};
static const struct refusal refusals[] = {
    {"without a start", "one of complete and queue", OS_ERR_ARGUMENT, .no_start = true},
    {"both places", "it has both", OS_ERR_ARGUMENT, .both = true},
    {"no place", "it has none", OS_ERR_ARGUMENT, .none = true},
    {"a start of a wrong size", "os_start", OS_ERR_ARGUMENT, .wrong_size = true},
    {"a body of a wrong size", "os_body", OS_ERR_ARGUMENT, .wrong_body = true},
    {"a call of a wrong size", "os_call", OS_ERR_ARGUMENT, .wrong_call = true},
};

TEST_ROWS_WITH(scratch, refusals, what_cannot_be_started_is_refused_at_once)
{
    os_client *client = scratch_client(scratch, NULL);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    os_queue *queue = NULL;
    os_operation *operation = NULL;
    os_error error;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    start.call = &call;
    if (row->both)
        start.queue = queue;
    if (row->none)
        start.complete = NULL;
    if (row->wrong_size)
        start.size = 1;
    if (row->wrong_body)
        body.size = 1;
    if (row->wrong_call)
        call.size = 1;
    CHECK_CODE(os_start_put_if_absent(client, "key", &body, NULL, row->no_start ? NULL : &start, &operation, &error),
               row->code, &error);
    CHECK_SAYS(&error, row->says);
    assert_null(operation);
    os_client_close(client);
    assert_int_equal(event_count(&completions.told), 0);
    assert_null(os_queue_take(queue, 0));
    os_queue_free(queue);
}

TEST_WITH(scratch, what_is_wrong_with_a_key_comes_with_the_completion)
{
    os_client *client = scratch_client(scratch, NULL);
    struct completions completions = COMPLETIONS_INIT;
    completions_create(&completions, client, "/not/a/key");
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(done), OS_NOT_EXECUTED);
    assert_int_equal(os_operation_code(done), OS_ERR_ARGUMENT);
    os_operation_free(done);
    os_start start = completions_start(&completions);
    os_error error;
    CHECK_CODE(os_start_resolve(client, "no ticket", &start, NULL, &error), OS_OK, &error);
    done = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(done), OS_UNKNOWN); /* it says nothing of the write */
    assert_int_equal(os_operation_code(done), OS_ERR_ARGUMENT);
    os_operation_free(done);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ arguments */

/* All that was given is overwritten as soon as the start has returned; the bytes of the body stay. */
TEST_WITH(scratch, what_was_given_may_go_when_the_start_has_returned)
{
    enum { MANY = 40 };
    os_client *client = scratch_client(scratch, NULL);
    os_queue *queue = NULL;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    for (int i = 0; i < MANY; i++) {
        char key[16], type[16], name[8] = "name", value[16];
        os_metadata metadata = {name, value};
        os_put_options options = OS_PUT_OPTIONS_INIT;
        os_body body = OS_BODY_MEMORY("data", 4);
        os_call call = OS_CALL_INIT;
        os_start start = OS_START_INIT;
        os_error error;
        snprintf(key, sizeof(key), "key-%d", i);
        snprintf(type, sizeof(type), "text/x-%d", i);
        snprintf(value, sizeof(value), "value-%d", i);
        options.content_type = type;
        options.metadata = &metadata;
        options.metadata_count = 1;
        start.queue = queue;
        start.call = &call;
        CHECK_CODE(os_start_put_if_absent(client, key, &body, &options, &start, NULL, &error), OS_OK, &error);
        memset(key, '!', sizeof(key));
        memset(type, '\n', sizeof(type));
        memset(name, '!', sizeof(name));
        memset(value, '\n', sizeof(value));
        memset(&metadata, 0xff, sizeof(metadata));
        memset(&options, 0xff, sizeof(options));
        memset(&body, 0xff, sizeof(body));
        memset(&call, 0xff, sizeof(call));
        memset(&start, 0xff, sizeof(start));
    }
    for (int i = 0; i < MANY; i++) {
        os_operation *done = os_queue_take(queue, 60000);
        assert_non_null(done);
        assert_int_equal(os_operation_verdict(done), OS_COMMITTED);
        os_operation_free(done);
    }
    for (int i = 0; i < MANY; i++) {
        char key[16], type[16];
        os_object object = OS_OBJECT_INIT;
        snprintf(key, sizeof(key), "key-%d", i);
        snprintf(type, sizeof(type), "text/x-%d", i);
        assert_int_equal(os_head(client, key, NULL, &object, NULL), OS_OK);
        assert_string_equal(object.content_type, type);
    }
    os_client_close(client);
    os_queue_free(queue);
}

/* ------------------------------------------------------------------------------------------------ queues */

TEST_WITH(scratch, a_queue_gives_each_operation_once)
{
    enum { MANY = 200 };
    os_client *client = scratch_client(scratch, NULL);
    os_queue *queue = NULL;
    int seen[MANY] = {0};
    assert_int_equal(os_queue_new(&queue), OS_OK);
    assert_null(os_queue_take(queue, 0));
    assert_null(os_queue_take(queue, 1));
    for (int i = 0; i < MANY; i++) {
        char key[16];
        os_start start = OS_START_INIT;
        os_body body = OS_BODY_MEMORY("x", 1);
        start.queue = queue;
        start.context = &seen[i];
        snprintf(key, sizeof(key), "key-%d", i / 2);
        assert_int_equal(os_start_put_if_absent(client, key, &body, NULL, &start, NULL, NULL), OS_OK);
    }
    int committed = 0;
    for (int i = 0; i < MANY - 10; i++) {
        os_operation *done = os_queue_take(queue, 60000);
        assert_non_null(done);
        ++*(int *)os_operation_context(done);
        committed += os_operation_verdict(done) == OS_COMMITTED;
        os_operation_free(done);
    }
    os_client_close(client);
    for (int i = 0; i < 5; i++) { /* of a client that is gone */
        os_operation *done = os_queue_take(queue, 0);
        assert_non_null(done);
        ++*(int *)os_operation_context(done);
        os_operation_free(done);
    }
    int taken = 0;
    for (int i = 0; i < MANY; i++) {
        assert_in_range(seen[i], 0, 1);
        taken += seen[i];
    }
    assert_int_equal(taken, MANY - 5);
    assert_in_range(committed, MANY / 2 - 10, MANY / 2);
    os_queue_free(queue); /* with the last five */
    os_queue_free(NULL);
}

/* ------------------------------------------------------------------------------------------------ within callbacks */

enum { LINKS = 30 };

struct chain {
    os_client *client;
    struct event ended;
    atomic_int links;
    atomic_int wrong;
};

static void chain_start(struct chain *chain);

static void chain_next(void *context, os_operation *operation)
{
    struct chain *chain = context;
    os_error error;
    if (os_operation_verdict(operation) != OS_COMMITTED)
        atomic_fetch_add(&chain->wrong, 1);
    os_operation_free(operation);
    /* What would wait for this very thread is refused; closing does nothing. */
    if (os_head(chain->client, "key", NULL, NULL, &error) != OS_ERR_ARGUMENT)
        atomic_fetch_add(&chain->wrong, 1);
    os_client_close(chain->client);
    if (atomic_fetch_add(&chain->links, 1) + 1 < LINKS)
        chain_start(chain);
    else
        event_set(&chain->ended);
}

static void chain_start(struct chain *chain)
{
    char key[16];
    os_body body = OS_BODY_MEMORY("x", 1);
    os_start start = OS_START_INIT;
    snprintf(key, sizeof(key), "link-%d", atomic_load(&chain->links));
    start.complete = chain_next;
    start.context = chain;
    if (os_start_put_if_absent(chain->client, key, &body, NULL, &start, NULL, NULL) != OS_OK) {
        atomic_fetch_add(&chain->wrong, 1);
        event_set(&chain->ended);
    }
}

TEST_WITH(scratch, a_completion_may_start_the_next_operation)
{
    struct chain chain = {.client = scratch_client(scratch, NULL), .ended = EVENT_INIT};
    chain_start(&chain);
    event_wait(&chain.ended);
    os_client_close(chain.client);
    assert_int_equal(atomic_load(&chain.links), LINKS);
    assert_int_equal(atomic_load(&chain.wrong), 0);
}

/* ------------------------------------------------------------------------------------------------ what blocks */

struct blocking {
    os_client *client;
    struct event inside;
    struct event go_on;
    int pieces;
    os_code head;
};

/* A stream that is slow, and whose function calls the client. */
static int64_t read_slowly(void *context, void *ret_data, size_t size)
{
    struct blocking *blocking = context;
    if (blocking->pieces++ == 0) {
        event_set(&blocking->inside);
        event_wait(&blocking->go_on);
        blocking->head = os_head(blocking->client, "other", NULL, NULL, NULL);
        os_client_close(blocking->client); /* does nothing, here */
        memset(ret_data, 'x', 1);
        return size > 0 ? 1 : 0;
    }
    return 0;
}

TEST_WITH(scratch, a_stream_that_blocks_keeps_nobody_waiting)
{
    os_client *client = scratch_client(scratch, NULL);
    struct blocking blocking = {.client = client, .inside = EVENT_INIT, .go_on = EVENT_INIT};
    struct completions streams = COMPLETIONS_INIT;
    struct completions others = COMPLETIONS_INIT;
    os_start start = completions_start(&streams);
    os_body body = {.size = sizeof(body), .read = read_slowly, .read_context = &blocking};
    os_error error;
    CHECK_CODE(os_start_put_if_absent(client, "stream", &body, NULL, &start, NULL, &error), OS_OK, &error);
    event_wait(&blocking.inside);
    completions_create(&others, client, "other");
    os_operation *done = completions_wait(&others);
    assert_int_equal(os_operation_verdict(done), OS_COMMITTED);
    os_operation_free(done);
    event_set(&blocking.go_on);
    done = completions_wait(&streams);
    assert_int_equal(os_operation_verdict(done), OS_COMMITTED);
    assert_int_equal(blocking.head, OS_OK);
    os_operation_free(done);
    os_client_close(client);
}

static int64_t read_endlessly(void *context, void *ret_data, size_t size)
{
    atomic_fetch_add((atomic_int *)context, 1);
    memset(ret_data, 'x', size);
    return (int64_t)size;
}

/* More streams than threads: those that have not begun when they are cancelled are not read. */
TEST_WITH(scratch, a_stream_that_waits_for_a_thread_is_cancelled_unread)
{
    enum { STREAMS = 8, MORE = 20 };
    os_client *client = scratch_client(scratch, NULL);
    struct blocking blocking[STREAMS];
    struct completions witness = COMPLETIONS_INIT;
    atomic_int reads = 0;
    os_queue *queue = NULL;
    os_cancel *cancel = NULL;
    os_call call = OS_CALL_INIT;
    os_start start = OS_START_INIT;
    int cancelled = 0;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    call.cancel = cancel;
    start.queue = queue;
    for (int i = 0; i < STREAMS; i++) {
        char key[16];
        blocking[i] = (struct blocking){.client = client, .inside = EVENT_INIT, .go_on = EVENT_INIT};
        os_body body = {.size = sizeof(body), .read = read_slowly, .read_context = &blocking[i]};
        snprintf(key, sizeof(key), "slow-%d", i);
        assert_int_equal(os_start_put_if_absent(client, key, &body, NULL, &start, NULL, NULL), OS_OK);
    }
    for (int i = 0; i < STREAMS; i++)
        event_wait(&blocking[i].inside);
    start.call = &call;
    for (int i = 0; i < MORE; i++) {
        os_body body = {.size = sizeof(body), .read = read_endlessly, .read_context = &reads};
        os_code code = i % 2 ? os_start_put(client, "more", &body, NULL, &start, NULL, NULL)
                             : os_start_put_if_absent(client, "more", &body, NULL, &start, NULL, NULL);
        assert_int_equal(code, OS_OK);
    }
    os_cancel_trigger(cancel);
    completions_create(&witness, client, "witness"); /* the loop has heard of the token by its completion */
    os_operation_free(completions_wait(&witness));
    for (int i = 0; i < STREAMS; i++)
        event_set(&blocking[i].go_on);
    for (int i = 0; i < STREAMS + MORE; i++) {
        os_operation *done = os_queue_take(queue, 60000);
        assert_non_null(done);
        cancelled += os_operation_code(done) == OS_ERR_CANCELLED;
        os_operation_free(done);
    }
    assert_int_equal(cancelled, MORE);
    assert_int_equal(atomic_load(&reads), 0);
    os_client_close(client);
    os_queue_free(queue);
    os_cancel_free(cancel);
}
