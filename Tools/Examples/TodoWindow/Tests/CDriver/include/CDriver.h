// C functions for a driver: a picture of a window from the X server, the window's number there, and Return in an entry.
//
// The header names no type of GTK: Swift knows those from `CListRows`, and should not see them a second time.

#ifndef LISTORY_CPICTURE_H
#define LISTORY_CPICTURE_H

#pragma clang assume_nonnull begin

// The number of a GtkWindow at the X server, for tools that send it events; 0 if it is not shown through X.
unsigned long listory_x_window(void *window);

// Writes a picture of a GtkWindow on the screen to a PNG file.
//
// Returns the number of different colours in it, or a negative number: -1 if the window is not shown through X, -2 if the
// file cannot be written.
int listory_save_picture(void *window, const char *path);

// Emits the signal that Return emits in a GtkEntry.
void listory_activate_entry(void *entry);

#pragma clang assume_nonnull end

#endif
