/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles whose ways way_test.c knows. */
#ifndef OSCOMMIT_TEST_UNIT_CLIENT_PLAN_PROFILES_H
#define OSCOMMIT_TEST_UNIT_CLIENT_PLAN_PROFILES_H

#include "client/plan.h"

#include <string.h>

static struct profile_rule enforced(bool atomic)
{
    return (struct profile_rule){.absent = PROFILE_ENFORCED,
                                 .match = PROFILE_ENFORCED,
                                 .absent_atomic = atomic,
                                 .match_atomic = atomic,
                                 .absent_rounds = OS_PROBE_PROOF_ROUNDS,
                                 .match_rounds = OS_PROBE_PROOF_ROUNDS};
}

static struct profile_rule all(enum profile_condition condition)
{
    return (struct profile_rule){.absent = condition, .match = condition};
}

/* Everything but RenameObject. */
static struct profile all_proven(void)
{
    struct profile profile = {.name = "proven"};
    for (int request = PROFILE_PUT; request <= PROFILE_DELETE; request++)
        profile.rules[request] = enforced(true);
    profile.rules[PROFILE_PUT].answer_409 = PROFILE_409_UNDECIDED;
    profile.rules[PROFILE_COMPLETE].answer_409 = PROFILE_409_FINAL;
    return profile;
}

/* COPY and DELETE ignore their condition (MinIO). */
static struct profile copy_and_delete_ignore(void)
{
    struct profile profile = all_proven();
    profile.rules[PROFILE_COPY] = all(PROFILE_IGNORED);
    profile.rules[PROFILE_DELETE] = all(PROFILE_IGNORED);
    return profile;
}

static struct profile all_ignored(void)
{
    struct profile profile = {.name = "ignoring"};
    for (int request = PROFILE_PUT; request <= PROFILE_DELETE; request++)
        profile.rules[request] = all(PROFILE_IGNORED);
    return profile;
}

/* PUT refuses the header, and breaks under a race without it (Swift). */
static struct profile put_refuses(void)
{
    struct profile profile = all_ignored();
    profile.rules[PROFILE_PUT] = all(PROFILE_REFUSED);
    return profile;
}

/* If-Match is refused although it holds (Ceph). */
static struct profile put_unmeetable(void)
{
    struct profile profile = all_ignored();
    profile.rules[PROFILE_PUT] = enforced(true);
    profile.rules[PROFILE_PUT].match = PROFILE_UNMEETABLE;
    return profile;
}

/* Enforced, but more than one winner (S3Mock). */
static struct profile nothing_atomic(void)
{
    struct profile profile = {.name = "racy"};
    for (int request = PROFILE_PUT; request <= PROFILE_DELETE; request++)
        profile.rules[request] = enforced(false);
    return profile;
}

static struct profile_vendor proven_vendor(void)
{
    return (struct profile_vendor){.put = PROFILE_ENFORCED,
                                   .copy = PROFILE_ENFORCED,
                                   .put_atomic = true,
                                   .copy_atomic = true,
                                   .put_rounds = OS_PROBE_PROOF_ROUNDS,
                                   .copy_rounds = OS_PROBE_PROOF_ROUNDS};
}

/* A vendor's header for COPY and PUT beside nothing else. */
static struct profile vendors_only(void)
{
    struct profile profile = all_ignored();
    profile.vendors[S3_VENDOR_ALIBABA] = proven_vendor();
    profile.vendors[S3_VENDOR_GOOGLE] = (struct profile_vendor){.put = PROFILE_ENFORCED, .copy = PROFILE_ENFORCED};
    return profile;
}

/* Google's header, by its documentation alone: nobody saw it taken beside the nonce. */
static struct profile google_documented(void)
{
    struct profile profile = all_ignored();
    strcpy(profile.source, PROFILE_SOURCE_DOCUMENTATION);
    profile.vendors[S3_VENDOR_GOOGLE] = proven_vendor();
    profile.vendors[S3_VENDOR_GOOGLE].put_rounds = profile.vendors[S3_VENDOR_GOOGLE].copy_rounds = 0;
    return profile;
}

/* The same, and a probe saw it refused beside the nonce. */
static struct profile google_refused(void)
{
    struct profile profile = google_documented();
    profile.vendors[S3_VENDOR_GOOGLE] = proven_vendor();
    profile.vendors[S3_VENDOR_GOOGLE].put = profile.vendors[S3_VENDOR_GOOGLE].copy = PROFILE_REFUSED;
    return profile;
}

/* As copy_and_delete_ignore, but for a copy of one's own kind. */
static struct profile vendor_and_complete(void)
{
    struct profile profile = copy_and_delete_ignore();
    profile.vendors[S3_VENDOR_CLOUDFLARE] = proven_vendor();
    profile.vendors[S3_VENDOR_CLOUDFLARE].put = PROFILE_UNKNOWN;
    profile.vendors[S3_VENDOR_CLOUDFLARE].put_atomic = false;
    return profile;
}

static struct profile renames(void)
{
    struct profile profile = all_proven();
    profile.rename_object = PROFILE_YES;
    profile.rules[PROFILE_RENAME] = enforced(true);
    return profile;
}

/* A probe that ran too few rounds to say so. */
static struct profile hardly_raced(void)
{
    struct profile profile = renames();
    for (int request = PROFILE_PUT; request < PROFILE_REQUESTS; request++) {
        profile.rules[request].absent_rounds = OS_PROBE_PROOF_ROUNDS - 1;
        profile.rules[request].match_rounds = OS_PROBE_PROOF_ROUNDS - 1;
    }
    return profile;
}

/* RenameObject was not asked for, or is answered and not there (MinIO), whatever the rules say of it. */
static struct profile rename_unknown(void)
{
    struct profile profile = renames();
    profile.rename_object = PROFILE_ANSWER_UNKNOWN;
    return profile;
}

static struct profile rename_not_there(void)
{
    struct profile profile = renames();
    profile.rename_object = PROFILE_NO;
    return profile;
}

/* It is there, and nobody knows what it makes of a condition. */
static struct profile rename_unproven(void)
{
    struct profile profile = renames();
    profile.rules[PROFILE_RENAME] = (struct profile_rule){.absent = PROFILE_UNKNOWN};
    return profile;
}

static struct profile rename_racy(void)
{
    struct profile profile = renames();
    profile.rules[PROFILE_RENAME] = enforced(false);
    return profile;
}

static struct profile metadata_lost(void)
{
    struct profile profile = all_proven();
    profile.metadata_survives = PROFILE_NO;
    return profile;
}

#endif
