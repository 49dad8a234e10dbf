/* SPDX-License-Identifier: Apache-2.0 */
/* R16: the list of versions decides what rounds of HEADs and records could not. */
#include "support/guard_trace.h"

#include <string.h>

#define HEX "00112233445566778899aabbccddeeff"

/* D0 1000, fence 1010, dead from 1013 on. What is there then is neither what was there before, nor ours. */
#define NATIVE_LOST                                       \
    "start -> HEAD [CHECKING]\n"                          \
    "head E lm=5 vid=v1 @1000 -> SIGN 1000/5 [SIGNING]\n" \
    "signed -> SEND 12000 [SENDING]\n"                    \
    "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"         \
    "head F @1013 -> HEAD [RESOLVE_AGAIN]\n"
#define NATIVE(now) NATIVE_LOST "head " now " @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
#define RECORD                                                                \
    "start -> HEAD [CHECKING]\n"                                              \
    "head E lm=5 vid=v1 @1000 -> SIGN 1000/5 [SIGNING]\n"                     \
    "signed -> PUT g=100 t=20000 ttl=4600 fence=1010 if absent [ACQUIRING]\n" \
    "put ok -> SEND 20000 [SENDING]\n"                                        \
    "attempt ambiguous -> HEAD [RESOLVE_HEAD]\n"                              \
    "head F @1013 -> HEAD [RESOLVE_HEAD]\n"                                   \
    "head F @1013 -> GET [RESOLVE_OWN]\n"
#define OTHERS_READ                              \
    "get found sent -> QUERY [RESOLVE_OTHERS]\n" \
    "query -> HEAD [RESOLVE_AGAIN]\n"
#define RELEASE "RELEASE g=101 t=0 ttl=4613 fence=1010 if g=100"

/* ------------------------------------------------------------------------------------------------ verdicts */

TEST(ours_in_the_list_is_committed)
{
    TRACE("put E native\n" NATIVE("F nonce=third vid=v3") "versions ours X nonce=us vid=v2 @1013 -> COMMITTED PROVEN "
                                                          "R16 X [FINISHED]\n");
    assert_string_equal(guard_trace.guard.outcome.found.version_id, "v2");
    TRACE("put E\n" RECORD OTHERS_READ "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions ours X nonce=us vid=v2 -> COMMITTED PROVEN R16 X [FINISHED]\n");
    TRACE("put E always\n" RECORD OTHERS_READ "head none vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions ours X nonce=us vid=v2 -> COMMITTED PROVEN R16 X, " RELEASE " [FINISHED]\n");
}

TEST(none_of_ours_in_a_whole_list_is_a_conflict_where_the_expectation_is_broken)
{
    TRACE("put E native\n" NATIVE("F vid=v3") "versions others @1013 -> CONFLICT OVERTAKEN R16 F [FINISHED]\n");
    TRACE("put E native\n" NATIVE("none") "versions others @1013 -> CONFLICT OVERTAKEN R16 none [FINISHED]\n");
    TRACE("put E\n" RECORD OTHERS_READ "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> CONFLICT OVERTAKEN R16 F, " RELEASE " [FINISHED]\n");
    TRACE("delete E native\n" NATIVE("none") "versions others @1013 -> CONFLICT OVERTAKEN R16 none [FINISHED]\n");
}

/* V4.8: that the list has none of ours says nothing, where a part of it was seen. */
TEST(a_list_without_ours_is_no_proof_after_a_part_of_it)
{
    TRACE("put E native\n" NATIVE_LOST "head part X nonce=us vid=v2 @1013 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head part F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n" NATIVE_LOST "head part F rep=us vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions ours X nonce=us vid=v2 @1013 -> COMMITTED PROVEN R16 X [FINISHED]\n");
    TRACE("put E\n" RECORD OTHERS_READ "head part F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
    /* that it has versions is known from this HEAD alone: then none of ours proves nothing in any case */
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head part X nonce=us vid=v2 @1001 -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
          "head part none @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head part none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions ours X nonce=us vid=v2 -> COMMITTED PROVEN R16 X [FINISHED]\n");
}

/* Another's record has taken the place of ours: it is not released. */
TEST(a_record_that_was_taken_over_is_left_alone)
{
    TRACE("put E\n" RECORD "get found g=101 t=20000 ttl=4605 n=other -> QUERY [RESOLVE_OTHERS]\n"
          "query row E g=101 t=20000 ttl=4605 n=other -> HEAD [RESOLVE_AGAIN]\n"
          "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> CONFLICT OVERTAKEN R16 F [FINISHED]\n");
}

TEST(where_the_expectation_holds_it_may_be_tried_again)
{
    TRACE("put absent native versioned recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> NOT_EXECUTED EXPIRED R16 again [FINISHED]\n");
    TRACE("complete E parts=7 native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 vid=v1 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 13000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=9 vid=v3 @1014 -> PARTS u=9 [RESOLVE_PARTS]\n"
          "parts gone -> HEAD [RESOLVE_AGAIN]\n"
          "head E lm=9 vid=v3 @1014 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1014 -> NOT_EXECUTED STAGE_AGAIN R16 [FINISHED]\n");
}

