/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no module. */
#include "oscommit.h"

OS_API int without_entry(void);

int without_entry(void)
{
    return 0;
}
