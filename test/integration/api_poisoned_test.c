/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that no writer of this protocol has written: of each kind, a contender says which one is in its way and how
 * to mend it, a person sees it, hands it over by force, and the next write succeeds. (Those of an SQLite ledger are in
 * unit/api/poisoned_test.c.)
 */
#include "support/raw_service.h"
#include "support/suite.h"
#include "syntax/json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a kind does to a record that is held without a fence for an hour: `attribute` gets `value` (JSON), or is taken
 * away. */
struct kind {
    const char *name;
    const char *attribute;
    const char *value; /* NULL: missing */
    const char *shown; /* what its list says of it; NULL: it is a record all the same */
    const char *held;  /* what is said to one who would release it without force; NULL: of no importance */
};

#define CROWD  "crowd"  /* a list of more elements than an answer may have (syntax/json.h) */
#define LENGTH "length" /* a very long string */

static const struct kind kinds[] = {
    {"generation-string", "generation", "{\"S\":\"5\"}", "\"generation\" is not a number", NULL},
    {"generation-missing", "generation", NULL, "\"generation\" is missing", NULL},
    {"generation-negative", "generation", "{\"N\":\"-1\"}", "\"generation\" is not a plain", NULL},
    {"generation-fraction", "generation", "{\"N\":\"1.5\"}", "\"generation\" is not a plain", NULL},
    {"generation-exponent", "generation", "{\"N\":\"1E+30\"}", "\"generation\" is not a plain", NULL},
    {"generation-too-large", "generation", "{\"N\":\"18446744073709551616\"}", "\"generation\" is not a", NULL},
    {"generation-binary", "generation", "{\"B\":\"AAEC\"}", "\"generation\" is not a number", NULL},
    {"generation-null", "generation", "{\"NULL\":true}", "\"generation\" is not a number", NULL},
    {"generation-last", "generation", "{\"N\":\"18446744073709551615\"}", NULL, NULL},
    {"timeout-string", "timeout", "{\"S\":\"20000\"}", "\"timeout\" is not a number", NULL},
    {"timeout-missing", "timeout", NULL, "\"timeout\" is missing", NULL},
    {"timeout-for-ever", "timeout", "{\"N\":\"18446744073709551615\"}", NULL, "for ever"},
    {"ttl-missing", "ttl", NULL, "\"ttl\" is missing", NULL},
    {"ttl-string", "ttl", "{\"S\":\"2026\"}", "\"ttl\" is not a number", NULL},
    {"ttl-fraction", "ttl", "{\"N\":\"1800000000.25\"}", "\"ttl\" is not a plain", NULL},
    {"ttl-far", "ttl", "{\"N\":\"99999999999999\"}", NULL, NULL},
    {"ttl-last", "ttl", "{\"N\":\"18446744073709551615\"}", NULL, NULL},
    {"fence-last", "fence", "{\"N\":\"18446744073709551615\"}", NULL, "no time (18446744073709551615)"},
    {"fence-far", "fence", "{\"N\":\"253402300799\"}", NULL, "9999-12-31 23:59:59 UTC"},
    {"fence-string", "fence", "{\"S\":\"12\"}", "\"fence\" is not a number", NULL},
    {"fence-set", "fence", "{\"NS\":[\"1\",\"2\"]}", "\"fence\" is not a number", NULL},
    {"nonce-long", "nonce", "{\"S\":\"0123456789abcdef0123456789abcdef0\"}", "\"nonce\" is longer", NULL},
    {"nonce-short", "nonce", "{\"S\":\"x\"}", NULL, NULL},
    {"nonce-controls", "nonce", "{\"S\":\"\\u001b[2J\\r\\n\"}", NULL, NULL},
    {"nonce-empty", "nonce", "{\"S\":\"\"}", "\"nonce\" is not a string", NULL},
    {"nonce-number", "nonce", "{\"N\":\"12345678\"}", "\"nonce\" is not a string", NULL},
    {"nonce-nul", "nonce", "{\"S\":\"a\\u0000b\"}", "\"nonce\" is not a string", NULL},
    {"nonce-map", "nonce", "{\"M\":{\"a\":{\"L\":[{\"S\":\"b\"}]}}}", "\"nonce\" is not a string", NULL},
    {"nonce-crowd", "nonce", CROWD, "too large", NULL},
    {"nonce-length", "nonce", LENGTH, "\"nonce\" is longer", NULL},
    {"saw-number", "saw", "{\"N\":\"1\"}", "\"saw\" is not a string", NULL},
    {"upload-lines", "upload", "{\"S\":\"id\\r\\nx-amz-evil: 1\"}", NULL, NULL},
    {"upload-controls", "upload", "{\"S\":\"\\u0001\\u001b[2J\"}", NULL, NULL},
    {"upload-nul", "upload", "{\"S\":\"a\\u0000\"}", "\"upload\" is not a string", NULL},
    {"upload-number", "upload", "{\"N\":\"7\"}", "\"upload\" is not a string", NULL},
    {"upload-length", "upload", LENGTH, "\"upload\" is longer", NULL},
    {"upload-unknown", "upload", "{\"S\":\"no-such-upload\"}", NULL, NULL},
    {"other-map", "owner", "{\"M\":{\"name\":{\"S\":\"x\"}}}", NULL, NULL},
    {"other-crowd", "owner", CROWD, NULL, NULL},
};

