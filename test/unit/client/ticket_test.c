/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets: every field comes back; nothing hostile gets through. */
#include "base/text.h"
#include "client/ticket.h"
#include "unit/api/client_scratch.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONCE "0123456789abcdef0123456789abcdef"
#define SAW   "fedcba9876543210fedcba9876543210"
#define PLACE                                                                                                \
    "{\"store\":\"s3\",\"endpoint\":\"host\",\"bucket\":\"bucket\",\"prefix\":\"\",\"ledger\":\"dynamodb\"," \
    "\"ledger_endpoint\":\"host:1\",\"ledger_region\":\"region\",\"table\":\"table\",\"record_prefix\":\"\"}"

static const struct ticket_contents any = {
    .place = {.part = {"s3", "host", "bucket", "", "dynamodb", "host:1", "region", "table", ""}}};

/* Over an empty array, so that tickets can be compared as bytes. */
#define SET(array, value)                                                 \
    do {                                                                  \
        memset((array), 0, sizeof(array));                                \
        assert_true(text_copy(text_from(value), (array), sizeof(array))); \
    } while (0)

TEST(a_client_without_a_ledger_has_a_place_without_one)
{
    static const enum ticket_part of_ledger[] = {TICKET_LEDGER, TICKET_LEDGER_ENDPOINT, TICKET_LEDGER_REGION,
                                                 TICKET_TABLE};
    static const struct settings settings = {
        .store_scheme = SETTINGS_S3, .s3_endpoint = {.host = "host"}, .bucket = (char *)"bucket"};
    struct ticket_place place;
    ticket_place_of(&settings, &place);
    assert_string_equal(place.part[TICKET_STORE], "s3");
    assert_string_equal(place.part[TICKET_ENDPOINT], "host");
    assert_string_equal(place.part[TICKET_BUCKET], "bucket");
    for (size_t i = 0; i < sizeof(of_ledger) / sizeof(of_ledger[0]); i++)
        assert_string_equal(place.part[of_ledger[i]], "");
}

static struct guard_ticket full(void)
{
    struct guard_ticket ticket;
    memset(&ticket, 0, sizeof(ticket));
    ticket.operation = GUARD_PUT;
    SET(ticket.expected_etag, "\"9a\"");
    SET(ticket.our_etag, "\"8b\"");
    ticket.record.generation = UINT64_MAX;
    ticket.record.timeout_ms = UINT64_MAX - 1;
    ticket.record.ttl_s = UINT64_MAX - 2;
    ticket.record.has_fence = true;
    ticket.record.fence_s = (UINT64_C(1) << 54) + 1;
    SET(ticket.record.nonce, NONCE);
    SET(ticket.record.saw, SAW);
    ticket.d0_s = (UINT64_C(1) << 53) + 1; /* more than a double holds */
    ticket.margin_s = 3600;
    ticket.not_applied = true;
    ticket.has_length = true;
    ticket.length = (UINT64_C(1) << 53) + 3;
    ticket.half = true;
    ticket.base.exists = true;
    ticket.base.last_modified_s = -12345678901;
    SET(ticket.base.etag, "\"9a\"");
    SET(ticket.base.version_id, "v1 \"quoted\" \\ back");
    SET(ticket.base.nonce, SAW);
    return ticket;
}

#define UPLOAD "2~upload-id.of/some+length=="

static char upload[RECORD_UPLOAD_SIZE];

static void check_round_trip(const struct ticket_contents *wish, const char *key, const struct guard_ticket *ticket)
{
    struct guard_ticket read;
    os_error error = {0};
    char *read_key = NULL;
    const char *own_upload = ticket->operation == GUARD_COMPLETE ? UPLOAD : "";
    char read_upload[RECORD_UPLOAD_SIZE];
    char *text = ticket_write(&wish->place, key, own_upload, ticket);
    assert_non_null(text);
    assert_null(strpbrk(text, "\r\n"));
    CHECK_CODE(ticket_read(text, wish, &read_key, read_upload, &read, &error), OS_OK, &error);
    assert_string_equal(read_key, key);
    assert_string_equal(read_upload, own_upload);
    assert_memory_equal(&read, ticket, sizeof(read));
    free(read_key);
    free(text);
}

