/* SPDX-License-Identifier: Apache-2.0 */
/* Which request carries a write, and under which guard: modes, ladder, refusals. */
#include "client/plan.h"
#include "profile/profile_json.h"
#include "unit/api/client_scratch.h"
#include "unit/client/plan_profiles.h"

#include <string.h>

#define GIB (UINT64_C(1) << 30)

/* ------------------------------------------------------------------------------------------------ the table */

enum { NO_LEDGER = 1, NO_UPLOADS = 2, NO_CONDITIONS = 4, HEADERS_ON = 8, HEADERS_OFF = 16 };
enum { CREATE = 1, MATCH = 0 };

struct wanted {
    os_code code;
    enum write_plan_request request;
    os_guard guard;
    bool conditional;
    enum s3_vendor_condition vendor;
};

struct row {
    const char *name;
    struct profile (*profile)(void);
    os_guard guard;
    unsigned flags;
    struct write_plan_params params;
    struct wanted wanted;
};

#define RECORD_BY(request)                                     \
    {                                                          \
        OS_OK, request, OS_GUARD_RECORD, false, S3_VENDOR_NONE \
    }
#define RECORD_AND_HEADER_BY(request)                         \
    {                                                         \
        OS_OK, request, OS_GUARD_RECORD, true, S3_VENDOR_NONE \
    }
#define NATIVE_BY(request)                                    \
    {                                                         \
        OS_OK, request, OS_GUARD_NATIVE, true, S3_VENDOR_NONE \
    }
#define BOTH_BY(request)                                    \
    {                                                       \
        OS_OK, request, OS_GUARD_BOTH, true, S3_VENDOR_NONE \
    }
#define REFUSED(code)                     \
    {                                     \
        code, 0, 0, false, S3_VENDOR_NONE \
    }

