/* SPDX-License-Identifier: Apache-2.0 */
#include "oscommit.h"

#define SPELLED_(number) #number
#define SPELLED(number)  SPELLED_(number)

const char *os_version(void)
{
    return SPELLED(OS_VERSION_MAJOR) "." SPELLED(OS_VERSION_MINOR) "." SPELLED(OS_VERSION_PATCH);
}
