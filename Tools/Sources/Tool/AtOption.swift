// The option of commands that read the rows of one version. Always holds: without it, that is the newest.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

/// The version whose rows a command reads.
struct AtOption: ParsableArguments {
    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("The version to read; the newest without it.", valueName: "version"),
        transform: { try VersionName($0) })
    var version: VersionName?

    func snapshot(in store: UntypedStore) throws -> UntypedSnapshot {
        try version?.snapshot(in: store) ?? store.snapshot
    }
}
