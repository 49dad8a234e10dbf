/* SPDX-License-Identifier: Apache-2.0 */
/* The keys and indexes of a model that has its fields and its schema. */
#ifndef OSCOMMIT_MODEL_MODEL_SCHEMA_KEYS_H
#define OSCOMMIT_MODEL_MODEL_SCHEMA_KEYS_H

#include "model/model_schema.h"

/* As model_read (model_schema_build.h). The keys first: they say what the fields are. */
os_code model_build_keys(struct model *model, os_error *err);
os_code model_build_indexes(struct model *model, os_error *err);

#endif
