/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge of transactions found, for a person and as JSON. */
#ifndef OSCOMMIT_LAB_TRANSACTION_FIGURES_H
#define OSCOMMIT_LAB_TRANSACTION_FIGURES_H

#include "cli/output.h"
#include "history/transaction_judge.h"

void transaction_print_figures(const struct transaction_result *result);
void transaction_print_findings(const struct transaction_result *result);
void transaction_add_json(struct json_line *line, const struct transaction_result *result);

#endif
