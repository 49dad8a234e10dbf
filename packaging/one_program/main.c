/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both programs in one file: which one it is, its name says. `oscommit race` and the processes of a race begin it anew
 * under the name oscommit-race; so does a link of that name.
 */
#include "programs.h"

#include <string.h>

int main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "";
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    return strcmp(name, "oscommit-race") == 0 ? race_program(argc, argv) : tool_program(argc, argv);
}