TEST(every_field_comes_back)
{
    struct guard_ticket ticket = full();
    check_round_trip(&any, "a/b", &ticket);
    ticket.operation = GUARD_COPY;
    ticket.record.has_fence = false;
    ticket.record.fence_s = 0;
    SET(ticket.record.saw, "");
    SET(ticket.our_etag, "");
    ticket.not_applied = false;
    SET(ticket.expected_etag, "*");
    memset(&ticket.base, 0, sizeof(ticket.base));
    check_round_trip(&any, "a/b", &ticket);
    ticket.operation = GUARD_DELETE;
    SET(ticket.expected_etag, "\"9a\"");
    SET(ticket.our_etag, "*");
    check_round_trip(&any, "a/b", &ticket);
    ticket.operation = GUARD_COMPLETE; /* R14: the upload goes along */
    SET(ticket.our_etag, "");
    ticket.record.upload = record_upload_number(UPLOAD);
    check_round_trip(&any, "a/b", &ticket);
    ticket.native_writers = true;
    check_round_trip(&any, "a/b", &ticket);
    ticket.native_writers = false;
    ticket.native = true;
    check_round_trip(&any, "a/b", &ticket);
    ticket.versioned = true;
    check_round_trip(&any, "a/b", &ticket);
    ticket.parts_in_doubt = true;
    check_round_trip(&any, "a/b", &ticket);
    ticket.forward_only = true;
    check_round_trip(&any, "a/b", &ticket);
}

TEST(what_is_no_unicode_and_the_longest_strings_come_back)
{
    struct guard_ticket ticket = full();
    char key[1025];
    memset(key, 0xff, sizeof(key) - 1); /* the worst to write */
    key[sizeof(key) - 1] = '\0';
    memset(ticket.base.version_id, 0x80, sizeof(ticket.base.version_id) - 1);
    memset(ticket.base.etag, '%', sizeof(ticket.base.etag) - 1);
    SET(ticket.base.nonce, "\xc3"); /* the first byte of a character: a nonce is cut where it must be */
    struct ticket_contents wish = {
        .place = {.part = {"file", "/srv/\xff%20\x01", "", "", "sqlite", "/srv/\xff", "", "", "\x80"}}};
    check_round_trip(&wish, key, &ticket);
}

struct hostile {
    const char *text;
    const char *says;
};

#define HEAD_OF   "{\"oscommit_ticket\":2,\"place\":" PLACE ",\"key\":\"k\","
#define RECORD_OF "\"generation\":\"7\",\"timeout_ms\":\"20000\",\"ttl\":\"1793500000\",\"nonce\":\"" NONCE "\""
#define CREATE_OF                                                                                       \
    "\"operation\":1,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"1793496400\",\"margin\":\"2\"," \
    "\"not_applied\":false,"

