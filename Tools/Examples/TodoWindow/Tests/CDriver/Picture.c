#include "CDriver.h"

#include <gdk/x11/gdkx.h>
#include <gtk/gtk.h>

// The functions of X11 surfaces are deprecated in GTK, but have no replacements yet.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

unsigned long listory_x_window(void *window) {
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
    return GDK_IS_X11_SURFACE(surface) ? gdk_x11_surface_get_xid(surface) : 0;
}

// How many different colours a picture has, counted up to a limit.
static int listory_count_colours(GdkPixbuf *picture) {
    const int limit = 10000;
    GHashTable *colours = g_hash_table_new(NULL, NULL);
    const guchar *pixels = gdk_pixbuf_read_pixels(picture);
    int stride = gdk_pixbuf_get_rowstride(picture), channels = gdk_pixbuf_get_n_channels(picture);
    for (int y = 0; y < gdk_pixbuf_get_height(picture); y++) {
        for (int x = 0; x < gdk_pixbuf_get_width(picture); x++) {
            const guchar *pixel = pixels + y * stride + x * channels;
            if ((int)g_hash_table_size(colours) < limit) {
                g_hash_table_add(colours, GUINT_TO_POINTER(pixel[0] << 16 | pixel[1] << 8 | pixel[2]));
            }
        }
    }
    int count = (int)g_hash_table_size(colours);
    g_hash_table_destroy(colours);
    return count;
}

int listory_save_picture(void *window, const char *path) {
    unsigned long x_window = listory_x_window(window);
    if (x_window == 0) return -1;
    Display *display = gdk_x11_display_get_xdisplay(gtk_widget_get_display(GTK_WIDGET(window)));
    XWindowAttributes shape;
    if (!XGetWindowAttributes(display, x_window, &shape)) return -1;
    XImage *image = XGetImage(display, x_window, 0, 0, shape.width, shape.height, AllPlanes, ZPixmap);
    if (!image) return -1;
    GdkPixbuf *picture = gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, shape.width, shape.height);
    guchar *pixels = gdk_pixbuf_get_pixels(picture);
    int stride = gdk_pixbuf_get_rowstride(picture);
    for (int y = 0; y < shape.height; y++) {
        for (int x = 0; x < shape.width; x++) {
            unsigned long colour = XGetPixel(image, x, y);
            guchar *pixel = pixels + y * stride + x * 3;
            pixel[0] = colour >> 16 & 0xff;
            pixel[1] = colour >> 8 & 0xff;
            pixel[2] = colour & 0xff;
        }
    }
    XDestroyImage(image);
    int colours = listory_count_colours(picture);
    gboolean saved = gdk_pixbuf_save(picture, path, "png", NULL, NULL);
    g_object_unref(picture);
    return saved ? colours : -2;
}

void listory_activate_entry(void *entry) {
    g_signal_emit_by_name(entry, "activate");
}
