/* SPDX-License-Identifier: Apache-2.0 */
/* A role for a token that stands in a file. */
#include "credentials/sts.h"
#include "unit/credentials/sources.h"

#include <stdio.h>

static void web_set_up(struct sources *ret)
{
    sources_set_up(ret);
    sources_name_server(ret, "AWS_ENDPOINT_URL_STS", "");
}

static void name_token(const char *name, const char *text)
{
    char path[SOURCES_PATH_SIZE];
    sources_path(name, path);
    sources_write(name, text);
    setenv("AWS_WEB_IDENTITY_TOKEN_FILE", path, 1);
}

static void answer_role(struct sources *sources, const char *id)
{
    char document[900];
    sources_sts("AssumeRoleWithWebIdentity", id, document);
    sources_answer(sources, "200 OK", document);
}

/* It signs nothing: whoever has the token is believed. */
static void check_request(const struct sources *sources, size_t index, const char *form)
{
    const struct http_server_record *record = sources_request(sources, index);
    assert_string_equal(record->method, "POST");
    assert_string_equal(record->target, "/");
    sources_check_header(record, "authorization", NULL);
    sources_check_header(record, "content-type", "application/x-www-form-urlencoded");
    if (strstr(record->body, form) == NULL)
        fail_msg("\"%s\" is not in: %s", form, record->body);
}

TEST_WITH_AS(sources, web_set_up, the_token_of_the_file_is_sent_without_the_blanks_around_it)
{
    name_token("web-token", " \n HUSH.a+b== \r\n");
    setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/x", 1);
    setenv("AWS_ROLE_SESSION_NAME", "me", 1);
    answer_role(sources, "id");
    sources_expect(sources, NULL, "web-identity", "id", "t");
    assert_string_equal(sources_request(sources, 0)->body,
                        "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx"
                        "&RoleSessionName=me&WebIdentityToken=HUSH.a%2Bb%3D%3D");
    check_request(sources, 0, "Action=AssumeRoleWithWebIdentity&");
    name_token("web-token", "HUSH-anew"); /* it is read each time */
    answer_role(sources, "id2");
    sources_expect(sources, NULL, "web-identity", "id2", "t");
    check_request(sources, 1, "&WebIdentityToken=HUSH-anew");
}

TEST_WITH_AS(sources, web_set_up, the_profile_has_the_same_settings)
{
    char config[500];
    char path[SOURCES_PATH_SIZE];
    sources_path("web-token", path);
    sources_write("web-token", "HUSH");
    snprintf(config, sizeof(config),
             "[profile p]\nweb_identity_token_file = %s\nrole_arn = of-profile\nrole_session_name = n\n", path);
    sources_write("config", config);
    answer_role(sources, "id");
    sources_expect(sources, "p", "web-identity", "id", "t");
    check_request(sources, 0, "&RoleArn=of-profile&RoleSessionName=n&");
}

/* As EKS sets them for a whole pod; a profile that somebody asked for means other keys. */
TEST_WITH_AS(sources, web_set_up, variables_go_before_the_profile_but_not_where_one_is_named)
{
    char config[500];
    char path[SOURCES_PATH_SIZE];
    sources_path("of-profile", path);
    sources_write("of-profile", "HUSH-profile");
    snprintf(config, sizeof(config),
             "[default]\nrole_arn = default-role\n[profile p]\nweb_identity_token_file = %s\nrole_arn = of-profile\n",
             path);
    sources_write("config", config);
    name_token("web-token", "HUSH-variable");
    setenv("AWS_ROLE_ARN", "of-variable", 1);
    setenv("AWS_PROFILE", "p", 1);
    answer_role(sources, "id");
    sources_expect(sources, NULL, "web-identity", "id", "t");
    check_request(sources, 0, "&RoleArn=of-variable&");
    check_request(sources, 0, "&WebIdentityToken=HUSH-variable");
    answer_role(sources, "id2");
    sources_expect(sources, "p", "web-identity", "id2", "t");
    check_request(sources, 1, "&RoleArn=of-profile&");
    check_request(sources, 1, "&WebIdentityToken=HUSH-profile");
}

