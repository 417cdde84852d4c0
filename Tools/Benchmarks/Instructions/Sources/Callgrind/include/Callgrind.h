// Requests to callgrind, which do nothing where the program is not run by it.
#pragma once

/// Begins to count the instructions of this thread.
void callgrind_begin(void);
/// Ends counting, and writes down under a name what was counted since it began.
void callgrind_end(const char *name);
