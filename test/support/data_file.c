/* SPDX-License-Identifier: Apache-2.0 */
#include "data_file.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20, NAMES_MAX = 256 };

void data_path(const char *name, char *ret)
{
    const char *root = getenv("OSCOMMIT_TEST_DATA");
    const char here[] = __FILE__;
    const char *slash = strrchr(here, '/');
    int len;
    if (root != NULL) {
        len = snprintf(ret, DATA_PATH_SIZE, "%s/%s", root, name);
    } else {
        len = snprintf(ret, DATA_PATH_SIZE, "%.*s/../data/%s", slash != NULL ? (int)(slash - here) : 1,
                       slash != NULL ? here : ".", name);
    }
    assert_in_range(len, 1, DATA_PATH_SIZE - 1);
}

char *data_file(const char *name)
{
    char path[DATA_PATH_SIZE];
    data_path(name, path);
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL)
        fail_msg("%s cannot be opened", path);
    char *data = malloc(FILE_MAX + 1);
    assert_non_null(data);
    size_t len = fread(data, 1, FILE_MAX + 1, stream);
    assert_in_range(len, 0, FILE_MAX);
    assert_false(ferror(stream));
    fclose(stream);
    data[len] = '\0';
    return data;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **data_names(const char *folder)
{
    char path[DATA_PATH_SIZE];
    data_path(folder, path);
    DIR *dir = opendir(path);
    if (dir == NULL)
        fail_msg("%s cannot be listed", path);
    char **names = calloc(NAMES_MAX + 1, sizeof(*names));
    assert_non_null(names);
    size_t count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            assert_in_range(count, 0, NAMES_MAX - 1);
            names[count] = strdup(entry->d_name);
            assert_non_null(names[count++]);
        }
    }
    closedir(dir);
    assert_int_not_equal(count, 0);
    qsort(names, count, sizeof(*names), by_name);
    return names;
}

void data_names_free(char **names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        free(names[i]);
    free(names);
}
