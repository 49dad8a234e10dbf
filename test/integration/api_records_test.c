/* SPDX-License-Identifier: Apache-2.0 */
/* The records in the table, read back as DynamoDB has them (T1-T4), and records that others have made (R11, R12). */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static json_t *record_of(const struct fixture *f, const char *key, const char *etag)
{
    json_t *item = raw_item(f->ledger_endpoint, f->table, key, etag);
    assert_non_null(item);
    return item;
}

/* A number in its plain form: digits only, no leading zero. */
static unsigned long long plain_number(const json_t *item, const char *name)
{
    const char *text = raw_attribute(item, name, 'N');
    assert_non_null(text);
    assert_int_equal(strspn(text, "0123456789"), strlen(text));
    return strtoull(text, NULL, 10);
}

static const char *string_of(const json_t *item, const char *name)
{
    const char *text = raw_attribute(item, name, 'S');
    assert_non_null(text);
    return text;
}

SUITE_TEST(a_record_is_what_t1_and_t2_say, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    bool fence = (f->backend->features & BACKEND_FENCE) != 0;
    unsigned long long largest = 0;
    for (int i = 0; i < 6; i++) {
        bool blanks = (f->backend->features & BACKEND_BLANKS) != 0;
        const char *key = fixture_key(f, blanks ? "records/with space +%" : "records/with+%");
        CLEARED struct outcome done = create(client, key, "x", NULL);
        CHECK_VERDICT(done, OS_COMMITTED);
        os_object object = OS_OBJECT_INIT;
        os_error error;
        CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);

        json_t *item = record_of(f, key, "*"); /* the key verbatim, no bucket, not encoded */
        assert_int_equal(json_object_size(item), fence ? 8 : 7);
        assert_string_equal(string_of(item, "bucket"), f->bucket); /* T4.3 */
        assert_string_equal(string_of(item, "path"), key);
        assert_string_equal(string_of(item, "etag"), "*");
        assert_int_equal(plain_number(item, "generation"), done.result.generation);
        assert_in_range(plain_number(item, "generation"), 0, (1ULL << 48) - 1);
        assert_int_equal(plain_number(item, "timeout"), 20000);
        assert_string_equal(string_of(item, "nonce"), object.nonce);
        assert_int_equal(strspn(object.nonce, "0123456789abcdef"), 32);
        time_t now = time(NULL);
        assert_in_range(plain_number(item, "ttl"), (unsigned long long)now + 3600 - 30,
                        (unsigned long long)now + 3600 + 30);
        if (fence) { /* D0 + length 5 + allowance 5 */
            assert_in_range(plain_number(item, "fence"), (unsigned long long)now - 20, (unsigned long long)now + 11);
            assert_int_equal(plain_number(item, "ttl") - plain_number(item, "fence"), 3600 - 10);
        }
        largest = plain_number(item, "generation") > largest ? plain_number(item, "generation") : largest;
        json_decref(item);
    }
    assert_true(largest > 1ULL << 40); /* six random 48-bit numbers: all smaller once in 2^48 runs */
}

SUITE_TEST(a_replacing_record_has_the_quoted_etag_and_what_it_saw, 0)
{
    os_options options = fixture_options(f);
    os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "saw");
    CLEARED struct outcome first = create(client, key, "one", NULL);
    CHECK_VERDICT(first, OS_COMMITTED);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    os_client_close(client);
    client =
        fixture_client(&options); /* a new one has no recent Date: its HEAD comes first, so what it saw is known (R3) */
    CLEARED struct outcome second = replace(client, key, first.result.etag, "two", NULL);
    CHECK_VERDICT(second, OS_COMMITTED);
    json_t *item = record_of(f, key, first.result.etag);
    assert_string_equal(string_of(item, "saw"), object.nonce);
    assert_string_not_equal(string_of(item, "nonce"), object.nonce);
    assert_null(json_object_get(item, "upload"));
    json_decref(item);
    os_client_close(client);
}

