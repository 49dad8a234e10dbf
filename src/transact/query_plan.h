/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a query or a scan of a model asks of its table, by the rules of @pocketgems/dynamodb 0.3.5 (src/iterators.js and
 * src/filter.js at 3657033):
 *
 *   - every part of the partition key, of the table or the index, has an equality;
 *   - of the sort key either no part has a condition, or each has one of the same kind. They are encoded as a key is, and
 *     compared as one: part after part;
 *   - any other field is filtered (a lazy filter), where that is allowed. A part of the key, of which an index has no
 *     attribute, only with INDEX_INCLUDE_KEYS.
 *
 * Four things are refused here that the library sends: a value that its field cannot have; no condition on the partition
 * key; an order of numbers where the key is a text, in which 10 comes before 9; and a filter on what an index has not, or
 * that has no answer. And where INDEX_INCLUDE_KEYS has an attribute for a part that is no string and no number, its filter
 * asks for what stands there; theirs never finds it.
 *
 * Knows no table; asks nobody.
 */
#ifndef OSCOMMIT_TRANSACT_QUERY_PLAN_H
#define OSCOMMIT_TRANSACT_QUERY_PLAN_H

#include "model/model_key.h"
#include "transact/row.h"

struct query_condition {
    enum condition_test test; /* 0: the field has none */
    json_t *value;
    json_t *upper; /* IS_BETWEEN */
};

struct query_plan {
    const os_model *model;
    const struct model_index *index; /* NULL: the table */
    bool is_scan;
    bool allows_lazy;
    bool is_built;                      /* list is there, and no condition is added any more */
    struct query_condition *conditions; /* of each field of the model */
    struct rows_list list;              /* what it borrows is below, or of the model */
    json_t *values;
    struct condition_term *terms;
    struct path_step *steps;
};

/* Options may be NULL. *ret is for query_plan_free in any case. OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
os_code query_plan_open(const os_model *model, const os_query_options *options, bool is_scan, struct query_plan *ret,
                        os_error *err);
void query_plan_free(struct query_plan *plan);

/* `json` is the value; of "between" an array of both bounds. The same errors. */
os_code query_plan_filter(struct query_plan *plan, const char *field, const char *operation, const char *json,
                          os_error *err);

/* Makes `list`, once. OS_ERR_ARGUMENT: a condition is missing, or they do not go together. OS_ERR_NO_MEMORY. */
os_code query_plan_build(struct query_plan *plan, os_error *err);

/* How it stands to the key of what is asked. */
enum query_place { QUERY_PARTITION = 1, QUERY_SORT, QUERY_LAZY };
enum query_place query_place_of(const struct query_plan *plan, const struct model_field *field);
const struct model_attribute *query_partition(const struct query_plan *plan);
const struct model_attribute *query_sort(const struct query_plan *plan); /* its name is NULL: there is none */

/* For the parts of this: the attribute that a lazy filter on a field asks, borrowed; NULL: there is none. */
const struct model_attribute *query_attribute_of_part(const struct query_plan *plan, const struct model_field *field);

#endif
