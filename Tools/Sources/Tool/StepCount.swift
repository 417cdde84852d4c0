// The argument of undo and redo. Always holds: it is at least one.

import ArgumentParser

/// The number of steps.
struct StepCount: ParsableArguments {
    @Argument(help: "How many steps.")
    var count = 1

    func validate() throws {
        if count < 1 { throw ValidationError("count: expected at least 1, found \(count)") }
    }
}
