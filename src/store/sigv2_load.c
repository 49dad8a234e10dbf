/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sigv2_load.h"

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C has no conversion from an object's address to a function's; POSIX says that the bytes are the same. */
static sigv2_module_fn entry_of(void *handle)
{
    void *symbol = dlsym(handle, SIGV2_MODULE_ENTRY);
    sigv2_module_fn entry = NULL;
    if (symbol)
        memcpy(&entry, &symbol, sizeof(entry));
    return entry;
}

os_code sigv2_load(const char *path, const struct sigv2_module **ret, os_error *err)
{
    if (path[0] != '/')
        return error_set(err, OS_ERR_UNSUPPORTED, "The path of the module of Signature V2 is not absolute (\"%s\").",
                         path);
    /* Never unloaded: libs3, libcurl and libxml2 behind it leave things for the end of the process. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        const char *reason = dlerror();
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "Signature V2 needs the module %s, which cannot be loaded (%s). Install the package "
                         "liboscommit-sigv2 of version %s and its dependencies.",
                         path, reason ? reason : "no reason given", os_version());
    }
    sigv2_module_fn entry = entry_of(handle);
    const struct sigv2_module *module = entry ? entry() : NULL;
    if (module == NULL || strcmp(module->version, os_version()) != 0)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The module %s has version %s, but the library has version %s: install both from one release.",
                         path, module ? module->version : "unknown", os_version());
    *ret = module;
    return OS_OK;
}
