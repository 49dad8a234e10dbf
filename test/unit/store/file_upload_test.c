/* SPDX-License-Identifier: Apache-2.0 */
/* A multipart upload to the embedded store through the store interface: what each verb answers, and that a Complete that
 * comes too late is refused as S3 refuses it. */
#include "store/store.h"
#include "unit/api/client_scratch.h"
#include "unit/loop/on_loop.h"

static const char key[] = "a/object";
static const char nonce[] = "0123456789abcdef0123456789abcdef";

struct asked {
    struct on_loop *on;
    struct store *store;
    struct store_request request;
    struct store_attempt *attempt; /* NULL: started plainly */
    struct store_answer answer;
    struct event finished;
};

static void take(void *context, const struct store_answer *answer)
{
    struct asked *asked = context;
    asked->answer = *answer;
    event_set(&asked->finished);
}

static void start(void *context)
{
    struct asked *asked = context;
    struct store *store = asked->store;
    struct store_sending sending = {.deadline_monotonic_ms = asked->request.deadline_monotonic_ms};
    if (asked->attempt)
        assert_non_null(store->vtable->send(store, asked->attempt, &sending, take, asked));
    else
        assert_non_null(store->vtable->start(store, &asked->request, take, asked));
}

static const struct store_answer *ask(struct asked *asked, enum store_verb verb)
{
    struct clock_reading now;
    clock_read(&now);
    asked->request.verb = verb;
    asked->request.key = key;
    asked->request.deadline_monotonic_ms = now.monotonic_ms + 60000;
    on_loop_call(asked->on, start, asked);
    event_wait(&asked->finished);
    return &asked->answer;
}

static uint64_t date_of(struct asked *asked)
{
    const struct store_answer *head = ask(asked, STORE_HEAD);
    assert_true(head->has_date);
    return head->date_s;
}

static const struct store_answer *ask_late(struct asked *asked, uint64_t date_s, uint32_t length_s)
{
    os_error err;
    struct store *store = asked->store;
    asked->request.verb = STORE_COMPLETE;
    assert_int_equal(store->vtable->prepare(store, &asked->request, date_s, length_s, &asked->attempt, &err), OS_OK);
    const struct store_answer *answer = ask(asked, STORE_COMPLETE);
    store->vtable->attempt_free(store, asked->attempt);
    asked->attempt = NULL;
    return answer;
}

static bool count(void *context, const struct s3_part *part)
{
    assert_int_equal(part->number, 3);
    ++*(int *)context;
    return true;
}

static bool count_upload(void *context, const struct s3_listed_upload *upload)
{
    assert_string_equal(upload->key, key);
    assert_true(upload->initiated_s > 0);
    ++*(int *)context;
    return true;
}

static void open_store(struct on_loop *on_loop, struct scratch *ret_scratch, struct asked *ret)
{
    os_error err;
    scratch_set_up(ret_scratch);
    *ret = (struct asked){.on = on_loop, .finished = EVENT_INIT};
    struct store_config config = {.loop = ret->on->loop, .root = ret_scratch->root};
    assert_int_equal(local_store_new(&config, &ret->store, &err), OS_OK);
    assert_true(ret->store->has_uploads);
}

static void close_store(struct asked *asked, struct scratch *scratch)
{
    on_loop_settle(asked->on);
    asked->store->vtable->free(asked->store);
    scratch_tear_down(scratch);
}

