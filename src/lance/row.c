/* SPDX-License-Identifier: Apache-2.0 */
#include "lance/row.h"

/* As pylance 14.0.2 has them. There is a `committer`, too, which nothing rests on. Rows of older releases have no size. */
static const struct item_attribute attributes[ROW_ATTRIBUTES] = {
    [ROW_AT_BASE_URI] = {"base_uri", ITEM_STRING, ITEM_REQUIRED, ROW_BASE_URI_MAX},
    [ROW_AT_VERSION] = {"version", ITEM_NUMBER, ITEM_REQUIRED, 0},
    [ROW_AT_PATH] = {"path", ITEM_STRING, ITEM_REQUIRED, ROW_PATH_MAX},
    [ROW_AT_SIZE] = {"size", ITEM_NUMBER, ITEM_OPTIONAL, 0},
};

const struct item_schema row_schema = {
    .kind = ITEM_KINDS, /* of no table of a file: where files are, nobody needs such rows */
    .words.what = "row",
    .words.plural = "rows",
    .words.subject = "row of version",
    .words.mend = "Find out who else writes to the table of rows.",
    .words.flag = NULL,
    .words.sweep = "nobody",
    .attributes = attributes,
    .count = ROW_ATTRIBUTES,
    .keys = 2,
};
