/* SPDX-License-Identifier: Apache-2.0 */
#include "support/forget_variables.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void forget_oscommit_variables(void)
{
    for (size_t i = 0; environ[i] != NULL;) {
        char name[64];
        size_t len = strcspn(environ[i], "=");
        if (len < sizeof(name) && strncmp(environ[i], "OSCOMMIT_", 9) == 0) {
            memcpy(name, environ[i], len);
            name[len] = '\0';
            assert_int_equal(unsetenv(name), 0);
        } else {
            i++;
        }
    }
}
