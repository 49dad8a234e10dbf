/* SPDX-License-Identifier: Apache-2.0 */
/* A version that there is no memory to look at is nobody else's. */
#include "unit/append/fleet.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20 };

static atomic_uint refusals;
static atomic_bool refuses;

extern void *__libc_realloc(void *old, size_t size); /* glibc's own */

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    if (!refuses || size < LARGE)
        return __libc_realloc(old, size);
    refusals++;
    errno = ENOMEM;
    return NULL;
}

static char answer[2 * LARGE + 256];
static size_t answer_length;

static bool is_large(struct fleet *fleet, const struct http_server_record *record, struct http_server_step *ret)
{
    (void)fleet;
    *ret = (struct http_server_step){.answer = answer, .answer_length = answer_length};
    return !fleet_is(record, "GET", VERSION_1);
}

TEST_WITH(fleet, a_version_without_memory_to_look_at_is_no_conflict)
{
    static const char ticket[] =
        "{\"delta_log_store\":1,\"table\":\"s3://bucket/table\",\"version\":1,\"temp\":\"" STRANGER_TEMP
        "\",\"sha256\":"
        "\"5647f05ec18958947d32874eeb788fa396a05d0bab7c1b71f112ceb7e9b31eee\"}"; /* of so many zeros */
    answer_length = 2 * LARGE + (size_t)sprintf(answer,
                                                "HTTP/1.1 200 OK\r\nx-amz-request-id: 1\r\nETag: \"0\"\r\n"
                                                "Content-Length: %d\r\n\r\n",
                                                2 * LARGE);
    fleet->hook = is_large;
    refuses = true;
    os_verdict verdict = fleet_resolve(fleet, ticket, LONG_MS);
    refuses = false;
    assert_int_equal(verdict, OS_UNKNOWN);
    assert_int_not_equal(refusals, 0);
    assert_int_equal(fleet_resolve(fleet, ticket, LONG_MS), OS_COMMITTED);
}
