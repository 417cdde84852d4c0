// What the system has to have: GTK 4.
#ifndef LISTORY_CGTK_SHIM_H
#define LISTORY_CGTK_SHIM_H

#include <gtk/gtk.h>

#endif
