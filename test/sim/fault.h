/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which faults a seed has, and which of them strike. Every decision is a pure function of the seed, the kind and the
 * number of the occasion (not of an order of draws), so that taking one fault or one call away leaves the others where
 * they were: that is what makes a schedule shrink.
 */
#ifndef OSCOMMIT_TEST_SIM_FAULT_H
#define OSCOMMIT_TEST_SIM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(symbol, name, greatest rate per mille of a seed that has it, what its occasions are). Those of the world strike
 * once, at its making. */
#define FAULT_LIST(X)                                                                                                 \
    X(REFUSED, "refused", 100)                     /* a request: no connection is made, nothing is sent */            \
    X(LOSE_BEFORE, "lose-before", 200)             /* a request: it never arrives */                                  \
    X(LOSE_AFTER, "lose-after", 250)               /* a request: handled, and its answer lost */                      \
    X(ATTEMPT_BEFORE, "attempt-lost-before", 700)  /* a guarded write: it never arrives */                            \
    X(ATTEMPT_AFTER, "attempt-lost-after", 700)    /* a guarded write: handled, and its answer lost */                \
    X(ATTEMPT_LATE, "attempt-late", 700)           /* a guarded write: under way for long */                          \
    X(ATTEMPT_DEATH, "attempt-death", 300)         /* a guarded write, before or after it is sent: death */           \
    X(ATTEMPT_TOKEN, "attempt-expired-token", 500) /* a guarded write: the keys are rotated just before it */         \
    X(REPLAY, "replay", 500)                       /* a read, or a request to the ledger: delivered once more */      \
    X(LATE, "late", 250)                           /* a request: under way for longer than its sender waits */        \
    X(SLOW, "slow", 300)                           /* a request: handled slowly, within the allowance */              \
    X(TRUNCATE, "truncate", 150)                   /* an answer: cut short */                                         \
    X(BAD_CRC, "bad-crc", 150)                     /* an answer of the ledger: its checksum is wrong */               \
    X(BEFORE_5XX, "5xx-before", 200)               /* a request: answered with 5xx, not handled */                    \
    X(AFTER_5XX, "5xx-after", 200)                 /* a request: handled, and answered with 5xx */                    \
    X(THROTTLE, "throttle", 300)                   /* a request to the ledger: HTTP 400 */                            \
    X(CONFLICT_409, "409", 300)                    /* a write whose condition fails: ConditionalRequestConflict */    \
    X(ERROR_200, "error-200", 300)                 /* a copy: 200 and an error document, applied or not */            \
    X(SKEWED, "skewed", 60)                        /* a request: RequestTimeTooSkewed */                              \
    X(EXPIRED_TOKEN, "expired-token", 100)         /* a request: the keys are rotated just before it */               \
    X(PAUSE, "pause", 120)                         /* a request, before or after it is sent: the process stops */     \
    X(HOLD, "hold", 300)      /* a request to the ledger, after it is sent: the process stops for long */             \
    X(SUSPEND, "suspend", 30) /* the same, and MONOTONIC stands still */                                              \
    X(JUMP, "jump", 60)       /* a request: REALTIME is set */                                                        \
    X(DEATH, "death", 40)     /* a request, before or after it is sent: the process dies */                           \
    X(MEMORY, "memory", 4)    /* an allocation of the library fails */                                                \
    X(CANCEL, "cancel", 250)  /* a call: cancelled after a while */                                                   \
    X(TTL, "ttl", 800)        /* a round of the table's sweeper: an expired record goes */                            \
    X(IGNORE_CONDITIONS, "ignore-conditions", 1000) /* the world: conditions of writes are not looked at */           \
    X(NEVER_EXPIRES, "never-expires", 1000)         /* the world: the store does not look at X-Amz-Expires */         \
    X(EXPIRY_AT_END, "expiry-at-end", 1000)         /* the world: it looks when the write takes effect */             \
    X(RANDOM_ETAG, "random-etag", 1000)             /* the world: ETags are no MD5 */                                 \
    X(NO_OLD, "no-old", 1000)                       /* the world: a failed condition comes without item */            \
    X(NO_CRC, "no-crc", 1000)                       /* the world: the ledger sends no checksum */                     \
    X(DRIFT, "drift", 1000)                         /* the world: local clocks run fast or slow */                    \
    X(SPREAD, "spread", 1000)                       /* the world: the store's front ends disagree */                  \
    X(OFF_CLOCKS, "off-clocks", 1000)               /* the world: REALTIME of a process is off */                     \
    X(STAGED, "staged", 1000)                       /* the fleet: what has more than a few bytes goes in parts */     \
    X(MODES, "modes", 1000)                         /* the fleet: a profile that tells the truth, any mode */         \
    X(MIXED, "mixed-conditions", 1000)              /* the world: each request has its own way with conditions */     \
    X(FINAL_409, "final-409", 1000)                 /* the world: where it says 409, it means 412 */                  \
    X(MISSING_412, "missing-412", 1000)             /* the world: If-Match where nothing is: 412 */                   \
    X(BLANKS, "blanks", 1000)                       /* the world: a Complete's answer begins with blanks */           \
    X(COMPLETES_AGAIN, "completes-again", 1000)     /* the world: 200 to the Complete of what is completed */         \
    X(ABORTS_GONE, "aborts-gone", 1000)             /* the world: 204 to the abort of what is not open */             \
    X(SEGMENTS, "segments", 1000)                   /* the world: the smallest segments (RFC 9293: 536) */            \
    X(SLOW_LINK, "slow-link", 700)                  /* a guarded write that does not arrive at once: slowly */        \
    X(TAIL_STOP, "tail-stop", 400)                  /* the same: its process stops before the tail is written */      \
    X(FORGED, "forged", 500)      /* a call: after it its process resolves a ticket that was written for a record */  \
    X(FOREIGN, "foreign", 200)    /* a request: what stands in front answers it, handled or not */                    \
    X(UNMARKED, "unmarked", 1000) /* the world: the store puts no mark on its answers, and nothing in front does */   \
    X(FOREIGN_DATE, "foreign-date", 200)     /* an answer of the store: its Date is an hour ahead, or so */           \
    X(FORWARD_ONLY, "forward-only", 1000)    /* the fleet: keys that only go forward, and most writers say so (N4) */ \
    X(COUNTER, "counter", 1000)              /* the fleet: one key is a counter, which os_update counts on */         \
    X(ATTEMPT_ADRIFT, "attempt-adrift", 700) /* a guarded write: its connection is reset, and it arrives later */     \
    X(LEASES, "leases", 1000)                /* the fleet: some hold a lease while they write, with its token */      \
    X(DOZE, "doze", 700)               /* a lease that was acquired: its process stops for about its time to live */  \
    X(CONTENTION, "contention", 300)   /* a request about rows: others have one of them under way */                  \
    X(IN_PROGRESS, "in-progress", 300) /* a TransactWriteItems: it takes longer, and its sender is told so */         \
    X(BARE, "bare", 500)               /* a while: another puts a row as he has read it, and without its tokens */    \
    X(FORGETS, "forgets", 1000)        /* the world: ClientRequestTokens are not remembered, nor believed to be */    \
    X(CUT_OFF, "cut-off", 100)         /* a write of rows: from then on its process is cut off for minutes */         \
    X(DENIED, "denied", 700)           /* a write of rows soon after a loss: not allowed */

