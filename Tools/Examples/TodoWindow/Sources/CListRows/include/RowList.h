// A GListModel whose functions call back for its rows.
//
// Always holds: after `listory_row_list_detach` it is empty and makes no more calls.

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

// A new list. `released` is called with the context when the list is finalized.
ListoryRowList *listory_row_list_new(
    void *context, ListoryRowCount count, ListoryRowAt row,
    GDestroyNotify released);

// Makes the list empty permanently, and announces it. `count` is how many rows it had; no more calls are made.
void listory_row_list_detach(ListoryRowList *list, guint count);

G_END_DECLS

#endif
