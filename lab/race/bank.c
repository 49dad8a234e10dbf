/* SPDX-License-Identifier: Apache-2.0 */
#include "race/bank.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define BANK_ID_SIZE 96

static const char account_schema[] =
    "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"balance\":{\"type\":\"integer\",\"minimum\":0},\"value\":{\"type\":\"string\"},"
    "\"replaced\":{\"type\":\"string\"}},\"required\":[\"id\",\"balance\",\"value\",\"replaced\"],\"KEY\":[\"id\"]}";

/* ------------------------------------------------------------------------------------------------ tables */

/* The name in dynamodb://TABLE and dynamo:TABLE:TIMEOUT_MS; `ret` "": it is a file. */
static void table_of(const char *ledger, char *ret, size_t ret_size)
{
    const char *name = strchr(ledger, ':');
    size_t len;

    name = name == NULL ? "" : name + 1;
    name += strspn(name, "/");
    len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    (void)snprintf(ret, ret_size, "%.*s", strncmp(ledger, "dynamo", 6) == 0 ? (int)len : 0, name);
}

bool bank_open(struct bank *ret, os_client *client, const os_call *call, const char *ledger, const char *prefix,
               unsigned accounts, os_error *err)
{
    char table[256];
    bool is_file;

    table_of(ledger, table, sizeof(table));
    is_file = table[0] == '\0';
    *ret = (struct bank){.client = client, .call = call, .prefix = prefix, .accounts = accounts};
    (void)snprintf(ret->documents_table, sizeof(ret->documents_table), "%s%sdocuments", table, is_file ? "" : "-");
    ret->documents = (os_document_store)OS_DOCUMENT_STORE_INIT;
    ret->documents.table = ret->documents_table;
    return os_model_parse(account_schema, is_file ? "accounts" : table, &ret->model, err) == OS_OK;
}

void bank_close(struct bank *bank)
{
    os_model_free(bank->model);
    bank->model = NULL;
}

os_code bank_make_tables(const struct bank *bank, os_error *err)
{
    os_code code = os_model_table_create(bank->client, bank->model, bank->call, err);

    return code == OS_OK ? os_documents_table_create(bank->client, &bank->documents, bank->call, err) : code;
}

/* ------------------------------------------------------------------------------------------------ accounts */

void bank_account_name(unsigned number, char ret[TELLING_TEXT_SIZE])
{
    (void)snprintf(ret, TELLING_TEXT_SIZE, "account-%02u", number);
}

/* A row of which one part is of another write has a value that nobody wrote. */
static void told_value(const char *value, const char *replaced, char ret[TELLING_TEXT_SIZE])
{
    (void)snprintf(ret, TELLING_TEXT_SIZE, "%s after %s", value, replaced);
}

static void value_of(uint64_t id, char ret[BANK_VALUE_SIZE])
{
    (void)snprintf(ret, BANK_VALUE_SIZE, "%" PRIu64, id);
}

os_code bank_create(const struct bank *bank, os_txn *txn, struct telling *telling, os_error *err)
{
    static const int64_t balance = BANK_BALANCE;
    char value[BANK_VALUE_SIZE];
    char told[TELLING_TEXT_SIZE];
    os_code code = OS_OK;

    telling_clear(telling);
    value_of(telling->transaction.id, value);
    told_value(value, "0", told);
    for (unsigned i = 0; i < bank->accounts && code == OS_OK; i++) {
        char fields[256];
        char name[TELLING_TEXT_SIZE];
        bank_account_name(i, name);
        (void)snprintf(fields, sizeof(fields),
                       "{\"id\":\"%.80s%s\",\"balance\":%d,\"value\":\"%s\",\"replaced\":\"0\"}", bank->prefix, name,
                       BANK_BALANCE, value);
        code = os_txn_create(txn, bank->model, fields, NULL, err);
        telling_write(telling, name, "", told, &balance);
    }
    return code;
}

static os_code read_text(os_row *row, const char *field, char ret[BANK_VALUE_SIZE], os_error *err)
{
    const char *text = NULL;
    os_code code = os_row_get_string(row, field, &text, err);

    (void)snprintf(ret, BANK_VALUE_SIZE, "%s", code == OS_OK ? text : "");
    return code;
}

static os_code see(struct bank_account *account, os_error *err)
{
    os_code code;

    if (account->row == NULL)
        return OS_OK;
    code = os_row_get_int(account->row, "balance", &account->balance, err);
    if (code == OS_OK)
        code = read_text(account->row, "value", account->value, err);
    return code == OS_OK ? read_text(account->row, "replaced", account->replaced, err) : code;
}