static const struct row rows[] = {
    /* without a profile: the record, as ever */
    {"put", NULL, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"put, replacing", NULL, OS_GUARD_AUTO, 0, {PLAN_PUT, MATCH, 5}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"copy", NULL, OS_GUARD_RECORD, 0, {PLAN_COPY, CREATE, 0}, RECORD_BY(PLAN_COPY_OBJECT)},
    {"delete", NULL, OS_GUARD_RECORD, 0, {PLAN_DELETE, MATCH, 0}, RECORD_BY(PLAN_DELETE_OBJECT)},
    {"headers on", NULL, OS_GUARD_AUTO, HEADERS_ON, {PLAN_PUT, CREATE, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"no conditions",
     NULL,
     OS_GUARD_AUTO,
     HEADERS_ON | NO_CONDITIONS,
     {PLAN_PUT, CREATE, 5},
     RECORD_BY(PLAN_PUT_OBJECT)},
    {"at once", NULL, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 64 << 10}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"not at once", NULL, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, (64 << 10) + 1}, RECORD_BY(PLAN_COMPLETE_UPLOAD)},
    {"8 MiB, no uploads", NULL, OS_GUARD_AUTO, NO_UPLOADS, {PLAN_PUT, CREATE, 8 << 20}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"too large", NULL, OS_GUARD_AUTO, NO_UPLOADS, {PLAN_PUT, CREATE, (8 << 20) + 1}, REFUSED(OS_ERR_TOO_LARGE)},
    {"copy of 5 GiB", NULL, OS_GUARD_AUTO, 0, {PLAN_COPY, CREATE, 5 * GIB}, RECORD_BY(PLAN_COPY_OBJECT)},
    {"larger copy", NULL, OS_GUARD_AUTO, 0, {PLAN_COPY, MATCH, 5 * GIB + 1}, RECORD_BY(PLAN_COMPLETE_UPLOAD)},
    {"copy too large", NULL, OS_GUARD_AUTO, NO_UPLOADS, {PLAN_COPY, MATCH, 6 * GIB}, REFUSED(OS_ERR_TOO_LARGE)},
    {"complete", NULL, OS_GUARD_AUTO, 0, {PLAN_COMPLETE, CREATE, 0}, RECORD_BY(PLAN_COMPLETE_UPLOAD)},
    {"rename", NULL, OS_GUARD_AUTO, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"no ledger", NULL, OS_GUARD_AUTO, NO_LEDGER, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_CONFIG)},
    {"native, no profile", NULL, OS_GUARD_NATIVE, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"both, no profile", NULL, OS_GUARD_BOTH, 0, {PLAN_PUT, MATCH, 5}, BOTH_BY(PLAN_PUT_OBJECT)},
    {"both, 8 MiB", NULL, OS_GUARD_BOTH, 0, {PLAN_PUT, MATCH, 8 << 20}, BOTH_BY(PLAN_PUT_OBJECT)},
    {"both, no profile", NULL, OS_GUARD_BOTH, 0, {PLAN_DELETE, MATCH, 0}, BOTH_BY(PLAN_DELETE_OBJECT)},
    {"both, no ledger", NULL, OS_GUARD_BOTH, NO_LEDGER, {PLAN_PUT, MATCH, 5}, REFUSED(OS_ERR_CONFIG)},

    /* everything proven */
    {"put", all_proven, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, NATIVE_BY(PLAN_PUT_OBJECT)},
    {"put, replacing", all_proven, OS_GUARD_AUTO, NO_LEDGER, {PLAN_PUT, MATCH, 5}, NATIVE_BY(PLAN_PUT_OBJECT)},
    {"large put", all_proven, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 9 << 20}, NATIVE_BY(PLAN_COMPLETE_UPLOAD)},
    {"copy", all_proven, OS_GUARD_AUTO, 0, {PLAN_COPY, CREATE, 5}, NATIVE_BY(PLAN_COPY_OBJECT)},
    {"large copy", all_proven, OS_GUARD_NATIVE, 0, {PLAN_COPY, CREATE, 6 * GIB}, NATIVE_BY(PLAN_COMPLETE_UPLOAD)},
    {"delete", all_proven, OS_GUARD_AUTO, 0, {PLAN_DELETE, MATCH, 0}, NATIVE_BY(PLAN_DELETE_OBJECT)},
    {"complete", all_proven, OS_GUARD_AUTO, 0, {PLAN_COMPLETE, MATCH, 0}, NATIVE_BY(PLAN_COMPLETE_UPLOAD)},
    {"rename", all_proven, OS_GUARD_NATIVE, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"record", all_proven, OS_GUARD_RECORD, 0, {PLAN_PUT, CREATE, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"headers off", all_proven, OS_GUARD_AUTO, HEADERS_OFF, {PLAN_PUT, CREATE, 5}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"no conditions", all_proven, OS_GUARD_AUTO, NO_CONDITIONS, {PLAN_PUT, CREATE, 5}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"no uploads", all_proven, OS_GUARD_AUTO, NO_UPLOADS, {PLAN_COPY, MATCH, 5}, NATIVE_BY(PLAN_COPY_OBJECT)},
    {"both", all_proven, OS_GUARD_BOTH, 0, {PLAN_COPY, MATCH, 5}, BOTH_BY(PLAN_COPY_OBJECT)},

    /* renames */
    {"rename", renames, OS_GUARD_AUTO, NO_LEDGER, {PLAN_RENAME, CREATE, 0}, NATIVE_BY(PLAN_RENAME_OBJECT)},
    {"rename", renames, OS_GUARD_RECORD, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", renames, OS_GUARD_BOTH, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_unknown, OS_GUARD_AUTO, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_unknown, OS_GUARD_NATIVE, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_not_there, OS_GUARD_AUTO, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_not_there, OS_GUARD_NATIVE, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_unproven, OS_GUARD_NATIVE, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_unproven, OS_GUARD_NATIVE, 0, {PLAN_RENAME, MATCH, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", rename_racy, OS_GUARD_NATIVE, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"rename", hardly_raced, OS_GUARD_NATIVE, 0, {PLAN_RENAME, CREATE, 0}, REFUSED(OS_ERR_UNSUPPORTED)},

    /* COPY and DELETE ignore their condition */
    {"put", copy_and_delete_ignore, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, NATIVE_BY(PLAN_PUT_OBJECT)},
    {"copy", copy_and_delete_ignore, OS_GUARD_AUTO, 0, {PLAN_COPY, CREATE, 5}, NATIVE_BY(PLAN_COMPLETE_UPLOAD)},
    {"put beside such deletes",
     copy_and_delete_ignore,
     OS_GUARD_AUTO,
     0,
     {PLAN_PUT, MATCH, 5},
     RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"delete",
     copy_and_delete_ignore,
     OS_GUARD_AUTO,
     0,
     {PLAN_DELETE, MATCH, 0},
     RECORD_AND_HEADER_BY(PLAN_DELETE_OBJECT)},
    {"delete, no ledger",
     copy_and_delete_ignore,
     OS_GUARD_AUTO,
     NO_LEDGER,
     {PLAN_DELETE, MATCH, 0},
     REFUSED(OS_ERR_CONFIG)},
    {"put", copy_and_delete_ignore, OS_GUARD_NATIVE, 0, {PLAN_PUT, MATCH, 5}, NATIVE_BY(PLAN_PUT_OBJECT)},
    {"delete", copy_and_delete_ignore, OS_GUARD_NATIVE, 0, {PLAN_DELETE, MATCH, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"copy, both", copy_and_delete_ignore, OS_GUARD_BOTH, 0, {PLAN_COPY, CREATE, 5}, BOTH_BY(PLAN_COMPLETE_UPLOAD)},
    {"delete, both",
     copy_and_delete_ignore,
     OS_GUARD_BOTH,
     0,
     {PLAN_DELETE, MATCH, 0},
     RECORD_AND_HEADER_BY(PLAN_DELETE_OBJECT)},
    {"copy without uploads",
     copy_and_delete_ignore,
     OS_GUARD_NATIVE,
     NO_UPLOADS,
     {PLAN_COPY, CREATE, 5},
     REFUSED(OS_ERR_UNSUPPORTED)},

    /* a vendor's header */
    {"put",
     vendors_only,
     OS_GUARD_NATIVE,
     0,
     {PLAN_PUT, CREATE, 5},
     {OS_OK, PLAN_PUT_OBJECT, OS_GUARD_NATIVE, false, S3_VENDOR_ALIBABA}},
    {"copy",
     vendors_only,
     OS_GUARD_BOTH,
     0,
     {PLAN_COPY, CREATE, 5},
     {OS_OK, PLAN_COPY_OBJECT, OS_GUARD_BOTH, false, S3_VENDOR_ALIBABA}},
    {"replacing", vendors_only, OS_GUARD_NATIVE, 0, {PLAN_PUT, MATCH, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"large bodies have none",
     vendors_only,
     OS_GUARD_NATIVE,
     0,
     {PLAN_PUT, CREATE, 9 << 20},
     REFUSED(OS_ERR_UNSUPPORTED)},
    {"nor then may small ones rely on it",
     vendors_only,
     OS_GUARD_AUTO,
     0,
     {PLAN_PUT, CREATE, 5},
     RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"unless there are no large ones",
     vendors_only,
     OS_GUARD_AUTO,
     NO_UPLOADS,
     {PLAN_PUT, CREATE, 5},
     {OS_OK, PLAN_PUT_OBJECT, OS_GUARD_NATIVE, false, S3_VENDOR_ALIBABA}},
    {"Complete comes before it",
     vendor_and_complete,
     OS_GUARD_NATIVE,
     0,
     {PLAN_COPY, CREATE, 5},
     NATIVE_BY(PLAN_COMPLETE_UPLOAD)},
    {"and after it without uploads",
     vendor_and_complete,
     OS_GUARD_NATIVE,
     NO_UPLOADS,
     {PLAN_COPY, CREATE, 5},
     {OS_OK, PLAN_COPY_OBJECT, OS_GUARD_NATIVE, false, S3_VENDOR_CLOUDFLARE}},

    /* nothing proven */
    {"ignored", all_ignored, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"ignored, 65 KiB",
     all_ignored,
     OS_GUARD_AUTO,
     0,
     {PLAN_PUT, CREATE, 65 << 10},
     RECORD_AND_HEADER_BY(PLAN_COMPLETE_UPLOAD)},
    {"ignored", all_ignored, OS_GUARD_NATIVE, 0, {PLAN_COPY, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"ignored", all_ignored, OS_GUARD_BOTH, 0, {PLAN_PUT, MATCH, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"racy", nothing_atomic, OS_GUARD_NATIVE, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"too few rounds", hardly_raced, OS_GUARD_NATIVE, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"too few rounds", hardly_raced, OS_GUARD_NATIVE, 0, {PLAN_DELETE, MATCH, 0}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"too few rounds", hardly_raced, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"Google's word", google_documented, OS_GUARD_NATIVE, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"Google's word", google_documented, OS_GUARD_NATIVE, 0, {PLAN_COPY, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"Google refuses", google_refused, OS_GUARD_NATIVE, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"racy, 65 KiB",
     nothing_atomic,
     OS_GUARD_AUTO,
     0,
     {PLAN_PUT, CREATE, 65 << 10},
     RECORD_AND_HEADER_BY(PLAN_COMPLETE_UPLOAD)},
    {"racy", nothing_atomic, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"racy", nothing_atomic, OS_GUARD_BOTH, 0, {PLAN_PUT, CREATE, 5}, BOTH_BY(PLAN_PUT_OBJECT)},
    {"refused", put_refuses, OS_GUARD_AUTO, 0, {PLAN_PUT, CREATE, 5}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"refused", put_refuses, OS_GUARD_BOTH, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"unmeetable", put_unmeetable, OS_GUARD_RECORD, 0, {PLAN_PUT, MATCH, 5}, RECORD_BY(PLAN_PUT_OBJECT)},
    {"unmeetable", put_unmeetable, OS_GUARD_RECORD, 0, {PLAN_PUT, CREATE, 5}, RECORD_AND_HEADER_BY(PLAN_PUT_OBJECT)},
    {"unmeetable", put_unmeetable, OS_GUARD_BOTH, 0, {PLAN_PUT, MATCH, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"the nonce is lost", metadata_lost, OS_GUARD_NATIVE, 0, {PLAN_PUT, CREATE, 5}, REFUSED(OS_ERR_UNSUPPORTED)},
    {"the nonce is lost", metadata_lost, OS_GUARD_NATIVE, 0, {PLAN_DELETE, MATCH, 0}, NATIVE_BY(PLAN_DELETE_OBJECT)},
};

static struct write_plan_rules rules_of(const struct row *row, const struct profile *profile)
{
    struct write_plan_rules rules = {
        .guard = row->guard,
        .profile = row->profile ? profile : NULL,
        .has_ledger = !(row->flags & NO_LEDGER),
        .has_conditions = !(row->flags & NO_CONDITIONS),
        .has_uploads = !(row->flags & NO_UPLOADS),
        .at_once_bytes = 64 << 10,
    };
    if (row->flags & HEADERS_ON)
        rules.condition_headers = OS_ON;
    if (row->flags & HEADERS_OFF)
        rules.condition_headers = OS_OFF;
    return rules;
}

TEST(each_write_goes_its_way)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct profile profile = row->profile ? row->profile() : (struct profile){.name = ""};
        struct write_plan_rules rules = rules_of(row, &profile);
        struct write_plan plan = {.request = 99};
        os_error error = {0};
        os_code code = write_plan_choose(&rules, &row->params, &plan, &error);
        if (code != row->wanted.code)
            fail_msg("row %zu (%s): %s, %s", i, row->name, os_code_name(code), error.message);
        if (code != OS_OK) {
            assert_int_equal(plan.request, 99);
            assert_int_equal(error.code, code);
            continue;
        }
        bool as_wanted = plan.request == row->wanted.request && plan.guard == row->wanted.guard &&
                         plan.conditional == row->wanted.conditional && plan.vendor == row->wanted.vendor;
        if (!as_wanted)
            fail_msg("row %zu (%s): %s, guard %d, conditional %d, vendor %d", i, row->name,
                     write_plan_request_name(plan.request), (int)plan.guard, plan.conditional, (int)plan.vendor);
    }
}

TEST(what_a_409_means_is_in_the_profile)
{
    struct profile profile = all_proven();
    struct write_plan_rules rules = {
        .profile = &profile, .has_conditions = true, .has_uploads = true, .has_ledger = true};
    struct write_plan_params put = {PLAN_PUT, true, 5};
    struct write_plan_params complete = {PLAN_COMPLETE, true, 0};
    struct write_plan plan;
    assert_int_equal(write_plan_choose(&rules, &put, &plan, NULL), OS_OK);
    assert_int_equal(plan.answer_409, GUARD_409_SEND_AGAIN);
    assert_int_equal(write_plan_choose(&rules, &complete, &plan, NULL), OS_OK);
    assert_int_equal(plan.answer_409, GUARD_409_FINAL);
    rules.profile = NULL;
    assert_int_equal(write_plan_choose(&rules, &put, &plan, NULL), OS_OK);
    assert_int_equal(plan.answer_409, GUARD_409_AMBIGUOUS);
}

TEST(beside_native_creations_records_prove_less)
{
    struct profile profile = copy_and_delete_ignore();
    struct write_plan_rules rules = {
        .profile = &profile, .has_conditions = true, .has_uploads = true, .has_ledger = true};
    struct write_plan_params replacement = {PLAN_PUT, false, 5};
    struct write_plan plan;
    assert_int_equal(write_plan_choose(&rules, &replacement, &plan, NULL), OS_OK);
    assert_int_equal(plan.guard, OS_GUARD_RECORD);
    assert_true(plan.native_writers);
    profile = nothing_atomic();
    assert_int_equal(write_plan_choose(&rules, &replacement, &plan, NULL), OS_OK);
    assert_false(plan.native_writers);
}

TEST(in_both_others_may_write_without_a_record)
{
    struct profile profile = all_proven();
    struct write_plan_rules rules = {
        .profile = &profile, .has_conditions = true, .has_uploads = true, .has_ledger = true};
    struct write_plan_params put = {PLAN_PUT, true, 5};
    struct write_plan plan;
    rules.guard = OS_GUARD_BOTH;
    assert_int_equal(write_plan_choose(&rules, &put, &plan, NULL), OS_OK);
    assert_true(plan.native_writers);
    rules.guard = OS_GUARD_RECORD;
    assert_int_equal(write_plan_choose(&rules, &put, &plan, NULL), OS_OK);
    assert_false(plan.native_writers);
}

TEST(a_setting_moves_the_threshold_but_not_over_the_limit_of_one_request)
{
    struct write_plan_rules rules = {.has_uploads = true, .at_once_bytes = UINT32_MAX};
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_COPY, true), 5 * GIB);
    rules.stage_above = 1000;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, false), 1000);
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_COPY, false), 1000);
    rules.stage_above = 6 * GIB;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 5 * GIB);
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_COPY, true), 5 * GIB);
}

