// `listory compact`. Always holds: the store is either unchanged or completely compacted.

import ArgumentParser
import ToolSupport

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Make a store smaller: drop old history, and pack the rest.",
        discussion: """
            Without --from, --since and --size every version is kept. What is dropped can be neither shown nor undone \
            to any more, and is not in the file. What is packed takes a fraction of the room; looking at its versions \
            takes as long as before, reading its commits longer.

            A DATE is 2026-03-01 or 2026-03-01T12:30, in UTC unless it ends with an offset like +02:00. BYTES count records as they are before they are packed.

            The new file is verified before it takes the place of the old one. If the store is open anywhere, or \
            written to meanwhile, or the version was never there, nothing happens and the exit code is 1; it is 4 if \
            the store is damaged, 3 if it is missing or something else, 5 if there is no room for the new file.

            Example:
              listory compact todo.listory --since 2026-03-01
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: ArgumentHelp("Keep this version and those after it.", valueName: "version"),
        transform: { try VersionName($0) })
    var from: VersionName?

    @Option(help: ArgumentHelp("Keep the version at this moment and those after it.", valueName: "date"))
    var since: String?

    @Option(help: ArgumentHelp("Keep the newest commits, up to this many bytes of records.", valueName: "bytes"))
    var size: Int?

    @Flag(name: .customLong("no-pack"), help: "Leave the commits that are kept as they are.")
    var isUnpacked = false

    @Option(help: ArgumentHelp("How many of the newest commits are left as they are.", valueName: "count"))
    var unpacked: Int?

    @Option(help: ArgumentHelp("After how many events a checkpoint is kept.", valueName: "events"))
    var spacing: Int?

    @Flag(help: "Change nothing, but print what the new file would be. An app may have the store open.")
    var dryRun = false

    @OptionGroup var format: FormatOption

    func validate() throws {
        let bounds = [from.map { _ in "--from" }, since.map { _ in "--since" }, size.map { _ in "--size" }]
        if bounds.compactMap({ $0 }).count > 1 {
            throw ValidationError("expected one of --from, --since and --size, found several")
        }
        if isUnpacked && unpacked != nil {
            throw ValidationError("expected one of --no-pack and --unpacked, found both")
        }
        for (name, value, least) in [("--size", size, 0), ("--unpacked", unpacked, 0), ("--spacing", spacing, 1)] {
            guard let value, value < least else { continue }
            throw ValidationError("\(name): expected at least \(least), found \(value)")
        }
        if let since, CompactionRequest.time(since) == nil {
            throw ValidationError("--since: expected a date like 2026-03-01 or 2026-03-01T12:30, found \(since)")
        }
    }

    func run() throws {
        var request = CompactionRequest(
            from: try from.map { try store.file.version($0) }, since: since, recordBytes: size)
        request.compaction.isDryRun = dryRun
        if isUnpacked { request.compaction.isPacked = false }
        if let unpacked { request.compaction.unpackedCount = unpacked }
        if let spacing { request.compaction.checkpointSpacing = spacing }
        let bar = ProgressBar("compacting")
        defer { bar.finish() }
        let report = try store.file.compact(request) { bar.update($0) }
        bar.finish()
        try format.write(text: report.text, json: report.json)
    }
}
