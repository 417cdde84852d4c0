// The layout of the widgets.

import CListRows

extension TodoWindow {
    /// Puts the widgets into the window.
    func arrange() {
        let header = gtk_header_bar_new()!
        gtk_header_bar_pack_start(header.object, undoButton)
        gtk_header_bar_pack_start(header.object, redoButton)
        setPlaceholder(of: searchEntry, "Search")
        gtk_widget_set_hexpand(searchEntry, 1)
        gtk_header_bar_set_title_widget(header.object, searchEntry)
        gtk_window_set_titlebar(window.as(), header)

        gtk_entry_set_placeholder_text(newEntry.as(), "What is to be done?")
        gtk_widget_add_css_class(newEntry, "new-entry")

        gtk_widget_add_css_class(listView, "todo-list")
        gtk_scrolled_window_set_policy(scrolled.object, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(scrolled.object, listView)
        gtk_widget_add_css_class(emptyLabel, "empty")
        gtk_stack_add_named(stack.object, scrolled, "list")
        gtk_stack_add_named(stack.object, emptyLabel, "empty")
        gtk_widget_set_vexpand(stack, 1)

        let bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)!
        gtk_widget_add_css_class(bar, "status")
        gtk_label_set_ellipsize(status.object, PANGO_ELLIPSIZE_END)
        gtk_box_append(bar.as(), status)

        let content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
        for widget in [newEntry, stack, bar] { gtk_box_append(content.as(), widget) }
        gtk_window_set_child(window.as(), content)
    }
}

/// Sets the placeholder by its property, because GTK 4.8 does not have `gtk_search_entry_set_placeholder_text`.
@MainActor
private func setPlaceholder(of entry: Widget, _ text: String) {
    var value = GValue()
    g_value_init(&value, GType(16 << 2))
    g_value_set_string(&value, text)
    g_object_set_property(entry.as(), "placeholder-text", &value)
    g_value_unset(&value)
}