/* R15.2: what does not arrive at once makes a dead writer's record block for long. */
TEST(where_no_condition_is_proven_what_does_not_arrive_at_once_is_staged)
{
    struct profile ignored = all_ignored();
    struct profile in_turns = nothing_atomic(); /* enforced, with several winners in a race */
    const struct profile *const unproven[] = {NULL, &ignored, &in_turns};
    struct write_plan_rules rules = {.has_uploads = true, .at_once_bytes = 12 << 10};
    for (size_t i = 0; i < sizeof(unproven) / sizeof(unproven[0]); i++) {
        rules.profile = unproven[i];
        assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 12 << 10);
        assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, false), 12 << 10);
        assert_int_equal(write_plan_multipart_above(&rules, PLAN_COPY, true), 5 * GIB);
    }
    rules.stage_above = 1 << 20; /* the caller's own */
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 1 << 20);
    rules.stage_above = 0;
    rules.has_uploads = false;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
}

TEST(a_proven_condition_is_not_given_up_for_a_shorter_fence)
{
    struct profile profile = all_proven();
    struct write_plan_rules rules = {.profile = &profile, .has_uploads = true, .at_once_bytes = 12 << 10};
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    profile.rules[PROFILE_PUT].match_atomic = false;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, false), 12 << 10);
}

