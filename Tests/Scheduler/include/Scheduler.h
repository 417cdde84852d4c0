// Runs processes and their threads one at a time, in an order that a seed decides.
//
// This module defines the C library's functions that lock, wait, start threads, read clocks, and use files, and those of
// Dispatch that run blocks and wait. A program that links it uses these instead, also in LMDB and in the Swift runtime. In a
// thread that belongs to no schedule they call the system's functions.
//
// In a schedule, exactly one thread of all its processes runs; it has the *token*. At each of these calls the seed decides
// which one has it next. A call that would block is tried, and tried again when another thread has changed something. The
// clock stands still, except when all threads wait; then it is set to the first moment for which one waits. So the seed
// determines the order of all calls and every outcome, and a schedule in which all wait for ever is found at once.
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

/// What a schedule does besides choosing the order. A rate of n is once in n calls; 0 is never.
struct schedule_options {
    uint64_t seed;
    int process_count;
    /// How many processes are killed at most, and how often.
    int kill_count, kill_rate;
    /// How often a process is stopped, for up to a minute of the schedule's clock.
    int stop_rate;
    /// For controls: how often a signal of a condition is lost.
    int loss_rate;
    /// For controls: whether locks of files, and mutexes that processes share, are always free.
    int ignores_shared_locks;
    /// The number of calls after which the schedule counts as endless; 0 for a million.
    long step_limit;
    /// Whether the calls are written down.
    int keeps_trace;
};

enum schedule_ending {
    /// Every process has returned, or was killed as the schedule wanted.
    schedule_completed,
    /// All threads wait, and none of them for time.
    schedule_deadlocked,
    /// A process has ended by itself, with a signal or a code.
    schedule_crashed,
    /// There were more calls than the limit, or a thread goes on without any.
    schedule_endless,
};

/// Something that a process has written down: its number, the number of calls before, and three words of its choice.
struct schedule_note {
    uint32_t process, kind;
    uint64_t step, first, second;
};

struct schedule_world;

/// Starts the program again so that addresses and hash seeds are the same in every run. Call it first.
void schedule_settle(char *const *arguments);

/// The memory of a schedule, which the processes share. It can be used again.
struct schedule_world *schedule_create(void);

/// Runs a schedule: calls `work` in forks, each with the number of its process. The program must have one thread only.
enum schedule_ending schedule_run(
    struct schedule_world *world, const struct schedule_options *options, void (*work)(void *context, int process),
    void *context);

/// How many calls there were, and a hash of their order and kinds.
uint64_t schedule_steps(const struct schedule_world *world);
uint64_t schedule_hash(const struct schedule_world *world);

/// How many processes were killed.
int schedule_kills(const struct schedule_world *world);

/// The lines that say how a schedule ended, and those of `schedule_say`.
const char *schedule_text(const struct schedule_world *world);

/// Writes the kept calls to the standard output, the last `count` of them.
void schedule_print(const struct schedule_world *world, long count);

const struct schedule_note *schedule_notes(const struct schedule_world *world, long *count);

// For the processes of a schedule.

/// Writes something down, or a line of text. No other process runs meanwhile.
void schedule_add(uint32_t kind, uint64_t first, uint64_t second);
void schedule_say(const char *line);

/// A random number below a bound, from the seed of the schedule.
uint64_t schedule_random(uint64_t bound);

/// How many calls there were so far.
uint64_t schedule_now(void);

/// Waits until all other processes that are alive have called it as often.
void schedule_meet(void);

/// Waits until no other thread of any process can run, but for those that wait for a moment.
void schedule_calm(void);

/// The greatest first word of what was written down with a kind; 0 if nothing was.
uint64_t schedule_greatest(uint32_t kind);

/// Lets another thread run, if the seed wants it.
void schedule_point(void);

#endif