static const struct hostile cases[] = {
    {"", "empty"},
    {"[]", "is incomplete"},
    {"{", "not JSON"},
    {"null", "not JSON"},
    {HEAD_OF CREATE_OF RECORD_OF "} x", "not JSON"},
    {HEAD_OF CREATE_OF RECORD_OF ",\"d0\":\"1\"}", "not JSON"}, /* twice */
    {HEAD_OF CREATE_OF "\"generation\":\"7\"}", "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":7,\"timeout_ms\":\"1\",\"ttl\":\"1\",\"nonce\":\"" NONCE "\"}", "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":\"-7\",\"timeout_ms\":\"1\",\"ttl\":\"1\",\"nonce\":\"" NONCE "\"}",
     "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":\"18446744073709551616\",\"timeout_ms\":\"1\",\"ttl\":\"1\",\"nonce\":\"" NONCE
                       "\"}",
     "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":\"7\",\"timeout_ms\":\"1\",\"ttl\":\"1\",\"nonce\":\"\"}", "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":\"7\",\"timeout_ms\":\"1\",\"ttl\":\"1\",\"nonce\":\"" NONCE "0\"}",
     "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":\"7\",\"timeout_ms\":\"1\",\"ttl\":\"1\",\"nonce\":\"short\"}", "is incomplete"},
    {HEAD_OF CREATE_OF RECORD_OF ",\"saw\":1}", "is incomplete"},
    {HEAD_OF CREATE_OF RECORD_OF ",\"fence\":\"1793496400\"}", "is incomplete"}, /* not behind D0 */
    {HEAD_OF CREATE_OF RECORD_OF ",\"fence\":null}", "is incomplete"},
    {HEAD_OF CREATE_OF RECORD_OF ",\"length\":5}", "is incomplete"}, /* numbers are texts */
    {HEAD_OF CREATE_OF RECORD_OF ",\"base\":{}}", "is incomplete"},
    {HEAD_OF CREATE_OF RECORD_OF ",\"base\":{\"etag\":\"%\",\"version_id\":\"\",\"nonce\":\"\",\"last_modified\":1}}",
     "is incomplete"},
    {HEAD_OF CREATE_OF RECORD_OF
     ",\"base\":{\"etag\":\"a%00b\",\"version_id\":\"\",\"nonce\":\"\",\"last_modified\":1}}",
     "is incomplete"},
    /* DELETE under "absent" */
    {HEAD_OF "\"operation\":3,\"expected_etag\":\"*\",\"our_etag\":\"*\",\"d0\":\"1\",\"margin\":\"2\"," RECORD_OF "}",
     "is incomplete"},
    {HEAD_OF "\"operation\":4,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"1\",\"margin\":\"2\"," RECORD_OF "}",
     "is incomplete"},
    {HEAD_OF "\"operation\":5,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"1\",\"margin\":\"2\"," RECORD_OF "}",
     "is incomplete"},
    /* a Complete without an upload id that can be sent; and a PUT with one */
    {HEAD_OF "\"operation\":4,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"1\",\"margin\":\"2\"," RECORD_OF
             ",\"upload\":\"\"}",
     "is incomplete"},
    {HEAD_OF "\"operation\":4,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"1\",\"margin\":\"2\"," RECORD_OF
             ",\"upload\":\"a b\"}",
     "is incomplete"},
    {HEAD_OF CREATE_OF RECORD_OF ",\"upload\":\"a\"}", "is incomplete"},
    {HEAD_OF "\"operation\":1,\"expected_etag\":\"bare\",\"our_etag\":\"\",\"d0\":\"1\",\"margin\":\"2\"," RECORD_OF
             "}",
     "is incomplete"},
    {HEAD_OF "\"operation\":1,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"1\",\"margin\":\"3601\"," RECORD_OF
             "}",
     "is incomplete"},
    {HEAD_OF "\"operation\":1,\"expected_etag\":\"*\",\"our_etag\":\"\",\"d0\":\"9223372036854775808\",\"margin\":"
             "\"2\"," RECORD_OF "}",
     "is incomplete"},
    /* a fence that the record's timeout does not reach (T6), a ttl that is over too soon (T5) */
    {HEAD_OF CREATE_OF RECORD_OF ",\"fence\":\"1793496421\"}", "is incomplete"},
    {HEAD_OF CREATE_OF "\"generation\":\"7\",\"timeout_ms\":\"1\",\"ttl\":\"1793496999\",\"nonce\":\"" NONCE "\"}",
     "is incomplete"},
    /* other formats: an earlier one says by which nonce the object can be told */
    {"{\"oscommit_ticket\":1,\"store\":\"s3 host bucket\",\"key\":\"k\"," CREATE_OF RECORD_OF "}",
     "if its nonce is " NONCE ", the write was applied"},
    {"{\"oscommit_ticket\":3,\"place\":" PLACE ",\"key\":\"k\"," CREATE_OF RECORD_OF "}", "has format 3"},
    {"{\"oscommit_ticket\":\"2\",\"place\":" PLACE ",\"key\":\"k\"," CREATE_OF RECORD_OF "}", "is incomplete"},
    {"{\"oscommit_ticket\":2,\"place\":\"s3 host\",\"key\":\"k\"," CREATE_OF RECORD_OF "}", "does not name"},
    {"{\"oscommit_ticket\":2,\"place\":{\"store\":\"s\\u001b\"},\"key\":\"k\"," CREATE_OF RECORD_OF "}",
     "does not name"},
    {"{\"oscommit_ticket\":2,\"place\":" PLACE ",\"key\":\"a%00b\"," CREATE_OF RECORD_OF "}", "is incomplete"},
    {"{\"oscommit_ticket\":2,\"place\":" PLACE ",\"key\":\"a\\u0000b\"," CREATE_OF RECORD_OF "}", "not JSON"},
};