/* M1.3: native writers are kept out by the condition, and nobody has said that the store knows it on a Complete. */
TEST(native_and_both_keep_the_request_whose_condition_they_rest_on)
{
    struct profile profile = all_ignored();
    struct write_plan_rules rules = {.guard = OS_GUARD_BOTH, .has_uploads = true, .at_once_bytes = 12 << 10};
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    rules.profile = &profile;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 12 << 10);
    profile.rules[PROFILE_PUT].absent = PROFILE_ENFORCED;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    rules.guard = OS_GUARD_NATIVE;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    rules.guard = OS_GUARD_RECORD;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 12 << 10);
}

TEST(where_a_complete_takes_longer_than_a_stalled_body_parts_shorten_nothing)
{
    struct profile profile = all_ignored();
    struct write_plan_rules rules = {.profile = &profile, .has_uploads = true, .at_once_bytes = 12 << 10};
    profile.complete_s = GUARD_STALLED_BODY_S;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 12 << 10);
    profile.complete_s = GUARD_STALLED_BODY_S + 1;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    rules.keeps_stalled_bodies = true;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 12 << 10);
}

/* F2: there the rest of a body may come at any time, so that its beginning never dies. */
TEST(where_stalled_bodies_are_kept_no_body_is_stalled)
{
    struct profile profile = all_proven();
    struct write_plan_rules rules = {.profile = &profile, .has_uploads = true, .at_once_bytes = 12 << 10};
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 8 << 20);
    rules.keeps_stalled_bodies = true;
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_PUT, true), 12 << 10);
    assert_int_equal(write_plan_multipart_above(&rules, PLAN_COPY, true), 5 * GIB);
}

