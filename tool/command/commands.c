/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"

#include "description/description.h"

const struct command *const commands[] = {
    &command_init,
    &command_put,
    &command_update,
    &command_cp,
    &command_sync,
    &command_mv,
    &command_rm,
    &command_get,
    &command_head,
    &command_ls,
    &command_table_create,
    &command_table_check,
    &command_table_ls,
    &command_table_show,
    &command_table_release,
    &command_lock,
    &command_lock_ls,
    &command_lock_show,
    &command_lock_break,
    &command_lease_acquire,
    &command_lease_extend,
    &command_lease_release,
    &command_lease_show,
    &command_resolve,
    &command_gc,
    &command_race,
    &command_check,
    &command_probe,
    &command_config,
    &command_help,
    &command_version,
    NULL,
};
