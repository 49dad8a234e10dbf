/* SPDX-License-Identifier: Apache-2.0 */
/* Flags and OSCOMMIT_* variables as the library's options. AWS_* variables and profile files are read by the library
 * itself. */
#ifndef OSCOMMIT_TOOL_SETTINGS_H
#define OSCOMMIT_TOOL_SETTINGS_H

#include "cli/options.h"
#include "cli/usage.h"
#include "oscommit.h"

#include <stdio.h>

/* Fills `ret`, whose strings are borrowed from `options`. False, with a sentence, for an endpoint that carries
 * credentials. */
bool settings_fill(const struct options *options, const char *store_url, os_options *ret, struct usage *usage);

/* The URL of OPTION_S3_ENDPOINT or OPTION_DYNAMODB_ENDPOINT as the command line and the variables of this tool give it,
 * --endpoint-url included. NULL: they do not. */
const char *settings_endpoint(const struct options *options, enum option_id own);

/* " --region eu-west-1 ...": the settings of the command line, quoted for a shell, for a command that is to be run later. A
 * deadline is no part of them: that command has its own. */
void settings_print_given(FILE *stream, const struct options *options);

/* "https://user:secret@host": refused, and not repeated in a message. */
bool settings_has_userinfo(const char *url);

#endif
