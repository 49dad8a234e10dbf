/* SPDX-License-Identifier: Apache-2.0 */
/* Answers with keys are wiped before their memory is given back. What libcurl and the parsers copy is theirs. */
#include "unit/credentials/sources.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ANSWER_BEGIN "{\"Code\":\"Success\""

static atomic_bool looks;
static atomic_uint given_back; /* blocks that still begin as an answer does */

/* glibc's own. */
extern void __libc_free(void *block);
extern void *__libc_malloc(size_t size);

__attribute__((visibility("default"))) void free(void *block)
{
    if (looks && block != NULL && malloc_usable_size(block) > strlen(ANSWER_BEGIN))
        given_back += memcmp(block, ANSWER_BEGIN, strlen(ANSWER_BEGIN)) == 0;
    __libc_free(block);
}

/* Always at another place, so that what was there is seen. */
__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    size_t old = block != NULL ? malloc_usable_size(block) : 0;
    void *grown = __libc_malloc(size);
    if (grown == NULL)
        return NULL;
    if (old > 0)
        memcpy(grown, block, old < size ? old : size);
    free(block);
    return grown;
}

static void fill(bool secret)
{
    struct buf buf;
    buf_init(&buf, 1 << 16);
    buf.secret = secret;
    for (int i = 0; i < 100; i++)
        buf_add_str(&buf, ANSWER_BEGIN);
    buf_reset(&buf);
    buf_add_str(&buf, ANSWER_BEGIN);
    assert_true(buf_ok(&buf));
    looks = true;
    for (int i = 0; i < 1000; i++)
        buf_add_str(&buf, ANSWER_BEGIN);
    buf_free(&buf);
    buf_add_str(&buf, ANSWER_BEGIN);
    buf_free(&buf);
    looks = false;
}

TEST(a_secret_buffer_is_wiped_when_it_grows_and_ends)
{
    given_back = 0;
    fill(false);
    assert_true(given_back >= 3); /* so it is seen where it is not */
    given_back = 0;
    fill(true);
    assert_int_equal(given_back, 0);
}

TEST_WITH(sources, an_answer_with_keys_is_wiped)
{
    char json[400];
    sources_name_server(sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "/role");
    sources_json("id", json);
    assert_memory_equal(json, ANSWER_BEGIN, strlen(ANSWER_BEGIN));
    sources_answer(sources, "200 OK", json);
    given_back = 0;
    looks = true;
    sources_expect(sources, NULL, "container", "id", "t");
    looks = false;
    assert_int_equal(given_back, 0);
}
