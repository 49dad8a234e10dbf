/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a GET through libs3, on its way to its receiver: read_check.h says what may be given on. */
#ifndef OSCOMMIT_SIGV2_LIBS3_SINK_H
#define OSCOMMIT_SIGV2_LIBS3_SINK_H

#include "sigv2/libs3_run.h"

S3Status libs3_sink_take(int length, const char *data, void *run); /* S3GetObjectDataCallback */
/* After a 2xx, also where no byte of a body came. */
os_code libs3_sink_begin(struct libs3_run *run, os_error *err);
/* When all has come. Fills in the length that only the end has told. */
os_code libs3_sink_end(struct libs3_run *run, struct s3_object *object, os_error *err);

#endif
