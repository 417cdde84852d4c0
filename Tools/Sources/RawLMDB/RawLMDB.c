// Appending to LMDB with nothing in between. See RawLMDB.h.
//
// Always holds: the map is large enough from the start, so that it never grows while the clock runs.

#include "RawLMDB.h"

#include <lmdb.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double failure(int code) {
    return -(double)abs(code);
}

/// A map with room for all pages that the records and the trees above them can take.
///
/// Small transactions copy their path of pages each, and the pages that they set free are used again.
static size_t map_size(const raw_record *records, size_t count) {
    size_t bytes = 0;
    for (size_t index = 0; index < count; index++) bytes += records[index].count + 64;
    return (bytes * 4 + ((size_t)64 << 20)) & ~(size_t)0xFFFF;
}

static void store_big_endian(uint64_t value, unsigned char key[8]) {
    for (int index = 7; index >= 0; index--) {
        key[index] = (unsigned char)value;
        value >>= 8;
    }
}

/// Appends the records from `start` up to `end` in one transaction.
static int append_batch(MDB_env *env, MDB_dbi dbi, const raw_record *records, size_t start, size_t end) {
    MDB_txn *txn;
    int code = mdb_txn_begin(env, NULL, 0, &txn);
    if (code != MDB_SUCCESS) return code;
    for (size_t index = start; index < end; index++) {
        unsigned char bytes[8];
        store_big_endian((uint64_t)index + 1, bytes);
        MDB_val key = {sizeof bytes, bytes};
        MDB_val value = {records[index].count, (void *)records[index].bytes};
        code = mdb_put(txn, dbi, &key, &value, MDB_APPEND);
        if (code != MDB_SUCCESS) {
            mdb_txn_abort(txn);
            return code;
        }
    }
    return mdb_txn_commit(txn);
}

/// Opens the file and its one database.
static int open_database(MDB_env *env, const char *path, MDB_dbi *dbi) {
    int code = mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOTLS, 0600);
    if (code != MDB_SUCCESS) return code;
    MDB_txn *txn;
    code = mdb_txn_begin(env, NULL, 0, &txn);
    if (code != MDB_SUCCESS) return code;
    code = mdb_dbi_open(txn, NULL, 0, dbi);
    if (code != MDB_SUCCESS) {
        mdb_txn_abort(txn);
        return code;
    }
    return mdb_txn_commit(txn);
}

double raw_lmdb_append(const char *path, const raw_record *records, size_t count, size_t batch) {
    MDB_env *env;
    int code = mdb_env_create(&env);
    if (code != MDB_SUCCESS) return failure(code);
    MDB_dbi dbi = 0;
    code = mdb_env_set_mapsize(env, map_size(records, count));
    if (code == MDB_SUCCESS) code = open_database(env, path, &dbi);
    double start = seconds_now();
    for (size_t first = 0; code == MDB_SUCCESS && first < count; first += batch) {
        size_t end = batch < count - first ? first + batch : count;
        code = append_batch(env, dbi, records, first, end);
    }
    double seconds = seconds_now() - start;
    mdb_env_close(env);
    return code == MDB_SUCCESS ? seconds : failure(code);
}

const char *raw_lmdb_version(void) {
    return mdb_version(NULL, NULL, NULL);
}
