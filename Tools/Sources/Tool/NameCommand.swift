// `listory name`. Always holds: it changes no row and no commit; when it has printed, the change is durable.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

struct NameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "name",
        abstract: "Print the names of versions, or give one.",
        discussion: """
            A version that has a name stays readable when old history is dropped: show, diff and restore take the name. \
            Without a NAME, all names are printed, the oldest version first. As json, each name is one line. The exit code is 1 \
            if a version has the name already, or none has.

            A name that could be a number, a place or a time is written with name: before it, here and wherever a version is \
            expected. In a range, a name has no two dots.

            Example:
              listory name todo.listory 1.0
              listory name todo.listory "before the move" 12
              listory name todo.listory 1.0 --rename 1.0.1
              listory show todo.listory --at "before the move"
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The name, of 1 to 255 bytes.", transform: NameCommand.name)
    var name: String?

    @Argument(help: "The version to name; without it, the newest.", transform: { try VersionName($0) })
    var version: VersionName?

    @Option(
        help: ArgumentHelp("Give the version of the name this one instead.", valueName: "name"),
        transform: NameCommand.name)
    var rename: String?

    @Flag(help: "Take the name away.")
    var remove = false

    @OptionGroup var output: ReportOptions

    /// The name that an argument gives. One that would be another version elsewhere is refused.
    private static func name(_ text: String) throws -> String {
        if text.isEmpty { return text }
        guard let name = try? VersionName(text).givenName else {
            throw ValidationError(
                "expected a name, found \"\(text)\", which could be another version: write name:\(text)")
        }
        return name
    }

    func validate() throws {
        if name == nil && (rename != nil || remove) { throw ValidationError("expected a name, found none") }
        if [version != nil, rename != nil, remove].count(where: { $0 }) > 1 {
            throw ValidationError("expected one of a version, --rename and --remove, found several")
        }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: name == nil)
        let report = try change(store)
        try output.print(text: report.text, json: report.json)
        try store.close()
    }

    /// Does what is asked for, and returns what to print.
    private func change(_ store: UntypedStore) throws -> NameReport {
        guard let name else { return try NameReport(store) }
        if remove {
            try store.removeName(name)
            return try NameReport(store)
        }
        if let rename {
            try store.changeName(name, to: rename)
            return try NameReport(store, store.namedVersions.filter { $0.name.utf8.elementsEqual(rename.utf8) })
        }
        return try NameReport(store, [store.addName(name, to: version?.version(in: store))])
    }
}