TEST(one_condition_goes_along)
{
    struct s3_condition condition;
    struct write_plan plain = {.conditional = true};
    write_plan_condition(&plain, NULL, &condition);
    assert_true(condition.if_none_match_any);
    assert_null(condition.if_match);
    write_plan_condition(&plain, "\"e\"", &condition);
    assert_false(condition.if_none_match_any);
    assert_string_equal(condition.if_match, "\"e\"");
    struct write_plan vendor = {.vendor = S3_VENDOR_GOOGLE};
    write_plan_condition(&vendor, NULL, &condition);
    assert_int_equal(condition.vendor, S3_VENDOR_GOOGLE);
    assert_false(condition.if_none_match_any);
    struct write_plan none = {.request = PLAN_PUT_OBJECT};
    write_plan_condition(&none, "\"e\"", &condition);
    assert_null(condition.if_match);
}

TEST(refusals_say_what_to_change)
{
    struct profile profile = all_ignored();
    struct write_plan_rules rules = {.guard = OS_GUARD_NATIVE, .profile = &profile, .has_conditions = true};
    struct write_plan_params copy = {PLAN_COPY, true, 5};
    struct write_plan plan;
    os_error error;
    assert_int_equal(write_plan_choose(&rules, &copy, &plan, &error), OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "ignoring"));
    assert_non_null(strstr(error.message, "CopyObject with If-None-Match: *"));
    assert_non_null(strstr(error.message, "guard=record"));
    rules.guard = OS_GUARD_AUTO;
    assert_int_equal(write_plan_choose(&rules, &copy, &plan, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "ledger_url"));
}

