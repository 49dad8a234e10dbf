/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for keys: one source after the other, until one has some. The order is that of botocore 1.44
 * (credentials.py, create_credential_resolver), which the AWS CLI and the SDK for Python share: environment, role of a
 * profile, web identity, IAM Identity Center, credentials file, process, config file, container, instance.
 *
 * A source that is not set up is passed over, with a reason. One that is set up and fails ends the search: other keys
 * than those that were meant may belong to another account.
 */
#ifndef OSCOMMIT_CREDENTIALS_CHAIN_H
#define OSCOMMIT_CREDENTIALS_CHAIN_H

#include "credentials/source.h"

/* Looks for keys. OS_OK: they are in chain->found. OS_ERR_CREDENTIALS, OS_ERR_CONFIG (a damaged profile file),
 * OS_ERR_NO_MEMORY, or what a service or the way to it said. With `would_block` the error says nothing: it is to be
 * asked again with a fetcher, and goes on with the profile files that it has read. Blocks where there is one. */
os_code chain_find(struct chain *chain, os_error *err);
void chain_free(struct chain *chain); /* what was found, too, unless it was taken out */

/* The names of the sources in their order, up to a NULL: for those that were not asked. */
const char *chain_source_name(size_t index);

#endif
