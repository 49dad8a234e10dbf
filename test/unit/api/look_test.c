/* SPDX-License-Identifier: Apache-2.0 */
/* V4.2 and V4.4 in the client: the answer to a PUT does not come, or says nothing, and a HEAD shows what the store has of
 * it. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct looks {
    struct http_server *server;
    os_client *client;
    char nonce[64]; /* of the PUT that is held */
    atomic_bool written;
    atomic_uint halves; /* so many HEADs show only a part */
    bool is_unsized;    /* these do not say how many bytes there are */
    bool copies;        /* it is no PUT from memory, but a copy of 2,000 bytes */
    bool is_replaced;   /* after them: another has replaced what was there, and says so */
    bool is_answered;   /* by what stands in front of the store, which is still at it */
    os_result result;
    os_error error;
    os_verdict settled; /* of an `unknown` */
    os_error settling;
};

#define DATED "\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\n"

static void answer_head(struct looks *looks, const char *target, struct buf *scratch)
{
    bool of_key = strstr(target, "/key") != NULL; /* not of the bucket */
    if (strstr(target, "/source") != NULL) {
        buf_add_f(scratch, "HTTP/1.1 200 OK" DATED "ETag: \"22222222222222222222222222222222\"\r\n"
                           "Content-Length: 2000\r\n\r\n");
        return;
    }
    if (!of_key || !atomic_load(&looks->written)) {
        const char *status = of_key ? "404 Not Found" : "200 OK";
        buf_add_f(scratch, "HTTP/1.1 %s" DATED "Content-Length: 0\r\n\r\n", status);
        return;
    }
    bool half = atomic_load(&looks->halves) > 0;
    if (half)
        atomic_fetch_sub(&looks->halves, 1);
    if (!half && looks->is_replaced) {
        buf_add_f(scratch,
                  "HTTP/1.1 200 OK" DATED "ETag: \"22222222222222222222222222222222\"\r\nContent-Length: 7\r\n"
                  "x-amz-meta-oscommit-nonce: fedcba9876543210fedcba9876543210\r\n"
                  "x-amz-meta-oscommit-replaced: %s\r\n\r\n",
                  looks->nonce);
        return;
    }
    buf_add_f(scratch,
              "HTTP/1.1 200 OK" DATED "ETag: \"5d41402abc4b2a76b9719d911017c592\"\r\n"
              "x-amz-meta-oscommit-nonce: %s\r\n",
              looks->nonce);
    if (!half || !looks->is_unsized)
        buf_add_f(scratch, "Content-Length: %d\r\n", half ? 2 : 5);
    buf_add_f(scratch, "\r\n");
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct looks *looks = context;
    bool put = strcmp(record->method, "PUT") == 0;
    buf_reset(scratch);
    if (put) {
        const char *nonce = http_headers_get(&record->headers, "x-amz-meta-oscommit-nonce");
        assert_non_null(nonce);
        snprintf(looks->nonce, sizeof(looks->nonce), "%s", nonce);
        atomic_store(&looks->written, true);
        buf_add_f(scratch, "HTTP/1.1 %s" DATED "Content-Length: 0\r\n\r\n",
                  looks->is_answered ? "504 Gateway Timeout" : "200 OK");
    } else {
        answer_head(looks, record->target, scratch);
    }
    bool hold = put && !looks->is_answered;
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len, .hold = hold};
}

static os_verdict create_until(struct looks *looks, uint64_t deadline_ms)
{
    struct scratch scratch;
    os_options options = OS_OPTIONS_INIT;
    os_body body = OS_BODY_MEMORY("hello", 5);
    os_call call = OS_CALL_INIT;
    looks->result = (os_result)OS_RESULT_INIT;
    scratch_set_up(&scratch);
    const struct http_server_options server = {.respond = respond, .respond_context = looks};
    looks->server = http_server_start(&server);
    options.fences = OS_OFF;
    looks->client = scratch_s3_client(&scratch, http_server_host(looks->server), &options);
    call.deadline_ms = deadline_ms;
    os_verdict verdict =
        looks->copies
            ? os_copy_if_not_exists(looks->client, "source", "key", NULL, &call, &looks->result, &looks->error)
            : os_put_if_absent(looks->client, "key", &body, NULL, &call, &looks->result, &looks->error);
    if (looks->result.ticket) /* it knows as much as the call */
        looks->settled = os_settle(looks->client, looks->result.ticket, NULL, &call, NULL, &looks->settling);
    os_client_close(looks->client);
    http_server_stop(looks->server);
    scratch_tear_down(&scratch);
    return verdict;
}

