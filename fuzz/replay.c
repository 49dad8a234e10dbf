/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for libFuzzer where that is not built in: gives each file below the given folders, and each given file, to
 * the target once. Fails when there was none, because a regression that looks at nothing would never fail.
 */
#include "fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { OPEN_FOLDERS = 16, INPUT_MAX = 1 << 20 };

static unsigned replayed;

static int replay(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)place;
    if (kind == FTW_D)
        return 0;
    FILE *file = kind == FTW_F ? fopen(path, "rb") : NULL;
    uint8_t *data = malloc(INPUT_MAX);
    if (file == NULL || data == NULL) {
        fprintf(stderr, "%s cannot be read.\n", path);
        exit(1);
    }
    size_t size = fread(data, 1, INPUT_MAX, file);
    fclose(file);
    char *exact = fuzz_copy(data, size);
    free(data);
    fprintf(stderr, "%s\n", path); /* before it is tried: then the last line names what failed */
    LLVMFuzzerTestOneInput((const uint8_t *)exact, size);
    free(exact);
    replayed++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (nftw(argv[i], replay, OPEN_FOLDERS, FTW_PHYS) != 0) {
            fprintf(stderr, "%s cannot be read.\n", argv[i]);
            return 1;
        }
    }
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("%u inputs, each as it should be\n", replayed);
    return replayed > 0 ? 0 : 1;
}
