/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "base/error.h"
#include "dynamo/table.h"

#define DEFINITIONS                                                                                               \
    "\"AttributeDefinitions\":[{\"AttributeName\":\"etag\",\"AttributeType\":\"S\"},{\"AttributeName\":\"path\"," \
    "\"AttributeType\":\"S\"}]"
#define SCHEMA                                                                                                  \
    "\"KeySchema\":[{\"AttributeName\":\"path\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"etag\",\"KeyType\":" \
    "\"RANGE\"}]"
#define STATUS "\"TableStatus\":\"ACTIVE\",\"CreationDateTime\":1795288145.170,\"ItemCount\":0"

static enum table_outcome table_outcome(int status, const char *body, bool *ret_exists, struct dynamo_table *ret,
                                        os_error *err)
{
    struct http_response response;
    answer(&response, status, body);
    enum table_outcome outcome = dynamo_read_table(&response, &about_table, ret_exists, ret, NULL, err);
    http_response_free(&response);
    return outcome;
}

static struct dynamo_table table_of(const char *members)
{
    char body[2048];
    struct dynamo_table table;
    bool exists = false;
    os_error err;
    snprintf(body, sizeof(body), "{\"Table\":{%s}}", members);
    assert_int_equal(table_outcome(200, body, &exists, &table, &err), TABLE_OK);
    assert_int_equal(err.code, OS_OK);
    assert_true(exists);
    return table;
}

TEST(a_fit_table_is_read)
{
    struct dynamo_table table = table_of(DEFINITIONS "," SCHEMA "," STATUS);
    assert_string_equal(table.status, "ACTIVE");
    assert_true(table.keys_ok);
    assert_string_equal(table.keys_found, "path (S, HASH), etag (S, RANGE)");
    assert_false(table.replicated_eventually);
}

TEST(a_table_that_is_not_there_is_no_failure)
{
    bool exists = true;
    struct dynamo_table table;
    os_error err;
    assert_int_equal(table_outcome(400, "{\"__type\":\"" SPACE "ResourceNotFoundException\",\"Message\":\"no\"}",
                                   &exists, &table, &err),
                     TABLE_OK);
    assert_false(exists);
    assert_int_equal(err.code, OS_OK);
}

TEST(other_refusals_are_failures)
{
    bool exists = true;
    struct dynamo_table table;
    os_error err;
    assert_int_equal(table_outcome(400, "{\"__type\":\"AccessDeniedException\"}", &exists, &table, &err),
                     TABLE_REFUSED);
    assert_int_equal(err.code, OS_ERR_DENIED);
    assert_says(err, "DescribeTable of " WHERE " was refused");
    assert_int_equal(table_outcome(500, "{\"__type\":\"ResourceNotFoundException\"}", &exists, &table, &err),
                     TABLE_AMBIGUOUS);
    assert_true(exists);
}

TEST(an_answer_without_a_status_is_ambiguous)
{
    static const char *const bodies[] = {"{}",
                                         "{\"Table\":null}",
                                         "{\"Table\":[]}",
                                         "{\"Table\":{}}",
                                         "{\"Table\":{\"TableStatus\":1}}",
                                         "{\"Table\":{\"TableStatus\":\"ACTIVE_BUT_FAR_TOO_LONG_TO_BE_A_STATUS\"}}",
                                         "{\"TableDescription\":{\"TableStatus\":\"ACTIVE\"}}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        bool exists = false;
        struct dynamo_table table = {.keys_ok = true};
        os_error err;
        assert_int_equal(table_outcome(200, bodies[i], &exists, &table, &err), TABLE_AMBIGUOUS);
        assert_int_equal(err.code, OS_ERR_PROTOCOL);
        assert_says(err, "TableStatus");
        assert_false(exists);
        assert_true(table.keys_ok); /* untouched */
    }
}

