// Imports LMDB's C interface. Only the Swift target `LMDB` imports this module.
#ifndef LISTORY_CLMDB_SHIM_H
#define LISTORY_CLMDB_SHIM_H

#include <lmdb.h>

#ifdef __linux__
// statfs and fallocate, which Swift's own modules of the C library leave out.
#include <sys/types.h>
#include <sys/vfs.h>
int fallocate(int descriptor, int mode, off_t offset, off_t length);
#endif

#endif
