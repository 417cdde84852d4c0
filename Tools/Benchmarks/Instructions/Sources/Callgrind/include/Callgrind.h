// Requests to callgrind. They do nothing if the program does not run under callgrind.
#pragma once

/// Begins to count the instructions of this thread.
void callgrind_begin(void);
/// Ends counting, and writes the count under a name.
void callgrind_end(const char *name);
