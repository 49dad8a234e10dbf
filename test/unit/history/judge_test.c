/* SPDX-License-Identifier: Apache-2.0 */
/* Histories made by hand: what the judge takes, what it refuses, and what it says of it. */
#include "history_maker.h"
#include "support/checks.h"

/* One call of a maker_ function: its name and what it is given. */
struct step {
    enum { STEP_END, STEP_CALL, STEP_SETTLED, STEP_WRITE, STEP_READ, STEP_FINAL } kind;
    enum history_operation operation;
    const char *from; /* what a call expects */
    const char *to;   /* and writes, or reads */
    uint64_t start_us;
    uint64_t end_us;
    os_verdict verdict;
    uint64_t settled_us;
    int64_t versions;
};

#define CALL(how, expected, value, start, end, verdict_)                                              \
    {                                                                                                 \
        STEP_CALL, .operation = how, .from = expected, .to = value, .start_us = start, .end_us = end, \
                   .verdict = verdict_                                                                \
    }
#define SETTLED(how, expected, value, start, end, verdict_, settled)                                     \
    {                                                                                                    \
        STEP_SETTLED, .operation = how, .from = expected, .to = value, .start_us = start, .end_us = end, \
                      .verdict = verdict_, .settled_us = settled                                         \
    }
#define WRITE(from_, to_, start, end, verdict_)                                                     \
    {                                                                                               \
        STEP_WRITE, .from = from_, .to = to_, .start_us = start, .end_us = end, .verdict = verdict_ \
    }
#define READ(value, start, end)                                  \
    {                                                            \
        STEP_READ, .to = value, .start_us = start, .end_us = end \
    }
#define FINAL(value, count)                        \
    {                                              \
        STEP_FINAL, .to = value, .versions = count \
    }

enum { STEPS_MAX = 6 };

static struct history *history_of(const struct step steps[STEPS_MAX])
{
    struct history *h = maker_new();

    for (const struct step *step = steps; step < steps + STEPS_MAX; step++)
        switch (step->kind) {
        case STEP_END: break;
        case STEP_CALL:
            maker_call(h, step->operation, step->from, step->to, step->start_us, step->end_us, step->verdict);
            break;
        case STEP_SETTLED:
            maker_settled(h, step->operation, step->from, step->to, step->start_us, step->end_us, step->verdict,
                          step->settled_us);
            break;
        case STEP_WRITE: maker_write(h, step->from, step->to, step->start_us, step->end_us, step->verdict); break;
        case STEP_READ: maker_read(h, step->to, step->start_us, step->end_us); break;
        case STEP_FINAL: maker_final(h, step->to, step->versions); break;
        }
    return h;
}

struct judged {
    const char *name;
    struct step steps[STEPS_MAX];
    struct judge_finding finding; /* where it is refused */
};

/* ---------------------------------------------------------------------------------------------------- accepted */

