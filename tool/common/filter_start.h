/* SPDX-License-Identifier: Apache-2.0 */
/* A filter's process: its pipes, its signals, its environment. */
#ifndef OSCOMMIT_TOOL_FILTER_START_H
#define OSCOMMIT_TOOL_FILTER_START_H

#include "common/filter.h"

/* 0, with child, child_fd, to_child and from_child set; else errno. Of the object the environment says:
 *   OSCOMMIT_UPDATE_EXISTS   1, or 0 if nothing is there
 *   OSCOMMIT_UPDATE_ETAG     empty if nothing is there
 *   OSCOMMIT_UPDATE_URL
 *   OSCOMMIT_UPDATE_ROUND    1, and more after each conflict */
int filter_start(struct filter *filter, const os_current *current);

#endif
