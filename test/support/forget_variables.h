/* SPDX-License-Identifier: Apache-2.0 */
/* The OSCOMMIT_ variables of whoever runs a test must not reach it. */
#ifndef OSCOMMIT_TEST_SUPPORT_FORGET_VARIABLES_H
#define OSCOMMIT_TEST_SUPPORT_FORGET_VARIABLES_H

void forget_oscommit_variables(void);

#endif
