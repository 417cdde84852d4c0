// Requires GTK 4 on the system.
#ifndef LISTORY_CGTK_SHIM_H
#define LISTORY_CGTK_SHIM_H

#include <gtk/gtk.h>

#endif
