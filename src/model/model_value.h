/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a field: as a program gives them, as a row keeps them, and as attributes. */
#ifndef OSCOMMIT_MODEL_MODEL_VALUE_H
#define OSCOMMIT_MODEL_MODEL_VALUE_H

#include "model/model_schema.h"

/* What a row keeps of what is given: a copy, numbers as JavaScript has them, with the defaults inside, and by the rules of
 * the field. *ret is for json_decref, NULL on failure: `refusal` (OS_ERR_ARGUMENT of a program's, OS_ERR_PROTOCOL of an
 * item's), and the sentence names the model, the field and the value; OS_ERR_NO_MEMORY. */
os_code model_value_take(const struct model *model, const struct model_field *field, const json_t *given,
                         os_code refusal, json_t **ret, os_error *err);

/* Of what a row keeps. OS_ERR_ARGUMENT: DynamoDB cannot hold it. */
os_code model_value_to_attribute(const struct model *model, const struct model_field *field, const json_t *value,
                                 json_t **ret, os_error *err);

/* As a row keeps it, of an attribute that has been checked (attribute/check.h). OS_ERR_PROTOCOL: it is none of the field. */
os_code model_value_from_attribute(const struct model *model, const struct model_field *field, const json_t *attribute,
                                   json_t **ret, os_error *err);

#endif
