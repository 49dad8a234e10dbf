/* SPDX-License-Identifier: Apache-2.0 */
#include "configs.h"

#include "oracle.h"

#include <string.h>

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

const struct config configs[] = {
    /* ------------------------------------------------------------------------------------ creates */
    {
        .name = "create-create-tiny",
        .about = "two creates, a lost answer, one leap past every bound",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .tiny = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "create-create",
        .about = "two creates, a lost answer, a second, one leap past every bound",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "create-again",
        .about = "a call may start two guards; no byte may leave, a writer may crash",
        .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 2)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1, [BUDGET_NOT_SENT] = 1, [BUDGET_CRASH] = 1},
    },
    {
        .name = "create-released",
        .about = "release = always, two answers lost",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .release_always = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2},
    },
    {
        .name = "create-three",
        .about = "three creates, a lost answer, one leap",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1), CREATE(ETAG_C, 1)},
        .etag_known = true,
        .whole = true,
        .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1},
    },
    {
        .name = "create-together",
        .about = "R1 and R3 go out together",
        .calls = {{.kind = CALL_GUARD, .operation = GUARD_PUT, .ours = ETAG_A, .guards = 1, .recent = true},
                  {.kind = CALL_GUARD, .operation = GUARD_PUT, .ours = ETAG_B, .guards = 1, .recent = true}},
        .etag_known = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "create-queried",
        .about = "our ETag is not known beforehand: a Query stands for the GetItem",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .whole = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2},
    },
    /* ------------------------------------------------------------------------------------ other operations */
    {
        .name = "replace-replace",
        .about = "two replacements of one version",
        .calls = {REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_A, ETAG_C, 1)},
        .base = ETAG_A,
        .base_nonce = true,
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2},
    },
    {
        .name = "replace-delete",
        .about = "a replacement and a deletion of one version, which has no nonce",
        .calls = {REPLACE(ETAG_A, ETAG_B, 2), DELETE(ETAG_A, 2)},
        .base = ETAG_A,
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 2},
    },
    {
        .name = "create-delete",
        .about = "a create, and a deletion of what it makes",
        .calls = {CREATE(ETAG_A, 1), DELETE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "create-delete-create",
        .about = "the same with release = always: the third can succeed",
        .calls = {CREATE(ETAG_A, 1), DELETE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .release_always = true,
        .whole = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "replace-back",
        .about = "the first bytes come back under the protocol: a to b, b to a, a to c",
        .calls = {REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_B, ETAG_A, 1), REPLACE(ETAG_A, ETAG_C, 1)},
        .base = ETAG_A,
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "replace-same",
        .about = "a replacement by the same bytes beside another one",
        .calls = {REPLACE(ETAG_A, ETAG_A, 1), REPLACE(ETAG_A, ETAG_B, 1)},
        .base = ETAG_A,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "copy-create",
        .about = "a COPY without room for a nonce, and a create",
        .calls = {{.kind = CALL_GUARD, .operation = GUARD_COPY, .ours = ETAG_A, .guards = 1, .no_nonce = true},
                  CREATE(ETAG_B, 1)},
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 2},
    },
    {
        .name = "copy-delete",
        .about = "a COPY without a nonce, a deletion of what it makes, a create",
        .calls = {{.kind = CALL_GUARD, .operation = GUARD_COPY, .ours = ETAG_A, .guards = 1, .no_nonce = true},
                  DELETE(ETAG_A, 1),
                  CREATE(ETAG_B, 1)},
        .whole = true,
        .budget = {[BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1},
    },
    /* ------------------------------------------------------------------------------------ stores */
    {
        .name = "headers-create",
        .about = "condition headers are honoured; a 409 is final",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .headers = true,
        .answer_409 = GUARD_409_FINAL,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_409] = 1},
    },
    {
        .name = "again-after-409",
        .about = "a 409 means that the same copy may be sent again",
        .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .headers = true,
        .answer_409 = GUARD_409_SEND_AGAIN,
        .length_s = 3,
        .whole = true,
        .budget = {[BUDGET_TICK] = 2, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_409] = 2},
    },
    {
        .name = "ambiguous-409",
        .about = "a 409 may mean anything",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_409] = 1},
    },
    {
        .name = "refusals",
        .about = "every refusal that a store can give",
        .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1,
                   [BUDGET_LEAP] = 1,
                   [BUDGET_REFUSE] = 1,
                   [BUDGET_DENY] = 1,
                   [BUDGET_TOKEN] = 1,
                   [BUDGET_SKEWED] = 1},
    },
    {
        .name = "front-ends-apart",
        .about = "front ends of the store whose clocks are a margin apart",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .length_s = 1,
        .whole = true,
        .quick = true,
        .leap_s = 3,
        .budget = {[BUDGET_TICK] = 3, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_FAST] = 2},
    },
    {
        .name = "no-fences",
        .about = "a store that never refuses an expired request, without fences; no request is later than a timeout",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .no_fences = true,
        .never_expires = true,
        .late_in_bound = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 2, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_STOP] = 1, [BUDGET_SUSPEND] = 1},
    },
    {
        .name = "no-fence-late-write",
        .about = "the same, and a request comes later than that: documented (E7)",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .no_fences = true,
        .never_expires = true,
        .whole = true,
        .tiny = true,
        .expects = LOST_UPDATE,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_CRASH] = 1},
    },
    /* ------------------------------------------------------------------------------------ the ledger */
    {
        .name = "ledger-faults",
        .about = "PutItems twice, late, throttled, answered without the item",
        .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1,
                   [BUDGET_LEAP] = 1,
                   [BUDGET_LOSE] = 1,
                   [BUDGET_DUP] = 1,
                   [BUDGET_THROTTLE] = 1,
                   [BUDGET_BLIND] = 1},
    },
    {
        .name = "ttl",
        .about = "TTL deletes records, late PutItems bring them back",
        .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_EON] = 1, [BUDGET_LOSE] = 2, [BUDGET_DUP] = 1, [BUDGET_TTL] = 2},
    },
    {
        .name = "ttl-delete",
        .about = "TTL deletes the records of a deletion and a replacement",
        .calls = {REPLACE(ETAG_A, ETAG_B, 1), DELETE(ETAG_B, 1), CREATE(ETAG_C, 1)},
        .base = ETAG_A,
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_EON] = 1, [BUDGET_LOSE] = 1, [BUDGET_TTL] = 2},
    },
    /* ------------------------------------------------------------------------------------ clocks, callers */
    {
        .name = "clocks",
        .about = "every clock of a writer stops or jumps",
        .calls = {CREATE(ETAG_A, 2), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1,
                   [BUDGET_LEAP] = 2,
                   [BUDGET_LOSE] = 1,
                   [BUDGET_SUSPEND] = 1,
                   [BUDGET_FREEZE] = 1,
                   [BUDGET_SET] = 1},
    },
    {
        .name = "tickets",
        .about = "a caller gives up, and resolves from the ticket later",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_STOP] = 1, [BUDGET_RESOLVE] = 1},
    },
    /* ------------------------------------------------------------------------------------ outsiders (E4) */
    {
        .name = "outsiders-headers",
        .about = "outsiders write; R7 protects their writes from us",
        .calls = {REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_A, ETAG_C, 1)},
        .base = ETAG_A,
        .etag_known = true,
        .headers = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_OUTSIDER] = 1},
    },
    {
        .name = "outsider-restores",
        .about = "an outsider puts the first bytes back over our commit: row E can be false (E4)",
        .calls = {REPLACE(ETAG_A, ETAG_B, 1), REPLACE(ETAG_A, ETAG_C, 1)},
        .base = ETAG_A,
        .etag_known = true,
        .whole = true,
        .outsider_same = true,
        .expects = FALSE_CONFLICT,
        .tiny = true,
        .budget = {[BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1, [BUDGET_OUTSIDER] = 1},
    },
    /* ------------------------------------------------------------------------------------ peers */
    {
        .name = "peer-create",
        .about = "a peer beside a create of ours, with faults on our side",
        .calls = {CREATE(ETAG_A, 2), PEER_CREATE(ETAG_B)},
        .etag_known = true,
        .quick = true,
        .budget = {[BUDGET_TICK] = 2, [BUDGET_LEAP] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "peer-two",
        .about = "a peer beside two creates of ours",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1), PEER_CREATE(ETAG_C)},
        .etag_known = true,
        .whole = true,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 2, [BUDGET_LOSE] = 1},
    },
    {
        .name = "peer-generation",
        .about = "a peer that waits while a record is deleted by TTL and made again (T2)",
        .calls = {CREATE(ETAG_A, 1), CREATE(ETAG_B, 1), PEER_CREATE(ETAG_C)},
        .etag_known = true,
        .whole = true,
        .quick = true,
        .budget = {[BUDGET_EON] = 1, [BUDGET_CRASH] = 1, [BUDGET_TTL] = 1},
    },
    {
        .name = "peer-short-ttl",
        .about = "a peer whose record is gone at once: R5 finds its commit",
        .calls = {CREATE(ETAG_A, 1), PEER_CREATE(ETAG_B)},
        .etag_known = true,
        .length_s = 60,
        .early_ttl = true,
        .quick = true,
        .leap_s = 35,
        .budget = {[BUDGET_TICK] = 1, [BUDGET_LEAP] = 1, [BUDGET_TTL] = 1, [BUDGET_LOSE] = 1},
    },
    {
        .name = "peer-late-write",
        .about = "a peer's write lands after its record was taken over: protocol section 6",
        .calls = {CREATE(ETAG_A, 1), PEER_CREATE(ETAG_B)},
        .etag_known = true,
        .whole = true,
        .headers = true,
        .peer_late = true,
        .expects = PEER_OVERWROTE,
        .tiny = true,
        .quick = true,
        .budget = {[BUDGET_LEAP] = 1},
    },
    {
        .name = "peer-slow-takeover",
        .about = "a peer stopped between its HEAD and its clock overwrites a commit: why R11 reads the clocks first",
        .calls = {CREATE(ETAG_A, 1), PEER_CREATE(ETAG_B)},
        .etag_known = true,
        .whole = true,
        .peer_slow = true,
        .expects = PEER_OVERWROTE,
        .tiny = true,
        .budget = {[BUDGET_LEAP] = 1},
    },
    /* ------------------------------------------------------------------------------------ what R6 forbids */
    {
        .name = "attempt-twice",
        .about = "a layer below sends the attempt twice, without condition headers: why R6 forbids it",
        .calls = {CREATE(ETAG_A, 1), DELETE(ETAG_A, 1)},
        .etag_known = true,
        .whole = true,
        .expects = LOST_UPDATE,
        .tiny = true,
        .budget = {[BUDGET_DUP_SEND] = 1, [BUDGET_TICK] = 1},
    },
};

const size_t configs_count = sizeof(configs) / sizeof(configs[0]);

const struct config *config_by_name(const char *name)
{
    for (size_t i = 0; i < configs_count; i++) {
        if (strcmp(configs[i].name, name) == 0)
            return &configs[i];
    }
    return NULL;
}
