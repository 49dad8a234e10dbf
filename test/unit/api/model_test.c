/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions over typed rows by the public functions, in the embedded tables. */
#include "support/test.h"
#include "unit/api/bank_checks.h"

#include <stdlib.h>

TEST_ROWS_WITH(bank, bank_checks, it_holds_that)
{
    row->run(bank);
}
