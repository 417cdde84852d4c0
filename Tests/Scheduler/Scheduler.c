// See Scheduler.h. This file chooses who runs; `Calls.c` has the functions that threads call.
//
// Always holds: only the thread with the token reads or changes the world, and the controller while no thread has it. No
// choice depends on an address, a process id or the real time.

#define _GNU_SOURCE
#include "World.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct schedule_world *schedule_create(void) {
    void *memory = mmap(
        NULL, sizeof(struct schedule_world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

uint64_t schedule_steps(const struct schedule_world *world) { return world->step; }
uint64_t schedule_hash(const struct schedule_world *world) { return world->hash; }
int schedule_kills(const struct schedule_world *world) { return world->kills; }
const char *schedule_text(const struct schedule_world *world) { return world->text; }

const struct schedule_note *schedule_notes(const struct schedule_world *world, long *count) {
    *count = world->note_count;
    return world->notes;
}

#if defined(__linux__) && defined(__GLIBC__)
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct schedule_world *world;
__thread int me = -1;

// Words that the seed decides.

static uint64_t next_word(uint64_t *state) {
    uint64_t word = *state += 0x9E3779B97F4A7C15;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

static uint64_t below(uint64_t bound) { return bound < 2 ? 0 : next_word(&world->words) % bound; }

int once_in(int rate) { return rate > 0 && below((uint64_t)rate) == 0; }

uint64_t schedule_random(uint64_t bound) { return below(bound); }
uint64_t schedule_now(void) { return me < 0 ? 0 : world->step; }

void say(const char *format, ...) {
    size_t room = sizeof world->text - (size_t)world->text_length;
    va_list rest;
    va_start(rest, format);
    int count = vsnprintf(world->text + world->text_length, room, format, rest);
    va_end(rest);
    if (count > 0 && (size_t)count < room) world->text_length += count;
}

void schedule_say(const char *line) {
    if (me < 0) return;
    say("%s (call %llu, process %d, thread %d)\n", line, (unsigned long long)world->step, world->tasks[me].process, me);
}

void schedule_add(uint32_t kind, uint64_t first, uint64_t second) {
    if (me < 0) return;
    if (world->note_count == maximum_notes) abort();
    world->notes[world->note_count++] = (struct schedule_note){
        .process = (uint32_t)world->tasks[me].process, .kind = kind, .step = world->step, .first = first, .second = second,
    };
}

// The token.

static void give(int task) {
    world->running = task;
    atomic_store(&world->tasks[task].has_token, 1);
    futex(&world->tasks[task].has_token, 1 /* FUTEX_WAKE */, 1, NULL);
}

static void await_token(void) {
    struct schedule_task *task = &world->tasks[me];
    while (atomic_load(&task->has_token) == 0) futex(&task->has_token, 0 /* FUTEX_WAIT */, 0, NULL);
    atomic_store(&task->has_token, 0);
}

int add_task(int process) {
    if (world->task_count == maximum_tasks) {
        say("more than %d threads", maximum_tasks);
        abort();
    }
    int number = world->task_count++;
    struct schedule_task *task = &world->tasks[number];
    memset(task, 0, sizeof *task);
    task->process = process;
    task->state = task_ready;
    task->deadline = -1;
    task->priority = (long)below(1 << 20) + (1 << 20);
    return number;
}

// Choosing.

static int is_awake(const struct schedule_task *task) {
    const struct schedule_process *process = &world->processes[task->process];
    return process->is_alive && process->stopped_until == 0;
}

/// Wakes those whose time has come.
static void ring(void) {
    for (int index = 0; index < world->process_count; index++) {
        struct schedule_process *process = &world->processes[index];
        if (process->stopped_until != 0 && process->stopped_until <= world->clock) process->stopped_until = 0;
    }
    for (int index = 0; index < world->task_count; index++) {
        struct schedule_task *task = &world->tasks[index];
        if (task->state != task_blocked || task->deadline < 0 || task->deadline > world->clock) continue;
        task->state = task_ready;
        task->timed_out = 1;
    }
}

/// The first moment for which somebody waits; -1 if there is none.
static int64_t next_moment(void) {
    int64_t first = -1;
    for (int index = 0; index < world->process_count; index++) {
        int64_t moment = world->processes[index].stopped_until;
        if (world->processes[index].is_alive && moment != 0 && (first < 0 || moment < first)) first = moment;
    }
    for (int index = 0; index < world->task_count; index++) {
        const struct schedule_task *task = &world->tasks[index];
        if (task->state != task_blocked || task->deadline < 0 || !is_awake(task)) continue;
        if (first < 0 || task->deadline < first) first = task->deadline;
    }
    return first;
}

/// Wakes those who wait until no other thread can run; whether there are any. A process that is stopped could run.
static int wake_calm(void) {
    int count = 0;
    for (int index = 0; index < world->process_count; index++)
        if (world->processes[index].is_alive && world->processes[index].stopped_until != 0) return 0;
    for (int index = 0; index < world->task_count; index++) {
        struct schedule_task *task = &world->tasks[index];
        if (task->state != task_blocked || task->wait != wait_calm) continue;
        task->state = task_ready;
        count++;
    }
    return count > 0;
}

/// The task that runs next: the present one, another one, or -1 if none can run.
static int choose(int present) {
    if (once_in(world->alarm_rate)) {
        int64_t moment = next_moment();
        if (moment > world->clock) world->clock = moment;
    }
    while (1) {
        ring();
        int ready[maximum_tasks], count = 0, best = -1, isPresentReady = 0;
        for (int index = 0; index < world->task_count; index++) {
            const struct schedule_task *task = &world->tasks[index];
            if (task->state != task_ready || !is_awake(task)) continue;
            ready[count++] = index;
            if (index == present) isPresentReady = 1;
            if (best < 0 || task->priority > world->tasks[best].priority) best = index;
        }
        if (count > 0) {
            if (world->has_priorities) return best;
            if (isPresentReady && !world->tasks[present].yields && !once_in(world->switch_rate)) return present;
            if (isPresentReady && world->tasks[present].yields && count > 1) {
                int chosen = ready[below((uint64_t)count - 1)];
                return chosen == present ? ready[count - 1] : chosen;
            }
            return ready[below((uint64_t)count)];
        }
        if (wake_calm()) continue;
        int64_t moment = next_moment();
        if (moment < 0) return -1;
        if (moment > world->clock) world->clock = moment;
    }
}

static const char *const wait_names[] = {"nothing", "a mutex", "a condition", "a thread", "a semaphore", "work", "time",
    "another process", "a word", "a write", "calm"};

static void describe(void) {
    for (int index = 0; index < world->task_count; index++) {
        const struct schedule_task *task = &world->tasks[index];
        if (task->state == task_finished || !world->processes[task->process].is_alive) continue;
        if (task->state == task_blocked && (task->wait == wait_work || task->wait == wait_watch)) continue;
        say("process %d, thread %d: %s %s\n", task->process, index, task->state == task_ready ? "ready" : "waits for",
            task->state == task_ready ? "" : wait_names[task->wait]);
    }
}

static void kill_all(void) {
    int own = -1;
    for (int index = 0; index < world->process_count; index++) {
        if (!world->processes[index].is_alive) continue;
        if (me >= 0 && index == world->tasks[me].process) own = index;
        else kill(world->processes[index].id, SIGKILL);
    }
    if (own >= 0) kill(world->processes[own].id, SIGKILL);
}

static void fail(enum schedule_ending ending, const char *text) {
    if (world->ending == schedule_completed) {
        world->ending = ending;
        say("%s, after %llu calls\n", text, (unsigned long long)world->step);
        describe();
    }
    kill_all();
    while (me >= 0) pause();
}

/// Gives the token to another task, or ends the schedule.
static void pass_on(int task) {
    if (task >= 0) return give(task);
    fail(schedule_deadlocked, "deadlock: all threads wait");
}

void note_call(enum call call, const void *object) {
    world->step++;
    world->clock += 1000;
    uint64_t word = ((uint64_t)me << 8 | call) + world->hash;
    world->hash = next_word(&word);
    if (world->keeps_trace) {
        world->trace[world->trace_count++ % maximum_trace] = (struct schedule_call){
            .task = (uint16_t)me, .call = (uint16_t)call, .object = object_number(object), .step = world->step,
            .clock = world->clock,
        };
    }
    if (world->step > (uint64_t)world->step_limit) fail(schedule_endless, "endless: too many calls");
}

void kill_process(int process) {
    world->kills++;
    world->processes[process].is_wanted = 1;
    kill(world->processes[process].id, SIGKILL);
    // The controller goes on when the process is gone; this may be its own.
    await_token();
}

static void strike(void) {
    if (world->kills < world->kill_count && once_in(world->kill_rate)) {
        int alive[maximum_processes], count = 0;
        for (int index = 0; index < world->process_count; index++)
            if (world->processes[index].is_alive) alive[count++] = index;
        kill_process(alive[below((uint64_t)count)]);
    }
    if (once_in(world->stop_rate)) {
        struct schedule_process *process = &world->processes[below((uint64_t)world->process_count)];
        // From a millisecond to a minute.
        if (process->is_alive) process->stopped_until = world->clock + ((int64_t)1000000 << below(16));
    }
}

void point(enum call call, const void *object) {
    note_call(call, object);
    strike();
    struct schedule_task *task = &world->tasks[me];
    if (world->has_priorities && once_in(200)) task->priority = world->lowest--;
    int next = choose(me);
    task->yields = 0;
    if (next == me) return;
    pass_on(next);
    await_token();
}

void yield_to_others(void) {
    world->tasks[me].yields = 1;
    if (world->has_priorities) world->tasks[me].priority = world->lowest--;
    point(call_yield, NULL);
}

int block(enum wait wait, const void *object, int64_t deadline) {
    struct schedule_task *task = &world->tasks[me];
    task->state = task_blocked;
    task->wait = wait;
    task->object = (uintptr_t)object;
    task->deadline = deadline;
    task->timed_out = 0;
    int next = choose(me);
    if (next != me) {
        pass_on(next);
        await_token();
    }
    task->deadline = -1;
    return task->timed_out;
}

static int waits_here(const struct schedule_task *task, enum wait wait, const void *object) {
    if (task->state != task_blocked || task->wait != wait) return 0;
    if (wait == wait_shared || wait == wait_watch) return 1;
    return task->process == world->tasks[me].process && task->object == (uintptr_t)object;
}

void wake_all(enum wait wait, const void *object) {
    for (int index = 0; index < world->task_count; index++)
        if (waits_here(&world->tasks[index], wait, object)) world->tasks[index].state = task_ready;
}

void wake_one(enum wait wait, const void *object) {
    int found[maximum_tasks], count = 0;
    for (int index = 0; index < world->task_count; index++)
        if (waits_here(&world->tasks[index], wait, object)) found[count++] = index;
    if (count > 0) world->tasks[found[below((uint64_t)count)]].state = task_ready;
}

void finish_task(void) {
    world->tasks[me].state = task_finished;
    wake_all(wait_thread, &world->tasks[me]);
    int next = choose(-1);
    pass_on(next);
    me = -1;
}

void begin_task(int task) {
    me = task;
    await_token();
}

void schedule_meet(void) {
    int own = world->tasks[me].process, count = ++world->processes[own].meetings;
    point(call_meet, NULL);
    wake_all(wait_shared, NULL);
    for (int index = 0; index < world->process_count; index++) {
        const struct schedule_process *process = &world->processes[index];
        while (process->is_alive && process->meetings < count) block(wait_shared, NULL, -1);
    }
}

void schedule_calm(void) { if (me >= 0) block(wait_calm, NULL, -1); }

uint64_t schedule_greatest(uint32_t kind) {
    uint64_t greatest = 0;
    for (long index = 0; index < world->note_count; index++) {
        const struct schedule_note *note = &world->notes[index];
        if (note->kind == kind && note->first > greatest) greatest = note->first;
    }
    return greatest;
}

void schedule_point(void) { if (me >= 0) point(call_point, NULL); }

// The controller.

void schedule_settle(char *const *arguments) {
    if (getenv("SWIFT_DETERMINISTIC_HASHING") != NULL) return;
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    setenv("SWIFT_BACKTRACE", "enable=no", 1);
    // Where this is forbidden, addresses differ; the schedules depend on them only if a defect does.
    personality(ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", arguments);
    abort();
}

static volatile sig_atomic_t is_late;

static void note_late(int signal) { (void)signal, is_late = 1; }

/// Notes that a process has ended: its threads are gone, and the system has released its locks.
static void bury(pid_t id, int status) {
    for (int index = 0; index < world->process_count; index++) {
        struct schedule_process *process = &world->processes[index];
        if (process->id != id) continue;
        process->is_alive = 0;
        for (int task = 0; task < world->task_count; task++)
            if (world->tasks[task].process == index) world->tasks[task].state = task_finished;
        int isExpected = process->is_wanted || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (isExpected || world->ending != schedule_completed) continue;
        world->ending = schedule_crashed;
        say("process %d ended with %s %d after %llu calls, in thread %d\n", index,
            WIFSIGNALED(status) ? "signal" : "code", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
            (unsigned long long)world->step, world->running);
        kill_all();
    }
    for (int task = 0; task < world->task_count; task++)
        if (world->tasks[task].state == task_blocked && world->tasks[task].wait == wait_shared)
            world->tasks[task].state = task_ready;
}

static void become(int process, void (*work)(void *, int), void *context) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGALRM, SIG_DFL);
    alarm(0);
    begin_task(process);
    work(context, process);
    // What its other threads do ends here, as it would with any process.
    _exit(0);
}

enum schedule_ending schedule_run(
    struct schedule_world *memory, const struct schedule_options *options, void (*work)(void *context, int process),
    void *context
) {
    world = memory;
    memset(world, 0, offsetof(struct schedule_world, trace));
    world->words = options->seed;
    world->seed = options->seed;
    world->clock = 1000000000;
    world->kill_count = options->kill_count;
    world->kill_rate = options->kill_rate;
    world->stop_rate = options->stop_rate;
    world->loss_rate = options->loss_rate;
    world->ignores_shared_locks = options->ignores_shared_locks;
    world->step_limit = options->step_limit > 0 ? options->step_limit : 1000000;
    world->keeps_trace = options->keeps_trace;
    world->process_count = options->process_count;
    world->lowest = 1 << 20;
    // Some defects need many changes, others few at the right place.
    static const int switch_rates[] = {2, 4, 16, 64};
    world->has_priorities = below(4) == 0;
    world->switch_rate = switch_rates[below(4)];
    world->alarm_rate = below(2) == 0 ? 100 : 0;
    struct sigaction action = {.sa_handler = note_late}, former;
    is_late = 0;
    sigaction(SIGALRM, &action, &former);
    for (int index = 0; index < options->process_count; index++) {
        world->processes[index].is_alive = 1;
        add_task(index);
    }
    for (int index = 0; index < options->process_count; index++) {
        pid_t id = fork();
        if (id == 0) become(index, work, context);
        if (id < 0) abort();
        world->processes[index].id = id;
    }
    alarm(60);
    int left = options->process_count;
    pass_on(choose(-1));
    while (left > 0) {
        int status;
        pid_t id = waitpid(-1, &status, 0);
        if (id < 0) {
            if (errno != EINTR) break;
            if (is_late) fail(schedule_endless, "endless: a thread runs for a minute");
            continue;
        }
        left--;
        bury(id, status);
        if (left > 0 && world->ending == schedule_completed) pass_on(choose(-1));
    }
    alarm(0);
    sigaction(SIGALRM, &former, NULL);
    return world->ending;
}

void schedule_print(const struct schedule_world *memory, long count) {
    long total = memory->trace_count, first = total > maximum_trace ? total - maximum_trace : 0;
    if (total - first > count) first = total - count;
    for (long index = first; index < total; index++) {
        const struct schedule_call *call = &memory->trace[index % maximum_trace];
        printf("%8llu  %12lld ns  process %d thread %-3d %s", (unsigned long long)call->step, (long long)call->clock,
            memory->tasks[call->task].process, call->task, call_names[call->call]);
        if (call->object > 0) printf(" %u", call->object);
        printf("\n");
    }
    fflush(stdout);
}

#else
void schedule_settle(char *const *arguments) { (void)arguments; }
enum schedule_ending schedule_run(
    struct schedule_world *memory, const struct schedule_options *options, void (*work)(void *context, int process),
    void *context
) { (void)memory, (void)options, (void)work, (void)context; return schedule_crashed; }
void schedule_print(const struct schedule_world *memory, long count) { (void)memory, (void)count; }
void schedule_add(uint32_t kind, uint64_t first, uint64_t second) { (void)kind, (void)first, (void)second; }
void schedule_say(const char *line) { (void)line; }
uint64_t schedule_random(uint64_t bound) { (void)bound; return 0; }
uint64_t schedule_now(void) { return 0; }
void schedule_meet(void) {}
void schedule_calm(void) {}
uint64_t schedule_greatest(uint32_t kind) { (void)kind; return 0; }
void schedule_point(void) {}
#endif
