/* SPDX-License-Identifier: Apache-2.0 */
/* os_presign: what is in the URL, and what is refused. Nothing is sent: the server would count it. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <string.h>

struct signing {
    struct scratch scratch;
    struct http_server *server;
    os_client *client;
    os_error error;
    char *url;
    char *headers;
};

static void signing_set_up(struct signing *signing)
{
    scratch_set_up(&signing->scratch);
    signing->server = http_server_start(NULL);
    os_options more = OS_OPTIONS_INIT;
    more.store_profile = "aws";
    more.guard = OS_GUARD_BOTH;
    signing->client = scratch_s3_client(&signing->scratch, http_server_host(signing->server), &more);
}

static void forget(struct signing *signing)
{
    os_free(signing->url);
    os_free(signing->headers);
    signing->url = signing->headers = NULL;
}

static void signing_tear_down(struct signing *signing)
{
    assert_int_equal(http_server_count(signing->server), 0);
    forget(signing);
    os_client_close(signing->client);
    http_server_stop(signing->server);
    scratch_tear_down(&signing->scratch);
}

static os_code presign(struct signing *signing, const os_presign_options *options)
{
    forget(signing);
    return os_presign(signing->client, "a b/c", options, &signing->url, &signing->headers, &signing->error);
}

static void assert_has(const struct signing *signing, const char *text)
{
    if (strstr(signing->url, text) == NULL)
        fail_msg("%s has no %s", signing->url, text);
}

TEST_WITH(signing, a_get_needs_no_header)
{
    CHECK_CODE(presign(signing, NULL), OS_OK, &signing->error);
    assert_has(signing, "/a%20b/c?");
    assert_has(signing, "X-Amz-Algorithm=AWS4-HMAC-SHA256");
    assert_has(signing, "X-Amz-Expires=3600&");
    assert_has(signing, "X-Amz-SignedHeaders=host&");
    assert_has(signing, "X-Amz-Signature=");
    assert_string_equal(signing->headers, "");
    char *get = strdup(strrchr(signing->url, '='));
    const os_presign_options head = {.size = sizeof(head), .method = OS_PRESIGN_HEAD};
    CHECK_CODE(presign(signing, &head), OS_OK, &signing->error);
    assert_string_not_equal(strrchr(signing->url, '='), get);
    free(get);
}

TEST_WITH(signing, a_version_stands_in_the_url)
{
    const os_presign_options options = {.size = sizeof(options), .version_id = "v+1", .expires_s = 604800};
    CHECK_CODE(presign(signing, &options), OS_OK, &signing->error);
    assert_has(signing, "versionId=v%2B1");
    assert_has(signing, "X-Amz-Expires=604800&");
}

TEST_WITH(signing, a_put_has_its_condition)
{
    os_presign_options options = {.size = sizeof(options), .method = OS_PRESIGN_PUT_IF_ABSENT};
    CHECK_CODE(presign(signing, &options), OS_OK, &signing->error);
    assert_string_equal(signing->headers, "if-none-match: *\n");
    assert_has(signing, "X-Amz-SignedHeaders=host%3Bif-none-match&");
    options.content_type = "a/b";
    CHECK_CODE(presign(signing, &options), OS_OK, &signing->error);
    assert_non_null(strstr(signing->headers, "content-type: a/b\n"));
    forget(signing);
    CHECK_CODE(os_presign(signing->client, "k", &options, &signing->url, NULL, &signing->error), OS_OK,
               &signing->error);
}

TEST_WITH(signing, what_cannot_be_is_refused)
{
    const struct {
        os_presign_options options;
        const char *about;
    } rows[] = {
        {{.size = sizeof(os_presign_options), .method = (os_presign_method)3}, "os_presign_method 3"},
        {{.size = sizeof(os_presign_options), .expires_s = 604801}, "604800 seconds at most"},
        {{.size = sizeof(os_presign_options), .content_type = "a/b"}, "Only a PUT"},
        {{.size = sizeof(os_presign_options), .method = OS_PRESIGN_PUT_IF_ABSENT, .version_id = "v"},
         "cannot name one"},
        {{.size = sizeof(os_presign_options), .method = OS_PRESIGN_PUT_IF_ABSENT, .content_type = "a\nb"}, "a"},
        {{.size = 3}, "size"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_CODE(presign(signing, &rows[i].options), OS_ERR_ARGUMENT, &signing->error);
        if (strstr(signing->error.message, rows[i].about) == NULL)
            fail_msg("row %zu: %s", i, signing->error.message);
        assert_null(signing->url);
    }
    CHECK_CODE(os_presign(signing->client, "k", NULL, NULL, NULL, &signing->error), OS_ERR_ARGUMENT, &signing->error);
    CHECK_CODE(os_presign(signing->client, "", NULL, &signing->url, NULL, &signing->error), OS_ERR_ARGUMENT,
               &signing->error);
}

TEST_WITH(signing, a_put_is_refused_where_writers_rely_on_records)
{
    const os_presign_options options = {.size = sizeof(options), .method = OS_PRESIGN_PUT_IF_ABSENT};
    const struct {
        const char *profile;
        os_guard guard;
    } rows[] = {{NULL, OS_GUARD_AUTO}, {NULL, OS_GUARD_RECORD}, {NULL, OS_GUARD_BOTH}, {"aws", OS_GUARD_RECORD}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        os_options more = OS_OPTIONS_INIT;
        more.store_profile = rows[i].profile;
        more.guard = rows[i].guard;
        os_client_close(signing->client);
        signing->client = scratch_s3_client(&signing->scratch, http_server_host(signing->server), &more);
        CHECK_CODE(presign(signing, &options), OS_ERR_UNSUPPORTED, &signing->error);
        assert_non_null(strstr(signing->error.message, "leaves no record"));
        CHECK_CODE(presign(signing, NULL), OS_OK, &signing->error);
    }
}

TEST_WITH(signing, an_embedded_store_has_no_urls)
{
    os_client *local = scratch_client(&signing->scratch, NULL);
    CHECK_CODE(os_presign(local, "k", NULL, &signing->url, NULL, &signing->error), OS_ERR_UNSUPPORTED, &signing->error);
    os_client_close(local);
}