static const struct judged accepted_histories[] = {
    {.name = "an empty history is accepted"},
    {.name = "one of two creations wins",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE(NULL, "b", 0, 10, OS_CONFLICT), FINAL("a", 1)}},
    {.name = "a conflict may rest on a write that ends after it",
     .steps = {WRITE(NULL, "a", 0, 100, OS_COMMITTED), WRITE(NULL, "b", 10, 20, OS_CONFLICT)}},
    {.name = "calls that touch at one microsecond overlap",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE(NULL, "b", 0, 10, OS_CONFLICT),
               WRITE("a", "c", 10, 20, OS_COMMITTED), WRITE("c", "d", 20, 30, OS_COMMITTED), READ("a", 10, 10),
               FINAL("d", 3)}},
    {.name = "an unknown write may have happened",
     .steps = {WRITE(NULL, "a", 0, HISTORY_NEVER, OS_UNKNOWN), WRITE("a", "b", 50, 60, OS_COMMITTED), FINAL("b", 2)}},
    {.name = "an unknown write may not have happened",
     .steps = {WRITE(NULL, "a", 0, 10, OS_UNKNOWN), WRITE(NULL, "b", 50, 60, OS_COMMITTED), FINAL("b", 1)}},
    {.name = "an unknown write may happen long after its call",
     .steps = {WRITE(NULL, "a", 0, 10, OS_UNKNOWN), READ(NULL, 20, 30), WRITE(NULL, "b", 40, 50, OS_CONFLICT),
               FINAL("a", 1)}},
    {.name = "a settled commit may have happened until it was settled",
     .steps = {SETTLED(HISTORY_PUT_IF_ABSENT, NULL, "a", 0, 10, OS_COMMITTED, 100), READ(NULL, 50, 60),
               READ("a", 110, 120), FINAL("a", 1)}},
    {.name = "a settled conflict may rest on a later write",
     .steps = {SETTLED(HISTORY_PUT_IF_ABSENT, NULL, "a", 0, 10, OS_CONFLICT, 100),
               WRITE(NULL, "b", 50, 60, OS_COMMITTED), FINAL("b", 1)}},
    {.name = "a value may come again",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", "b", 20, 30, OS_COMMITTED),
               WRITE("b", "a", 40, 50, OS_COMMITTED), WRITE("a", "c", 60, 70, OS_COMMITTED), FINAL("c", 4)}},
    {.name = "one etag may be created twice with a delete between",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", NULL, 20, 30, OS_COMMITTED),
               WRITE(NULL, "a", 40, 50, OS_COMMITTED), FINAL("a", 2)}},
    {.name = "an unknown delete lets two creations win",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", NULL, 20, HISTORY_NEVER, OS_UNKNOWN),
               WRITE(NULL, "b", 40, 50, OS_COMMITTED), FINAL("b", 2)}},
    {.name = "an unknown write that was overwritten counts as a version",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", "b", 20, 30, OS_UNKNOWN),
               WRITE("b", "a", 40, 50, OS_UNKNOWN), FINAL("a", 3)}},
    {.name = "a write that was not executed proves nothing",
     .steps = {WRITE(NULL, "a", 0, 10, OS_NOT_EXECUTED), CALL(HISTORY_READ, NULL, "x", 20, 30, OS_NOT_EXECUTED),
               CALL(HISTORY_READ, NULL, "x", 20, HISTORY_NEVER, OS_UNKNOWN), FINAL(NULL, 0)}},
};

TEST_ROWS(accepted_histories, accepted)
{
    maker_accepted(history_of(row->steps));
}

TEST(a_rename_is_a_copy_and_a_delete)
{
    struct history *h = maker_new();
    struct history_call put = {.id = 10,
                               .operation = HISTORY_PUT_IF_ABSENT,
                               .key = "source",
                               .value = "a",
                               .end_us = 10,
                               .verdict = OS_COMMITTED,
                               .settled = OS_COMMITTED};
    struct history_call removal = put;

    assert_true(history_add_call(h, &put));
    maker_call(h, HISTORY_COPY_IF_ABSENT, NULL, "a", 20, 30, OS_COMMITTED);
    removal.id = 11;
    removal.operation = HISTORY_DELETE_IF_MATCH;
    removal.expected = "a";
    removal.value = NULL;
    removal.start_us = 40;
    removal.end_us = 50;
    assert_true(history_add_call(h, &removal));
    maker_final(h, "a", 1);
    maker_accepted(h);
}

/* ----------------------------------------------------------------------------------------------------- refused */

