/* SPDX-License-Identifier: Apache-2.0 */
/* Roles that profiles name, with the keys of other profiles and of named sources. */
#include "unit/credentials/sources.h"

#include <stdio.h>

#define PAIR(id) "aws_access_key_id = " id "\naws_secret_access_key = HUSH-" id "\n"

static void role_set_up(struct sources *ret)
{
    sources_set_up(ret);
    sources_name_server(ret, "AWS_ENDPOINT_URL_STS", "");
}

static void answer_role(struct sources *sources, const char *id)
{
    char document[900];
    sources_sts("AssumeRole", id, document);
    sources_answer(sources, "200 OK", document);
}

/* Who signed, and what for. The name of a session that nobody chose has the time in it. */
static void check_request(const struct sources *sources, size_t index, const char *signer, const char *form)
{
    char credential[64];
    const struct http_server_record *record = sources_request(sources, index);
    const char *authorization = http_headers_get(&record->headers, "authorization");
    snprintf(credential, sizeof(credential), "AWS4-HMAC-SHA256 Credential=%s/", signer);
    assert_string_equal(record->method, "POST");
    assert_string_equal(record->target, "/");
    sources_check_header(record, "content-type", "application/x-www-form-urlencoded");
    assert_non_null(authorization);
    if (strstr(authorization, credential) != authorization || strstr(authorization, "/sts/aws4_request") == NULL)
        fail_msg("%s", authorization);
    assert_null(strstr(record->body, "HUSH"));
    if (strstr(record->body, form) == NULL)
        fail_msg("\"%s\" is not in: %s", form, record->body);
}

