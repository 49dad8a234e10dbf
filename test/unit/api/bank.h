/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts as typed rows, and functions of transactions over them. */
#ifndef OSCOMMIT_TEST_API_BANK_H
#define OSCOMMIT_TEST_API_BANK_H

#include "oscommit_model.h"

#include <stdbool.h>

enum { BANK_PATIENT_MS = 60000, BANK_ACCOUNTS = 8, BANK_START = 100 };

struct scratch;
struct bank {
    struct scratch *scratch; /* of the embedded tables; own */
    os_client *client;
    os_model *account; /* id; balance, owner, visits */
    os_txn_options options;
    os_txn_result result;
    os_error error;
};
/* In the embedded tables of a folder of its own. */
void bank_set_up(struct bank *ret);
void bank_tear_down(struct bank *bank);
/* In a ledger's file. */
void bank_make_table(const char *file, const char *name);
/* Over any table, which is there: `table` NULL is "Account". Takes the client. */
void bank_open(struct bank *ret, os_client *client, const char *table);
void bank_close(struct bank *bank);

os_verdict bank_transact(struct bank *bank, os_txn_fn function, void *context);
#define CHECK_COMMITTED(bank, function, context)                                                \
    do {                                                                                        \
        if (bank_transact(bank, function, context) != OS_COMMITTED)                             \
            fail_msg("%s: %s", os_verdict_name((bank)->result.verdict), (bank)->error.message); \
    } while (0)

/* What a function is given. */
struct plan {
    struct bank *bank;
    const char *id;
    int64_t balance; /* to begin with, or to add */
    int64_t seen;
    bool was_there;
    os_txn_fn meanwhile; /* another transaction, in the first run */
    struct plan *other;
    int runs;
};
const char *bank_key_of(const char *id); /* good for the next seven */
void bank_let_another(struct plan *plan);

os_code bank_create(void *context, os_txn *txn, os_error *err);
os_code bank_look(void *context, os_txn *txn, os_error *err);
os_code bank_deposit(void *context, os_txn *txn, os_error *err);
os_code bank_visit(void *context, os_txn *txn, os_error *err);
os_code bank_name_owner(void *context, os_txn *txn, os_error *err);
os_code bank_end_account(void *context, os_txn *txn, os_error *err);
int64_t bank_balance_of(struct bank *bank, const char *id); /* -1: there is none */

/* The accounts "0" to "7". */
void bank_create_all(struct bank *bank);
os_code bank_sum_up(void *context, os_txn *txn, os_error *err); /* plan.seen */
/* One from an account to another, as `seed` says; where there is nothing, nothing. */
struct transfer {
    struct bank *bank;
    unsigned seed;
};
os_code bank_transfer(void *context, os_txn *txn, os_error *err);

#endif
