// The functions of the C library and of Dispatch that a schedule takes over. See Scheduler.h.
//
// Always holds: in a thread of no schedule, each of them is the system's function. In a thread of a schedule, none of them
// waits in the system while it has the token.

#define _GNU_SOURCE
#include "World.h"

const char *const call_names[] = {
    "point", "yield", "lock", "trylock", "unlock", "wait", "signal", "broadcast", "create thread", "join", "sleep", "open",
    "close", "read", "write", "sync", "truncate", "rename", "remove", "lock file", "async", "after", "wait for semaphore",
    "signal semaphore", "reserve", "watch", "meet",
};

#if defined(__linux__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The system's functions.

#define REAL(name) ((__typeof__(&name))real(&real_##name, #name))
#define DECLARE(name) static _Atomic(void *) real_##name

DECLARE(syscall); DECLARE(pthread_mutex_lock); DECLARE(pthread_mutex_trylock); DECLARE(pthread_mutex_unlock);
DECLARE(pthread_cond_wait); DECLARE(pthread_cond_timedwait); DECLARE(pthread_cond_clockwait);
DECLARE(pthread_cond_signal); DECLARE(pthread_cond_broadcast); DECLARE(pthread_create); DECLARE(pthread_join);

static void *real(_Atomic(void *) *place, const char *name) {
    void *found = *place;
    if (found != NULL) return found;
    // The conditions have an old version, which is another function.
    found = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    if (found == NULL) found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    *place = found;
    return found;
}

#define SYSTEM(...) (REAL(syscall)(__VA_ARGS__))

long futex(_Atomic uint32_t *word, int operation, uint32_t value, const void *time) {
    return SYSTEM(SYS_futex, word, operation, value, time, NULL, 0);
}

// Which calls count: those of this program and of LMDB. The runtime's own locks are no part of what is explored, but a
// thread that finds one taken has to wait as well.

static struct { uintptr_t start, end; } codes[2];
static int code_count;

