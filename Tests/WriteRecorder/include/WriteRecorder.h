// Records the writes and syncs of a process to one file, for the tests of power cuts.
//
// This module defines the C library's functions that write and sync. A program that links it uses these instead, also
// in LMDB. They call the system's functions and, once recording has begun, record each call.
#ifndef WRITE_RECORDER_H
#define WRITE_RECORDER_H

/// Begins to record the writes to a file. Returns 0, or -1 if the record cannot be created.
///
/// Each entry of the record is a kind (one byte), an offset and a length (eight bytes each, in the byte order of the
/// machine), and that many bytes. The kinds are: W a write, D a write that is durable when it returns, S a sync of
/// everything, F a failed sync, after which the system may have dropped any of the writes, M a mark.
int write_recorder_begin(const char *path, const char *record_path);

/// Lets a sync of the recorded file fail: the one after `after` others.
void write_recorder_fail_sync(int after);

/// Adds a mark to the record, after the writes and syncs before the call.
void write_recorder_mark(const char *text);

#endif
