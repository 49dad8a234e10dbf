/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out: an error, or the same answer as with memory. Never another item, never another document. */
#include "document/document_delete.h"
#include "document/document_list.h"
#include "document/document_write.h"
#include "document_reading.h"
#include "support/test.h"

/* In this order: the file is compiled here, with its allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/buf.c"
/* clang-format on */
#undef malloc

/* 9.95 with 16 digits is another text of the same double. */
static const char model[] = "{'s':'text','n':[1,9.95,1e20,null,true],'m':{'a':{'b':[]}}}";

static os_code make(const struct document_wish *wish, struct document_write *ret)
{
    json_set_alloc_funcs(failing_malloc, free);
    os_code code = document_write_make(wish, ret, NULL);
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
    return code;
}

static void check_write(const struct document_wish *wish)
{
    struct document_write wanted;
    assert_int_equal(document_write_make(wish, &wanted, NULL), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            struct document_write write;
            alloc_fail_from(number, failures);
            os_code code = make(wish, &write);
            if (code == OS_OK)
                assert_true(json_equal(write.item, wanted.item) &&
                            json_equal(write.condition.expected, wanted.condition.expected));
            else
                assert_true(code == OS_ERR_NO_MEMORY && write.item == NULL && write.condition.expected == NULL);
            document_write_free(&write);
        }
    document_write_free(&wanted);
}

TEST(a_write_is_made_without_memory_as_with_it_or_not_at_all)
{
    json_t *json = reading_json(model);
    const struct document_wish tags = {
        .key = reading_key(DOCUMENT_COMBINED), .version = 3, .desired = json, .reported = json};
    const struct document_wish fields = {
        .key = reading_key(DOCUMENT_REPORTED), .spelling = DOCUMENT_FIELDS, .version = 3, .reported = json};
    check_write(&tags);
    check_write(&fields);
    json_decref(json);
}

TEST(a_document_is_read_without_memory_as_with_it_or_not_at_all)
{
    struct document_write write;
    json_t *json = reading_json(model);
    const struct document_wish wish = {.key = reading_key(DOCUMENT_COMBINED), .desired = json, .reported = json};
    assert_int_equal(document_write_make(&wish, &write, NULL), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            struct document document;
            alloc_fail_from(number, failures);
            json_set_alloc_funcs(failing_malloc, free);
            os_code code = document_from_item(write.item, DOCUMENT_TAGS, &document, NULL);
            json_set_alloc_funcs(malloc, free);
            alloc_fail_none();
            if (code == OS_OK)
                assert_true(document.version == 1 && json_equal(document.desired, json) &&
                            json_equal(document.reported, json));
            else
                assert_true(code == OS_ERR_NO_MEMORY && document.desired == NULL && document.reported == NULL);
            document_free(&document);
        }
    document_write_free(&write);
    json_decref(json);
}

static os_code make_key(const struct document_key *key, json_t **ret)
{
    json_set_alloc_funcs(failing_malloc, free);
    os_code code = document_key_attributes(key, ret, NULL);
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
    return code;
}

/* What a text has room for at first, and more. */
TEST(a_key_is_made_without_memory_as_with_it_or_not_at_all)
{
    char id[1000];
    json_t *wanted;
    memset(id, 'i', sizeof(id));
    const struct document_key keys[] = {reading_key(DOCUMENT_COMBINED),
                                        {text_of(id, sizeof(id)), text_of(id, sizeof(id)), DOCUMENT_DESIRED}};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(document_key_attributes(&keys[i], &wanted, NULL), OS_OK);
        alloc_failed = true;
        for (size_t number = 0; alloc_failed; number++) {
            json_t *key;
            alloc_fail_from(number, 1);
            os_code code = make_key(&keys[i], &key);
            assert_true(code == OS_OK ? json_equal(key, wanted) : code == OS_ERR_NO_MEMORY && key == NULL);
            json_decref(key);
        }
        json_decref(wanted);
    }
}

static os_code make_delete(const struct document_key *key, struct document_delete *ret)
{
    json_set_alloc_funcs(failing_malloc, free);
    os_code code = document_delete_make(key, DOCUMENT_TAGS, 3, ret, NULL);
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
    return code;
}

TEST(a_delete_is_made_without_memory_as_with_it_or_not_at_all)
{
    struct document_delete wanted;
    const struct document_key key = reading_key(DOCUMENT_COMBINED);
    assert_int_equal(document_delete_make(&key, DOCUMENT_TAGS, 3, &wanted, NULL), OS_OK);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            struct document_delete deletion;
            alloc_fail_from(number, failures);
            os_code code = make_delete(&key, &deletion);
            if (code == OS_OK)
                assert_true(json_equal(deletion.key, wanted.key) &&
                            json_equal(deletion.condition.expected, wanted.condition.expected));
            else
                assert_true(code == OS_ERR_NO_MEMORY && deletion.key == NULL && deletion.condition.count == 0);
            document_delete_free(&deletion);
        }
    document_delete_free(&wanted);
}

static os_code make_list(bool is_of_id, struct document_list *ret)
{
    json_set_alloc_funcs(failing_malloc, free);
    os_code code = is_of_id ? document_list_of_id(text_from("a"), DOCUMENT_TAGS, ret, NULL)
                            : document_list_of_all(DOCUMENT_TAGS, ret, NULL);
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
    return code;
}

TEST(a_listing_is_made_without_memory_as_with_it_or_not_at_all)
{
    for (int is_of_id = 0; is_of_id < 2; is_of_id++) {
        alloc_failed = true;
        for (size_t number = 0; alloc_failed; number++) {
            struct document_list list;
            alloc_fail_from(number, 1);
            os_code code = make_list(is_of_id == 1, &list);
            if (code == OS_OK)
                assert_true(list.prefix != NULL && (list.partition != NULL) == (is_of_id == 1));
            else
                assert_true(code == OS_ERR_NO_MEMORY && list.prefix == NULL && list.partition == NULL);
            document_list_free(&list);
        }
    }
}
