/* SPDX-License-Identifier: Apache-2.0 */
#include "common/lance.h"

#include "common/table_check.h"

#include <string.h>

enum status lance_session_open(struct lance_session *lance, const struct options *options)
{
    const char *rows = options_text(options, OPTION_MANIFEST_STORE);
    struct usage usage = {0};
    static const os_lance_options plain = OS_LANCE_OPTIONS_INIT;

    memset(lance, 0, sizeof(*lance));
    lance->how = plain;
    if (!table_operand_take(options, &lance->table, &usage))
        return output_usage(options, &usage);
    enum status status = session_open(&lance->session, options, lance->table.store);
    if (status != STATUS_DONE || rows == NULL)
        return status;
    return session_connect_table(&lance->session, rows, &lance->how.manifest_store);
}

enum status lance_session_close(struct lance_session *lance, enum status status)
{
    os_client_close(lance->how.manifest_store);
    location_clear(&lance->table);
    return lance->session.options == NULL ? status : session_close(&lance->session, status);
}
