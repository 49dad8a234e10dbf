/* SPDX-License-Identifier: Apache-2.0 */
/* The credentials service of a container's platform. The relative address is one of the link, which no test reaches. */
#include "unit/credentials/sources.h"

#include <stdio.h>

static const char variable[] = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

static void answer_keys(struct sources *sources)
{
    char json[400];
    sources_json("id", json);
    sources_answer(sources, "200 OK", json);
}

TEST_WITH(sources, keys_come_from_a_full_address_without_a_token)
{
    sources_name_server(sources, variable, "/role?a=b");
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    const struct http_server_record *asked = sources_request(sources, 0);
    assert_string_equal(asked->method, "GET");
    assert_string_equal(asked->target, "/role?a=b");
    sources_check_header(asked, "accept", "application/json");
    sources_check_header(asked, "authorization", NULL);
}

TEST_WITH(sources, the_token_of_the_variable_is_sent)
{
    sources_name_server(sources, variable, "");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic HUSH=", 1);
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    assert_string_equal(sources_request(sources, 0)->target, "/");
    sources_check_header(sources_request(sources, 0), "authorization", "Basic HUSH=");
}

/* The file is read each time: EKS writes it anew. */
TEST_WITH(sources, the_token_of_the_file_goes_before_that_of_the_variable)
{
    char path[SOURCES_PATH_SIZE];
    sources_name_server(sources, variable, "");
    sources_path("token", path);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "HUSH-variable", 1);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path, 1);
    sources_write("token", "HUSH-one");
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    sources_write("token", "HUSH-two");
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    sources_check_header(sources_request(sources, 0), "authorization", "HUSH-one");
    sources_check_header(sources_request(sources, 1), "authorization", "HUSH-two");
}

/* An empty variable says nothing. */
TEST_WITH(sources, an_empty_variable_names_no_token)
{
    sources_name_server(sources, variable, "");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "", 1);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "", 1);
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    sources_check_header(sources_request(sources, 0), "authorization", NULL);
}

static const struct {
    const char *name;
    const char *token; /* of the variable; NULL: of the file */
    const char *file;  /* NULL: not there */
    const char *words;
} tokens[] = {
    {"a line end", "HUSH\nx-evil: 1", NULL, "AWS_CONTAINER_AUTHORIZATION_TOKEN contains a line end"},
    {"a carriage return", "HUSH\rx", NULL, "AWS_CONTAINER_AUTHORIZATION_TOKEN contains a line end"},
    {"no file", NULL, NULL, "/.aws/token, cannot be read: No such file or directory."},
    {"an empty file", NULL, "", "/.aws/token is empty; it should have the authorization token."},
    {"a line end in the file", NULL, "HUSH\nHUSH", "/.aws/token contains a line end or another control character"},
    {"a line end behind it", NULL, "HUSH\n", "/.aws/token contains a line end or another control character"},
};

TEST_ROWS_WITH(sources, tokens, a_token_that_is_no_header_is_refused_before_anything_is_sent)
{
    char path[SOURCES_PATH_SIZE];
    sources_name_server(sources, variable, "");
    sources_path("token", path);
    if (row->token != NULL)
        setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", row->token, 1);
    else
        setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path, 1);
    if (row->file != NULL)
        sources_write("token", row->file);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, row->words);
    assert_int_equal(http_server_connections(sources->server), 0);
}

TEST_WITH(sources, a_token_file_that_is_too_long_is_refused)
{
    char path[SOURCES_PATH_SIZE];
    size_t len = (16 << 10) + 1;
    char *token = calloc(1, len + 1);
    assert_non_null(token);
    memset(token, 't', len);
    sources_name_server(sources, variable, "");
    sources_path("token", path);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path, 1);
    sources_write("token", token);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, "/.aws/token, cannot be read: it is too long.");
    token[len - 1] = '\0';
    sources_write("token", token);
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    sources_check_header(sources_request(sources, 0), "authorization", token);
    token[len - 1] = 't';
    unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", token, 1);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS,
                        "AWS_CONTAINER_AUTHORIZATION_TOKEN is longer than 16384 bytes.");
    free(token);
}

/* ------------------------------------------------------------------------------------------------ the address */

static const struct {
    const char *name;
    const char *url;
    const char *words;
} addresses[] = {
    {"another host", "http://192.0.2.1/x", "names the host 192.0.2.1 over http://. Without TLS only this machine"},
    {"a name", "http://localhost.example/x", "names the host localhost.example over http://."},
    {"one that begins as ECS's", "http://169.254.170.234/x", "names the host 169.254.170.234 over http://."},
    {"one that begins as ECS's, a name", "http://169.254.170.2.example/", "names the host 169.254.170.2.example over"},
    {"the metadata service", "http://169.254.169.254/x", "names the host 169.254.169.254 over http://."},
    {"another one of IPv6", "http://[fd00:ec2::24]/x", "names the host [fd00:ec2::24] over http://."},
    {"a user", "http://127.0.0.1@192.0.2.1/x", "does not give a URL of the form"},
    {"no scheme", "127.0.0.1/x", "does not give a URL of the form"},
};