TEST(hostile_tickets_are_refused)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_ticket ticket;
        os_error error = {0};
        char *key = NULL;
        CHECK_CODE(ticket_read(cases[i].text, &any, &key, upload, &ticket, &error), OS_ERR_ARGUMENT, &error);
        CHECK_SAYS(&error, cases[i].says);
        assert_null(key);
    }
    struct guard_ticket ticket;
    os_error error = {0};
    char *key = NULL;
    CHECK_CODE(ticket_read(NULL, &any, &key, upload, &ticket, &error), OS_ERR_ARGUMENT, &error);
    error.code = OS_OK;
    /* and the cases differ from this one by what is wrong with them */
    CHECK_CODE(ticket_read(HEAD_OF CREATE_OF RECORD_OF "}", &any, &key, upload, &ticket, &error), OS_OK, &error);
    free(key);
}

TEST(a_flag_that_is_false_is_as_one_that_is_left_out)
{
    static const char *const names[] = {"native",         "native_writers", "versioned",
                                        "parts_in_doubt", "forward_only",   "half"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct guard_ticket ticket;
        os_error error = {0};
        char *key = NULL;
        char text[1024];
        snprintf(text, sizeof(text), HEAD_OF CREATE_OF "\"%s\":false," RECORD_OF "}", names[i]);
        CHECK_CODE(ticket_read(text, &any, &key, upload, &ticket, &error), OS_OK, &error);
        assert_false(ticket.native || ticket.native_writers || ticket.versioned || ticket.parts_in_doubt ||
                     ticket.half || ticket.forward_only);
        free(key);
    }
}

/* N4.5: no such key is deleted. */
TEST(a_delete_is_never_forward_only)
{
    struct guard_ticket wished = full();
    struct guard_ticket ticket;
    os_error error = {0};
    char *key = NULL;
    wished.operation = GUARD_DELETE;
    wished.forward_only = true;
    SET(wished.our_etag, "*");
    char *text = ticket_write(&any.place, "a/b", NULL, &wished);
    assert_non_null(strstr(text, "forward_only"));
    CHECK_CODE(ticket_read(text, &any, &key, upload, &ticket, &error), OS_OK, &error);
    assert_false(ticket.forward_only);
    free(key);
    free(text);
}

