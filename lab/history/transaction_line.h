/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transaction, and what a sum must be, as objects of JSON in a history:
 * {"transaction":1,"writer":0,"start_us":0,"end_us":9,"verdict":"committed","reads":[{"key":"a","value":null}],
 *  "writes":[{"key":"a","expected":null,"value":"a1"},{"key":"l","append":"x"}]} and {"sum":100,"keys":["a","b"]}.
 * Fields that are not known are passed over.
 */
#ifndef OSCOMMIT_LAB_TRANSACTION_LINE_H
#define OSCOMMIT_LAB_TRANSACTION_LINE_H

#include "history/history.h"

#include <jansson.h>

/* NULL: no memory. */
json_t *transaction_line_written(const struct history_transaction *transaction);
json_t *sum_line_written(const struct history_sum *sum);

/* Adds it to `history`. False: *ret_wrong says what is wrong, as a sentence; NULL: no memory. */
bool transaction_line_take(const json_t *object, struct history *history, const char **ret_wrong);
bool sum_line_take(const json_t *object, struct history *history, const char **ret_wrong);

#endif
