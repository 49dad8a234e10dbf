/* SPDX-License-Identifier: Apache-2.0 */
/* IAM Identity Center: the token that a login left behind, its renewal, and the keys of a role. */
#include "unit/credentials/sources.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* SHA-1 of "corp", and of "https://corp.awsapps.com/start" (sha1sum). */
#define OF_SESSION "sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json"
#define OF_URL     "sso/cache/a51746d4aa793ae07b25e90c3a5db96fc7832bd7.json"

#define ROLE    "sso_account_id = 123456789012\nsso_role_name = my role\n"
#define URL     "sso_start_url = https://corp.awsapps.com/start\n"
#define REGION  "sso_region = eu-west-1\n"
#define SESSION "[profile p]\nsso_session = corp\n" ROLE "[sso-session corp]\n" URL REGION
#define LEGACY  "[profile p]\n" URL REGION ROLE
#define KEYS                                                                                            \
    "{\"roleCredentials\":{\"accessKeyId\":\"id\",\"secretAccessKey\":\"HUSH\",\"sessionToken\":\"t\"," \
    "\"expiration\":4102444800000}}"

static void sso_set_up(struct sources *ret)
{
    sources_set_up(ret);
    sources_name_server(ret, "AWS_ENDPOINT_URL_SSO", "");
    sources_name_server(ret, "AWS_ENDPOINT_URL_SSO_OIDC", "");
}

/* A token that is good for so long, with the members `more`, each with a comma behind it. */
static void write_token(const char *name, int64_t left_s, const char *more)
{
    char expires[32];
    char text[1200];
    sources_time(left_s, expires);
    snprintf(text, sizeof(text),
             "{%s\"startUrl\":\"https://corp.awsapps.com/start\",\"accessToken\":\"HUSH-old\",\"expiresAt\":\"%s\"}",
             more, expires);
    sources_write(name, text);
}

/* `left_s` of the registration. */
static void write_renewable(int64_t token_left_s, int64_t left_s)
{
    char until[32];
    char more[300];
    sources_time(left_s, until);
    snprintf(more, sizeof(more),
             "\"clientId\":\"c\\\"1\",\"clientSecret\":\"HUSH-client\",\"refreshToken\":\"HUSH-refresh\","
             "\"registrationExpiresAt\":\"%s\",\"region\":\"eu-west-1\",\"other\":[1,{}],",
             until);
    write_token(OF_SESSION, token_left_s, more);
}

/* ------------------------------------------------------------------------------------------------ the keys */

static void check_question(const struct sources *sources, size_t index, const char *token)
{
    const struct http_server_record *record = sources_request(sources, index);
    assert_string_equal(record->method, "GET");
    assert_string_equal(record->target, "/federation/credentials?account_id=123456789012&role_name=my%20role");
    sources_check_header(record, "x-amz-sso_bearer_token", token);
}

TEST_WITH_AS(sources, sso_set_up, a_session_has_its_settings_in_a_section_of_its_own)
{
    sources_write("config", SESSION);
    write_token(OF_SESSION, 3600, "");
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    assert_int_equal(sources->chain.found.expires_s, 4102444800);
    check_question(sources, 0, "HUSH-old");
}

TEST_WITH_AS(sources, sso_set_up, a_profile_may_have_them_itself)
{
    sources_write("config", LEGACY);
    write_token(OF_URL, 3600, "");
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    check_question(sources, 0, "HUSH-old");
}

TEST_WITH_AS(sources, sso_set_up, a_setting_may_stand_in_both_places_if_it_is_the_same)
{
    sources_write("config", "[sso-session corp]\n" URL REGION "[profile p]\nsso_session = corp\n" ROLE URL REGION);
    write_token(OF_SESSION, 3600, "");
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
}

static const struct {
    const char *name;
    const char *config;
    const char *words;
} settings[] = {
    {"another region", SESSION "[profile p]\nsso_region = us-east-1\n",
     "sso_region is one in the profile \"p\", and another in its sso-session \"corp\"."},
    {"another start URL", SESSION "[profile p]\nsso_start_url = https://x\n", "sso_start_url is one in the profile"},
    {"no section", "[profile p]\nsso_session = corp\n" ROLE, "has no section [sso-session corp]."},
    {"a section in no place", "[profile p]\nsso_session = corp\n" ROLE "[profile corp]\n" URL REGION,
     "has no section [sso-session corp]."},
    {"no role", "[profile p]\nsso_account_id = 1\n" URL REGION, "but sso_role_name is missing."},
    {"no account", "[profile p]\nsso_role_name = r\n" URL REGION, "but sso_account_id is missing."},
    {"no start URL", "[profile p]\n" ROLE REGION, "but sso_start_url is missing."},
    {"no region", "[profile p]\n" ROLE URL, "but sso_region is missing."},
    {"no region in the session", "[profile p]\nsso_session = corp\n" ROLE "[sso-session corp]\n" URL,
     "but sso_region is missing."},
};

