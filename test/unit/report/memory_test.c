/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a report fails once: the caller is told, and nothing leaks. */
#include "support/failing_alloc.h"
#include "support/test.h"

#include "report/drawing.c"
#include "report/ends.c"
#include "report/keys.c"
#include "report/numbers.c"
#include "report/strings.c"

static struct history *history;

static int begin(void **state)
{
    struct history_call call = {
        .id = 1, .operation = HISTORY_PUT_IF_ABSENT, .key = "key", .expected = "", .value = "v"};

    (void)state;
    call.rule = call.message = "";
    call.end_us = 10;
    call.verdict = call.settled = OS_COMMITTED;
    history = history_new();
    return history != NULL && history_add_call(history, &call) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    history_free(history);
    return 0;
}

TEST_BETWEEN(begin, end, a_failed_allocation_is_an_error)
{
    struct judge_result judged = {.keys = 1, .calls = 1};
    size_t failed = 0;

    for (;; failed++) {
        FILE *out = fopen("/dev/null", "w");
        os_error err;
        os_code code;

        assert_non_null(out);
        alloc_fail_at(failed);
        code = report_write(history, &judged, out, &err);
        assert_int_equal(fclose(out), 0);
        if (!alloc_failed) {
            alloc_fail_none();
            assert_int_equal(code, OS_OK);
            break;
        }
        assert_int_equal(code, OS_ERR_NO_MEMORY);
        assert_non_null(strstr(err.message, "no memory left"));
    }
    assert_true(failed > 10);
}
