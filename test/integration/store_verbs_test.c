/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store's interface against MinIO and versitygw: multipart uploads with a guarded Complete, tags, versions. What both
 * are known to do alike is asked of both; where they differ, the difference stands in the table of servers.
 */
#include "base/digest.h"
#include "support/raw_service.h"
#include "unit/store/store_call.h"

#include <stdio.h>
#include <time.h>

enum { PART = 5 << 20, LAST = 12345, WHOLE = PART + LAST };

struct server {
    const char *variable;
    const char *name;
    uint32_t versions_a_page; /* versitygw 1.8.0 never gets beyond a page that ends with a key's latest delete marker */
    struct on_store on;
};

static struct server servers[] = {
    {.variable = "OSCOMMIT_TEST_MINIO_ENDPOINT", .name = "MinIO", .versions_a_page = 1},
    {.variable = "OSCOMMIT_TEST_VERSITYGW_ENDPOINT", .name = "versitygw", .versions_a_page = 0},
};

static unsigned char *bytes; /* WHOLE of them, no two parts alike */

static const os_metadata tags[] = {{"a tag", "its=value+ /@"}};
static const os_metadata other_tags[] = {{"other", ""}};
static const struct s3_content content = {.content_type = "text/plain", .nonce = "0123456789abcdef"};
static const struct s3_creation creation = {.content = &content, .tags = tags, .tag_count = 1};

static struct http_body memory(const void *data, uint64_t length)
{
    return (struct http_body){.kind = HTTP_BODY_MEMORY, .data = data, .fd = -1, .length = length};
}

/* ------------------------------------------------------------------------------------------------ one call each */

