/* SPDX-License-Identifier: Apache-2.0 */
/* os_list page after page: what each request asks for, and that nobody takes half a list for a whole one. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

struct listed {
    struct http_server *server;
    os_client *client;
    char told[256]; /* "key@version " of each */
    os_error error;
};

static void listed_open(struct listed *ret, const struct scratch *scratch)
{
    memset(ret, 0, sizeof(*ret));
    ret->server = http_server_start(NULL);
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), NULL);
}

static void listed_close(struct listed *listed)
{
    os_client_close(listed->client);
    http_server_stop(listed->server);
}

static void push(struct listed *listed, const char *body)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\nContent-Length: "
             "%zu\r\n\r\n%s",
             strlen(body), body);
    http_server_push(listed->server, &(struct http_server_step){.answer = text});
}

static int note(void *context, const os_object *object)
{
    struct listed *listed = context;
    size_t used = strlen(listed->told);
    snprintf(listed->told + used, sizeof(listed->told) - used, "%s@%s ", object->key, object->version_id);
    return 0;
}

static os_code list(struct listed *listed, bool versions)
{
    os_list_options options = OS_LIST_OPTIONS_INIT;
    options.versions = versions;
    listed->told[0] = '\0';
    return os_list(listed->client, &options, NULL, note, listed, &listed->error);
}

static void check_asked(struct listed *listed, size_t request, const char *words)
{
    const char *target = http_server_record(listed->server, request)->target;
    if (strstr(target, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, target);
}

#define OBJECT(key)     "<Contents><Key>" key "</Key><Size>1</Size><ETag>\"e\"</ETag></Contents>"
#define OBJECTS(inside) "<ListBucketResult>" inside "</ListBucketResult>"
#define GOES_ON(token)  "<IsTruncated>true</IsTruncated><NextContinuationToken>" token "</NextContinuationToken>"

TEST_WITH(scratch, every_page_of_a_list_is_asked_for_by_its_token)
{
    struct listed listed;
    listed_open(&listed, scratch);
    push(&listed, OBJECTS(OBJECT("a") OBJECT("b") GOES_ON("t1")));
    push(&listed, OBJECTS(GOES_ON("t2"))); /* a page may have nothing but where the next one is */
    push(&listed, OBJECTS(OBJECT("c")));
    CHECK_CODE(list(&listed, false), OS_OK, &listed.error);
    assert_string_equal(listed.told, "a@ b@ c@ ");
    assert_int_equal(http_server_count(listed.server), 3);
    check_asked(&listed, 1, "continuation-token=t1");
    check_asked(&listed, 2, "continuation-token=t2");
    listed_close(&listed);
}

#define VERSION(key, id) \
    "<Version><Key>" key "</Key><VersionId>" id "</VersionId><ETag>\"e\"</ETag><Size>1</Size></Version>"
#define VERSIONS(inside) "<ListVersionsResult>" inside "</ListVersionsResult>"
#define BEHIND(key, id)                                                                             \
    "<IsTruncated>true</IsTruncated><NextKeyMarker>" key "</NextKeyMarker><NextVersionIdMarker>" id \
    "</NextVersionIdMarker>"

TEST_WITH(scratch, every_page_of_versions_is_asked_for_by_its_key_and_version)
{
    struct listed listed;
    listed_open(&listed, scratch);
    push(&listed, VERSIONS(VERSION("a", "v3") VERSION("a", "v2") BEHIND("a", "v2")));
    push(&listed, VERSIONS(VERSION("a", "v1") VERSION("b", "w1")));
    CHECK_CODE(list(&listed, true), OS_OK, &listed.error);
    assert_string_equal(listed.told, "a@v3 a@v2 a@v1 b@w1 ");
    assert_int_equal(http_server_count(listed.server), 2);
    check_asked(&listed, 1, "key-marker=a&");
    check_asked(&listed, 1, "version-id-marker=v2");
    listed_close(&listed);
}

/* Also behind a page that was whole. */
TEST_WITH(scratch, a_page_that_does_not_say_where_it_goes_on_is_an_error)
{
    struct listed listed;
    listed_open(&listed, scratch);
    push(&listed, OBJECTS(OBJECT("a") GOES_ON("t1")));
    push(&listed, OBJECTS(OBJECT("b") "<IsTruncated>true</IsTruncated>"));
    CHECK_CODE(list(&listed, false), OS_ERR_PROTOCOL, &listed.error);
    push(&listed, VERSIONS(VERSION("a", "v3") BEHIND("a", "v3")));
    push(&listed, VERSIONS(VERSION("a", "v2") "<IsTruncated>true</IsTruncated>"));
    CHECK_CODE(list(&listed, true), OS_ERR_PROTOCOL, &listed.error);
    assert_string_equal(listed.told, "a@v3 ");
    listed_close(&listed);
}
