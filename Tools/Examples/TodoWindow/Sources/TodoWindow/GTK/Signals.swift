// Connects Swift closures to signals of GTK.
//
// Always holds: a closure exists as long as its connection, which ends with the object or with `disconnect`.

import CListRows

/// The arguments of an emitted signal.
@MainActor
public struct SignalArguments {
    private let count: Int
    private let values: UnsafePointer<GValue>
    /// The place of the result, if the signal has one.
    let result: UnsafeMutablePointer<GValue>?

    fileprivate init(
        _ result: UnsafeMutablePointer<GValue>?, _ count: guint, _ values: UnsafePointer<GValue>
    ) {
        self.result = result
        self.count = Int(count)
        self.values = values
    }

    /// The argument at an index; the object that emits the signal is number 0.
    private func value(_ index: Int) -> UnsafePointer<GValue> {
        precondition(index < count, "the signal has \(count) arguments")
        return values + index
    }

    /// An object, borrowed.
    public func object(_ index: Int) -> UnsafeMutableRawPointer {
        // SAFETY: GLib checks that the value is an object; every signal that is used here has one.
        UnsafeMutableRawPointer(g_value_get_object(value(index))!)
    }

    public func number(_ index: Int) -> Int { Int(g_value_get_uint(value(index))) }
    public func double(_ index: Int) -> Double { g_value_get_double(value(index)) }

    /// The object in an argument that is itself a boxed value.
    func boxedObject(_ index: Int) -> UnsafeMutableRawPointer? {
        guard let inner = g_value_get_boxed(value(index)) else { return nil }
        // SAFETY: GLib checks that the argument is boxed; what drop targets box is a value.
        return g_value_get_object(inner.assumingMemoryBound(to: GValue.self)).map { UnsafeMutableRawPointer($0) }
    }

    /// Sets the result to true or false.
    func answer(_ isTrue: Bool) {
        if let result { g_value_set_boolean(result, isTrue ? 1 : 0) }
    }

    /// Sets the result to an object, and passes its reference on.
    func answer(giving object: UnsafeMutableRawPointer?) {
        if let result { g_value_take_object(result, object) }
    }
}

/// Calls a closure whenever an object emits a signal.
///
/// - Returns: the number of the connection, for ``disconnect(_:_:)``.
@MainActor
@discardableResult
public func onSignal(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (SignalArguments) -> Void
) -> gulong {
    listory_connect(
        object, signal, Unmanaged.passRetained(SignalHandler(body)).toOpaque(),
        { context, result, count, values in
            onMainThread((context, result, count, values)) { context, result, count, values in
                // SAFETY: the context is the handler below, which lives until the connection is released.
                let handler = Unmanaged<SignalHandler>.fromOpaque(context).takeUnretainedValue()
                handler.body(SignalArguments(result, count, values))
            }
        },
        // SAFETY: this ends the retain above, when GLib ends the connection.
        { Unmanaged<SignalHandler>.fromOpaque($0!).release() })
}

/// Calls a closure whenever a widget emits a signal.
@MainActor
@discardableResult
public func onSignal(
    _ widget: Widget, _ signal: String, _ body: @escaping @MainActor (SignalArguments) -> Void
) -> gulong {
    onSignal(UnsafeMutableRawPointer(widget), signal, body)
}

/// Ends a connection.
@MainActor
public func disconnect(_ object: UnsafeMutableRawPointer, _ connection: gulong) {
    g_signal_handler_disconnect(object, connection)
}

@MainActor
private final class SignalHandler {
    let body: @MainActor (SignalArguments) -> Void

    init(_ body: @escaping @MainActor (SignalArguments) -> Void) { self.body = body }
}