SUITE_TEST(a_released_record_is_what_t3_says, 0)
{
    os_options options = fixture_options(f);
    options.release = OS_RELEASE_ALWAYS;
    os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "released");
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    os_client_close(client); /* waits for the release */
    json_t *item = record_of(f, key, "*");
    assert_int_equal(plain_number(item, "timeout"), 0);
    assert_int_equal(plain_number(item, "generation"), done.result.generation + 1);
    assert_string_equal(string_of(item, "nonce"), object.nonce);
    assert_int_equal(json_object_get(item, "fence") != NULL, (f->backend->features & BACKEND_FENCE) != 0);
    time_t now = time(NULL);
    assert_in_range(plain_number(item, "ttl"), (unsigned long long)now + 3600 - 30,
                    (unsigned long long)now + 3600 + 30);
    json_decref(item);
}

SUITE_TEST(the_record_prefix_stands_before_the_key, 0)
{
    os_options options = fixture_options(f);
    options.record_prefix = "bucket-7/";
    CLOSED os_client *client = fixture_client(&options);
    char path[96];
    const char *key = fixture_key(f, "prefixed");
    snprintf(path, sizeof(path), "bucket-7/%s", key);
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    json_decref(record_of(f, path, "*"));
    assert_int_equal(raw_count_items(f->ledger_endpoint, f->table, key), 0);
}

SUITE_TEST(a_longer_attempt_writes_a_longer_lease, BACKEND_FENCE)
{
    os_options options = fixture_options(f);
    options.stage_above = 8U << 20; /* nothing goes in parts */
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "large");
    const size_t size = 1U << 20; /* more than leaves in one write: allowance 70 s */
    char *data = calloc(1, size);
    assert_non_null(data);
    os_body body = OS_BODY_MEMORY(data, size);
    CLEARED struct outcome done = {.result = OS_RESULT_INIT};
    done.verdict = os_put_if_absent(client, key, &body, NULL, NULL, &done.result, &done.error);
    CHECK_VERDICT(done, OS_COMMITTED);
    json_t *item = record_of(f, key, "*");
    assert_in_range(plain_number(item, "timeout"), 77000, 120000); /* T6: length 5 + allowance 70 + margin 2 */
    json_decref(item);
    free(data);
}

/* ------------------------------------------------------------------------------------------- others' records */

/* As object_store writes it: generation 0, its lease, a ttl of an hour; no nonce, no fence. */
static void put_peer_record(const struct fixture *f, const char *key, const char *generation, const char *timeout_ms)
{
    char ttl[32];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3600);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", key, "etag", "S", "*",
                             "generation", "N", generation, "timeout", "N", timeout_ms, "ttl", "N", ttl);
    assert_true(raw_put_item(f->ledger_endpoint, f->table, item));
}

SUITE_TEST(a_peers_record_is_waited_for_its_full_lease_times_rate, 0)
{
    os_options options = fixture_fast_options(f); /* rate 2 */
    options.timeout_ms = 60000;                   /* were it waited for instead: two minutes */
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "peer");
    put_peer_record(f, key, "0", "1500");
    uint64_t start = now_ms();
    CLEARED struct outcome done = create(client, key, "x", NULL);
    uint64_t took = now_ms() - start;
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_in_range(took, 3000, 60000);
    assert_true(done.result.took_over);
    assert_int_equal(done.result.generation, 1);
    assert_in_range(done.result.waited_ms, 2500, 60000);
    json_t *item = record_of(f, key, "*");
    assert_int_equal(plain_number(item, "generation"), 1);
    assert_int_equal(strlen(string_of(item, "nonce")), 32);
    json_decref(item);
}

