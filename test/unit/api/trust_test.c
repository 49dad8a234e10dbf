/* SPDX-License-Identifier: Apache-2.0 */
/* E10, through the public functions: a guard is given no Date that is not believed, and does without for two answers.
 */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const int64_t year_9999_s = INT64_C(251600000000); /* from now */

struct played {
    int64_t ahead_s;    /* of HEADs of the key, but for the pair of E7 */
    atomic_uint absurd; /* answers of the bucket to come that name the year 9999 */
    atomic_uint heads;
    atomic_uint puts;
    atomic_uint presigned; /* HEADs */
};

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct played *played = context;
    bool is_key = strstr(record->target, "/key") != NULL && strstr(record->target, "X-Amz-Signature") == NULL;
    bool is_head = strcmp(record->method, "HEAD") == 0 && is_key;
    bool is_presigned = strstr(record->target, "X-Amz-Signature") != NULL && strcmp(record->method, "HEAD") == 0;
    time_t at = time(NULL) + (time_t)(is_head ? played->ahead_s : 0);
    if (strstr(record->target, "/key") == NULL && atomic_load(&played->absurd) > 0) {
        atomic_fetch_sub(&played->absurd, 1);
        at += (time_t)year_9999_s;
    }
    atomic_fetch_add(&played->presigned, is_presigned ? 1 : 0);
    char date[64] = "";
    struct tm utc;
    gmtime_r(&at, &utc);
    strftime(date, sizeof(date), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    atomic_fetch_add(is_head ? &played->heads : &played->puts, is_head || strcmp(record->method, "PUT") == 0 ? 1 : 0);
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nx-amz-request-id: 1\r\n%sContent-Length: 0\r\n\r\n",
              is_key && is_head ? "404 Not Found" : "200 OK", date);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static os_verdict create(const struct scratch *scratch, struct played *played, uint64_t deadline_ms, os_error *err)
{
    const struct http_server_options options = {.respond = respond, .respond_context = played};
    struct http_server *server = http_server_start(&options);
    os_client *client = scratch_s3_client(scratch, http_server_host(server), NULL);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    os_verdict verdict = os_put_if_absent(client, "key", &body, NULL, &call, NULL, err);
    os_client_close(client);
    http_server_stop(server);
    return verdict;
}

TEST_WITH(scratch, a_date_that_is_not_believed_signs_nothing)
{
    struct played played = {.ahead_s = 3600};
    os_error error;
    assert_int_equal(create(scratch, &played, 9000, &error), OS_NOT_EXECUTED); /* DATE_JUMP_MS is ten seconds */
    assert_int_equal(atomic_load(&played.puts), 0);
    assert_true(atomic_load(&played.heads) > 2);
}

TEST_WITH(scratch, one_that_is_said_by_all_is_believed_after_a_while)
{
    struct played played = {.ahead_s = 3600};
    os_error error;
    assert_int_equal(create(scratch, &played, 60000, &error), OS_COMMITTED);
    assert_int_equal(atomic_load(&played.puts), 1);
}

TEST_WITH(scratch, an_absurd_date_is_told)
{
    struct played played = {.ahead_s = year_9999_s};
    os_error error;
    assert_int_equal(create(scratch, &played, 60000, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "before 2006, or after 2100");
    assert_int_equal(atomic_load(&played.heads), 2);
}

/* What a client does not know yet it asks again; without fences it would go on for all its life. */
TEST_WITH(scratch, an_absurd_date_of_the_bucket_leaves_open_whether_there_are_fences)
{
    struct played played = {.absurd = 1};
    os_error error;
    assert_int_equal(create(scratch, &played, 60000, &error), OS_COMMITTED);
    assert_int_equal(atomic_load(&played.presigned), 2);
}
