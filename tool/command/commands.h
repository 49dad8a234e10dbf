/* SPDX-License-Identifier: Apache-2.0 */
/* Every command of the tool; each is described and run in its own file. */
#ifndef OSCOMMIT_TOOL_COMMANDS_H
#define OSCOMMIT_TOOL_COMMANDS_H

#include "cli/options.h"

extern const struct command command_init;
extern const struct command command_put;
extern const struct command command_update;
extern const struct command command_cp;
extern const struct command command_sync;
extern const struct command command_mv;
extern const struct command command_rm;
extern const struct command command_get;
extern const struct command command_head;
extern const struct command command_ls;
extern const struct command command_table_create;
extern const struct command command_table_check;
extern const struct command command_table_ls;
extern const struct command command_table_show;
extern const struct command command_table_release;
extern const struct command command_lock;
extern const struct command command_lock_ls;
extern const struct command command_lock_show;
extern const struct command command_lock_break;
extern const struct command command_lease_acquire;
extern const struct command command_lease_extend;
extern const struct command command_lease_release;
extern const struct command command_lease_show;
extern const struct command command_resolve;
extern const struct command command_delta_append;
extern const struct command command_delta_check;
extern const struct command command_lance_check;
extern const struct command command_lance_resolve;
extern const struct command command_delta_resolve;
extern const struct command command_gc;
extern const struct command command_probe;
extern const struct command command_credentials;
extern const struct command command_presign;
extern const struct command command_config;
extern const struct command command_help;
extern const struct command command_version;

extern const struct command *const commands[]; /* ends with NULL */

#endif
