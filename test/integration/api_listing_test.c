/* SPDX-License-Identifier: Apache-2.0 */
/* os_list on every backend: order, levels, bounds, pages, and the prefix of a store URL. */
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

struct listing {
    size_t count;
    size_t prefixes;
    char keys[64][128];
    size_t stop_after;
};

static int collect(void *context, const os_object *object)
{
    struct listing *listing = context;
    assert_non_null(object->key);
    if (listing->count < 64)
        snprintf(listing->keys[listing->count], sizeof(listing->keys[0]), "%s", object->key);
    listing->count++;
    if (object->etag[0] == '\0') {
        listing->prefixes++;
        assert_int_equal(object->length, 0);
    }
    return listing->stop_after != 0 && listing->count >= listing->stop_after;
}

static const char *const tree[] = {"list/a", "list/b/1", "list/b/2", "list/c", "list/d+e%f", "list/é"};
enum { TREE = 6 };

SUITE_TEST(a_listing_is_in_the_order_of_bytes, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = TREE; i > 0; i--)
        put_plain(client, tree[i - 1], "x", NULL);
    os_list_options list = OS_LIST_OPTIONS_INIT;
    list.prefix = "list/";
    struct listing found = {0};
    os_error error;
    CHECK_CODE(os_list(client, &list, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, TREE);
    for (size_t i = 0; i < TREE; i++)
        assert_string_equal(found.keys[i], tree[i]);
}

SUITE_TEST(a_key_with_blanks_is_listed_as_it_is, BACKEND_BLANKS)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    put_plain(client, "blanks/a b+c%20d", "x", NULL);
    os_list_options list = OS_LIST_OPTIONS_INIT;
    list.prefix = "blanks/";
    struct listing found = {0};
    os_error error;
    CHECK_CODE(os_list(client, &list, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.keys[0], "blanks/a b+c%20d");
}

SUITE_TEST(a_delimiter_folds_and_start_after_and_max_keys_bound, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < TREE; i++)
        put_plain(client, tree[i], "x", NULL);
    os_error error;
    os_list_options list = OS_LIST_OPTIONS_INIT;
    list.prefix = "list/";
    list.delimiter = "/";
    struct listing found = {0};
    CHECK_CODE(os_list(client, &list, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, 5);
    assert_int_equal(found.prefixes, 1);
    assert_string_equal(found.keys[1], "list/b/");

    list.delimiter = NULL;
    list.start_after = "list/b/1";
    list.max_keys = 2;
    found = (struct listing){0};
    CHECK_CODE(os_list(client, &list, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.keys[0], "list/b/2");
    assert_string_equal(found.keys[1], "list/c");

    list = (os_list_options)OS_LIST_OPTIONS_INIT;
    list.prefix = "list/";
    found = (struct listing){.stop_after = 3};
    assert_int_equal(os_list(client, &list, NULL, collect, &found, &error), OS_ERR_STOPPED);
    assert_int_equal(found.count, 3);
}

SUITE_TEST(a_listing_goes_over_many_pages, 0)
{
    if (strcmp(f->backend->name, "gofakes3") != 0 && strcmp(f->backend->name, "embedded") != 0)
        skip(); /* a thousand writes: on the two that are fast */
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    enum { MANY = 1005 };
    for (int i = 0; i < MANY; i++) {
        char key[32];
        snprintf(key, sizeof(key), "pages/%04d", i);
        put_plain(client, key, "", NULL);
    }
    os_list_options list = OS_LIST_OPTIONS_INIT;
    list.prefix = "pages/";
    struct listing found = {0};
    os_error error;
    CHECK_CODE(os_list(client, &list, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, MANY);
    list.max_keys = 1001;
    found = (struct listing){0};
    CHECK_CODE(os_list(client, &list, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, 1001);
}

SUITE_TEST(the_prefix_of_the_store_url_stands_before_every_key, BACKEND_S3)
{
    os_options options = fixture_options(f);
    CLOSED os_client *whole = fixture_client(&options);
    char url[400];
    snprintf(url, sizeof(url), "%s/pre/fix", f->store_url);
    options.store_url = url;
    CLOSED os_client *part = fixture_client(&options);
    put_plain(part, "inner", "in", NULL);
    CHECK_OBJECT(whole, "pre/fix/inner", "in");
    struct listing found = {0};
    os_error error;
    CHECK_CODE(os_list(part, NULL, NULL, collect, &found, &error), OS_OK, &error);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.keys[0], "inner");
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "listing"};
    return suite_main(&suite, argc, argv);
}
