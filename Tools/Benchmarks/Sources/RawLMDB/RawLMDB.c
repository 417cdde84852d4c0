// LMDB used directly. See RawLMDB.h.
//
// Always holds: the map is large enough from the start, so it never grows during a measurement.

#include "RawLMDB.h"

#include <errno.h>
#include <lmdb.h>
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

/// The size of a map for all pages of the records and of the trees above them.
///
/// Each small transaction copies its path of pages, and freed pages are used again.
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

struct raw_lmdb {
    MDB_env *env;
    MDB_dbi dbi;
};

/// Makes the one database of a file.
static int open_database(MDB_env *env, MDB_dbi *dbi) {
    MDB_txn *txn;
    int code = mdb_txn_begin(env, NULL, 0, &txn);
    if (code != MDB_SUCCESS) return code;
    code = mdb_dbi_open(txn, NULL, 0, dbi);
    if (code != MDB_SUCCESS) {
        mdb_txn_abort(txn);
        return code;
    }
    return mdb_txn_commit(txn);
}

int raw_lmdb_open(const char *path, size_t map_size, raw_lmdb **file) {
    raw_lmdb *opened = calloc(1, sizeof *opened);
    if (!opened) return ENOMEM;
    int code = mdb_env_create(&opened->env);
    if (code == MDB_SUCCESS) {
        code = mdb_env_set_mapsize(opened->env, map_size);
        if (code == MDB_SUCCESS) code = mdb_env_open(opened->env, path, MDB_NOSUBDIR | MDB_NOTLS, 0600);
        if (code == MDB_SUCCESS) code = open_database(opened->env, &opened->dbi);
        if (code != MDB_SUCCESS) mdb_env_close(opened->env);
    }
    if (code != MDB_SUCCESS) {
        free(opened);
        return code;
    }
    *file = opened;
    return MDB_SUCCESS;
}

void raw_lmdb_close(raw_lmdb *file) {
    mdb_env_close(file->env);
    free(file);
}

/// Puts records under consecutive keys, in one transaction.
static int put_all(raw_lmdb *file, uint64_t first_key, const raw_record *records, size_t count, unsigned int flags) {
    MDB_txn *txn;
    int code = mdb_txn_begin(file->env, NULL, 0, &txn);
    if (code != MDB_SUCCESS) return code;
    for (size_t index = 0; index < count; index++) {
        unsigned char bytes[8];
        store_big_endian(first_key + index, bytes);
        MDB_val key = {sizeof bytes, bytes};
        MDB_val value = {records[index].count, (void *)records[index].bytes};
        code = mdb_put(txn, file->dbi, &key, &value, flags);
        if (code != MDB_SUCCESS) {
            mdb_txn_abort(txn);
            return code;
        }
    }
    return mdb_txn_commit(txn);
}

int raw_lmdb_append_batch(raw_lmdb *file, uint64_t first_key, const raw_record *records, size_t count) {
    return put_all(file, first_key, records, count, MDB_APPEND);
}

int raw_lmdb_put(raw_lmdb *file, uint64_t key, raw_record record) {
    return put_all(file, key, &record, 1, 0);
}

int raw_lmdb_read(raw_lmdb *file, size_t count, size_t *total) {
    MDB_txn *txn;
    int code = mdb_txn_begin(file->env, NULL, MDB_RDONLY, &txn);
    if (code != MDB_SUCCESS) return code;
    MDB_cursor *cursor = NULL;
    code = mdb_cursor_open(txn, file->dbi, &cursor);
    *total = 0;
    for (size_t index = 0; code == MDB_SUCCESS && index < count; index++) {
        MDB_val key, value;
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
        if (code == MDB_SUCCESS) *total += value.mv_size;
    }
    if (cursor) mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    return code;
}

double raw_lmdb_append(const char *path, const raw_record *records, size_t count, size_t batch) {
    raw_lmdb *file;
    int code = raw_lmdb_open(path, map_size(records, count), &file);
    if (code != MDB_SUCCESS) return failure(code);
    double start = seconds_now();
    for (size_t first = 0; code == MDB_SUCCESS && first < count; first += batch) {
        size_t size = batch < count - first ? batch : count - first;
        code = raw_lmdb_append_batch(file, first + 1, records + first, size);
    }
    double seconds = seconds_now() - start;
    raw_lmdb_close(file);
    return code == MDB_SUCCESS ? seconds : failure(code);
}

const char *raw_lmdb_version(void) {
    return mdb_version(NULL, NULL, NULL);
}
