/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the transactions of a race are about: accounts, which are rows of a model, and documents of two halves, each in a
 * table of its own. An account has a balance, a value that names the transaction that wrote it, and the value that this
 * one replaced. Each half of a document has such a value.
 */
#ifndef OSCOMMIT_LAB_RACE_BANK_H
#define OSCOMMIT_LAB_RACE_BANK_H

#include "oscommit_document.h"
#include "oscommit_model.h"
#include "race/telling.h"

enum {
    BANK_ACCOUNTS_MAX = 100, /* what one transaction reads and writes */
    BANK_DOCUMENTS = 8,
    BANK_BALANCE = 100, /* of each account, at first */
    BANK_VALUE_SIZE = 24
};

struct bank {
    os_client *client;
    const os_call *call;
    const char *prefix; /* of the ids in the tables */
    unsigned accounts;
    os_model *model;
    os_document_store documents;
    char documents_table[300];
};

/* `ledger`: dynamodb://TABLE has the accounts in TABLE and the documents in TABLE-documents; a file has two tables. False: *err
 * says why. bank_close is fine in any case. */
bool bank_open(struct bank *ret, os_client *client, const os_call *call, const char *ledger, const char *prefix,
               unsigned accounts, os_error *err);
void bank_close(struct bank *bank);

os_code bank_make_tables(const struct bank *bank, os_error *err);

/* ------------------------------------------------------------------------------------------------ accounts */

/* Of an account in a history. Its values there are "770 after 512": what stands in the row, and what that replaced. */
void bank_account_name(unsigned number, char ret[TELLING_TEXT_SIZE]);

struct bank_account {
    os_row *row; /* NULL: it is not there */
    int64_t balance;
    char value[BANK_VALUE_SIZE];
    char replaced[BANK_VALUE_SIZE];
};

/* Within a transaction. */
os_code bank_create(const struct bank *bank, os_txn *txn, struct telling *telling, os_error *err);
/* All at one instant; tells what it sees. */
os_code bank_read(const struct bank *bank, os_txn *txn, const unsigned *numbers, size_t count, struct telling *telling,
                  struct bank_account *ret, os_error *err);
os_code bank_write(unsigned number, const struct bank_account *account, int64_t balance, struct telling *telling,
                   os_error *err);

/* ------------------------------------------------------------------------------------------------ documents */

struct bank_half {
    int64_t version;
    char value[BANK_VALUE_SIZE]; /* "": it is not there */
};
struct bank_document {
    struct bank_half half[2]; /* reported, desired: perhaps of different instants */
};

void bank_half_name(unsigned number, size_t half, char ret[TELLING_TEXT_SIZE]);
os_code bank_read_document(const struct bank *bank, unsigned number, struct bank_document *ret, os_error *err);
/* Both halves, if they are as they were seen. */
void bank_write_document(const struct bank *bank, unsigned number, const struct bank_document *seen, uint64_t id,
                         os_document_result *ret);

#endif