enum fault_kind {
#define FAULT_ENUM(symbol, name, rate) FAULT_##symbol,
    FAULT_LIST(FAULT_ENUM)
#undef FAULT_ENUM
        FAULT_COUNT
};

const char *fault_name(enum fault_kind kind);

struct fault_point { /* one occasion of one kind */
    enum fault_kind kind;
    uint64_t occasion;
};

/* How a schedule differs from what its seed draws: kinds, single faults and calls that are taken away, or just the
 * faults that strike. What stands for the whole world (DRIFT ...) is taken away by kind only. */
struct fault_change {
    bool without_kind[FAULT_COUNT];
    struct fault_point *without;
    size_t without_count;
    bool has_only;
    struct fault_point *only;
    size_t only_count;
    uint64_t *without_call; /* by fault_occasion(lane, index) */
    size_t without_call_count;
};
bool fault_change_copy(const struct fault_change *from, struct fault_change *ret); /* false: no memory */
void fault_change_free(struct fault_change *change);
bool fault_change_without_call(struct fault_change *change, uint64_t call); /* false: no memory */
bool fault_change_only(struct fault_change *change, const struct fault_point *points, size_t count);
bool fault_lacks_call(const struct fault_change *change, uint64_t call);

/* "late", "late@2.17" (at the 17th occasion of lane 2), "call@2.3". False: it is none of these. */
bool fault_change_parse_without(struct fault_change *change, const char *text);
bool fault_change_parse_only(struct fault_change *change, const char *text); /* "late@2.17"; "none" */
/* The forms that are parsed, 64 bytes. */
void fault_point_name(struct fault_point point, char *ret);
void fault_call_name(uint64_t call, char *ret);
bool fault_is_of_the_world(enum fault_kind kind);

struct faults {
    uint64_t seed;
    uint32_t rate[FAULT_COUNT]; /* per mille; 0: this seed does not have it */
    const struct fault_change *change;
    bool stopped; /* no more of them: the end of the run */
    uint64_t struck[FAULT_COUNT];
    struct fault_point *log; /* those that struck, in order; the first FAULT_LOG_MAX */
    size_t log_count;
};
enum { FAULT_LOG_MAX = 4096 };

bool faults_init(struct faults *faults, uint64_t seed, const struct fault_change *change); /* false: no memory */
void faults_free(struct faults *faults);

static inline uint64_t fault_occasion(uint32_t lane, uint64_t number)
{
    return (uint64_t)lane << 40 | number;
}

/* Whether it strikes on this occasion; counted and kept if so. */
bool fault_strikes(struct faults *faults, enum fault_kind kind, uint64_t occasion);

/* A number of the seed, for any purpose: the same for the same arguments. `least` to `most`, both included. */
uint64_t fault_number(const struct faults *faults, uint64_t purpose, uint64_t occasion, uint64_t least, uint64_t most);

#endif
