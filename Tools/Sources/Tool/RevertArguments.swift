// The arguments of undo and redo, and what both do with them. Always holds: what was printed is durable.

import ArgumentParser
import Listory
import ToolSupport

/// Which store, how many commits, and how the result is printed.
struct RevertArguments: ParsableArguments {
    @OptionGroup var store: StoreArgument

    @Argument(help: "How many commits.")
    var count = 1

    @OptionGroup var format: FormatOption

    func validate() throws {
        if count < 1 { throw ValidationError("count: expected at least 1, found \(count)") }
    }

    /// Opens the store, reverts commits in it and prints what that did.
    func run(_ revert: (_ count: Int, _ store: Store) throws -> RevertReport) throws {
        let store = try store.file.open(isReadOnly: false)
        let report = try revert(count, store)
        switch format.value {
        case .text: try Standard.output.write(report.text())
        case .json: try Standard.output.write(report.json())
        }
        try store.close()
    }
}