TEST(a_ticket_that_is_too_long_or_too_deep_is_refused)
{
    struct guard_ticket ticket;
    os_error error = {0};
    char *key = NULL;
    size_t size = 32 * 1024 + 2;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '[', size - 1);
    text[size - 1] = '\0';
    CHECK_CODE(ticket_read(text, &any, &key, upload, &ticket, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "32 KiB");
    text[size - 2] = '\0';
    CHECK_CODE(ticket_read(text, &any, &key, upload, &ticket, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "not JSON");
    free(text);
}

TEST(a_ticket_cut_anywhere_is_refused)
{
    struct guard_ticket ticket = full();
    char *text = ticket_write(&any.place, "k", NULL, &ticket);
    assert_non_null(text);
    for (size_t len = strlen(text); len-- > 0;) {
        struct guard_ticket read;
        os_error error = {0};
        char *key = NULL;
        text[len] = '\0';
        CHECK_CODE(ticket_read(text, &any, &key, upload, &read, &error), OS_ERR_ARGUMENT, &error);
    }
    free(text);
}

static os_code read_dump(const json_t *object, os_error *err)
{
    struct guard_ticket read;
    char *key = NULL;
    char *text = json_dumps(object, JSON_COMPACT);
    assert_non_null(text);
    os_code code = ticket_read(text, &any, &key, upload, &read, err);
    free(key);
    free(text);
    return code;
}

static void check_without(json_t *ticket, json_t *part, const char *name)
{
    static const char *const optional[] = {"saw", "fence", "base", "not_applied"};
    json_t *value = json_incref(json_object_get(part, name));
    bool is_optional = false;
    os_error err;
    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
        is_optional |= strcmp(name, optional[i]) == 0;
    json_object_del(part, name);
    assert_int_equal(read_dump(ticket, &err), is_optional ? OS_OK : OS_ERR_ARGUMENT);
    if (strcmp(name, "not_applied") != 0) { /* anything but true is false */
        json_object_set_new(part, name, json_array());
        assert_int_equal(read_dump(ticket, &err), OS_ERR_ARGUMENT);
        CHECK_SAYS(&err, strcmp(name, "place") == 0 ? "does not name" : "is incomplete");
    }
    json_object_set_new(part, name, value);
}

TEST(a_ticket_without_a_field_or_with_a_wrong_one_is_refused)
{
    static const char *const names[] = {
        "oscommit_ticket", "place", "key",   "operation", "expected_etag", "our_etag", "generation",
        "timeout_ms",      "ttl",   "nonce", "saw",       "fence",         "d0",       "margin",
        "not_applied",     "base"};
    static const char *const base_names[] = {"etag", "version_id", "nonce", "last_modified"};
    struct guard_ticket ticket = full();
    os_error err;
    ticket.d0_s = 7;
    ticket.record.fence_s = 17;
    char *text = ticket_write(&any.place, "k", NULL, &ticket);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    assert_int_equal(read_dump(object, &err), OS_OK);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        check_without(object, object, names[i]);
    for (size_t i = 0; i < sizeof(base_names) / sizeof(base_names[0]); i++)
        check_without(object, json_object_get(object, "base"), base_names[i]);
    assert_int_equal(read_dump(object, &err), OS_OK);
    json_decref(object);
    free(text);
}

TEST(numbers_out_of_bounds_and_foreign_nonces_are_refused)
{
    static const struct {
        const char *name, *value;
    } wrong[] = {{"margin", "3601"},
                 {"d0", "9223372036854775808"},
                 {"nonce", "0123456789abcdef0123456789abcdeg"},
                 {"expected_etag", "W/\"9a\""}};
    struct guard_ticket ticket = full();
    os_error err;
    ticket.d0_s = 7;
    ticket.record.fence_s = 17;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char *text = ticket_write(&any.place, "k", NULL, &ticket);
        json_t *object = json_loads(text, 0, NULL);
        json_object_set_new(object, wrong[i].name, json_string(wrong[i].value));
        assert_int_equal(read_dump(object, &err), OS_ERR_ARGUMENT);
        json_object_set_new(object, "operation", json_integer(0));
        assert_int_equal(read_dump(object, &err), OS_ERR_ARGUMENT);
        json_decref(object);
        free(text);
    }
}

/* ------------------------------------------------------------------------------------------------ places and keys */

static os_code read_of(const struct ticket_contents *writer, const char *key, const struct ticket_contents *reader,
                       os_error *err)
{
    struct guard_ticket ticket = full();
    struct guard_ticket read;
    char *read_key = NULL;
    char *text = ticket_write(&writer->place, key, NULL, &ticket);
    assert_non_null(text);
    os_code code = ticket_read(text, reader, &read_key, upload, &read, err);
    free(read_key);
    free(text);
    return code;
}