TEST(what_the_list_cannot_prove_stays_unknown)
{
    TRACE("put E native\n" NATIVE("F vid=v3") "versions hidden @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E\n" RECORD OTHERS_READ "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions hidden @1013 -> UNKNOWN NO_EVIDENCE R13.F [FINISHED]\n");
}

/* What the HEAD before the list showed is another's: with that ETag the caller would overwrite it. */
TEST(a_proof_without_our_version_names_no_version)
{
    TRACE("put E\n" RECORD OTHERS_READ "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions unclear -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n"
          "head F vid=v3 @1013 -> GET [RESOLVE_OWN]\n"
          "get found g=101 t=20000 ttl=4605 n=other saw=us -> COMMITTED PROVEN R13.A none [FINISHED]\n");
    assert_false(guard_trace.guard.outcome.found.exists);
    assert_string_equal(guard_trace.guard.outcome.found.etag, "");
}

TEST(a_list_that_was_not_answered_is_asked_for_again)
{
    TRACE("put E native\n" NATIVE("F vid=v3") "versions unclear -> WAIT 25 [RESOLVE_WAITING]\n"
                                              "timer +25 -> HEAD [RESOLVE_AGAIN]\n"
                                              "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
                                              "stop -> UNKNOWN STOPPED V3 [FINISHED]\n");
    TRACE("put E\n" RECORD OTHERS_READ "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions unclear -> WAIT 25 [RESOLVE_WAITING]\n"
          "timer +25 -> HEAD [RESOLVE_HEAD]\n");
}

/* ------------------------------------------------------------------------------------------------ when it is asked */

/* Applied in a bucket without versions and deleted again, it left nothing; then versioning was turned on. */
TEST(versions_seen_only_after_the_attempt_prove_no_absence)
{
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head F vid=v3 @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head F vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head none vid=v3 @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head none vid=v3 @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions ours X nonce=us vid=v2 -> COMMITTED PROVEN R16 X [FINISHED]\n");
}

/* A profile may be of another bucket, or from before: what it says is worth a list, and proves no absence. */
TEST(what_a_profile_says_of_versions_only_has_the_list_asked_for)
{
    TRACE("put absent native likely recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve likely -> native * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none\n"
          "start -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions ours X nonce=us vid=v2 -> COMMITTED PROVEN R16 X [FINISHED]\n");
}