TEST(wrong_keys_are_found_and_named)
{
    static const struct {
        const char *members;
        const char *found;
    } cases[] = {
        {"\"KeySchema\":[]," STATUS, ""},
        {STATUS, ""},
        {"\"KeySchema\":\"x\"," STATUS, ""},
        {"\"KeySchema\":[1,null]," STATUS, "? (?, ?), ? (?, ?)"},
        {DEFINITIONS ",\"KeySchema\":[{\"AttributeName\":\"path\",\"KeyType\":\"HASH\"}]," STATUS, "path (S, HASH)"},
        {DEFINITIONS ",\"KeySchema\":[{\"AttributeName\":\"etag\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"path\","
                     "\"KeyType\":\"RANGE\"}]," STATUS,
         "etag (S, HASH), path (S, RANGE)"},
        {"\"AttributeDefinitions\":[{\"AttributeName\":\"path\",\"AttributeType\":\"S\"},{\"AttributeName\":\"etag\","
         "\"AttributeType\":\"B\"}]," SCHEMA "," STATUS,
         "path (S, HASH), etag (B, RANGE)"},
        {SCHEMA "," STATUS, "path (?, HASH), etag (?, RANGE)"},
        {"\"AttributeDefinitions\":[{\"AttributeName\":\"id\",\"AttributeType\":\"N\"}],\"KeySchema\":[{"
         "\"AttributeName\":\"id\","
         "\"KeyType\":\"HASH\"}]," STATUS,
         "id (N, HASH)"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dynamo_table table = table_of(cases[i].members);
        assert_false(table.keys_ok);
        assert_string_equal(table.keys_found, cases[i].found);
    }
}

TEST(key_names_of_any_length_are_cut_between_characters)
{
    char members[1500];
    char name[256];
    for (size_t i = 0; i < 255; i++)
        name[i] = "\xc3\xbc"[i % 2];
    name[254] = '\0';
    snprintf(members, sizeof(members),
             "\"KeySchema\":[{\"AttributeName\":\"a\\n\\u001b%s\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"%s\","
             "\"KeyType\":\"RANGE\"}]," STATUS,
             name, name);
    struct dynamo_table table = table_of(members);
    assert_false(table.keys_ok);
    assert_true(strlen(table.keys_found) >= sizeof(table.keys_found) - 4);
    assert_true(text_is_utf8(text_from(table.keys_found)));
    assert_memory_equal(table.keys_found, "a\n\x1b\xc3\xbc", 5);
}

TEST(global_tables_are_told_apart_by_their_consistency)
{
    static const struct {
        const char *members;
        bool eventual;
    } cases[] = {
        {STATUS, false},
        {"\"Replicas\":[]," STATUS, false},
        {"\"Replicas\":[{\"RegionName\":\"eu-west-1\",\"ReplicaStatus\":\"ACTIVE\"}]," STATUS, true},
        {"\"Replicas\":[{\"RegionName\":\"eu-west-1\"}],\"MultiRegionConsistency\":\"EVENTUAL\"," STATUS, true},
        {"\"Replicas\":[{\"RegionName\":\"eu-west-1\"}],\"MultiRegionConsistency\":\"STRONG\"," STATUS, false},
        {"\"Replicas\":[{\"RegionName\":\"eu-west-1\"}],\"MultiRegionConsistency\":null," STATUS, true},
        {"\"Replicas\":[{\"RegionName\":\"eu-west-1\"}],\"MultiRegionConsistency\":\"strong\"," STATUS, true},
        {"\"MultiRegionConsistency\":\"EVENTUAL\"," STATUS, true},
        {"\"MultiRegionConsistency\":\"STRONG\"," STATUS, false},
        {"\"GlobalTableVersion\":\"2017.11.29\"," STATUS, true},
        {"\"GlobalTableVersion\":\"2019.11.21\",\"Replicas\":[{}]," STATUS, true},
        {"\"GlobalTableVersion\":\"2019.11.21\",\"Replicas\":[{}],\"MultiRegionConsistency\":\"STRONG\"," STATUS,
         false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(table_of(cases[i].members).replicated_eventually, cases[i].eventual);
}

/* -------------------------------------------------------------------------------------------------------- TTL */

static enum table_outcome ttl_outcome(int status, const char *body, char *ret_status, char *ret_attribute,
                                      os_error *err)
{
    struct http_response response;
    answer(&response, status, body);
    enum table_outcome outcome = dynamo_read_ttl(&response, &about_table, ret_status, ret_attribute, NULL, err);
    http_response_free(&response);
    return outcome;
}

TEST(ttl_is_read_with_and_without_its_attribute)
{
    char status[DYNAMO_TTL_STATUS_SIZE];
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE] = "x";
    assert_int_equal(
        ttl_outcome(200, "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLED\",\"AttributeName\":\"ttl\"}}",
                    status, attribute, NULL),
        TABLE_OK);
    assert_string_equal(status, "ENABLED");
    assert_string_equal(attribute, "ttl");
    assert_int_equal(
        ttl_outcome(200, "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"DISABLED\"}}", status, attribute, NULL),
        TABLE_OK);
    assert_string_equal(status, "DISABLED");
    assert_string_equal(attribute, "");
}

TEST(an_answer_without_a_ttl_status_is_ambiguous)
{
    static const char *const bodies[] = {
        "{}", "{\"TimeToLiveDescription\":{}}", "{\"TimeToLiveDescription\":[]}",
        "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":null}}",
        "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"0123456789012345678901234567890123\"}}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char status[DYNAMO_TTL_STATUS_SIZE] = "before";
        char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE] = "before";
        assert_int_equal(ttl_outcome(200, bodies[i], status, attribute, NULL), TABLE_AMBIGUOUS);
        assert_string_equal(status, "before");
        assert_string_equal(attribute, "before");
    }
}

