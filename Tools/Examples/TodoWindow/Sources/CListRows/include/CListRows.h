// GTK's headers, and functions for its C macros.
//
// Swift imports only this module of GTK, so that every C type has one name.

#ifndef LISTORY_CLISTROWS_H
#define LISTORY_CLISTROWS_H

#include <glib-unix.h>
#include <gtk/gtk.h>

#include "Row.h"
#include "RowList.h"
#include "Signal.h"

#endif
