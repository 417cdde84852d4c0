// Casts between the types of one object. In C they are macros, which Swift does not import.
//
// Always holds: GTK checks the type itself at each call, and warns; the tests make such a warning fatal.

import CListRows

/// Any widget.
public typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// The same object as another of its types, whose fields are public in C.
    ///
    /// - Precondition: the object is of that type.
    func `as`<Other>(_ type: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        // SAFETY: a GObject begins with the fields of each of its types; the caller knows that this is one of them.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }

    /// The same object as one of its types whose fields are hidden in C.
    public var object: OpaquePointer { OpaquePointer(self) }
}

extension OpaquePointer {
    /// The same object as a widget.
    ///
    /// - Precondition: the object is a widget.
    public var widget: Widget { Widget(self) }

    /// The same object without a type.
    public var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension Bool {
    /// The value as GLib's type.
    var gboolean: Int32 { self ? 1 : 0 }
}
