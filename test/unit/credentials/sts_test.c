/* SPDX-License-Identifier: Apache-2.0 */
/* The two questions to AWS STS, and what it answers. */
#include "credentials/sts.h"

#include "unit/credentials/sources.h"

#include <stdio.h>

enum { NOW_S = 1795863600, LONG = 16 << 10 };

/* ------------------------------------------------------------------------------------------------ the form */

static const struct {
    const char *name;
    struct sts_question question;
    const char *form;
} forms[] = {
    {"the least",
     {.role_arn = "arn:aws:iam::123456789012:role/a/b"},
     "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fa%2Fb"
     "&RoleSessionName=oscommit-1795863600"},
    {"all",
     {.role_arn = "r", .session_name = "me", .external_id = "e", .duration_s = 900},
     "Action=AssumeRole&Version=2011-06-15&RoleArn=r&RoleSessionName=me&ExternalId=e&DurationSeconds=900"},
    {"odd characters",
     {.role_arn = "a&b=c", .session_name = "+ %#?;", .external_id = "\xc3\xa9\"<>\\^`{|}\t-._~"},
     "Action=AssumeRole&Version=2011-06-15&RoleArn=a%26b%3Dc&RoleSessionName=%2B%20%25%23%3F%3B"
     "&ExternalId=%C3%A9%22%3C%3E%5C%5E%60%7B%7C%7D%09-._~"},
    {"a token",
     {.role_arn = "r", .session_name = "me", .web_identity = {"ey.J+/=&x", 9}},
     "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=r&RoleSessionName=me"
     "&WebIdentityToken=ey.J%2B%2F%3D%26x"},
};

TEST_ROWS(forms, a_question_is_a_form_in_which_every_odd_character_is_escaped)
{
    struct buf form;
    buf_init(&form, 4096);
    assert_true(sts_build_form(&row->question, NOW_S, &form));
    assert_string_equal(buf_str(&form), row->form);
    buf_free(&form);
}