SUITE_TEST(a_peers_long_lease_is_not_cut_short, 0)
{
    os_options options = fixture_fast_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "peer-long");
    put_peer_record(f, key, "0", "60000"); /* two minutes' wait */
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 6000;
    uint64_t start = now_ms();
    CLEARED struct outcome busy = create(client, key, "x", &call);
    assert_in_range(now_ms() - start, 5800, 60000);
    CHECK_VERDICT(busy, OS_NOT_EXECUTED);
    CHECK_ERROR(busy, OS_ERR_BUSY);
    assert_int_equal(busy.result.attempts, 0);
    CHECK_SAYS(&busy.error, key);
    CHECK_ABSENT(client, key);
    json_t *item = record_of(f, key, "*"); /* untouched */
    assert_int_equal(plain_number(item, "generation"), 0);
    assert_int_equal(plain_number(item, "timeout"), 60000);
    json_decref(item);
}

SUITE_TEST(a_peers_commit_is_a_conflict_while_waiting, 0)
{
    os_options options = fixture_fast_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "peer-commit");
    put_peer_record(f, key, "0", "60000"); /* two minutes' wait */
    char path[160];
    snprintf(path, sizeof(path), "/%s/%s", f->bucket, key);
    assert_int_equal(raw_s3(f->store_endpoint, "PUT", path, "the peer's", NULL), 200);
    uint64_t start = now_ms();
    CLEARED struct outcome outcome = create(client, key, "ours", NULL);
    CHECK_VERDICT(outcome, OS_CONFLICT);
    assert_true(now_ms() - start < 60000);
    CHECK_OBJECT(client, key, "the peer's");
}

SUITE_TEST(a_released_record_is_taken_over_at_once, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "peer-released");
    put_peer_record(f, key, "7", "0");
    uint64_t start = now_ms();
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_true(now_ms() - start < 30000); /* a lease of ours, waited for: a minute */
    assert_true(done.result.took_over);
    assert_int_equal(done.result.generation, 8);
}

static void put_record_with(const struct fixture *f, const char *key, const char *name, json_t *value)
{
    char ttl[32];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3600);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", key, "etag", "S", "*",
                             "generation", "N", "5", "timeout", "N", "0", "ttl", "N", ttl);
    assert_non_null(item);
    assert_int_equal(json_object_set_new(item, name, value), 0);
    assert_true(raw_put_item(f->ledger_endpoint, f->table, item));
}

SUITE_TEST(an_unknown_attribute_of_any_type_is_ignored, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "unknown-attribute");
    put_record_with(f, key, "owner", json_pack("{s:{s:{s:s},s:{s:b}}}", "M", "name", "S", "x", "flag", "BOOL", 1));
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_int_equal(done.result.generation, 6);
}

SUITE_TEST(a_known_attribute_of_a_wrong_form_is_reported_and_left_alone, 0)
{
    static const struct {
        const char *name;
        const char *type;
        const char *value;
    } wrong[] = {{"generation", "S", "5"}, {"generation", "N", "-1"}, {"generation", "N", "1.5"}, {"timeout", "S", "0"},
                 {"ttl", "N", "0.25"},     {"fence", "S", "12"},      {"nonce", "N", "12345678"}};
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *key = fixture_key(f, "wrong-attribute");
        put_record_with(f, key, wrong[i].name, json_pack("{s:s}", wrong[i].type, wrong[i].value));
        CLEARED struct outcome outcome = create(client, key, "x", NULL);
        CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
        CHECK_SAYS(&outcome.error, wrong[i].name);
        CHECK_SAYS(&outcome.error, key);
        assert_int_equal(outcome.result.attempts, 0);
        CHECK_ABSENT(client, key);
    }
}

/* ------------------------------------------------------------------------------------- listing and releasing */

struct rows {
    unsigned count;
    uint64_t generation;
    uint64_t timeout_ms;
    char etag[64];
    char nonce[64];
    char other[128];
    int has_fence;
};

static int collect_row(void *context, const os_record *record)
{
    struct rows *rows = context;
    rows->count++;
    rows->generation = record->generation;
    rows->timeout_ms = record->timeout_ms;
    rows->has_fence = record->has_fence;
    snprintf(rows->etag, sizeof(rows->etag), "%s", record->etag);
    snprintf(rows->nonce, sizeof(rows->nonce), "%s", record->nonce);
    snprintf(rows->other, sizeof(rows->other), "%s", record->other);
    return 0;
}

