/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sigv2_load.h"

#include "base/error.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "liboscommit.so"

#define MISSING                                                                                     \
    "Signature V2 needs the module %s, which is missing. Install the package liboscommit-sigv2 of " \
    "version %s; or, if you build from source, install libs3 (Debian: libs3-dev) and build again."
/* As the wheels are: libs3 is under GPL-3. */
#define LEFT_OUT                                                                                               \
    "Signature V2 needs the module %s, which this build of the library has left out, as the Python "           \
    "wheels do. Install the Debian or RPM packages of version %s, of which one has the module, or build from " \
    "source without OSCOMMIT_WITH_LIBS3=OFF."

/* An address in the file that this code came from. */
static const char here;

/* `library` with the module's name in place of its own; false when it is not the shared library, or the loader was
 * given a relative path, which the working directory has a say in. */
static bool beside(const char *library, char *ret_path, size_t size)
{
    const char *slash = strrchr(library, '/');
    if (library[0] != '/' || strncmp(slash + 1, LIBRARY, sizeof(LIBRARY) - 1) != 0)
        return false;
    int length = snprintf(ret_path, size, "%.*s/%s", (int)(slash - library), library, OSCOMMIT_SIGV2_FILE);
    return length > 0 && (size_t)length < size;
}

/* The name that the loader found the library by may be a link into the folder of its package. */
static bool beside_linked(const char *library, char *ret_path, size_t size)
{
    char *target = realpath(library, NULL);
    bool there = target != NULL && beside(target, ret_path, size) && access(ret_path, F_OK) == 0;
    free(target);
    return there;
}

os_code sigv2_place(char *ret_path, size_t size, os_error *err)
{
    Dl_info info;
    char path[PATH_MAX];
    const char *library = dladdr(&here, &info) != 0 && info.dli_fname ? info.dli_fname : "";
    if (!beside(library, path, sizeof(path)))
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "Signature V2 is a module that the shared library loads from its own folder. This program "
                         "uses the static library, or found the shared one by a relative path (\"%s\"): link %s, and "
                         "let the loader find it by an absolute path.",
                         library, LIBRARY);
    if (access(path, F_OK) != 0 && !beside_linked(library, path, sizeof(path)))
        return error_set(err, OS_ERR_UNSUPPORTED, OSCOMMIT_SIGV2_LEFT_OUT ? LEFT_OUT : MISSING, path, os_version());
    if (strlen(path) >= size)
        return error_set(err, OS_ERR_UNSUPPORTED, "The path of the module %s is too long.", path);
    memcpy(ret_path, path, strlen(path) + 1);
    return OS_OK;
}