TEST(each_part_of_the_place_must_be_the_same)
{
    for (size_t i = 0; i < TICKET_PARTS; i++) {
        struct ticket_contents other = any;
        os_error err;
        other.place.part[i] = i == TICKET_PREFIX ? "a/" : "else";
        assert_int_equal(read_of(&other, "a/b", &any, &err), OS_ERR_ARGUMENT);
        CHECK_SAYS(&err, "another store");
        CHECK_SAYS(&err, other.place.part[i]);
        bool endpoint = i == TICKET_ENDPOINT || i == TICKET_LEDGER_ENDPOINT;
        struct ticket_contents told = any;
        told.same_store = true;
        assert_int_equal(read_of(&other, "a/b", &told, &err), endpoint ? OS_OK : OS_ERR_ARGUMENT);
    }
}

/* A blank at the end of one part is none at the beginning of the next. */
TEST(no_two_places_look_alike)
{
    struct ticket_contents one = any;
    struct ticket_contents other = any;
    os_error err;
    one.place.part[TICKET_TABLE] = "led p";
    other.place.part[TICKET_TABLE] = "led";
    other.place.part[TICKET_RECORD_PREFIX] = "p";
    assert_int_equal(read_of(&one, "k", &other, &err), OS_ERR_ARGUMENT);
    one.place.part[TICKET_TABLE] = "a%20b";
    other = one;
    other.place.part[TICKET_TABLE] = "a b";
    assert_int_equal(read_of(&one, "k", &other, &err), OS_ERR_ARGUMENT);
    assert_int_equal(read_of(&other, "k", &one, &err), OS_ERR_ARGUMENT);
    assert_int_equal(read_of(&one, "k", &one, &err), OS_OK);
}

TEST(a_ticket_is_of_the_key_that_is_asked_for)
{
    struct ticket_contents of = any;
    os_error err;
    of.key = "a/b";
    assert_int_equal(read_of(&any, "a/b", &of, &err), OS_OK);
    assert_int_equal(read_of(&any, "a/c", &of, &err), OS_ERR_ARGUMENT);
    CHECK_SAYS(&err, "for the object a/c, not for a/b");
}

TEST(a_key_outside_the_prefix_is_refused)
{
    struct ticket_contents of = any;
    os_error err;
    of.place.part[TICKET_PREFIX] = "team/";
    assert_int_equal(read_of(&of, "team/k", &of, &err), OS_OK);
    assert_int_equal(read_of(&of, "other/k", &of, &err), OS_ERR_ARGUMENT);
    CHECK_SAYS(&err, "outside the prefix team/");
}

static size_t until_failure;

static void *all_but_one_malloc(size_t size)
{
    return until_failure-- == 0 ? NULL : malloc(size);
}

/* jansson leaves out what it has no memory for, in writing a key and in reading a string. */
TEST(a_ticket_that_finds_no_memory_is_none)
{
    struct guard_ticket ticket = full();
    char *whole = ticket_write(&any.place, "a/b", "", &ticket);
    size_t failures = 0;
    for (size_t failing = 0; failing < 400; failing++) {
        struct guard_ticket read;
        char *key = NULL;
        until_failure = failing;
        json_set_alloc_funcs(all_but_one_malloc, free);
        char *text = ticket_write(&any.place, "a/b", "", &ticket);
        until_failure = failing;
        os_code code = ticket_read(whole, &any, &key, upload, &read, NULL);
        json_set_alloc_funcs(malloc, free);
        assert_true(text == NULL || strcmp(text, whole) == 0);
        assert_true(code != OS_OK || (memcmp(&read, &ticket, sizeof(read)) == 0 && strcmp(key, "a/b") == 0));
        failures += (size_t)(text == NULL) + (size_t)(code != OS_OK);
        free(key);
        free(text);
    }
    assert_in_range(failures, 100, 799); /* some were hit, and the last were not */
    free(whole);
}
