// See WriteRecorder.h.
//
// Always holds: when a call returns, its entry is in the record, and entries have the order of the calls, because one
// lock is held during the call and the entry.

#define _GNU_SOURCE
#include "WriteRecorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
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
/// The file that is written to, or -1. Until a recording begins, every call goes straight to the system: a process with a
/// pipe, for example, waits in `open`, and must not keep the lock.
static _Atomic int record = -1;
static char folder[PATH_MAX];
static dev_t device;
static ino_t folder_inode;
/// The recorded files; the number of one is its index and 1. A file without a name may still be written.
static ino_t inodes[65536];
static unsigned file_count;
/// How many syncs succeed before some fail, and how many fail then.
static int syncs_left = -1;
static int failing_syncs = 0;
static unsigned sync_delay = 0;

/// The number of a file, 0 if it is not recorded. The newest file that had the inode is meant.
static uint64_t file_of_inode(const struct stat *status) {
    if (record < 0 || status->st_dev != device || !S_ISREG(status->st_mode)) return 0;
    for (unsigned index = file_count; index > 0; index--)
        if (inodes[index - 1] == status->st_ino) return index;
    return 0;
}

static uint64_t file_of(int descriptor) {
    struct stat status;
    if (record < 0 || descriptor == record || fstat(descriptor, &status) != 0) return 0;
    return file_of_inode(&status);
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

static void note(char kind, uint64_t file, uint64_t offset, const void *bytes, uint64_t count) {
    put(&kind, 1);
    put(&file, sizeof file);
    put(&offset, sizeof offset);
    put(&count, sizeof count);
    put(bytes, count);
}

static void note_name(char kind, ino_t inode, const char *name) {
    if (file_count == sizeof inodes / sizeof inodes[0]) abort();
    inodes[file_count++] = inode;
    note(kind, file_count, 0, name, strlen(name));
}

static char kind_of(int descriptor) {
    return fcntl(descriptor, F_GETFL) & O_DSYNC ? 'D' : 'W';
}

/// The name of a path directly in the folder; NULL if it is elsewhere, or a lock file.
static const char *name_of(const char *path) {
    size_t count = strlen(folder);
    if (record < 0 || strncmp(path, folder, count) != 0 || path[count] != '/') return NULL;
    const char *name = path + count + 1;
    size_t length = strlen(name);
    if (length == 0 || strchr(name, '/') != NULL) return NULL;
    return length > 5 && strcmp(name + length - 5, "-lock") == 0 ? NULL : name;
}

int write_recorder_begin(const char *path, const char *record_path) {
    struct stat status;
    if (stat(path, &status) != 0 || realpath(path, folder) == NULL) return -1;
    int opened = open(record_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    DIR *entries = opendir(path);
    if (opened < 0 || entries == NULL) return -1;
    pthread_mutex_lock(&lock);
    device = status.st_dev;
    folder_inode = status.st_ino;
    record = opened;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char file[PATH_MAX + 256];
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        if (name_of(file) != NULL && stat(file, &status) == 0 && S_ISREG(status.st_mode))
            note_name('N', status.st_ino, entry->d_name);
    }
    pthread_mutex_unlock(&lock);
    closedir(entries);
    return 0;
}

void write_recorder_fail_syncs(int after, int count) {
    pthread_mutex_lock(&lock);
    syncs_left = after;
    failing_syncs = count;
    pthread_mutex_unlock(&lock);
}

void write_recorder_delay_syncs(unsigned microseconds) { sync_delay = microseconds; }

void write_recorder_mark(const char *text) {
    pthread_mutex_lock(&lock);
    if (record >= 0) note('M', 0, 0, text, strlen(text));
    pthread_mutex_unlock(&lock);
}

// Names.

static int open_noted(const char *path, int flags, mode_t mode) {
    if (record < 0) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&lock);
    const char *name = name_of(path);
    struct stat before, after;
    int was_there = name != NULL && stat(path, &before) == 0;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor >= 0 && name != NULL && fstat(descriptor, &after) == 0 && S_ISREG(after.st_mode)) {
        if (!was_there) note_name('C', after.st_ino, name);
        else if (flags & O_TRUNC) note('T', file_of(descriptor), 0, "", 0);
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_noted(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_noted(path, flags, mode);
}

// Paths that are not absolute are in the working folder: nobody here gives another one.
int renameat2(int path_folder, const char *path, int target_folder, const char *target, unsigned int flags) {
    if (record < 0) return (int)syscall(SYS_renameat2, path_folder, path, target_folder, target, flags);
    pthread_mutex_lock(&lock);
    int code = (int)syscall(SYS_renameat2, path_folder, path, target_folder, target, flags);
    const char *from = name_of(path), *to = name_of(target);
    if (code == 0 && from != NULL && to != NULL) {
        char names[2 * NAME_MAX + 2];
        int count = snprintf(names, sizeof names, "%s%c%s", from, 0, to);
        note('R', 0, 0, names, (uint64_t)count);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int rename(const char *path, const char *target) { return renameat2(AT_FDCWD, path, AT_FDCWD, target, 0); }

int unlink(const char *path) {
    if (record < 0) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&lock);
    int code = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    const char *name = name_of(path);
    if (code == 0 && name != NULL) note('U', 0, 0, name, strlen(name));
    pthread_mutex_unlock(&lock);
    return code;
}

// Contents.

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (record < 0) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    uint64_t file = done > 0 ? file_of(descriptor) : 0;
    if (file != 0) note(kind_of(descriptor), file, (uint64_t)offset, bytes, (uint64_t)done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (record < 0) return syscall(SYS_writev, descriptor, parts, count);
    pthread_mutex_lock(&lock);
    uint64_t offset = (uint64_t)lseek(descriptor, 0, SEEK_CUR);
    ssize_t done = syscall(SYS_writev, descriptor, parts, count);
    uint64_t file = done > 0 ? file_of(descriptor) : 0;
    if (file != 0) {
        size_t rest = (size_t)done;
        for (int index = 0; index < count && rest > 0; index++) {
            size_t part = parts[index].iov_len < rest ? parts[index].iov_len : rest;
            note(kind_of(descriptor), file, offset, parts[index].iov_base, part);
            offset += part;
            rest -= part;
        }
    }
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int descriptor, off_t length) {
    if (record < 0) return (int)syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&lock);
    int code = (int)syscall(SYS_ftruncate, descriptor, length);
    uint64_t file = code == 0 ? file_of(descriptor) : 0;
    if (file != 0) note('T', file, (uint64_t)length, "", 0);
    pthread_mutex_unlock(&lock);
    return code;
}

int truncate(const char *path, off_t length) {
    if (record < 0) return (int)syscall(SYS_truncate, path, length);
    pthread_mutex_lock(&lock);
    int code = (int)syscall(SYS_truncate, path, length);
    struct stat status;
    uint64_t file = code == 0 && stat(path, &status) == 0 ? file_of_inode(&status) : 0;
    if (file != 0) note('T', file, (uint64_t)length, "", 0);
    pthread_mutex_unlock(&lock);
    return code;
}

/// A hole is noted as zeros that are written. Other ways to allocate space do not change bytes.
int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    if (record < 0) return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    pthread_mutex_lock(&lock);
    int code = (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    uint64_t file = code == 0 && mode & FALLOC_FL_PUNCH_HOLE ? file_of(descriptor) : 0;
    void *zeros = file == 0 ? NULL : calloc(1, (size_t)length);
    if (file != 0 && zeros == NULL) abort();
    if (file != 0) note('W', file, (uint64_t)offset, zeros, (uint64_t)length);
    free(zeros);
    pthread_mutex_unlock(&lock);
    return code;
}

static int sync_noted(long number, int descriptor) {
    struct stat status;
    if (record < 0) return (int)syscall(number, descriptor);
    if (sync_delay > 0 && file_of(descriptor) != 0) usleep(sync_delay);
    pthread_mutex_lock(&lock);
    uint64_t file = file_of(descriptor);
    if (file != 0 && syncs_left == 0 && failing_syncs > 0) {
        failing_syncs--;
        note('F', file, 0, "", 0);
        pthread_mutex_unlock(&lock);
        errno = EIO;
        return -1;
    }
    if (file != 0 && syncs_left > 0) syncs_left--;
    int code = (int)syscall(number, descriptor);
    if (code == 0 && file != 0) note('S', file, 0, "", 0);
    if (code == 0 && record >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == device
        && status.st_ino == folder_inode)
        note('P', 0, 0, "", 0);
    pthread_mutex_unlock(&lock);
    return code;
}

int fdatasync(int descriptor) { return sync_noted(SYS_fdatasync, descriptor); }
int fsync(int descriptor) { return sync_noted(SYS_fsync, descriptor); }

#else

int write_recorder_begin(const char *folder, const char *record_path) { return -1; }
void write_recorder_fail_syncs(int after, int count) {}
void write_recorder_delay_syncs(unsigned microseconds) {}
void write_recorder_mark(const char *text) {}

#endif
