/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that `oscommit` hands on to oscommit-race: described once, for both. */
#ifndef OSCOMMIT_LAB_DESCRIPTION_H
#define OSCOMMIT_LAB_DESCRIPTION_H

#include "cli/options.h"

#define LAB_PROGRAM "oscommit-race"

extern const struct command command_race;
extern const struct command command_check;

#endif
