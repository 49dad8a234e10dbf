/* SPDX-License-Identifier: Apache-2.0 */
/* Files below test/data (or below OSCOMMIT_TEST_DATA, when that is set). */
#ifndef OSCOMMIT_TEST_DATA_FILE_H
#define OSCOMMIT_TEST_DATA_FILE_H

#include <stddef.h>

enum { DATA_PATH_SIZE = 4096 };

/* The path of "sigv4/header", say. `ret` holds DATA_PATH_SIZE. */
void data_path(const char *name, char *ret);
/* The whole file, malloc'ed, with a NUL behind it; fails the test when it cannot be read. */
char *data_file(const char *name);
/* The names in a folder below test/data, sorted; ends with NULL. Fails the test when there are none. */
char **data_names(const char *folder);
void data_names_free(char **names);

#endif