TEST_ROWS_BETWEEN(NULL, NULL, settings, settings_that_do_not_fit_are_said_before_anything_is_sent)
{
    struct sources sources = {0};
    sso_set_up(&sources);
    sources_write("config", row->config);
    write_token(OF_SESSION, 3600, "");
    write_token(OF_URL, 3600, "");
    sources_expect_none(&sources, "p", OS_ERR_CONFIG, row->words);
    assert_int_equal(http_server_connections(sources.server), 0);
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, sso_set_up, a_setting_that_is_too_long_is_refused)
{
    char config[3000];
    char region[1100];
    memset(region, 'r', sizeof(region) - 1);
    region[sizeof(region) - 1] = '\0';
    snprintf(config, sizeof(config), "[profile p]\nsso_session = corp\n" ROLE "[sso-session corp]\nsso_region = %s\n",
             region);
    sources_write("config", config);
    sources_expect_none(sources, "p", OS_ERR_CONFIG,
                        "sso_region of the sso-session \"corp\" is longer than 1023 bytes.");
    snprintf(config, sizeof(config), "[profile p]\n" ROLE "sso_region = %s\n", region);
    sources_write("config", config);
    sources_expect_none(sources, "p", OS_ERR_CONFIG, "sso_region of the profile \"p\" has 1099 bytes");
}

static const struct {
    const char *name;
    const char *status;
    const char *body;
    const char *words;
} answers[] = {
    {"401", "401 Unauthorized", "{\"message\":\"Session token not found or invalid\"}",
     "it answered 401. Log in again: `aws sso login --profile p`."},
    {"403", "403 Forbidden", "{\"message\":\"HUSH\"}",
     "it answered 403. Check what the login may have: `aws sso login"},
    {"404", "404 Not Found", "", "gave no keys for the role my role in the account 123456789012: it answered 404."},
    {"no JSON", "200 OK", "HUSH", "The answer of IAM Identity Center is no JSON object"},
    {"no keys", "200 OK", "{\"roleCredentials\":{}}", "The answer of IAM Identity Center has no accessKeyId."},
    {"keys elsewhere", "200 OK", "{\"accessKeyId\":\"id\",\"secretAccessKey\":\"HUSH\"}", "has no accessKeyId."},
    {"no end", "200 OK", "{\"roleCredentials\":{\"accessKeyId\":\"id\",\"secretAccessKey\":\"HUSH\"}}",
     "has no expiration that is a time."},
};

TEST_ROWS_BETWEEN(NULL, NULL, answers, an_answer_without_keys_says_what_to_do)
{
    struct sources sources = {0};
    sso_set_up(&sources);
    sources_write("config", LEGACY);
    write_token(OF_URL, 3600, "");
    sources_answer(&sources, row->status, row->body);
    sources_expect_none(&sources, "p", OS_ERR_CREDENTIALS, row->words);
    sources_tear_down(&sources);
}

/* ------------------------------------------------------------------------------------------------ the token */

static const struct {
    const char *name;
    const char *text; /* NULL: no file */
    const char *words;
} tokens[] = {
    {"no file", NULL, "cannot be read (No such file or directory): run `aws sso login --profile p`."},
    {"no JSON", "HUSH", "is no JSON object: run `aws sso login --profile p`."},
    {"an empty file", "", "is no JSON object: run `aws sso login"},
    {"no expiry", "{\"accessToken\":\"HUSH\"}", "its token has no time at which it expires: run `aws sso login"},
    {"an expiry of another type", "{\"accessToken\":\"HUSH\",\"expiresAt\":4102444800}",
     "has no time at which it expires"},
    {"an expiry that is no time", "{\"accessToken\":\"HUSH\",\"expiresAt\":\"soon\"}",
     "has no time at which it expires"},
    {"no token", "{\"expiresAt\":\"2100-01-01T00:00:00Z\"}", "there is no accessToken in its file that can be sent"},
    {"over", "{\"accessToken\":\"HUSH\",\"expiresAt\":\"2020-01-01T00:00:00UTC\"}",
     "its token has expired and cannot be renewed: run `aws sso login --profile p`."},
};

