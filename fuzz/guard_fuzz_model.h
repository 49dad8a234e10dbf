/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of a guard whatever happens around it, told from the outside: from the events that it was given and
 * the requests that it asked for. Of the guard's own state it reads only what its public functions give, and why it
 * ended.
 */
#ifndef OSCOMMIT_FUZZ_GUARD_FUZZ_MODEL_H
#define OSCOMMIT_FUZZ_GUARD_FUZZ_MODEL_H

#include "fuzz.h"

#include "commit/guard.h"

#define MODEL_NONCE "0123456789abcdef0123456789abcdef"

struct model {
    struct guard_settings settings;
    enum guard_operation operation;
    const char *expected_etag; /* NULL: absent */
    bool resolving;

    struct clock_reading now;
    uint64_t s3_ms;
    uint64_t largest_date_s;
    unsigned step;

    unsigned awaiting;
    unsigned answered; /* the request that this step's event answers */
    bool has_timer;
    enum verdict verdict;

    /* S3 time of the signature, and when the request that it answers was sent. */
    uint64_t sign_date_s;
    uint32_t sign_length_s;
    struct clock_reading sign_clock;
    bool signed_ok;

    /* HEADs of the destination. */
    unsigned head_sent_step;
    struct clock_reading head_sent_clock;
    unsigned head_answered_step; /* when the one was sent that was answered last; 0: none was */
    struct clock_reading head_answered_sent_clock;
    bool expectation_held;                 /* by that one */
    uint64_t head_sent_date_s;             /* the largest Date received before the one under way was sent */
    uint64_t head_known_date_s;            /* and before the one that was answered last */
    struct clock_reading dated_sent_clock; /* and when it was sent; before the first: the reading of the recent Date */

    /* Our record. */
    unsigned record_puts;
    struct record sent;
    struct record_condition sent_on;
    struct clock_reading lease_clock;
    bool held;
    unsigned held_step;
    struct clock_reading held_clock;
    bool get_our_etag; /* what the GetItem under way reads */
    bool overtaken;    /* R13: another holder's record stands there */
    unsigned releases;
    unsigned reports;

    /* Another's. */
    bool contending; /* nothing was put since it was met */
    struct record seen;
    unsigned seen_step;
    struct clock_reading seen_clock;
    bool aborted; /* its upload (R14) */
    unsigned aborted_step;
    struct clock_reading aborted_clock;

    /* The attempt. What decides its allowance: bytes to copy, or parts; and how it travels. */
    uint64_t amount;
    bool at_once;
    uint64_t wire_bytes;
    uint64_t upload;
    bool upload_open;             /* it was, after the attempt was dead */
    bool versioned;               /* the bucket had versions before it was sent (R16) */
    bool has_versions;            /* or has them now */
    bool not_in_list;             /* and their list shows that it was not applied */
    struct object_version before; /* of the last HEAD before it was sent */
    struct object_version last;   /* of the last HEAD at all */
    unsigned sends;
    bool may_send_again; /* the last copy was answered so */
    bool undecided;      /* a copy is unanswered, or was answered so that it may have been applied */
    bool has_fence;
    uint64_t fence_s;
    uint32_t margin_s;
    bool proof; /* of a commit (V2) */

    /* Of a ticket, by the stored record (R17). */
    bool contradicted;
    bool owns_upload;
};

void model_init(struct model *model);
void model_begin(struct model *model, const struct guard_settings *settings, const struct guard_start *start);
void model_begin_resolution(struct model *model, const struct guard_settings *settings,
                            const struct guard_ticket *ticket);
/* A record was read; of what resolves a ticket that of our key counts (R17). */
void model_own_read(struct model *model, const struct guard_event *event);
void model_before(struct model *model, const struct guard_event *event);
void model_after(struct model *model, const struct guard_event *event, const struct guard *guard,
                 const struct guard_actions *todo);

/* guard_fuzz_delivery.c */
void model_signed(struct model *model, const struct guard_event *event);
uint64_t model_allowance_s(const struct model *model);
bool model_stalls_for_ever(const struct model *model); /* what was signed has no fence */

/* The request that an event of this kind answers. */
unsigned model_request_of(enum guard_event_kind kind);

#endif
