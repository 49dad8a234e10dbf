/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets with versioning through the public interface: version ids out and in, delete markers, old versions copied. */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_MAX = 16 };

/* A client of a bucket of this program's own, with versioning. */
static os_client *open_client(struct fixture *f)
{
    static const char body[] = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Status>Enabled</Status></VersioningConfiguration>";
    static char url[128];
    char path[128];
    os_options options = fixture_options(f);
    snprintf(path, sizeof(path), "/%.50s-v?versioning=", f->bucket);
    snprintf(url, sizeof(url), "s3://%.50s-v", f->bucket);
    assert_true(raw_make_bucket(f->store_endpoint, url + strlen("s3://")));
    assert_int_equal(raw_s3(f->store_endpoint, "PUT", path, body, NULL), 200);
    options.store_url = url;
    return fixture_client(&options);
}

struct seen {
    size_t count;
    int stop_at;
    os_object list[SEEN_MAX];
    char keys[SEEN_MAX][64];
};

static int see(void *context, const os_object *object)
{
    struct seen *seen = context;
    assert_true(seen->count < SEEN_MAX);
    seen->list[seen->count] = *object;
    snprintf(seen->keys[seen->count++], sizeof(seen->keys[0]), "%s", object->key);
    return 0;
}

static void list(os_client *client, const char *prefix, uint64_t max_keys, struct seen *ret)
{
    os_list_options options = OS_LIST_OPTIONS_INIT;
    os_error error;
    options.prefix = prefix;
    options.versions = 1;
    options.max_keys = max_keys;
    ret->count = 0;
    CHECK_CODE(os_list(client, &options, NULL, see, ret, &error), OS_OK, &error);
}

static void check_text(os_client *client, const char *key, const char *version_id, const char *text)
{
    void *data = NULL;
    size_t length = 0;
    os_error error;
    os_object object = OS_OBJECT_INIT;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    sink.version_id = version_id;
    CHECK_CODE(os_get(client, key, &sink, NULL, &object, &error), OS_OK, &error);
    assert_string_equal((const char *)data, text);
    assert_string_equal(object.version_id, version_id);
    os_free(data);
    CHECK_CODE(os_head_version(client, key, version_id, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(object.length, strlen(text));
    assert_string_equal(object.version_id, version_id);
}

SUITE_TEST(every_write_names_its_version_and_each_can_be_read, BACKEND_REAL)
{
    CLOSED os_client *client = open_client(f);
    struct seen seen;
    os_object object = OS_OBJECT_INIT;
    os_error error;
    const char *key = fixture_key(f, "named");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    assert_true(first.result.version_id[0] != '\0');
    CLEARED struct outcome second = replace(client, key, first.result.etag, "second", NULL);
    CHECK_VERDICT(second, OS_COMMITTED);
    assert_string_not_equal(second.result.version_id, first.result.version_id);
    CLEARED struct outcome stale = replace(client, key, first.result.etag, "stale", NULL);
    CHECK_VERDICT(stale, OS_CONFLICT);
    assert_string_equal(stale.result.found_version_id, second.result.version_id);
    CLEARED struct outcome deleted = delete_version(client, key, second.result.etag, NULL);
    CHECK_VERDICT(deleted, OS_COMMITTED);
    assert_true(deleted.result.version_id[0] != '\0'); /* of the marker */

    CHECK_ABSENT(client, key);
    check_text(client, key, first.result.version_id, "one");
    check_text(client, key, second.result.version_id, "second");
    CHECK_CODE(os_head_version(client, key, deleted.result.version_id, NULL, &object, &error), OS_ERR_NOT_FOUND,
               &error);
    CHECK_CODE(os_head_version(client, key, NULL, NULL, &object, &error), OS_ERR_NOT_FOUND, &error);

    list(client, key, 0, &seen);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.list[0].version_id, deleted.result.version_id);
    assert_true(seen.list[0].is_delete_marker && seen.list[0].is_latest);
    assert_string_equal(seen.list[1].version_id, second.result.version_id);
    assert_string_equal(seen.list[1].etag, second.result.etag);
    assert_int_equal(seen.list[1].length, 6);
    assert_string_equal(seen.list[2].version_id, first.result.version_id);
    assert_false(seen.list[2].is_delete_marker || seen.list[2].is_latest);
    list(client, key, 2, &seen);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.list[1].version_id, second.result.version_id);
}

