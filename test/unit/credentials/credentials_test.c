/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/credentials.h"

#include "unit/aws/surroundings.h"

#include <time.h>

static struct credentials *make(const struct credentials_source *source)
{
    struct credentials *credentials = NULL;
    os_error err;
    assert_int_equal(credentials_new(source, &credentials, &err), OS_OK);
    return credentials;
}

/* As whoever signs a request. */
static os_code look(struct credentials *credentials, bool refused, struct sigv4_keys *ret, os_error *err)
{
    struct credentials_waiter waiter = {0};
    enum credentials_state state = credentials_wait(credentials, refused, &waiter, err);
    assert_int_not_equal(state, CREDENTIALS_SEARCHED);
    assert_false(waiter.waits);
    return state == CREDENTIALS_NONE ? err->code : credentials_get(credentials, ret, err);
}

static void expect_keys(struct credentials *credentials, const char *id, const char *secret, const char *token)
{
    struct sigv4_keys keys;
    os_error err = {.code = OS_ERR_IO};
    os_code code = look(credentials, false, &keys, &err);
    if (code != OS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(err.code, OS_OK);
    assert_string_equal(keys.access_key_id, id);
    assert_string_equal(keys.secret_access_key, secret);
    if (token == NULL)
        assert_null(keys.session_token);
    else
        assert_string_equal(keys.session_token, token);
}

/* The sentence of the failure; it never has a secret in it. */
static void expect_none(const struct credentials_source *source, const char *sentence)
{
    struct credentials *credentials = make(source);
    struct sigv4_keys keys = {"untouched", NULL, NULL};
    os_error err;
    assert_int_equal(credentials_get(credentials, &keys, &err), OS_ERR_CREDENTIALS);
    assert_string_equal(keys.access_key_id, "untouched");
    if (strstr(err.message, sentence) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", sentence, err.message);
    assert_null(strstr(err.message, "HUSH"));
    credentials_free(credentials);
}

/* --------------------------------------------------------------------------------------------------- static keys */

TEST_BETWEEN(surroundings_setup, surroundings_teardown, keys_that_cannot_be_sent_are_refused_before_they_are)
{
    static const struct {
        const char *part;
        size_t most;
    } parts[] = {{"access key id", SIGV4_ACCESS_KEY_ID_MAX},
                 {"secret access key", SIGV4_SECRET_MAX},
                 {"session token", SIGV4_SESSION_TOKEN_MAX}};
    static const char *const bad[] = {"HUSH\n", "HU SH", "HUSH\r\nx-amz-acl: public-read", "\tHUSH", "HUSH\x7f"};
    for (size_t part = 0; part < 3; part++) {
        char *text = malloc(parts[part].most + 2);
        memset(text, 'k', parts[part].most + 1);
        const char *values[3] = {"id", "secret", "token"};
        struct credentials *credentials = NULL;
        os_error err;
        for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]) + 1; i++) {
            bool fits = i == sizeof(bad) / sizeof(bad[0]);
            text[parts[part].most + (fits ? 0 : 1)] = '\0';
            values[part] = i < sizeof(bad) / sizeof(bad[0]) ? bad[i] : text;
            const struct credentials_source source = {.access_key_id = values[0],
                                                      .secret_access_key = values[1],
                                                      .session_token = values[2],
                                                      .no_environment = true};
            os_code code = credentials_new(&source, &credentials, &err);
            assert_int_equal(code, fits ? OS_OK : OS_ERR_CREDENTIALS);
            if (!fits) {
                assert_non_null(strstr(err.message, parts[part].part));
                assert_null(strstr(err.message, "HU"));
            } else {
                credentials_free(credentials);
            }
            text[parts[part].most] = 'k';
        }
        free(text);
    }
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, static_keys_are_given_as_they_are)
{
    char id[] = "id";
    const struct credentials_source source = {
        .access_key_id = id, .secret_access_key = "HUSH", .session_token = "t", .no_environment = true};
    struct credentials *credentials = make(&source);
    id[0] = 'x'; /* strings are borrowed only while credentials_new runs */
    expect_keys(credentials, "id", "HUSH", "t");
    struct sigv4_keys keys;
    os_error err;
    assert_int_equal(look(credentials, true, &keys, &err), OS_OK);
    assert_string_equal(keys.access_key_id, "id");
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, static_keys_go_before_the_environment)
{
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH-env", 1);
    setenv("AWS_SESSION_TOKEN", "env-token", 1);
    const struct credentials_source source = {.access_key_id = "id", .secret_access_key = "HUSH"};
    struct credentials *credentials = make(&source);
    expect_keys(credentials, "id", "HUSH", NULL);
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, half_a_static_key_pair_is_refused)
{
    struct credentials *credentials = NULL;
    os_error err;
    const struct credentials_source half[] = {
        {.access_key_id = "id"},
        {.secret_access_key = "HUSH"},
        {.access_key_id = "id", .secret_access_key = ""},
        {.session_token = "t"},
    };
    for (size_t i = 0; i < sizeof(half) / sizeof(half[0]); i++) {
        assert_int_equal(credentials_new(&half[i], &credentials, &err), OS_ERR_CONFIG);
        assert_null(credentials);
        assert_null(strstr(err.message, "HUSH"));
    }
}

