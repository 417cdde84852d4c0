// Records what a process writes to one file and when it syncs it, for tests that cut the power.
//
// The functions of the C library that write and sync are defined here once more; a program that is linked with them uses
// these instead, LMDB in it included. They do what the system's do and, once recording has begun, note it.
#ifndef WRITE_RECORDER_H
#define WRITE_RECORDER_H

/// Begins to record what is written to a file. Returns 0, or -1 if the record cannot be made.
///
/// Each entry of the record is a kind (one byte), an offset and a length (eight bytes each, as the machine has them), and
/// as many bytes: W a write, D a write that is durable when it returns, S a sync of everything, F a sync that failed, after
/// which nobody knows what was written and what the system forgot, M a mark.
int write_recorder_begin(const char *path, const char *record_path);

/// Lets a sync of the recorded file fail: the one after as many others.
void write_recorder_fail_sync(int after);

/// Notes that something is so far: after what was written and synced before the call.
void write_recorder_mark(const char *text);

#endif
