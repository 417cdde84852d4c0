#include "RowList.h"

#include "Row.h"

struct _ListoryRowList {
    GObject parent_instance;
    void *context;
    ListoryRowCount count;
    ListoryRowAt row;
    GDestroyNotify released;
    gboolean detached;
};

static GType listory_row_list_item_type(GListModel *model) {
    return LISTORY_TYPE_ROW;
}

static guint listory_row_list_count(GListModel *model) {
    ListoryRowList *list = LISTORY_ROW_LIST(model);
    return list->detached ? 0 : list->count(list->context);
}

static void *listory_row_list_item(GListModel *model, guint position) {
    ListoryRowList *list = LISTORY_ROW_LIST(model);
    if (position >= listory_row_list_count(model)) return NULL;
    return list->row(list->context, position);
}

static void listory_row_list_model_init(GListModelInterface *interface) {
    interface->get_item_type = listory_row_list_item_type;
    interface->get_n_items = listory_row_list_count;
    interface->get_item = listory_row_list_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(
    ListoryRowList, listory_row_list, G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, listory_row_list_model_init))

static void listory_row_list_finalize(GObject *object) {
    ListoryRowList *list = LISTORY_ROW_LIST(object);
    list->released(list->context);
    G_OBJECT_CLASS(listory_row_list_parent_class)->finalize(object);
}

static void listory_row_list_class_init(ListoryRowListClass *type) {
    G_OBJECT_CLASS(type)->finalize = listory_row_list_finalize;
}

static void listory_row_list_init(ListoryRowList *list) {}

ListoryRowList *listory_row_list_new(void *context, ListoryRowCount count, ListoryRowAt row, GDestroyNotify released) {
    ListoryRowList *list = g_object_new(LISTORY_TYPE_ROW_LIST, NULL);
    list->context = context;
    list->count = count;
    list->row = row;
    list->released = released;
    return list;
}

void listory_row_list_detach(ListoryRowList *list, guint count) {
    list->detached = TRUE;
    if (count > 0) g_list_model_items_changed(G_LIST_MODEL(list), 0, count, 0);
}