TEST(a_server_without_a_ttl_api_is_told_by_its_error)
{
    char status[DYNAMO_TTL_STATUS_SIZE];
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE];
    os_error err;
    assert_int_equal(ttl_outcome(400, "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\"}", status,
                                 attribute, &err),
                     TABLE_REFUSED);
    assert_int_equal(err.code, OS_ERR_UNSUPPORTED);
}

/* ------------------------------------------------------------------------------------------------ preparation */

static enum table_outcome done_outcome(int status, const char *body, os_error *err)
{
    struct http_response response;
    answer(&response, status, body);
    enum table_outcome outcome = dynamo_read_done(&response, &about_table, NULL, err);
    http_response_free(&response);
    return outcome;
}

TEST(what_is_there_already_is_done)
{
    os_error err;
    assert_int_equal(done_outcome(200, "{\"TableDescription\":{\"TableStatus\":\"CREATING\"}}", &err), TABLE_OK);
    assert_int_equal(done_outcome(400,
                                  "{\"__type\":\"" SPACE
                                  "ResourceInUseException\",\"Message\":\"Cannot create preexisting table\"}",
                                  &err),
                     TABLE_OK);
    assert_int_equal(err.code, OS_OK);
    assert_int_equal(
        done_outcome(
            400,
            "{\"__type\":\"com.amazon.coral.validate#ValidationException\",\"Message\":\"TimeToLive is already "
            "enabled\"}",
            &err),
        TABLE_OK);
    assert_int_equal(err.code, OS_OK);
}

TEST(what_was_refused_or_put_off_is_not_done)
{
    os_error err;
    assert_int_equal(
        done_outcome(400,
                     "{\"__type\":\"ValidationException\",\"message\":\"TimeToLive is active on a different "
                     "AttributeName: current AttributeName is x\"}",
                     &err),
        TABLE_REFUSED);
    assert_says(err, "The preparation of " WHERE " was refused");
    assert_int_equal(done_outcome(400, "{\"__type\":\"LimitExceededException\"}", &err), TABLE_THROTTLED);
    assert_int_equal(done_outcome(400, "{\"__type\":\"AccessDeniedException\",\"message\":\"already enabled\"}", &err),
                     TABLE_REFUSED);
    assert_int_equal(done_outcome(500, "{\"__type\":\"ResourceInUseException\"}", &err), TABLE_AMBIGUOUS);
    assert_int_equal(done_outcome(400, "{\"__type\":\"ConditionalCheckFailedException\"}", &err), TABLE_AMBIGUOUS);
    assert_int_equal(done_outcome(0, "", &err), TABLE_AMBIGUOUS);
}

