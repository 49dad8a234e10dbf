/* SPDX-License-Identifier: Apache-2.0 */
/* A model of the JSON Schema that tells it (model_schema.h). */
#ifndef OSCOMMIT_MODEL_MODEL_SCHEMA_BUILD_H
#define OSCOMMIT_MODEL_MODEL_SCHEMA_BUILD_H

#include "model/model_schema.h"

/* *ret is for model_free, NULL on failure. OS_ERR_ARGUMENT: it is no model, and the sentence says why. OS_ERR_NO_MEMORY. */
os_code model_read(const char *text, size_t len, struct model **ret, os_error *err);
/* The same of what has been read. */
os_code model_build(const json_t *schema, struct model **ret, os_error *err);

#endif
