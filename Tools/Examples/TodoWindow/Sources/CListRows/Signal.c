#include "Signal.h"

// A closure with additional fields, because GLib uses `closure.data` itself while the closure ends.
typedef struct {
    GClosure closure;
    void *context;
    ListoryHandler handler;
    GDestroyNotify released;
} ListoryClosure;

static void listory_marshal(
    GClosure *closure, GValue *result, guint count, const GValue *arguments, void *hint, void *data) {
    ListoryClosure *own = (ListoryClosure *)closure;
    own->handler(own->context, result, count, arguments);
}

static void listory_released(void *data, GClosure *closure) {
    ListoryClosure *own = (ListoryClosure *)closure;
    own->released(own->context);
}

gulong listory_connect(
    void *object, const char *signal, void *context, ListoryHandler handler, GDestroyNotify released) {
    GClosure *closure = g_closure_new_simple(sizeof(ListoryClosure), NULL);
    ListoryClosure *own = (ListoryClosure *)closure;
    own->context = context;
    own->handler = handler;
    own->released = released;
    g_closure_add_finalize_notifier(closure, NULL, listory_released);
    g_closure_set_marshal(closure, listory_marshal);
    return g_signal_connect_closure(object, signal, closure, FALSE);
}
