/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library asks of liboscommit-sigv2, the module that it loads when Signature V2 is asked for
 * (store/sigv2_load.h), and never else: calls that block, and plain data. The module has copies of its own of what it
 * needs of base, aws and s3, and calls nothing in the library but the functions that a call gives it.
 */
#ifndef OSCOMMIT_SIGV2_MODULE_H
#define OSCOMMIT_SIGV2_MODULE_H

#include "sigv2/libs3_driver.h"

/* The functions of libs3_driver.h. `version` stays the first member in every release, as it says whether the rest may
 * be looked at: only where it is the library's own. */
struct sigv2_module {
    const char *version;
    os_code (*start)(os_error *err);
    void (*stop)(void);
    os_code (*head)(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                    struct libs3_result *ret, os_error *err);
    os_code (*head_bucket)(const struct libs3_config *config, const struct libs3_call *call, struct libs3_result *ret,
                           os_error *err);
    os_code (*get)(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                   const struct libs3_reading *reading, struct libs3_result *ret, os_error *err);
    os_code (*put)(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                   const struct http_body *body, const struct s3_content *content, struct libs3_result *ret,
                   os_error *err);
    os_code (*copy)(const struct libs3_config *config, const struct libs3_call *call,
                    const struct libs3_copy_request *wanted, struct libs3_result *ret, os_error *err);
    os_code (*remove)(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                      struct libs3_result *ret, os_error *err);
    os_code (*list)(const struct libs3_config *config, const struct libs3_call *call,
                    const struct libs3_list_request *wanted, struct s3_list_page *page, struct libs3_result *ret,
                    os_error *err);
};

/* The one symbol that the module exports. */
#define SIGV2_MODULE_ENTRY "oscommit_sigv2_module"
typedef const struct sigv2_module *(*sigv2_module_fn)(void);
OS_API const struct sigv2_module *oscommit_sigv2_module(void);

#endif
