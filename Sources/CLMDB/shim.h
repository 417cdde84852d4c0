// Imports LMDB's C interface. Only the Swift target `LMDB` imports this module.
#ifndef LISTORY_CLMDB_SHIM_H
#define LISTORY_CLMDB_SHIM_H

#include <lmdb.h>

#ifdef __linux__
// statfs, which Swift's own modules of the C library leave out.
#include <sys/vfs.h>
#endif

#endif
