// Records what a process does to the files of one folder, for the tests of power cuts.
//
// This module defines the C library's functions that open, write, sync, rename and remove files. A program that links
// it uses these instead, also in LMDB. They call the system's functions and, once recording has begun, record each call.
#ifndef WRITE_RECORDER_H
#define WRITE_RECORDER_H

/// Begins to record what happens to the files of a folder, except lock files, whose content never outlives a power cut.
/// Returns 0, or -1 if the record cannot be created. Only files directly in the folder are recorded.
///
/// Each entry of the record is a kind (one byte), a file, an offset and a length (eight bytes each, in the byte order of
/// the machine), and that many bytes. A file is a number, which no other file has. The kinds are:
/// - N a file that was there before, C a new file; the bytes are its name;
/// - W a write, or a hole as a write of zeros, D a write that is durable when it returns, T a new length (the offset);
/// - S a sync of a file, F a failed one, after which the system may have dropped any of the writes;
/// - R a renamed file (the old name, a zero and the new name), U a removed name;
/// - P a sync of the folder;
/// - M a mark.
int write_recorder_begin(const char *folder, const char *record_path);

/// Lets syncs of recorded files fail: those after `after` others, `count` of them.
void write_recorder_fail_syncs(int after, int count);

/// Lets every sync begin that many microseconds late, so that what is acknowledged too early is acknowledged before it.
void write_recorder_delay_syncs(unsigned microseconds);

/// Adds a mark to the record, after the writes and syncs before the call.
void write_recorder_mark(const char *text);

#endif