TEST_ROWS_BETWEEN(NULL, NULL, tokens, without_a_good_token_nothing_is_sent_and_a_login_is_asked_for)
{
    for (int session = 0; session < 2; session++) {
        struct sources sources = {0};
        sso_set_up(&sources);
        sources_write("config", session ? SESSION : LEGACY);
        if (row->text != NULL)
            sources_write(session ? OF_SESSION : OF_URL, row->text);
        sources_expect_none(&sources, "p", OS_ERR_CREDENTIALS, row->words);
        sources_check_says(&sources, "The profile \"p\" gets its keys by IAM Identity Center, and ");
        assert_int_equal(http_server_connections(sources.server), 0);
        sources_tear_down(&sources);
    }
}

TEST_WITH_AS(sources, sso_set_up, a_token_that_can_be_no_header_is_not_sent)
{
    sources_write("config", LEGACY);
    sources_write(OF_URL, "{\"accessToken\":\"HUSH\\nx: y\",\"expiresAt\":\"2100-01-01T00:00:00Z\"}");
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, "there is no accessToken in its file that can be sent");
    assert_int_equal(http_server_connections(sources->server), 0);
}

TEST_WITH_AS(sources, sso_set_up, without_a_home_the_token_is_not_found)
{
    char path[SOURCES_PATH_SIZE];
    sources_write("config", LEGACY);
    sources_path("config", path);
    setenv("AWS_CONFIG_FILE", path, 1);
    unsetenv("HOME");
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, "as HOME is not set, or is too long");
}

/* One of a start URL alone has nothing to be renewed by. */
TEST_WITH_AS(sources, sso_set_up, a_token_of_a_start_url_is_used_to_its_end)
{
    sources_write("config", LEGACY);
    write_token(OF_URL, 60,
                "\"clientId\":\"c\",\"clientSecret\":\"s\",\"refreshToken\":\"r\","
                "\"registrationExpiresAt\":\"2100-01-01T00:00:00Z\",");
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    check_question(sources, 0, "HUSH-old");
}

/* ------------------------------------------------------------------------------------------------ renewal */

#define RENEWED \
    "{\"accessToken\":\"HUSH-new\",\"expiresIn\":28800,\"refreshToken\":\"HUSH-refresh2\",\"tokenType\":\"Bearer\"}"

static void check_renewal(const struct sources *sources)
{
    const struct http_server_record *record = sources_request(sources, 0);
    assert_string_equal(record->method, "POST");
    assert_string_equal(record->target, "/token");
    sources_check_header(record, "content-type", "application/json");
    assert_string_equal(record->body, "{\"grantType\":\"refresh_token\",\"clientId\":\"c\\\"1\",\"clientSecret\":"
                                      "\"HUSH-client\",\"refreshToken\":\"HUSH-refresh\"}");
}

static void check_file(const char *access, const char *refresh)
{
    char *text = sources_read(OF_SESSION);
    json_t *token = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(token, "accessToken")), access);
    assert_string_equal(json_string_value(json_object_get(token, "refreshToken")), refresh);
    assert_string_equal(json_string_value(json_object_get(token, "clientSecret")), "HUSH-client");
    assert_string_equal(json_string_value(json_object_get(token, "region")), "eu-west-1");
    assert_int_equal(json_array_size(json_object_get(token, "other")), 2);
    json_decref(token);
    free(text);
}

/* Nobody else may read it, and nothing is left beside it. */
static void check_folder(void)
{
    char path[SOURCES_PATH_SIZE];
    struct stat status;
    size_t count = 0;
    sources_path(OF_SESSION, path);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    sources_path("sso/cache", path);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    assert_int_equal(count, 1);
}

/* Of a process that was killed, and had the id of this one. */
TEST_WITH_AS(sources, sso_set_up, what_an_earlier_process_left_does_not_keep_a_token_from_being_saved)
{
    char left[sizeof(OF_SESSION) + 32];
    snprintf(left, sizeof(left), "%s.%ld", OF_SESSION, (long)getpid());
    sources_write("config", SESSION);
    sources_write(left, "");
    write_renewable(-5, 86400);
    sources_answer(sources, "200 OK", RENEWED);
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    check_file("HUSH-new", "HUSH-refresh2");
}

