// Imports LMDB's C interface. Only the Swift target `LMDB` imports this module.
#ifndef LISTORY_CLMDB_SHIM_H
#define LISTORY_CLMDB_SHIM_H

#include <lmdb.h>

#ifdef __linux__
// statfs, fallocate and statx, and below renameat2, which Swift's own modules of the C library leave out.
#include <linux/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
int statx(int directory, const char *path, int flags, unsigned int mask, struct statx *status);
int fallocate(int descriptor, int mode, off_t offset, off_t length);
#endif

#ifdef __GLIBC__
int renameat2(int path_folder, const char *path, int target_folder, const char *target, unsigned int flags);
#endif

#endif
