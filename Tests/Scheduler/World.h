// What the processes of a schedule share, and what `Calls.c` uses of `Scheduler.c`.
#ifndef WORLD_H
#define WORLD_H

#include "Scheduler.h"

#include <stdatomic.h>
#include <sys/types.h>

enum { maximum_tasks = 256, maximum_processes = 8, maximum_notes = 1 << 14, maximum_trace = 1 << 17,
    maximum_watches = 64 };

/// Why a thread is blocked. Only threads of the same process wake it, except for `wait_shared` and `wait_watch`: what processes
/// share is not told apart, so everybody who waits for any of it tries again.
enum wait {
    wait_nothing, wait_mutex, wait_condition, wait_thread, wait_semaphore, wait_work, wait_time, wait_shared, wait_word, wait_watch,
    wait_calm,
};

enum call {
    call_point, call_yield, call_lock, call_try_lock, call_unlock, call_wait, call_signal, call_broadcast, call_create,
    call_join, call_sleep, call_open, call_close, call_read, call_write, call_sync, call_truncate, call_rename, call_remove,
    call_file_lock, call_async, call_after, call_semaphore_wait, call_semaphore_signal, call_reserve, call_watch, call_meet,
};

extern const char *const call_names[];

enum task_state { task_ready, task_blocked, task_finished };

/// A thread.
struct schedule_task {
    _Atomic uint32_t has_token;
    int process;
    enum task_state state;
    enum wait wait;
    uintptr_t object;
    /// When it stops waiting; -1 for never. Whether it has stopped for that.
    int64_t deadline;
    int timed_out;
    /// Whether it wants others to run first.
    int yields;
    long priority;
    uint64_t thread;
};

struct schedule_process {
    pid_t id;
    int is_alive;
    /// Whether the schedule has killed it.
    int is_wanted;
    int64_t stopped_until;
    /// How often it has met the others.
    int meetings;
};

/// A file that a process watches.
struct schedule_watch {
    uint64_t device, inode;
    int process, descriptor, isWritten;
};

struct schedule_call {
    uint16_t task, call;
    uint32_t object;
    uint64_t step;
    int64_t clock;
};

struct schedule_world {
    uint64_t seed, words, step, hash;
    /// In nanoseconds.
    int64_t clock;
    int process_count, task_count, running;
    int kill_count, kill_rate, kills, stop_rate, loss_rate, ignores_shared_locks, keeps_trace;
    long step_limit;
    /// How tasks are chosen: the ready one of the highest priority; or at random, every so many calls.
    int has_priorities, switch_rate;
    long lowest;
    /// How often the clock goes on though some threads are ready.
    int alarm_rate;
    enum schedule_ending ending;
    struct schedule_process processes[maximum_processes];
    struct schedule_task tasks[maximum_tasks];
    int watch_count;
    struct schedule_watch watches[maximum_watches];
    long note_count, text_length, trace_count;
    char text[1 << 16];
    // From here on nothing is cleared for the next schedule.
    struct schedule_call trace[maximum_trace];
    struct schedule_note notes[maximum_notes];
};

extern struct schedule_world *world;
/// The number of this thread; -1 if it belongs to no schedule.
extern __thread int me;

/// A call that another thread may come before.
void point(enum call call, const void *object);
/// Writes a call down.
void note_call(enum call call, const void *object);
void yield_to_others(void);

/// Waits until another thread wakes this one, or until a moment; -1 for none.
///
/// Returns whether the moment has come.
int block(enum wait wait, const void *object, int64_t deadline);
void wake_all(enum wait wait, const void *object);
void wake_one(enum wait wait, const void *object);

int add_task(int process);
/// Makes the calling thread a task, and waits for the token.
void begin_task(int task);
/// Ends the task of the calling thread.
void finish_task(void);
void kill_process(int process);

int once_in(int rate);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// In `Calls.c`.

long futex(_Atomic uint32_t *word, int operation, uint32_t value, const void *time);
/// A small number of an object of this process, by first use.
uint32_t object_number(const void *object);

#endif
