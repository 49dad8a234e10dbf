/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSCOMMIT_TOOL_VERSION_H
#define OSCOMMIT_TOOL_VERSION_H

#include "cli/options.h"

/* What --version asks for. */
enum status version_print(const struct options *options);

#endif
