/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the shipped profile "aws" is taken without being named (M3, docs/stores.md): at the host that Amazon S3 itself
 * has in a region, when no endpoint is given, for the buckets that the profile speaks of. Nobody else has a certificate
 * for that name. Every given endpoint is left alone, whatever its name: gateways have any.
 */
#ifndef OSCOMMIT_CLIENT_OWN_PROFILE_H
#define OSCOMMIT_CLIENT_OWN_PROFILE_H

#include "aws/endpoint.h"

#include <stdbool.h>

#define OWN_PROFILE_NAME "aws"

/* *ret_why: "", or a sentence for whoever misses the profile here, with a space before it. Static. */
bool own_profile_applies(const struct endpoint *endpoint, const char *bucket, const char **ret_why);

/* The host has Amazon S3's name and was given as an endpoint, so that the profile is not taken. */
bool own_profile_is_missed(const struct endpoint *endpoint, const char *bucket);

/* By its name it is a directory bucket, or an access point of one. */
bool own_profile_is_directory(const char *bucket);

#endif