TEST(a_bucket_without_versions_is_not_asked)
{
    TRACE("put E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 vid=null @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "head F vid=null @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head F vid=null @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* Lifecycle rules remove a version a day after it was replaced: D0 + 20 h is 73000. */
TEST(an_old_list_proves_no_absence)
{
    TRACE("put E native\n" NATIVE("F vid=v3") "versions others @73000 -> CONFLICT OVERTAKEN R16 F [FINISHED]\n");
    TRACE("put E native\n" NATIVE("F vid=v3") "versions others @73001 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n" NATIVE("F vid=v3") "versions others -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
    TRACE("put E native\n" NATIVE(
        "F vid=v3") "versions ours X nonce=us vid=v2 @73001 -> COMMITTED PROVEN R16 X [FINISHED]\n");
}

TEST(a_ticket_keeps_that_there_were_versions_before)
{
    TRACE("put E native\n"
          "start -> HEAD [CHECKING]\n"
          "head E lm=5 vid=v1 @1000 -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "attempt ambiguous -> HEAD [RESOLVE_AGAIN]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve -> native E d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=E versioned\n"
          "start -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> CONFLICT OVERTAKEN R16 none [FINISHED]\n");
    /* Of a client that has heard of versions only since: worth asking, no proof of absence. */
    TRACE("put absent native recent=1000\n"
          "start -> SIGN 1000/5 [SIGNING]\n"
          "signed -> SEND 12000 [SENDING]\n"
          "stop -> UNKNOWN STOPPED V3 [FINISHED]\n"
          "resolve versioned -> native * d0=1000 g=100 t=20000 ttl=4600 fence=1010 base=none\n"
          "start -> HEAD [RESOLVE_AGAIN]\n"
          "head none vid=v9 @1013 -> HEAD [RESOLVE_AGAIN]\n"
          "head none @1013 -> VERSIONS [RESOLVE_VERSIONS]\n"
          "versions others @1013 -> UNKNOWN NO_EVIDENCE N3 [FINISHED]\n");
}

/* ------------------------------------------------------------------------------------------------ one entry */

struct entry {
    const char *id;
    const char *etag; /* NULL: a delete marker */
    int64_t modified_s;
    unsigned weight;
};

/* D0 1000, margin 2: young from 998 on; long settled before 698. */
static void check_entries(const char *trace, const struct entry *entries, size_t count)
{
    TRACE(trace);
    for (size_t i = 0; i < count; i++) {
        const struct listed_version listed = {.version_id = entries[i].id,
                                              .etag = entries[i].etag ? entries[i].etag : "",
                                              .last_modified_s = entries[i].modified_s,
                                              .is_delete_marker = entries[i].etag == NULL};
        if (guard_classify_listed(&guard_trace.guard, &listed) != entries[i].weight)
            fail_msg("entry %zu of %s", i, trace);
    }
}
#define CHECK_ENTRIES(trace, entries) check_entries((trace), (entries), sizeof(entries) / sizeof((entries)[0]))

TEST(a_version_is_asked_that_is_not_older_than_the_attempt)
{
    static const struct entry entries[] = {
        {"v1", "\"E\"", 5, 0}, /* what was there before we sent */
        {"v2", "\"X\"", 997, 0},
        {"v2", "\"X\"", 998, GUARD_VERSION_ASK},
        {"v2", "\"X\"", 0, GUARD_VERSION_ASK}, /* unreadable */
        {"v2", NULL, 998, 0},
    };
    CHECK_ENTRIES("put E native\n" NATIVE("F vid=v3"), entries);
}

/* A store may give every version the same id: then by the id alone ours would pass for what was there before. */
TEST(what_was_there_before_is_told_by_more_than_its_id)
{
    static const struct entry entries[] = {
        {"v1", "\"E\"", 1000, GUARD_VERSION_ASK},
        {"v1", "\"X\"", 1000, GUARD_VERSION_HIDES | GUARD_VERSION_ASK},
        {"v1", "\"X\"", 5, GUARD_VERSION_HIDES},
        {"v1", NULL, 1000, GUARD_VERSION_HIDES},
    };
    CHECK_ENTRIES("put E native\n" NATIVE("F vid=v3"), entries);
}

/* What has the id "null" replaces what had it. */
TEST(a_null_version_may_hide_ours_unless_it_is_long_settled)
{
    static const struct entry entries[] = {
        {"null", "\"" HEX "\"", 697, 0},
        {"null", "\"" HEX "\"", 698, GUARD_VERSION_HIDES},
        {"null", "\"" HEX "\"", 998, GUARD_VERSION_HIDES | GUARD_VERSION_ASK},
        {"null", "\"" HEX "-2\"", 5, GUARD_VERSION_HIDES}, /* dated by its upload */
        {"null", "\"" HEX "\"", 0, GUARD_VERSION_HIDES | GUARD_VERSION_ASK},
        {"null", NULL, 697, 0},
        {"null", NULL, 698, GUARD_VERSION_HIDES},
    };
    CHECK_ENTRIES("put E native\n" NATIVE("F vid=v3"), entries);
}

/* Some stores date it by its upload's creation, whatever its ETag. */
TEST(of_a_complete_every_version_is_asked)
{
    static const struct entry entries[] = {
        {"v2", "\"" HEX "-2\"", 5, GUARD_VERSION_ASK},
        {"v2", "\"" HEX "\"", 5, GUARD_VERSION_ASK},
        {"v2", "\"" HEX "\"", 998, GUARD_VERSION_ASK},
        {"v2", NULL, 1001, 0},
    };
    CHECK_ENTRIES("complete absent parts=7 native recent=1000\nstart -> SIGN 1000/5 [SIGNING]\n", entries);
}

/* Nobody can tell whose a delete marker is. */
TEST(of_a_delete_a_young_marker_may_be_ours)
{
    static const struct entry entries[] = {
        {"v1", "\"E\"", 5, 0},
        {"v2", "\"X\"", 1000, 0},
        {"v2", NULL, 997, 0},
        {"v2", NULL, 998, GUARD_VERSION_HIDES},
        {"v2", NULL, 0, GUARD_VERSION_HIDES},
    };
    CHECK_ENTRIES("delete E native\n" NATIVE("none"), entries);
}

static enum versions_outcome weighed(const char *etag, const char *nonce)
{
    struct object_version version;
    memset(&version, 0, sizeof(version));
    version.exists = true;
    memcpy(version.etag, etag, strlen(etag));
    memcpy(version.nonce, nonce, strlen(nonce));
    return guard_classify_version(&guard_trace.guard, &version);
}

/* Without a nonce it may be ours all the same: a copy's metadata may have had no room for it, a store may lose it. */
TEST(a_version_is_told_by_its_nonce_or_by_other_bytes)
{
    TRACE("put E native\n" NATIVE("F vid=v3"));
    assert_int_equal(weighed("\"X\"", GUARD_TRACE_NONCE), VERSIONS_OURS);
    assert_int_equal(weighed("\"X\"", "third"), VERSIONS_OTHERS);
    assert_int_equal(weighed("\"X\"", ""), VERSIONS_HIDDEN);
    TRACE("put E native ours=X\n" NATIVE("F vid=v3"));
    assert_int_equal(weighed("\"F\"", GUARD_TRACE_NONCE), VERSIONS_OURS);
    assert_int_equal(weighed("\"X\"", ""), VERSIONS_HIDDEN);
    assert_int_equal(weighed("\"F\"", ""), VERSIONS_OTHERS);
}
