// Lets calls of the system fail, for the tests of errors of the disk and of memory.
//
// This module defines the C library's functions that open, map, read, write, sync and rename files and make holes in them, those that
// allocate memory, and those that take and free semaphores. A program that links it uses these instead, also in LMDB. They call the system's functions until the
// chosen call comes.
#ifndef FAULT_INJECTOR_H
#define FAULT_INJECTOR_H

#include <stddef.h>

/// Which calls are counted, and may fail: those on files of one folder; for memory, those of LMDB; for locks, those on
/// semaphores, which LMDB has instead of mutexes if it is built so.
enum fault_kind {
    fault_write, fault_sync, fault_read, fault_truncate, fault_map, fault_open, fault_rename, fault_remove, fault_memory,
    fault_lock, fault_hole,
};

/// How a call fails.
enum fault_mode {
    /// Once, with EIO; without memory or descriptors if that is what the call needs. A sync fails once through each descriptor of
    /// the file, as on Linux.
    fault_once,
    /// From then on always; a write because the disk is full.
    fault_for_ever,
    /// It does half of its work, and says so.
    fault_half,
    /// It does half of its work, and fails.
    fault_torn,
    /// For controls: it does nothing, and says that it succeeded.
    fault_lie,
    /// For controls: the process ends.
    fault_end,
    /// The process is killed before the call; or after it, if that is a write, a hole, a sync or one on a semaphore.
    fault_kill, fault_kill_after,
};

/// What a process that is tested tells the one that tests it, in memory that both share.
struct fault_report {
    /// How many calls of the kind there were, and how many of them failed.
    long seen, failed;
    /// Lines of text, and how long they are together.
    long length;
    char text[1 << 20];
};

/// Shared memory for a report, which forks keep.
struct fault_report *fault_report_create(void);

/// Empties a report.
void fault_report_clear(struct fault_report *report);

/// The lines of a report.
const char *fault_report_text(const struct fault_report *report);

/// Adds a line to a report.
void fault_report_add(struct fault_report *report, const char *line);

/// Begins to count the calls of a kind, and lets the one with this number fail; the first is 1.
void faults_begin(struct fault_report *report, const char *folder, enum fault_kind kind, enum fault_mode mode, long number);

/// All calls succeed from now on.
void faults_end(void);

/// Ends a file system as a power cut would, for those that can (`EXT4_IOC_SHUTDOWN`); 0 or an error number.
int file_system_shutdown(const char *path);

#endif