static json_t *crowd(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < JSON_VALUES_MAX / 2 + 1; i++) /* each is an object with a value in it */
        json_array_append_new(list, json_pack("{s:b}", "NULL", 1));
    return json_pack("{s:o}", "L", list);
}

static json_t *length(void)
{
    char *text = malloc(300001);
    assert_non_null(text);
    memset(text, 'n', 300000);
    text[300000] = '\0';
    json_t *value = json_pack("{s:s}", "S", text);
    free(text);
    return value;
}

static json_t *value_of(const struct kind *kind)
{
    if (strcmp(kind->value, CROWD) == 0)
        return crowd();
    if (strcmp(kind->value, LENGTH) == 0)
        return length();
    return json_loads(kind->value, JSON_ALLOW_NUL, NULL);
}

/* False: this server does not take such an item. */
static bool poison(const struct fixture *f, const char *key, const struct kind *kind)
{
    char ttl[32];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3600);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", key, "etag", "S", "*",
                             "generation", "N", "5", "timeout", "N", "3600000", "ttl", "N", ttl, "nonce", "S",
                             "00000000000000000000000000000bad");
    assert_non_null(item);
    json_object_del(item, kind->attribute);
    if (kind->value != NULL)
        assert_int_equal(json_object_set_new(item, kind->attribute, value_of(kind)), 0);
    return raw_put_item(f->ledger_endpoint, f->table, item);
}

struct sight {
    unsigned count;
    char unreadable[512];
    bool whole; /* `other` has what stands there */
};

static int look(void *context, const os_record *record)
{
    struct sight *sight = context;
    sight->count++;
    snprintf(sight->unreadable, sizeof(sight->unreadable), "%s", record->unreadable);
    sight->whole = strstr(record->other, "\"etag\"") != NULL || strstr(record->other, "too large") != NULL;
    return 0;
}

static void check_contender(os_client *client, const char *key, uint64_t deadline_ms)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    CLEARED struct outcome outcome = create(client, key, "contender", &call);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_SAYS(&outcome.error, key);
    CHECK_SAYS(&outcome.error, "(etag *");
    CHECK_SAYS(&outcome.error, "oscommit table release");
    CHECK_ABSENT(client, key);
}

static void check_seen(os_client *client, const char *key, const struct kind *kind)
{
    struct sight sight = {0};
    os_error error;
    CHECK_CODE(os_table_list(client, key, NULL, look, &sight, &error), OS_OK, &error);
    assert_int_equal(sight.count, 1);
    if (kind->shown == NULL) {
        assert_string_equal(sight.unreadable, "");
        return;
    }
    if (strstr(sight.unreadable, kind->shown) == NULL)
        fail_msg("%s: shown as %s", kind->name, sight.unreadable);
    assert_true(sight.whole);
}

static void check_mended(os_client *client, const char *key, const struct kind *kind)
{
    os_error error;
    assert_int_not_equal(os_table_release(client, key, NULL, 0, NULL, &error), OS_OK);
    CHECK_SAYS(&error, key);
    CHECK_SAYS(&error, "force");
    if (kind->held != NULL)
        CHECK_SAYS(&error, kind->held);
    CHECK_CODE(os_table_release(client, key, NULL, 1, NULL, &error), OS_OK, &error);
    CLEARED struct outcome done = create(client, key, "next", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    CHECK_OBJECT(client, key, "next");
}

SUITE_TEST(every_kind_is_told_shown_and_mended, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    unsigned refused = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const char *key = fixture_key(f, kinds[i].name);
        print_message("%s\n", kinds[i].name);
        if (!poison(f, key, &kinds[i])) {
            refused++; /* this server does not take it: dynalite knows no empty string */
            continue;
        }
        check_contender(client, key, 5000);
        check_seen(client, key, &kinds[i]);
        check_mended(client, key, &kinds[i]);
    }
    assert_true(refused <= 1);
}

/* ------------------------------------------------------------------------------------------------ dead holders */

static bool poison_dead(const struct fixture *f, const char *key, const char *name, const char *type, const char *value)
{
    char ttl[32];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3600);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", key, "etag", "S",
                             "*", "generation", "N", "5", "timeout", "N", "3600000", "ttl", "N", ttl, "nonce", "S",
                             "00000000000000000000000000000bad", "fence", "N", "1000000000");
    assert_non_null(item);
    assert_int_equal(json_object_set_new(item, name, json_pack("{s:s}", type, value)), 0);
    return raw_put_item(f->ledger_endpoint, f->table, item);
}

