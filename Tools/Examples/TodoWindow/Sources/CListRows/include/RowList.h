// A GListModel whose rows are somebody else's: its vtable calls back.
//
// Always holds: after `listory_row_list_detach` it is empty and calls nobody any more.

#ifndef LISTORY_ROWLIST_H
#define LISTORY_ROWLIST_H

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define LISTORY_TYPE_ROW_LIST (listory_row_list_get_type())

G_DECLARE_FINAL_TYPE(ListoryRowList, listory_row_list, LISTORY, ROW_LIST, GObject)

// How many rows there are.
typedef guint (*ListoryRowCount)(void *context);
// The row at a position below the count, of type LISTORY_TYPE_ROW, with a reference for the caller.
typedef void *(*ListoryRowAt)(void *context, guint position);

// A new list. `released` is called with the context when nobody holds the list any more.
ListoryRowList *listory_row_list_new(
    void *context, ListoryRowCount count, ListoryRowAt row,
    GDestroyNotify released);

// Makes the list empty for good, and tells so. `count` is how many rows it had; nobody is asked any more.
void listory_row_list_detach(ListoryRowList *list, guint count);

G_END_DECLS

#endif