static struct s3_upload_id create(struct server *server, const char *key)
{
    struct store_request request = {.verb = STORE_CREATE_UPLOAD, .key = key, .upload.creation = &creation};
    struct store_answer answer = store_call(&server->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    return answer.upload_id;
}

static struct s3_part upload_part(struct server *server, const char *key, const struct s3_upload_id *id,
                                  uint32_t number, uint64_t offset, uint64_t length)
{
    unsigned char md5[MD5_SIZE];
    char md5_text[25];
    assert_true(md5_digest(bytes + offset, (size_t)length, md5));
    text_base64(md5, sizeof(md5), md5_text);
    const struct s3_body_sums sums = {.content_md5 = md5_text};
    struct store_request request = {.verb = STORE_UPLOAD_PART,
                                    .key = key,
                                    .body = memory(bytes + offset, length),
                                    .upload = {.id = id->text, .part_number = number, .sums = &sums}};
    struct store_answer answer = store_call(&server->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    return answer.part;
}

static struct store_answer complete(struct server *server, const char *key, const struct s3_upload_id *id,
                                    const struct s3_part *parts, size_t count)
{
    struct s3_part_name names[2];
    for (size_t i = 0; i < count; i++)
        names[i] = (struct s3_part_name){parts[i].number, parts[i].etag, NULL};
    struct store_request request = {.verb = STORE_COMPLETE,
                                    .key = key,
                                    .condition.if_none_match_any = true,
                                    .upload = {.id = id->text, .parts = names, .part_count = count}};
    return store_call_guarded(&server->on, &request);
}

static struct store_answer put(struct server *server, const char *key, const char *text,
                               const struct s3_attributes *attributes)
{
    struct store_request request = {
        .verb = STORE_PUT, .key = key, .body = memory(text, strlen(text)), .attributes = attributes};
    struct store_answer answer = store_call(&server->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    return answer;
}

static struct store_answer about(struct server *server, enum store_verb verb, const char *key, const char *version_id)
{
    struct store_request request = {.verb = verb, .key = key, .version_id = version_id};
    return store_call(&server->on, &request);
}

static struct store_answer about_upload(struct server *server, enum store_verb verb, const char *key,
                                        const struct s3_upload_id *id, s3_part_fn each, void *context)
{
    struct s3_parts_page page;
    struct store_request request = {
        .verb = verb,
        .key = key,
        .upload = {.id = id->text, .each_part = each, .each_context = context, .parts_page = &page}};
    return store_call(&server->on, &request);
}

/* "name=value|" of each, in their order. */
static bool note_tag(void *context, const char *name, const char *value)
{
    size_t len = strlen(context);
    snprintf((char *)context + len, 200 - len, "%s=%s|", name, value);
    return true;
}

static void check_tags(struct server *server, const char *key, const char *expected)
{
    char seen[200] = "";
    struct store_request request = {.verb = STORE_GET_TAGS, .key = key, .each_tag = note_tag, .each_context = seen};
    CHECK_ANSWER(store_call(&server->on, &request), OS_OK);
    assert_string_equal(seen, expected);
}

/* ------------------------------------------------------------------------------------------------ multipart uploads */

static bool count_part(void *context, const struct s3_part *part)
{
    *(unsigned *)context += part->number;
    return true;
}

TEST(a_guarded_complete_makes_the_object_once)
{
    struct server *server = *state;
    const char *key = "staged/a b+\xc3\xa4&";
    struct s3_part parts[2];
    unsigned numbers = 0;
    struct s3_upload_id id = create(server, key);
    parts[1] = upload_part(server, key, &id, 2, PART, LAST);
    (void)upload_part(server, key, &id, 1, LAST, PART); /* sent again: the later one counts */
    parts[0] = upload_part(server, key, &id, 1, 0, PART);
    CHECK_ANSWER(about_upload(server, STORE_LIST_PARTS, key, &id, count_part, &numbers), OS_OK);
    assert_int_equal(numbers, 3);
    struct store_answer answer = complete(server, key, &id, parts, 2);
    CHECK_ANSWER(answer, OS_OK);
    assert_true(answer.result_document && answer.has_date);
    struct store_answer head = about(server, STORE_HEAD, key, NULL);
    CHECK_ANSWER(head, OS_OK);
    assert_string_equal(head.object.etag, answer.object.etag);
    assert_string_equal(head.object.nonce, content.nonce);
    assert_int_equal(head.object.length, WHOLE);
    check_tags(server, key, "a tag=its=value+ /@|");
    answer = about_upload(server, STORE_LIST_PARTS, key, &id, count_part, &numbers);
    CHECK_ANSWER(answer, OS_ERR_NOT_FOUND);
    assert_string_equal(answer.service.code, "NoSuchUpload");
}

/* R14: the upload stays open when its condition failed, until it is aborted. */
TEST(a_complete_that_came_too_late_leaves_its_upload)
{
    struct server *server = *state;
    const char *key = "staged/late";
    unsigned numbers = 0;
    struct s3_upload_id id = create(server, key);
    struct s3_part part = upload_part(server, key, &id, 1, 0, LAST);
    put(server, key, "first", NULL);
    struct store_answer answer = complete(server, key, &id, &part, 1);
    CHECK_ANSWER(answer, OS_ERR_CONFLICT);
    assert_int_equal(answer.status, 412);
    assert_false(answer.result_document);
    CHECK_ANSWER(about_upload(server, STORE_LIST_PARTS, key, &id, count_part, &numbers), OS_OK);
    assert_int_equal(numbers, 1);
    CHECK_ANSWER(about_upload(server, STORE_ABORT_UPLOAD, key, &id, NULL, NULL), OS_OK);
    CHECK_ANSWER(about_upload(server, STORE_LIST_PARTS, key, &id, count_part, &numbers), OS_ERR_NOT_FOUND);
    struct store_answer head = about(server, STORE_HEAD, key, NULL);
    assert_int_equal(head.object.length, 5);
}

TEST(a_complete_that_names_another_part_is_refused)
{
    struct server *server = *state;
    const char *key = "staged/wrong";
    struct s3_upload_id id = create(server, key);
    struct s3_part part = upload_part(server, key, &id, 1, 0, LAST);
    part.number = 2;
    struct store_answer answer = complete(server, key, &id, &part, 1);
    CHECK_ANSWER(answer, OS_ERR_REFUSED);
    assert_string_equal(answer.service.code, "InvalidPart");
    CHECK_ANSWER(about_upload(server, STORE_ABORT_UPLOAD, key, &id, NULL, NULL), OS_OK);
}

TEST(a_part_may_come_from_another_object)
{
    struct server *server = *state;
    const char *key = "staged/copied";
    struct store_answer source = put(server, "staged/source", "0123456789", NULL);
    struct s3_part_source range = {.key = "staged/source", .etag = source.object.etag, .offset = 2, .count = 3};
    struct s3_upload_id id = create(server, key);
    struct store_request request = {
        .verb = STORE_UPLOAD_PART_COPY, .key = key, .upload = {.id = id.text, .part_number = 1, .part_source = &range}};
    struct store_answer answer = store_call(&server->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.part.number, 1);
    CHECK_ANSWER(complete(server, key, &id, &answer.part, 1), OS_OK);
    answer = about(server, STORE_HEAD, key, NULL);
    assert_int_equal(answer.object.length, 3);
}

struct looked_for {
    const struct s3_upload_id *id;
    unsigned found;
};

static bool look_for(void *context, const struct s3_listed_upload *upload)
{
    struct looked_for *looked_for = context;
    looked_for->found += strcmp(upload->id.text, looked_for->id->text) == 0;
    return true;
}

TEST(an_open_upload_is_listed_under_its_key)
{
    struct server *server = *state;
    const char *key = "uploads/a b+\xc3\xa4&%";
    const struct s3_list_uploads_options listed = {.prefix = key};
    struct s3_upload_id id = create(server, key);
    struct looked_for looked_for = {.id = &id};
    struct s3_uploads_page page;
    struct store_request request = {
        .verb = STORE_LIST_UPLOADS,
        .upload = {.listed = &listed, .each_upload = look_for, .each_context = &looked_for, .uploads_page = &page}};
    CHECK_ANSWER(store_call(&server->on, &request), OS_OK);
    assert_int_equal(looked_for.found, 1);
    CHECK_ANSWER(about_upload(server, STORE_ABORT_UPLOAD, key, &id, NULL, NULL), OS_OK);
}

/* ------------------------------------------------------------------------------------------------ attributes */

TEST(tags_go_with_a_put_and_a_copy)
{
    struct server *server = *state;
    const struct s3_attributes tagged = {.tags = tags, .tag_count = 1, .storage_class = "STANDARD"};
    const struct s3_attributes retagged = {.tags = other_tags, .tag_count = 1};
    put(server, "tags/none", "x", NULL);
    check_tags(server, "tags/none", "");
    put(server, "tags/source", "x", &tagged);
    check_tags(server, "tags/source", "a tag=its=value+ /@|");
    struct store_request request = {
        .verb = STORE_COPY, .key = "tags/copy", .source_key = "tags/source", .nonce = "00ff"};
    CHECK_ANSWER(store_call_guarded(&server->on, &request), OS_OK);
    check_tags(server, "tags/copy", "a tag=its=value+ /@|");
    request.attributes = &retagged;
    CHECK_ANSWER(store_call_guarded(&server->on, &request), OS_OK);
    check_tags(server, "tags/copy", "other=|");
}

TEST(a_storage_class_that_is_none_is_refused_or_kept)
{
    struct server *server = *state;
    const struct s3_attributes strange = {.storage_class = "NO_SUCH_CLASS"};
    struct store_request request = {
        .verb = STORE_PUT, .key = "class/strange", .body = memory("x", 1), .attributes = &strange};
    struct store_answer answer = store_call(&server->on, &request);
    if (answer.code != OS_OK) {
        CHECK_ANSWER(answer, OS_ERR_REFUSED);
        assert_string_equal(answer.service.code, "InvalidStorageClass");
    }
}

/* ------------------------------------------------------------------------------------------------ rename */

/* Both take it for a PUT of nothing, and say 200: only the source, which stays, tells it from a real one. */
TEST(a_store_without_rename_leaves_the_source_and_does_not_say_so)
{
    struct server *server = *state;
    put(server, "rename/from", "x", NULL);
    struct store_request request = {.verb = STORE_RENAME,
                                    .key = "rename/to",
                                    .source_key = "rename/from",
                                    .nonce = "00ff",
                                    .condition.if_none_match_any = true};
    CHECK_ANSWER(store_call_guarded(&server->on, &request), OS_OK);
    CHECK_ANSWER(about(server, STORE_HEAD, "rename/from", NULL), OS_OK);
    struct store_answer made = about(server, STORE_HEAD, "rename/to", NULL);
    CHECK_ANSWER(made, OS_OK);
    assert_int_equal(made.object.length, 0);
}

/* ------------------------------------------------------------------------------------------------ versions */

struct versions_seen {
    struct s3_listed_version list[4];
    size_t count;
};

static bool note_version(void *context, const struct s3_listed_version *version)
{
    struct versions_seen *seen = context;
    assert_true(seen->count < 4);
    assert_string_equal(version->key, "versions/a b+");
    seen->list[seen->count++] = *version;
    return true;
}

static void list_versions(struct server *server, struct versions_seen *seen)
{
    struct s3_list_versions_options options = {.prefix = "versions/a b+", .max_keys = server->versions_a_page};
    struct s3_versions_page page = {.truncated = true};
    while (page.truncated) {
        struct s3_versions_page next = {.truncated = false};
        options.key_marker = page.next_key_marker;
        options.version_id_marker = page.next_version_id_marker;
        struct store_request request = {.verb = STORE_LIST_VERSIONS,
                                        .versions = &options,
                                        .each_version = note_version,
                                        .each_context = seen,
                                        .versions_page = &next};
        CHECK_ANSWER(store_call(&server->on, &request), OS_OK);
        free(page.next_key_marker);
        free(page.next_version_id_marker);
        page = next;
    }
}

static void turn_versioning_on(struct server *server)
{
    static const char body[] = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Status>Enabled</Status></VersioningConfiguration>";
    char path[128];
    struct store_answer answer = about(server, STORE_GET_VERSIONING, NULL, NULL);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.versioning, S3_VERSIONING_NEVER);
    snprintf(path, sizeof(path), "/%s?versioning=", server->on.bucket);
    assert_int_equal(raw_s3(getenv(server->variable), "PUT", path, body, NULL), 200);
    answer = about(server, STORE_GET_VERSIONING, NULL, NULL);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.versioning, S3_VERSIONING_ENABLED);
}

TEST(versions_are_named_and_each_can_be_had)
{
    struct server *server = *state;
    const char *key = "versions/a b+";
    turn_versioning_on(server);
    struct store_answer first = put(server, key, "1", NULL);
    struct store_answer second = put(server, key, "22", NULL);
    assert_true(first.object.version_id[0] != '\0');
    assert_string_not_equal(first.object.version_id, second.object.version_id);
    struct store_answer deleted = about(server, STORE_DELETE, key, NULL);
    CHECK_ANSWER(deleted, OS_OK);
    assert_true(deleted.object.delete_marker);
    struct versions_seen seen = {.count = 0};
    list_versions(server, &seen);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.list[0].version_id, deleted.object.version_id);
    assert_true(seen.list[0].is_latest && seen.list[0].is_delete_marker);
    assert_string_equal(seen.list[1].version_id, second.object.version_id);
    assert_string_equal(seen.list[1].etag, second.object.etag);
    assert_string_equal(seen.list[2].version_id, first.object.version_id);
    assert_int_equal(seen.list[2].length, 1);
    assert_false(seen.list[2].is_latest || seen.list[2].is_delete_marker);
    CHECK_ANSWER(about(server, STORE_HEAD, key, NULL), OS_ERR_NOT_FOUND);
    struct store_answer head = about(server, STORE_HEAD, key, first.object.version_id);
    CHECK_ANSWER(head, OS_OK);
    assert_string_equal(head.object.version_id, first.object.version_id);
    assert_string_equal(head.object.etag, first.object.etag);
    struct store_request request = {.verb = STORE_COPY,
                                    .key = "versions/copy",
                                    .source_key = key,
                                    .source_version_id = first.object.version_id,
                                    .source_etag = first.object.etag};
    CHECK_ANSWER(store_call_guarded(&server->on, &request), OS_OK);
    CHECK_ANSWER(about(server, STORE_DELETE, key, deleted.object.version_id), OS_OK);
    head = about(server, STORE_HEAD, key, NULL); /* without its delete marker it is back */
    CHECK_ANSWER(head, OS_OK);
    assert_string_equal(head.object.version_id, second.object.version_id);
}

/* ------------------------------------------------------------------------------------------------ surroundings */

static void open_server(struct server *server)
{
    const char *url = test_server(server->variable);
    char bucket[64];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(bucket, sizeof(bucket), "verbs-%llx%lx", (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec);
    if (!raw_make_bucket(url, bucket))
        exit(1);
    on_store_open(&server->on, url, bucket);
}

static void fill_bytes(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < WHOLE; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

int main(int argc, char **argv)
{
    int failed = 0;
    test_take_arguments(argc, argv);
    bytes = malloc(WHOLE);
    if (bytes == NULL)
        return 1;
    fill_bytes();
    for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
        open_server(&servers[i]);
        failed += test_run_group(&(struct test_group){.name = servers[i].name, .state = &servers[i]});
        on_store_close(&servers[i].on);
    }
    free(bytes);
    return test_exit_status(failed);
}
