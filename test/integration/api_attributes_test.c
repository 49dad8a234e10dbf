/* SPDX-License-Identifier: Apache-2.0 */
/* Tags, storage class and encryption of objects: with every way of putting one, and refused where there are none. */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG = 100 * 1024 };

static const os_metadata tags[] = {{"project", "a+b"}, {"empty", ""}};

static os_put_options tagged(void)
{
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.tags = tags;
    options.tag_count = 2;
    options.storage_class = "STANDARD";
    return options;
}

static void check_tags(const struct fixture *f, const char *key)
{
    char path[256];
    struct buf body;
    buf_init(&body, 1 << 16);
    snprintf(path, sizeof(path), "/%s/%s?tagging=", f->bucket, key);
    assert_int_equal(raw_s3(f->store_endpoint, "GET", path, NULL, &body), 200);
    assert_non_null(strstr(buf_str(&body), "<Key>project</Key><Value>a+b</Value>"));
    assert_non_null(strstr(buf_str(&body), "<Key>empty</Key>"));
    buf_free(&body);
}

SUITE_TEST(tags_go_with_every_way_of_putting, BACKEND_S3 | BACKEND_V4 | BACKEND_FENCE | BACKEND_UPLOADS)
{
    os_options options = fixture_options(f);
    options.stage_above = BIG / 2;
    CLOSED os_client *client = fixture_client(&options);
    os_put_options headers = tagged();
    char *bytes = calloc(1, BIG);
    os_body small = OS_BODY_MEMORY("x", 1);
    os_body big = OS_BODY_MEMORY(bytes, BIG);
    os_error error;
    assert_non_null(bytes);
    const char *key = fixture_key(f, "tags/plain");
    CHECK_CODE(os_put(client, key, &small, &headers, NULL, NULL, &error), OS_OK, &error);
    check_tags(f, key);
    key = fixture_key(f, "tags/guarded");
    assert_int_equal(os_put_if_absent(client, key, &small, &headers, NULL, NULL, &error), OS_COMMITTED);
    check_tags(f, key);
    key = fixture_key(f, "tags/staged");
    os_verdict verdict = os_put_if_absent(client, key, &big, &headers, NULL, NULL, &error);
    if (verdict != OS_COMMITTED)
        fail_msg("%s", error.message);
    check_tags(f, key);
    free(bytes);
}

SUITE_TEST(a_store_without_them_refuses_before_anything_is_written, 0)
{
    unsigned over_s3 = BACKEND_S3 | BACKEND_V4;
    if ((f->backend->features & over_s3) == over_s3)
        skip(); /* it is the store's business there */
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_put_options wanted[3] = {tagged(), OS_PUT_OPTIONS_INIT, OS_PUT_OPTIONS_INIT};
    static const char *const words[] = {"tags", "storage classes", "encryption"};
    os_body body = OS_BODY_MEMORY("x", 1);
    wanted[1].storage_class = "STANDARD_IA";
    wanted[2].encryption = "AES256";
    for (int i = 0; i < 3; i++) {
        os_error error;
        const char *key = fixture_key(f, "refused");
        CHECK_CODE(os_put(client, key, &body, &wanted[i], NULL, NULL, &error), OS_ERR_UNSUPPORTED, &error);
        CHECK_SAYS(&error, words[i]);
        assert_int_equal(os_put_if_absent(client, key, &body, &wanted[i], NULL, NULL, &error), OS_NOT_EXECUTED);
        CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
        CHECK_SAYS(&error, words[i]);
        CHECK_ABSENT(client, key);
    }
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "attributes of objects"};
    return suite_main(&suite, argc, argv);
}
