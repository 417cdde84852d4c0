// A pseudo-terminal with a program in it. In C, because glibc shows these functions to Swift only in part.
//
// Always holds: the program gets no file but its terminal, and blocks no signals.

#ifndef CPSEUDOTERMINAL_H
#define CPSEUDOTERMINAL_H

#include <sys/types.h>

// Opens a pseudo-terminal of a size. Returns our end, and puts the program's into `program`; or returns -1.
int pseudo_terminal_open(int columns, int rows, int *program);

// Changes the size of a pseudo-terminal.
void pseudo_terminal_resize(int end, int columns, int rows);

// Starts a program, the first of its arguments, whose controlling terminal is the pseudo-terminal of `end`, opened with
// further flags. Returns its number, or -1.
pid_t pseudo_terminal_start(int end, int flags, char *const *arguments);

#endif
