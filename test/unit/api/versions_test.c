/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R16 in the client: the pages of the list of versions, and the HEADs of those that may be ours. A create was not
 * answered and is dead; somebody else's version stands at the key. (integration/api_versions_lists_test.c asks
 * servers.)
 */
#include "commit/guard.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONCE  SCRATCH_DEAD_NONCE
#define OTHERS "fedcba9876543210fedcba9876543210"

enum { PAGES_MOST = 8 };

struct versions {
    struct http_server *server;
    os_client *client;
    char *ticket;
    const char *pages[PAGES_MOST]; /* NULL: an empty one, the last */
    unsigned absent;               /* so many HEADs of the key find nothing, and no delete marker */
    os_result result;
    os_error error;
};

#define DATED(status, headers) \
    "HTTP/1.1 " status         \
    "\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\nContent-Length: %zu\r\n" headers "\r\n"
#define OBJECT(nonce, id)                                                                            \
    "ETag: \"22222222222222222222222222222222\"\r\nLast-Modified: Sat, 21 Nov 2026 09:59:59 GMT\r\n" \
    "x-amz-meta-oscommit-nonce: " nonce "\r\nx-amz-version-id: " id "\r\n"

/* The pages are told apart by where they begin: that of the marker "vN" is the page N. */
static const char *page_of(const struct versions *versions, const char *target)
{
    const char *marker = strstr(target, "version-id-marker=v");
    long number = marker ? strtol(marker + strlen("version-id-marker=v"), NULL, 10) : 0;
    const char *page = number >= 0 && number < PAGES_MOST ? versions->pages[number] : NULL;
    return page ? page : "<ListVersionsResult></ListVersionsResult>";
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct versions *versions = context;
    const char *body = "";
    bool of_key = strcmp(record->method, "HEAD") == 0 && strstr(record->target, "X-Amz-") == NULL; /* and not E7's */
    bool nothing = versions->absent > 0 && of_key;
    buf_reset(scratch);
    if (nothing) {
        versions->absent--;
        buf_add_f(scratch, DATED("404 Not Found", ""), strlen(body));
    } else if (strstr(record->target, "versionId=ours")) {
        buf_add_f(scratch, DATED("200 OK", OBJECT(NONCE, "ours")), strlen(body));
    } else if (strcmp(record->method, "HEAD") == 0) {
        buf_add_f(scratch, DATED("200 OK", OBJECT(OTHERS, "now")), strlen(body));
    } else {
        body = strstr(record->target, "versioning")
                   ? "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
                   : page_of(versions, record->target);
        buf_add_f(scratch, DATED("200 OK", "") "%s", strlen(body), body);
    }
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static char *native_create(const struct scratch *scratch, const char *host)
{
    const struct guard_ticket more = {.native = true, .native_writers = true, .versioned = true};
    return scratch_dead_create(scratch, host, &more);
}

static void versions_open_of(struct versions *ret, const struct scratch *scratch, const struct guard_ticket *more)
{
    os_options options = OS_OPTIONS_INIT;
    memset(ret, 0, sizeof(*ret));
    ret->result = (os_result)OS_RESULT_INIT;
    const struct http_server_options server = {.respond = respond, .respond_context = ret};
    ret->server = http_server_start(&server);
    options.margin_s = 1;
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), &options);
    ret->ticket = scratch_dead_create(scratch, http_server_host(ret->server), more);
}

static void versions_open(struct versions *ret, const struct scratch *scratch)
{
    versions_open_of(ret, scratch, &(struct guard_ticket){.versioned = true});
}

static void versions_close(struct versions *versions)
{
    os_result_clear(&versions->result);
    os_client_close(versions->client);
    http_server_stop(versions->server);
    free(versions->ticket);
}

static os_verdict resolve(struct versions *versions)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 20000;
    os_result_clear(&versions->result);
    return os_resolve(versions->client, versions->ticket, &call, &versions->result, &versions->error);
}

static size_t lists(const struct versions *versions)
{
    size_t count = 0;
    for (size_t i = 0; i < http_server_count(versions->server); i++)
        count += strstr(http_server_record(versions->server, i)->target, "&versions") != NULL;
    return count;
}

#define VERSION(id, latest)                                                                                  \
    "<Version><Key>key</Key><VersionId>" id "</VersionId><IsLatest>" latest "</IsLatest>"                    \
    "<LastModified>2026-11-21T09:59:59.000Z</LastModified><ETag>\"22222222222222222222222222222222\"</ETag>" \
    "<Size>1</Size></Version>"
