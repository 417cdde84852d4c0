// The option of commands that may meet what others did. Always holds: without it, conflicts are refused.

import ArgumentParser
import ListModel

/// What a command does about rows that somebody else changed.
struct ConflictOption: ParsableArguments {
    @Flag(name: .customLong("skip-conflicts"), help: "Leave rows as they are that were changed since, and do the rest.")
    var isSkipping = false

    var policy: ConflictPolicy { isSkipping ? .skip : .refuse }
}