static os_verdict create_with_halves(struct looks *looks, unsigned halves)
{
    memset(looks, 0, sizeof(*looks));
    atomic_store(&looks->halves, halves);
    os_verdict verdict = create_until(looks, 15000);
    if (verdict != OS_COMMITTED)
        print_error("%s\n", looks->error.message);
    return verdict;
}

TEST(a_put_that_is_not_answered_is_found_by_its_nonce)
{
    struct looks looks;
    assert_int_equal(create_with_halves(&looks, 0), OS_COMMITTED);
    assert_string_equal(looks.result.rule, "V4");
    assert_in_range(looks.result.duration_ms, 1000, 10000); /* a second, on a machine that is busy */
    os_result_clear(&looks.result);
}

/* Its connection was reset then, and the store would give up what it has. */
TEST(half_an_object_is_not_found_to_be_ours)
{
    struct looks looks;
    assert_int_equal(create_with_halves(&looks, 1), OS_COMMITTED);
    assert_string_equal(looks.result.rule, "V4");
    assert_in_range(looks.result.duration_ms, 3000, 14000); /* by the second look, two seconds later */
    os_result_clear(&looks.result);
}

/* A store that gives the rest up in the end, or keeps a body that was cut off: these are not the bytes that were sent. */
TEST(half_an_object_is_no_proof_after_an_answer_that_says_nothing)
{
    struct looks looks = {.is_answered = true};
    atomic_store(&looks.halves, 1000000);
    assert_int_equal(create_until(&looks, 2000), OS_UNKNOWN);
    CHECK_SAYS(&looks.error, "has 2 bytes of it, and 5 were sent");
    assert_int_equal(looks.settled, OS_UNKNOWN);
    CHECK_SAYS(&looks.settling, "has 2 bytes of it, and 5 were sent");
    os_result_clear(&looks.result);
}

/* Of a source that was changed between its HEAD and the copy, on a store that ignores the pin. */
TEST(a_copy_of_another_length_is_no_proof)
{
    struct looks looks = {.is_answered = true, .copies = true};
    atomic_store(&looks.halves, 1000000);
    assert_int_equal(create_until(&looks, 2000), OS_UNKNOWN);
    CHECK_SAYS(&looks.error, "has 2 bytes of it, and its source had 2000 before.");
    assert_int_equal(looks.settled, OS_UNKNOWN);
    CHECK_SAYS(&looks.settling, "has 2 bytes of it, and its source had 2000 before.");
    os_result_clear(&looks.result);
}

TEST(what_another_has_replaced_was_applied)
{
    struct looks looks = {.is_answered = true, .is_replaced = true};
    assert_int_equal(create_until(&looks, 15000), OS_COMMITTED);
    assert_string_equal(looks.result.rule, "V4");
    os_result_clear(&looks.result);
}

/* What another has replaced is the half then: the whole was never there. */
TEST(half_an_object_that_another_has_replaced_is_no_proof)
{
    struct looks looks = {.is_answered = true, .is_replaced = true};
    atomic_store(&looks.halves, 1);
    assert_int_equal(create_until(&looks, 2000), OS_UNKNOWN);
    CHECK_SAYS(&looks.error, "has 2 bytes of it, and 5 were sent");
    assert_int_equal(looks.settled, OS_UNKNOWN);
    os_result_clear(&looks.result);
}

TEST(the_whole_of_it_is_a_proof_then)
{
    struct looks looks = {.is_answered = true};
    atomic_store(&looks.halves, 2);
    assert_int_equal(create_until(&looks, 15000), OS_COMMITTED);
    assert_string_equal(looks.result.rule, "V4");
    os_result_clear(&looks.result);
}

TEST(an_object_of_which_nobody_knows_the_length_is_no_proof)
{
    struct looks looks = {.is_answered = true, .is_unsized = true};
    atomic_store(&looks.halves, 1000000);
    assert_int_equal(create_until(&looks, 2000), OS_UNKNOWN);
    CHECK_SAYS(&looks.error, "without a Content-Length");
    os_result_clear(&looks.result);
}

/* It may have been the whole. */
TEST(nor_does_it_make_a_doubt_of_what_another_says)
{
    struct looks looks = {.is_answered = true, .is_unsized = true, .is_replaced = true};
    atomic_store(&looks.halves, 1);
    assert_int_equal(create_until(&looks, 15000), OS_COMMITTED);
    assert_string_equal(looks.result.rule, "V4");
    os_result_clear(&looks.result);
}