static const struct judged refused_histories[] = {
    {.name = "two winners are refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE(NULL, "b", 5, 20, OS_COMMITTED)},
     .finding = {.violation = JUDGE_TWO_WINNERS, .call = 2, .other_call = 1}},
    {.name = "two winners are refused when the delete came before both",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", NULL, 20, 30, OS_COMMITTED),
               WRITE(NULL, "b", 40, 50, OS_COMMITTED), WRITE(NULL, "c", 60, 70, OS_COMMITTED)},
     .finding = {.violation = JUDGE_TWO_WINNERS, .call = 4, .other_call = 3}},
    {.name = "two winners under one etag are refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", "b", 20, 30, OS_COMMITTED),
               WRITE("a", "c", 20, 30, OS_COMMITTED)},
     .finding = {.violation = JUDGE_TWO_WINNERS, .call = 3, .other_call = 2}},
    {.name = "a commit that the end state lacks is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", "b", 20, 30, OS_COMMITTED), FINAL("a", -1)},
     .finding = {.violation = JUDGE_LOST_COMMIT, .call = 2}},
    {.name = "an object that is gone without a delete is a lost commit",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), FINAL(NULL, -1)},
     .finding = {.violation = JUDGE_LOST_COMMIT, .call = 1}},
    {.name = "a conflict whose write stands there is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_CONFLICT), FINAL("a", 1)},
     .finding = {.violation = JUDGE_FALSE_CONFLICT, .call = 1}},
    {.name = "a write that was not executed but was seen is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_NOT_EXECUTED), WRITE("a", "b", 20, 30, OS_COMMITTED)},
     .finding = {.violation = JUDGE_FALSE_CONFLICT, .call = 1, .other_call = 2}},
    {.name = "a conflict without a reason is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", "b", 20, 30, OS_CONFLICT),
               WRITE("a", "c", 40, 50, OS_COMMITTED)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 2, .other_call = 1}},
    {.name = "a conflict of a creation where nothing ever was is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_CONFLICT)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 1}},
    {.name = "a stale read is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE("a", "b", 20, 30, OS_COMMITTED), READ("a", 31, 40)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 3, .other_call = 2}},
    {.name = "a commit before its expectation was written is refused",
     .steps = {WRITE("a", "b", 0, 10, OS_COMMITTED), WRITE(NULL, "a", 20, 30, OS_COMMITTED)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 1}},
    {.name = "an unknown write happens at most once",
     .steps = {WRITE(NULL, "a", 0, 10, OS_UNKNOWN), WRITE("a", NULL, 20, 30, OS_COMMITTED), READ("a", 40, 50)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 3, .other_call = 2}},
    {.name = "an unknown write does not happen before its start",
     .steps = {READ("a", 0, 10), WRITE(NULL, "a", 20, 30, OS_UNKNOWN)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 1}},
    {.name = "a settled commit that never shows is refused",
     .steps = {SETTLED(HISTORY_PUT_IF_ABSENT, NULL, "a", 0, HISTORY_NEVER, OS_COMMITTED, 100), READ(NULL, 101, 110)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE, .call = 2, .other_call = 1}},
    {.name = "a second version of a create once key is refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED), WRITE(NULL, "b", 0, 10, OS_CONFLICT), FINAL("a", 2)},
     .finding = {.violation = JUDGE_VERSIONS}},
    {.name = "versions that no order makes are refused",
     .steps = {WRITE(NULL, "a", 0, 10, OS_COMMITTED),
               WRITE("a", "b", 20, 30, OS_UNKNOWN) /* nothing leads back from "b" */, FINAL("a", 2)},
     .finding = {.violation = JUDGE_VERSIONS}},
    {.name = "a value that nobody wrote is refused",
     .steps = {FINAL("a", -1)},
     .finding = {.violation = JUDGE_NOT_LINEARIZABLE}},
    {.name = "a call that ends before it starts is a bad history",
     .steps = {WRITE(NULL, "a", 10, 5, OS_COMMITTED)},
     .finding = {.violation = JUDGE_BAD_HISTORY, .call = 1}},
    {.name = "a verdict of a call that never returned is a bad history",
     .steps = {WRITE(NULL, "a", 10, HISTORY_NEVER, OS_COMMITTED)},
     .finding = {.violation = JUDGE_BAD_HISTORY, .call = 1}},
    {.name = "a creation that expects something is a bad history",
     .steps = {CALL(HISTORY_COPY_IF_ABSENT, "x", "a", 0, 1, OS_COMMITTED)},
     .finding = {.violation = JUDGE_BAD_HISTORY, .call = 1}},
    {.name = "a replacement that writes nothing is a bad history",
     .steps = {CALL(HISTORY_PUT_IF_MATCH, "x", NULL, 0, 1, OS_UNKNOWN)},
     .finding = {.violation = JUDGE_BAD_HISTORY, .call = 1}},
    {.name = "two end states of one key are a bad history",
     .steps = {FINAL(NULL, -1), FINAL("a", -1)},
     .finding = {.violation = JUDGE_BAD_HISTORY}},
};

TEST_ROWS(refused_histories, refused)
{
    maker_refused(history_of(row->steps), row->finding.violation, row->finding.call, row->finding.other_call);
}

/* ------------------------------------------------------------------------------------------------- bad history */

TEST(two_calls_of_one_id_are_a_bad_history)
{
    struct history *h = maker_new();
    struct judge_result result;

    maker_write(h, NULL, "a", 0, 1, OS_COMMITTED);
    struct history_call again = *history_call_at(h, 0);
    again.verdict = again.settled = OS_CONFLICT;
    assert_true(history_add_call(h, &again));
    assert_true(judge_history(h, &result));
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.finding[0].violation, JUDGE_BAD_HISTORY);
    history_free(h);
}

TEST(too_many_steps_are_neither_accepted_nor_refused)
{
    struct history *h = maker_new();
    struct judge_result result;

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    assert_true(judge_history_within(h, 2, &result));
    assert_true(result.gave_up);
    assert_int_equal(result.undecided, 1);
    assert_int_equal(result.finding_count, 0);
    assert_string_equal(result.gave_up_key, "k");
    history_free(h);
}
