/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of DynamoDB with expressions, written without the library, which would refuse some of them. */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_PLAIN_REQUEST_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_PLAIN_REQUEST_H

#include "attribute/change.h"
#include "attribute/condition.h"

struct plain_request {
    json_t *request;
    json_t *names;
    json_t *values;
};

void plain_begin(struct plain_request *plain, json_t *request); /* takes it */
/* Each adds an expression as that member; none where there is nothing in it. */
void plain_condition(struct plain_request *plain, const char *member, const struct condition *condition);
void plain_changes(struct plain_request *plain, const struct change *changes, size_t count);
void plain_paths(struct plain_request *plain, const struct path *paths, size_t count);
/* The request with its names and values, for json_decref. */
json_t *plain_end(struct plain_request *plain);

#endif