/* -------------------------------------------------------------------------------------------------- judgement */

static const struct dynamo_table fit = {
    .status = "ACTIVE", .keys_ok = true, .keys_found = "path (S, HASH), etag (S, RANGE)"};

static void assert_judged(const struct dynamo_table *table, const char *ttl_status, const char *ttl_attribute,
                          os_code code, const char *sentence)
{
    os_error err = {.code = OS_ERR_IO};
    assert_int_equal(dynamo_judge_table(&about_table, table, ttl_status, ttl_attribute, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.message, sentence);
}

TEST(E3_a_fit_table_is_accepted_without_a_word)
{
    assert_judged(&fit, "ENABLED", "ttl", OS_OK, "");
    assert_judged(&fit, "ENABLING", "ttl", OS_OK, "");
}

TEST(E3_a_server_without_ttl_is_accepted_with_a_word)
{
    assert_judged(&fit, NULL, NULL, OS_OK,
                  "The " WHERE
                  " is fit for records, but its server has no TTL: old records stay until somebody removes "
                  "them (`oscommit gc URL --remove`).");
}

TEST(E3_wrong_keys_are_refused)
{
    struct dynamo_table table = fit;
    table.keys_ok = false;
    snprintf(table.keys_found, sizeof(table.keys_found), "id (N, HASH)");
    assert_judged(&table, "ENABLED", "ttl", OS_ERR_TABLE,
                  "The " WHERE
                  " is unfit for records: its keys are id (N, HASH), and must be path (S, HASH), etag (S, RANGE). Keys "
                  "cannot be changed: use another table, or make one with `oscommit table create`.");
    table.keys_found[0] = '\0';
    os_error err;
    assert_int_equal(dynamo_judge_table(&about_table, &table, NULL, NULL, &err), OS_ERR_TABLE);
    assert_says(err, "its keys are not known");
}

TEST(E3_eventual_consistency_between_regions_is_refused)
{
    struct dynamo_table table = fit;
    table.replicated_eventually = true;
    assert_judged(
        &table, "ENABLED", "ttl", OS_ERR_TABLE,
        "The " WHERE
        " is unfit for records: it is a global table with multi-region eventual consistency, where two regions "
        "could grant the same record. Use a table in one region, or a global table with MultiRegionConsistency "
        "STRONG.");
}

TEST(E3_a_table_that_is_not_active_is_refused)
{
    struct dynamo_table table = fit;
    snprintf(table.status, sizeof(table.status), "CREATING");
    assert_judged(&table, "ENABLED", "ttl", OS_ERR_TABLE,
                  "The " WHERE
                  " cannot be used now: its status is CREATING. Wait until it is ACTIVE, and check again.");
}

TEST(E3_ttl_must_be_on_and_on_the_right_attribute)
{
    assert_judged(&fit, "DISABLED", "", OS_ERR_TABLE,
                  "The " WHERE
                  " is unfit for records: its TTL is DISABLED, so old records are never removed. Enable it on the "
                  "attribute \"ttl\", as `oscommit table create` does where the service can.");
    assert_judged(&fit, "ENABLED", "expires", OS_ERR_TABLE,
                  "The " WHERE
                  " is unfit for records: its TTL is on the attribute \"expires\", so old records are never removed. "
                  "Turn that off and enable it on \"ttl\".");
    assert_int_equal(dynamo_judge_table(&about_table, &fit, "DISABLING", "ttl", NULL), OS_ERR_TABLE);
    assert_int_equal(dynamo_judge_table(&about_table, &fit, "", NULL, NULL), OS_ERR_TABLE);
    assert_int_equal(dynamo_judge_table(&about_table, &fit, "ENABLED", NULL, NULL), OS_ERR_TABLE);
}