static const struct {
    const char *name;
    int64_t left_s;
} due[] = {{"over", -5}, {"soon over", 600}};

TEST_ROWS_BETWEEN(NULL, NULL, due, a_token_of_a_session_is_renewed_and_written_back)
{
    struct sources sources = {0};
    sso_set_up(&sources);
    sources_write("config", SESSION);
    write_renewable(row->left_s, 86400);
    sources_answer(&sources, "200 OK", RENEWED);
    sources_answer(&sources, "200 OK", KEYS);
    sources_expect(&sources, "p", "sso", "id", "t");
    check_renewal(&sources);
    check_question(&sources, 1, "HUSH-new");
    check_file("HUSH-new", "HUSH-refresh2");
    check_folder();
    sources_answer(&sources, "200 OK", KEYS); /* and is good for the next one */
    sources_expect(&sources, "p", "sso", "id", "t");
    assert_int_equal(http_server_count(sources.server), 3);
    check_question(&sources, 2, "HUSH-new");
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, sso_set_up, a_token_that_lasts_is_not_renewed)
{
    sources_write("config", SESSION);
    write_renewable(960, 86400);
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    check_question(sources, 0, "HUSH-old");
    check_file("HUSH-old", "HUSH-refresh");
}

TEST_WITH_AS(sources, sso_set_up, a_renewal_without_another_refresh_token_keeps_the_old_one)
{
    sources_write("config", SESSION);
    write_renewable(-5, 86400);
    sources_answer(sources, "200 OK", "{\"accessToken\":\"HUSH-new\",\"expiresIn\":60}");
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    check_file("HUSH-new", "HUSH-refresh");
}

static const struct {
    const char *name;
    const char *status;
    const char *body;
} refused[] = {
    {"refused", "400 Bad Request", "{\"error\":\"invalid_grant\",\"accessToken\":\"HUSH-x\",\"expiresIn\":9}"},
    {"401", "401 Unauthorized", "{\"error\":\"HUSH\"}"},
    {"no JSON", "200 OK", "HUSH"},
    {"no token", "200 OK", "{\"expiresIn\":28800}"},
    {"no end", "200 OK", "{\"accessToken\":\"HUSH-x\"}"},
    {"an end that is past", "200 OK", "{\"accessToken\":\"HUSH-x\",\"expiresIn\":0}"},
    {"an end beyond all", "200 OK", "{\"accessToken\":\"HUSH-x\",\"expiresIn\":9007199254740991}"},
};

/* Until its end the old one is used; then a login is asked for. It is never overwritten. */
TEST_ROWS_BETWEEN(NULL, NULL, refused, a_renewal_that_fails_leaves_the_token_as_it_was)
{
    struct sources sources = {0};
    sso_set_up(&sources);
    sources_write("config", SESSION);
    write_renewable(600, 86400);
    sources_answer(&sources, row->status, row->body);
    sources_answer(&sources, "200 OK", KEYS);
    sources_expect(&sources, "p", "sso", "id", "t");
    check_question(&sources, 1, "HUSH-old");
    write_renewable(-5, 86400);
    char *before = sources_read(OF_SESSION);
    sources_answer(&sources, row->status, row->body);
    sources_expect_none(&sources, "p", OS_ERR_CREDENTIALS, "its token has expired and cannot be renewed");
    char *after = sources_read(OF_SESSION);
    assert_string_equal(after, before);
    assert_int_equal(http_server_count(sources.server), 3);
    free(before);
    free(after);
    sources_tear_down(&sources);
}

TEST_WITH_AS(sources, sso_set_up, a_registration_that_is_over_renews_nothing)
{
    sources_write("config", SESSION);
    write_renewable(-5, -1);
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS, "its token has expired and cannot be renewed");
    assert_int_equal(http_server_connections(sources->server), 0);
}

TEST_WITH_AS(sources, sso_set_up, a_service_that_cannot_be_asked_is_named_when_the_token_is_over)
{
    sources_write("config", SESSION);
    setenv("AWS_ENDPOINT_URL_SSO_OIDC", "http://127.0.0.1:1", 1);
    write_renewable(-5, 86400);
    sources_expect_none(sources, "p", OS_ERR_NETWORK, "IAM Identity Center at http://127.0.0.1:1 could not be asked");
    write_renewable(600, 86400);
    sources_answer(sources, "200 OK", KEYS);
    sources_expect(sources, "p", "sso", "id", "t");
    check_question(sources, 0, "HUSH-old");
}