TEST(a_missing_ledger_is_asked_for_by_operation_and_setting)
{
    struct profile profile = all_proven();
    struct write_plan_rules rules = {.unprofiled = " So it is.", .has_conditions = true, .has_uploads = true};
    struct write_plan_params params = {PLAN_PUT, true, 5};
    static const struct {
        enum write_plan_operation operation;
        const char *says;
    } operations[] = {
        {PLAN_PUT, "A guarded put needs a ledger: set ledger_url (--ledger, OSCOMMIT_LEDGER) to"},
        {PLAN_COPY, "A guarded copy needs a ledger: set ledger_url (--ledger, OSCOMMIT_LEDGER) to"},
        {PLAN_DELETE, "A guarded delete needs a ledger: set ledger_url (--ledger, OSCOMMIT_LEDGER) to"},
        {PLAN_COMPLETE, "A guarded write in parts needs a ledger: set ledger_url (--ledger, OSCOMMIT_LEDGER) to"}};
    struct write_plan plan;
    os_error error;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        params.operation = operations[i].operation;
        assert_int_equal(write_plan_choose(&rules, &params, &plan, &error), OS_ERR_CONFIG);
        assert_non_null(strstr(error.message, operations[i].says));
        assert_non_null(strstr(error.message, ". So it is."));
    }
    rules.profile = &profile;
    rules.guard = OS_GUARD_RECORD;
    assert_int_equal(write_plan_choose(&rules, &params, &plan, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "needs a ledger with guard=record: set ledger_url"));
    rules.guard = OS_GUARD_BOTH;
    assert_int_equal(write_plan_choose(&rules, &params, &plan, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "needs a ledger with guard=both: set ledger_url"));
    rules.guard = OS_GUARD_AUTO;
    rules.condition_headers = OS_OFF;
    assert_int_equal(write_plan_choose(&rules, &params, &plan, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "needs a ledger with condition_headers=off: set ledger_url"));
}

