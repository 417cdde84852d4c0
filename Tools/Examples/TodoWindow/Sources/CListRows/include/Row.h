// A row of a list view: an object with observable properties.
//
// Always holds: `notify` is emitted for a property only if its value changed.

#ifndef LISTORY_ROW_H
#define LISTORY_ROW_H

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define LISTORY_TYPE_ROW (listory_row_get_type())

// The properties "title" and "checked" can be read, bound and observed.
G_DECLARE_FINAL_TYPE(ListoryRow, listory_row, LISTORY, ROW, GObject)

// A new row. `context` belongs to the caller; `finalized` is called with it when the row is finalized.
ListoryRow *listory_row_new(void *context, GDestroyNotify finalized);

void *listory_row_get_context(ListoryRow *row);
const char *listory_row_get_title(ListoryRow *row);
gboolean listory_row_get_checked(ListoryRow *row);

// Sets both properties, and then emits `notify` for those that changed.
void listory_row_set(ListoryRow *row, const char *title, gboolean checked);

G_END_DECLS

#endif