static int find_code(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (info->dlpi_name[0] != 0 && strstr(info->dlpi_name, "liblmdb") == NULL) return 0;
    for (int index = 0; index < info->dlpi_phnum && code_count < 2; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        codes[code_count].start = info->dlpi_addr + part->p_vaddr;
        codes[code_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

static int is_ours(const void *caller) {
    for (int index = 0; index < code_count; index++)
        if ((uintptr_t)caller >= codes[index].start && (uintptr_t)caller < codes[index].end) return 1;
    return 0;
}

#define CALLER __builtin_return_address(0)
#define POINT(call, object) do { if (is_ours(CALLER)) point(call, object); } while (0)

uint32_t object_number(const void *object) {
    enum { count = 1 << 14 };
    static struct { uintptr_t address; uint32_t number; } known[count];
    static uint32_t last;
    uintptr_t address = (uintptr_t)object;
    if (address == 0) return 0;
    if (address < 4096) return (uint32_t)address;
    for (size_t index = address / 16 % count;; index = (index + 1) % count) {
        if (known[index].address == address) return known[index].number;
        if (known[index].address != 0) continue;
        if (last == count / 2) return 0;
        known[index].address = address;
        return known[index].number = 10000 + ++last;
    }
}

// Mutexes.

/// Whether it may be in memory that processes share.
static int is_shared(const pthread_mutex_t *mutex) { return (mutex->__data.__kind & (16 | 128)) != 0; }

static int lock_mutex(pthread_mutex_t *mutex) {
    if (world->ignores_shared_locks && is_shared(mutex)) return 0;
    while (1) {
        int code = REAL(pthread_mutex_trylock)(mutex);
        if (code != EBUSY) return code;
        if (is_shared(mutex)) block(wait_shared, NULL, -1);
        else block(wait_mutex, mutex, -1);
    }
}

static int unlock_mutex(pthread_mutex_t *mutex) {
    if (world->ignores_shared_locks && is_shared(mutex)) return 0;
    int shared = is_shared(mutex), code = REAL(pthread_mutex_unlock)(mutex);
    if (shared) wake_all(wait_shared, NULL);
    else wake_all(wait_mutex, mutex);
    return code;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (me < 0) return REAL(pthread_mutex_lock)(mutex);
    POINT(call_lock, mutex);
    return lock_mutex(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (me >= 0) POINT(call_try_lock, mutex);
    return REAL(pthread_mutex_trylock)(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (me < 0) return REAL(pthread_mutex_unlock)(mutex);
    int code = unlock_mutex(mutex);
    POINT(call_unlock, mutex);
    return code;
}

// Conditions. Those of a schedule are only a place to wait.

static int wait_condition_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline) {
    note_call(call_wait, condition);
    unlock_mutex(mutex);
    int is_late = block(wait_condition, condition, deadline);
    lock_mutex(mutex);
    return is_late ? ETIMEDOUT : 0;
}

/// The difference between the two clocks of a schedule: the wall clock shows a time in 2023.
static const int64_t wall_offset = 1700000000000000000;

static int64_t nanoseconds(const struct timespec *time) {
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/// A moment by one of the two clocks.
static int64_t moment_of(const struct timespec *time) {
    int64_t moment = nanoseconds(time);
    return moment >= wall_offset ? moment - wall_offset : moment;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (me < 0) return REAL(pthread_cond_wait)(condition, mutex);
    return wait_condition_until(condition, mutex, -1);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    if (me < 0) return REAL(pthread_cond_timedwait)(condition, mutex, time);
    return wait_condition_until(condition, mutex, moment_of(time));
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time
) {
    if (me < 0) return REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
    return wait_condition_until(condition, mutex, moment_of(time));
}

int pthread_cond_signal(pthread_cond_t *condition) {
    if (me < 0) return REAL(pthread_cond_signal)(condition);
    POINT(call_signal, condition);
    if (!once_in(world->loss_rate)) wake_one(wait_condition, condition);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    if (me < 0) return REAL(pthread_cond_broadcast)(condition);
    POINT(call_broadcast, condition);
    if (!once_in(world->loss_rate)) wake_all(wait_condition, condition);
    return 0;
}

// Threads.

struct beginning {
    void *(*body)(void *);
    void *argument;
    int task;
};

static pthread_key_t end_key;

/// Runs after the destructors of other keys, which may use locks: those run in earlier rounds.
static void end_thread(void *round) {
    if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(end_key, (char *)round + 1);
    else finish_task();
}

static void *run_thread(void *memory) {
    struct beginning beginning = *(struct beginning *)memory;
    free(memory);
    begin_task(beginning.task);
    pthread_setspecific(end_key, (void *)1);
    return beginning.body(beginning.argument);
}

static int start_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    struct beginning *beginning = malloc(sizeof *beginning);
    *beginning = (struct beginning){body, argument, add_task(world->tasks[me].process)};
    int task = beginning->task, code = REAL(pthread_create)(thread, attributes, run_thread, beginning);
    if (code != 0) abort();
    world->tasks[task].thread = (uint64_t)*thread;
    return task;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (me < 0) return REAL(pthread_create)(thread, attributes, body, argument);
    start_thread(thread, attributes, body, argument);
    point(call_create, NULL);
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    if (me < 0) return REAL(pthread_join)(thread, result);
    point(call_join, NULL);
    for (int index = world->task_count - 1; index >= 0; index--) {
        struct schedule_task *task = &world->tasks[index];
        if (task->process != world->tasks[me].process || task->thread != (uint64_t)thread) continue;
        while (task->state != task_finished) block(wait_thread, task, -1);
        break;
    }
    return REAL(pthread_join)(thread, result);
}

int sched_yield(void) {
    if (me < 0) return (int)SYSTEM(SYS_sched_yield);
    yield_to_others();
    return 0;
}

// The clock.

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (me < 0 || clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID)
        return (int)SYSTEM(SYS_clock_gettime, clock, time);
    // A loop that looks at the clock comes to an end.
    world->clock += 100;
    int isWall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    int64_t now = world->clock + (isWall ? wall_offset : 0);
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

static void sleep_for(int64_t nanoseconds) {
    note_call(call_sleep, NULL);
    block(wait_time, NULL, world->clock + nanoseconds);
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
    if (me < 0) return (int)SYSTEM(SYS_nanosleep, time, rest);
    sleep_for(nanoseconds(time));
    return 0;
}

int usleep(useconds_t microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    return nanosleep(&time, NULL);
}

unsigned sleep(unsigned seconds) {
    struct timespec time = {seconds, 0};
    nanosleep(&time, NULL);
    return 0;
}

// Random numbers.

static void fill_random(void *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) ((uint8_t *)bytes)[index] = (uint8_t)schedule_random(256);
}

int getentropy(void *bytes, size_t count) {
    if (me >= 0) fill_random(bytes, count);
    else if (SYSTEM(SYS_getrandom, bytes, count, 0) < 0) return -1;
    return 0;
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    if (me < 0) return SYSTEM(SYS_getrandom, bytes, count, flags);
    fill_random(bytes, count);
    return (ssize_t)count;
}

/// Swift's mutexes and its random numbers.
long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long words[6];
    for (int index = 0; index < 6; index++) words[index] = va_arg(rest, long);
    va_end(rest);
    if (me >= 0 && number == SYS_getrandom) return getrandom((void *)words[0], (size_t)words[1], (unsigned)words[2]);
    if (me >= 0 && number == SYS_futex) {
        _Atomic uint32_t *word = (_Atomic uint32_t *)words[0];
        switch (words[1] & 127) {
        case 6:  // FUTEX_LOCK_PI: the owner may release it without a call.
            while (SYSTEM(SYS_futex, word, 8 /* FUTEX_TRYLOCK_PI */, 0, NULL, NULL, 0) != 0) yield_to_others();
            return 0;
        case 0: case 9:  // FUTEX_WAIT
            if (atomic_load(word) != (uint32_t)words[2]) {
                errno = EAGAIN;
                return -1;
            }
            block(wait_word, word, -1);
            return 0;
        case 1: case 10:  // FUTEX_WAKE
            wake_all(wait_word, word);
            break;
        default: break;
        }
    }
    return SYSTEM(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

// Files.

static int open_file(const char *path, int flags, mode_t mode) {
    return (int)SYSTEM(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                      \
        va_list rest;                                                                                                 \
        va_start(rest, flags);                                                                                        \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                     \
        va_end(rest);                                                                                                 \
        if (me >= 0) POINT(call_open, NULL);                                                                          \
        return open_file(path, flags, mode);                                                                          \
    }
OPEN(open)
OPEN(open64)

/// Locks may have been released.
static int released(int code) {
    if (me >= 0) wake_all(wait_shared, NULL);
    return code;
}

int close(int descriptor) {
    if (me >= 0) POINT(call_close, (void *)(intptr_t)descriptor);
    return released((int)SYSTEM(SYS_close, descriptor));
}

int flock(int descriptor, int operation) {
    if (me < 0) return (int)SYSTEM(SYS_flock, descriptor, operation);
    POINT(call_file_lock, (void *)(intptr_t)descriptor);
    if (world->ignores_shared_locks) return 0;
    while (SYSTEM(SYS_flock, descriptor, operation | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK || operation & LOCK_NB) return -1;
        block(wait_shared, NULL, -1);
    }
    return released(0);
}

static int control(const void *caller, int descriptor, int command, void *argument) {
    int isLock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (me < 0 || !isLock) return (int)SYSTEM(SYS_fcntl, descriptor, command, argument);
    if (is_ours(caller)) point(call_file_lock, (void *)(intptr_t)descriptor);
    int attempt = command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : command;
    while (SYSTEM(SYS_fcntl, descriptor, attempt, argument) != 0) {
        if (errno == EINTR) continue;
        if ((errno != EAGAIN && errno != EACCES) || attempt == command) return -1;
        block(wait_shared, NULL, -1);
    }
    return released(0);
}

#define CONTROL(name)                                                                                                 \
    int name(int descriptor, int command, ...) {                                                                      \
        va_list rest;                                                                                                 \
        va_start(rest, command);                                                                                      \
        void *argument = va_arg(rest, void *);                                                                        \
        va_end(rest);                                                                                                 \
        return control(CALLER, descriptor, command, argument);                                                        \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

// Watching files.

/// Nothing is ever in it. The system has few of the real ones.
int inotify_init1(int flags) {
    if (me < 0) return (int)SYSTEM(SYS_inotify_init1, flags);
    return (int)SYSTEM(SYS_eventfd2, 0, flags);
}

int inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
    struct stat status;
    if (me < 0) return (int)SYSTEM(SYS_inotify_add_watch, descriptor, path, mask);
    if (world->watch_count == maximum_watches || stat(path, &status) != 0) {
        errno = ENOSPC;
        return -1;
    }
    world->watches[world->watch_count++] = (struct schedule_watch){
        status.st_dev, status.st_ino, world->tasks[me].process, descriptor, 0,
    };
    return 1;
}

/// Tells those who watch a file that it was written to.
static ssize_t written(int descriptor, ssize_t result) {
    struct stat status;
    if (me < 0 || result < 0 || world->watch_count == 0 || fstat(descriptor, &status) != 0) return result;
    for (int index = 0; index < world->watch_count; index++) {
        struct schedule_watch *watch = &world->watches[index];
        if (watch->device == status.st_dev && watch->inode == status.st_ino) watch->isWritten = 1;
    }
    wake_all(wait_watch, NULL);
    return result;
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    if (me >= 0) POINT(call_read, (void *)(intptr_t)descriptor);
    return SYSTEM(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
    if (me >= 0) POINT(call_read, (void *)(intptr_t)descriptor);
    return SYSTEM(SYS_pread64, descriptor, bytes, count, offset);
}

/// A process may be killed after a part of its write.
static int dies_within(size_t count) {
    return me >= 0 && count > 512 && world->kills < world->kill_count && once_in(world->kill_rate / 32 + 1);
}

static ssize_t write_at(const void *caller, int descriptor, const void *bytes, size_t count, off_t offset) {
    if (me >= 0 && is_ours(caller)) {
        point(call_write, (void *)(intptr_t)descriptor);
        if (dies_within(count)) {
            SYSTEM(SYS_pwrite64, descriptor, bytes, schedule_random(count / 512) * 512, offset);
            kill_process(world->tasks[me].process);
        }
    }
    return written(descriptor, SYSTEM(SYS_pwrite64, descriptor, bytes, count, offset));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(CALLER, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(CALLER, descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (me >= 0) POINT(call_write, (void *)(intptr_t)descriptor);
    return written(descriptor, SYSTEM(SYS_write, descriptor, bytes, count));
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (me >= 0) POINT(call_write, (void *)(intptr_t)descriptor);
    return written(descriptor, SYSTEM(SYS_writev, descriptor, parts, count));
}

int fsync(int descriptor) {
    if (me >= 0) POINT(call_sync, (void *)(intptr_t)descriptor);
    return (int)SYSTEM(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    if (me >= 0) POINT(call_sync, (void *)(intptr_t)descriptor);
    return (int)SYSTEM(SYS_fdatasync, descriptor);
}

int ftruncate(int descriptor, off_t length) {
    if (me >= 0) POINT(call_truncate, (void *)(intptr_t)descriptor);
    return (int)SYSTEM(SYS_ftruncate, descriptor, length);
}

int truncate(const char *path, off_t length) {
    if (me >= 0) POINT(call_truncate, NULL);
    return (int)SYSTEM(SYS_truncate, path, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t count) {
    if (me >= 0) POINT(call_reserve, (void *)(intptr_t)descriptor);
    return SYSTEM(SYS_fallocate, descriptor, 0, offset, count) == 0 ? 0 : errno;
}

int fallocate(int descriptor, int mode, off_t offset, off_t count) {
    if (me >= 0) POINT(call_reserve, (void *)(intptr_t)descriptor);
    return (int)SYSTEM(SYS_fallocate, descriptor, mode, offset, count);
}

int rename(const char *path, const char *target) {
    if (me >= 0) POINT(call_rename, NULL);
    return (int)SYSTEM(SYS_renameat, AT_FDCWD, path, AT_FDCWD, target);
}

int renameat2(int path_folder, const char *path, int target_folder, const char *target, unsigned int flags) {
    if (me >= 0) POINT(call_rename, NULL);
    return (int)SYSTEM(SYS_renameat2, path_folder, path, target_folder, target, flags);
}

int unlink(const char *path) {
    if (me >= 0) POINT(call_remove, NULL);
    return (int)SYSTEM(SYS_unlinkat, AT_FDCWD, path, 0);
}

// Dispatch. The blocks of a queue run in their order on a thread of the schedule; the queue itself stays empty.

struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
};

static void *(*copy_block)(const void *);
static void (*release_block)(const void *);
static void (*retain_object)(void *), (*release_object)(void *);
static long (*real_semaphore_wait)(void *, uint64_t), (*real_semaphore_signal)(void *);

/// A piece of work: a block, or a job of Swift's tasks.
struct job {
    struct job *next;
    void (*run)(void *);
    void *context;
};

/// A source of Dispatch: it watches a file.
struct source {
    struct source *next;
    void *queue, *handler, *cancel_handler;
    int descriptor, is_cancelled;
};

/// A queue that has work.
struct queue {
    struct queue *next;
    void *object;
    struct job *first, **end;
};

/// A thread that runs the work of a queue, or waits until a moment to put a job into one.
struct worker {
    struct worker *next;
    struct queue *queue;
    struct job *job;
    void *object;
    int64_t deadline;
    struct source *source;
};

static struct queue *queues;
static struct worker *idle_workers;

static void put_job(void *object, struct job *job);

static void run_queue(struct queue *queue) {
    while (queue->first != NULL) {
        struct job *job = queue->first;
        queue->first = job->next;
        if (queue->first == NULL) queue->end = &queue->first;
        job->run(job->context);
        free(job);
    }
    struct queue **place = &queues;
    while (*place != queue) place = &(*place)->next;
    *place = queue->next;
    if (queue->object != NULL) release_object(queue->object);
    free(queue);
}

static void watch_source(struct source *source);

static void *work(void *memory) {
    struct worker *worker = memory;
    while (1) {
        if (worker->source != NULL) watch_source(worker->source);
        if (worker->queue != NULL) run_queue(worker->queue);
        if (worker->job != NULL) {
            while (world->clock < worker->deadline) block(wait_time, NULL, worker->deadline);
            put_job(worker->object, worker->job);
            if (worker->object != NULL) release_object(worker->object);
        }
        worker->queue = NULL;
        worker->job = NULL;
        worker->source = NULL;
        worker->next = idle_workers;
        idle_workers = worker;
        while (worker->queue == NULL && worker->job == NULL && worker->source == NULL) block(wait_work, worker, -1);
    }
    return NULL;
}

/// Lets a thread do something.
static void hire(struct worker wanted) {
    struct worker *worker = idle_workers;
    if (worker != NULL) {
        idle_workers = worker->next;
        *worker = wanted;
        wake_all(wait_work, worker);
        return;
    }
    worker = malloc(sizeof *worker);
    *worker = wanted;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    start_thread(&thread, &attributes, work, worker);
    pthread_attr_destroy(&attributes);
}

/// Puts a job into a queue; without one, it runs beside all others.
static void put_job(void *object, struct job *job) {
    job->next = NULL;
    struct queue *queue = object == NULL ? NULL : queues;
    while (queue != NULL && queue->object != object) queue = queue->next;
    if (queue != NULL) {
        *queue->end = job;
        queue->end = &job->next;
        return;
    }
    queue = malloc(sizeof *queue);
    *queue = (struct queue){.next = queues, .object = object, .first = job, .end = &job->next};
    queues = queue;
    if (object != NULL) retain_object(object);
    hire((struct worker){.queue = queue});
}

static void run_block(void *memory) {
    struct block *block = memory;
    block->invoke(block);
    release_block(block);
}

static struct job *make_job(void (*run)(void *), void *context) {
    struct job *job = malloc(sizeof *job);
    *job = (struct job){NULL, run, context};
    return job;
}

void dispatch_async(void *queue, void *block) {
    if (me < 0) return ((void (*)(void *, void *))dlsym(RTLD_NEXT, "dispatch_async"))(queue, block);
    put_job(queue, make_job(run_block, copy_block(block)));
    point(call_async, queue);
}

void dispatch_after(uint64_t time, void *queue, void *block) {
    if (me < 0) return ((void (*)(uint64_t, void *, void *))dlsym(RTLD_NEXT, "dispatch_after"))(time, queue, block);
    retain_object(queue);
    struct job *job = make_job(run_block, copy_block(block));
    hire((struct worker){.job = job, .object = queue, .deadline = time > INT64_MAX ? INT64_MAX : (int64_t)time});
    point(call_after, queue);
}

long dispatch_semaphore_wait(void *semaphore, uint64_t time) {
    if (me < 0) return real_semaphore_wait(semaphore, time);
    point(call_semaphore_wait, semaphore);
    int64_t deadline = time > INT64_MAX ? -1 : (int64_t)time;
    while (real_semaphore_wait(semaphore, 0) != 0) {
        if (time == 0 || block(wait_semaphore, semaphore, deadline)) return 49;
    }
    return 0;
}

long dispatch_semaphore_signal(void *semaphore) {
    if (me < 0) return real_semaphore_signal(semaphore);
    long code = real_semaphore_signal(semaphore);
    wake_one(wait_semaphore, semaphore);
    point(call_semaphore_signal, semaphore);
    return code;
}

// Sources of Dispatch. Only those that read are known here, and only inotify is behind them.

static struct source *sources;

static struct source *find_source(const void *object) {
    struct source *source = sources;
    while (source != NULL && source != object) source = source->next;
    return source;
}

#define REAL_DISPATCH(result, name, types, ...) return ((result (*) types)dlsym(RTLD_NEXT, name))(__VA_ARGS__)

void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
    if (me < 0)
        REAL_DISPATCH(void *, "dispatch_source_create", (const void *, uintptr_t, uintptr_t, void *), type, handle, mask, queue);
    struct source *source = calloc(1, sizeof *source);
    *source = (struct source){.next = sources, .queue = queue, .descriptor = (int)handle};
    sources = source;
    retain_object(queue);
    return source;
}

void dispatch_source_set_event_handler(void *object, void *block) {
    struct source *source = find_source(object);
    if (source == NULL) REAL_DISPATCH(void, "dispatch_source_set_event_handler", (void *, void *), object, block);
    source->handler = copy_block(block);
}

void dispatch_source_set_cancel_handler(void *object, void *block) {
    struct source *source = find_source(object);
    if (source == NULL) REAL_DISPATCH(void, "dispatch_source_set_cancel_handler", (void *, void *), object, block);
    source->cancel_handler = copy_block(block);
}

void dispatch_activate(void *object) {
    struct source *source = find_source(object);
    if (source == NULL) REAL_DISPATCH(void, "dispatch_activate", (void *), object);
    hire((struct worker){.source = source});
    point(call_watch, source);
}

void dispatch_source_cancel(void *object) {
    struct source *source = find_source(object);
    if (source == NULL) REAL_DISPATCH(void, "dispatch_source_cancel", (void *), object);
    source->is_cancelled = 1;
    wake_all(wait_watch, NULL);
}

/// A source stays, because its thread may need it.
void dispatch_release(void *object) { if (find_source(object) == NULL) release_object(object); }
void dispatch_retain(void *object) { if (find_source(object) == NULL) retain_object(object); }

static void watch_source(struct source *source) {
    while (!source->is_cancelled) {
        int is_written = 0;
        for (int index = 0; index < world->watch_count; index++) {
            struct schedule_watch *watch = &world->watches[index];
            if (watch->process != world->tasks[me].process || watch->descriptor != source->descriptor) continue;
            is_written |= watch->isWritten;
            watch->isWritten = 0;
        }
        if (is_written) put_job(source->queue, make_job(run_block, copy_block(source->handler)));
        else block(wait_watch, source, -1);
    }
    for (int index = 0; index < world->watch_count; index++) {
        struct schedule_watch *watch = &world->watches[index];
        if (watch->process == world->tasks[me].process && watch->descriptor == source->descriptor) watch->process = -1;
    }
    if (source->cancel_handler != NULL)
        put_job(source->queue, make_job(run_block, copy_block(source->cancel_handler)));
}

// Swift's tasks.

typedef __attribute__((swiftcall)) void (*enqueue)(void *job);
typedef __attribute__((swiftcall)) void (*hook)(void *job, enqueue original);
static __attribute__((swiftcall)) void (*run_task)(void *job, uintptr_t executor, uintptr_t witness);

static void run_swift_job(void *job) { run_task(job, 0, 0); }

static __attribute__((swiftcall)) void enqueue_task(void *job, enqueue original) {
    if (me < 0) return original(job);
    put_job(NULL, make_job(run_swift_job, job));
    point(call_async, NULL);
}

__attribute__((constructor)) static void prepare(void) {
    dl_iterate_phdr(find_code, NULL);
    pthread_key_create(&end_key, end_thread);
    copy_block = dlsym(RTLD_DEFAULT, "_Block_copy");
    release_block = dlsym(RTLD_DEFAULT, "_Block_release");
    retain_object = dlsym(RTLD_NEXT, "dispatch_retain");
    release_object = dlsym(RTLD_NEXT, "dispatch_release");
    real_semaphore_wait = dlsym(RTLD_NEXT, "dispatch_semaphore_wait");
    real_semaphore_signal = dlsym(RTLD_NEXT, "dispatch_semaphore_signal");
    run_task = dlsym(RTLD_DEFAULT, "swift_job_run");
    hook *place = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    if (place != NULL) *place = enqueue_task;
}
#endif
