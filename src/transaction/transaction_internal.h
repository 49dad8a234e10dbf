/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of an attempt share. */
#ifndef OSCOMMIT_TRANSACTION_TRANSACTION_INTERNAL_H
#define OSCOMMIT_TRANSACTION_TRANSACTION_INTERNAL_H

#include "transaction/transaction.h"

static inline bool transaction_has(const struct transaction_settings *settings, enum transaction_part kind)
{
    for (uint32_t i = 0; i < settings->count; i++)
        if (settings->parts[i] == kind)
            return true;
    return false;
}

static inline bool transaction_only_checks(const struct transaction_settings *settings)
{
    for (uint32_t i = 0; i < settings->count; i++)
        if (settings->parts[i] != TRANSACTION_CHECK)
            return false;
    return true;
}

static inline bool transaction_is_plain(const struct transaction_settings *settings)
{
    return settings->count == 1 && !settings->together;
}

/* transaction_answer.c */
void transaction_conclude(struct transaction *transaction, enum transaction_verdict verdict);
bool transaction_may_send(const struct transaction *transaction, const struct clock_reading *now); /* X5 */
void transaction_on_answer(struct transaction *transaction, const struct transaction_event *event);

#endif
