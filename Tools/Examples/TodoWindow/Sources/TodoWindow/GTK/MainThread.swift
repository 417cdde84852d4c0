// GTK's thread and Swift's main actor are the same thing here.
//
// GTK is used by one thread: the one that called `gtk_init` and runs the main loop, and in this program that is the
// process's first thread, which is what Swift means by the main actor. So all that touches a widget is `@MainActor`, and
// a callback of GTK, of which Swift only knows that it is a C function, says so with `MainActor.assumeIsolated`: that
// checks it, and ends the process should a callback ever come from elsewhere.
//
// Always holds: nobody waits for the main actor with `await`. While the main loop runs, GTK has the thread, and nothing
// that is queued for the actor would begin; `runWhenIdle` is the way in.

import CListRows

/// Calls `body` from a callback of GTK, on the main actor.
///
/// - Parameter value: the callback's arguments. They are used on the thread that they came in on, and nowhere else.
func onMainThread<Value>(_ value: Value, _ body: @MainActor (Value) -> Void) {
    // SAFETY: the value does not leave the thread: `assumeIsolated` checks that this thread is the main actor's.
    nonisolated(unsafe) let value = value
    MainActor.assumeIsolated { body(value) }
}

/// Calls `body` in GTK's main loop, when that has nothing more urgent to do: the way from any thread to the widgets.
public func runWhenIdle(_ body: @escaping @MainActor @Sendable () -> Void) {
    let task = Unmanaged.passRetained(IdleTask(body))
    g_idle_add(
        { context in
            // SAFETY: `g_idle_add` hands back the object that was retained for it, once.
            onMainThread(context!) { Unmanaged<IdleTask>.fromOpaque($0).takeRetainedValue().body() }
            return 0
        }, task.toOpaque())
}

private final class IdleTask: Sendable {
    let body: @MainActor @Sendable () -> Void

    init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }
}
