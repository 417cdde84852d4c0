// A peer of the benchmarks: LMDB used directly from C, the fastest way to write the same bytes.
//
// Always holds: this code does not use the library under test; every transaction is committed with a full sync.

#ifndef RAW_LMDB_H
#define RAW_LMDB_H

#include <stddef.h>
#include <stdint.h>

/// Bytes that the caller owns.
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

/// An open LMDB file with one database, whose keys are integers (eight bytes, big-endian).
typedef struct raw_lmdb raw_lmdb;

/// Opens a file, or creates it.
///
/// @param map_size how far it can grow, in bytes.
/// @return 0, or a code of LMDB or of the operating system; so do all functions below.
int raw_lmdb_open(const char *path, size_t map_size, raw_lmdb **file);

/// Closes a file.
void raw_lmdb_close(raw_lmdb *file);

/// Appends records under the keys `first_key` and up, which must be greater than all before, in one transaction.
int raw_lmdb_append_batch(raw_lmdb *file, uint64_t first_key, const raw_record *records, size_t count);

/// Puts a record under a key, new or not, in a transaction of its own.
int raw_lmdb_put(raw_lmdb *file, uint64_t key, raw_record record);

/// Reads the first records.
///
/// @param total the sum of their sizes, in bytes.
int raw_lmdb_read(raw_lmdb *file, size_t count, size_t *total);

/// The version of LMDB that is linked, as text.
const char *raw_lmdb_version(void);

#endif
