/* SPDX-License-Identifier: Apache-2.0 */
/* The flags by which the tool reaches the table that a client uses, for the commands that an error advises. */
#ifndef OSCOMMIT_CLIENT_TABLE_REACH_H
#define OSCOMMIT_CLIENT_TABLE_REACH_H

#include "aws/endpoint.h"
#include "oscommit.h"

/* " --dynamodb-region eu-west-1": the region, the endpoint unless it is AWS's own, and the profile that an option named.
 * Names no key and no secret. */
os_code table_reach(const os_options *options, const struct endpoint *endpoint, char **ret, os_error *err);

#endif