SUITE_TEST(the_records_of_a_key_are_listed, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "listed");
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    struct rows rows = {0};
    os_error error;
    CHECK_CODE(os_table_list(client, key, NULL, collect_row, &rows, &error), OS_OK, &error);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.generation, done.result.generation);
    assert_true(rows.timeout_ms > 0);
    assert_string_equal(rows.etag, "*");
    assert_string_equal(rows.other, "{}");
    assert_int_equal(strlen(rows.nonce), 32);
    CLEARED struct outcome again = replace(client, key, done.result.etag, "y", NULL);
    CHECK_VERDICT(again, OS_COMMITTED);
    rows = (struct rows){0};
    CHECK_CODE(os_table_list(client, key, NULL, collect_row, &rows, &error), OS_OK, &error);
    assert_int_equal(rows.count, 2);
    rows = (struct rows){0};
    CHECK_CODE(os_table_list(client, NULL, NULL, collect_row, &rows, &error), OS_OK, &error);
    assert_true(rows.count >= 2);
    rows = (struct rows){0};
    CHECK_CODE(os_table_list(client, "no-such-key", NULL, collect_row, &rows, &error), OS_OK, &error);
    assert_int_equal(rows.count, 0);
}

SUITE_TEST(a_stuck_record_is_released_only_by_force_while_it_may_be_written_under, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "stuck");
    put_peer_record(f, key, "3", "600000"); /* no fence: its holder's attempt is never dead */
    os_error error;
    assert_int_equal(os_table_release(client, key, NULL, 0, NULL, &error), OS_ERR_BUSY);
    CHECK_SAYS(&error, key);
    CHECK_CODE(os_table_release(client, key, "*", 1, NULL, &error), OS_OK, &error);
    json_t *item = record_of(f, key, "*");
    assert_int_equal(plain_number(item, "generation"), 4);
    assert_int_equal(plain_number(item, "timeout"), 0);
    assert_null(json_object_get(item, "nonce"));
    json_decref(item);
    uint64_t start = now_ms();
    CLEARED struct outcome done = create(client, key, "x", NULL);
    CHECK_VERDICT(done, OS_COMMITTED);
    assert_true(now_ms() - start < 30000); /* a lease of ours, waited for: a minute */
    assert_int_equal(os_table_release(client, "no-such-record", NULL, 1, NULL, &error), OS_ERR_NOT_FOUND);
    CHECK_SAYS(&error, "no-such-record");
}

SUITE_TEST(a_record_whose_fence_has_passed_is_released_without_force, BACKEND_FENCE)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    const char *key = fixture_key(f, "fence-passed");
    char ttl[32];
    char fence[32];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)time(NULL) + 3600);
    snprintf(fence, sizeof(fence), "%lld", (long long)time(NULL) - 20);
    json_t *item = json_pack("{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{s:s}}", "path", "S", key, "etag", "S",
                             "*", "generation", "N", "281474976710655", "timeout", "N", "600000", "ttl", "N", ttl,
                             "fence", "N", fence, "nonce", "S", "0123456789abcdef0123456789abcdef");
    assert_true(raw_put_item(f->ledger_endpoint, f->table, item));
    os_error error;
    CHECK_CODE(os_table_release(client, key, NULL, 0, NULL, &error), OS_OK, &error);
    item = record_of(f, key, "*");
    assert_int_equal(plain_number(item, "generation"), 281474976710656ULL);
    assert_int_equal(plain_number(item, "timeout"), 0);
    assert_string_equal(string_of(item, "nonce"), "0123456789abcdef0123456789abcdef");
    assert_string_equal(raw_attribute(item, "fence", 'N'), fence);
    json_decref(item);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {
        .name = "records", .needs = BACKEND_DYNAMO, .only = "minio,gofakes3,minio+dynalite,minio+v2"};
    return suite_main(&suite, argc, argv);
}
