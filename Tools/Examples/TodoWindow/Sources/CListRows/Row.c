#include "Row.h"

struct _ListoryRow {
    GObject parent_instance;
    char *title;
    gboolean checked;
    void *context;
    GDestroyNotify finalized;
};

G_DEFINE_FINAL_TYPE(ListoryRow, listory_row, G_TYPE_OBJECT)

enum { PROPERTY_TITLE = 1, PROPERTY_CHECKED, PROPERTY_COUNT };

static GParamSpec *properties[PROPERTY_COUNT];

static void listory_row_get_property(GObject *object, guint property, GValue *value, GParamSpec *spec) {
    ListoryRow *row = LISTORY_ROW(object);
    switch (property) {
    case PROPERTY_TITLE:
        g_value_set_string(value, row->title);
        break;
    case PROPERTY_CHECKED:
        g_value_set_boolean(value, row->checked);
        break;
    default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, property, spec);
    }
}

static void listory_row_finalize(GObject *object) {
    ListoryRow *row = LISTORY_ROW(object);
    row->finalized(row->context);
    g_free(row->title);
    G_OBJECT_CLASS(listory_row_parent_class)->finalize(object);
}

static void listory_row_class_init(ListoryRowClass *type) {
    GObjectClass *object = G_OBJECT_CLASS(type);
    object->get_property = listory_row_get_property;
    object->finalize = listory_row_finalize;
    GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    properties[PROPERTY_TITLE] = g_param_spec_string("title", NULL, NULL, "", flags);
    properties[PROPERTY_CHECKED] = g_param_spec_boolean("checked", NULL, NULL, FALSE, flags);
    g_object_class_install_properties(object, PROPERTY_COUNT, properties);
}

static void listory_row_init(ListoryRow *row) {
    row->title = g_strdup("");
}

ListoryRow *listory_row_new(void *context, GDestroyNotify finalized) {
    ListoryRow *row = g_object_new(LISTORY_TYPE_ROW, NULL);
    row->context = context;
    row->finalized = finalized;
    return row;
}

void *listory_row_get_context(ListoryRow *row) {
    return row->context;
}

const char *listory_row_get_title(ListoryRow *row) {
    return row->title;
}

gboolean listory_row_get_checked(ListoryRow *row) {
    return row->checked;
}

void listory_row_set(ListoryRow *row, const char *title, gboolean checked) {
    gboolean other_title = strcmp(row->title, title) != 0;
    gboolean other_checked = !row->checked != !checked;
    if (other_title) {
        g_free(row->title);
        row->title = g_strdup(title);
    }
    row->checked = checked;
    if (other_title) g_object_notify_by_pspec(G_OBJECT(row), properties[PROPERTY_TITLE]);
    if (other_checked) g_object_notify_by_pspec(G_OBJECT(row), properties[PROPERTY_CHECKED]);
}
