/* SPDX-License-Identifier: Apache-2.0 */
/* 100,000 damaged answers, the same ones in every run: none may crash, leak, or be taken for what it is not. */
#include "answers.h"

#include "dynamo/table.h"

#include <stdlib.h>

enum { ROUNDS = 100000, CHANGES_MAX = 4, BODY_MAX = 2048 };

static const char *const seeds[] = {
    "{}",
    CONFLICT_HEAD ",\"Item\":" ITEM "}",
    CONFLICT_HEAD "}",
    "{\"Item\":" ITEM "}",
    "{\"Items\":[" ITEM "," PEER_ITEM
    "],\"Count\":2,\"LastEvaluatedKey\":{\"path\":{\"S\":\"k\"},\"etag\":{\"S\":\"*\"}}}",
    "{\"__type\":\"" SPACE "ThrottlingException\",\"message\":\"Rate exceeded\"}",
    "{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\",\"message\":\"Signature expired: \\u00fc\"}",
    "{\"Table\":{\"TableStatus\":\"ACTIVE\",\"KeySchema\":[{\"AttributeName\":\"path\",\"KeyType\":\"HASH\"},{"
    "\"AttributeName\":"
    "\"etag\",\"KeyType\":\"RANGE\"}],\"AttributeDefinitions\":[{\"AttributeName\":\"path\",\"AttributeType\":\"S\"}],"
    "\"Replicas\":[{}],"
    "\"CreationDateTime\":1.5e9}}",
    "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLED\",\"AttributeName\":\"ttl\"}}",
};

/* What JSON and this protocol give a meaning to. */
static const char *const pieces[] = {
    "{",       "}",       "[",         "]",    "\"",    ",",       ":",         "\\",
    "\\u0000", "\\ud800", "\xff",      "\xc3", "null",  "{\"S\":", "{\"N\":\"", "18446744073709551616",
    "-1",      "1e3",     "\"Item\":", "#",    "1e999", "\n"};

static uint64_t random_state = 0x6f73636f6d6d6974; /* splitmix64, seeded once */

static size_t below(size_t bound)
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (size_t)((z ^ (z >> 31)) % bound);
}

static size_t splice(char *body, size_t len, size_t at, size_t removed, const char *added, size_t added_len)
{
    if (len - removed + added_len > BODY_MAX)
        return len;
    memmove(body + at + added_len, body + at + removed, len - at - removed);
    memcpy(body + at, added, added_len);
    return len - removed + added_len;
}

static size_t change(char *body, size_t len)
{
    size_t at = below(len + 1);
    size_t rest = len - at;
    char byte = (char)below(256);
    const char *piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
    switch (below(6)) {
    case 0: return splice(body, len, at, rest > 0 ? 1 : 0, &byte, 1);
    case 1: return splice(body, len, at, rest > 0 ? below(rest) : 0, "", 0);
    case 2: return splice(body, len, at, 0, piece, strlen(piece));
    case 3: return splice(body, len, at, rest > 0 ? 1 : 0, piece, strlen(piece));
    case 4: return at;
    default: break;
    }
    char copied[64];
    size_t from = below(len + 1);
    size_t copied_len = len - from < sizeof(copied) ? len - from : sizeof(copied);
    memcpy(copied, body + from, copied_len);
    return splice(body, len, at, 0, copied, copied_len);
}

static bool count_row(void *context, const struct dynamo_row *row)
{
    size_t *count = context;
    *count += 1 + strlen(item_text_of(&row->item, RECORD_AT_PATH)) + strlen(item_text_of(&row->item, RECORD_AT_ETAG)) +
              strlen(row->other);
    return *count < 10000;
}

static void assert_sound(enum table_outcome outcome, const os_error *err, const struct dynamo_error *detail)
{
    bool is_good = outcome == TABLE_OK || outcome == TABLE_CONFLICT || outcome == TABLE_CONFLICT_BLIND;
    assert_true(outcome >= TABLE_OK && outcome <= TABLE_UNREADABLE);
    assert_int_equal(err->code == OS_OK, is_good);
    assert_int_equal(err->message[0] == '\0', is_good);
    assert_true(text_is_utf8(text_from(err->message)));
    assert_true(strlen(detail->code) < sizeof(detail->code));
    assert_true(strlen(detail->message) < sizeof(detail->message));
}

static enum table_outcome read_one_way(const struct http_response *response, size_t way, struct dynamo_error *detail,
                                       os_error *err)
{
    struct record record;
    struct dynamo_table table;
    bool flag = false;
    char *last_key = NULL;
    size_t count = 0;
    char ttl_status[DYNAMO_TTL_STATUS_SIZE];
    char ttl_attribute[DYNAMO_TTL_ATTRIBUTE_SIZE];
    enum table_outcome outcome;
    switch (way) {
    case 0: return record_read_put(response, &(struct record_about){WHERE, "k", "*"}, &record, NULL, detail, err);
    case 1:
        return record_read_get(response, &(struct record_about){WHERE, "k", "*"}, &flag, &record, NULL, detail, err);
    case 2: return dynamo_read_table(response, &about_table, &flag, &table, detail, err);
    case 3: return dynamo_read_ttl(response, &about_table, ttl_status, ttl_attribute, detail, err);
    default: break;
    }
    outcome = dynamo_read_list(response, &about_table, count_row, &count, &last_key, detail, err);
    free(last_key);
    return outcome;
}

TEST(damaged_answers_neither_crash_nor_leak)
{
    struct http_response response;
    char *body = malloc(BODY_MAX);
    assert_non_null(body);
    http_response_init(&response, BODY_MAX);
    for (size_t round = 0; round < ROUNDS; round++) {
        const char *seed = seeds[below(sizeof(seeds) / sizeof(seeds[0]))];
        size_t len = strlen(seed);
        memcpy(body, seed, len);
        for (size_t changes = 1 + below(CHANGES_MAX); changes > 0; changes--)
            len = change(body, len);
        buf_reset(&response.body);
        assert_true(buf_add(&response.body, body, len));
        response.status = below(2) == 0 ? 200 : 400;
        size_t way = below(5);
        struct dynamo_error detail;
        os_error err;
        enum table_outcome outcome = read_one_way(&response, way, &detail, &err);
        assert_sound(outcome, &err, &detail);
        assert_false(outcome == TABLE_CONFLICT && (way != 0 || response.status == 200));
    }
    http_response_free(&response);
    free(body);
}

TEST(a_single_flipped_bit_with_a_checksum_is_always_noticed)
{
    static const char whole[] = CONFLICT_HEAD ",\"Item\":" ITEM "}";
    struct http_response response;
    struct record record;
    struct dynamo_error detail;
    answer(&response, 400, whole);
    answer_crc(&response, crc32_of(whole, sizeof(whole) - 1));
    for (size_t bit = 0; bit < (sizeof(whole) - 1) * 8; bit++) {
        response.body.data[bit / 8] = (char)(response.body.data[bit / 8] ^ (1 << (bit % 8)));
        assert_int_equal(
            record_read_put(&response, &(struct record_about){WHERE, "k", "*"}, &record, NULL, &detail, NULL),
            TABLE_AMBIGUOUS);
        assert_true(detail.crc_wrong);
        response.body.data[bit / 8] = (char)(response.body.data[bit / 8] ^ (1 << (bit % 8)));
    }
    assert_int_equal(record_read_put(&response, &(struct record_about){WHERE, "k", "*"}, &record, NULL, &detail, NULL),
                     TABLE_CONFLICT);
    http_response_free(&response);
}
