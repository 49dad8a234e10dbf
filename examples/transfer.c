/* Moves money from one account to another, in both or in none: transfer LEDGER FROM TO AMOUNT.
 * LEDGER is dynamodb://TABLE or sqlite:///FILE; the accounts are in a table of their own, "Account". */
#include <oscommit_model.h>
#include <stdio.h>
#include <stdlib.h>

enum { FROM, TO, SIDES };
static const char schema[] = "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
                             "\"balance\":{\"type\":\"integer\",\"minimum\":0}},"
                             "\"required\":[\"id\",\"balance\"],\"KEY\":[\"id\"]}";

struct transfer {
    os_model *account;
    const char *names[SIDES];
    int64_t amount;
    int64_t balances[SIDES]; /* after the last run */
};

/* Runs again if another was faster. An account that is not there begins with 100. */
static os_code move(void *context, os_txn *txn, os_error *err)
{
    struct transfer *transfer = context;
    char keys[SIDES][128];
    os_row_key wanted[SIDES];
    os_row *rows[SIDES];
    os_get_options options = OS_GET_OPTIONS_INIT;
    options.create_if_missing = 1;
    for (int i = 0; i < SIDES; i++) {
        snprintf(keys[i], sizeof(keys[i]), "{\"id\":\"%s\",\"balance\":100}", transfer->names[i]);
        wanted[i] = (os_row_key){transfer->account, keys[i]};
    }
    os_code code = os_txn_get_many(txn, wanted, SIDES, &options, rows, err); /* both as they are at one instant */
    for (int i = 0; i < SIDES && code == OS_OK; i++) {
        code = os_row_get_int(rows[i], "balance", &transfer->balances[i], err);
        transfer->balances[i] += i == FROM ? -transfer->amount : transfer->amount;
        if (code == OS_OK)
            code = os_row_set_int(rows[i], "balance", transfer->balances[i], err); /* refused below the minimum */
    }
    return code;
}

static int run(os_client *client, struct transfer *transfer)
{
    os_txn_result result = OS_TXN_RESULT_INIT;
    os_error err;
    os_verdict verdict = os_transact(client, NULL, move, transfer, NULL, &result, &err);
    if (verdict == OS_UNKNOWN && result.ticket) { /* rare: it may have been applied; ask */
        fprintf(stderr, "Keep this ticket until it is settled: %s\n", result.ticket);
        verdict = os_txn_resolve(client, result.ticket, NULL, &err);
    }
    os_txn_result_clear(&result);
    if (verdict == OS_COMMITTED)
        printf("%s has %lld, %s has %lld\n", transfer->names[FROM], (long long)transfer->balances[FROM],
               transfer->names[TO], (long long)transfer->balances[TO]);
    else
        fprintf(stderr, "%s: %s\n", os_verdict_name(verdict), err.message);
    return verdict == OS_COMMITTED ? 0 : 1;
}

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    struct transfer transfer = {0};
    os_client *client = NULL;
    os_error err;
    int status = 1;
    if (argc != 5) {
        fprintf(stderr, "usage: transfer LEDGER FROM TO AMOUNT\n");
        return 2;
    }
    options.ledger_url = argv[1];
    transfer.names[FROM] = argv[2];
    transfer.names[TO] = argv[3];
    transfer.amount = atoll(argv[4]);
    if (os_model_parse(schema, NULL, &transfer.account, &err) != OS_OK ||
        os_client_open(&options, &client, &err) != OS_OK ||
        os_model_table_create(client, transfer.account, NULL, &err) != OS_OK) /* it is left alone if it is there */
        fprintf(stderr, "%s\n", err.message);
    else
        status = run(client, &transfer);
    os_client_close(client);
    os_model_free(transfer.account);
    return status;
}
