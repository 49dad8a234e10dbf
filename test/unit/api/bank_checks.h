/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of transactions over any tables. */
#ifndef OSCOMMIT_TEST_API_BANK_CHECKS_H
#define OSCOMMIT_TEST_API_BANK_CHECKS_H

#include "unit/api/bank.h"

void a_row_is_created_once(struct bank *bank);
void a_value_that_was_read_and_has_changed_runs_it_again(struct bank *bank);
void what_is_only_added_to_does_not_contend(struct bank *bank);
void without_retries_contention_is_a_conflict(struct bank *bank);
void a_row_is_deleted_if_it_is_as_it_was(struct bank *bank);
void rows_are_written_without_being_read_or_none_is(struct bank *bank);
void what_is_wrong_is_said_at_once_and_nothing_is_written(struct bank *bank);
void the_sum_of_all_accounts_is_the_same_whenever_it_is_read(struct bank *bank);

static const struct bank_check {
    const char *name;
    void (*run)(struct bank *bank);
} bank_checks[] = {
    {"a row is created once", a_row_is_created_once},
    {"a value that was read and has changed runs it again", a_value_that_was_read_and_has_changed_runs_it_again},
    {"what is only added to does not contend", what_is_only_added_to_does_not_contend},
    {"without retries contention is a conflict", without_retries_contention_is_a_conflict},
    {"a row is deleted if it is as it was", a_row_is_deleted_if_it_is_as_it_was},
    {"rows are written without being read or none is", rows_are_written_without_being_read_or_none_is},
    {"what is wrong is said at once and nothing is written", what_is_wrong_is_said_at_once_and_nothing_is_written},
    {"the sum of all accounts is the same whenever it is read",
     the_sum_of_all_accounts_is_the_same_whenever_it_is_read},
};

#endif
