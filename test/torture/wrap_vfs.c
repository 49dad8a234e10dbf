/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's file calls: a VFS over the usual one, each of whose calls can fail. A write to a full disk leaves the first
 * half of its bytes, as a real one may. Locks are given back for real even when their giving back "fails". */
#include "inject.h"

#include <sqlite3.h>
#include <stdlib.h>

struct shim_file {
    sqlite3_file base;
    sqlite3_io_methods methods; /* of this file: only the versions that the file below has */
    sqlite3_file *below;        /* stands behind this struct */
};

static sqlite3_vfs *usual;

/* Only writes find a disk full, and only locks are busy (sqlite.org/c3ref/io_methods.html). */
static int failure(int specific)
{
    switch (inject_variant()) {
    case 1: return specific == SQLITE_IOERR_WRITE ? SQLITE_FULL : specific;
    case 2: return specific == SQLITE_IOERR_LOCK || specific == SQLITE_IOERR_SHMLOCK ? SQLITE_BUSY : specific;
    case 3: return SQLITE_IOERR_NOMEM;
    default: return specific;
    }
}

#define FAIL_ON(name, specific)            \
    do {                                   \
        if (inject_hits(INJECT_VFS, name)) \
            return failure(specific);      \
    } while (0)

static sqlite3_file *below(sqlite3_file *file)
{
    return ((struct shim_file *)file)->below;
}

static int shim_close(sqlite3_file *file)
{
    sqlite3_file *real = below(file);
    int rc = real->pMethods == NULL ? SQLITE_OK : real->pMethods->xClose(real);
    return inject_hits(INJECT_VFS, "xClose") ? failure(SQLITE_IOERR_CLOSE) : rc;
}

static int shim_read(sqlite3_file *file, void *data, int length, sqlite3_int64 offset)
{
    FAIL_ON("xRead", SQLITE_IOERR_READ);
    return below(file)->pMethods->xRead(below(file), data, length, offset);
}

static int shim_write(sqlite3_file *file, const void *data, int length, sqlite3_int64 offset)
{
    if (inject_hits(INJECT_VFS, "xWrite")) {
        if (inject_variant() == 1 && length > 1)
            (void)below(file)->pMethods->xWrite(below(file), data, length / 2, offset);
        return failure(SQLITE_IOERR_WRITE);
    }
    return below(file)->pMethods->xWrite(below(file), data, length, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    FAIL_ON("xTruncate", SQLITE_IOERR_TRUNCATE);
    return below(file)->pMethods->xTruncate(below(file), size);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    FAIL_ON("xSync", SQLITE_IOERR_FSYNC);
    return below(file)->pMethods->xSync(below(file), flags);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *ret)
{
    FAIL_ON("xFileSize", SQLITE_IOERR_FSTAT);
    return below(file)->pMethods->xFileSize(below(file), ret);
}

static int shim_lock(sqlite3_file *file, int level)
{
    FAIL_ON("xLock", SQLITE_IOERR_LOCK);
    return below(file)->pMethods->xLock(below(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    int rc = below(file)->pMethods->xUnlock(below(file), level);
    return inject_hits(INJECT_VFS, "xUnlock") ? failure(SQLITE_IOERR_UNLOCK) : rc;
}

static int shim_reserved(sqlite3_file *file, int *ret)
{
    FAIL_ON("xCheckReservedLock", SQLITE_IOERR_CHECKRESERVEDLOCK);
    return below(file)->pMethods->xCheckReservedLock(below(file), ret);
}

static int shim_control(sqlite3_file *file, int operation, void *argument)
{
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int shim_sector(sqlite3_file *file)
{
    return below(file)->pMethods->xSectorSize(below(file));
}

static int shim_device(sqlite3_file *file)
{
    return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret)
{
    FAIL_ON("xShmMap", SQLITE_IOERR_SHMMAP);
    return below(file)->pMethods->xShmMap(below(file), page, size, extend, ret);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    if (flags & SQLITE_SHM_UNLOCK)
        return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
    FAIL_ON("xShmLock", SQLITE_IOERR_SHMLOCK);
    return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}

static void shim_shm_barrier(sqlite3_file *file)
{
    below(file)->pMethods->xShmBarrier(below(file));
}

static int shim_shm_unmap(sqlite3_file *file, int remove)
{
    return below(file)->pMethods->xShmUnmap(below(file), remove);
}

static int shim_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **ret)
{
    return below(file)->pMethods->xFetch(below(file), offset, amount, ret);
}

static int shim_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
    return below(file)->pMethods->xUnfetch(below(file), offset, page);
}

static const sqlite3_io_methods all_methods = {
    3,
    shim_close,
    shim_read,
    shim_write,
    shim_truncate,
    shim_sync,
    shim_size,
    shim_lock,
    shim_unlock,
    shim_reserved,
    shim_control,
    shim_sector,
    shim_device,
    shim_shm_map,
    shim_shm_lock,
    shim_shm_barrier,
    shim_shm_unmap,
    shim_fetch,
    shim_unfetch,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
    struct shim_file *shim = (struct shim_file *)file;
    (void)vfs;
    shim->base.pMethods = NULL;
    shim->below = (sqlite3_file *)(shim + 1);
    FAIL_ON("xOpen", SQLITE_CANTOPEN);
    int rc = usual->xOpen(usual, name, shim->below, flags, ret_flags);
    if (shim->below->pMethods != NULL) {
        shim->methods = all_methods;
        shim->methods.iVersion = shim->below->pMethods->iVersion < 3 ? shim->below->pMethods->iVersion : 3;
        shim->base.pMethods = &shim->methods;
    }
    return rc;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    FAIL_ON("xDelete", SQLITE_IOERR_DELETE);
    return usual->xDelete(usual, name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
    (void)vfs;
    FAIL_ON("xAccess", SQLITE_IOERR_ACCESS);
    return usual->xAccess(usual, name, flags, ret);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *ret)
{
    (void)vfs;
    FAIL_ON("xFullPathname", SQLITE_CANTOPEN);
    return usual->xFullPathname(usual, name, size, ret);
}

void wrap_vfs_install(void)
{
    static sqlite3_vfs shim;
    if (sqlite3_initialize() != SQLITE_OK || (usual = sqlite3_vfs_find(NULL)) == NULL)
        abort();
    shim = *usual;
    shim.pNext = NULL;
    shim.zName = "torture";
    shim.szOsFile = (int)sizeof(struct shim_file) + usual->szOsFile;
    shim.xOpen = vfs_open;
    shim.xDelete = vfs_delete;
    shim.xAccess = vfs_access;
    shim.xFullPathname = vfs_full_path;
    if (sqlite3_vfs_register(&shim, 1) != SQLITE_OK)
        abort();
}