os_code bank_read(const struct bank *bank, os_txn *txn, const unsigned *numbers, size_t count, struct telling *telling,
                  struct bank_account *ret, os_error *err)
{
    char key[BANK_ACCOUNTS_MAX][BANK_ID_SIZE + TELLING_TEXT_SIZE];
    os_row_key keys[BANK_ACCOUNTS_MAX];
    os_row *rows[BANK_ACCOUNTS_MAX];
    char name[TELLING_TEXT_SIZE];
    char told[TELLING_TEXT_SIZE];
    os_code code;

    telling_clear(telling);
    for (size_t i = 0; i < count; i++) {
        bank_account_name(numbers[i], name);
        (void)snprintf(key[i], sizeof(key[i]), "{\"id\":\"%.80s%s\"}", bank->prefix, name);
        keys[i] = (os_row_key){bank->model, key[i]};
    }
    code = os_txn_get_many(txn, keys, count, NULL, rows, err);
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        ret[i] = (struct bank_account){.row = rows[i]};
        code = see(&ret[i], err);
        bank_account_name(numbers[i], name);
        told_value(ret[i].value, ret[i].replaced, told);
        telling_read(telling, name, rows[i] == NULL ? "" : told, rows[i] == NULL ? NULL : &ret[i].balance);
    }
    return code;
}

os_code bank_write(unsigned number, const struct bank_account *account, int64_t balance, struct telling *telling,
                   os_error *err)
{
    char value[BANK_VALUE_SIZE];
    char name[TELLING_TEXT_SIZE];
    char expected[TELLING_TEXT_SIZE];
    char told[TELLING_TEXT_SIZE];
    os_code code = os_row_set_int(account->row, "balance", balance, err);

    value_of(telling->transaction.id, value);
    if (code == OS_OK)
        code = os_row_set_string(account->row, "value", value, err);
    if (code == OS_OK)
        code = os_row_set_string(account->row, "replaced", account->value, err);
    bank_account_name(number, name);
    told_value(account->value, account->replaced, expected);
    told_value(value, account->value, told);
    telling_write(telling, name, expected, told, &balance);
    return code;
}

/* ------------------------------------------------------------------------------------------------ documents */

void bank_half_name(unsigned number, size_t half, char ret[TELLING_TEXT_SIZE])
{
    (void)snprintf(ret, TELLING_TEXT_SIZE, "document-%u.%s", number, half == 0 ? "reported" : "desired");
}

static void document_id(const struct bank *bank, unsigned number, char ret[BANK_ID_SIZE])
{
    (void)snprintf(ret, BANK_ID_SIZE, "%.80s%u", bank->prefix, number);
}

/* What no process of the race has written is no value of one, and so is found by the judge. */
static void take_half(const os_document_model *model, struct bank_half *ret)
{
    json_t *object = model->json == NULL ? NULL : json_loads(model->json, 0, NULL);
    const char *value = json_string_value(json_object_get(object, "value"));

    ret->version = model->version;
    (void)snprintf(ret->value, sizeof(ret->value), "%s", model->version == 0 ? "" : (value == NULL ? "?" : value));
    json_decref(object);
}

os_code bank_read_document(const struct bank *bank, unsigned number, struct bank_document *ret, os_error *err)
{
    char id[BANK_ID_SIZE];
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    os_documents found = {.count = 0};
    os_code code;

    document_id(bank, number, id);
    key.id = id;
    key.name = "race";
    code = os_documents_read(bank->client, &bank->documents, &key, 1, bank->call, &found, err);
    if (code == OS_OK) {
        take_half(&found.list[0].reported, &ret->half[0]);
        take_half(&found.list[0].desired, &ret->half[1]);
    }
    os_documents_free(&found);
    return code;
}

void bank_write_document(const struct bank *bank, unsigned number, const struct bank_document *seen, uint64_t id,
                         os_document_result *ret)
{
    char document[BANK_ID_SIZE];
    char json[64];
    os_document_write write = OS_DOCUMENT_WRITE_INIT;

    document_id(bank, number, document);
    (void)snprintf(json, sizeof(json), "{\"value\":\"%" PRIu64 "\"}", id);
    write.id = document;
    write.name = "race";
    write.reported = json;
    write.desired = json;
    write.reported_version = seen->half[0].version;
    write.desired_version = seen->half[1].version;
    write.client_token = "race";
    (void)os_documents_write(bank->client, &bank->documents, &write, 1, bank->call, ret, NULL);
}