/* R14: who takes over aborts the upload. */
SUITE_TEST(an_upload_that_is_not_there_is_passed_when_its_holder_is_dead, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "dead-upload");
    assert_true(poison_dead(f, key, "upload", "S", "no-such-upload"));
    CLEARED struct outcome done = create(client, key, "next", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_true(done.result.took_over);
}

SUITE_TEST(an_upload_id_that_no_request_can_name_is_told_at_once_and_mended, 0)
{
    static const char *const ids[] = {"id\r\nx-amz-evil: 1", "\x01\x1b[2J", "\x7f"};
    static const struct kind any = {"dead-upload", "upload", NULL, NULL, "cannot be sent"};
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        const char *key = fixture_key(f, "dead-upload");
        assert_true(poison_dead(f, key, "upload", "S", ids[i]));
        uint64_t start = now_ms();
        check_contender(client, key, 100000);
        assert_true(now_ms() - start < 60000); /* not at the deadline */
        check_mended(client, key, &any);
    }
}

SUITE_TEST(the_last_generation_is_told_and_released_without_force_when_its_holder_is_dead, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_error error;
    const char *key = fixture_key(f, "dead-last");
    assert_true(poison_dead(f, key, "generation", "N", "18446744073709551615"));
    check_contender(client, key, 5000);
    CHECK_CODE(os_table_release(client, key, NULL, 0, NULL, &error), OS_OK, &error);
    json_t *item = raw_item(f->ledger_endpoint, f->table, key, "*");
    assert_string_equal(raw_attribute(item, "timeout", 'N'), "0");
    assert_true(strlen(raw_attribute(item, "generation", 'N')) <= 15); /* T2 */
    json_decref(item);
    CLEARED struct outcome done = create(client, key, "next", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
}

/* ------------------------------------------------------------------------------------------------ in between */

struct mending {
    os_client *client;
    const char *key;
    os_code code;
    os_error error;
};

static void *mend(void *argument)
{
    struct mending *mending = argument;
    mending->code = os_table_release(mending->client, mending->key, NULL, 1, NULL, &mending->error);
    return NULL;
}

/* What stands there when the mending PutItem arrives is not what was read before: it stays. */
static void stays(struct fixture *f, const struct kind *kind, json_t *between)
{
    struct mending mending = {.code = OS_OK};
    pthread_t thread;
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    mending.client = fixture_client(&options);
    mending.key = fixture_key(f, "between");
    assert_true(poison(f, mending.key, kind));
    struct fault_rule hold = {.match = {.target = "PutItem"}, .action = FAULT_HOLD, .times = 1};
    unsigned id = fault_proxy_add(f->ledger_proxy, &hold);
    assert_int_equal(pthread_create(&thread, NULL, mend, &mending), 0);
    assert_true(fault_proxy_wait_hits(f->ledger_proxy, id, 1, 60000));
    json_object_set_new(between, "path", json_pack("{s:s}", "S", mending.key));
    assert_true(raw_put_item(f->ledger_endpoint, f->table, json_incref(between)));
    fault_proxy_release(f->ledger_proxy, id, FAULT_FORWARD);
    pthread_join(thread, NULL);
    CHECK_CODE(mending.code, OS_ERR_BUSY, &mending.error);
    json_t *item = raw_item(f->ledger_endpoint, f->table, mending.key, "*");
    assert_true(json_equal(item, between));
    json_decref(item);
    json_decref(between);
    os_client_close(mending.client);
}

static const struct kind *kind_named(const char *name)
{
    const struct kind *kind = kinds;
    while (strcmp(kind->name, name) != 0)
        kind++;
    return kind;
}

static json_t *healthy(void)
{
    char ttl[32];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3600);
    return json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "etag", "S", "*", "generation", "N", "7", "timeout",
                     "N", "20000", "ttl", "N", ttl, "nonce", "S", "0123456789abcdef0123456789abcdef");
}

SUITE_TEST(a_record_that_came_in_between_is_not_overwritten, 0)
{
    static const char *const names[] = {"generation-missing", "generation-string", "nonce-crowd", "nonce-map"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        stays(f, kind_named(names[i]), healthy());
}

SUITE_TEST(another_item_that_came_in_between_is_not_overwritten, 0)
{
    json_t *other = healthy();
    json_object_set_new(other, "generation", json_pack("{s:s}", "N", "-2"));
    stays(f, kind_named("generation-negative"), other);
    other = healthy();
    json_object_set_new(other, "saw", json_pack("{s:s}", "N", "1"));
    stays(f, kind_named("saw-number"), other);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {
        .name = "poisoned records", .needs = BACKEND_DYNAMO, .only = "minio,minio+dynalite"};
    return suite_main(&suite, argc, argv);
}
