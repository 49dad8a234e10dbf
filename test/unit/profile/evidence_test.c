/* SPDX-License-Identifier: Apache-2.0 */
/* From scripted answers to what is said of a store: nothing after one answer, nothing that a proxy may have said,
 * nothing that what stands there contradicts. */
#include "profile/evidence.h"
#include "support/test.h"

#include <string.h>

static const struct evidence_write wrote = {true, true, false, 200, EVIDENCE_STANDS_OURS};
static const struct evidence_write held_412 = {true, false, true, 412, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write held_404 = {true, false, true, 404, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write held_403 = {true, false, true, 403, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write held_501 = {true, false, true, 501, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write proxys_501 = {true, false, false, 501, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write busy_503 = {true, false, true, 503, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write no_answer = {false, false, false, 0, EVIDENCE_STANDS_BEFORE};
static const struct evidence_write liar_412 = {true, false, true, 412, EVIDENCE_STANDS_OURS};
static const struct evidence_write liar_200 = {true, true, false, 200, EVIDENCE_STANDS_BEFORE};

static struct evidence_tally times(const struct evidence_write *write, int count)
{
    struct evidence_tally tally = {0};
    for (int i = 0; i < count; i++)
        evidence_add(&tally, write);
    return tally;
}

static struct evidence_tally and (struct evidence_tally tally, const struct evidence_write *write)
{
    evidence_add(&tally, write);
    return tally;
}

TEST(one_answer_says_one_thing)
{
    static const struct {
        struct evidence_write write;
        enum evidence_outcome outcome;
    } cases[] = {
        {{true, true, false, 200, EVIDENCE_STANDS_OURS}, EVIDENCE_WRITTEN},
        {{true, true, false, 200, EVIDENCE_STANDS_BEFORE}, EVIDENCE_CONTRARY},
        {{true, true, false, 200, EVIDENCE_STANDS_UNKNOWN}, EVIDENCE_UNCLEAR},
        {{true, true, false, 200, EVIDENCE_STANDS_OTHER}, EVIDENCE_UNCLEAR},
        {{true, false, true, 412, EVIDENCE_STANDS_BEFORE}, EVIDENCE_HELD},
        {{true, false, false, 412, EVIDENCE_STANDS_BEFORE}, EVIDENCE_HELD},
        {{true, false, true, 412, EVIDENCE_STANDS_OURS}, EVIDENCE_CONTRARY},
        {{true, false, true, 412, EVIDENCE_STANDS_UNKNOWN}, EVIDENCE_UNCLEAR},
        {{true, false, true, 400, EVIDENCE_STANDS_BEFORE}, EVIDENCE_HELD},
        {{true, false, true, 501, EVIDENCE_STANDS_BEFORE}, EVIDENCE_HELD},
        {{true, false, false, 501, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{true, false, true, 500, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{true, false, true, 500, EVIDENCE_STANDS_OURS}, EVIDENCE_UNCLEAR},
        {{true, false, true, 503, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{true, false, true, 429, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{true, false, true, 408, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{true, false, true, 307, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{true, false, true, 200, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR}, /* an error inside a 200 */
        {{false, false, false, 412, EVIDENCE_STANDS_BEFORE}, EVIDENCE_UNCLEAR},
        {{false, true, false, 200, EVIDENCE_STANDS_OURS}, EVIDENCE_UNCLEAR},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (evidence_outcome(&cases[i].write) != cases[i].outcome)
            fail_msg("case %zu", i);
}

TEST(a_tally_wants_three_that_agree)
{
    struct evidence_tally two = times(&held_412, EVIDENCE_WANTED - 1);
    assert_int_equal(evidence_of(&two), EVIDENCE_UNCLEAR);
    assert_false(evidence_settled(&two));
    struct evidence_tally three = and(two, &held_412);
    assert_int_equal(evidence_of(&three), EVIDENCE_HELD);
    assert_true(evidence_settled(&three));
    assert_int_equal(evidence_status(&three), 412);
    struct evidence_tally mixed = and(two, &wrote);
    assert_int_equal(evidence_of(&mixed), EVIDENCE_UNCLEAR);
    assert_true(evidence_settled(&mixed));
    struct evidence_tally statuses = and(and(two, &held_404), &held_404);
    assert_int_equal(evidence_of(&statuses), EVIDENCE_HELD);
    assert_int_equal(evidence_status(&statuses), 0);
}

TEST(troubles_of_the_moment_count_neither_way)
{
    const struct evidence_write *const troubles[] = {&proxys_501, &busy_503, &no_answer};
    for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++) {
        struct evidence_tally tally = times(troubles[i], EVIDENCE_MOST - 1);
        assert_false(evidence_settled(&tally));
        assert_int_equal(evidence_of(&tally), EVIDENCE_UNCLEAR);
        evidence_add(&tally, troubles[i]);
        assert_true(evidence_settled(&tally));
        assert_int_equal(evidence_of(&tally), EVIDENCE_UNCLEAR);
        struct evidence_tally among = times(&wrote, EVIDENCE_WANTED);
        evidence_add(&among, troubles[i]);
        assert_int_equal(evidence_of(&among), EVIDENCE_WRITTEN);
    }
}

TEST(a_contradiction_ends_a_tally_without_a_word)
{
    struct evidence_tally tally = and(times(&held_412, EVIDENCE_WANTED), &liar_412);
    assert_true(evidence_settled(&tally));
    assert_int_equal(evidence_of(&tally), EVIDENCE_UNCLEAR);
    tally = and(times(&wrote, EVIDENCE_WANTED), &liar_200);
    assert_int_equal(evidence_of(&tally), EVIDENCE_UNCLEAR);
}

struct condition_case {
    const char *name;
    const struct evidence_write *met, *unmet, *missing;
    enum profile_condition condition;
};

TEST(each_store_of_the_measured_table_is_told)
{
    static const struct condition_case cases[] = {
        {"MinIO PUT if match", &wrote, &held_412, &held_404, PROFILE_ENFORCED},
        {"gofakes3 PUT if match", &wrote, &held_412, &held_412, PROFILE_ENFORCED},
        {"MinIO COPY if absent", &wrote, &wrote, NULL, PROFILE_IGNORED},
        {"Garage PUT if match", &wrote, &wrote, &wrote, PROFILE_IGNORED},
        {"stale is held, missing is written", &wrote, &held_412, &wrote, PROFILE_IGNORED},
        {"Ceph PUT if match", &held_412, &held_412, &held_412, PROFILE_UNMEETABLE},
        {"Swift PUT", &held_501, &held_501, &held_501, PROFILE_REFUSED},
        {"a proxy that says 501", &proxys_501, &proxys_501, &proxys_501, PROFILE_UNKNOWN},
        {"busy where it is met", &busy_503, &held_412, NULL, PROFILE_UNKNOWN},
        {"no answer where it is not", &wrote, &no_answer, NULL, PROFILE_UNKNOWN},
        {"busy where nothing is there", &wrote, &held_412, &busy_503, PROFILE_UNKNOWN},
        {"says 412 and writes", &wrote, &liar_412, NULL, PROFILE_UNKNOWN},
        {"says 200 and does not write", &wrote, &liar_200, NULL, PROFILE_UNKNOWN},
        {"the wrong way round", &held_412, &wrote, NULL, PROFILE_UNKNOWN},
        {"404 to everything", &held_404, &held_404, NULL, PROFILE_REFUSED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct condition_case *each = &cases[i];
        struct evidence_tally met = times(each->met, EVIDENCE_MOST);
        struct evidence_tally unmet = times(each->unmet, EVIDENCE_MOST);
        struct evidence_tally missing = {0};
        if (each->missing)
            missing = times(each->missing, EVIDENCE_MOST);
        if (evidence_condition(&met, &unmet, each->missing ? &missing : NULL) != each->condition)
            fail_msg("%s", each->name);
    }
}

static enum evidence_race race(uint32_t won, uint32_t refused, bool known, bool winners)
{
    const struct evidence_round round = {
        .writers = 32, .won = won, .refused = refused, .stands_known = known, .stands_winners = winners};
    return evidence_round(&round);
}

TEST(a_round_has_one_winner_or_is_broken_or_says_nothing)
{
    assert_int_equal(race(1, 31, true, true), EVIDENCE_RACE_ONE);
    assert_int_equal(race(2, 30, true, true), EVIDENCE_RACE_BROKEN);
    assert_int_equal(race(2, 0, false, false), EVIDENCE_RACE_BROKEN);
    assert_int_equal(race(1, 31, true, false), EVIDENCE_RACE_BROKEN);
    assert_int_equal(race(1, 30, true, true), EVIDENCE_RACE_OPEN);
    assert_int_equal(race(1, 31, false, false), EVIDENCE_RACE_OPEN);
    assert_int_equal(race(0, 32, true, false), EVIDENCE_RACE_OPEN);
}

static void add_rounds(struct evidence_races *races, uint32_t won, int count)
{
    const struct evidence_round round = {
        .writers = 8, .won = won, .refused = 8 - won, .stands_known = true, .stands_winners = true};
    for (int i = 0; i < count; i++)
        evidence_add_round(races, &round);
}

TEST(atomic_is_every_round_and_enough_of_them)
{
    struct evidence_races races = {0};
    assert_false(evidence_atomic(&races, 0));
    add_rounds(&races, 1, 19);
    assert_false(evidence_atomic(&races, 20));
    add_rounds(&races, 0, 5); /* open */
    assert_false(evidence_atomic(&races, 20));
    add_rounds(&races, 1, 1);
    assert_true(evidence_atomic(&races, 20));
    add_rounds(&races, 2, 1);
    assert_false(evidence_atomic(&races, 20));
}

TEST(a_409_is_told_by_its_code_unless_it_lied)
{
    assert_int_equal(evidence_409("ConditionalRequestConflict", false), PROFILE_409_UNDECIDED);
    assert_int_equal(evidence_409("FileAlreadyExists", false), PROFILE_409_FINAL);
    assert_int_equal(evidence_409("OperationAborted", false), PROFILE_409_UNKNOWN);
    assert_int_equal(evidence_409("", false), PROFILE_409_UNKNOWN);
    assert_int_equal(evidence_409("ConditionalRequestConflict", true), PROFILE_409_UNKNOWN);
    assert_int_equal(evidence_409("FileAlreadyExists", true), PROFILE_409_UNKNOWN);
}

TEST(a_fence_is_one_only_when_it_always_holds)
{
    struct evidence_tally good = times(&wrote, EVIDENCE_WANTED);
    struct evidence_tally refused = times(&held_403, EVIDENCE_WANTED);
    struct evidence_tally nothing = times(&no_answer, EVIDENCE_MOST);
    struct evidence_tally once = and(times(&held_403, EVIDENCE_WANTED - 1), &wrote);
    assert_int_equal(evidence_expiry(&good, &refused), PROFILE_EXPIRY_START);
    assert_int_equal(evidence_expiry(&good, &good), PROFILE_EXPIRY_NONE);
    assert_int_equal(evidence_expiry(&good, &once), PROFILE_EXPIRY_NONE);
    assert_int_equal(evidence_expiry(&good, &nothing), PROFILE_EXPIRY_UNKNOWN);
    assert_int_equal(evidence_expiry(&refused, &refused), PROFILE_EXPIRY_UNKNOWN);
    assert_int_equal(evidence_expiry(&nothing, &refused), PROFILE_EXPIRY_UNKNOWN);
    assert_int_equal(evidence_expiry_of_both(PROFILE_EXPIRY_START, PROFILE_EXPIRY_NONE), PROFILE_EXPIRY_NONE);
    assert_int_equal(evidence_expiry_of_both(PROFILE_EXPIRY_UNKNOWN, PROFILE_EXPIRY_START), PROFILE_EXPIRY_UNKNOWN);
    assert_int_equal(evidence_expiry_of_both(PROFILE_EXPIRY_START, PROFILE_EXPIRY_START), PROFILE_EXPIRY_START);
}

TEST(a_checksum_counts_when_a_wrong_one_is_refused)
{
    struct evidence_tally taken = times(&wrote, EVIDENCE_WANTED);
    struct evidence_tally refused = times(&held_412, EVIDENCE_WANTED);
    assert_true(evidence_checksum(&taken, &refused));
    assert_false(evidence_checksum(&taken, &taken));
    assert_false(evidence_checksum(&refused, &refused));
    assert_int_equal(evidence_answer(&taken), PROFILE_YES);
    assert_int_equal(evidence_answer(&refused), PROFILE_NO);
    struct evidence_tally mixed = and(taken, &held_412);
    assert_int_equal(evidence_answer(&mixed), PROFILE_ANSWER_UNKNOWN);
}

/* Whatever was answered, if anything was: a store that gives up closes the connection. */
TEST(what_becomes_of_stalled_bodies_is_told_by_what_stands_there)
{
    static const struct evidence_write kept = {
        .complete = true, .succeeded = true, .status = 200, .stands = EVIDENCE_STANDS_OURS};
    static const struct evidence_write closed = {.stands = EVIDENCE_STANDS_BEFORE};
    static const struct evidence_write unread = {.stands = EVIDENCE_STANDS_UNKNOWN};
    struct evidence_tally all_kept = {0}, all_closed = {0}, some = {0}, few = {0};
    for (unsigned i = 0; i < EVIDENCE_WANTED; i++) {
        evidence_add(&all_kept, &kept);
        evidence_add(&all_closed, &closed);
        evidence_add(&some, i == 0 ? &kept : &closed);
        evidence_add(&few, i == 0 ? &unread : &closed);
    }
    assert_int_equal(evidence_stalled(&all_kept), PROFILE_STALLED_KEPT);
    assert_int_equal(evidence_stalled(&all_closed), PROFILE_STALLED_CLOSED);
    assert_int_equal(evidence_stalled(&some), PROFILE_STALLED_UNKNOWN);
    assert_int_equal(evidence_stalled(&few), PROFILE_STALLED_UNKNOWN);
}
