// The terminal of the process: raw mode, the alternate screen, and signals.
//
// It is written in C, because a handler of a crash may only call functions that are safe in one, and Swift makes no such
// promise for its own.
//
// Always holds: however the process ends, except by a kill, the terminal is as it was before.

#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

// What a signal asks for, as a byte of the pipe of events.
enum {
    terminal_resized = 'w',
    terminal_ended = 't',
    terminal_suspended = 'z',
};

// Switches the terminal of standard input and output to raw mode and to the alternate screen, and handles signals.
// Returns 0, or an error number.
int terminal_begin(void);

// Restores the terminal. May be called in a handler, and more than once.
void terminal_end(void);

// Writes all bytes to the terminal; it waits while the terminal takes none, and stops at an error. May be called in a handler.
void terminal_write(const void *bytes, size_t length);

// Stops the process as the shell expects it, until it is continued.
void terminal_stop(void);

// The end of the pipe from which events are read.
int terminal_events(void);

// The size of the terminal. Returns 0, or an error number.
int terminal_size(int *columns, int *rows);

#endif