/* It is the default on AWS (docs/stores.md): without a ledger nothing may be refused there, nor with one. */
TEST(the_profile_of_aws_proves_every_write)
{
    struct profile profile;
    struct write_plan_rules rules = {.profile = &profile, .has_conditions = true, .has_uploads = true};
    static const enum write_plan_operation operations[] = {PLAN_PUT, PLAN_COPY, PLAN_DELETE, PLAN_COMPLETE};
    struct write_plan plan;
    assert_int_equal(profile_shipped_find("aws", &profile, NULL), OS_OK);
    for (unsigned i = 0; i < 4 * 2 * 2; i++) {
        struct write_plan_params params = {operations[i / 4], i % 2 == 1, i / 2 % 2 == 1 ? 6 * GIB : 5};
        if (params.operation == PLAN_DELETE && params.create)
            continue;
        rules.guard = OS_GUARD_AUTO;
        rules.has_ledger = false;
        assert_int_equal(write_plan_choose(&rules, &params, &plan, NULL), OS_OK);
        assert_int_equal(plan.guard, OS_GUARD_NATIVE);
        rules.guard = OS_GUARD_BOTH;
        rules.has_ledger = true;
        assert_int_equal(write_plan_choose(&rules, &params, &plan, NULL), OS_OK);
        assert_int_equal(plan.guard, OS_GUARD_BOTH);
        assert_true(plan.conditional && plan.native_writers);
    }
}

TEST(a_create_of_its_own_is_sent_only_where_that_is_proven)
{
    struct profile profile = all_proven();
    const struct write_plan_rules proven = {.profile = &profile, .has_conditions = true};
    const struct write_plan_rules off = {.profile = &profile, .has_conditions = true, .condition_headers = OS_OFF};
    const struct write_plan_rules v2 = {.profile = &profile};
    const struct write_plan_rules unknown = {.has_conditions = true};
    assert_true(write_plan_creates_only(&proven));
    assert_false(write_plan_creates_only(&off) || write_plan_creates_only(&v2) || write_plan_creates_only(&unknown));
}
