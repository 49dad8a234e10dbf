/* SPDX-License-Identifier: Apache-2.0 */
/* X9: rows and documents in a file that another program keeps locked until the deadline. Nothing was written, and so it is
 * said. */
#include "unit/api/bank.h"
#include "unit/api/client_scratch.h"

#include "oscommit_document.h"

#include <string.h>

enum { SHORT_MS = 400 };

static os_code create_two(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    struct plan other = {.bank = plan->bank, .id = "b", .balance = 1};
    os_code code = bank_create(plan, txn, err);
    return code == OS_OK ? bank_create(&other, txn, err) : code;
}

static void check_not_executed(struct bank *bank, os_txn_fn function)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    struct sqlite3 *db = scratch_lock_file(bank->scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    bank->call.deadline_ms = SHORT_MS;
    os_verdict verdict = bank_transact(bank, function, &plan);
    scratch_unlock_file(db);
    if (verdict != OS_NOT_EXECUTED)
        fail_msg("%s: %s", os_verdict_name(verdict), bank->error.message);
    CHECK_CODE(bank->error.code, OS_ERR_DEADLINE, &bank->error);
    CHECK_SAYS(&bank->error, "other processes keep it busy");
    bank->call.deadline_ms = BANK_PATIENT_MS;
    assert_int_equal(bank_balance_of(bank, "a"), -1);
}

TEST_WITH(bank, one_row_in_a_file_that_stays_locked_was_not_written)
{
    check_not_executed(bank, bank_create);
}

TEST_WITH(bank, two_rows_in_a_file_that_stays_locked_were_not_written)
{
    check_not_executed(bank, create_two);
}

TEST_WITH(bank, a_document_in_a_file_that_stays_locked_was_not_written)
{
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_call call = OS_CALL_INIT;
    CHECK_CODE(os_documents_table_create(bank->client, NULL, NULL, &bank->error), OS_OK, &bank->error);
    write.id = "device";
    write.name = "pump";
    write.reported = "{}";
    call.deadline_ms = SHORT_MS;
    struct sqlite3 *db = scratch_lock_file(bank->scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    os_code code = os_documents_write(bank->client, NULL, &write, 1, &call, &result, &bank->error);
    scratch_unlock_file(db);
    assert_int_equal(result.verdict, OS_NOT_EXECUTED);
    CHECK_CODE(code, OS_ERR_DEADLINE, &result.error);
    CHECK_SAYS(&result.error, "other processes keep it busy");
    assert_null(result.ticket);
}

/* X4. What cannot be read is not replaced blindly either: nothing is written, and that is known at once. */
TEST_WITH(bank, a_row_that_is_damaged_is_not_replaced)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    scratch_unlock_file(scratch_lock_file(bank->scratch, "ledger.db", "UPDATE rows_items SET item = '{'; BEGIN"));
    bank->call.deadline_ms = SHORT_MS;
    os_verdict verdict = bank_transact(bank, bank_create, &plan);
    if (verdict != OS_NOT_EXECUTED)
        fail_msg("%s: %s", os_verdict_name(verdict), bank->error.message);
    CHECK_CODE(bank->error.code, OS_ERR_TABLE, &bank->error);
    CHECK_SAYS(&bank->error, "is no JSON object");
    verdict = bank_transact(bank, create_two, &plan);
    assert_int_equal(verdict, OS_NOT_EXECUTED);
}