TEST_ROWS_WITH(sources, addresses, a_host_that_may_not_be_told_is_refused_before_anything_is_sent)
{
    setenv(variable, row->url, 1);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "HUSH", 1);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, row->words);
    sources_check_says(sources, variable);
}

/* What is asked there is not known before it is asked: without a fetcher the search ends there. */
static const struct {
    const char *name;
    const char *variable;
    const char *value;
    bool asked;
} platforms[] = {
    {"ECS", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.2:80/x", true},
    {"EKS", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials", true},
    {"EKS, IPv6", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://[fd00:ec2::23]/v1/credentials", true},
    {"TLS", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "https://a.example/x", true},
    {"relative", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/x", true},
    {"relative, to another host", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", ".example/x", false},
    {"relative, behind a user", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@192.0.2.1/x", false},
    {"relative, to another number", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "34/x", false},
    {"relative, with a blank", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/a b", false},
};

TEST_ROWS_WITH(sources, platforms, the_platforms_own_hosts_are_asked_without_tls)
{
    setenv(row->variable, row->value, 1);
    sources->chain = (struct chain){.fetcher = NULL};
    assert_int_equal(chain_find(&sources->chain, &sources->error), OS_ERR_CREDENTIALS);
    assert_int_equal(sources->chain.would_block, row->asked);
    if (!row->asked)
        sources_check_says(sources, row->variable);
}

/* A shell takes a variable away from one command so. */
TEST_WITH(sources, variables_without_a_value_are_not_set)
{
    setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "", 1);
    sources_name_server(sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "/keys");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "", 1);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "", 1);
    sources_give_keys(sources, "id", 3600, false);
    sources_expect(sources, NULL, "container", "id", "t");
    assert_null(http_headers_get(&sources_request(sources, 0)->headers, "authorization"));
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "", 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, "no container's service is named");
}

TEST_WITH(sources, an_address_that_is_too_long_is_not_cut)
{
    enum { LEN = 6000 };
    char url[LEN + 1];
    memset(url, 'a', LEN);
    url[LEN] = '\0';
    memcpy(url, sources->url, strlen(sources->url));
    url[strlen(sources->url)] = '/';
    setenv(variable, url, 1);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, variable);
    assert_int_equal(http_server_connections(sources->server), 0);
}

/* The relative address goes before the full one, as with botocore. */
TEST_WITH(sources, the_relative_address_goes_first)
{
    setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@x", 1);
    sources_name_server(sources, variable, "");
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    assert_int_equal(http_server_connections(sources->server), 0);
}

/* ------------------------------------------------------------------------------------------------ the answer */

static const struct {
    const char *name;
    const char *status;
    const char *body;
    const char *words;
} answers[] = {
    {"not found", "404 Not Found", "{\"message\":\"HUSH\"}", "answered 404, and gave no keys: check the role"},
    {"denied", "403 Forbidden", "", "answered 403, and gave no keys: check the role"},
    {"no JSON", "200 OK", "HUSH", "The answer of the container's credentials service at 127.0.0.1:"},
    {"no keys", "200 OK", "{\"SecretAccessKey\":\"HUSH\"}", "has no AccessKeyId."},
    {"no end", "200 OK", "{\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\",\"Token\":\"t\"}", "has no Expiration"},
};

TEST_ROWS_WITH(sources, answers, an_answer_without_keys_ends_the_search)
{
    sources_name_server(sources, variable, "");
    sources_answer(sources, row->status, row->body);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, row->words);
    sources_check_says(sources, "container's credentials service at 127.0.0.1:");
    assert_int_equal(http_server_count(sources->server), 1);
}

TEST_WITH(sources, a_service_that_fails_is_asked_again)
{
    sources_name_server(sources, variable, "");
    sources_answer(sources, "500 Internal Server Error", "");
    answer_keys(sources);
    sources_expect(sources, NULL, "container", "id", "t");
    assert_int_equal(http_server_count(sources->server), 2);
}

TEST_WITH(sources, a_service_that_goes_on_failing_is_given_up)
{
    sources_name_server(sources, variable, "");
    sources_answers(sources, "500 Internal Server Error", "", 3);
    answer_keys(sources);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, "answered 500");
    assert_int_equal(http_server_count(sources->server), 3);
    assert_int_equal(sources->error.http_status, 500);
}
