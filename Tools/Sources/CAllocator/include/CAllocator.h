// Settings of the C library's allocator, which Swift cannot reach.

#ifndef CALLOCATOR_H
#define CALLOCATOR_H

// From now on, large blocks go back to the system as soon as they are freed. Otherwise glibc keeps more and more of them
// for later ones, and a program that needs each of them once has several times as much memory as it uses.
//
// Does nothing where the C library has no such setting.
void allocator_return_large_blocks(void);

#endif
