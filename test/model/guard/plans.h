/* SPDX-License-Identifier: Apache-2.0 */
/* Short words for call plans, for the tables of configurations. */
#ifndef OSCOMMIT_MODEL_PLANS_H
#define OSCOMMIT_MODEL_PLANS_H

#include "oracle.h"
#include "world.h"

#define CREATE(etag, times)                                                           \
    {                                                                                 \
        .kind = CALL_GUARD, .operation = GUARD_PUT, .ours = (etag), .guards = (times) \
    }
#define REPLACE(from, to, times)                                                                        \
    {                                                                                                   \
        .kind = CALL_GUARD, .operation = GUARD_PUT, .expected = (from), .ours = (to), .guards = (times) \
    }
#define DELETE(from, times)                                                                  \
    {                                                                                        \
        .kind = CALL_GUARD, .operation = GUARD_DELETE, .expected = (from), .guards = (times) \
    }
#define PEER_CREATE(etag)                                         \
    {                                                             \
        .kind = CALL_PEER, .operation = GUARD_PUT, .ours = (etag) \
    }

#define PEER_REPLACE(from, to)                                                      \
    {                                                                               \
        .kind = CALL_PEER, .operation = GUARD_PUT, .expected = (from), .ours = (to) \
    }

/* Of the record (key, etag); ETAG_NONE: of the creates'. */
#define FORGER(etag)                                                    \
    {                                                                   \
        .kind = CALL_FORGER, .operation = GUARD_PUT, .expected = (etag) \
    }

#define COPY(etag, times)                                                              \
    {                                                                                  \
        .kind = CALL_GUARD, .operation = GUARD_COPY, .ours = (etag), .guards = (times) \
    }
/* A COPY whose metadata has no room for the nonce. */
#define BARE_COPY(etag)                                                                            \
    {                                                                                              \
        .kind = CALL_GUARD, .operation = GUARD_COPY, .ours = (etag), .guards = 1, .no_nonce = true \
    }
/* The same onto the bytes that it makes. */
#define BARE_RECOPY(etag)                                                                                              \
    {                                                                                                                  \
        .kind = CALL_GUARD, .operation = GUARD_COPY, .expected = (etag), .ours = (etag), .guards = 1, .no_nonce = true \
    }
/* Of an upload whose parts are staged. */
#define COMPLETE(etag, times)                                                              \
    {                                                                                      \
        .kind = CALL_GUARD, .operation = GUARD_COMPLETE, .ours = (etag), .guards = (times) \
    }
#define COMPLETE_OVER(from, to, times)                                                                       \
    {                                                                                                        \
        .kind = CALL_GUARD, .operation = GUARD_COMPLETE, .expected = (from), .ours = (to), .guards = (times) \
    }
/* R1 and R3 go out together. */
#define QUICK_CREATE(etag)                                                                      \
    {                                                                                           \
        .kind = CALL_GUARD, .operation = GUARD_PUT, .ours = (etag), .guards = 1, .recent = true \
    }
/* The same of what replaces a version whose nonce is known (R3.6), and of a COPY (R3.7). */
#define QUICK_REPLACE(from, to, times)                                                                   \
    {                                                                                                    \
        .kind = CALL_GUARD, .operation = GUARD_PUT, .expected = (from), .ours = (to), .guards = (times), \
        .recent = true, .knows = true                                                                    \
    }
#define QUICK_COPY(etag, times)                                                                        \
    {                                                                                                  \
        .kind = CALL_GUARD, .operation = GUARD_COPY, .ours = (etag), .guards = (times), .recent = true \
    }
/* The same of a deletion of what has no nonce: its record can say nothing of what the HEAD saw. */
#define QUICK_DELETE(from)                                                                                            \
    {                                                                                                                 \
        .kind = CALL_GUARD, .operation = GUARD_DELETE, .expected = (from), .guards = 1, .recent = true, .knows = true \
    }

/* By a record, beside native calls; BARE_RECORD: and without the condition. */
#define RECORD      .by_record = true
#define BARE_RECORD .by_record = true, .bare = true
/* What may be combined with those. */
#define CREATES(etag, times) .kind = CALL_GUARD, .operation = GUARD_PUT, .ours = (etag), .guards = (times)
#define REPLACES(from, to, times) \
    .kind = CALL_GUARD, .operation = GUARD_PUT, .expected = (from), .ours = (to), .guards = (times)
#define DELETES(from, times) .kind = CALL_GUARD, .operation = GUARD_DELETE, .expected = (from), .guards = (times)
/* R1 and R3 go out together, and the nonce that is known is of what this call has made. */
#define KNOWS_OF(call) .recent = true, .knows_of = (call)
/* R12.11: the record as it was released last is known, and a Date is at hand; or only the record. */
#define TOLD       .told = true, .recent = true
#define TOLD_FIRST .told = true

/* What many rows say. A row begins with its name and what it is about. */
#define TWO_CREATES .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)}
#define NATIVE      .native = true, .headers = true
#define NO_FENCES   .no_fences = true, .never_expires = true
#define VERSIONED   .versioned = true, .versions_known = true
#define PREDICTED   .etag_known = true
#define WHOLE       .whole = true
#define QUICK       .quick = true
#define TINY        .tiny = true

#endif
