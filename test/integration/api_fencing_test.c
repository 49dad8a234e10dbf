/* SPDX-License-Identifier: Apache-2.0 */
/* L10 on every backend: the token that a put, a copy or a rename leaves at its key, and what it is held against there. */
#include "support/suite.h"

static os_client *open_releasing(const struct fixture *f, uint64_t stage_above)
{
    os_options options = fixture_options(f);
    options.release = OS_RELEASE_ALWAYS;
    options.stage_above = stage_above;
    return fixture_client(&options);
}

static struct outcome put_under(os_client *client, const char *key, const char *etag, uint64_t token)
{
    struct outcome ret = {.result = OS_RESULT_INIT};
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_body body = OS_BODY_MEMORY(&token, sizeof(token));
    options.fencing = token;
    ret.verdict = etag ? os_put_if_match(client, key, etag, &body, &options, NULL, &ret.result, &ret.error)
                       : os_put_if_absent(client, key, &body, &options, NULL, &ret.result, &ret.error);
    return ret;
}

static struct outcome copy_under(os_client *client, const char *source, const char *key, const char *etag,
                                 uint64_t token)
{
    struct outcome ret = {.result = OS_RESULT_INIT};
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.fencing = token;
    ret.verdict = etag ? os_copy_if_match(client, source, key, etag, &options, NULL, &ret.result, &ret.error)
                       : os_copy_if_not_exists(client, source, key, &options, NULL, &ret.result, &ret.error);
    return ret;
}

static void check_shown(os_client *client, const char *key, uint64_t token)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_int_equal(object.fencing, token);
}

/* What is there has this token and shows it: nothing older replaces it, and the same does. */
static void check_token(os_client *client, const char *key, const char *etag, uint64_t token)
{
    check_shown(client, key, token);
    CLEARED struct outcome older = put_under(client, key, etag, token - 1);
    CHECK_VERDICT(older, OS_CONFLICT);
    assert_int_equal(older.result.found_fencing, token);
    CLEARED struct outcome same = put_under(client, key, etag, token);
    CHECK_VERDICT(same, OS_COMMITTED);
}

/* The source has a newer token, which counts for nothing. */
static void check_fenced_copies(os_client *client, const char *source, const char *key)
{
    CLEARED struct outcome made = put_under(client, source, NULL, 99);
    CHECK_VERDICT(made, OS_COMMITTED);
    CLEARED struct outcome first = copy_under(client, source, key, NULL, 7);
    CHECK_VERDICT(first, OS_COMMITTED);
    CLEARED struct outcome other = put_under(client, key, first.result.etag, 8);
    CHECK_VERDICT(other, OS_COMMITTED);
    CLEARED struct outcome late = copy_under(client, source, key, other.result.etag, 7);
    CHECK_VERDICT(late, OS_CONFLICT);
    CHECK_SAYS(&late.error, "the fencing token 8, which is newer than 7");
    assert_int_equal(late.result.found_fencing, 8);
    assert_int_equal(late.result.attempts, 0);
    CLEARED struct outcome newer = copy_under(client, source, key, other.result.etag, 9);
    CHECK_VERDICT(newer, OS_COMMITTED);
    check_token(client, key, newer.result.etag, 9);
}

SUITE_TEST(a_copy_is_held_against_the_token_that_is_there_and_has_its_own, 0)
{
    CLOSED os_client *client = open_releasing(f, 0);
    check_fenced_copies(client, fixture_key(f, "fenced-source"), fixture_key(f, "fenced-target"));
}

/* Nor does a store take it along that keeps what REPLACE does not name (gofakes3). */
SUITE_TEST(a_copy_without_a_token_has_none, 0)
{
    CLOSED os_client *client = open_releasing(f, 0);
    const char *source = fixture_key(f, "fenced-source");
    const char *key = fixture_key(f, "fenced-none");
    CLEARED struct outcome made = put_under(client, source, NULL, 99);
    CHECK_VERDICT(made, OS_COMMITTED);
    CLEARED struct outcome without = copy(client, source, key, NULL);
    CHECK_VERDICT(without, OS_COMMITTED);
    check_shown(client, key, 0);
    CLEARED struct outcome small = put_under(client, key, without.result.etag, 1);
    CHECK_VERDICT(small, OS_COMMITTED);
}

/* Of those that copy in parts: gofakes3 answers no question for tags. */
SUITE_TEST(a_copy_in_parts_has_its_token_too, BACKEND_S3 | BACKEND_V4 | BACKEND_UPLOAD_ETAGS)
{
    CLOSED os_client *client = open_releasing(f, 1);
    check_fenced_copies(client, fixture_key(f, "fenced-parts-source"), fixture_key(f, "fenced-parts-target"));
}

SUITE_TEST(a_renamed_object_has_the_token_of_the_rename, 0)
{
    CLOSED os_client *client = open_releasing(f, 0);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.fencing = 7;
    const char *source = fixture_key(f, "fenced-from");
    CLEARED struct outcome made = put_under(client, source, NULL, 99);
    CHECK_VERDICT(made, OS_COMMITTED);
    CLEARED struct outcome renamed = {.result = OS_RESULT_INIT};
    const char *key = fixture_key(f, "fenced-to");
    renamed.verdict = os_rename_if_not_exists(client, source, key, &options, NULL, &renamed.result, &renamed.error);
    CHECK_VERDICT(renamed, OS_COMMITTED);
    CHECK_ERROR(renamed, OS_OK);
    CHECK_ABSENT(client, source);
    check_token(client, key, renamed.result.etag, 7);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "fencing"};
    return suite_main(&suite, argc, argv);
}
