/* SPDX-License-Identifier: Apache-2.0 */
/* The instance metadata service: a token, the name of a role, its keys. */
#include "unit/credentials/sources.h"

#include <stdio.h>

#define ROLES "/latest/meta-data/iam/security-credentials/"

/* The server is the one that is named. */
static void metadata_set_up(struct sources *ret)
{
    sources_set_up(ret);
    unsetenv("AWS_EC2_METADATA_DISABLED");
    sources_name_server(ret, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "//");
}

static void answer_keys(struct sources *sources)
{
    char json[400];
    sources_json("id", json);
    sources_answer(sources, "200 OK", json);
}

static void check_request(const struct sources *sources, size_t index, const char *method, const char *target,
                          const char *token)
{
    const struct http_server_record *record = sources_request(sources, index);
    assert_string_equal(record->method, method);
    assert_string_equal(record->target, target);
    sources_check_header(record, "x-aws-ec2-metadata-token", token);
}

TEST_WITH_AS(sources, metadata_set_up, a_token_is_put_for_and_goes_along_with_both_questions)
{
    sources_answer(sources, "200 OK", "the-token==\n");
    sources_answer(sources, "200 OK", "my-role\nanother\n");
    answer_keys(sources);
    sources_expect(sources, NULL, "instance", "id", "t");
    assert_int_equal(http_server_count(sources->server), 3);
    check_request(sources, 0, "PUT", "/latest/api/token", NULL);
    sources_check_header(sources_request(sources, 0), "x-aws-ec2-metadata-token-ttl-seconds", "21600");
    check_request(sources, 1, "GET", ROLES, "the-token==");
    check_request(sources, 2, "GET", ROLES "my-role", "the-token==");
}

static void expect_passed(struct sources *sources, const char *words)
{
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, words);
    sources_check_says(sources, "There are no credentials: ");
}

/* The service is not one that has keys: the search goes on, and finds nothing. */
static const struct {
    const char *name;
    const char *status;
    const char *token;
    const char *words;
} no_tokens[] = {
    {"403", "403 Forbidden", "HUSH", "answered 403"},
    {"404", "404 Not Found", "HUSH", "answered 404"},
    {"500", "500 Internal Server Error", "HUSH", "answered 500"},
    {"an empty token", "200 OK", " \n", "answered 200"},
    {"a token with a blank", "200 OK", "HUSH HUSH", "answered 200"},
    {"a token with a byte above ASCII", "200 OK", "HUSH\xc3\xa9", "answered 200"},
    {"a page", "200 OK", "<html>\n<body>HUSH</body>", NULL},
};

TEST_ROWS_BETWEEN(NULL, NULL, no_tokens, version_1_is_not_asked_where_nobody_said_so)
{
    struct sources sources = {0};
    metadata_set_up(&sources);
    sources_answer(&sources, row->status, row->token);
    sources_answer(&sources, "404 Not Found", "");
    expect_passed(&sources, row->words != NULL ? row->words : "answered 404");
    assert_int_equal(http_server_count(sources.server), row->words != NULL ? 1 : 2);
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, metadata_set_up, a_token_that_is_too_long_is_none)
{
    char token[1025];
    memset(token, 't', 1024);
    token[1024] = '\0';
    sources_answer(sources, "200 OK", token);
    expect_passed(sources, "answered 200");
    token[1023] = '\0';
    sources_answer(sources, "200 OK", token);
    sources_answer(sources, "404 Not Found", "");
    expect_passed(sources, "the instance has no role");
    check_request(sources, 2, "GET", ROLES, token);
}

TEST_WITH_AS(sources, metadata_set_up, a_token_that_does_not_come_is_told_with_the_hop_limit)
{
    http_server_push(sources->server, &(struct http_server_step){.hold = true});
    expect_passed(sources,
                  "gave no token within 1000 ms. In a container on EC2 raise the hop limit of the instance to 2");
    assert_int_equal(http_server_count(sources->server), 1);
}

TEST_WITH_AS(sources, metadata_set_up, a_service_that_is_not_there_is_passed_over)
{
    setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1", 1);
    expect_passed(sources, "and of the machine's own the instance metadata service at http://127.0.0.1:1 could not be "
                           "asked: ");
}