/* A delete marker counts as absent (R1). */
SUITE_TEST(a_deleted_key_is_created_again_and_is_no_version_to_replace, BACKEND_REAL)
{
    CLOSED os_client *client = open_client(f);
    const char *key = fixture_key(f, "again");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    CLEARED struct outcome deleted = delete_version(client, key, first.result.etag, NULL);
    CHECK_VERDICT(deleted, OS_COMMITTED);
    CLEARED struct outcome late = replace(client, key, first.result.etag, "late", NULL);
    CHECK_VERDICT(late, OS_CONFLICT);
    CLEARED struct outcome gone = delete_version(client, key, first.result.etag, NULL);
    CHECK_VERDICT(gone, OS_CONFLICT);
    CLEARED struct outcome again = create(client, key, "two", NULL);
    CHECK_VERDICT(again, OS_COMMITTED);
    CHECK_OBJECT(client, key, "two");
}

SUITE_TEST(an_old_version_is_copied_also_over_its_own_key, BACKEND_REAL)
{
    CLOSED os_client *client = open_client(f);
    struct outcome done = {.result = OS_RESULT_INIT};
    const char *key = fixture_key(f, "old");
    const char *other = fixture_key(f, "copied");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CLEARED struct outcome second = replace(client, key, first.result.etag, "two", NULL);
    CHECK_VERDICT(second, OS_COMMITTED);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.source_version_id = first.result.version_id;
    done.verdict = os_copy_if_not_exists(client, key, other, &options, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_OBJECT(client, other, "one");
    outcome_clear(&done);

    options.source_etag = second.result.etag; /* of another version than that */
    done.verdict = os_copy_if_match(client, key, other, first.result.etag, &options, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_NOT_EXECUTED);
    CHECK_ERROR(done, OS_ERR_SOURCE);
    outcome_clear(&done);

    options.source_etag = NULL;
    done.verdict = os_copy_if_match(client, key, key, second.result.etag, &options, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_OBJECT(client, key, "one");
    assert_string_not_equal(done.result.version_id, first.result.version_id);
    outcome_clear(&done);

    done.verdict = os_rename_if_not_exists(client, key, "elsewhere", &options, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_NOT_EXECUTED);
    CHECK_ERROR(done, OS_ERR_ARGUMENT);
}

SUITE_TEST(a_source_that_is_a_delete_marker_is_none, BACKEND_REAL)
{
    CLOSED os_client *client = open_client(f);
    CLEARED struct outcome done = {.result = OS_RESULT_INIT};
    const char *key = fixture_key(f, "marker");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CLEARED struct outcome deleted = delete_version(client, key, first.result.etag, NULL);
    CHECK_VERDICT(deleted, OS_COMMITTED);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.source_version_id = deleted.result.version_id;
    done.verdict = os_copy_if_not_exists(client, key, "from-a-marker", &options, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_NOT_EXECUTED);
    CHECK_ERROR(done, OS_ERR_SOURCE);
}

SUITE_TEST(bad_wishes_for_versions_are_refused, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_list_options wanted = OS_LIST_OPTIONS_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error error;
    struct seen seen = {.count = 0};
    const char *key = fixture_key(f, "unversioned");
    put_plain(client, key, "text", NULL);
    CHECK_CODE(os_head_version(client, key, "a\nb", NULL, &object, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_head_version(client, key, "", NULL, &object, &error), OS_OK, &error);
    wanted.versions = 1;
    wanted.delimiter = "/";
    CHECK_CODE(os_list(client, &wanted, NULL, see, &seen, &error), OS_ERR_ARGUMENT, &error);
    wanted.delimiter = NULL;
    bool others = (f->backend->features & BACKEND_V4) != 0 && (f->backend->features & BACKEND_S3) != 0;
    os_code code = os_list(client, &wanted, NULL, see, &seen, &error);
    CHECK_CODE(code, others ? OS_OK : OS_ERR_UNSUPPORTED, &error);
    if (!others)
        CHECK_CODE(os_head_version(client, key, "null", NULL, &object, &error), OS_ERR_UNSUPPORTED, &error);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "versions", .only = "minio,versitygw,minio+v2,embedded"};
    return suite_main(&suite, argc, argv);
}
