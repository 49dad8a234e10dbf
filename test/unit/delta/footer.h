/* SPDX-License-Identifier: Apache-2.0 */
/* Footers of Parquet files, put together field by field in the compact protocol of Thrift. */
#ifndef OSCOMMIT_TEST_FOOTER_H
#define OSCOMMIT_TEST_FOOTER_H

#include "base/buf.h"

#include <stdint.h>

/* One element of a schema. What is -1 is left out; `logical` is a struct of the compact protocol, in hex ("" for none). */
struct footer_element {
    const char *name;
    int type;
    int repetition;
    int children;
    int converted;
    int scale;
    int precision;
    const char *logical;
};

/* The footer of a file with these elements below the root, of which `columns` are its children. */
void footer_write(struct buf *out, const struct footer_element *elements, size_t count, int columns, uint64_t rows);

void footer_add_hex(struct buf *out, const char *hex);

#endif
