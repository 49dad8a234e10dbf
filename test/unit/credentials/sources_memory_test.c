/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while services are asked for keys: it is said, and nothing leaks. The
 * services are played by another process, so that this one has a single thread. */
#include "aws/profile.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/named_file.h"
#include "unit/credentials/sources.h"

#include <openssl/crypto.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In this order: the files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/buf.c"
#include "base/http_message.c"
#include "base/named_file.c"
#include "credentials/keys.c"
#include "credentials/process.c"
/* clang-format on */

enum { ALLOCATIONS_MAX = 400 };

/* Whatever is asked, in the order of what the targets begin with; what they ask for last has keys. */
static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    char body[900] = "";
    (void)context;
    if (strcmp(record->target, "/latest/api/token") == 0)
        strcpy(body, "token");
    else if (strcmp(record->target, "/latest/meta-data/iam/security-credentials/") == 0)
        strcpy(body, "role");
    else if (strcmp(record->target, "/token") == 0)
        strcpy(body, "{\"accessToken\":\"HUSH\",\"expiresIn\":28800}");
    else if (strncmp(record->target, "/federation/", 12) == 0)
        strcpy(body, "{\"roleCredentials\":{\"accessKeyId\":\"id\",\"secretAccessKey\":\"HUSH\",\"sessionToken\":\"t\","
                     "\"expiration\":4102444800000}}");
    else if (strcmp(record->method, "POST") == 0)
        sources_sts("AssumeRole", "id", body);
    else
        sources_json("id", body);
    buf_reset(scratch);
    assert_true(buf_add_strs(scratch, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ", NULL) &&
                buf_add_number(scratch, strlen(body)) && buf_add_strs(scratch, "\r\n\r\n", body, NULL));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

struct elsewhere {
    struct sources sources;
    pid_t pid;
    int keep; /* the server ends when it is closed */
};

static void serve(int tell, int watch)
{
    const struct http_server_options options = {.respond = respond};
    struct http_server *server = http_server_start(&options);
    const char *host = http_server_host(server);
    char byte;
    if (write(tell, host, strlen(host) + 1) > 0)
        (void)!read(watch, &byte, 1);
    _exit(0);
}

static void elsewhere_set_up(struct elsewhere *ret)
{
    int tell[2];
    int keep[2];
    char host[32] = "";
    assert_true(pipe(tell) == 0 && pipe(keep) == 0);
    ret->pid = fork();
    assert_true(ret->pid >= 0);
    if (ret->pid == 0) {
        (void)close(keep[1]);
        serve(tell[1], keep[0]);
    }
    (void)close(tell[1]);
    (void)close(keep[0]);
    ret->keep = keep[1];
    assert_true(read(tell[0], host, sizeof(host) - 1) > 0);
    (void)close(tell[0]);
    sources_set_up(&ret->sources);
    snprintf(ret->sources.url, sizeof(ret->sources.url), "http://%s", host);
}

static void elsewhere_tear_down(struct elsewhere *elsewhere)
{
    (void)close(elsewhere->keep);
    (void)waitpid(elsewhere->pid, NULL, 0);
    sources_tear_down(&elsewhere->sources);
}

/* An answer that finds no room is told as one that is too long or malformed: the engine does not part them. */
static bool is_told(os_code code, const os_error *err)
{
    return code == OS_ERR_NO_MEMORY || strstr(err->message, " could not be asked: the answer's ") != NULL;
}

/* Each allocation of a search fails once. An engine of its own each time, as a search has it. */
static void fail_each(struct elsewhere *elsewhere, const char *profile, const char *source)
{
    struct sources *sources = &elsewhere->sources;
    size_t number = 0;
    for (bool ok = false; !ok; number++) {
        fetcher_close(&sources->fetcher);
        assert_int_equal(fetcher_init(&sources->fetcher, &sources->http, &sources->error), OS_OK);
        alloc_fail_at(number);
        os_code code = sources_find(sources, profile);
        alloc_fail_none();
        ok = !alloc_failed;
        if (code != OS_OK && (ok || !is_told(code, &sources->error)))
            fail_msg("allocation %zu of %s: %s: %s", number, source, os_code_name(code), sources->error.message);
        assert_int_equal(keys_are_there(&sources->chain.found), code == OS_OK);
        if (code == OS_OK) {
            assert_string_equal(sources->chain.source, source);
            assert_string_equal(sources->chain.found.access_key_id, "id");
        }
        assert_in_range(number, 0, ALLOCATIONS_MAX);
    }
    assert_in_range(number, 4, ALLOCATIONS_MAX);
}

TEST_WITH(elsewhere, a_container_without_memory)
{
    char path[SOURCES_PATH_SIZE];
    sources_name_server(&elsewhere->sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "/role?x");
    sources_path("other", path);
    sources_write("other", "HUSH");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path, 1);
    fail_each(elsewhere, NULL, "container");
}

TEST_WITH(elsewhere, an_instance_without_memory)
{
    unsetenv("AWS_EC2_METADATA_DISABLED");
    sources_name_server(&elsewhere->sources, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "");
    fail_each(elsewhere, NULL, "instance");
    setenv("AWS_EC2_METADATA_V1_DISABLED", "false", 1);
    fail_each(elsewhere, NULL, "instance");
}

TEST_WITH(elsewhere, a_role_without_memory)
{
    sources_name_server(&elsewhere->sources, "AWS_ENDPOINT_URL_STS", "");
    sources_write("config", "[profile p]\nrole_arn = r\nsource_profile = q\nexternal_id = e\nduration_seconds = 900\n"
                            "[profile q]\nrole_arn = s\nsource_profile = base\n"
                            "[profile base]\naws_access_key_id = base\naws_secret_access_key = HUSH\n");
    fail_each(elsewhere, "p", "assume-role");
}

TEST_WITH(elsewhere, a_web_identity_without_memory)
{
    char path[SOURCES_PATH_SIZE];
    sources_name_server(&elsewhere->sources, "AWS_ENDPOINT_URL_STS", "");
    sources_path("other", path);
    sources_write("other", "HUSH");
    setenv("AWS_WEB_IDENTITY_TOKEN_FILE", path, 1);
    setenv("AWS_ROLE_ARN", "r", 1);
    fail_each(elsewhere, NULL, "web-identity");
}

TEST_WITH(elsewhere, a_program_without_memory)
{
    sources_write("config", "[profile p]\ncredential_process = "
                            "printf '{\"Version\":1,\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\"}'\n");
    fail_each(elsewhere, "p", "process");
}

/* Its token is good for five more minutes: each search renews it, or uses it as it is. */
TEST_WITH(elsewhere, a_login_without_memory)
{
    char expires[32];
    char text[600];
    sources_name_server(&elsewhere->sources, "AWS_ENDPOINT_URL_SSO", "");
    sources_name_server(&elsewhere->sources, "AWS_ENDPOINT_URL_SSO_OIDC", "");
    sources_write("config", "[profile p]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = r\n"
                            "[sso-session corp]\nsso_start_url = https://s\nsso_region = eu-west-1\n");
    sources_time(300, expires);
    snprintf(text, sizeof(text),
             "{\"accessToken\":\"HUSH\",\"expiresAt\":\"%s\",\"clientId\":\"c\",\"clientSecret\":\"HUSH\","
             "\"refreshToken\":\"HUSH\",\"registrationExpiresAt\":\"2100-01-01T00:00:00Z\"}",
             expires);
    sources_write("sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json", text);
    fail_each(elsewhere, "p", "sso");
}
