/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder are given. */
#ifndef OSCOMMIT_TEST_UNIT_MODEL_MODEL_READING_H
#define OSCOMMIT_TEST_UNIT_MODEL_MODEL_READING_H

#include "model/model_item.h"
#include "model/model_schema_build.h"

/* JSON of any kind, with ' in place of ". NULL gives NULL. */
json_t *reading_json(const char *text);

/* A model, told so. */
struct model *reading_model(const char *text);

/* What model_read says of one that is none. */
void assert_no_model(const char *text, const char *sentence);

/* Fails with both when they differ. Members are compared in any order. */
void assert_json_equal(const json_t *json, const json_t *wanted);
/* The same with JSON as above. */
void assert_json(const json_t *json, const char *wanted);

#endif
