/* SPDX-License-Identifier: Apache-2.0 */
/* The pauses between the runs of a transaction: how long each is, and that those who met do not meet again. */
#include "client/pause.h"
#include "unit/api/bank.h"
#include "unit/api/client_scratch.h"

enum { PAUSES_MAX = 8 };

static uint64_t pauses_ms[PAUSES_MAX];
static size_t pause_count;

bool __wrap_client_pause(os_client *client, os_cancel *cancel, uint64_t pause_ms);
bool __wrap_client_pause(os_client *client, os_cancel *cancel, uint64_t pause_ms)
{
    (void)client;
    (void)cancel;
    assert_true(pause_count < PAUSES_MAX);
    pauses_ms[pause_count++] = pause_ms;
    return true;
}

static os_code ask_to_run_again(void *context, os_txn *txn, os_error *err)
{
    (void)context;
    (void)txn;
    (void)err;
    return OS_ERR_CONFLICT;
}

static void check_pauses(struct bank *bank, const uint64_t *wanted_ms, size_t count)
{
    pause_count = 0;
    bank->call.deadline_ms = BANK_PATIENT_MS;
    assert_int_equal(bank_transact(bank, ask_to_run_again, NULL), OS_CONFLICT);
    assert_int_equal(bank->error.code, OS_ERR_CONFLICT);
    assert_int_equal(bank->result.runs, count + 1);
    assert_int_equal(pause_count, count);
    for (size_t i = 0; i < count; i++)
        assert_in_range(pauses_ms[i], wanted_ms[i] - wanted_ms[i] / 10, wanted_ms[i] + wanted_ms[i] / 10);
}

TEST_WITH(bank, pauses_double_up_to_a_bound)
{
    static const uint64_t wanted_ms[] = {100, 200, 400, 500};
    bank->options.retries = 4;
    bank->options.initial_backoff_ms = 100;
    bank->options.max_backoff_ms = 500;
    check_pauses(bank, wanted_ms, 4);
}

TEST_WITH(bank, by_default_there_are_three_of_them)
{
    static const uint64_t wanted_ms[] = {500, 1000, 2000};
    bank->options = (os_txn_options)OS_TXN_OPTIONS_INIT;
    check_pauses(bank, wanted_ms, 3);
}

TEST_WITH(bank, a_pause_is_random)
{
    enum { TRIES = 20 };
    uint64_t least_ms = UINT64_MAX;
    uint64_t most_ms = 0;
    bank->options.retries = 1;
    bank->options.initial_backoff_ms = bank->options.max_backoff_ms = 10000;
    for (int i = 0; i < TRIES; i++) {
        static const uint64_t wanted_ms[] = {10000};
        check_pauses(bank, wanted_ms, 1);
        least_ms = pauses_ms[0] < least_ms ? pauses_ms[0] : least_ms;
        most_ms = pauses_ms[0] > most_ms ? pauses_ms[0] : most_ms;
    }
    assert_true(least_ms < most_ms);
}

TEST_WITH(bank, no_pause_goes_beyond_the_deadline)
{
    enum { TRIES = 40, DEADLINE_MS = 10500 };
    bank->options.retries = 1;
    bank->options.initial_backoff_ms = bank->options.max_backoff_ms = 10000;
    bank->call.deadline_ms = DEADLINE_MS;
    for (int i = 0; i < TRIES; i++) {
        pause_count = 0;
        pauses_ms[0] = 0;
        assert_int_equal(bank_transact(bank, ask_to_run_again, NULL), OS_CONFLICT);
        assert_int_equal(bank->result.runs, pause_count + 1);
        assert_in_range(pauses_ms[0], 0, DEADLINE_MS);
    }
}
