/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while JSON is read: nothing, or what stands there. */
#include "support/failing_alloc.h"

#include "syntax/json_reader.c" /* NOLINT: its allocations fail */

#include "support/test.h"

static json_t *read_with_failures(const char *text, size_t number, size_t failures)
{
    alloc_fail_from(number, failures);
    json_set_alloc_funcs(failing_malloc, free);
    json_t *found = json_reader_run(text, strlen(text));
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
    return found;
}

TEST(a_text_is_read_without_memory_as_with_it_or_not_at_all)
{
    static const char text[] =
        "{\"string\":\"plain\",\"escaped\\n\":\"\\ud83c\\udf88 \\u0000\",\"numbers\":[1,-2,9.95000000000000017,1e20],"
        "\"more\":{\"a\":{\"b\":[]},\"c\":{},\"d\":1,\"e\":2,\"f\":3,\"g\":4,\"h\":5,\"i\":6,\"j\":7},\"n\":[null,true]"
        "}";
    json_t *wanted = json_reader_run(text, strlen(text));
    assert_non_null(wanted);
    bool failed = true;
    for (size_t number = 0; failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            json_t *found = read_with_failures(text, number, failures);
            failed = alloc_failed;
            assert_true(found == NULL ? alloc_failed : json_equal(found, wanted));
            json_decref(found);
        }
    json_decref(wanted);
}
