// GTK's thread is Swift's main actor.
//
// Only one thread may use GTK: the one that called `gtk_init` and runs the main loop. In this program it is the
// process's first thread, which is the thread of Swift's main actor. So all code that uses widgets is `@MainActor`. For
// Swift, a callback of GTK is only a C function; it uses `MainActor.assumeIsolated`, which checks the thread and ends
// the process if a callback comes from another one.
//
// Always holds: no code waits for the main actor with `await`. While the main loop runs, GTK has the thread, and tasks
// that are queued for the actor do not run. Use `runWhenIdle` instead.

import CListRows

/// Calls `body` from a callback of GTK, on the main actor.
///
/// - Parameter value: the callback's arguments. They are used only on the thread of the callback.
func onMainThread<Value>(_ value: Value, _ body: @MainActor (Value) -> Void) {
    // SAFETY: the value does not leave the thread: `assumeIsolated` checks that this thread is the main actor's.
    nonisolated(unsafe) let value = value
    MainActor.assumeIsolated { body(value) }
}

/// Calls `body` in GTK's main loop, when it has nothing more urgent to do. Any thread can use it to reach the widgets.
public func runWhenIdle(_ body: @escaping @MainActor @Sendable () -> Void) {
    let task = Unmanaged.passRetained(IdleTask(body))
    g_idle_add(
        { context in
            // SAFETY: `g_idle_add` passes the object that was retained for it, once.
            onMainThread(context!) { Unmanaged<IdleTask>.fromOpaque($0).takeRetainedValue().body() }
            return 0
        }, task.toOpaque())
}

private final class IdleTask: Sendable {
    let body: @MainActor @Sendable () -> Void

    init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }
}