TEST_WITH_AS(sources, web_set_up, the_variable_is_not_for_a_profile_that_is_asked_for)
{
    name_token("web-token", "HUSH");
    setenv("AWS_ROLE_ARN", "of-variable", 1);
    sources_write("credentials", "[p]\naws_access_key_id = own\naws_secret_access_key = HUSH\n");
    sources_expect(sources, "p", "credentials-file", "own", NULL);
    assert_int_equal(http_server_connections(sources->server), 0);
}

static const struct {
    const char *name;
    const char *text; /* NULL: no file */
    const char *words;
} tokens[] = {
    {"no file", NULL, "/.aws/web-token cannot be read: No such file or directory."},
    {"an empty file", "", "/.aws/web-token, is empty."},
    {"blanks", " \r\n\t ", "/.aws/web-token, is empty."},
};

TEST_ROWS_BETWEEN(NULL, NULL, tokens, without_a_token_nothing_is_sent)
{
    char path[SOURCES_PATH_SIZE];
    struct sources sources = {0};
    web_set_up(&sources);
    sources_path("web-token", path);
    setenv("AWS_WEB_IDENTITY_TOKEN_FILE", path, 1);
    setenv("AWS_ROLE_ARN", "r", 1);
    if (row->text != NULL)
        sources_write("web-token", row->text);
    sources_expect_none(&sources, NULL, OS_ERR_CREDENTIALS, row->words);
    assert_int_equal(http_server_connections(sources.server), 0);
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, web_set_up, a_token_has_a_greatest_length)
{
    char *token = calloc(1, STS_TOKEN_MAX + 2);
    assert_non_null(token);
    memset(token, '+', STS_TOKEN_MAX + 1); /* each becomes three bytes */
    setenv("AWS_ROLE_ARN", "r", 1);
    name_token("web-token", token);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, "/.aws/web-token cannot be read: it is too long.");
    token[STS_TOKEN_MAX] = '\0';
    name_token("web-token", token);
    answer_role(sources, "id");
    sources_expect(sources, NULL, "web-identity", "id", "t");
    assert_true(sources_request(sources, 0)->whole);
    free(token);
}

TEST_WITH_AS(sources, web_set_up, a_token_without_a_role_is_said)
{
    name_token("web-token", "HUSH");
    sources_expect_none(
        sources, NULL, OS_ERR_CONFIG,
        "There is a web identity token, but no role to assume by it: set AWS_ROLE_ARN, or role_arn in the "
        "profile \"default\".");
}

TEST_WITH_AS(sources, web_set_up, a_variable_that_is_too_long_is_refused)
{
    char name[66];
    memset(name, 'n', 65);
    name[65] = '\0';
    name_token("web-token", "HUSH");
    setenv("AWS_ROLE_ARN", "r", 1);
    setenv("AWS_ROLE_SESSION_NAME", name, 1);
    sources_expect_none(sources, NULL, OS_ERR_CONFIG, "AWS_ROLE_SESSION_NAME has 65 bytes; at most 64 are possible.");
    assert_int_equal(http_server_connections(sources->server), 0);
}

TEST_WITH_AS(sources, web_set_up, a_token_that_is_refused_ends_the_search)
{
    name_token("web-token", "HUSH");
    setenv("AWS_ROLE_ARN", "the-role", 1);
    sources_write("credentials", "[default]\naws_access_key_id = other\naws_secret_access_key = HUSH\n");
    sources_answer(sources, "400 Bad Request",
                   "<ErrorResponse><Error><Code>ExpiredTokenException</Code><Message>Token expired</Message></Error>"
                   "</ErrorResponse>");
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS,
                        "STS did not give keys for the role the-role (400 ExpiredTokenException): Token expired.");
}

/* Three attempts in all. */
TEST_WITH_AS(sources, web_set_up, a_service_that_fails_is_asked_again)
{
    name_token("web-token", "HUSH");
    setenv("AWS_ROLE_ARN", "r", 1);
    sources_answers(sources, "500 Internal Server Error", "", 2);
    answer_role(sources, "id");
    sources_expect(sources, NULL, "web-identity", "id", "t");
    sources_answers(sources, "503 Service Unavailable", "", 3);
    sources_expect_none(sources, NULL, OS_ERR_CREDENTIALS, "(503 without a code)");
    assert_int_equal(http_server_count(sources->server), 6);
}
