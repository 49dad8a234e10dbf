/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of requests and answers about items of any attributes share. */
#ifndef OSCOMMIT_TEST_DYNAMO_ROWS_H
#define OSCOMMIT_TEST_DYNAMO_ROWS_H

#include "answers.h"
#include "requests.h"
#include "unit/rows/trees.h"

#define ORDERS "table orders in us-east-1"
#define ORDER  "{'pk':{'S':'a'},'sk':{'N':'1'},'v':{'N':'7'},'l':{'L':[{'M':{'x':{'SS':['y']}}}]}}"

#endif