#define PAGE(versions, next) "<ListVersionsResult>" versions next "</ListVersionsResult>"
#define MORE(marker)                                                                                \
    "<IsTruncated>true</IsTruncated><NextKeyMarker>key</NextKeyMarker><NextVersionIdMarker>" marker \
    "</NextVersionIdMarker>"

/* The HEAD came before it, the list after. */
TEST_WITH(scratch, R16_what_came_between_head_and_list_is_looked_at_again)
{
    struct versions versions;
    versions_open(&versions, scratch);
    free(versions.ticket);
    versions.ticket = native_create(scratch, http_server_host(versions.server));
    versions.absent = 2;
    versions.pages[0] = PAGE(VERSION("now", "true"), "");
    assert_int_equal(resolve(&versions), OS_CONFLICT);
    assert_string_equal(versions.result.rule, "R16");
    assert_int_equal(versions.absent, 0);
    versions_close(&versions);
}

/* N3: nobody kept the evidence. Whoever writes the key makes it known to the list. */
TEST_WITH(scratch, R16_a_key_that_is_not_there_is_not_unknown_for_good)
{
    struct versions versions;
    versions_open(&versions, scratch);
    free(versions.ticket);
    versions.ticket = native_create(scratch, http_server_host(versions.server));
    versions.absent = 1000;
    assert_int_equal(resolve(&versions), OS_UNKNOWN);
    assert_false(versions.result.final);
    CHECK_SAYS(&versions.error, "once the key has been written");
    versions.absent = 0;
    versions.pages[0] = PAGE(VERSION("now", "true"), "");
    assert_int_equal(resolve(&versions), OS_CONFLICT);
    assert_true(versions.result.final);
    versions_close(&versions);
}

TEST_WITH(scratch, R16_a_whole_list_of_others_is_a_conflict)
{
    struct versions versions;
    versions_open(&versions, scratch);
    versions.pages[0] = PAGE(VERSION("now", "true"), "");
    assert_int_equal(resolve(&versions), OS_CONFLICT);
    assert_string_equal(versions.result.rule, "R16");
    assert_int_equal(lists(&versions), 1);
    versions_close(&versions);
}

/* Its version has no byte, as all do here. */
TEST_WITH(scratch, a_version_of_fewer_bytes_is_no_proof)
{
    struct versions versions;
    versions_open_of(&versions, scratch, &(struct guard_ticket){.versioned = true, .has_length = true, .length = 1});
    versions.pages[0] = PAGE(VERSION("now", "true") VERSION("ours", "false"), "");
    assert_int_equal(resolve(&versions), OS_UNKNOWN);
    versions_close(&versions);
}

TEST_WITH(scratch, R16_every_page_is_read)
{
    struct versions versions;
    versions_open(&versions, scratch);
    versions.pages[0] = PAGE(VERSION("now", "true"), MORE("v1"));
    versions.pages[1] = PAGE("", MORE("v2"));
    versions.pages[2] = PAGE(VERSION("ours", "false"), "");
    assert_int_equal(resolve(&versions), OS_COMMITTED);
    assert_string_equal(versions.result.rule, "R16");
    assert_string_equal(versions.result.version_id, "ours");
    assert_int_equal(lists(&versions), 3);
    versions_close(&versions);
}

/* Ours may be on the fifth, for which nobody asks. */
TEST_WITH(scratch, R16_a_list_of_more_than_four_pages_proves_nothing)
{
    struct versions versions;
    versions_open(&versions, scratch);
    versions.pages[0] = PAGE(VERSION("now", "true"), MORE("v1"));
    versions.pages[1] = PAGE("", MORE("v2"));
    versions.pages[2] = PAGE("", MORE("v3"));
    versions.pages[3] = PAGE("", MORE("v4"));
    versions.pages[4] = PAGE(VERSION("ours", "false"), "");
    assert_int_equal(resolve(&versions), OS_UNKNOWN);
    assert_int_equal(lists(&versions), 4);
    versions_close(&versions);
}

TEST_WITH(scratch, R16_a_list_that_does_not_say_where_it_goes_on_proves_nothing)
{
    struct versions versions;
    versions_open(&versions, scratch);
    versions.pages[0] = PAGE(VERSION("now", "true"), "<IsTruncated>true</IsTruncated>");
    assert_int_equal(resolve(&versions), OS_UNKNOWN);
    versions.pages[0] =
        PAGE(VERSION("now", "true"), "<IsTruncated>true</IsTruncated><NextKeyMarker>key</NextKeyMarker>");
    assert_int_equal(resolve(&versions), OS_UNKNOWN);
    versions.pages[0] = "<ListVersionsResult>" VERSION("now", "true");
    assert_int_equal(resolve(&versions), OS_UNKNOWN);
    versions_close(&versions);
}
