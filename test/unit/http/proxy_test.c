/* SPDX-License-Identifier: Apache-2.0 */
/* Which hosts libcurl asks through a proxy. */
#include "http/proxy.h"
#include "support/test.h"

#include <stdlib.h>

static int forget(void **state)
{
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",     "all_proxy",
                                        "ALL_PROXY",  "no_proxy",   "NO_PROXY",    HTTP_PROXY_OF_RACE};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(unsetenv(names[i]), 0);
    return 0;
}

static void set(const char *name, const char *value)
{
    assert_int_equal(setenv(name, value, 1), 0);
}

TEST_BETWEEN(forget, forget, without_a_variable_there_is_none)
{
    assert_false(http_goes_through_proxy("http", "store.example"));
    set("HTTP_PROXY", "http://proxy:3128"); /* which libcurl passes over */
    set("https_proxy", "");
    assert_false(http_goes_through_proxy("http", "store.example"));
    assert_false(http_goes_through_proxy("https", "store.example"));
}

TEST_BETWEEN(forget, forget, each_scheme_has_its_variable)
{
    set("http_proxy", "http://proxy:3128");
    assert_true(http_goes_through_proxy("http", "store.example"));
    assert_false(http_goes_through_proxy("https", "store.example"));
    (void)forget(state);
    set("HTTPS_PROXY", "http://proxy:3128");
    assert_false(http_goes_through_proxy("http", "store.example"));
    assert_true(http_goes_through_proxy("https", "store.example"));
    (void)forget(state);
    set("all_proxy", "http://proxy:3128");
    assert_true(http_goes_through_proxy("http", "store.example"));
    assert_true(http_goes_through_proxy("https", "store.example"));
}

TEST_BETWEEN(forget, forget, the_proxy_of_a_race_is_none_and_no_other_is_that)
{
    set(HTTP_PROXY_OF_RACE, "http://127.0.0.1:4000");
    set("http_proxy", "http://127.0.0.1:4000");
    assert_false(http_goes_through_proxy("http", "store.example"));
    set("http_proxy", "http://127.0.0.1:3128");
    assert_true(http_goes_through_proxy("http", "store.example"));
    set("http_proxy", "http://127.0.0.1:4000");
    set("all_proxy", "http://127.0.0.1:3128");
    assert_true(http_goes_through_proxy("https", "store.example"));
}

TEST_BETWEEN(forget, forget, what_is_excepted_goes_straight)
{
    set("ALL_PROXY", "http://proxy:3128");
    set("NO_PROXY", "other.example , .Store.example,10.0.0.0/8, 10.1.2.4 ,");
    assert_false(http_goes_through_proxy("https", "store.example"));
    assert_false(http_goes_through_proxy("https", "bucket.store.example:9000"));
    assert_true(http_goes_through_proxy("https", "bookstore.example"));
    assert_true(http_goes_through_proxy("https", "example"));
    assert_true(http_goes_through_proxy("https", "10.1.2.3")); /* not told: on the safe side */
    assert_false(http_goes_through_proxy("https", "10.1.2.4"));
    set("NO_PROXY", "1.2.4, other.example, 2.4");
    assert_true(http_goes_through_proxy("https", "10.1.2.4"));
    set("NO_PROXY", "other.example store.example"); /* libcurl 7.88 takes both, 8.10 the first alone */
    assert_false(http_goes_through_proxy("https", "other.example"));
    assert_true(http_goes_through_proxy("https", "store.example"));
    set("no_proxy", "*");
    assert_false(http_goes_through_proxy("https", "bookstore.example"));
}
