// The door to GTK: its headers, and what only C's macros can do.
//
// Swift imports this module and no other of GTK, so that every type of C has one name.

#ifndef LISTORY_CLISTROWS_H
#define LISTORY_CLISTROWS_H

#include <glib-unix.h>
#include <gtk/gtk.h>

#include "Row.h"
#include "RowList.h"
#include "Signal.h"

#endif
