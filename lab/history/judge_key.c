/* SPDX-License-Identifier: Apache-2.0 */
#include "history/judge_key.h"

#include <stdlib.h>
#include <string.h>

uint64_t judge_end_of(const struct history_call *call)
{
    if (call->settled == OS_UNKNOWN)
        return HISTORY_NEVER;
    return call->settled_us != 0 ? call->settled_us : call->end_us;
}

/* ---------------------------------------------------------------------------------------------------- values */

/* Equal values are one pointer, so they are ordered, and found again, by address. */
static int compare_addresses(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const char *const *)a;
    uintptr_t right = (uintptr_t) * (const char *const *)b;

    return left < right ? -1 : left > right;
}

static bool number_values(struct judge_key *key)
{
    size_t count = 0;

    key->value = calloc(key->call_count * 2 + 2, sizeof(*key->value));
    if (key->value == NULL)
        return false;
    const char **some = key->value + 1; /* number 0 is "no object", whatever its address */
    for (size_t i = 0; i < key->call_count; i++) {
        some[count] = key->call[i]->expected;
        count += *some[count] != '\0' ? 1 : 0;
        some[count] = key->call[i]->value;
        count += *some[count] != '\0' ? 1 : 0;
    }
    if (key->end_value != NULL && *key->end_value != '\0')
        some[count++] = key->end_value;
    qsort(some, count, sizeof(*some), compare_addresses);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || some[kept - 1] != some[i])
            some[kept++] = some[i];
    key->value[0] = "";
    key->value_count = kept + 1;
    return true;
}

uint32_t judge_key_number(const struct judge_key *key, const char *value)
{
    if (*value == '\0')
        return 0;
    const char **found = bsearch(&value, key->value + 1, key->value_count - 1, sizeof(*key->value), compare_addresses);
    return (uint32_t)(found - key->value);
}

/* ------------------------------------------------------------------------------------------------------- ops */

static bool kind_of(const struct history_call *call, enum judge_kind *ret)
{
    if (call->operation == HISTORY_READ) {
        *ret = JUDGE_SEES;
        return call->settled == OS_COMMITTED;
    }
    switch (call->settled) {
    case OS_COMMITTED: *ret = JUDGE_WRITE; return true;
    case OS_CONFLICT: *ret = JUDGE_MISSES; return true;
    case OS_UNKNOWN: *ret = JUDGE_MAYBE; return true;
    case OS_NOT_EXECUTED: break;
    }
    return false;
}

static void add_op(struct judge_key *key, const struct history_call *call, enum judge_kind kind)
{
    struct judge_op *op = &key->op[key->op_count++];

    *op = (struct judge_op){
        .call = call,
        .kind = kind,
        .from = judge_key_number(key, kind == JUDGE_SEES ? call->value : call->expected),
        .to = judge_key_number(key, call->value),
        .start = call->start_us,
        .end = judge_end_of(call),
    };
    if (judge_op_makes_version(op)) {
        key->writes += kind == JUDGE_WRITE ? 1 : 0;
        key->maybes += kind == JUDGE_MAYBE ? 1 : 0;
    }
}

static void add_final(struct judge_key *key)
{
    uint32_t value = judge_key_number(key, key->end_value);

    key->op[key->op_count++] =
        (struct judge_op){.kind = JUDGE_SEES, .from = value, .to = value, .start = HISTORY_NEVER, .end = HISTORY_NEVER};
    key->has_final = true;
}

bool judge_key_build(struct judge_key *key)
{
    if (!number_values(key))
        return false;
    key->op = calloc(key->call_count + 1, sizeof(*key->op));
    if (key->op == NULL)
        return false;
    for (size_t i = 0; i < key->call_count; i++) {
        enum judge_kind kind;
        if (kind_of(key->call[i], &kind))
            add_op(key, key->call[i], kind);
    }
    if (key->end_value != NULL)
        add_final(key);
    return true;
}

void judge_key_free(struct judge_key *key)
{
    free(key->value);
    free(key->op);
    key->value = NULL;
    key->op = NULL;
}