/* ------------------------------------------------------------------------------------------------ version 1 */

TEST_WITH_AS(sources, metadata_set_up, version_1_is_asked_where_it_is_said_to_be_allowed)
{
    setenv("AWS_EC2_METADATA_V1_DISABLED", "False", 1);
    sources_answer(sources, "404 Not Found", "");
    sources_answer(sources, "200 OK", "my-role");
    answer_keys(sources);
    sources_expect(sources, NULL, "instance", "id", "t");
    check_request(sources, 0, "PUT", "/latest/api/token", NULL);
    check_request(sources, 1, "GET", ROLES, NULL);
    check_request(sources, 2, "GET", ROLES "my-role", NULL);
}

TEST_WITH_AS(sources, metadata_set_up, the_profile_may_allow_version_1_and_the_variable_goes_before_it)
{
    sources_write("config", "[default]\nec2_metadata_v1_disabled = false\n");
    sources_answer(sources, "404 Not Found", "");
    sources_answer(sources, "200 OK", "my-role");
    answer_keys(sources);
    sources_expect(sources, NULL, "instance", "id", "t");
    setenv("AWS_EC2_METADATA_V1_DISABLED", "true", 1);
    sources_answer(sources, "404 Not Found", "");
    expect_passed(sources, "answered 404");
    assert_int_equal(http_server_count(sources->server), 4);
}

/* ------------------------------------------------------------------------------------------------ the role */

static const struct {
    const char *name;
    const char *status;
    const char *role;
    const char *words;
} no_roles[] = {
    {"none", "404 Not Found", "HUSH", "the instance has no role (the instance metadata service at http://127.0.0.1:"},
    {"an empty name", "200 OK", "\n\n", "answered 200"},
    {"a name with a blank", "200 OK", "my role", "answered 200"},
    {"a name with a control character", "200 OK", "my\x01role", "answered 200"},
    {"a name that is a query", "200 OK", "a?b=c", "answered 200, but with nothing that can be used"},
    {"a name that is a path", "200 OK", "../../dynamic", "answered 200, but with nothing that can be used"},
    {"a name with a fragment", "200 OK", "a#b", "answered 200, but with nothing that can be used"},
    {"a name with an escape", "200 OK", "a%2e", "answered 200, but with nothing that can be used"},
    {"denied", "401 Unauthorized", "", "answered 401"},
};

TEST_ROWS_BETWEEN(NULL, NULL, no_roles, without_a_role_there_are_no_keys)
{
    struct sources sources = {0};
    metadata_set_up(&sources);
    sources_answer(&sources, "200 OK", "token");
    sources_answer(&sources, row->status, row->role);
    expect_passed(&sources, row->words);
    assert_int_equal(http_server_count(sources.server), 2);
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, metadata_set_up, a_role_may_have_each_character_that_iam_allows)
{
    sources_answer(sources, "200 OK", "token");
    sources_answer(sources, "200 OK", "My_role+=,.@-9");
    answer_keys(sources);
    sources_expect(sources, NULL, "instance", "id", "t");
    check_request(sources, 2, "GET", ROLES "My_role+=,.@-9", "token");
}

/* ------------------------------------------------------------------------------------------------ the keys */

static const struct {
    const char *name;
    const char *status;
    const char *body;
    const char *words;
} no_keys[] = {
    {"refused", "403 Forbidden", "HUSH", "answered 403 when it was asked for the keys of its role."},
    {"gone", "404 Not Found", "", "answered 404 when it was asked for the keys of its role."},
    {"no JSON", "200 OK", "HUSH", "The answer of the instance metadata service at "},
    {"a failure in a 200", "200 OK", "{\"Code\":\"AssumeRoleUnauthorizedAccess\",\"Message\":\"EC2 cannot assume it\"}",
     "gave no keys: AssumeRoleUnauthorizedAccess: EC2 cannot assume it. Check the role of the instance."},
    {"a failure beside keys", "200 OK",
     "{\"Code\":\"Failed\",\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\",\"Token\":\"t\",\"Expiration\":"
     "\"2026-11-28T11:00:00Z\"}",
     "gave no keys: Failed. Check the role of the instance."},
    {"no token", "200 OK", "{\"Code\":\"Success\",\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\"}",
     "has no Expiration"},
};

