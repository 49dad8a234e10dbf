/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/source.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

os_code chain_pass(struct chain *chain, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(chain->why, sizeof(chain->why), format, args);
    va_end(args);
    chain->pass = true;
    return OS_OK;
}

os_code chain_may_block(struct chain *chain, os_error *err)
{
    if (chain->fetcher != NULL)
        return OS_OK;
    chain->would_block = true;
    return error_set(err, OS_ERR_CREDENTIALS, "The keys have to be asked for, which takes longer than this may.");
}
