// The style of the window.

import CListRows

@MainActor
enum Style {
    private static let css = """
        .new-entry { font-size: 115%; border-radius: 10px; padding: 4px 10px; margin: 12px 12px 6px 12px; }
        .todo-list { background: transparent; padding: 0 8px 8px 8px; }
        .todo-list > row { border-radius: 10px; padding: 0; margin: 1px 0; }
        .todo-list > row > box { padding: 5px 8px; border-top: 2px solid transparent;
            border-bottom: 2px solid transparent; }
        .todo-list > row > box.drop-before { border-top-color: @theme_selected_bg_color; }
        .todo-list > row > box.drop-after { border-bottom-color: @theme_selected_bg_color; }
        .todo-list > row:selected { background: alpha(@theme_selected_bg_color, 0.14); color: @theme_fg_color; }
        .todo-list > row check { border-radius: 50%; min-width: 18px; min-height: 18px; }
        .todo-list .handle { opacity: 0.3; }
        .todo-list .bin { opacity: 0; min-height: 0; min-width: 0; padding: 5px; border-radius: 50%;
            color: @theme_fg_color; }
        .todo-list > row:hover .handle, .todo-list > row:selected .handle { opacity: 0.75; }
        .todo-list > row:hover .bin, .todo-list > row:selected .bin { opacity: 0.75; }
        .todo-list .title.done { opacity: 0.5; }
        .todo-list .title.done label { text-decoration: line-through; }
        .empty { font-size: 120%; opacity: 0.5; }
        .status { padding: 7px 16px; font-size: 90%; border-top: 1px solid alpha(@theme_fg_color, 0.12); }
        .status label { opacity: 0.65; }
        .status label.error { color: @error_color; opacity: 1; }
        """

    /// Applies the style to all windows of a display.
    static func apply(to display: OpaquePointer?) {
        let provider = gtk_css_provider_new()!
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            display, provider.object, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }
}