/* --------------------------------------------------------------------------------------------------- environment */

/* A regular file whose first byte cannot be read. */
TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_file_that_cannot_be_read_is_named)
{
    const struct credentials_source source = {.profile = "p"};
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/proc/self/mem", 1);
    struct credentials *credentials = make(&source);
    struct sigv4_keys keys = {"untouched", NULL, NULL};
    os_error err;
    assert_int_equal(credentials_get(credentials, &keys, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "/proc/self/mem"));
    credentials_free(credentials);
    unsetenv("AWS_SHARED_CREDENTIALS_FILE");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, the_environment_goes_before_the_default_profile)
{
    const struct credentials_source source = {0};
    write_profile("credentials", "[default]\naws_access_key_id = p\naws_secret_access_key = HUSH-p\n");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH-env", 1);
    struct credentials *credentials = make(&source);
    expect_keys(credentials, "env", "HUSH-env", NULL);
    credentials_free(credentials);
    setenv("AWS_SESSION_TOKEN", "t", 1);
    credentials = make(&source);
    expect_keys(credentials, "env", "HUSH-env", "t");
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_profile_that_is_asked_for_goes_before_the_environment)
{
    write_profile("credentials", "[p]\naws_access_key_id = p\naws_secret_access_key = HUSH-p\n");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH-env", 1);
    const struct credentials_source source = {.profile = "p"};
    struct credentials *credentials = make(&source);
    expect_keys(credentials, "p", "HUSH-p", NULL);
    credentials_free(credentials);
    setenv("AWS_PROFILE", "p", 1);
    const struct credentials_source unnamed = {0};
    credentials = make(&unnamed);
    expect_keys(credentials, "env", "HUSH-env", NULL);
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, half_a_pair_in_the_environment_is_said_and_not_passed_over)
{
    const struct credentials_source source = {0};
    write_profile("credentials", "[default]\naws_access_key_id = p\naws_secret_access_key = HUSH-p\n");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    expect_none(&source, "AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY");
    unsetenv("AWS_ACCESS_KEY_ID");
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH-env", 1);
    expect_none(&source, "AWS_SECRET_ACCESS_KEY is set without AWS_ACCESS_KEY_ID");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, an_environment_that_is_not_to_be_read_is_not)
{
    write_profile("credentials", "[default]\naws_access_key_id = p\naws_secret_access_key = HUSH-p\n");
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH-env", 1);
    const struct credentials_source source = {.no_environment = true};
    expect_none(&source, "no_environment forbids");
}

/* ------------------------------------------------------------------------------------------------------ profiles */