TEST_ROWS_BETWEEN(NULL, NULL, no_keys, a_role_whose_keys_do_not_come_ends_the_search)
{
    struct sources sources = {0};
    metadata_set_up(&sources);
    sources_answer(&sources, "200 OK", "token");
    sources_answer(&sources, "200 OK", "my-role");
    sources_answer(&sources, row->status, row->body);
    sources_expect_none(&sources, NULL, OS_ERR_CREDENTIALS, row->words);
    assert_null(strstr(sources.error.message, "There are no credentials"));
    sources_tear_down(&sources);
}

/* In an outage the service gives out keys that are over (Amazon EC2 User Guide); the services take them then. */
TEST_WITH_AS(sources, metadata_set_up, keys_that_are_over_are_taken)
{
    sources_answer(sources, "200 OK", "token");
    sources_answer(sources, "200 OK", "my-role");
    sources_answer(sources, "200 OK",
                   "{\"Code\":\"Success\",\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\","
                   "\"Token\":\"t\",\"Expiration\":\"2020-11-28T11:00:00Z\"}");
    sources_expect(sources, NULL, "instance", "id", "t");
    assert_int_equal(sources->chain.found.expires_s, 1606561200);
}

/* ------------------------------------------------------------------------------------------------ settings */

TEST_WITH_AS(sources, metadata_set_up, a_machine_may_forbid_to_ask)
{
    setenv("AWS_EC2_METADATA_DISABLED", "TRUE", 1);
    expect_passed(sources, "AWS_EC2_METADATA_DISABLED forbids to ask");
    assert_int_equal(http_server_connections(sources->server), 0);
}

TEST_WITH_AS(sources, metadata_set_up, attempts_and_timeout_are_settings)
{
    setenv("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "3", 1);
    sources_write("config", "[default]\nmetadata_service_timeout = 2\n");
    sources_answers(sources, "503 Busy", "", 2);
    sources_answer(sources, "200 OK", "token");
    sources_answer(sources, "404 Not Found", "");
    expect_passed(sources, "the instance has no role");
    assert_int_equal(http_server_count(sources->server), 4);
    setenv("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "1", 1);
    http_server_push(sources->server, &(struct http_server_step){.hold = true});
    expect_passed(sources, "gave no token within 2000 ms");
}

static const struct {
    const char *name;
    const char *variable;
    const char *value;
    const char *words;
} settings[] = {
    {"no timeout", "AWS_METADATA_SERVICE_TIMEOUT", "0",
     "AWS_METADATA_SERVICE_TIMEOUT (metadata_service_timeout in the profile) is not a number from 1 to 60."},
    {"too long a timeout", "AWS_METADATA_SERVICE_TIMEOUT", "61", "is not a number from 1 to 60."},
    {"a timeout in words", "AWS_METADATA_SERVICE_TIMEOUT", "1s", "is not a number from 1 to 60."},
    {"too many attempts", "AWS_METADATA_SERVICE_NUM_ATTEMPTS", "11", "is not a number from 1 to 10."},
    {"a mode", "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "IPv5", "is neither IPv4 nor IPv6."},
    {"no URL", "AWS_EC2_METADATA_SERVICE_ENDPOINT", "imds", "is no URL of the form http://host[:port]."},
    {"a user", "AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://u@127.0.0.1", "is no URL of the form"},
};

TEST_ROWS_BETWEEN(NULL, NULL, settings, a_setting_that_cannot_be_is_said_before_anything_is_sent)
{
    struct sources sources = {0};
    metadata_set_up(&sources);
    setenv(row->variable, row->value, 1);
    sources_expect_none(&sources, NULL, OS_ERR_CONFIG, row->words);
    assert_int_equal(http_server_connections(sources.server), 0);
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, metadata_set_up, an_endpoint_that_is_too_long_is_refused)
{
    char url[600];
    memset(url, 'a', sizeof(url) - 1);
    url[sizeof(url) - 1] = '\0';
    memcpy(url, "http://h/", 9);
    setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url, 1);
    sources_expect_none(sources, NULL, OS_ERR_CONFIG, "AWS_EC2_METADATA_SERVICE_ENDPOINT is too long");
}