TEST_WITH(on_loop, a_staged_object_answers_as_one_of_s3)
{
    struct scratch scratch;
    struct asked asked;
    open_store(on_loop, &scratch, &asked);
    struct s3_content content = {.content_type = "text/x-staged", .nonce = nonce};
    struct s3_creation creation = {.content = &content};
    struct store_upload *upload = &asked.request.upload;
    upload->creation = &creation;
    const struct store_answer *answer = ask(&asked, STORE_CREATE_UPLOAD);
    assert_int_equal(answer->code, OS_OK);
    struct s3_upload_id id = answer->upload_id;
    upload->id = id.text;
    upload->part_number = 3;
    asked.request.body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = "staged", .length = 6};
    answer = ask(&asked, STORE_UPLOAD_PART);
    assert_int_equal(answer->code, OS_OK);
    struct s3_part part = answer->part;
    assert_int_equal(part.number, 3);

    int seen = 0;
    struct s3_parts_page page = {.truncated = true};
    upload->each_part = count;
    upload->each_upload = count_upload;
    upload->each_context = &seen;
    upload->parts_page = &page;
    assert_int_equal(ask(&asked, STORE_LIST_PARTS)->code, OS_OK);
    assert_int_equal(seen, 1);
    assert_false(page.truncated);
    assert_int_equal(ask(&asked, STORE_LIST_UPLOADS)->code, OS_OK);
    assert_int_equal(seen, 2);

    struct s3_part_name name = {3, part.etag, NULL};
    upload->parts = &name;
    upload->part_count = 1;
    uint64_t date_s = date_of(&asked);
    answer = ask_late(&asked, date_s - 60, 5);
    assert_int_equal(answer->status, 403);
    assert_string_equal(answer->service.code, "AccessDenied");
    assert_int_equal(ask(&asked, STORE_HEAD)->code, OS_ERR_NOT_FOUND);
    assert_int_equal(ask(&asked, STORE_LIST_PARTS)->code, OS_OK); /* still open */

    answer = ask_late(&asked, date_s, 60);
    assert_int_equal(answer->code, OS_OK);
    assert_true(answer->result_document);
    char etag[S3_ETAG_SIZE];
    memcpy(etag, answer->object.etag, sizeof(etag));
    answer = ask(&asked, STORE_HEAD);
    assert_string_equal(answer->object.etag, etag);
    assert_string_equal(answer->object.nonce, nonce);
    assert_string_equal(answer->content_type, "text/x-staged");
    static const enum store_verb gone[] = {STORE_LIST_PARTS, STORE_ABORT_UPLOAD, STORE_COMPLETE, STORE_UPLOAD_PART};
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        answer = ask(&asked, gone[i]);
        assert_int_equal(answer->code, OS_ERR_NOT_FOUND);
        assert_int_equal(answer->status, 404);
        assert_string_equal(answer->service.code, "NoSuchUpload");
    }
    close_store(&asked, &scratch);
}

TEST_WITH(on_loop, uploads_are_listed_page_by_page_and_aborted)
{
    struct scratch scratch;
    struct asked asked;
    struct s3_upload_id ids[2];
    open_store(on_loop, &scratch, &asked);
    for (size_t i = 0; i < 2; i++) {
        const struct store_answer *answer = ask(&asked, STORE_CREATE_UPLOAD);
        assert_int_equal(answer->code, OS_OK);
        ids[i] = answer->upload_id;
    }
    int seen = 0;
    struct s3_uploads_page page = {.truncated = false};
    struct s3_list_uploads_options options = {.prefix = "a/", .max_uploads = 1};
    struct store_upload *upload = &asked.request.upload;
    *upload = (struct store_upload){
        .listed = &options, .each_upload = count_upload, .each_context = &seen, .uploads_page = &page};
    assert_int_equal(ask(&asked, STORE_LIST_UPLOADS)->code, OS_OK);
    assert_int_equal(seen, 1);
    assert_true(page.truncated);
    options.key_marker = page.next_key_marker;
    options.upload_id_marker = page.next_upload_id_marker;
    struct s3_uploads_page last = {.truncated = true};
    upload->uploads_page = &last;
    assert_int_equal(ask(&asked, STORE_LIST_UPLOADS)->code, OS_OK);
    assert_int_equal(seen, 2);
    assert_false(last.truncated);
    free(page.next_key_marker);
    free(page.next_upload_id_marker);
    for (size_t i = 0; i < 2; i++) {
        upload->id = ids[i].text;
        assert_int_equal(ask(&asked, STORE_ABORT_UPLOAD)->code, OS_OK);
    }
    options = (struct s3_list_uploads_options){.prefix = NULL};
    assert_int_equal(ask(&asked, STORE_LIST_UPLOADS)->code, OS_OK);
    assert_int_equal(seen, 2);
    close_store(&asked, &scratch);
}

TEST_WITH(on_loop, what_the_store_cannot_keep_is_refused)
{
    struct scratch scratch;
    struct asked asked;
    open_store(on_loop, &scratch, &asked);
    struct s3_creation creation = {.storage_class = "STANDARD_IA"};
    asked.request.upload.creation = &creation;
    const struct store_answer *answer = ask(&asked, STORE_CREATE_UPLOAD);
    assert_int_equal(answer->code, OS_ERR_UNSUPPORTED);
    assert_int_equal(answer->status, 501);
    close_store(&asked, &scratch);
}