TEST_BETWEEN(surroundings_setup, surroundings_teardown, keys_come_from_either_profile_file)
{
    write_profile("credentials",
                  "[a]\naws_access_key_id = ida\naws_secret_access_key = HUSH/a+=\naws_session_token = ta\n");
    write_profile("config", "[profile a]\naws_access_key_id = wrong\naws_secret_access_key = HUSH-wrong\n"
                            "[profile b]\naws_access_key_id = idb\naws_secret_access_key = HUSH-b\n");
    const struct credentials_source a = {.profile = "a"};
    struct credentials *credentials = make(&a);
    expect_keys(credentials, "ida", "HUSH/a+=", "ta");
    credentials_free(credentials);
    setenv("AWS_PROFILE", "b", 1);
    const struct credentials_source none = {0};
    credentials = make(&none);
    expect_keys(credentials, "idb", "HUSH-b", NULL);
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_token_of_another_file_is_not_mixed_in)
{
    write_profile("credentials", "[p]\naws_access_key_id = id\naws_secret_access_key = HUSH\n");
    write_profile("config", "[profile p]\naws_session_token = stale\n");
    const struct credentials_source source = {.profile = "p"};
    struct credentials *credentials = make(&source);
    expect_keys(credentials, "id", "HUSH", NULL);
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, half_a_pair_in_a_profile_is_said)
{
    write_profile("credentials", "[p]\naws_access_key_id = id\n[q]\naws_secret_access_key = HUSH\n");
    const struct credentials_source p = {.profile = "p"};
    const struct credentials_source q = {.profile = "q"};
    expect_none(&p, "/.aws/credentials has aws_access_key_id without aws_secret_access_key");
    expect_none(&q, "/.aws/credentials has aws_secret_access_key without aws_access_key_id");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_failure_names_every_place_that_was_looked_at)
{
    const struct credentials_source source = {0};
    write_profile("credentials", "[other]\naws_access_key_id = id\naws_secret_access_key = HUSH\n");
    expect_none(&source, "none in the environment");
    expect_none(&source, "the profile \"default\"");
    expect_none(&source, "/.aws/credentials or ");
    expect_none(&source, "/.aws/config (not there)");
    unsetenv("HOME");
    expect_none(&source, "HOME is not set");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_way_to_keys_that_is_not_supported_is_named)
{
    write_profile("config", "[profile l]\nlogin_session = arn:aws:iam::1:user/x\n"
                            "[profile m]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = p\nmfa_serial = 1\n");
    const struct credentials_source login = {.profile = "l"};
    const struct credentials_source device = {.profile = "m"};
    expect_none(&login, "\"l\" gets its keys by login_session");
    expect_none(&device, "wants a code of a device (mfa_serial)");
}

/* As at the opening of a client for Signature V2, which has no loop yet. */
TEST_BETWEEN(surroundings_setup, surroundings_teardown, without_a_loop_nothing_is_asked_that_takes_time)
{
    write_profile("config", "[profile c]\ncredential_process = /bin/false HUSH\n"
                            "[profile s]\nsso_account_id = 1\nsso_role_name = r\nsso_region = eu-west-1\n"
                            "sso_start_url = https://s\n");
    const struct credentials_source process = {.profile = "c"};
    const struct credentials_source sso = {.profile = "s"};
    expect_none(&process, "which is not possible here");
    expect_none(&sso, "which is not possible here");
    unsetenv("AWS_EC2_METADATA_DISABLED");
    const struct credentials_source instance = {0};
    expect_none(&instance, "which is not possible here");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_damaged_profile_file_is_said)
{
    struct sigv4_keys keys;
    os_error err;
    const struct credentials_source source = {0};
    write_profile_bytes("credentials", "\0", 1);
    struct credentials *credentials = make(&source);
    assert_int_equal(credentials_get(credentials, &keys, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "/.aws/credentials"));
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, keys_are_read_once_and_again_when_renewed)
{
    const struct credentials_source source = {0};
    struct sigv4_keys keys;
    os_error err;
    write_profile("credentials", "[default]\naws_access_key_id = a\naws_secret_access_key = HUSH-a\n");
    struct credentials *credentials = make(&source);
    expect_keys(credentials, "a", "HUSH-a", NULL);
    write_profile("credentials", "[default]\naws_access_key_id = b\naws_secret_access_key = HUSH-b\n");
    expect_keys(credentials, "a", "HUSH-a", NULL);
    assert_int_equal(look(credentials, true, &keys, &err), OS_OK);
    assert_string_equal(keys.access_key_id, "b");
    write_profile("credentials", "");
    assert_int_equal(look(credentials, true, &keys, &err), OS_ERR_CREDENTIALS);
    credentials_free(credentials);
}

