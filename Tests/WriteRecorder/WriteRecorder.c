// See WriteRecorder.h.
//
// Always holds: when a call returns, its entry is in the record, and entries have the order of the calls, because one
// lock is held during the call and the entry.

#define _GNU_SOURCE
#include "WriteRecorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static dev_t device;
static ino_t inode;
/// How many syncs succeed before one fails; negative if none fails.
static int syncs_left = -1;

static int is_recorded(int descriptor) {
    struct stat status;
    if (record < 0 || descriptor == record || fstat(descriptor, &status) != 0) return 0;
    return status.st_dev == device && status.st_ino == inode;
}

static void put(const void *bytes, size_t count) {
    const char *rest = bytes;
    while (count > 0) {
        long done = syscall(SYS_write, record, rest, count);
        if (done <= 0) abort();
        rest += done;
        count -= (size_t)done;
    }
}

static void note(char kind, uint64_t offset, const void *bytes, uint64_t count) {
    put(&kind, 1);
    put(&offset, sizeof offset);
    put(&count, sizeof count);
    put(bytes, count);
}

static char kind_of(int descriptor) {
    return fcntl(descriptor, F_GETFL) & O_DSYNC ? 'D' : 'W';
}

int write_recorder_begin(const char *path, const char *record_path) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    int opened = open(record_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (opened < 0) return -1;
    pthread_mutex_lock(&lock);
    device = status.st_dev;
    inode = status.st_ino;
    record = opened;
    pthread_mutex_unlock(&lock);
    return 0;
}

void write_recorder_fail_sync(int after) {
    pthread_mutex_lock(&lock);
    syncs_left = after;
    pthread_mutex_unlock(&lock);
}

void write_recorder_mark(const char *text) {
    pthread_mutex_lock(&lock);
    if (record >= 0) note('M', 0, text, strlen(text));
    pthread_mutex_unlock(&lock);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    if (done > 0 && is_recorded(descriptor)) note(kind_of(descriptor), (uint64_t)offset, bytes, (uint64_t)done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    pthread_mutex_lock(&lock);
    uint64_t offset = (uint64_t)lseek(descriptor, 0, SEEK_CUR);
    ssize_t done = syscall(SYS_writev, descriptor, parts, count);
    if (done > 0 && is_recorded(descriptor)) {
        size_t rest = (size_t)done;
        for (int index = 0; index < count && rest > 0; index++) {
            size_t part = parts[index].iov_len < rest ? parts[index].iov_len : rest;
            note(kind_of(descriptor), offset, parts[index].iov_base, part);
            offset += part;
            rest -= part;
        }
    }
    pthread_mutex_unlock(&lock);
    return done;
}

static int sync_noted(long number, int descriptor) {
    pthread_mutex_lock(&lock);
    int is_ours = is_recorded(descriptor);
    if (is_ours && syncs_left == 0) {
        syncs_left = -1;
        note('F', 0, "", 0);
        pthread_mutex_unlock(&lock);
        errno = EIO;
        return -1;
    }
    if (is_ours && syncs_left > 0) syncs_left--;
    int code = (int)syscall(number, descriptor);
    if (code == 0 && is_ours) note('S', 0, "", 0);
    pthread_mutex_unlock(&lock);
    return code;
}

int fdatasync(int descriptor) { return sync_noted(SYS_fdatasync, descriptor); }
int fsync(int descriptor) { return sync_noted(SYS_fsync, descriptor); }

#else

int write_recorder_begin(const char *path, const char *record_path) { return -1; }
void write_recorder_fail_sync(int after) {}
void write_recorder_mark(const char *text) {}

#endif
