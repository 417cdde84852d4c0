#include "Callgrind.h"

#include <valgrind/callgrind.h>

void callgrind_begin(void) {
    // Without instrumentation a program is some ten times as fast, so that lists are filled without it.
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    // Collecting is a state of the thread: what other threads do meanwhile is not counted.
    CALLGRIND_TOGGLE_COLLECT;
}

void callgrind_end(const char *name) {
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
