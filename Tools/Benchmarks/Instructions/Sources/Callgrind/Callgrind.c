#include "Callgrind.h"

#include <valgrind/callgrind.h>

void callgrind_begin(void) {
    // Without instrumentation a program is about ten times as fast, so lists are filled without it.
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    // Collecting is a state of the thread, so instructions of other threads are not counted.
    CALLGRIND_TOGGLE_COLLECT;
}

void callgrind_end(const char *name) {
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
