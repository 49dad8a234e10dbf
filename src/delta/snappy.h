/* SPDX-License-Identifier: Apache-2.0 */
/* The raw format of Snappy (format_description.txt of google/snappy), read only and bounded: what Spark's checkpoints are
 * compressed with. Fifty lines are less to look after than a library in every package. */
#ifndef OSCOMMIT_DELTA_SNAPPY_H
#define OSCOMMIT_DELTA_SNAPPY_H

#include "base/buf.h"

/* Appends what `data` was to `out`. False: it is no Snappy, or does not fit. */
bool snappy_decode(const void *data, size_t length, struct buf *out);

#endif
