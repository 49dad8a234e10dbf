/* SPDX-License-Identifier: Apache-2.0 */
/* Loads liboscommit-sigv2, once Signature V2 is asked for: the only one here that knows the dynamic loader. */
#ifndef OSCOMMIT_STORE_SIGV2_LOAD_H
#define OSCOMMIT_STORE_SIGV2_LOAD_H

#include "sigv2/module.h"

/* The whole path of the module: beside the shared library itself, by its exact name, and nowhere else. No variable, no
 * working directory and no search path has a say: who can put a file there can replace the library as well.
 * OS_ERR_UNSUPPORTED when it is not there, or when this program has the static library in it. A test links another. */
os_code sigv2_place(char *ret_path, size_t size, os_error *err);

/* OS_ERR_UNSUPPORTED with a sentence that says what to install, when `path` cannot be loaded or is of another version.
 * What was loaded stays until the process ends. */
os_code sigv2_load(const char *path, const struct sigv2_module **ret, os_error *err);

#endif
