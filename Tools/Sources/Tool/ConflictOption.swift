// The option of commands that may have conflicts with edits of others. Always holds: without it, conflicts are refused.

import ArgumentParser
import ListModel

/// What a command does about rows that others changed.
struct ConflictOption: ParsableArguments {
    @Flag(name: .customLong("skip-conflicts"), help: "Leave rows as they are that were changed since, and do the rest.")
    var isSkipping = false

    @Flag(name: .customLong("override-conflicts"), help: "Override what others changed since.")
    var isOverriding = false

    func validate() throws {
        if isSkipping && isOverriding {
            throw ValidationError("expected --skip-conflicts or --override-conflicts, found both")
        }
    }

    var policy: ConflictPolicy { isOverriding ? .mine : isSkipping ? .skip : .refuse }
}