TEST(a_form_that_has_no_room_is_said)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        size_t least = strlen(forms[i].form);
        for (size_t room = 0; room <= least; room++) {
            struct buf form;
            buf_init(&form, room);
            assert_int_equal(sts_build_form(&forms[i].question, NOW_S, &form), room == least);
            buf_free(&form);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ the answer */

#define RESULT(inside)                                                                                               \
    "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><Credentials>" inside \
    "</Credentials></AssumeRoleResult></AssumeRoleResponse>"
#define ID      "<AccessKeyId> id </AccessKeyId>"
#define SECRET  "<SecretAccessKey>HUSH</SecretAccessKey>"
#define TOKEN   "<SessionToken>\n t/+= \n</SessionToken>"
#define EXPIRES "<Expiration>2026-11-28T11:00:00Z</Expiration>"
#define REFUSED(inside) \
    "<ErrorResponse><Error><Type>Sender</Type>" inside "</Error><RequestId>r-9</RequestId></ErrorResponse>"

static os_code answer(int status, const char *body, struct keys *ret, os_error *err)
{
    struct http_response response;
    http_response_init(&response, 1 << 20);
    response.status = status;
    assert_true(buf_add_str(&response.body, body));
    os_code code = sts_read_answer(&response, "the-role", ret, err);
    http_response_free(&response);
    return code;
}

TEST(a_whole_answer_has_keys)
{
    struct keys keys = {0};
    os_error err;
    assert_int_equal(answer(200, RESULT("<x/>" EXPIRES TOKEN ID SECRET), &keys, &err), OS_OK);
    assert_string_equal(keys.access_key_id, "id");
    assert_string_equal(keys.secret_access_key, "HUSH");
    assert_string_equal(keys.session_token, "t/+=");
    assert_int_equal(keys.expires_s, NOW_S);
    char other[900];
    sources_sts("AssumeRoleWithWebIdentity", "id2", other);
    assert_int_equal(answer(200, other, &keys, &err), OS_OK);
    assert_string_equal(keys.access_key_id, "id2");
    keys_free(&keys);
}

static const struct {
    const char *name;
    int status;
    const char *body;
    const char *words;
    const char *service_code;
    const char *request_id;
} failures[] = {
    {"no id", 200, RESULT(SECRET TOKEN EXPIRES), "STS answered 200, but not with a key pair", "", ""},
    {"no secret", 200, RESULT(ID TOKEN EXPIRES), "STS answered 200, but not", "", ""},
    {"no token", 200, RESULT(ID SECRET EXPIRES), "STS answered 200, but not", "", ""},
    {"no expiration", 200, RESULT(ID SECRET TOKEN), "STS answered 200, but not", "", ""},
    {"an empty id", 200, RESULT("<AccessKeyId/>" SECRET TOKEN EXPIRES), "STS answered 200, but not", "", ""},
    {"before 1970", 200, RESULT(ID SECRET TOKEN "<Expiration>1969-12-31T00:00:00Z</Expiration>"),
     "STS answered 200, but not", "", ""},
    {"another document", 200, "<html>HUSH</html>", "STS answered 200, but not", "", ""},
    {"keys elsewhere", 200, "<a><Credentials>" ID SECRET TOKEN EXPIRES "</Credentials></a>",
     "STS answered 200, but not", "", ""},
    {"no time", 200, RESULT(ID SECRET TOKEN "<Expiration>HUSH</Expiration>"), "cannot be read", "", ""},
    {"nothing", 200, "", "cannot be read", "", ""},
    {"cut short", 200, "<AssumeRoleResponse><AssumeRoleResult><Credentials>" ID SECRET TOKEN EXPIRES,
     "cannot be read: it is no whole XML document", "", ""},
    {"an entity", 200, "<!DOCTYPE a [<!ENTITY x \"HUSH\">]>" RESULT(ID SECRET TOKEN EXPIRES), "cannot be read", "", ""},
    {"a blank in the id", 200, RESULT("<AccessKeyId>i d</AccessKeyId>" SECRET TOKEN EXPIRES),
     "The access key id contains a blank", "", ""},
    {"refused", 403, REFUSED("<Code>AccessDenied</Code><Message>User: x is not authorized</Message>"),
     "STS did not give keys for the role the-role (403 AccessDenied): User: x is not authorized. Check the role's "
     "trust "
     "policy",
     "AccessDenied", "r-9"},
    {"refused without a message", 400, REFUSED("<Code>ExpiredToken</Code>"), "the-role (400 ExpiredToken). Check",
     "ExpiredToken", "r-9"},
    {"refused without a document", 502, "", "(502 without a code). Check", "", ""},
    {"refused with keys", 403, RESULT(ID SECRET TOKEN EXPIRES), "(403 without a code). Check", "", ""},
    {"refused in pieces", 403, "<ErrorResponse><Error><Code>Throttling</Code>", "(403 Throttling). Check", "Throttling",
     ""},
    {"moved", 301, RESULT(ID SECRET TOKEN EXPIRES), "(301 without a code). Check", "", ""},
};

TEST_ROWS(failures, any_other_answer_has_none_and_says_why)
{
    struct keys keys = {0};
    os_error err;
    assert_int_equal(answer(row->status, row->body, &keys, &err), OS_ERR_CREDENTIALS);
    assert_false(keys_are_there(&keys));
    if (strstr(err.message, row->words) == NULL)
        fail_msg("\"%s\" is not in: %s", row->words, err.message);
    assert_null(strstr(err.message, "HUSH"));
    assert_string_equal(err.service_code, row->service_code);
    assert_string_equal(err.request_id, row->request_id);
    assert_int_equal(err.http_status, row->status == 200 ? 0 : row->status);
}

TEST(a_part_that_is_longer_than_any_key_is_refused)
{
    static const struct {
        const char *name;
        size_t most;
    } parts[] = {{"AccessKeyId", SIGV4_ACCESS_KEY_ID_MAX},
                 {"SecretAccessKey", SIGV4_SECRET_MAX},
                 {"SessionToken", SIGV4_SESSION_TOKEN_MAX}};
    char *text = malloc(2 * LONG);
    char *value = malloc(LONG);
    assert_true(text != NULL && value != NULL);
    for (size_t i = 0; i < 3; i++)
        for (size_t more = 0; more < 2; more++) {
            struct keys keys = {0};
            os_error err;
            memset(value, 'H', parts[i].most + more);
            value[parts[i].most + more] = '\0';
            snprintf(text, 2 * LONG, RESULT("%s%s%s<%s>%s</%s>" EXPIRES), i != 0 ? ID : "", i != 1 ? SECRET : "",
                     i != 2 ? TOKEN : "", parts[i].name, value, parts[i].name);
            assert_int_equal(answer(200, text, &keys, &err), more == 0 ? OS_OK : OS_ERR_CREDENTIALS);
            if (more > 0)
                assert_non_null(strstr(err.message, "longer than any key"));
            keys_free(&keys);
        }
    free(text);
    free(value);
}
