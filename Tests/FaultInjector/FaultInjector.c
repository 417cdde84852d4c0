// See FaultInjector.h.
//
// Always holds: a call that fails has not changed the file, except as its mode says.

#define _GNU_SOURCE
#include "FaultInjector.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct fault_report *fault_report_create(void) {
    void *memory = mmap(NULL, sizeof(struct fault_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void fault_report_clear(struct fault_report *report) { report->seen = report->failed = report->length = 0; }

const char *fault_report_text(const struct fault_report *report) { return report->text; }

void fault_report_add(struct fault_report *report, const char *line) {
    size_t count = strlen(line);
    if (report->length + count + 1 > sizeof report->text) abort();
    memcpy(report->text + report->length, line, count);
    report->text[report->length + count] = '\n';
    report->length += count + 1;
}

#if defined(__linux__) && defined(__GLIBC__)
#include <link.h>
#include <sys/syscall.h>

static struct fault_report *current;
static enum fault_kind chosen_kind;
static enum fault_mode chosen_mode;
static long chosen_number;
static char folder[PATH_MAX];
static size_t folder_length;
static atomic_long seen;
/// Where the code of LMDB is.
static uintptr_t engine_start, engine_end;

static int find_engine(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (strstr(info->dlpi_name, "liblmdb") == NULL) return 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        engine_start = info->dlpi_addr + part->p_vaddr;
        engine_end = engine_start + part->p_memsz;
    }
    return 1;
}

void faults_begin(struct fault_report *report, const char *path, enum fault_kind kind, enum fault_mode mode, long number) {
    dl_iterate_phdr(find_engine, NULL);
    if (realpath(path, folder) == NULL) abort();
    folder_length = strlen(folder);
    chosen_kind = kind;
    chosen_mode = mode;
    chosen_number = number;
    atomic_store(&seen, 0);
    current = report;
}

void faults_end(void) { current = NULL; }

static void be_killed(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/// Whether this call is to fail.
static int is_chosen(enum fault_kind kind) {
    if (current == NULL || kind != chosen_kind) return 0;
    long number = atomic_fetch_add(&seen, 1) + 1;
    current->seen = number;
    int fails = chosen_mode == fault_for_ever ? number >= chosen_number : number == chosen_number;
    if (!fails) return 0;
    current->failed++;
    if (chosen_mode == fault_end) abort();
    if (chosen_mode == fault_kill) be_killed();
    return 1;
}

/// Whether a path is the folder, or in it.
static int is_inside(const char *path) {
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int is_of_folder(int descriptor) {
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(name, path, sizeof path - 1);
    if (count <= 0) return 0;
    path[count] = 0;
    return is_inside(path);
}

static int fails_on(enum fault_kind kind, int descriptor) {
    return current != NULL && kind == chosen_kind && is_of_folder(descriptor) && is_chosen(kind);
}

static int fails_at(enum fault_kind kind, const char *path) {
    return current != NULL && kind == chosen_kind && is_inside(path) && is_chosen(kind);
}

static int error_number(void) {
    switch (chosen_kind) {
    case fault_write: return chosen_mode == fault_for_ever ? ENOSPC : EIO;
    case fault_truncate: return ENOSPC;
    case fault_map: case fault_memory: return ENOMEM;
    case fault_open: return EMFILE;
    case fault_hole: return chosen_mode == fault_for_ever ? EOPNOTSUPP : EIO;
    default: return EIO;
    }
}

/// What a failing call without a half returns.
static int refuse(void) {
    if (chosen_mode == fault_lie) return 0;
    errno = error_number();
    return -1;
}

/// For a call that is done: kills the process if that is the mode.
static long done(long result) {
    if (chosen_mode == fault_kill_after) be_killed();
    return result;
}

/// The descriptors through which a sync that failed once has not been reported yet: Linux reports it once through each that was
/// open, also when they write with O_DSYNC.
static unsigned char owes_error[1024];

static void owe_error(int descriptor) {
    struct stat failed, other;
    if (fstat(descriptor, &failed) != 0) return;
    for (int index = 0; index < (int)sizeof owes_error; index++)
        owes_error[index] = index != descriptor && fstat(index, &other) == 0 && S_ISREG(other.st_mode) &&
                            other.st_dev == failed.st_dev && other.st_ino == failed.st_ino;
}

static int pays_error(int descriptor) {
    if (descriptor < 0 || descriptor >= (int)sizeof owes_error || !owes_error[descriptor]) return 0;
    owes_error[descriptor] = 0;
    errno = EIO;
    return 1;
}

/// After a write through a descriptor: what that reports.
static ssize_t written(int descriptor, ssize_t count) {
    int is_synced = current != NULL && chosen_kind == fault_sync && (fcntl(descriptor, F_GETFL) & O_DSYNC);
    return is_synced && pays_error(descriptor) ? -1 : count;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (fails_on(fault_write, descriptor)) {
        if (chosen_mode == fault_kill_after) return done(syscall(SYS_pwrite64, descriptor, bytes, count, offset));
        if (chosen_mode == fault_lie) return (ssize_t)count;
        if (chosen_mode == fault_half || chosen_mode == fault_torn) {
            ssize_t done = syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset);
            if (chosen_mode == fault_half) return done;
        }
        return refuse();
    }
    return written(descriptor, syscall(SYS_pwrite64, descriptor, bytes, count, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (fails_on(fault_write, descriptor)) {
        if (chosen_mode == fault_kill_after) return done(syscall(SYS_write, descriptor, bytes, count));
        if (chosen_mode == fault_lie) return (ssize_t)count;
        if (chosen_mode == fault_half || chosen_mode == fault_torn) {
            ssize_t done = syscall(SYS_write, descriptor, bytes, count / 2);
            if (chosen_mode == fault_half) return done;
        }
        return refuse();
    }
    return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (fails_on(fault_write, descriptor)) {
        if (chosen_mode == fault_kill_after) return done(syscall(SYS_writev, descriptor, parts, count));
        size_t size = 0;
        for (int index = 0; index < count; index++) size += parts[index].iov_len;
        if (chosen_mode == fault_lie) {
            lseek(descriptor, (off_t)size, SEEK_CUR);
            return (ssize_t)size;
        }
        if (chosen_mode == fault_half || chosen_mode == fault_torn) {
            ssize_t done = syscall(SYS_writev, descriptor, parts, (count + 1) / 2);
            if (chosen_mode == fault_half && count > 1) return done;
        }
        return refuse();
    }
    return syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    if (fails_on(fault_read, descriptor)) {
        if (chosen_mode != fault_half) return refuse();
        count = count / 2;
    }
    return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
    return pread(descriptor, bytes, count, offset);
}

static int sync_call(long call, int descriptor) {
    if (fails_on(fault_sync, descriptor)) {
        if (chosen_mode == fault_kill_after) return (int)done(syscall(call, descriptor));
        if (chosen_mode == fault_once) owe_error(descriptor);
        return refuse();
    }
    return pays_error(descriptor) ? -1 : (int)syscall(call, descriptor);
}

int fsync(int descriptor) { return sync_call(SYS_fsync, descriptor); }

int fdatasync(int descriptor) { return sync_call(SYS_fdatasync, descriptor); }

static int semaphore_call(const char *name, sem_t *semaphore) {
    int is_last = current != NULL && chosen_kind == fault_lock && is_chosen(fault_lock);
    int result = ((int (*)(sem_t *))dlsym(RTLD_NEXT, name))(semaphore);
    return is_last ? (int)done(result) : result;
}

int sem_wait(sem_t *semaphore) { return semaphore_call("sem_wait", semaphore); }

int sem_trywait(sem_t *semaphore) { return semaphore_call("sem_trywait", semaphore); }

int sem_post(sem_t *semaphore) { return semaphore_call("sem_post", semaphore); }

int ftruncate(int descriptor, off_t length) {
    return fails_on(fault_truncate, descriptor) ? refuse() : (int)syscall(SYS_ftruncate, descriptor, length);
}

int truncate(const char *path, off_t length) {
    return fails_at(fault_truncate, path) ? refuse() : (int)syscall(SYS_truncate, path, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    if (fails_on(fault_truncate, descriptor)) return chosen_mode == fault_lie ? 0 : error_number();
    return syscall(SYS_fallocate, descriptor, 0, offset, length) == 0 ? 0 : errno;
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    if (fails_on(fault_hole, descriptor)) {
        if (chosen_mode != fault_kill_after) return refuse();
        return (int)done(syscall(SYS_fallocate, descriptor, mode, offset, length));
    }
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}

void *mmap(void *address, size_t count, int protection, int flags, int descriptor, off_t offset) {
    if (descriptor >= 0 && fails_on(fault_map, descriptor)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, count, protection, flags, descriptor, offset);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (fails_at(fault_open, path)) return refuse();
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (descriptor >= 0 && descriptor < (int)sizeof owes_error) owes_error[descriptor] = 0;
    return descriptor;
}

int rename(const char *path, const char *target) {
    if (fails_at(fault_rename, path)) return refuse();
    return (int)syscall(SYS_renameat, AT_FDCWD, path, AT_FDCWD, target);
}

int renameat2(int path_folder, const char *path, int target_folder, const char *target, unsigned int flags) {
    if (fails_at(fault_rename, path)) return refuse();
    return (int)syscall(SYS_renameat2, path_folder, path, target_folder, target, flags);
}

int unlink(const char *path) {
    return fails_at(fault_remove, path) ? refuse() : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

// Memory. Only calls of LMDB's code may fail. Sanitizers have allocators of their own.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER
#endif
#endif
#ifndef HAS_SANITIZER

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int fails_in_engine(void *caller) {
    uintptr_t place = (uintptr_t)caller;
    if (current == NULL || chosen_kind != fault_memory || place < engine_start || place >= engine_end) return 0;
    if (!is_chosen(fault_memory)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t count) {
    return fails_in_engine(__builtin_return_address(0)) ? NULL : __libc_malloc(count);
}

void *calloc(size_t count, size_t size) {
    return fails_in_engine(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t count) {
    return fails_in_engine(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, count);
}

int posix_memalign(void **memory, size_t alignment, size_t count) {
    if (fails_in_engine(__builtin_return_address(0))) return ENOMEM;
    void *result = __libc_memalign(alignment, count);
    if (result == NULL) return ENOMEM;
    *memory = result;
    return 0;
}

char *strdup(const char *text) {
    if (fails_in_engine(__builtin_return_address(0))) return NULL;
    size_t count = strlen(text) + 1;
    char *copy = __libc_malloc(count);
    return copy == NULL ? NULL : memcpy(copy, text, count);
}

#endif

int file_system_shutdown(const char *path) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0) return errno;
    uint32_t flags = 2;
    int code = ioctl(descriptor, 0x8004587D, &flags) == 0 ? 0 : errno;
    close(descriptor);
    return code;
}

#else

void faults_begin(struct fault_report *report, const char *folder, enum fault_kind kind, enum fault_mode mode, long number) {}
void faults_end(void) {}
int file_system_shutdown(const char *path) { return ENOTSUP; }

#endif
