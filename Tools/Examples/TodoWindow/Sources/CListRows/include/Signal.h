// Signals of any shape through one function: the arguments arrive as GValues, so that no handler can have the wrong
// signature.

#ifndef LISTORY_SIGNAL_H
#define LISTORY_SIGNAL_H

#include <gtk/gtk.h>

#pragma clang assume_nonnull begin

// The emitting object is the first argument. `result` is NULL if the signal returns nothing.
typedef void (*ListoryHandler)(
    void *context, GValue *_Nullable result, guint count, const GValue *arguments);

// Connects a handler and returns its number. `released` is called with the context when the connection ends.
gulong listory_connect(
    void *object, const char *signal, void *context, ListoryHandler handler,
    GDestroyNotify released);

#pragma clang assume_nonnull end

#endif
