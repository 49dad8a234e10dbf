/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in words. */
#include "history/transaction_work.h"

#include "history/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *transaction_violation_name(enum transaction_violation violation)
{
    static const char *const names[] = {
        [TRANSACTION_BAD_HISTORY] = "bad history",
        [TRANSACTION_ABORTED_READ] = "aborted read (G1a)",
        [TRANSACTION_INTERMEDIATE_READ] = "intermediate read (G1b)",
        [TRANSACTION_MADE_UP] = "made-up value",
        [TRANSACTION_LOST_UPDATE] = "lost update",
        [TRANSACTION_APPLIED_TWICE] = "applied twice",
        [TRANSACTION_ORDERS] = "incompatible orders",
        [TRANSACTION_G0] = "write cycle (G0)",
        [TRANSACTION_G1C] = "circular information flow (G1c)",
        [TRANSACTION_G_SINGLE] = "read skew (G-single)",
        [TRANSACTION_G2_ITEM] = "write skew (G2-item)",
        [TRANSACTION_REAL_TIME] = "not in real time",
        [TRANSACTION_AMOUNT] = "wrong amount",
        [TRANSACTION_SUM] = "wrong sum",
    };

    return names[violation];
}

static const struct history_transaction *transaction_at(const struct txn_work *work, uint32_t index)
{
    return history_transaction_at(work->history, index);
}

/* "unknown, but seen" is as good as committed. */
static const char *verdict_of(const struct txn_work *work, uint32_t transaction)
{
    const struct history_transaction *whole = transaction_at(work, transaction);

    return whole->settled == OS_UNKNOWN && work->in_force[transaction] ? "unknown, but seen"
                                                                       : history_verdict_name(whole->settled);
}

void txn_describe(const struct txn_work *work, uint32_t transaction, char ret[TXN_DESCRIPTION])
{
    const struct history_transaction *whole = transaction_at(work, transaction);
    char start[WORDS_TIME];
    char end[WORDS_TIME];

    words_time(whole->start_us, "?", start);
    words_time(whole->end_us, "its death", end);
    (void)snprintf(ret, TXN_DESCRIPTION, "transaction %" PRIu64 " (writer %" PRIu32 ", %s to %s, %s)", whole->id,
                   whole->writer, start, end, verdict_of(work, transaction));
}

/* The one after the last that there is room for is lost. */
static struct transaction_finding *next_finding(struct txn_work *work)
{
    struct transaction_result *result = work->result;

    result->violations++;
    if (result->finding_count == TRANSACTION_FINDINGS)
        return NULL;
    struct transaction_finding *finding = &result->finding[result->finding_count++];
    memset(finding, 0, sizeof(*finding));
    return finding;
}

struct transaction_finding *txn_report(struct txn_work *work, enum transaction_violation violation, uint32_t about,
                                       const char *format, ...)
{
    struct transaction_finding *finding = next_finding(work);
    va_list arguments;

    if (finding == NULL)
        return NULL;
    finding->violation = violation;
    finding->transaction = about != NONE ? transaction_at(work, about)->id : 0;
    va_start(arguments, format);
    (void)vsnprintf(finding->sentence, sizeof(finding->sentence), format, arguments);
    va_end(arguments);
    if (finding->sentence[0] >= 'a' && finding->sentence[0] <= 'z')
        finding->sentence[0] = (char)(finding->sentence[0] - 'a' + 'A');
    words_mend_utf8(finding->sentence);
    return finding;
}

/* ------------------------------------------------------------------------------------------------------- steps */

struct words {
    char one[TXN_DESCRIPTION];
    char two[TXN_DESCRIPTION];
    const char *seen; /* "nothing" without quotes */
    const char *key;
    bool is_list;
};

/* What a transaction wrote to the key; of a list, what it appended there. */
static const char *written_by(const struct txn_work *work, uint32_t transaction, const char *key)
{
    const struct history_transaction *whole = transaction_at(work, transaction);

    for (size_t i = 0; i < whole->item_count; i++)
        if ((whole->item[i].kind == HISTORY_ITEM_WRITE || whole->item[i].kind == HISTORY_ITEM_APPEND) &&
            whole->item[i].key == key)
            return whole->item[i].value;
    return "?";
}

/* "a read of transaction 7 (...)" for one that counts for itself. */
static void describe_node(const struct txn_work *work, uint32_t node, char ret[TXN_DESCRIPTION])
{
    char whole[TXN_DESCRIPTION];

    txn_describe(work, work->node[node].transaction, whole);
    (void)snprintf(ret, TXN_DESCRIPTION, "%s%.140s", work->node[node].item == NONE ? "" : "a read of ", whole);
}

static void tell_data(const struct txn_work *work, const struct txn_step *step, const struct words *words, char *ret,
                      size_t ret_size)
{
    uint32_t to = work->node[step->to].transaction;
    const char *written = written_by(work, to, words->key);

    if (step->kind == TXN_WR) {
        (void)snprintf(ret, ret_size, "%s wrote \"%.60s\" to %.60s, and %s read it.", words->one, words->seen,
                       words->key, words->two);
    } else if (step->kind == TXN_WW) {
        (void)snprintf(ret, ret_size, "%s wrote \"%.60s\" to %.60s, and %s %s \"%.60s\"%s.", words->one, words->seen,
                       words->key, words->two, words->is_list ? "appended" : "replaced it by", written,
                       words->is_list ? " behind it" : "");
    } else if (words->is_list) {
        (void)snprintf(ret, ret_size, "%s read the list %.60s without \"%.60s\", which %s appended.", words->one,
                       words->key, written, words->two);
    } else {
        (void)snprintf(ret, ret_size, "%s read \"%.60s\" of %.60s, which %s replaced by \"%.60s\".", words->one,
                       words->seen, words->key, words->two, written);
    }
}

static void tell_step(const struct txn_work *work, const struct txn_step *step, char *ret, size_t ret_size)
{
    struct words words;

    describe_node(work, step->from, words.one);
    describe_node(work, step->to, words.two);
    if (step->kind == TXN_TIME) {
        (void)snprintf(ret, ret_size, "%s ended before %s began.", words.one, words.two);
    } else {
        const struct txn_version *version = &work->version[step->version];
        words.seen = version->value != NULL ? version->value : "nothing";
        words.key = version->key;
        words.is_list = work->key[version->key_index].is_list;
        tell_data(work, step, &words, ret, ret_size);
    }
    words_mend_utf8(ret);
}

void txn_tell_cycle(struct txn_work *work, enum transaction_violation violation, const struct txn_step *step,
                    size_t count)
{
    struct transaction_finding *finding =
        txn_report(work, violation, work->node[step[0].from].transaction,
                   "%zu transactions come one before the other in a circle, so none of them can be the first.", count);

    if (finding == NULL)
        return;
    for (size_t i = 0; i < count && i < TRANSACTION_STEPS; i++)
        tell_step(work, &step[i], finding->step[i], sizeof(finding->step[i]));
    finding->step_count = count;
}