TEST_WITH_AS(sources, role_set_up, the_keys_of_another_profile_ask_for_a_role)
{
    sources_write("config", "[profile p]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = base\n");
    sources_write("credentials", "[base]\n" PAIR("base") "aws_session_token = base-token\n");
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    check_request(
        sources, 0, "base",
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx&RoleSessionName=oscommit-");
    sources_check_header(sources_request(sources, 0), "x-amz-security-token", "base-token");
    assert_true(sources->chain.found.expires_s > 0);
}

TEST_WITH_AS(sources, role_set_up, what_a_profile_says_of_the_role_is_sent)
{
    sources_write("config", "[profile p]\nrole_arn = r\nsource_profile = base\nrole_session_name = me@x\n"
                            "external_id = a&b=c\nduration_seconds = 43200\n[profile base]\n" PAIR("base"));
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    check_request(sources, 0, "base", "&RoleArn=r&RoleSessionName=me%40x&ExternalId=a%26b%3Dc&DurationSeconds=43200");
}

TEST_WITH_AS(sources, role_set_up, a_role_may_be_assumed_by_another_role)
{
    sources_write("config", "[profile p]\nrole_arn = outer\nsource_profile = q\n"
                            "[profile q]\nrole_arn = inner\nsource_profile = base\n[profile base]\n" PAIR("base"));
    answer_role(sources, "of-inner");
    answer_role(sources, "of-outer");
    sources_expect(sources, "p", "assume-role", "of-outer", "t");
    assert_int_equal(http_server_count(sources->server), 2);
    check_request(sources, 0, "base", "&RoleArn=inner&");
    check_request(sources, 1, "of-inner", "&RoleArn=outer&");
    sources_check_header(sources_request(sources, 1), "x-amz-security-token", "t");
}

TEST_WITH_AS(sources, role_set_up, a_profile_may_name_itself_for_its_own_keys)
{
    sources_write("config", "[profile p]\nrole_arn = r\nsource_profile = p\n" PAIR("own"));
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    check_request(sources, 0, "own", "&RoleArn=r&");
}

/* One with keys and a role is asked for its keys, as with botocore. */
TEST_WITH_AS(sources, role_set_up, a_source_with_keys_of_its_own_assumes_no_role)
{
    sources_write("config", "[profile p]\nrole_arn = r\nsource_profile = q\n"
                            "[profile q]\nrole_arn = another\nsource_profile = p\n" PAIR("own"));
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    assert_int_equal(http_server_count(sources->server), 1);
    check_request(sources, 0, "own", "&RoleArn=r&");
}

/* The role goes before the keys that stand beside it, and the environment before both where no profile is named. */
TEST_WITH_AS(sources, role_set_up, the_role_of_the_default_profile_comes_behind_the_environment)
{
    sources_write("config",
                  "[default]\nrole_arn = r\nsource_profile = base\n" PAIR("beside") "[profile base]\n" PAIR("base"));
    answer_role(sources, "id");
    sources_expect(sources, NULL, "assume-role", "id", "t");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH", 1);
    sources_expect(sources, NULL, "environment", "env", NULL);
    assert_int_equal(http_server_count(sources->server), 1);
}

/* A source profile's ways to keys are those of a profile: the environment is none of them. */
TEST_WITH_AS(sources, role_set_up, a_program_may_give_the_keys_that_ask)
{
    sources_write("config", "[profile p]\nrole_arn = r\nsource_profile = base\n[profile base]\ncredential_process = "
                            "printf '{\"Version\":1,\"AccessKeyId\":\"printed\",\"SecretAccessKey\":\"HUSH\"}'\n");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH", 1);
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    check_request(sources, 0, "printed", "&RoleArn=r&");
}

/* The variables are those of the process, and not of a profile that another one names. */
TEST_WITH_AS(sources, role_set_up, a_web_identity_may_give_the_keys_that_ask)
{
    char config[500];
    char path[SOURCES_PATH_SIZE];
    char document[900];
    sources_path("web-token", path);
    sources_write("web-token", "HUSH-token");
    snprintf(config, sizeof(config),
             "[profile p]\nrole_arn = r\nsource_profile = base\n[profile base]\nrole_arn = of-token\n"
             "web_identity_token_file = %s\n",
             path);
    sources_write("config", config);
    setenv("AWS_ROLE_ARN", "not-this", 1);
    sources_sts("AssumeRoleWithWebIdentity", "by-token", document);
    sources_answer(sources, "200 OK", document);
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    assert_non_null(strstr(sources_request(sources, 0)->body, "Action=AssumeRoleWithWebIdentity&"));
    assert_non_null(strstr(sources_request(sources, 0)->body, "&RoleArn=of-token&"));
    check_request(sources, 1, "by-token", "&RoleArn=r&");
}

/* ------------------------------------------------------------------------------------------------ named sources */

TEST_WITH_AS(sources, role_set_up, the_environment_may_be_named)
{
    sources_write("config", "[profile p]\nrole_arn = r\ncredential_source = environment\n");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH", 1);
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    check_request(sources, 0, "env", "&RoleArn=r&");
}

TEST_WITH_AS(sources, role_set_up, the_container_may_be_named)
{
    char json[400];
    sources_write("config", "[profile p]\nrole_arn = r\ncredential_source = EcsContainer\n");
    sources_name_server(sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "/c");
    sources_json("of-container", json);
    sources_answer(sources, "200 OK", json);
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    assert_string_equal(sources_request(sources, 0)->target, "/c");
    check_request(sources, 1, "of-container", "&RoleArn=r&");
}

TEST_WITH_AS(sources, role_set_up, the_instance_may_be_named)
{
    char json[400];
    sources_write("config", "[profile p]\nrole_arn = r\ncredential_source = Ec2InstanceMetadata\n");
    unsetenv("AWS_EC2_METADATA_DISABLED");
    sources_name_server(sources, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "");
    sources_answer(sources, "200 OK", "token");
    sources_answer(sources, "200 OK", "my-role");
    sources_json("of-instance", json);
    sources_answer(sources, "200 OK", json);
    answer_role(sources, "id");
    sources_expect(sources, "p", "assume-role", "id", "t");
    check_request(sources, 3, "of-instance", "&RoleArn=r&");
}

/* ------------------------------------------------------------------------------------------------ what is refused */

static const struct {
    const char *name;
    const char *config;
    os_code code;
    const char *words;
} refused[] = {
    {"a device", "role_arn = r\nsource_profile = base\nmfa_serial = 1\n", OS_ERR_CREDENTIALS,
     "wants a code of a device (mfa_serial)"},
    {"both", "role_arn = r\nsource_profile = base\ncredential_source = Environment\n", OS_ERR_CONFIG,
     "has role_arn, and both source_profile and credential_source: give one of the two"},
    {"neither", "role_arn = r\n", OS_ERR_CONFIG,
     "has role_arn, and neither source_profile nor credential_source: give one of the two"},
    {"an unknown source", "role_arn = r\ncredential_source = Moon\n", OS_ERR_CONFIG,
     "credential_source of the profile \"p\" is \"Moon\"; there are Environment, EcsContainer and "
     "Ec2InstanceMetadata."},
    {"an empty environment", "role_arn = r\ncredential_source = Environment\n", OS_ERR_CREDENTIALS,
     "from credential_source = Environment, which has none: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set."},
    {"no container", "role_arn = r\ncredential_source = EcsContainer\n", OS_ERR_CREDENTIALS,
     "from credential_source = EcsContainer, which has none: neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor"},
    {"no instance", "role_arn = r\ncredential_source = Ec2InstanceMetadata\n", OS_ERR_CREDENTIALS,
     "which has none: AWS_EC2_METADATA_DISABLED forbids"},
    {"no such profile", "role_arn = r\nsource_profile = nobody\n", OS_ERR_CONFIG,
     "The profile \"nobody\", which \"p\" names as its source_profile, is in neither of the profile files."},
    {"itself, without keys", "role_arn = r\nsource_profile = p\n", OS_ERR_CONFIG,
     "name each other as source_profile in a circle, which comes back to \"p\""},
    {"a circle of two", "role_arn = r\nsource_profile = q\n[profile q]\nrole_arn = r2\nsource_profile = p\n",
     OS_ERR_CONFIG, "in a circle, which comes back to \"p\""},
    {"a source without keys", "role_arn = r\nsource_profile = q\n[profile q]\nregion = x\n", OS_ERR_CREDENTIALS,
     "The profile \"q\" has no credentials, and another profile names it as its source_profile"},
    {"half a pair", "role_arn = r\nsource_profile = q\n[profile q]\naws_access_key_id = x\n", OS_ERR_CREDENTIALS,
     "has aws_access_key_id without aws_secret_access_key; it needs both."},
    {"a duration in words", "role_arn = r\nsource_profile = base\nduration_seconds = 1h\n", OS_ERR_CONFIG,
     "duration_seconds of the profile \"p\" is not a number of seconds up to 43200."},
    {"too long a duration", "role_arn = r\nsource_profile = base\nduration_seconds = 43201\n", OS_ERR_CONFIG,
     "is not a number of seconds up to 43200."},
    {"a name that is too long",
     "role_arn = r\nsource_profile = base\nrole_session_name = "
     "12345678901234567890123456789012345678901234567890123456789012345\n",
     OS_ERR_CONFIG, "role_session_name of the profile \"p\" has 65 bytes; at most 64 are possible."},
};

TEST_ROWS_BETWEEN(NULL, NULL, refused, a_role_that_cannot_be_asked_for_is_said_before_anything_is_sent)
{
    char config[1000];
    struct sources sources = {0};
    role_set_up(&sources);
    snprintf(config, sizeof(config), "[profile base]\n" PAIR("base") "[profile p]\n%s", row->config);
    sources_write("config", config);
    sources_expect_none(&sources, "p", row->code, row->words);
    assert_int_equal(http_server_connections(sources.server), 0);
    sources_tear_down(&sources);
}

/* Sixteen roles follow each other; one more does not. */
TEST_WITH_AS(sources, role_set_up, a_row_of_roles_has_an_end)
{
    for (int roles = 16; roles <= 17; roles++) {
        char config[2000] = "[profile base]\n" PAIR("base");
        for (int i = 0; i < roles; i++) {
            size_t len = strlen(config);
            if (i + 1 < roles)
                snprintf(config + len, sizeof(config) - len, "[profile p%d]\nrole_arn = r%d\nsource_profile = p%d\n", i,
                         i, i + 1);
            else
                snprintf(config + len, sizeof(config) - len, "[profile p%d]\nrole_arn = r%d\nsource_profile = base\n",
                         i, i);
        }
        sources_write("config", config);
        for (int i = 0; i < roles && roles == 16; i++)
            answer_role(sources, "id");
        if (roles == 16)
            sources_expect(sources, "p0", "assume-role", "id", "t");
        else
            sources_expect_none(sources, "p0", OS_ERR_CONFIG, "More than 16 roles are assumed one by the other.");
    }
    assert_int_equal(http_server_count(sources->server), 16);
    check_request(sources, 15, "id", "&RoleArn=r0&");
}

/* What the first of two says ends the search: no other keys are taken for its. */
TEST_WITH_AS(sources, role_set_up, a_role_that_is_refused_ends_the_search)
{
    sources_write("config",
                  "[profile p]\nrole_arn = outer\nsource_profile = q\n" PAIR(
                      "beside") "[profile q]\nrole_arn = inner\nsource_profile = base\n[profile base]\n" PAIR("base"));
    sources_answer(sources, "403 Forbidden",
                   "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error>"
                   "<RequestId>r-1</RequestId></ErrorResponse>");
    sources_expect_none(sources, "p", OS_ERR_CREDENTIALS,
                        "STS did not give keys for the role inner (403 AccessDenied): not you. Check");
    assert_int_equal(sources->error.http_status, 403);
    assert_string_equal(sources->error.request_id, "r-1");
    assert_int_equal(http_server_count(sources->server), 1);
}

/* Nothing is asked without a fetcher, and it is said that there is something to ask. */
TEST_WITH_AS(sources, role_set_up, a_role_takes_time)
{
    sources_write("config", "[profile p]\nrole_arn = r\nsource_profile = base\n[profile base]\n" PAIR("base"));
    sources->chain = (struct chain){.profile = "p"};
    assert_int_equal(chain_find(&sources->chain, &sources->error), OS_ERR_CREDENTIALS);
    assert_true(sources->chain.would_block);
    assert_int_equal(http_server_connections(sources->server), 0);
}
