// The peer of the append benchmark: LMDB used directly from C, the fastest way there is to the same bytes.
//
// Always holds: nothing of the library under test is used here; every transaction is committed with a full sync.

#ifndef RAW_LMDB_H
#define RAW_LMDB_H

#include <stddef.h>

/// Bytes that somebody else owns.
typedef struct {
    const void *bytes;
    size_t count;
} raw_record;

/// Appends records under the keys 1, 2, 3 … (eight bytes, big-endian) to a new LMDB file.
///
/// @param path the file, which must not exist; its lock file will be `path` with `-lock` after it.
/// @param records the values, in order.
/// @param count how many records there are.
/// @param batch how many records are appended in one transaction, at least 1.
/// @return the seconds that appending and committing took, without opening and closing the file; below 0 an error:
/// the negated absolute value of a code of LMDB or of the operating system.
double raw_lmdb_append(const char *path, const raw_record *records, size_t count, size_t batch);

/// The version of LMDB that is linked, as text.
const char *raw_lmdb_version(void);

#endif
