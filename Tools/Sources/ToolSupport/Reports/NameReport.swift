// Prints the names of versions. Always holds: the oldest version is first.

import ListModel
import Listory

/// Prints named versions.
public struct NameReport {
    private let names: [NamedVersion]
    /// The version that the log begins with.
    private let oldest: Version

    /// A report on the names of a store.
    ///
    /// - Parameter names: which of them; nil for all.
    public init(_ store: UntypedStore, _ names: [NamedVersion]? = nil) throws {
        (self.names, oldest) = (try names ?? store.namedVersions, store.oldestVersion)
    }

    /// A line for each name.
    public func text(_ style: TerminalStyle) -> String {
        if names.isEmpty { return "no names\n" }
        return names.map { found in
            let place = found.version < oldest ? ", before the log" : ""
            return
                "\(style.bold("version \(found.version)"))  \"\(found.name.shown)\", named \(found.time.text)\(place)\n"
        }.joined()
    }

    /// Each name as a line of JSON.
    public func json() -> [UInt8] {
        names.flatMap { found in
            JSONWriter.line { writer in
                writer.member("name", found.name)
                writer.member("version", found.version.rawValue)
                writer.member("named", found.time.text)
                writer.member("hash", found.stateHash.description)
                if found.version < oldest { writer.member("beforeLog", true) }
            }
        }
    }
}

/// The names of versions by version.
struct VersionNames {
    private let names: [Version: [NamedVersion]]

    /// The names of a store; none if one of them is damaged, which the command for names reports.
    init(_ store: UntypedStore) { names = Dictionary(grouping: (try? store.namedVersions) ?? [], by: \.version) }

    /// The names of a version.
    func of(_ version: Version) -> [String] { (names[version] ?? []).map(\.name) }
}