/* ------------------------------------------------------------------------------------------------------ callback */

struct giver {
    int calls;
    int result;
    os_credentials gives;
};

static int give(void *context, os_credentials *ret)
{
    struct giver *giver = context;
    giver->calls++;
    assert_int_equal(ret->size, sizeof(*ret));
    *ret = giver->gives;
    return giver->result;
}

static struct credentials *make_giver(struct giver *giver)
{
    const struct credentials_source source = {
        .access_key_id = "static", .secret_access_key = "HUSH-static", .callback = give, .callback_context = giver};
    return make(&source);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_callback_goes_before_all_and_is_asked_once_for_keys_that_last)
{
    struct giver giver = {.gives = {.access_key_id = "id", .secret_access_key = "HUSH", .session_token = ""}};
    struct credentials *credentials = make_giver(&giver);
    assert_int_equal(giver.calls, 0);
    expect_keys(credentials, "id", "HUSH", NULL);
    expect_keys(credentials, "id", "HUSH", NULL);
    assert_int_equal(giver.calls, 1);
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, keys_that_expire_are_asked_for_again_five_minutes_before)
{
    struct giver giver = {.gives = {.access_key_id = "1", .secret_access_key = "HUSH", .expires_s = time(NULL) + 900}};
    struct credentials *credentials = make_giver(&giver);
    expect_keys(credentials, "1", "HUSH", NULL);
    expect_keys(credentials, "1", "HUSH", NULL);
    assert_int_equal(giver.calls, 1);
    credentials_free(credentials);
    giver.gives.expires_s = time(NULL) + 300;
    credentials = make_giver(&giver);
    expect_keys(credentials, "1", "HUSH", NULL);
    giver.gives = (os_credentials){.access_key_id = "2", .secret_access_key = "HUSH", .expires_s = time(NULL) + 9000};
    expect_keys(credentials, "2", "HUSH", NULL);
    expect_keys(credentials, "2", "HUSH", NULL);
    assert_int_equal(giver.calls, 3);
    credentials_free(credentials);
}

/* Until a service refuses them. */
TEST_BETWEEN(surroundings_setup, surroundings_teardown, keys_that_are_over_are_used_when_the_source_fails_for_now)
{
    struct sigv4_keys keys;
    os_error err;
    struct giver giver = {.gives = {.access_key_id = "1", .secret_access_key = "HUSH", .expires_s = time(NULL) - 1}};
    struct credentials *credentials = make_giver(&giver);
    expect_keys(credentials, "1", "HUSH", NULL);
    giver.result = 1;
    expect_keys(credentials, "1", "HUSH", NULL);
    assert_int_equal(giver.calls, 2);
    assert_int_equal(look(credentials, true, &keys, &err), OS_ERR_CREDENTIALS);
    assert_int_equal(giver.calls, 3);
    credentials_free(credentials);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_callback_that_gives_half_a_pair_gives_none)
{
    struct sigv4_keys keys;
    os_error err;
    struct giver giver = {.gives = {.access_key_id = "id"}};
    struct credentials *credentials = make_giver(&giver);
    assert_int_equal(credentials_get(credentials, &keys, &err), OS_ERR_CREDENTIALS);
    giver.gives = (os_credentials){.secret_access_key = "HUSH"};
    assert_int_equal(credentials_get(credentials, &keys, &err), OS_ERR_CREDENTIALS);
    assert_null(strstr(err.message, "HUSH"));
    giver.gives = (os_credentials){.access_key_id = "id", .secret_access_key = "HUSH", .expires_s = INT64_MIN};
    expect_keys(credentials, "id", "HUSH", NULL);
    expect_keys(credentials, "id", "HUSH", NULL);
    assert_int_equal(giver.calls, 4);
    credentials_free(credentials);
    credentials_free(NULL);
}
