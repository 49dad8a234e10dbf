/* SPDX-License-Identifier: Apache-2.0 */
/* `oscommit check`: judges histories that were written before. */
#ifndef OSCOMMIT_LAB_CHECK_H
#define OSCOMMIT_LAB_CHECK_H

#include "cli/options.h"

enum status check_run(const struct options *options);

#endif
